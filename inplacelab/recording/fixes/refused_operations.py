"""Finds fixes for operations that the engine refuses immediately, by the kind of refusal."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from inplacelab.language import Text, enumerated
from inplacelab.recording.facts import EditFacts, ErrorFacts, TensorFacts
from inplacelab.recording.fixes.located import Proposal
from inplacelab.recording.fixes.proposals import ordinary
from inplacelab.recording.fixes.recorded_trails import name_of, stands_alone
from inplacelab.recording.queries import saved_on
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.source_tree import Program, package_of, program_of, root_of
from inplacelab.supported import framework_of

__all__ = ["refusal_fixes"]

_OF_THE_LEAF = {
    "grad", "gradient", "clear_grad", "clear_gradient", "zero_grad", "stop_gradient", "is_leaf", "register_hook", "requires_grad"
}  # fmt: skip
"""Attributes that only a leaf has, and not a result computed from it."""


@dataclass(frozen=True, slots=True)
class _Case:
    """A statement that was refused."""

    recording: Recording
    program: Program
    statement: ast.stmt
    before: State
    error: ErrorFacts

    @property
    def tensor(self) -> TensorFacts | None:
        """The tensor that the refusal is about."""
        return None if self.error.tensor is None else self.before.tensors.get(self.error.tensor)


def refusal_fixes(recording: Recording) -> list[Proposal]:
    """Returns what may fix a program that was refused at the end of its recording."""
    program, index = program_of(recording), len(recording) - 1
    step = recording.steps[index] if index > 0 else None
    statement = None if program is None or step is None else program.statement(step.line)
    if program is None or step is None or step.error is None or statement is None:
        return []
    case = _Case(recording, program, statement, recording.state(index - 1), step.error)
    found = next((fix for words, fix in _BY_WORDS.items() if words in step.error.message), None)
    return [] if found is None else [replace(each, way="refused", sure=True) for each in found(case)]


# --- leaves ------------------------------------------------------------------------------------------------------------


def _leaf(case: _Case) -> list[Proposal]:
    """Offers both readings: a changed copy under a new name, or a change of the leaf itself."""
    leaf, _ = _leaf_and_first(case)
    otherwise = _under_another_name(case)
    if otherwise is None and leaf is not None and leaf.names:
        pattern = Text(
            "to compute with the changed values, write to `{0}.clone()` and go on with that",
            "若要用改变后的值继续计算，改为写入 `{0}.clone()`，之后使用这个副本",
        )
        otherwise = Proposal(pattern.format(name_of(leaf)), ())
    return [each for each in (otherwise, _without_gradient(case)) if each is not None]


def _under_another_name(case: _Case) -> Proposal | None:
    leaf, first = _leaf_and_first(case)
    if leaf is None or first is None or len(leaf.names) != 1 or not name_of(leaf).isidentifier():
        return None
    program, name = case.program, name_of(leaf)
    if program.function(first) is not None or program.repeats(first) or first not in program.tree.body:
        return None
    taken = {node.id for node in ast.walk(program.tree) if isinstance(node, ast.Name)}
    new = next(each for k in range(1, 100) if (each := f"{name}_new{'' if k == 1 else k}") not in taken)
    later = _reads_after(program, first, name)
    if later is None:
        return None
    edits = ordinary(program, first, name, new) if first is case.statement else []
    rewritten = bool(edits)
    shown = program.text(first, edits) if rewritten else f"{new} = {name}.clone()"
    if not rewritten:
        edits = [program.line_before(first, shown)]
        later = [*_reads_of(program, first, name), *later]
    edits += [EditFacts(*program.start(each), *program.end(each), new) for each in later]
    pattern = Text(
        "to compute with the changed values, give them a name of their own: `{0}` {1}",
        "若要用改变后的值继续计算，给它另起一个名字：{1}写 `{0}`",
    )
    where = Text("in line {0}", "第 {0} 行") if rewritten else Text("before line {0}", "在第 {0} 行之前")
    says = pattern.format(shown, where.format(first.lineno))
    lines = sorted({each.lineno for each in later})
    if lines:
        says += Text(", and `{0}` in place of `{1}` in {2}", "，并在{2}用 `{0}` 代替 `{1}`").format(
            new, name, _lines(lines)
        )
    return Proposal(says, tuple(edits))


def _leaf_and_first(case: _Case) -> tuple[TensorFacts | None, ast.stmt | None]:
    """Returns the leaf and the first statement that must not read it: the refused one, or the one that made the view."""
    tensor = case.tensor
    if tensor is None:  # a view that was made in the same statement
        base = next(
            (t for t in case.before.tensors.values() if t.names and name_of(t) == _written_root(case.statement)), None
        )
        return base, case.statement
    if tensor.base is None:
        return tensor, case.statement
    made = next((s for s in case.recording.steps if s.output == tensor.id and s.category == "view"), None)
    return case.before.tensors.get(tensor.base), case.program.statement(made.line) if made else None


def _written_root(statement: ast.stmt) -> str | None:
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        return root_of(statement.targets[0])
    if isinstance(statement, ast.Expr | ast.Assign):
        return root_of(statement.value)
    return None


def _reads_of(program: Program, where: ast.AST, name: str) -> list[ast.expr]:
    """Returns the expressions that read a tensor or write a part of it."""
    return [
        node
        for node in program.reads(where, name)
        if not any(
            isinstance(each, ast.Attribute) and each.attr in _OF_THE_LEAF for each in list(program.around(node))[:1]
        )
    ]


def _reads_after(program: Program, first: ast.stmt, name: str) -> list[ast.expr] | None:
    """Returns such expressions in later statements; None if the name may be read elsewhere or bound again."""
    block = program.tree.body
    after = block[block.index(first) + 1 :]
    functions = [n for n in ast.walk(program.tree) if isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef)]
    inside = any(isinstance(n, ast.Name) and n.id == name for each in functions for n in ast.walk(each))
    bound = any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)
        for each in after
        for n in ast.walk(each)
    )
    return None if inside or bound else [node for each in after for node in _reads_of(program, each, name)]


def _without_gradient(case: _Case) -> Proposal | None:
    program, statement = case.program, case.statement
    leaf, _ = _leaf_and_first(case)
    module = package_of(program, framework_of(case.recording).alias)
    one_line = statement.lineno == statement.end_lineno
    if module is None or leaf is None or not one_line or saved_on(case.before, leaf.storage):
        return None
    _, column = program.start(statement)
    inside = program.insert(statement, f"with {module}.no_grad():\n{' ' * (column + 4)}")
    says = Text(
        "to change `{0}` itself, put line {1} inside `with {2}.no_grad()`",
        "若要改变 `{0}` 本身，把第 {1} 行放进 `with {2}.no_grad()`",
    ).format(name_of(leaf), statement.lineno, module)
    return Proposal(says, (inside,))


def _lines(numbers: list[int]) -> Text:
    said = [str(number) for number in numbers]
    if len(said) == 1:
        return Text("line {0}", "第 {0} 行").format(said[0])
    return Text("lines {0} and {1}", "第 {0} 和 {1} 行").format(enumerated(said[:-1]), said[-1])


# --- writes ------------------------------------------------------------------------------------------------------------


def _read_while_written(case: _Case) -> list[Proposal]:
    """Reads the operand from a clone."""
    statement, operand = case.statement, None
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Subscript):
        operand = statement.value
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and statement.value.args:
        operand = statement.value.args[0]
    if operand is None or not isinstance(operand, ast.Name | ast.Subscript | ast.Attribute | ast.Call):
        return []
    edits = case.program.cloned(operand)
    says = Text("in line {0} read from a copy: `{1}`", "让第 {0} 行从副本读取：`{1}`")
    return [Proposal(says.format(statement.lineno, case.program.text(statement, edits)), tuple(edits))]


def _not_in_place(case: _Case) -> list[Proposal]:
    """Uses the ordinary operation, which allocates its result."""
    root = _written_root(case.statement)
    tensor = case.before.tensors.get(case.before.bound(root) or -1) if root else None
    if root is None or tensor is None or not stands_alone(case.before, tensor):
        return []
    edits = ordinary(case.program, case.statement, root)
    if not edits:
        return []
    pattern = Text("in line {0} write `{1}`, which makes a new tensor", "把第 {0} 行改写为 `{1}`，它产生一个新张量")
    return [Proposal(pattern.format(case.statement.lineno, case.program.text(case.statement, edits)), tuple(edits))]


# --- numbers where a named function takes tensors ------------------------------------------------------------------------

_WORDS = re.compile(
    r"(?P<op>\w+)\(\): argument '(?P<name>\w+)' \(position (?P<place>\d)\) must be Tensor, but got (?P<kind>int|float|list)\b"
)
_SAYS = Text("in line {0} make it a tensor: `{1}`", "让第 {0} 行把它做成张量：`{1}`")


def _not_a_tensor(case: _Case) -> list[Proposal]:
    """Makes a tensor of the number; no fix if it would be refused again, or if the right dtype is unknown."""
    program, statement, words = case.program, case.statement, _WORDS.search(case.error.message)
    call = program.did(statement, words["op"]) if words else None
    package = _package(program, framework_of(case.recording).alias)
    if words is None or package is None or not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return []
    is_function = ast.unparse(call.func.value).partition(".")[0] == package
    operands = call.args if is_function else [call.func.value, *call.args]
    place = int(words["place"])
    named = [each.value for each in call.keywords if each.arg == words["name"]]
    given = named or operands[place : place + 1]
    other = [_tensor(each, case.before) for each in operands if each not in given]
    if len(given) != 1 or not other or other[0] is None:
        return []
    dtype = _dtype(words["kind"], other[0])
    if dtype is None or (words["op"].endswith("_") and other[0].leaf and other[0].needs_gradient):
        return []
    edits = [program.insert(given[0], f"{package}.to_tensor("), program.append(given[0], f"{dtype})")]
    return [Proposal(_SAYS.format(statement.lineno, program.text(statement, edits)), tuple(edits))]


def _dtype(kind: str, other: TensorFacts) -> str | None:
    """Returns the `dtype=` argument that matches the other operand, if needed; None if the number does not fit its dtype."""
    if kind == "float" and other.dtype == "float32":
        return ""
    suits = other.dtype.startswith(("float", "bfloat")) or (kind == "int" and other.dtype.startswith("int"))
    return f', dtype="{other.dtype}"' if suits else None


def _tensor(operand: ast.expr, before: State) -> TensorFacts | None:
    """Returns the tensor that an operand's name is bound to."""
    return before.tensors.get(before.bound(ast.unparse(operand)) or -1)


def _package(program: Program, alias: str) -> str | None:
    """Returns the name of the tensors' package in the program: from its import, or, in a later cell, from calls that make tensors."""
    if (found := package_of(program, alias)) is not None:
        return found
    made = (each.func for each in ast.walk(program.tree) if isinstance(each, ast.Call))
    makers = (each for each in made if isinstance(each, ast.Attribute) and each.attr == "to_tensor")
    return next((each.value.id for each in makers if isinstance(each.value, ast.Name)), None)


_BY_WORDS: Mapping[str, Callable[[_Case], list[Proposal]]] = {
    "that doesn't stop gradient can't use inplace strategy": _leaf,
    "share slots, but at different indices": _read_while_written,
    "more than one element of the written tensor": _not_in_place,
    "is different from that of inplace tensor": _not_in_place,
    "must be Tensor, but got": _not_a_tensor,
}
"""Recognizes each refusal that can be fixed, by PaddlePaddle's headline, which a recording keeps."""
