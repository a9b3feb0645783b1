"""The widget of two recordings side by side, with one cursor.

>>> from inplacelab_widgets import compare  # doctest: +SKIP
>>> compare(in_place, out_of_place)  # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inplacelab.recording.recording import Recording
from inplacelab_widgets import comparison_exports as exports
from inplacelab_widgets.frames_widget import FramesWidget
from inplacelab_widgets.gc_paused import gc_paused
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
