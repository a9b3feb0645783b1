"""Collects all marks of a launch with a picked thread, in layers."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.kernels import geometry
from inplacelab.language import Text
from inplacelab_widgets.kernel.blocks import (
    beam_marks,
    block_hits,
    block_marks,
    grid_hits,
    grid_marks,
    picked_thread,
)
from inplacelab_widgets.kernel.drawing import LEFT, PANEL, PANELS, Drawn, Layers, grouped, text
from inplacelab_widgets.kernel.formulas import share_of
from inplacelab_widgets.kernel.launches import ShownLaunch
from inplacelab_widgets.kernel.picks import Picks
from inplacelab_widgets.kernel.strips import cost_of, strip_hits, strip_of_thread, strip_of_warp
from inplacelab_widgets.kernel.warp_accesses import Pick, warp_requests
from inplacelab_widgets.kernel.words import PICKED


def picked_marks(shown: ShownLaunch, pick: Pick) -> list[Drawn]:
    """Returns the marks that depend on the pick, for a still picture, which has the sentence among its marks."""
    layers = [*warp_layers(shown, pick).values(), *thread_layers(shown, pick).values()]
    return [*(each for layer in layers for each in layer), text(LEFT, PANELS - 8, "bold", sentence_of(shown, pick))]


def warp_layers(shown: ShownLaunch, pick: Pick) -> Layers:
    """Returns the marks that are the same for all threads of the picked warp in the picked turn."""
    launch = shown.launch
    layers = {
        "beams": beam_marks(launch, pick),
        "grid": grid_marks(launch, pick),
        "block": block_marks(launch, pick),
    }
    for request in warp_requests(shown, pick):
        layers |= _of_operand(request.operand, strip_of_warp(shown, pick, request))
    return layers


def thread_layers(shown: ShownLaunch, pick: Pick) -> Layers:
    """Returns the marks of the picked thread alone. They are in front."""
    layers = {"thread": picked_thread(shown.launch, pick)}
    for request in warp_requests(shown, pick):
        layers |= _of_operand(request.operand, strip_of_thread(shown, pick, request))
    return layers


def hit_layers(shown: ShownLaunch, pick: Pick, picks: Picks) -> Layers:
    """Returns the click areas that pick another thread, and the threads that cannot be picked, faint."""
    layers = {
        "blocks": grid_hits(shown.launch, pick, picks.blocks),
        "threads": block_hits(shown.launch, pick, picks.warps),
    }
    for request in warp_requests(shown, pick):
        layers |= _of_operand(request.operand, {"hits": strip_hits(shown, pick, request)})
    return layers


def _of_operand(operand: int, layers: Layers) -> Layers:
    return {f"{name} of {operand}": layer for name, layer in layers.items()}


def sentence_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the sentence about the work of the thread, with its turn if there are several."""
    share, turns = share_of(shown, pick), geometry.turns(shown.launch)
    if turns == 1:
        return share
    turn = PICKED["turn"].format(turn=grouped(pick.turn + 1), turns=grouped(turns))
    return turn + Text(". ", "：") + share


def description_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns the picture in a few sentences, for a screen reader."""
    return _joined([sentence_of(shown, pick), costs_of(shown, pick)])


def costs_of(shown: ShownLaunch, pick: Pick) -> Text:
    """Returns what the requests of a warp cost, a sentence for each operand."""
    names = [operand.name for operand in shown.launch.operands]
    return _joined(
        [
            Text(f"{names[request.operand]}: ", f"{names[request.operand]}：") + cost_of(request) + Text(".", "。")
            for request in warp_requests(shown, pick)
        ]
    )


def _joined(parts: Sequence[Text]) -> Text:
    return Text(" ".join(part.en for part in parts if part.en), "".join(part.zh for part in parts))


def height_of(shown: ShownLaunch) -> float:
    """Returns the height of the marks, in px."""
    return PANELS + PANEL * len(shown.launch.operands)
