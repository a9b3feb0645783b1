"""Rewrites operations in their in-place forms: `F.relu(x)` as `F.relu(x, inplace=True)`, `x.relu()` as `x.relu_()`, `x = x + y` as `x += y`."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.spots import replaced
from inplacelab.recording.savings.joins import changed_part
from inplacelab.recording.source_tree import ATOMS, SourceTree, source_lines
from inplacelab.supported import InPlaceForms, frameworks

_OPERATORS: dict[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "+="), ast.Sub: ("sub", "-="), ast.Mult: ("mul", "*="), ast.Div: ("div", "/="), ast.Pow: ("pow", "**="),
    ast.FloorDiv: ("floor_divide", "//="), ast.Mod: ("remainder", "%="),
}  # fmt: skip
_OTHER_NAMES = {
    "sub": "subtract", "mul": "multiply", "div": "divide", "remainder": "mod",
}  # fmt: skip
"""What Paddle calls them."""
FLAG = "inplace"


@dataclass(frozen=True, slots=True)
class Form:
    """The in-place form of one operation.

    Attributes:
        second: whether it overwrites its second operand.
        number: whether the other operand is a number.
        part: for one that joins a tensor again, the position of the part that it changes.
        flag: for a call that constructs a module, the position of its argument `inplace`; None for an operation.
    """

    second: bool = False
    number: bool = False
    part: int | None = None
    flag: int | None = None


PLAIN = Form()


class Rewriting:
    """Rewrites some operations of a program together: one may be inside another.

    Args:
        program: the program.
        forms: how the framework writes operations in place.
        chosen: the operations, each with its form.
    """

    def __init__(self, program: SourceTree, forms: InPlaceForms, chosen: Mapping[ast.AST, Form]) -> None:
        self._program, self._forms, self._chosen = program, forms, chosen

    def edits(self) -> tuple[EditFacts, ...]:
        """Returns what changes in the text."""
        return tuple(
            replaced(self._program, *self._rewritten(node))
            for node in self._chosen
            if not any(each in self._chosen for each in self._program.around(node))
        )

    def _rewritten(self, node: ast.AST) -> tuple[ast.expr | ast.stmt, str]:
        """Returns what is replaced for an operation that is inside no other one, and by what."""
        assert isinstance(node, ast.expr)
        statement = next(self._program.around(node))
        part = self._chosen[node].part
        changed = None if part is None else changed_part(statement, node, part)
        if changed is not None and isinstance(statement, ast.stmt):
            return statement, self._written_alone(changed)
        match statement, node:
            case ast.Assign(), ast.BinOp(left=left, op=op, right=right) if self._forms.augments:
                second = self._chosen[node].second
                target, value = (right, left) if second else (left, right)
                if _rebinds(statement, target) and (not second or type(op) in (ast.Add, ast.Mult)):
                    return statement, f"{self._program.code(target)} {_OPERATORS[type(op)][1]} {self._code(value)}"
        return node, self._code(node)

    def _written_alone(self, changed: ast.expr) -> str:
        """Returns a statement that writes one part of a tensor."""
        form = Form(number=isinstance(changed, ast.BinOp) and isinstance(changed.right, ast.Constant))
        return Rewriting(self._program, self._forms, {**self._chosen, changed: form})._code(changed)

    def _code(self, node: ast.expr) -> str:
        """Returns the text of an expression, with the operations inside it rewritten."""
        if node in self._chosen:
            return self._in_place(node)
        inside = list(_outermost(node, self._chosen))
        text, end = "", self._program.start(node)
        for each in sorted(inside, key=self._program.start):
            text += self._between(end, self._program.start(each)) + self._in_place(each)
            end = self._program.end(each)
        return text + self._between(end, self._program.end(node))

    def _between(self, start: tuple[int, int], end: tuple[int, int]) -> str:
        """Returns a part of the text on one line, without comments."""
        lines = source_lines(self._program.source)[start[0] - 1 : end[0]]
        lines[-1] = lines[-1][: end[1]]
        for k in range(len(lines) - 1):
            lines[k] = lines[k][: self._comments.get(start[0] + k)].rstrip().removesuffix("\\").rstrip()
        lines[0] = lines[0][start[1] :]
        first, *others = lines
        return (
            " ".join([first, *filter(None, (each.strip() for each in others[:-1])), others[-1].lstrip()])
            if others
            else first
        )

    @cached_property
    def _comments(self) -> dict[int, int]:
        """Where the comment of a line begins, by lines."""
        tokens = tokenize.generate_tokens(io.StringIO(self._program.source).readline)
        return {each.start[0]: each.start[1] for each in tokens if each.type == tokenize.COMMENT}

    def _in_place(self, node: ast.expr) -> str:
        second = self._chosen[node].second
        match node:
            case ast.BinOp(left=left, op=op, right=right):
                target, value = (right, left) if second else (left, right)
                name = _OPERATORS[type(op)][0]
                if self._chosen[node].number and name in self._forms.scalars:
                    number = self._code(value) if isinstance(value, ast.Constant) else self._atom(value)
                    return f"{self._atom(target)}.{self._forms.scalars[name].format(number)}"
                return f"{self._atom(target)}.{self._method(name)}_({self._code(value)})"
            case ast.UnaryOp(operand=operand):
                return f"{self._atom(operand)}.neg_()"
            case ast.Call():
                return self._call(node, self._chosen[node])
        return self._program.code(node)

    def _call(self, call: ast.Call, chosen: Form) -> str:
        second, name = chosen.second, _called(call)
        form = form_of(self._program, call, self._forms) if chosen.flag is None else chosen.flag
        keywords = [
            f"{each.arg}={self._code(each.value)}" if each.arg else f"**{self._code(each.value)}"
            for each in call.keywords
        ]
        given = list(map(self._code, call.args))
        if isinstance(form, int):
            keywords = [each for each in keywords if not each.startswith(f"{FLAG}=")]
            unpacked = [each for each in keywords if each.startswith("**")]
            if len(given) > form:
                given[form] = "True"
            elif unpacked:  # it may be among them
                keywords = [each for each in keywords if each not in unpacked]
                keywords.append(f'**{{{", ".join(unpacked)}, "{FLAG}": True}}')
            else:
                keywords.append(f"{FLAG}=True")
            return f"{self._code(call.func)}({', '.join([*given, *keywords])})"
        if form == "function" and not second:
            return f"{self._code(call.func)}_({', '.join([*given, *keywords])})"
        operands = (
            call.args
            if form != "method"
            else [call.func.value, *call.args]
            if isinstance(call.func, ast.Attribute)
            else []
        )
        target, *others = [*operands[1::-1], *operands[2:]] if second else operands
        return f"{self._atom(target)}.{name}_({', '.join([*map(self._code, others), *keywords])})"

    def _method(self, name: str) -> str:
        return name if name in self._forms.methods else _OTHER_NAMES.get(name, name)

    def _atom(self, expression: ast.expr) -> str:
        code = self._code(expression)
        return code if isinstance(expression, ATOMS) or expression in self._chosen else f"({code})"


def _outermost(node: ast.AST, chosen: Mapping[ast.AST, Form]) -> list[ast.expr]:
    """Returns the chosen operations inside a node that are inside no other one."""
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if child in chosen and isinstance(child, ast.expr):
            found.append(child)
        else:
            found += _outermost(child, chosen)
    return found


def has_form(program: SourceTree, node: ast.AST, forms: InPlaceForms, wanted: Form) -> bool:
    """Whether the text of an operation can be rewritten in place."""
    if wanted.part is not None:
        changed = changed_part(next(program.around(node)), node, wanted.part) if isinstance(node, ast.expr) else None
        return changed is not None and has_form(program, changed, forms, PLAIN)
    match node:
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            name = _OPERATORS[type(op)][0]
            known = bool({name, _OTHER_NAMES.get(name, name)} & forms.methods)
            either_way = not wanted.second or type(op) in (ast.Add, ast.Mult)
            return known and either_way and not (wanted.number and forms.scalars.get(name) == "")
        case ast.UnaryOp(op=ast.USub()):
            return "neg" in forms.methods
        case ast.Call():
            form = form_of(program, node, forms) if wanted.flag is None else wanted.flag
            if any(isinstance(each, ast.Starred) for each in node.args) or form is None:
                return False
            return not wanted.second or (not isinstance(form, int) and len(node.args) > (form != "method"))
    return False


def form_of(program: SourceTree, call: ast.Call, forms: InPlaceForms) -> int | str | None:
    """Returns how a call is written in place: the position of its argument `inplace`; "function" or "method" for one with an underscore;
    "operand" for the method of its first argument; None if there is no such form.
    """
    name, receiver = _called(call), call.func.value if isinstance(call.func, ast.Attribute) else None
    module = _module(program, call.func)
    if receiver is not None and module != "functional" and not _is_module(program, receiver):
        return "method" if name in forms.methods else None
    if module == "functional" and name in forms.flagged:
        return forms.flagged[name]
    if module == "functional" and name in forms.functional and receiver is not None:
        return "function"
    if name in forms.functions and receiver is not None and module != "functional":
        return "function"
    return "operand" if name in forms.methods and call.args else None


_USUAL = {"nn": "nn", "F": "functional"}
"""What a part of a program, such as a cell, calls modules that another part has imported, beside the framework itself."""


def _is_module(program: SourceTree, receiver: ast.expr) -> bool:
    """Whether a function is called of a module, `nn.functional`, and not of a tensor, such as `torch.ones(3)`."""
    while isinstance(receiver, ast.Attribute):
        receiver = receiver.value
    name = receiver.id if isinstance(receiver, ast.Name) else ""
    usual = {*_USUAL, *(each.alias for each in frameworks().values())}
    return name in program.imported or (name in usual and name not in program.assigned)


def _module(program: SourceTree, called: ast.expr) -> str:
    """Returns the last part of the module that a function is called of: "functional" for `F.relu` and `nn.functional.relu`."""
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Attribute):
        return called.value.attr
    name = called.value if isinstance(called, ast.Attribute) else called
    for node in ast.walk(program.tree):
        match node, name:
            case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Attribute(attr=module)), ast.Name(id=bound_to):
                if bound == bound_to:
                    return module
        if isinstance(node, ast.Import | ast.ImportFrom):
            for each in node.names:
                if isinstance(name, ast.Name) and (each.asname or each.name) == name.id:
                    whole = each.name if isinstance(called, ast.Attribute) else getattr(node, "module", "") or ""
                    return whole.rpartition(".")[2]
    return _USUAL.get(name.id, "") if isinstance(called, ast.Attribute) and isinstance(name, ast.Name) else ""


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _rebinds(statement: ast.AST, target: ast.expr) -> bool:
    """Whether a statement is `x = x + y`."""
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Attribute() as bound]):
            return ast.unparse(bound) == ast.unparse(target)
    return False
