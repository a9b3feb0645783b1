"""Rewrites a statement with in-place operations with their ordinary forms."""

from __future__ import annotations

import ast

from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.spots import name_in_place
from inplacelab.recording.source_tree import SourceTree, in_place_calls

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
