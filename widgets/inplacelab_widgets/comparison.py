"""The widget of two recordings side by side, with one cursor.

>>> from inplacelab_widgets import compare  # doctest: +SKIP
>>> compare(in_place, out_of_place)  # doctest: +SKIP
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import traitlets

from inplacelab.language import get_language
from inplacelab.recording.recording import Recording
from inplacelab_widgets import comparison_exports as exports
from inplacelab_widgets.gc_paused import gc_paused
from inplacelab_widgets.live_widget import LiveWidget
from inplacelab_widgets.packing import packed_json
from inplacelab_widgets.panel_views import MOST_BYTES
from inplacelab_widgets.player_bundle import packed_javascript
from inplacelab_widgets.scene.comparison import ComparisonScene, comparison_of
from inplacelab_widgets.scene.comparison_payload import comparison_payload

__all__ = ["Comparison", "compare"]


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


class Comparison(LiveWidget):
    """Two recordings in frames with their verdicts, played by one cursor. `compare` documents its arguments."""

    _esm = packed_javascript(compares=True)

    step = traitlets.Int(0, help="The position shown, counted from 0.").tag(sync=True)
    n_steps = traitlets.Int(0, read_only=True, help="How many positions there are.").tag(sync=True)
    mode = traitlets.Enum(
        ("event", "line"), "line", help="What the arrow keys and the slider step by: 'event' or 'line'."
    ).tag(sync=True)
    _payload = traitlets.Unicode(help="The whole payload if it is small, otherwise a note that it comes later.").tag(
        sync=True
    )

    def __init__(self, left: Any, right: Any, step: int | None = None, **traits: Any) -> None:
        with gc_paused():
            self._scene: ComparisonScene = comparison_of(_recording_of(left), _recording_of(right))
        self.set_trait("n_steps", len(self._scene.comparison.alignment.positions))
        given = {"language": get_language(), "step": self._scene.key_position if step is None else step} | traits
        super().__init__(**given)
        self._payload = (
            self._whole if len(self._whole) <= MOST_BYTES else packed_json({"only": self.step, "later": True})
        )
        self.on_msg(self._answer)

    @cached_property
    def _whole(self) -> str:
        with gc_paused():
            return packed_json(comparison_payload(self._scene))

    def _answer(self, _widget: Any, content: Any, _buffers: Any) -> None:
        """Sends the whole payload as a message, which no notebook saves. The player asks for it."""
        if content == {"want": "whole"}:
            self.send({"whole": self._whole})

    @property
    def recordings(self) -> tuple[Recording, Recording]:
        """The recordings that are shown, as they can be presented."""
        return self._scene.left.recording, self._scene.right.recording

    @property
    def conclusion(self) -> str:
        """What the comparison comes to, in one clause."""
        return self._scene.conclusion.in_language(self.language)

    @traitlets.validate("step")
    def _existing_step(self, proposal: Any) -> int:
        step, count = int(proposal["value"]), self.n_steps
        if not -count <= step < count:
            raise traitlets.TraitError(f"there is no step {step}: this comparison has {count} steps, 0 to {count - 1}")
        return step % count

    def to_svg(self, step: int | None = None, language: str | None = None) -> str:
        """Returns one step, by default the most telling one, as an SVG picture 848 px wide."""
        return exports.svg_of(self._scene, language or self.language, self._position(step))

    def to_png(
        self, step: int | None = None, path: str | Path | None = None, *, scale: float = 2, language: str | None = None
    ) -> bytes:
        """Returns the same picture as PNG, and writes it to `path` if given; needs the extra `png`."""
        drawn = exports.png_of(self._scene, language or self.language, self._position(step), scale=scale)
        return _written(drawn, path)

    def to_card(self, step: int | None = None, path: str | Path | None = None, *, language: str | None = None) -> bytes:
        """Returns a step as a PNG of 1200 x 675 pixels, to be shared, and writes it to `path` if given; needs the extra `png`."""
        return _written(exports.card_of(self._scene, language or self.language, self._position(step)), path)

    def to_gif(
        self, path: str | Path | None = None, *, seconds: float | None = None, language: str | None = None
    ) -> bytes:
        """Returns the steps as an animation of 1200 x 675 pixels, and writes it to `path` if given; needs the extra `share`."""
        return _written(exports.gif_of(self._scene, language or self.language, seconds=seconds), path)

    def to_html(self, path: str | Path | None = None, *, language: str | None = None) -> str:
        """Returns a page that plays both programs offline, and writes it to `path` if given."""
        page = exports.html_of(self._scene, language or self.language)
        _written(page.encode(), path)
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


def _written(file: bytes, path: str | Path | None) -> bytes:
    if path is not None:
        Path(path).write_bytes(file)
    return file
