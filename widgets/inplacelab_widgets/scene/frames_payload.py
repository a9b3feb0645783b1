"""Packs what two programs side by side and several ranks side by side have in common: frames that one cursor plays."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.language import Text
from inplacelab_widgets.scene import Scene
from inplacelab_widgets.scene.comparison import Outline
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.payload_parts import Json, Pools
from inplacelab_widgets.scene.timeline import LEFT, RIGHT

__all__ = ["SAMPLE", "SIDE_PANELS", "WITHOUT_PANELS", "FramesPacker", "payload_of_side"]

SIDE_PANELS = ("code", "storages")
SAMPLE = "M4 3h24v14h-24z"
"""An outline, in a box of 32 by 20 px."""
WITHOUT_PANELS: Json = {
    "axis": {"left": LEFT, "right": RIGHT, "spacing": 0},
    "source": [],
    "panels": [],
    "threads": [],
    "elsewhere": {},
    "pages": [],
    "layouts": [],
    "tensors": [],
    "kept": [],
    "writes": [],
}
"""What the payload of one program says of its panels, of a whole that has none besides its sides."""
_OF_THE_WHOLE = ("keys", "marks", "story", "tables", "sharing", "predict", "title", "notes", "opens")
"""What the payload of a side has and only the whole shows."""


def payload_of_side(scene: Scene, panels: tuple[str, ...]) -> Json:
    """Returns the payload of a side with these panels, as a stepper has it, without what only the whole shows."""
    return {key: value for key, value in payload(scene, panels=panels).items() if key not in _OF_THE_WHOLE}


class FramesPacker:
    """Packs what is said and drawn at the positions of the cursor.

    Attributes:
        pools: the sentences, and what panels share.
        paths: the outlines so far, each with its number.
    """

    def __init__(self) -> None:
        self.pools = Pools()
        self.paths: dict[tuple[str, str, str], int] = {}

    def words(self, clause: Text, detail: Text) -> Json:
        """Returns what is said of a position."""
        return {"says": self.pools.says(clause)} | ({"detail": self.pools.says(detail)} if detail.en else {})

    def waits(self, said: Text | None) -> int:
        """Returns what is said of a side that does nothing; -1 if it does something."""
        return -1 if said is None else self.pools.says(said)

    def outlines(self, outlines: Iterable[Outline]) -> list[int]:
        """Returns the outlines in a side: [group, paths, group, paths, ...]."""
        found: list[int] = []
        for each in outlines:
            paths = each.around, each.grounds, each.signs
            found += (each.group, self.paths.setdefault(paths, len(self.paths)))
        return found
