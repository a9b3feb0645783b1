"""All marks of a launch with a picked thread, and the height that they need. `scene.js` puts the same ones together."""

from __future__ import annotations

from inplacelab.devices.kernels import geometry
from inplacelab.language import Text
from inplacelab_widgets.kernel.blocks import beam_marks, block_marks, grid_marks
from inplacelab_widgets.kernel.drawing import LEFT, PANEL, PANELS, Drawn, grouped, text
from inplacelab_widgets.kernel.formulas import share_of
from inplacelab_widgets.kernel.pick import Pick, served
from inplacelab_widgets.kernel.shown import Shown
from inplacelab_widgets.kernel.strips import cost_of, strip_marks
from inplacelab_widgets.kernel.words import PICKED


def picked_marks(shown: Shown, pick: Pick) -> list[Drawn]:
    """What depends on the pick."""
    launch = shown.launch
    marks = [
        *beam_marks(launch, pick),
        *grid_marks(launch, pick),
        *block_marks(launch, pick),
        text(LEFT, PANELS - 8, "bold", said_of(shown, pick)),
    ]
    for asked in served(shown, pick):
        marks += strip_marks(shown, pick, asked, PANELS + asked.operand * PANEL)
    return marks


def said_of(shown: Shown, pick: Pick) -> Text:
    """What the thread has to do; and in which turn, if there are several."""
    share, turns = share_of(shown, pick), geometry.turns(shown.launch)
    if turns == 1:
        return share
    turn = PICKED["turn"].format(turn=grouped(pick.turn + 1), turns=grouped(turns))
    return turn + Text(". ", "：") + share


def spoken(shown: Shown, pick: Pick) -> Text:
    """The picture in a few sentences, for those who do not see it."""
    parts = [said_of(shown, pick)]
    for asked in served(shown, pick):
        name = shown.launch.operands[asked.operand].name
        parts.append(Text(f"{name}: ", f"{name}：") + cost_of(asked) + Text(".", "。"))
    return Text(" ".join(part.en for part in parts), "".join(part.zh for part in parts))


def height_of(shown: Shown) -> float:
    """How high the marks reach."""
    return PANELS + PANEL * len(shown.launch.operands)
