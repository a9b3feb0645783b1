"""A fix for a number, or a list of numbers, where a named function takes tensors: a tensor is made of it."""

from __future__ import annotations

import ast
import re

from inplacelab.language import Text
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.fixes.edits import Fix
from inplacelab.recording.fixes.program import Program
from inplacelab.recording.recording import State

__all__ = ["made_a_tensor"]

_WORDS = re.compile(
    r"(?P<op>\w+)\(\): argument '(?P<name>\w+)' \(position (?P<place>\d)\) must be Tensor, but got (?P<kind>int|float|list)\b"
)
_PACKAGES = ("paddle", "inplacelab")
_SAYS = Text("in line {0} make a tensor of it: `{1}`", "让第 {0} 行把它做成张量：`{1}`")


def made_a_tensor(program: Program, statement: ast.stmt, message: str, before: State) -> list[Fix]:
    """The fixed statement; nothing if it would be refused again, or if it is not known what dtype suits."""
    words = _WORDS.search(message)
    call = program.did(statement, words["op"]) if words else None
    package = _package(program)
    if words is None or package is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return []
    is_function = ast.unparse(call.func.value).partition(".")[0] == package
    operands = call.args if is_function else [call.func.value, *call.args]
    place = int(words["place"])
    named = [each.value for each in call.keywords if each.arg == words["name"]]
    given = named or operands[place : place + 1]
    other = [_tensor(each, before) for each in operands if each not in given]
    if len(given) != 1 or not other or other[0] is None:
        return []
    dtype = _dtype(words["kind"], other[0])
    if dtype is None or (words["op"].endswith("_") and other[0].leaf and other[0].needs_gradient):
        return []
    edits = [program.insert(given[0], f"{package}.to_tensor("), program.append(given[0], f"{dtype})")]
    return [Fix(_SAYS.format(statement.lineno, program.text(statement, edits)), tuple(edits))]


def _dtype(kind: str, other: TensorFacts) -> str | None:
    """How the dtype of the other operand is asked for, if it must be; None if a number of this kind does not suit it."""
    if kind == "float" and other.dtype == "float32":
        return ""
    suits = other.dtype.startswith(("float", "bfloat")) or (kind == "int" and other.dtype.startswith("int"))
    return f', dtype="{other.dtype}"' if suits else None


def _tensor(operand: ast.expr, before: State) -> TensorFacts | None:
    """The tensor that a name leads to."""
    return before.tensors.get(before.bound(ast.unparse(operand)) or -1)


def _package(program: Program) -> str | None:
    """What the program calls the package of its tensors: by its import, or, in a cell below that, by what it makes tensors with."""
    for node in ast.walk(program.tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                if each.name in _PACKAGES:
                    return each.asname or each.name
    made = (each.func for each in ast.walk(program.tree) if isinstance(each, ast.Call))
    makers = (each for each in made if isinstance(each, ast.Attribute) and each.attr == "to_tensor")
    return next((each.value.id for each in makers if isinstance(each.value, ast.Name)), None)
