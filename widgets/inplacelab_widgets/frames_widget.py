"""The widget that plays several recordings in frames with one cursor: what `Comparison` and `RanksView` have in common."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol

import traitlets

from inplacelab.language import Text, get_language
from inplacelab_widgets.gc_paused import gc_paused
from inplacelab_widgets.live_widget import LiveWidget
from inplacelab_widgets.packing import packed_json
from inplacelab_widgets.panel_views import MOST_BYTES
from inplacelab_widgets.player_bundle import packed_javascript
from inplacelab_widgets.scene.payload_parts import Json

__all__ = ["FramesWidget"]


class _Frames(Protocol):
    """The scene of several recordings."""

    @property
    def key_position(self) -> int: ...

    @property
    def conclusion(self) -> Text: ...


class FramesWidget(LiveWidget):
    """Several recordings in frames, played by one cursor.

    Args:
        scene: the recordings, laid out.
        n_steps: how many positions the cursor has.
        payload: returns all data that the player needs.
        step: the position to open at; None for the most telling one.
        traits: initial values of other traits.
    """

    _esm = packed_javascript(compares=True)

    step = traitlets.Int(0, help="The position shown, counted from 0.").tag(sync=True)
    n_steps = traitlets.Int(0, read_only=True, help="How many positions there are.").tag(sync=True)
    mode = traitlets.Enum(
        ("event", "line"), "line", help="What the arrow keys and the slider step by: 'event' or 'line'."
    ).tag(sync=True)
    _tells_ahead = traitlets.Bool(
        True,
        help="Whether the conclusion is shown before the reader has reached the end: not where a lesson asks what happens.",
    ).tag(sync=True)
    _payload = traitlets.Unicode(help="The whole payload if it is small, otherwise a note that it comes later.").tag(
        sync=True
    )

    def __init__(
        self, scene: _Frames, n_steps: int, payload: Callable[[], Json], step: int | None, **traits: Any
    ) -> None:
        self._frames, self._payload_of_scene = scene, payload
        self.set_trait("n_steps", n_steps)
        given = {"language": get_language(), "step": scene.key_position if step is None else step} | traits
        super().__init__(**given)
        self._payload = (
            self._whole if len(self._whole) <= MOST_BYTES else packed_json({"only": self.step, "later": True})
        )
        self.on_msg(self._answer)

    @cached_property
    def _whole(self) -> str:
        with gc_paused():
            return packed_json(self._payload_of_scene())

    def _answer(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Sends the whole payload as a message, which no notebook saves. The player asks for it."""
        if content == {"want": "whole"}:
            self.send({"whole": self._whole})

    @property
    def conclusion(self) -> str:
        """What it comes to, in one clause."""
        return self._frames.conclusion.in_language(self.language)

    @traitlets.validate("step")
    def _existing_step(self, proposal: Any) -> int:
        step, count = int(proposal["value"]), self.n_steps
        if not -count <= step < count:
            raise traitlets.TraitError(f"there is no step {step}: there are {count} steps, 0 to {count - 1}")
        return step % count
