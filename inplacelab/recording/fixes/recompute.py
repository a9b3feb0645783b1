"""Fixes a pass after a parameter update by computing again what was computed from the old values."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.fixes.located import Proposal, Sources
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.source_tree import root_of

__all__ = ["computed_again"]

_FEW = 3
"""For more lines than this, the advice is just to compute the loss again."""
_AGAIN = Text("after {0} compute {1} again, from the new values", "在{0}之后用新的值重新计算 {1}")
_REASON = Text("the update has overwritten what backward needs of the old ones", "更新覆盖了反向传播需要的旧值")
_PRICE = Text(
    "one more forward pass; the gradients are those at the new values", "多一次前向计算；得到的是新值处的梯度"
)


def computed_again(trails: Sequence[Trail], sources: Sources) -> Iterator[Proposal]:
    """Yields the lines that lead from the updated parameters to the loss, repeated before the pass.

    Args:
        trails: the values that the pass found overwritten, all by updates of parameters.
        sources: the files.
    """
    spots = [write[0] for each in trails for write in each.writes]
    last = max(each.line for each in spots)
    for where in sources.at(trails[0].needed):
        program, backward = where.program, where.statement
        makers = [one.statement for each in trails for one in sources.at(each.kept)]
        if backward is None or any(each.filename != where.spot.filename for each in spots):
            return
        earlier = program.before(backward)
        holds = [k for k, each in enumerate(earlier) if each.lineno <= last <= (each.end_lineno or 0)]
        if len(holds) != 1 or isinstance(earlier[holds[0]], ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            return
        first, after = earlier[holds[0]], [*earlier[holds[0] + 1 :], backward][0]
        known = [*spots, *(each for trail in trails for each in trail.kept[:1])]
        parameters = {root for each in known for name in each.names if (root := _root(name))}
        if not parameters:  # those of the modules that were called
            parameters = {name for each in makers if each is not None for name in _called(each)}
        needed = _needed(earlier[: holds[0]], backward, parameters)
        again = _affected(needed, parameters)
        if (
            not 0 < len(again) <= _FEW
            or not all(each in again for each in makers)
            or not _says_all(again, earlier[: holds[0]])
        ):
            return
        lines = [program.text(each) for each in again]
        *firsts, end = (f"`{line}`" for line in lines)
        listed = Text(" and ".join(filter(None, (", ".join(firsts), end))), "、".join([*firsts, end]))
        edit = program.line_before(after, f"\n{' ' * program.start(after)[1]}".join(lines))
        says = _AGAIN.format(where.line(first.end_lineno or first.lineno), listed)
        yield where.proposal(
            says,
            [edit],
            reason=_REASON,
            price=_PRICE,
            way="again",
            sure=all(one.updates for each in spots for one in sources.at((each,))),
            other=True,
        )


def _called(statement: ast.stmt) -> Iterator[str]:
    """Yields the names of what a statement calls."""
    for each in ast.walk(statement):
        if isinstance(each, ast.Call) and (name := root_of(each.func)) is not None:
            yield name


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
