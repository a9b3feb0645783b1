"""Writes out the index arithmetic of a picked thread, with its numbers."""

from __future__ import annotations

from inplacelab.kernels import geometry
from inplacelab.kernels.geometry import PASSES, TILE, Access, parts
from inplacelab.kernels.launch import Launch, Operand
from inplacelab.language import Text
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.warp_accesses import Pick, accesses_at
from inplacelab_widgets.kernel.words import PICKED


def share_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the sentence about the part of the work that the thread has in its turn."""
    launch = shown.launch
    done = accesses_at(shown, *pick)
    if not done:
        return PICKED["takes_none"].format(thread=pick.thread, block=pick.block)
    if launch.kind == "normalize":
        return _column(launch, pick)
    if launch.kind in ("transpose", "transpose_square"):
        return _in_tile(launch, pick, done[0])
    return _element(launch, pick)


def first_element(launch: Launch, pick: Pick) -> tuple[int, int, str]:
    """Return, for an element-wise kernel, the first element of the turn, how many there are, and the sum that gives the first."""
    written = launch.operands[-1] if launch.kind == "scatter_add" else geometry.target(launch)
    width, step = launch.width, launch.blocks * launch.threads
    packs = written.elements // width
    rounds = parts(packs, step)
    number = pick.block * launch.threads + pick.thread
    terms = f"{pick.block}·{launch.threads} + {pick.thread}"
    if pick.turn < rounds:
        terms += f" + {pick.turn}·{step}" if pick.turn else ""
        return (number + pick.turn * step) * width, width, f"({terms})·{width}" if width > 1 else terms
    late = pick.turn - rounds
    terms = f"{packs * width} + {terms}" + (f" + {late}·{step}" if late else "")
    return packs * width + number + late * step, 1, terms


def _element(launch: Launch, pick: Pick) -> Text:
    first, count, terms = first_element(launch, pick)
    facts = {"thread": pick.thread, "block": pick.block, "sum": terms, "first": first, "last": first + count - 1}
    return PICKED["takes_many" if count > 1 else "takes_one"].format(**facts)


def _column(launch: Launch, pick: Pick) -> Text:
    most = parts(launch.operands[0].shape[-1], launch.threads)
    k, rest = divmod(pick.turn, PASSES * most)
    done, j = divmod(rest, most)
    row = f"{pick.block} + {k}·{launch.blocks} = {pick.block + k * launch.blocks}" if k else f"{pick.block}"
    terms = f"{pick.thread} + {j}·{launch.threads}"
    column = pick.thread + j * launch.threads
    purpose = PICKED[("mean", "variance", "result")[done]]
    return PICKED["row"].format(
        block=pick.block, row=row, thread=pick.thread, sum=terms, column=column, purpose=purpose
    )


def _in_tile(launch: Launch, pick: Pick, first: Access) -> Text:
    """The thread's position in its tile; for a transpose, in the tile that it reads."""
    (a, b, _), (across, down, _) = geometry.position(launch, pick.thread), geometry.block_position(launch, pick.block)
    operand = launch.operand(first.operand)
    row, column = divmod((first.slot or 0) - operand.offset, operand.shape[-1])
    below = (row - b) % TILE
    rows = f"{row // TILE}·{TILE} + {b}" + (f" + {below}" if below else "")
    return PICKED["tile"].format(
        a=a, b=b, across=across, down=down, rows=rows, row=row, columns=f"{column // TILE}·{TILE} + {a}", column=column,
        name=operand.name,
    )  # fmt: skip


def slot_of(shown: ShownLaunch, pick: Pick, position: int) -> Text:
    """Returns the formula from the element of an operand that the thread touches to its slot."""
    launch = shown.launch
    operand = launch.operands[position]
    mine = [each for each in accesses_at(shown, *pick) if each.operand == operand.name]
    if not mine:
        return PICKED["untouched"]
    if mine[0].slot is None:
        return PICKED["somewhere"]
    if mine[0].kind == "adds":
        return PICKED["place"].format(element=first_element(launch, pick)[0], slot=mine[0].slot)
    whole_rows = launch.kind not in ("contiguous", "strided", "scatter_add")
    element = mine[0].slot - operand.offset if whole_rows else first_element(launch, pick)[0]
    index = geometry.index(operand.shape, element)
    facts = {
        "element": f"{operand.name}[{','.join(map(str, index))}]",
        "sum": _sum(operand, index),
        "slot": mine[0].slot,
        "last": mine[0].slot + mine[0].slots - 1,
    }
    return PICKED["slots" if mine[0].slots > 1 else "slot"].format(**facts)


def _sum(operand: Operand, index: tuple[int, ...]) -> str:
    """`offset + i·stride + ...`, without axes of size 1."""
    terms = [
        f" {'−' if stride < 0 else '+'} {i}·{abs(stride)}"
        for i, stride, size in zip(index, operand.strides, operand.shape, strict=True)
        if size != 1
    ]
    return f"{operand.offset}{''.join(terms)}"
