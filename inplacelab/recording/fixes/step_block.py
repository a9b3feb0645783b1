"""Proposes to compute a loss after the update of the parameters that it depends on: with their new values, which is another training.

Of the statements that lead from the changed parameters to the loss, those move below the update whose results nothing needs before; the others are
repeated there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.crossing import Crossing, Turn, root_of
from inplacelab.recording.fixes.spots import Proposal, listed

_FEW = 3
"""So many statements are quoted; of more, the lines are named."""
_MOST = 24
"""For more statements than this, the advice is just to compute the loss again."""
_AGAIN = Text("after {0} compute {1} again, from the new values", "在{0}之后用新的值重新计算 {1}")
_INSTEAD = Text("compute {1} only after {0}, from the new values", "等到{0}之后再用新的值计算 {1}")
_BOTH = Text(
    "after {0} compute {1} again, and {2} only there, from the new values",
    "在{0}之后用新的值重新计算 {1}，并等到那时再计算 {2}",
)
_REASON = Text("the update has overwritten what backward needs of the old ones", "更新覆盖了反向传播需要的旧值")
_PRICE = Text(
    "one more forward pass; the gradients are those at the new values", "多一次前向计算；得到的是新值处的梯度"
)
_OTHER = Text("the gradients are those at the new values", "得到的是新值处的梯度")
_EACH_TURN = Text(
    "before {0} compute {1} in each turn of the loop, from the new values", "在{0}之前，每次循环都用新的值计算 {1}"
)
_EACH_PRICE = Text(
    "one more forward pass each turn; the gradients are those at the new values",
    "每次循环多一次前向计算；得到的是新值处的梯度",
)
_DETACHED = Text("before {0} put {1}", "在{0}之前加上 {1}")
_CUT = Text(
    "backward then ends at the values of the turn before, and does not need the parameters of that time",
    "这样反向传播在上一次循环的值处结束，不再需要当时的参数",
)
_CHANGES = ("append", "extend", "insert", "update")
"""Methods that change what they belong to."""


def computed_after(found: Crossing) -> Iterator[Proposal]:
    """Yields the statements that lead from the updated parameters to the loss, below the update.

    Args:
        found: the block with both.
    """
    block, program = found.block, found.program
    for updates in (found.all_updates, found.updates):
        last = block.index(updates[-1])
        affected = _affected(found, last)
        if not 0 < len(affected) <= _MOST or any(program.whole_lines(each) is None for each in affected):
            continue
        if any(
            isinstance(each, ast.Return | ast.Delete | ast.Global | ast.Nonlocal)
            for one in affected
            for each in ast.walk(one)
        ):
            continue
        stays = _staying(affected, block[: last + 1])
        moved = [each for each in affected if each not in stays]
        line = (updates[-1].end_lineno or updates[-1].lineno) + 1
        edits = [EditFacts(each.lineno, 0, (each.end_lineno or each.lineno) + 1, 0, "") for each in moved]
        edits.append(EditFacts(line, 0, line, 0, "".join(program.whole_lines(each) or "" for each in affected)))
        where = found.where.line(updates[-1].end_lineno or updates[-1].lineno)
        pattern = _BOTH if stays and moved else _AGAIN if stays else _INSTEAD
        first, then = (_quoted(each, found) for each in (stays or moved, moved))
        yield found.where.proposal(
            pattern.format(where, first, then), edits, reason=_REASON, price=_PRICE if stays else _OTHER, way="again",
            sure=_is_simple(affected), other=True,
        )  # fmt: skip


def in_each_turn(found: Turn) -> Iterator[Proposal]:
    """Yields what lets the pass of a turn need nothing that an earlier turn has updated: the values from before the loop computed in each turn, or
    the values that one turn leaves to the next without their history.
    """
    program, loop = found.where.program, found.loop
    first = loop.body[0]
    column = program.start(first)[1]
    line = found.where.line(first.lineno)
    if found.kept in found.before:
        parameters = {root_of(each) for each in found.parameters}
        body = loop.body[: loop.body.index(found.passes) + 1]
        needed, again = {name for each in body for name in _reads(each)}, list[ast.stmt]()
        names = set[str]()
        for each in reversed(found.before):
            if _binds(each) & needed - parameters and not _takes_parameters(each):
                again.insert(0, each)
                needed |= _reads(each)
        affected = list[ast.stmt]()
        for each in again:
            if each is found.kept or _reads(each) & (names | parameters):
                affected.append(each)
                names |= _binds(each)
        if not affected or len(affected) > _FEW or not _is_simple(affected):
            return
        codes = [program.code(each) for each in affected]
        edit = program.line_before(first, f"\n{' ' * column}".join(codes))
        yield found.where.proposal(
            _EACH_TURN.format(line, listed(codes)),
            [edit],
            reason=_REASON,
            price=_EACH_PRICE,
            way="again",
            other=True,
        )
        return
    carried = _carried(loop)
    if carried:
        codes = [f"{each} = {each}.detach()" for each in carried]
        edit = program.line_before(first, f"\n{' ' * column}".join(codes))
        yield found.where.proposal(_DETACHED.format(line, listed(codes)), [edit], reason=_CUT, way="again", other=True)


def _carried(loop: ast.For | ast.While) -> list[str]:
    """Returns the variables that a turn of a loop computes from their values in the turn before."""
    bound, found = set[str](), dict[str, None]()
    later = {name for each in loop.body for name in _assigned(each)}
    for each in loop.body:
        found |= dict.fromkeys(sorted((_reads(each) - bound) & later))
        bound |= _binds(each)
    return [
        each
        for each in found
        if each in {name for one in loop.body if _calls_something(one) for name in _assigned(one)}
    ]


def _assigned(statement: ast.stmt) -> set[str]:
    return _binds(statement) if isinstance(statement, ast.Assign) else set()


def _calls_something(statement: ast.stmt) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(statement))


def _is_simple(affected: Sequence[ast.stmt]) -> bool:
    """Whether it is known without a trial that running statements later gives their names the values that are meant."""
    names = [name for each in affected for name in _binds(each)]
    return (
        len(affected) <= _FEW
        and len(names) == len({*names})
        and all(isinstance(each, ast.Assign) and not _binds(each) & _reads(each) for each in affected)
        and not any(
            isinstance(node, ast.Attribute) and node.attr.endswith("_") for each in affected for node in ast.walk(each)
        )
    )


def _affected(found: Crossing, last: int) -> list[ast.stmt]:
    """Returns the statements before the last update that the loss needs, and that depend on the updated parameters."""
    earlier = [each for each in found.block[: found.block.index(found.passes)] if each not in found.all_updates]
    parameters = {root_of(each) for each in found.parameters}
    needed, slice_ = _reads(found.passes), list[ast.stmt]()
    for each in reversed(earlier):
        if (not isinstance(each, ast.Expr) and _calls_backward(each)) or _takes_parameters(each):
            continue
        if _binds(each) & needed - parameters:
            slice_.insert(0, each)
            needed |= _reads(each)
    names, affected = set[str](), list[ast.stmt]()
    for each in slice_:
        if each in found.kept or _reads(each) & (names | parameters):
            affected.append(each)
            names |= _binds(each)
    # What adds to a value needs the statement that made it, too.
    adds = {name for each in affected if not isinstance(each, ast.Assign | ast.AnnAssign) for name in _binds(each)}
    whole = [each for each in slice_ if each in affected or _binds(each) & adds]
    return [each for each in whole if found.block.index(each) < last]


def _staying(affected: Sequence[ast.stmt], before: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Returns the statements whose results are needed before the update."""
    stays: list[ast.stmt] = []
    for each in reversed(affected):
        after = before[before.index(each) + 1 :]
        if any(_reads(one) & _binds(each) for one in after if one not in affected or one in stays):
            stays.insert(0, each)
    return stays


def _takes_parameters(statement: ast.stmt) -> bool:
    """Whether a statement passes a model's parameters on, as one that makes an optimizer does, and does not compute with them."""
    return any(
        isinstance(each, ast.Attribute) and each.attr in ("parameters", "named_parameters")
        for each in ast.walk(statement)
    )


def _calls_backward(statement: ast.stmt) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr == "backward" for each in ast.walk(statement))


def _reads(statement: ast.stmt) -> set[str]:
    found = {each for node in ast.walk(statement) if (each := _path(node)) and _loads(node)}
    if isinstance(statement, ast.AugAssign) and (name := _path(statement.target)):
        found.add(name)
    return found


def _binds(statement: ast.stmt) -> set[str]:
    found = {each for node in ast.walk(statement) if (each := _path(node)) and not _loads(node)}
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=attr))) if attr in _CHANGES or (
            attr.endswith("_") and attr[:1] != "_"
        ):
            found |= {name for each in ast.walk(owner) if (name := _path(each))}
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and (name := _path(node.value)):
            found.add(name)
    return found


def _loads(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Load)


def _path(node: ast.AST) -> str:
    """Returns a variable, or an attribute of `self`, as the program writes it; "" for anything else."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return f"self.{attr}"
        case ast.Name(id=name) if name != "self":
            return name
    return ""


def _quoted(some: Sequence[ast.stmt], found: Crossing) -> Text:
    if not some:
        return Text("", "")
    if len(some) > _FEW or any(hasattr(each, "body") for each in some):
        return found.where.line(some[0].lineno, some[-1].end_lineno)
    codes = [found.program.text(each) for each in some]
    return listed(codes)
