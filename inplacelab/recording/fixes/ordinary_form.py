"""Rewrites a statement with in-place operations with their ordinary forms, or an operation as another expression."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.spots import name_in_place, replaced
from inplacelab.recording.source_tree import SourceTree, in_place_calls, root_of

NO_ORDINARY = frozenset({
    "apply", "bernoulli", "cauchy", "copy", "exponential", "fill", "fill_diagonal", "geometric", "index_put", "log_normal", "map", "map2",
    "normal", "random", "reconstruct_from", "resize", "set", "setitem", "share_memory", "uniform", "zero",
})  # fmt: skip
"""Operations that there are in place only, or which are something else out of place."""


def ordinary(program: SourceTree, statement: ast.stmt, name: str, target: str = "") -> list[EditFacts]:
    """Rewrites `a.relu_()` as `a = a.relu()`, or with another target; nothing if the statement is not a chain of such calls."""
    target = target or name
    if not isinstance(statement, ast.Expr | ast.Assign) or (
        name.isidentifier() and not program.may_bind(statement, name)
    ):
        return []
    value, targets = statement.value, [] if isinstance(statement, ast.Expr) else statement.targets
    calls = in_place_calls(value)
    if calls and isinstance(calls[-1].func, ast.Attribute) and ast.unparse(calls[-1].func.value) == name:
        names = [call.func for call in calls if isinstance(call.func, ast.Attribute)]
    elif (
        isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and name_in_place(value)
        and value.args and isinstance(value.args[0], ast.Name) and value.args[0].id == name
    ):  # fmt: skip
        names = [value.func]
    else:
        return []
    if not names or not all(each.attr[:-1] not in NO_ORDINARY for each in names):
        return []
    if not all(isinstance(each, ast.Name) for each in targets):
        return []
    ends = map(program.end, names)
    edits = [EditFacts(line, column - 1, line, column, "") for line, column in ends]
    known = [each.id for each in targets if isinstance(each, ast.Name)]
    return edits if target in known else [program.insert(value, f"{target} = "), *edits]


def parameters(form: ast.expr, package: str) -> list[str]:
    """Returns the names in an expression but that of the package, in order, first `x`."""
    names = [each for each in ast.walk(form) if isinstance(each, ast.Name) and each.id not in ("x", package)]
    return ["x", *dict.fromkeys(each.id for each in sorted(names, key=lambda each: each.col_offset))]


def in_form(program: SourceTree, statement: ast.stmt, op: str, form: ast.expr, names: Sequence[str]) -> list[EditFacts]:
    """Rewrites an operation as another expression, which makes a new tensor; nothing if the statement has no such operation, or more than one.

    Args:
        program: the program.
        statement: the statement.
        op: the operation; "setitem" for an assignment to a part of a tensor.
        form: the expression.
        names: its names for the tensor, and for what else the operation is given.
    """
    call: ast.expr | None = None
    match statement:
        case ast.Assign(targets=[ast.Subscript(value=x, slice=index)], value=value) if op == "setitem":
            given = [x, index, value] if _fits(index, form, names[1]) else []
        case _:
            calls = [each for each in ast.walk(statement) if isinstance(each, ast.Call) and _name_of(each) == op]
            if len(calls) != 1 or calls[0].keywords:
                return []
            (call,) = calls
            owner = [call.func.value] if isinstance(call.func, ast.Attribute) else []
            given = [*(each for each in owner if root_of(each) not in program.imported), *call.args]
    if len(given) != len(names):
        return []
    expression = Filled(dict(zip(names, given, strict=True))).visit(form)
    if op != "setitem" and not op.endswith("_"):
        text = ast.unparse(expression)
        return (
            [replaced(program, call, text if isinstance(form, ast.Call) else f"({text})")] if call is not None else []
        )
    target = given[0]
    if not isinstance(target, ast.Name | ast.Attribute) or (call is not None and not _is_all(statement, call)):
        return []
    if isinstance(target, ast.Name) and not program.may_bind(statement, target.id):
        return []
    return [replaced(program, statement, f"{ast.unparse(target)} = {ast.unparse(expression)}")]


def _fits(index: ast.expr, form: ast.expr, name: str) -> bool:
    """Whether an index can stand where an expression has its name: one of tensors in a tuple of indices, a list in a call."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    in_tuple = any(isinstance(each, ast.Tuple) and _is_named(each.elts, name) for each in ast.walk(form))
    if any(isinstance(each, ast.Slice | ast.Constant) or ast.unparse(each)[:1] == "-" for each in parts):
        return False
    return not any(isinstance(each, ast.List) for each in parts) if in_tuple else not isinstance(index, ast.Tuple)


def _is_named(some: Sequence[ast.expr], name: str) -> bool:
    return [each.id for each in some if isinstance(each, ast.Name)] == [name]


def _name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_all(statement: ast.stmt, call: ast.expr) -> bool:
    return isinstance(statement, ast.Expr) and statement.value is call


class Filled(ast.NodeTransformer):
    """Substitutes expressions for names."""

    def __init__(self, by: Mapping[str, ast.expr]) -> None:
        self._by = by

    def visit_Tuple(self, node: ast.Tuple) -> ast.expr:
        only = node.elts[0] if len(node.elts) == 1 else None
        filled = self._by.get(only.id) if isinstance(only, ast.Name) else None
        return filled if isinstance(filled, ast.Tuple) else self.generic_visit(node)  # type: ignore[return-value]  # a tuple again

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._by.get(node.id, node)
