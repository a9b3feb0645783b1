"""Assembles the marks of a launch with a picked thread, and their height."""

from __future__ import annotations

from inplacelab.devices.kernels import geometry
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
from inplacelab_widgets.kernel.launches import Shown
from inplacelab_widgets.kernel.picks import Picks
from inplacelab_widgets.kernel.strips import cost_of, strip_hits, strip_of_thread, strip_of_warp
from inplacelab_widgets.kernel.warp_accesses import Pick, served
from inplacelab_widgets.kernel.words import PICKED


def picked_marks(shown: Shown, pick: Pick) -> list[Drawn]:
    """Draws what depends on the pick, for a picture without a sentence above it."""
    layers = [*warp_layers(shown, pick).values(), *thread_layers(shown, pick).values()]
    return [
        *(each for layer in layers for each in layer),
        text(LEFT, PANELS - 8, "bold", work_description(shown, pick)),
    ]


def warp_layers(shown: Shown, pick: Pick) -> Layers:
    """Draws what is the same for all threads of the picked warp in the picked turn."""
    launch = shown.launch
    layers = {
        "beams": beam_marks(launch, pick),
        "grid": grid_marks(launch, pick),
        "block": block_marks(launch, pick),
    }
    for asked in served(shown, pick):
        layers |= _of_operand(asked.operand, strip_of_warp(shown, pick, asked))
    return layers


def thread_layers(shown: Shown, pick: Pick) -> Layers:
    """Draws what belongs to the picked thread alone, in front of the rest."""
    layers = {"thread": picked_thread(shown.launch, pick)}
    for asked in served(shown, pick):
        layers |= _of_operand(asked.operand, strip_of_thread(shown, pick, asked))
    return layers


def hit_layers(shown: Shown, pick: Pick, picks: Picks) -> Layers:
    """Makes the click targets, and fades what cannot be picked."""
    layers = {
        "blocks": grid_hits(shown.launch, pick, picks.blocks),
        "threads": block_hits(shown.launch, pick, picks.warps),
    }
    for asked in served(shown, pick):
        layers |= _of_operand(asked.operand, {"hits": strip_hits(shown, pick, asked)})
    return layers


def _of_operand(operand: int, layers: Layers) -> Layers:
    return {f"{name} of {operand}": layer for name, layer in layers.items()}


def work_description(shown: Shown, pick: Pick) -> Text:
    """Describes the thread's work, and its turn if there are several."""
    share, turns = share_of(shown, pick), geometry.turns(shown.launch)
    if turns == 1:
        return share
    turn = PICKED["turn"].format(turn=grouped(pick.turn + 1), turns=grouped(turns))
    return turn + Text(". ", "：") + share


def picture_description(shown: Shown, pick: Pick) -> Text:
    """Describes the picture in a few sentences, for screen readers."""
    parts = [work_description(shown, pick)]
    for asked in served(shown, pick):
        name = shown.launch.operands[asked.operand].name
        parts.append(Text(f"{name}: ", f"{name}：") + cost_of(asked) + Text(".", "。"))
    return Text(" ".join(part.en for part in parts), "".join(part.zh for part in parts))


def height_of(shown: Shown) -> float:
    """Returns the height of the marks, in px."""
    return PANELS + PANEL * len(shown.launch.operands)
