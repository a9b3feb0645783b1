"""Proposes edits that have a grad node keep a copy, which is never overwritten."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.spots import (
    ParsedFiles,
    Proposal,
    Trail,
    Where,
    augmented,
    name_in_place,
    replaced,
    written_by,
)
from inplacelab.recording.source_tree import ATOMS, SourceTree, in_place_calls, root_of

_KEEP = Text("let {0} keep a copy: `{1}`", "让{0}保存副本：`{1}`")
_KEEP_LINE_BEFORE = Text(
    "let {0} keep a copy: put `{1}` before it, and write `{2}`",
    "让{0}保存副本：在它之前加上 `{1}`，并把它改写为 `{2}`",
)
_COPY_BACK = Text(
    "in {0} write {1}: computed out of place, and copied into the tensor",
    "把{0}改写为 {1}：用非原地操作计算，再把结果复制到张量中",
)


def copies_kept(trail: Trail, sources: ParsedFiles) -> Iterator[Proposal]:
    """Yields ways to have a copy of one value kept: first those with the fewest copies."""
    for where in sources.at(trail.kept):
        yield from _copying_saved(where)
        if trail.is_result:
            yield from _copying_result(where)
            yield from _copying_back(where)
        else:
            yield from _copying_operands(where)


def copies_of_all(trails: Sequence[Trail], sources: ParsedFiles) -> list[Proposal]:
    """Returns edits that together have a copy of each value kept, if more is copied than need be.

    They change nothing but what is kept: every tensor has the values that it had, under all its names.
    """
    found: dict[Proposal, None] = {}
    for trail in trails:
        for where in sources.at(trail.kept):
            if saved := list(_copying_saved(where)):
                each = saved
            elif not trail.is_result:
                each = _copies_of_operands(where)
            elif isinstance(where.statement, ast.AugAssign) or any(map(name_in_place, where.nodes(ast.Call)[:1])):
                each = list(_copying_back(where))
            else:
                each = list(_copying_result(where))
            found |= dict.fromkeys(each)
    return list(found)


def _kept(where: Where, edits: Sequence[EditFacts], *, sure: bool = False) -> Proposal:
    """Returns edits that have a statement keep a copy, in words."""
    assert where.statement is not None
    line = where.line(where.statement.lineno)
    before = [each.text.strip() for each in edits if each.text.endswith("\n")]
    shown = where.program.text(where.statement, [each for each in edits if not each.text.endswith("\n")])
    says = _KEEP_LINE_BEFORE.format(line, "; ".join(before), shown) if before else _KEEP.format(line, shown)
    return where.proposal(says, edits, bytes=where.spot.bytes, sure=sure)


# --- what an operation of the program has saved --------------------------------------------------------------------------


def _copying_saved(where: Where) -> Iterator[Proposal]:
    """Proposes `ctx.save_for_backward(x.clone())` where a call of `Own.apply` of the program kept something."""
    program, statement = where.program, where.statement
    called = {
        root_of(each.func)
        for each in (ast.walk(statement) if statement is not None else ())
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "apply"
    }
    owns = (each for each in ast.walk(program.tree) if isinstance(each, ast.ClassDef) and each.name in called)
    for call in (each for own in owns for each in ast.walk(own)):
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "save_for_backward"
        ):
            edits = [edit for each in call.args if isinstance(each, ATOMS) for edit in program.cloned(each)]
            saving = program.statement(call.lineno)
            if edits and saving is not None:
                says = _KEEP.format(where.line(call.lineno), program.text(saving, edits))
                yield where.proposal(says, edits, bytes=where.spot.bytes)


# --- a result ------------------------------------------------------------------------------------------------------------


def _copying_back(where: Where) -> Iterator[Proposal]:
    """Proposes `x[...] = x.exp()` for `x.exp_()`: other names of the tensor see the result, and the node keeps one of its own."""
    program, statement = where.program, where.statement
    edit = None
    if isinstance(statement, ast.AugAssign):
        target = ast.unparse(statement.target)
        edit = replaced(program, statement, f"{target}[...] = {augmented(statement, f'{target}.clone()')}")
    for call in where.nodes(ast.Call)[:1]:
        written = written_by(program, call)
        if name_in_place(call) and written is not None and isinstance(statement, ast.Expr | ast.Assign):
            edit = _back_in_a_statement(program, statement, call, ast.unparse(written))
    if edit is not None and statement is not None:
        code = [f"`{each.strip()}`" for each in edit.text.splitlines()]
        lines = Text(" and ".join(code), "、".join(code))
        yield where.proposal(_COPY_BACK.format(where.line(statement.lineno), lines), [edit], bytes=where.spot.bytes)


def _back_in_a_statement(
    program: SourceTree, statement: ast.Expr | ast.Assign, call: ast.Call, target: str
) -> EditFacts | None:
    """Rewrites a statement whose value is a call, or a chain of calls: `x.exp_().sin_()` as `x[...] = x.exp()`, `x.sin_()`."""
    chain = in_place_calls(statement.value) if call is not statement.value else [call]
    if call not in chain:
        return None
    indent = "\n" + " " * program.start(statement)[1]
    before, after = chain[chain.index(call) + 1 :], chain[: chain.index(call)]
    lines = [ast.unparse(before[0])] if before else []
    arguments = ast.unparse(ast.Call(ast.Name("_"), call.args, call.keywords))[1:]
    method = isinstance(call.func, ast.Attribute) and root_of(call.func.value) not in program.imported
    called = f"{target}.{name_in_place(call)}" if method else ast.unparse(call.func)[:-1]
    lines.append(f"{target}[...] = {called}{arguments}")
    rest = ast.unparse(after[0]).replace(ast.unparse(call), target, 1) if after else target
    if isinstance(statement, ast.Assign):
        lines.append(f"{' = '.join(ast.unparse(each) for each in statement.targets)} = {rest}")
    elif after:
        lines.append(rest)
    return replaced(program, statement, indent.join(lines))


def _copying_result(where: Where) -> Iterator[Proposal]:
    program, statement, op = where.program, where.statement, where.spot.op
    for expression in where.nodes(ast.expr)[:1] if statement is not None else ():
        edits = program.cloned(expression)
        if isinstance(statement, ast.Expr) and statement.value is expression and isinstance(expression, ast.Call):
            target = written_by(program, expression)
            if target is None:
                return
            edits = [program.insert(expression, f"{ast.unparse(target)} = "), *edits]
        assert statement is not None
        sure = bool(op) and not op.endswith("_") and program.did(statement, op) is expression
        yield _kept(where, edits, sure=sure)


# --- operands ------------------------------------------------------------------------------------------------------------


def _copying_operands(where: Where) -> Iterator[Proposal]:
    """Proposes a copy of the operand that was kept, if its name is known; of each operand of the expression, then of all of them."""
    program, statement = where.program, where.statement
    if statement is None or _is_pass(where):
        return  # a copy is not in the graph through which a pass inside a pass goes
    if isinstance(statement, ast.AugAssign):
        yield from _copying_augmented(where, statement)
    inside = where.nodes(ast.expr)[:1]
    # A copy of what the statement writes would be written in its place.
    calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call) and name_in_place(each)]
    written = [written_by(program, each) for each in calls]
    for name in where.spot.names:
        if reads := [each for each in program.reads(inside[0] if inside else statement, name) if each not in written]:
            yield _kept(where, program.copied_once(statement, reads), sure=True)
    if not inside:  # kept inside a call
        yield from _copying_read(where, statement)
        return
    parts = [each for each in _operands(program, inside[0]) if isinstance(each, ATOMS) and each not in written]
    copies = list(_copied_once(where, parts))
    only = len(copies) == 1 and program.did(statement, where.spot.op) is inside[0]
    yield from (_kept(where, edits, sure=only) for edits in copies)
    if len(copies) > 1:
        yield _kept(where, [edit for edits in copies for edit in edits])


def _is_pass(where: Where) -> bool:
    """Whether a backward pass kept something, for one through it."""
    called = (each.func for each in where.nodes(ast.Call)[:1])
    return any(isinstance(each, ast.Attribute) and each.attr in ("backward", "grad") for each in called)


def _operands(program: SourceTree, expression: ast.expr) -> list[ast.expr]:
    """Returns the operands of an operator or a call, also those in a list."""
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if not isinstance(expression, ast.Call):
        return []
    given = [*expression.args, *(each.value for each in expression.keywords)]
    parts = [part for each in given for part in (each.elts if isinstance(each, ast.List | ast.Tuple) else [each])]
    function = expression.func
    is_method = isinstance(function, ast.Attribute) and root_of(function.value) not in _no_tensors(program)
    return [*parts, function.value] if is_method and isinstance(function, ast.Attribute) else parts


def _no_tensors(program: SourceTree) -> set[str | None]:
    """Returns the names of modules, classes and functions."""
    defined = (n.name for n in ast.walk(program.tree) if isinstance(n, ast.ClassDef | ast.FunctionDef))
    return {*program.imported, *defined, "self", None}


def _copies_of_operands(where: Where) -> list[Proposal]:
    """Returns a copy for each operand."""
    program, statement = where.program, where.statement
    if isinstance(statement, ast.AugAssign):
        choices = list(_copying_augmented(where, statement))
        return choices[-1:] if isinstance(statement.target, ast.Subscript) else choices[:1]
    found = [part for each in where.nodes(ast.expr)[:1] for part in _operands(program, each)]
    if not where.nodes(ast.expr) and statement is not None:
        calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call)]
        found = [part for each in calls for part in _operands(program, each) if not isinstance(part, ast.Call)]
    tensors = [each for each in found if isinstance(each, ATOMS) and root_of(each) not in _no_tensors(program)]
    return [_kept(where, edits) for edits in _copied_once(where, tensors)]


def _copied_once(where: Where, operands: Sequence[ast.expr]) -> Iterator[list[EditFacts]]:
    """Yields the edits that copy each operand; operands that are written alike share a copy."""
    alike: dict[str, list[ast.expr]] = {}
    for each in operands:
        alike.setdefault(ast.unparse(each), []).append(each)
    for several in alike.values():
        if where.statement is not None and not isinstance(several[0], ast.Call):
            yield where.program.copied_once(where.statement, several)
        else:
            yield [edit for each in several for edit in where.program.cloned(each)]


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
        if root_of(each) not in _no_tensors(program):
            yield _kept(where, program.cloned(each))


def _copying_augmented(where: Where, statement: ast.AugAssign) -> Iterator[Proposal]:
    """`x[0] *= y` as `x[0] = x[0].clone() * y`, and with a copy of `y`: writing the part overwrites what was read of it."""
    program, target = where.program, ast.unparse(statement.target)
    if isinstance(statement.value, ast.Name | ast.Attribute | ast.Subscript):
        yield _kept(where, program.cloned(statement.value))
    rewritten = f"{target} = {augmented(statement, f'{target}.clone()')}"
    for text in (rewritten, f"{rewritten}.clone()"):
        yield _kept(where, [replaced(program, statement, text)])
