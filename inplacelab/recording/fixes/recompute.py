"""Fixes a pass after a parameter update by computing again what was computed from the old values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import FixFacts
from inplacelab.recording.source_tree import Program

__all__ = ["computed_again"]

_FEW = 3
"""For more lines than this, the advice is just to compute the loss again."""


def computed_again(
    program: Program,
    makers: Sequence[ast.stmt | None],
    updated: Iterable[str],
    across: Sequence[ast.stmt],
    backward: ast.stmt,
) -> FixFacts | None:
    """Returns the lines that lead from the updated parameters to the loss, to be repeated before `backward`.

    Args:
        program: the program.
        makers: the statements that saved the overwritten values: all of them must run again.
        updated: the names of the parameters.
        across: the statements from the update up to the call of `backward`.
        backward: the call of `backward`.
    """
    block = program.block(backward)
    earlier = block[: block.index(across[0])]
    parameters = {root for name in updated if (root := _root(name))}
    again = _affected(_needed(earlier, backward, parameters), parameters)
    if not 0 < len(again) <= _FEW or not all(each in again for each in makers) or not _says_all(again, earlier):
        return None
    after = block[block.index(across[0]) + 1]
    lines = [program.text(each) for each in again]
    *firsts, last = (f"`{line}`" for line in lines)
    listed = Text(" and ".join(filter(None, (", ".join(firsts), last))), "、".join([*firsts, last]))
    pattern = Text("after line {0} compute {1} again, from the new values", "在第 {0} 行之后用新的值重新计算 {1}")
    _, column = program.start(after)
    edit = program.line_before(after, f"\n{' ' * column}".join(lines))
    return FixFacts(pattern.format(across[0].end_lineno, listed), (edit,))


def _root(name: str) -> str | None:
    """Returns the root of a path: `net` for `net.weight` and for `net.0.weight`, `w` for `w[0]`."""
    first = re.split(r"[.\[]", name, maxsplit=1)[0]
    return first if first.isidentifier() else None


def _needed(earlier: Sequence[ast.stmt], backward: ast.stmt, parameters: set[str]) -> list[ast.stmt]:
    """Returns the statements that compute what `backward` reads, in order. Names of parameters must still be bound to them."""
    needed, found = _reads(backward), []
    for each in reversed(earlier):
        if _binds(each) & needed - parameters:
            found.append(each)
            needed |= _reads(each)
    return found[::-1]


def _affected(needed: Iterable[ast.stmt], parameters: set[str]) -> list[ast.stmt]:
    """Returns the needed statements that depend on the parameters."""
    names, found = set(parameters), []
    for each in needed:
        if _reads(each) & names:
            found.append(each)
            names |= _binds(each)
    return found


def _says_all(again: Sequence[ast.stmt], earlier: Sequence[ast.stmt]) -> bool:
    """Whether running these statements again gives their names the same values: each name is bound once, by an assignment
    that does not read it, and only these statements and calls of `backward` use it.
    """
    bound = {name for each in again for name in _binds(each)}
    others = [each for each in earlier[earlier.index(again[0]) :] if each not in again]
    names = [name for each in again for name in _binds(each)]
    simple = all(isinstance(each, ast.Assign) and not _binds(each) & _reads(each) for each in again)
    return (
        simple
        and len(names) == len(bound)
        and not any(_binds(each) & bound or _changes(each, bound) for each in others)
        and not any(_in_place(each) for each in again)
    )


def _changes(statement: ast.stmt, names: set[str]) -> bool:
    """Whether a statement may change one of these tensors; `backward` does not change their values."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    passes = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "backward"
    return not passes and not isinstance(statement, ast.Assign) and bool(_reads(statement) & names)


def _in_place(statement: ast.stmt) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr.endswith("_") for n in ast.walk(statement))


def _reads(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _binds(statement: ast.stmt) -> set[str]:
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
