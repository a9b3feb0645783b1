"""Proposes edits that have a grad node keep a copy, which is never overwritten."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.located import UNREADABLE, Proposal, Read, Where, for_first, replaced, sign, written_by
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.source_tree import ATOMS, Program, in_place_calls, root_of

_COPY_RESULT = Text("copy the result that backward needs", "复制反向传播需要的结果")
_COPY_OPERAND = Text("copy the operand that backward needs", "复制反向传播需要的操作数")
_COPY_SAVED = Text("save copies for backward", "为反向传播保存副本")
_COPY_BACK = Text(
    "compute out of place, and copy the result into the tensor", "用非原地操作计算，再把结果复制到原来的张量中"
)


def copies_kept(trail: Trail, read: Read) -> Iterator[Proposal]:
    """Yields ways to have a copy of one value kept: first those with the fewest copies."""
    yield from for_first(trail.kept, _copying_saved, read)
    if trail.is_result:
        yield from for_first(trail.kept, _copying_result, read)
        yield from for_first(trail.kept, _copying_back, read)
    else:
        yield from for_first(trail.kept, _copying_operands, read)


def copies_of_all(trails: Sequence[Trail], read: Read) -> list[Proposal]:
    """Returns edits that together have a copy of each value kept, if more is copied than need be.

    They change nothing but what is kept: every tensor has the values that it had, under all its names.
    """
    found: dict[Proposal, None] = {}
    for trail in trails:
        for spot in trail.kept[:1]:
            try:
                where = Where(spot, read)
            except UNREADABLE:
                continue
            if saved := list(_copying_saved(where)):
                each = saved
            elif not trail.is_result:
                each = _copies_of_operands(where)
            elif _in_place_here(where):
                each = list(_copying_back(where))
            else:
                each = list(_copying_result(where))
            found |= dict.fromkeys(each)
    return list(found)


# --- what an operation of the program has saved --------------------------------------------------------------------------


def _copying_saved(where: Where) -> Iterator[Proposal]:
    """Proposes `ctx.save_for_backward(x.clone())` where a call of `Own.apply` of the program kept something."""
    program, statement = where.program, where.statement
    called = {
        root_of(each.func)
        for each in (ast.walk(statement) if statement is not None else ())
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) and each.func.attr == "apply"
    }
    for own in ast.walk(program.tree):
        if not isinstance(own, ast.ClassDef) or own.name not in called:
            continue
        for call in ast.walk(own):
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr == "save_for_backward"
            ):
                edits = [edit for each in call.args if isinstance(each, ATOMS) for edit in program.cloned(each)]
                if edits:
                    yield Proposal(_COPY_SAVED, where.spot.filename, tuple(edits))


# --- a result ------------------------------------------------------------------------------------------------------------


def _in_place_here(where: Where) -> bool:
    return isinstance(where.statement, ast.AugAssign) or any(map(_name_in_place, where.nodes(ast.Call)[:1]))


def _name_in_place(call: ast.Call) -> str:
    """Returns the name of an in-place operation without its underscore; "" if a call is of none."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name[:-1] if name.endswith("_") and not name.endswith("__") else ""


def _copying_back(where: Where) -> Iterator[Proposal]:
    """Proposes `x[...] = x.exp()` for `x.exp_()`: other names of the tensor see the result, and the node keeps one of its own."""
    program, statement, filename = where.program, where.statement, where.spot.filename
    if isinstance(statement, ast.AugAssign):
        target, value = ast.unparse(statement.target), ast.unparse(statement.value)
        if isinstance(statement.value, ast.BinOp | ast.IfExp | ast.BoolOp | ast.Compare | ast.Lambda):
            value = f"({value})"
        text = f"{target}[...] = {target}.clone() {sign(statement.op)} {value}"
        yield Proposal(_COPY_BACK, filename, (replaced(program, statement, text),))
    for call in where.nodes(ast.Call)[:1]:
        target_of_call = written_by(program, call)
        if not _name_in_place(call) or target_of_call is None or not isinstance(statement, ast.Expr | ast.Assign):
            continue
        edit = _back_in_a_statement(program, statement, call, ast.unparse(target_of_call))
        if edit is not None:
            yield Proposal(_COPY_BACK, filename, (edit,))


def _back_in_a_statement(
    program: Program, statement: ast.Expr | ast.Assign, call: ast.Call, target: str
) -> EditFacts | None:
    """Rewrites a statement whose value is a call, or a chain of calls: `x.exp_().sin_()` as `x[...] = x.exp()`, `x.sin_()`."""
    chain = in_place_calls(statement.value) if call is not statement.value else [call]
    if call not in chain:
        return None
    indent = "\n" + " " * program.start(statement)[1]
    before, after = chain[chain.index(call) + 1 :], chain[: chain.index(call)]
    inner = ast.unparse(before[0]) if before else target
    lines = [inner] if before else []
    arguments = ast.unparse(ast.Call(ast.Name("_"), call.args, call.keywords))[1:]
    called = f"{target}.{_name_in_place(call)}" if _is_method(program, call) else ast.unparse(call.func)[:-1]
    lines.append(f"{target}[...] = {called}{arguments}")
    rest = ast.unparse(after[0]).replace(ast.unparse(call), target, 1) if after else target
    if isinstance(statement, ast.Assign):
        names = [ast.unparse(each) for each in statement.targets]
        lines.append(" = ".join([*names, rest]))
    elif after:
        lines.append(rest)
    return replaced(program, statement, indent.join(lines))


def _is_method(program: Program, call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and root_of(call.func.value) not in program.imported


def _copying_result(where: Where) -> Iterator[Proposal]:
    program, statement = where.program, where.statement
    for expression in where.nodes(ast.expr)[:1]:
        edits = program.cloned(expression)
        if isinstance(statement, ast.Expr) and statement.value is expression and isinstance(expression, ast.Call):
            target = written_by(program, expression)
            if target is None:
                return
            edits = [program.insert(expression, f"{ast.unparse(target)} = "), *edits]
        yield Proposal(_COPY_RESULT, where.spot.filename, tuple(edits))


def _copying_operands(where: Where) -> Iterator[Proposal]:
    """Proposes a copy of each operand of the expression that kept one, then of all of them."""
    program, filename = where.program, where.spot.filename
    if isinstance(where.statement, ast.AugAssign):
        yield from _copying_augmented(where, where.statement)
    if where.statement is not None and not where.nodes(ast.expr):  # kept inside a call
        yield from _copying_read(where, where.statement)
    for expression in where.nodes(ast.expr)[:1]:
        parts = [each for each in _operands(program, expression) if isinstance(each, ATOMS)]
        copies = list(_copied_once(where, parts))
        for edits in copies:
            yield Proposal(_COPY_OPERAND, filename, tuple(edits))
        if len(copies) > 1:
            yield Proposal(_COPY_OPERAND, filename, tuple(edit for edits in copies for edit in edits))


def _operands(program: Program, expression: ast.expr) -> list[ast.expr]:
    """Returns the operands of an operator or a call, also those in a list."""
    if isinstance(expression, ast.BinOp):
        return [expression.left, expression.right]
    if not isinstance(expression, ast.Call):
        return []
    given = [*expression.args, *(each.value for each in expression.keywords)]
    parts = [part for each in given for part in (each.elts if isinstance(each, ast.List | ast.Tuple) else [each])]
    is_method = isinstance(expression.func, ast.Attribute) and root_of(expression.func.value) not in _no_tensors(
        program
    )
    return [*parts, expression.func.value] if is_method and isinstance(expression.func, ast.Attribute) else parts


def _no_tensors(program: Program) -> set[str | None]:
    """Returns the names of modules, classes and functions."""
    defined = (n.name for n in ast.walk(program.tree) if isinstance(n, ast.ClassDef | ast.FunctionDef))
    return {*program.imported, *defined, "self", None}


def _copies_of_operands(where: Where) -> list[Proposal]:
    """Returns a copy for each operand."""
    program, filename, statement = where.program, where.spot.filename, where.statement
    if isinstance(statement, ast.AugAssign):
        choices = list(_copying_augmented(where, statement))
        return choices[-1:] if isinstance(statement.target, ast.Subscript) else choices[:1]
    found = [part for each in where.nodes(ast.expr)[:1] for part in _operands(program, each)]
    if not where.nodes(ast.expr) and statement is not None:
        calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call)]
        found = [part for each in calls for part in _operands(program, each) if not isinstance(part, ast.Call)]
    tensors = [each for each in found if isinstance(each, ATOMS) and root_of(each) not in _no_tensors(program)]
    return [Proposal(_COPY_OPERAND, filename, tuple(edits)) for edits in _copied_once(where, tensors)]


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
            yield Proposal(_COPY_OPERAND, where.spot.filename, tuple(program.cloned(each)))


def _copying_augmented(where: Where, statement: ast.AugAssign) -> Iterator[Proposal]:
    """`x[0] *= y` as `x[0] = x[0].clone() * y`, and with a copy of `y`: writing the part overwrites what was read of it."""
    program, filename, operator = where.program, where.spot.filename, sign(statement.op)
    target, value = ast.unparse(statement.target), f"({ast.unparse(statement.value)})"
    if isinstance(statement.value, ast.Name | ast.Attribute | ast.Subscript | ast.Call | ast.Constant):
        value = value[1:-1]
    if isinstance(statement.value, ast.Name | ast.Attribute | ast.Subscript):
        yield Proposal(_COPY_OPERAND, filename, tuple(program.cloned(statement.value)))
    rewritten = f"{target} = {target}.clone() {operator} {value}"
    for text in (rewritten, f"{rewritten}.clone()"):
        yield Proposal(_COPY_OPERAND, filename, (replaced(program, statement, text),))
