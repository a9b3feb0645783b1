"""Proposes edits that may fix a program whose backward failed. Whether one does is found out by trying it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.spots import Spot, Trail
from inplacelab.recording.source_tree import ATOMS, Program, applied, root_of

N = TypeVar("N", bound=ast.AST)
Read = Callable[[str], str]
"""Returns the text of a file, by its name. It may raise `OSError`."""

_OUT_OF_PLACE = Text("write out of place", "改为非原地操作")
_COPY_TARGET = Text("copy the tensor before it is written", "写入之前先复制张量")
_NOT_INPLACE = Text("leave out `inplace=True`", "去掉 `inplace=True`")
_LATER = Text("overwrite only after backward", "等反向传播之后再覆盖")
_COPY_RESULT = Text("copy the result that backward needs", "复制反向传播需要的结果")
_COPY_OPERAND = Text("copy the operand that backward needs", "复制反向传播需要的操作数")
_KEEP_GRAPH = Text("have the earlier pass keep the graph", "让之前的反向传播保留计算图")

_NO_ORDINARY = frozenset({"zero", "fill", "copy", "uniform", "normal", "set", "resize", "index_put"})
"""Operations that there are in place only, or which need not be written otherwise."""


@dataclass(frozen=True)
class Proposal:
    """An edit of one file.

    Attributes:
        says: what it does.
        filename: the file.
        edits: the changes of its text.
    """

    says: Text
    filename: str
    edits: tuple[EditFacts, ...]


def edited(source: str, proposals: Sequence[Proposal]) -> str:
    """Returns the text of a file with the edits of several proposals for it.

    Raises:
        SyntaxError: if they do not go together.
    """
    edits = list(dict.fromkeys(edit for each in proposals for edit in each.edits))
    ordered = sorted(edits)
    for one, other in pairwise(ordered):
        if (one.end_line, one.end_column) > (other.line, other.column):
            raise SyntaxError
    text = applied(source, edits)
    ast.parse(text)
    return text


def proposals(trail: Trail, read: Read) -> Iterator[Proposal]:
    """Yields what may fix a failure: first what is usual.

    Args:
        trail: the failure.
        read: returns the text of the trail's files.
    """
    if trail.kind == "again":
        yield from _for_first(trail.released, _keeping_the_graph, read)
        return
    for write in trail.writes:
        yield from _for_first(write, _out_of_place, read)
    for write in trail.writes:
        yield from _without_inplace(write, read)
    for write in trail.writes:
        yield from _after(write, trail.needed, read)
    for write in trail.writes:
        yield from _for_first(write, _copying_target, read)
    for view in trail.views:
        yield from _for_first((view,), _copying_target, read)
    yield from _for_first(trail.kept, _copying_result if trail.is_result else _copying_operands, read)


# --- the program -------------------------------------------------------------------------------------------------------


UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError)
"""What parsing a file may raise."""


class Where:
    """A spot in its parsed file."""

    def __init__(self, spot: Spot, read: Read) -> None:
        self.spot = spot
        self.program = Program(read(spot.filename))

    def nodes(self, kind: type[N]) -> list[N]:
        """Returns the nodes of a kind exactly at the spot, outermost first."""
        return [each for each in ast.walk(self.program.tree) if isinstance(each, kind) and self._is_here(each)]

    def _is_here(self, node: ast.AST) -> bool:
        spot, ends = self.spot, ("lineno", "end_lineno", "col_offset", "end_col_offset")
        return [getattr(node, each, None) for each in ends] == [spot.line, spot.end_line, spot.column, spot.end_column]

    @property
    def statement(self) -> ast.stmt | None:
        """The simple statement that contains the spot."""
        spot = self.spot
        found = [
            each
            for each in ast.walk(self.program.tree)
            if isinstance(each, ast.stmt)
            and not hasattr(each, "body")
            and each.lineno <= spot.line <= (each.end_lineno or 0)
        ]
        inside = [each for each in found if each.lineno < spot.line or each.col_offset <= max(spot.column, 0)]
        return max(inside, key=lambda each: (each.lineno, each.col_offset), default=found[0] if found else None)


def _for_first(spots: Sequence[Spot], propose: Callable[[Where], Iterator[Proposal]], read: Read) -> Iterator[Proposal]:
    """Yields proposals for the innermost spot."""
    for spot in spots[:1]:
        try:
            where = Where(spot, read)
        except UNREADABLE:
            return
        yield from propose(where)


# --- the write ---------------------------------------------------------------------------------------------------------


def _out_of_place(where: Where) -> Iterator[Proposal]:
    """`x.mul_(2)` as `x = x.mul(2)`, `x += y` as `x = x + y`, `f(x, inplace=True)` without that."""
    program, statement, filename = where.program, where.statement, where.spot.filename
    if isinstance(statement, ast.AugAssign):
        target, sign = ast.unparse(statement.target), _sign(statement.op)
        value = ast.unparse(statement.value)
        if isinstance(statement.value, ast.BinOp | ast.IfExp | ast.BoolOp | ast.Compare | ast.Lambda):
            value = f"({value})"
        if isinstance(statement.target, ast.Name | ast.Attribute):
            yield Proposal(
                _OUT_OF_PLACE, filename, (_replaced(program, statement, f"{target} = {target} {sign} {value}"),)
            )
        return
    for call in where.nodes(ast.Call):
        yield from _called_in_place(where, call, statement)


def _called_in_place(where: Where, call: ast.Call, statement: ast.stmt | None) -> Iterator[Proposal]:
    program, filename = where.program, where.spot.filename
    flags = [each for each in call.keywords if each.arg == "inplace"]
    if flags:
        edit = [_replaced(program, flags[0].value, "False")]
        if isinstance(statement, ast.Expr) and statement.value is call and call.args:
            edit.append(program.insert(call, f"{ast.unparse(call.args[0])} = "))
        yield Proposal(_NOT_INPLACE, filename, tuple(edit))
        return
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if not name.endswith("_") or name.rstrip("_") in _NO_ORDINARY or name.startswith("__"):
        return
    last = program.end(call.func)
    edits = [EditFacts(last[0], last[1] - 1, *last, "")]
    if isinstance(statement, ast.Expr) and statement.value is call:
        target = _written_by(program, call)
        if target is not None:
            yield Proposal(_OUT_OF_PLACE, filename, (*edits, program.insert(call, f"{ast.unparse(target)} = ")))
    else:
        yield Proposal(_OUT_OF_PLACE, filename, tuple(edits))


def _written_by(program: Program, call: ast.Call) -> ast.expr | None:
    """Returns what a call such as `x.relu_()` or `F.relu_(x)` writes to, if it can be assigned to."""
    target: ast.expr | None = call.func.value if isinstance(call.func, ast.Attribute) else None
    if target is None or root_of(target) in program.imported:
        target = call.args[0] if call.args else None
    return target if isinstance(target, ast.Name | ast.Attribute | ast.Subscript) else None


def _without_inplace(write: Sequence[Spot], read: Read) -> Iterator[Proposal]:
    """`nn.ReLU(inplace=True)` with `inplace=False`, anywhere in the files of a write that a module has done."""
    for filename in dict.fromkeys(each.filename for each in write):
        try:
            program = Program(read(filename))
        except UNREADABLE:
            continue
        kind = write[0].op.rstrip("_").replace("_", "").lower()
        for call in ast.walk(program.tree):
            if not isinstance(call, ast.Call):
                continue
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            flags = [each.value for each in call.keywords if each.arg == "inplace"]
            if kind.startswith(name.lower()[:4]) and flags and ast.unparse(flags[0]) == "True":
                yield Proposal(_NOT_INPLACE, filename, (_replaced(program, flags[0], "False"),))


def _after(write: Sequence[Spot], needed: Sequence[Spot], read: Read) -> Iterator[Proposal]:
    """Moves the statement that writes, or calls what writes, or a block around it, to after the backward pass in the same block."""
    for spot in write:
        for other in needed:
            if spot.filename != other.filename:
                continue
            try:
                here, there = Where(spot, read), Where(other, read)
            except UNREADABLE:
                continue
            if here.statement is not None and there.statement is not None:
                yield from _moved(here.program, here.statement, there.statement.lineno, spot.filename)


def _moved(program: Program, statement: ast.stmt, passes: int, filename: str) -> Iterator[Proposal]:
    """Yields ways to move a statement to after the one of its block in which the line `passes` is."""
    movable: ast.AST = statement
    around = program.around(statement)
    while isinstance(movable, _MOVABLE):
        end = movable.end_lineno or movable.lineno
        later = [each for each in program.block(movable) if end < each.lineno <= passes <= (each.end_lineno or 0)]
        text = program.whole_lines(movable)
        if later and text is not None:
            after = (later[0].end_lineno or passes) + 1
            removed = EditFacts(movable.lineno, 0, end + 1, 0, "")
            yield Proposal(_LATER, filename, (removed, EditFacts(after, 0, after, 0, text)))
        movable = next(around)


_MOVABLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.With, ast.For, ast.While, ast.If, ast.Try)


def _copying_target(where: Where) -> Iterator[Proposal]:
    """`x = x.clone()` before a statement that writes to `x`, or makes the view that is written, or before the blocks around it."""
    statement, program = where.statement, where.program
    if statement is None:
        return
    # Under `no_grad`, or in a loop, a clone is another one than before the block.
    blocks = [each for each in program.around(statement) if isinstance(each, ast.With | ast.For | ast.While | ast.Try)]
    for target in _targets(_part_written(where, statement)):
        for place in (statement, *blocks):
            edit = program.line_before(place, f"{target} = {target}.clone()")
            yield Proposal(_COPY_TARGET, where.spot.filename, (edit,))


def _part_written(where: Where, statement: ast.stmt) -> ast.expr | None:
    """Returns the expression that a statement writes to, such as `x[0]`, or that leads to it."""
    match statement:
        case ast.AugAssign():
            return statement.target
        case ast.Assign(targets=[ast.Subscript() as target, *_]):
            return target
        case (
            ast.Expr(value=ast.Call() | ast.Subscript() | ast.Attribute() as value)
            | ast.Assign(value=ast.Call() | ast.Subscript() | ast.Attribute() as value)
        ):
            for call in where.nodes(ast.Call)[:1]:
                return _written_by(where.program, call) or value
            return value
    return None


def _targets(expression: ast.expr | None) -> Iterator[str]:
    """Yields the expressions that may be copied so that a write to `expression` goes elsewhere: `self.h` of `self.h[0].t()`."""
    while isinstance(expression, ast.Subscript | ast.Call):
        expression = expression.func if isinstance(expression, ast.Call) else expression.value
    if isinstance(expression, ast.Attribute):
        yield ast.unparse(expression)
        inner = expression.value
        while isinstance(inner, ast.Subscript | ast.Call):
            inner = inner.func if isinstance(inner, ast.Call) else inner.value
        if isinstance(inner, ast.Name | ast.Attribute) and ast.unparse(inner) != "self":
            yield ast.unparse(inner)
    elif expression is not None and root_of(expression) is not None:
        yield ast.unparse(expression)


# --- what was kept -----------------------------------------------------------------------------------------------------


def _copying_result(where: Where) -> Iterator[Proposal]:
    program, statement = where.program, where.statement
    for expression in where.nodes(ast.expr)[:1]:
        edits = program.cloned(expression)
        if isinstance(statement, ast.Expr) and statement.value is expression and isinstance(expression, ast.Call):
            target = _written_by(program, expression)
            if target is None:
                return
            edits = [program.insert(expression, f"{ast.unparse(target)} = "), *edits]
        yield Proposal(_COPY_RESULT, where.spot.filename, tuple(edits))


def _copying_operands(where: Where) -> Iterator[Proposal]:
    """Proposes a copy of each operand of the expression that kept one, and of all of them."""
    program, filename = where.program, where.spot.filename
    if isinstance(where.statement, ast.AugAssign):
        yield from _copying_augmented(where, where.statement)
    if where.statement is not None and not where.nodes(ast.expr):  # kept inside a call
        yield from _copying_read(where, where.statement)
    for expression in where.nodes(ast.expr)[:1]:
        parts = [each for each in _operands(program, expression) if isinstance(each, ATOMS)]
        copies = [program.cloned(each) for each in parts]
        for edits in copies:
            yield Proposal(_COPY_OPERAND, filename, tuple(edits))
        if len(copies) > 1:
            yield Proposal(_COPY_OPERAND, filename, tuple(edit for edits in copies for edit in edits))


def _operands(program: Program, expression: ast.expr) -> list[ast.expr]:
    """Returns the operands of an operator or a call."""
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if not isinstance(expression, ast.Call):
        return []
    parts = [*expression.args, *(each.value for each in expression.keywords)]
    is_method = isinstance(expression.func, ast.Attribute) and root_of(expression.func.value) not in program.imported
    return [*parts, expression.func.value] if is_method and isinstance(expression.func, ast.Attribute) else parts


def _copying_read(where: Where, statement: ast.stmt) -> Iterator[Proposal]:
    """Proposes a copy of each part of a tensor, and of each name, that a statement reads."""
    program = where.program
    called = {id(each.func) for each in ast.walk(statement) if isinstance(each, ast.Call)}
    read = [
        each
        for each in ast.walk(statement)
        if isinstance(each, ast.Name | ast.Subscript) and isinstance(each.ctx, ast.Load) and id(each) not in called
    ]
    for each in sorted(read, key=lambda each: isinstance(each, ast.Name)):
        if root_of(each) not in program.imported:
            yield Proposal(_COPY_OPERAND, where.spot.filename, tuple(program.cloned(each)))


def _copying_augmented(where: Where, statement: ast.AugAssign) -> Iterator[Proposal]:
    """`x[0] *= y` as `x[0] = x[0].clone() * y`, and with a copy of `y`: writing the part overwrites what was read of it."""
    program, filename, sign = where.program, where.spot.filename, _sign(statement.op)
    target, value = ast.unparse(statement.target), f"({ast.unparse(statement.value)})"
    if isinstance(statement.value, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Constant):
        value = value[1:-1]
    if isinstance(statement.value, ast.Name | ast.Attribute | ast.Subscript):
        yield Proposal(_COPY_OPERAND, filename, tuple(program.cloned(statement.value)))
    for text in (f"{target} = {target}.clone() {sign} {value}", f"{target} = {target}.clone() {sign} {value}.clone()"):
        yield Proposal(_COPY_OPERAND, filename, (_replaced(program, statement, text),))


def _keeping_the_graph(where: Where) -> Iterator[Proposal]:
    for call in where.nodes(ast.Call)[:1]:
        if not any(each.arg == "retain_graph" for each in call.keywords):
            line, column = where.program.end(call)
            comma = ", " if call.args or call.keywords else ""
            edit = EditFacts(line, column - 1, line, column - 1, f"{comma}retain_graph=True")
            yield Proposal(_KEEP_GRAPH, where.spot.filename, (edit,))


def _replaced(program: Program, node: ast.expr | ast.stmt, text: str) -> EditFacts:
    return EditFacts(*program.start(node), *program.end(node), text)


_SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.Mod: "%", ast.FloorDiv: "//",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>",
}  # fmt: skip


def _sign(operator: ast.operator) -> str:
    return _SIGNS[type(operator)]
