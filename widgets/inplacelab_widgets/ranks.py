"""The widget of several ranks side by side, with one cursor and an axis on which collectives link them.

>>> from inplacelab_widgets import show_ranks  # doctest: +SKIP
>>> show_ranks([of_rank_0, of_rank_1])  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import traitlets

from inplacelab.recording.recording import Recording
from inplacelab_widgets import ranks_exports as exports
from inplacelab_widgets.frames_widget import FramesWidget
from inplacelab_widgets.gc_paused import gc_paused
from inplacelab_widgets.scene.ranks import RanksScene, ranks_scene
from inplacelab_widgets.scene.ranks_payload import ranks_payload

__all__ = ["RanksView", "show_ranks"]


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
        return exports.svg_of(self._scene, language or self.language, step)

    def to_html(self, path: str | Path | None = None, *, language: str | None = None) -> str:
        """Returns a page that plays all ranks offline, and writes it to `path` if given."""
        page = exports.html_of(self._scene, language or self.language)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def to_text(self, language: str | None = None) -> str:
        """Returns what it comes to, the collectives, and where parameters begin to differ."""
        return exports.text_of(self._scene, language or self.language)

    def __repr__(self) -> str:
        return (
            f"RanksView({self._scene.title!r}, ranks={len(self._scene.scenes)}, steps={self.n_steps}, step={self.step})"
        )

    def _static_copy(self) -> dict[str, str]:
        with gc_paused():
            return {"text/plain": repr(self), "text/html": exports.still_html_of(self._scene, self.language)}
