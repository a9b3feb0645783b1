"""The facts of a launch and of a picked thread, as tables."""

from __future__ import annotations

from typing import NamedTuple

from inplacelab.devices.kernels.geometry import WARP
from inplacelab.language import Text
from inplacelab_widgets.kernel import words
from inplacelab_widgets.kernel.drawing import grouped
from inplacelab_widgets.kernel.fixed_marks import counted, device_of
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.strips import share_used
from inplacelab_widgets.kernel.totals import totals, why_not_counted
from inplacelab_widgets.kernel.warp_accesses import Lane, Pick, WarpRequest, warp_requests
from inplacelab_widgets.kernel.words import PICKED
from inplacelab_widgets.scene.text_layout import Words


class Table(NamedTuple):
    """A table: its caption, the heads of its columns, and its rows."""

    caption: Text
    heads: tuple[Words, ...]
    rows: tuple[tuple[Words, ...], ...]


def facts_table(shown: ShownLaunch) -> Table:
    """Returns the table of the facts of a launch."""
    launch, found, names = shown.launch, totals(shown), words.FACT_NAMES
    unknown = why_not_counted(shown)
    rows: tuple[tuple[Words, ...], ...] = (
        (names["kernel"], launch.kernel),
        (names["kind"], words.KINDS.get(launch.kind, words.KINDS["library"])),
        (names["grid"], counted(launch.grid)),
        (names["threads"], counted(launch.block)),
        (names["width"], str(launch.width)),
        (names["device"], device_of(shown)),
        (names["read"], grouped(found.read)),
        (names["written"], grouped(found.written)),
        (names["requested"], unknown if found.requested is None else grouped(found.requested)),
    )
    return Table(words.FACTS, (), rows)


def picked_tables(shown: ShownLaunch, pick: Pick) -> list[Table]:
    """Returns the tables of the picked warp's requests and of the slots that each of its threads touches."""
    of_warp = warp_requests(shown, pick)
    heads = tuple(
        PICKED[name] for name in ("operand", "does", "taking_part", "wanted", "sectors", "requested", "share")
    )
    requests = Table(PICKED["requests"], heads, tuple(_request(shown, each) for each in of_warp))
    first = pick.thread // WARP * WARP
    touched = [{lane.lane: lane for lane in each.lanes} for each in of_warp]
    rows = tuple(
        (str(first + lane), *(_slots(of, lane) for of in touched))
        for lane in range(min(WARP, shown.launch.threads - first))
    )
    names = tuple(PICKED["slots_of"].format(name=each.name) for each in shown.launch.operands)
    return [requests, Table(PICKED["threads"], (PICKED["thread"], *names), rows)]


def _request(shown: ShownLaunch, request: WarpRequest) -> tuple[Words, ...]:
    kinds = [PICKED[kind] for kind in request.kinds]
    comma = PICKED["comma"]
    does = Text(comma.en.join(each.en for each in kinds), comma.zh.join(each.zh for each in kinds))
    share = f"{share_used(request)} %" if request.sectors else ""
    counts = (str(n) for n in (len(request.lanes), request.wanted, len(request.sectors), request.requested))
    return shown.launch.operands[request.operand].name, does, *counts, share


def _slots(touched: dict[int, Lane], lane: int) -> str:
    found = touched.get(lane)
    if found is None:
        return ""
    _, slot, slots = found
    return str(slot) if slots == 1 else f"{slot}–{slot + slots - 1}"
