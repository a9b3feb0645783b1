"""Proposes edits that may fix a program whose backward failed. Whether one does is found out by trying it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.kept_copies import copies_kept
from inplacelab.recording.fixes.located import UNREADABLE, Proposal, Read, Where, for_first, replaced, sign, written_by
from inplacelab.recording.fixes.spots import Spot, Trail
from inplacelab.recording.source_tree import Program

_OUT_OF_PLACE = Text("write out of place", "改为非原地操作")
_COPY_TARGET = Text("copy the tensor before it is written", "写入之前先复制张量")
_NOT_INPLACE = Text("leave out `inplace=True`", "去掉 `inplace=True`")
_LATER = Text("overwrite only after backward", "等反向传播之后再覆盖")
_KEEP_GRAPH = Text("let the earlier pass keep the graph", "让之前的反向传播保留反向图")

_NO_ORDINARY = frozenset({"zero", "fill", "copy", "uniform", "normal", "set", "resize", "index_put"})
"""Operations that there are in place only, or which need not be written otherwise."""


def proposals(trail: Trail, read: Read) -> Iterator[Proposal]:
    """Yields what may fix a failure: first what is usual.

    Args:
        trail: the failure.
        read: returns the text of the trail's files.
    """
    if trail.kind == "again":
        yield from for_first(trail.released, _keeping_the_graph, read)
        return
    for write in trail.writes:
        yield from for_first(write, _out_of_place, read)
    for write in trail.writes:
        yield from _without_inplace(write, read)
    for write in trail.writes:
        yield from _after(write, trail.needed, read)
    for write in trail.writes:
        yield from for_first(write, _copying_target, read)
    for view in trail.views:
        yield from for_first((view,), _copying_target, read)
    yield from copies_kept(trail, read)


# --- the write ---------------------------------------------------------------------------------------------------------


def _out_of_place(where: Where) -> Iterator[Proposal]:
    """`x.mul_(2)` as `x = x.mul(2)`, `x += y` as `x = x + y`, `f(x, inplace=True)` without that."""
    program, statement, filename = where.program, where.statement, where.spot.filename
    if isinstance(statement, ast.AugAssign):
        target, operator = ast.unparse(statement.target), sign(statement.op)
        value = ast.unparse(statement.value)
        if isinstance(statement.value, ast.BinOp | ast.IfExp | ast.BoolOp | ast.Compare | ast.Lambda):
            value = f"({value})"
        if isinstance(statement.target, ast.Name | ast.Attribute):
            yield Proposal(
                _OUT_OF_PLACE, filename, (replaced(program, statement, f"{target} = {target} {operator} {value}"),)
            )
        return
    for call in where.nodes(ast.Call):
        yield from _called_in_place(where, call, statement)


def _called_in_place(where: Where, call: ast.Call, statement: ast.stmt | None) -> Iterator[Proposal]:
    program, filename = where.program, where.spot.filename
    flags = [each for each in call.keywords if each.arg == "inplace"]
    if flags:
        edit = [replaced(program, flags[0].value, "False")]
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
        target = written_by(program, call)
        if target is not None:
            yield Proposal(_OUT_OF_PLACE, filename, (*edits, program.insert(call, f"{ast.unparse(target)} = ")))
    else:
        yield Proposal(_OUT_OF_PLACE, filename, tuple(edits))


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
                yield Proposal(_NOT_INPLACE, filename, (replaced(program, flags[0], "False"),))


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
                return written_by(where.program, call) or value
            return value
    return None


def _targets(expression: ast.expr | None) -> Iterator[str]:
    """Yields the expressions that may be copied so that a write to `expression` goes elsewhere: `self.h` of `self.h[0].t()`."""
    expression = _whole(expression)
    if isinstance(expression, ast.Attribute):
        yield ast.unparse(expression)
        expression = _whole(expression.value)
    if isinstance(expression, ast.Name | ast.Attribute) and ast.unparse(expression) != "self":
        yield ast.unparse(expression)


def _whole(expression: ast.expr | None) -> ast.expr | None:
    """Returns the expression of which another one is a part, or whose method it calls: `self.h` of `self.h[0].t()`."""
    while isinstance(expression, ast.Subscript | ast.Call):
        called = expression.func if isinstance(expression, ast.Call) else expression
        expression = called.value if isinstance(called, ast.Attribute | ast.Subscript) else None
    return expression


def _keeping_the_graph(where: Where) -> Iterator[Proposal]:
    for call in where.nodes(ast.Call)[:1]:
        if not any(each.arg == "retain_graph" for each in call.keywords):
            line, column = where.program.end(call)
            comma = ", " if call.args or call.keywords else ""
            edit = EditFacts(line, column - 1, line, column - 1, f"{comma}retain_graph=True")
            yield Proposal(_KEEP_GRAPH, where.spot.filename, (edit,))
