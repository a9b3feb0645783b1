"""Proposes to compute a loss after the update of the parameters that it depends on: with their new values, which is another training.

Of the statements that lead from the changed parameters to the loss, those move below the update whose results nothing needs before; the others are
repeated there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes.crossing import Crossing
from inplacelab.recording.fixes.spots import Proposal

_FEW = 3
"""So many statements are quoted; of more, the lines are named."""
_MOST = 24
"""For more statements than this, the advice is just to compute the loss again."""
_AGAIN = Text("after {0} compute {1} again, from the new values", "在{0}之后用新的值重新计算 {1}")
_INSTEAD = Text("compute {1} only after {0}, from the new values", "等到{0}之后再用新的值计算 {1}")
_BOTH = Text(
    "after {0} compute {1} again, and {2} only there, from the new values", "在{0}之后用新的值重新计算 {1}，并等到那时再计算 {2}"
)
_REASON = Text("the update has overwritten what backward needs of the old ones", "更新覆盖了反向传播需要的旧值")
_PRICE = Text("one more forward pass; the gradients are those at the new values", "多一次前向计算；得到的是新值处的梯度")
_OTHER = Text("the gradients are those at the new values", "得到的是新值处的梯度")
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
        if any(isinstance(each, ast.Return | ast.Delete | ast.Global | ast.Nonlocal) for one in affected for each in ast.walk(one)):
            continue
        stays = _staying(affected, block[:last + 1])
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


def _is_simple(affected: Sequence[ast.stmt]) -> bool:
    """Whether it is known without a trial that running statements later gives their names the values that are meant."""
    names = [name for each in affected for name in _binds(each)]
    return (
        len(affected) <= _FEW
        and len(names) == len({*names})
        and all(isinstance(each, ast.Assign) and not _binds(each) & _reads(each) for each in affected)
        and not any(isinstance(node, ast.Attribute) and node.attr.endswith("_") for each in affected for node in ast.walk(each))
    )


def _affected(found: Crossing, last: int) -> list[ast.stmt]:
    """Returns the statements before the last update that the loss needs, and that depend on the updated parameters."""
    earlier = [each for each in found.block[: found.block.index(found.passes)] if each not in found.all_updates]
    parameters = {_key(each) for each in found.parameters}
    needed, slice_ = _reads(found.passes), list[ast.stmt]()
    for each in reversed(earlier):
        if not isinstance(each, ast.Expr) and _calls_backward(each):
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


def _key(name: str) -> str:
    """Returns the variable, or the attribute of `self`, at the root of a name: "net" of `net.0.weight`, "self.q" of `self.q.weight`."""
    parts = re.split(r"[.\[]", name)
    return ".".join(parts[:2]) if parts[0] == "self" else parts[0]


def _quoted(some: Sequence[ast.stmt], found: Crossing) -> Text:
    if not some:
        return Text("", "")
    if len(some) > _FEW or any(hasattr(each, "body") for each in some):
        return found.where.line(some[0].lineno, some[-1].end_lineno)
    codes = [f"`{found.program.text(each)}`" for each in some]
    *firsts, last = codes
    return Text(" and ".join(filter(None, (", ".join(firsts), last))), "、".join(codes))
