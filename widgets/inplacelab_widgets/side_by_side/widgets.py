"""The widgets of two recordings, or of several ranks, side by side, with one cursor.

>>> from inplacelab_widgets import compare, show_ranks  # doctest: +SKIP
>>> compare(in_place, out_of_place)  # doctest: +SKIP
>>> show_ranks([of_rank_0, of_rank_1])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import traitlets

from inplacelab.gc_pause import gc_paused
from inplacelab.language import get_language
from inplacelab.recording.recording import Recording
from inplacelab_widgets.live_widget import LiveWidget, folded
from inplacelab_widgets.page import packed_json
from inplacelab_widgets.player_bundle import packed_javascript
from inplacelab_widgets.scene.payload_parts import Json
from inplacelab_widgets.sharing import written
from inplacelab_widgets.side_by_side import exports
from inplacelab_widgets.side_by_side.comparison import ComparisonScene, comparison_of
from inplacelab_widgets.side_by_side.payload import comparison_payload, ranks_payload
from inplacelab_widgets.side_by_side.ranks import RanksScene, ranks_scene
from inplacelab_widgets.stepper import MOST_BYTES

__all__ = ["Comparison", "FramesWidget", "RanksView", "compare", "show_ranks"]


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
        self,
        scene: ComparisonScene | RanksScene,
        n_steps: int,
        payload: Callable[[], Json],
        step: int | None,
        **traits: Any,
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


def compare(left: Any, right: Any, step: int | None = None, **traits: Any) -> Comparison:
    """Shows two programs side by side: locked step by step, aligned by line, with what differs outlined.

    Args:
        left: a recording, or what has one: a stepper, or a `record` block.
        right: the other one; it may be of another framework.
        step: the position of the common cursor to open at, counted from 0; negative numbers count from the end. By default the most telling
            one: where values, versions or sharing first differ.
        traits: initial values of other traits of `Comparison`.

    Returns:
        The widget.

    Raises:
        TypeError: if one of the two is no recording and has none.
        ValueError: if a recording has no steps.
        traitlets.TraitError: if there is no such step.

    >>> compare(in_place, out_of_place)  # doctest: +SKIP
    """
    return Comparison(left, right, step, **traits)


class Comparison(FramesWidget):
    """Two recordings in frames with their verdicts, played by one cursor. `compare` documents its arguments."""

    def __init__(self, left: Any, right: Any, step: int | None = None, **traits: Any) -> None:
        with gc_paused():
            self._scene: ComparisonScene = comparison_of(_recording_of(left), _recording_of(right))
        count = len(self._scene.comparison.alignment.positions)
        super().__init__(self._scene, count, lambda: comparison_payload(self._scene), step, **traits)

    @property
    def recordings(self) -> tuple[Recording, Recording]:
        """The recordings that are shown, as they can be presented."""
        return self._scene.left.recording, self._scene.right.recording

    def to_svg(self, step: int | None = None, language: str | None = None) -> str:
        """Returns one step, by default the most telling one, as an SVG picture 848 px wide."""
        return exports.svg_of(self._scene, language or self.language, self._position(step))

    def to_png(
        self, step: int | None = None, path: str | Path | None = None, *, scale: float = 2, language: str | None = None
    ) -> bytes:
        """Returns the same picture as PNG, and writes it to `path` if given; needs the extra `png`."""
        drawn = exports.png_of(self._scene, language or self.language, self._position(step), scale=scale)
        return written(drawn, path)

    def to_card(self, step: int | None = None, path: str | Path | None = None, *, language: str | None = None) -> bytes:
        """Returns a step as a PNG of 1200 x 675 pixels, to be shared, and writes it to `path` if given; needs the extra `png`."""
        return written(exports.card_of(self._scene, language or self.language, self._position(step)), path)

    def to_gif(
        self, path: str | Path | None = None, *, seconds: float | None = None, language: str | None = None
    ) -> bytes:
        """Returns the steps as an animation of 1200 x 675 pixels, and writes it to `path` if given; needs the extra `share`."""
        return written(exports.gif_of(self._scene, language or self.language, seconds=seconds), path)

    def to_html(self, path: str | Path | None = None, *, language: str | None = None) -> str:
        """Returns a page that plays both programs offline, and writes it to `path` if given."""
        page = exports.html_of(self._scene, language or self.language)
        written(page.encode(), path)
        return page

    def to_text(self, language: str | None = None) -> str:
        """Returns what the comparison comes to, and line by line where the programs begin to differ."""
        return exports.text_of(self._scene, language or self.language)

    def to_markdown(self, language: str | None = None) -> str:
        """Returns the same as Markdown."""
        return exports.markdown_of(self._scene, language or self.language)

    def _position(self, step: int | None) -> int | None:
        """A position counted from 0.

        Raises:
            IndexError: if there is no such position.
        """
        if step is not None and not -self.n_steps <= step < self.n_steps:
            raise IndexError(f"there is no step {step}: this comparison has {self.n_steps} steps")
        return None if step is None else step % self.n_steps

    def __repr__(self) -> str:
        left, right = (each.title for each in self.recordings)
        return f"Comparison({left!r}, {right!r}, steps={self.n_steps}, step={self.step})"

    def _static_copy(self) -> dict[str, str]:
        with gc_paused():
            return {
                "text/plain": repr(self),
                "text/html": exports.still_html_of(self._scene, self.language, exports.MOST_SAVED - len(self._payload)),
            }


def _recording_of(shown: Any) -> Recording:
    found = getattr(shown, "recording", shown)
    if not isinstance(found, Recording):
        raise TypeError(
            f"compare shows two recordings, not {type(shown).__name__}: record a program with %%stepper --name"
        )
    return found


def show_ranks(recordings: Sequence[Recording], step: int | None = None, **traits: Any) -> RanksView:
    """Shows the ranks of a program side by side: on one axis of steps, linked by their collectives, with parameters that differ outlined.

    Args:
        recordings: one of each rank, in their order; at least two.
        step: the position of the common cursor to open at, counted from 0; negative numbers count from the end. By default the most telling
            one: where parameters begin to differ.
        traits: initial values of other traits of `RanksView`.

    Returns:
        The widget.

    Raises:
        ValueError: if there are fewer than two recordings, one of them has no steps, or they are not in the order of the ranks.
        traitlets.TraitError: if there is no such step.

    >>> show_ranks([of_rank_0, of_rank_1])  # doctest: +SKIP
    """
    return RanksView(recordings, step, **traits)


class RanksView(FramesWidget):
    """The recordings of several ranks in frames, played by one cursor. `show_ranks` documents its arguments."""

    mode = traitlets.Enum(
        ("event", "line"), "event", help="What the arrow keys and the slider step by: 'event' or 'line'."
    ).tag(sync=True)

    def __init__(self, recordings: Sequence[Recording], step: int | None = None, **traits: Any) -> None:
        if len(recordings) < 2:
            raise ValueError(
                f"show_ranks needs the recordings of at least two ranks, and there are {len(recordings)}; show one with Stepper"
            )
        with gc_paused():
            self._scene: RanksScene = ranks_scene(recordings)
        count = len(self._scene.alignment.positions)
        super().__init__(self._scene, count, lambda: ranks_payload(self._scene), step, **traits)

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """The recordings that are shown."""
        return self._scene.alignment.recordings

    def to_svg(self, step: int | None = None, language: str | None = None) -> str:
        """Returns one step, by default the most telling one, as an SVG picture."""
        return exports.ranks_svg_of(self._scene, language or self.language, step)

    def to_html(self, path: str | Path | None = None, *, language: str | None = None) -> str:
        """Returns a page that plays all ranks offline, and writes it to `path` if given."""
        page = exports.ranks_html_of(self._scene, language or self.language)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def to_text(self, language: str | None = None) -> str:
        """Returns what it comes to, the collectives, and where parameters begin to differ."""
        return exports.ranks_text_of(self._scene, language or self.language)

    def __repr__(self) -> str:
        return (
            f"RanksView({self._scene.title!r}, ranks={len(self._scene.scenes)}, steps={self.n_steps}, step={self.step})"
        )

    def _static_copy(self) -> dict[str, str]:
        with gc_paused():
            still = exports.ranks_still_html_of(self._scene, self.language)
            if not self._tells_ahead:
                still = folded(still, self.language)
            return {"text/plain": repr(self), "text/html": still}
