"""`KernelView`, the notebook widget that shows kernel launches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import traitlets
from ipywidgets import jslink

from inplacelab.kernels import geometry
from inplacelab.language import get_language
from inplacelab_widgets import player_bundle
from inplacelab_widgets.launch_pictures import formats
from inplacelab_widgets.launch_pictures.blocks import MOST, MOST_OF_ALL, Picks, picks_of
from inplacelab_widgets.launch_pictures.formats import payload, title_of
from inplacelab_widgets.launch_pictures.launches import Pick, ShownLaunch, fitted, shown_launches
from inplacelab_widgets.live_widget import LiveWidget
from inplacelab_widgets.page import packed_json
from inplacelab_widgets.scene.payload_parts import Json
from inplacelab_widgets.sharing import png, written
from inplacelab_widgets.stepper import View

__all__ = ["KernelView"]


class KernelView(LiveWidget):
    """Shows a kernel launch: its blocks, warps and threads, the slots that a picked thread touches, and the cost of its warp.

    Memory is accessed in sectors of 32 bytes. The picture shows which sectors the 32 threads of a warp need, and how much of
    them is used: threads on neighboring slots share sectors ("coalesced"), threads on distant slots need a sector each.

    Every thread of a small launch is drawn in advance. Of a larger one, some blocks, warps and turns are, and the view lists
    them. A thread that is picked from Python (`view.block = 300`) is drawn with its neighbors if it was not yet.

    Args:
        shown: a launch; several launches; a recording, for all of its launches; or a `Stepper` or another view, for the
            launches of the step that it shows.
        launch: the number of the launch to show, from 0.
        block: the picked block, counted within the grid.
        thread: the picked thread, counted within its block.
        turn: the turn of the thread, from 0, where it takes several elements one after the other.
        index: for a scatter without a recording, the slot that each element goes to.
        traits: initial values of other traits.

    Raises:
        ValueError: if there is no such launch, block, thread or turn.

    >>> from inplacelab import kernels  # doctest: +SKIP
    >>> with kernels.launches() as seen:  # doctest: +SKIP
    ...     kernels.run("relu_", x)
    >>> KernelView(seen, thread=37)  # doctest: +SKIP
    """

    _esm = player_bundle.packed_javascript()

    launch = traitlets.Int(0, help="Which of the launches is shown, from 0.").tag(sync=True)
    block = traitlets.Int(0, help="The picked block, counted within the grid.").tag(sync=True)
    thread = traitlets.Int(0, help="The picked thread, counted within its block.").tag(sync=True)
    turn = traitlets.Int(0, help="The picked turn of the thread, from 0.").tag(sync=True)
    step = traitlets.Int(-1, help="The step whose launches are shown; -1 for all launches there are.").tag(sync=True)
    _payload = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        shown: Any,
        launch: int = 0,
        *,
        block: int = 0,
        thread: int = 0,
        turn: int = 0,
        index: Sequence[int] | None = None,
        **traits: Any,
    ) -> None:
        other = shown if isinstance(shown, View) else None
        self._shown = shown_launches(other.recording if other else shown, index)
        shared = {"step": other.step, "language": other.language} if other else {"language": get_language()}
        self._check(launch, Pick(block, thread, turn), follows=other is not None)
        given = {"launch": launch, "block": block, "thread": thread, "turn": turn, **shared, **traits}
        self._picks: tuple[Picks, ...] = ()
        super().__init__(**given)
        self._draw(self._picked_of_each())
        # In the browser, so that it works without a Python process, too.
        self._links = [jslink((other, name), (self, name)) for name in ("step", "language")] if other else []

    def _picked_of_each(self) -> list[Pick]:
        """The thread that is shown for each launch: the picked one, or the nearest that it has."""
        return [fitted(each, Pick(self.block, self.thread, self.turn)) for each in self._shown]

    def _draw(self, picked: Sequence[Pick]) -> None:
        most = min(MOST, MOST_OF_ALL // max(1, len(self._shown)))
        pairs = zip(self._shown, picked, strict=True)
        self._picks = tuple(picks_of(shown, pick, most) for shown, pick in pairs)
        self._payload = packed_json(self._sent())

    def _sent(self) -> Json:
        return payload(list(zip(self._shown, self._picks, strict=True)))

    @traitlets.observe("launch", "block", "thread", "turn")
    def _draw_what_is_not_drawn(self, _change: Any) -> None:
        picked = self._picked_of_each()
        now = self._now
        if now is None or not self._picks:
            return
        number = self._shown.index(now)
        if not self._picks[number].has(picked[number]):
            self._draw(picked)

    def _check(self, launch: int, pick: Pick, *, follows: bool) -> None:
        if not self._shown and not follows:
            raise ValueError("there is no launch to show")
        if not self._shown:
            return
        if not 0 <= launch < len(self._shown):
            raise ValueError(f"there is no launch {launch}: there are {len(self._shown)}, counted from 0")
        if fitted(self._shown[launch], pick) != pick:
            ran = self._shown[launch].launch
            turns = geometry.turns(ran) if self._shown[launch].drawable else 1
            raise ValueError(
                f"there is no block {pick.block} with a thread {pick.thread} and a turn {pick.turn}: the launch has "
                f"{ran.blocks} blocks of {ran.threads} threads with {turns} turns, counted from 0"
            )

    @property
    def _now(self) -> ShownLaunch | None:
        """The launch that is shown: the chosen one if it belongs to the step, otherwise the step's first."""
        there = [each for each in self._shown if self.step < 0 or each.step == self.step]
        chosen = self._shown[self.launch] if self.launch < len(self._shown) else None
        return chosen if chosen in there else there[0] if there else None

    def _pick(self, block: int | None, thread: int | None, turn: int | None) -> Pick:
        given = Pick(
            self.block if block is None else block,
            self.thread if thread is None else thread,
            self.turn if turn is None else turn,
        )
        return fitted(self._now, given) if self._now else given

    def to_svg(
        self,
        thread: int | None = None,
        *,
        block: int | None = None,
        turn: int | None = None,
        language: str | None = None,
    ) -> str:
        """Returns a still picture as SVG text, with the given thread picked.

        Args:
            thread: the thread, counted within its block; the picked one if not given.
            block: the block, counted within the grid; the picked one if not given.
            turn: the turn, from 0; the picked one if not given.
            language: "en" or "zh"; that of the view if not given.
        """
        return formats.svg(self._now, self._pick(block, thread, turn), language or self.language)

    def to_png(self, path: str | Path | None = None, *, scale: float = 2, language: str | None = None) -> bytes:
        """Returns the same picture as PNG; needs the extra `png`. See `inplacelab_widgets.to_png`."""
        chosen = language or self.language
        drawn = png(self.to_svg(language=chosen), scale, chosen)
        return written(drawn, path)

    def to_html(self, path: str | Path | None = None, *, language: str | None = None) -> str:
        """Returns an HTML page on which threads can be picked, offline."""
        traits = {
            "launch": self.launch,
            "block": self.block,
            "thread": self.thread,
            "turn": self.turn,
            "step": self.step,
        }
        title = self._now.launch.kernel if self._now else "KernelView"
        page = formats.page(self._sent(), language or self.language, title, traits)
        if path is not None:
            Path(path).write_text(page, encoding="utf-8")
        return page

    def to_text(self, language: str | None = None) -> str:
        """Returns the picture and its tables as plain text."""
        return formats.plain(self._now, self._pick(None, None, None), language or self.language)

    def __repr__(self) -> str:
        titles = ", ".join(repr(title_of(each).en) for each in self._shown)
        return f"KernelView({titles}, block={self.block}, thread={self.thread})"

    def _static_copy(self) -> dict[str, str]:
        """The static copy: a picture, its tables, and a line of text that does not change between runs."""
        pick = self._pick(None, None, None)
        return {
            "text/plain": repr(self),
            "text/html": formats.html(self._now, pick, self.language),
        }
