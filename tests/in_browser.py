"""Waiting helpers for tests in a browser. On a busy machine, what a program asked for a moment ago may not have happened yet.

A key or a click is answered before the next line of a test runs; a page unpacks its player, fills the screen, and scrolls, when
it finds time. So tests open pages by `open_page`, and wait for what they need; none waits for a time instead, except to see that
something does *not* happen. `make browser SLOW_BROWSER=1` shows who does not wait (`latency.js`).
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any

# Views that are put on a page by a test say that they are all there; on other pages there is one.
_PLAYS = "() => document.querySelector('.ipl') && (!document.getElementById('views') || window.closers)"

_PRESENTS = "() => document.fullscreenElement || document.querySelector('.ipl:popover-open')"
_PRESENTS_NO_MORE = "() => !document.fullscreenElement && !document.querySelector('.ipl-present, .ipl:popover-open')"

# Frames, not milliseconds: of those a busy machine paints fewer.
_STILL = """() => new Promise((done) => {
  const parts = '.ipl, .ipl-pane, .ipl-code';
  const placed = (part) => [part.scrollLeft, part.scrollTop, ...Object.values(part.getBoundingClientRect().toJSON())];
  const look = () => [...document.querySelectorAll(parts)].map(placed).join();
  let [before, alike] = [look(), 0];
  const frame = () => {
    const now = look();
    alike = now === before ? alike + 1 : 0;
    before = now;
    alike < 12 ? requestAnimationFrame(frame) : done();
  };
  requestAnimationFrame(frame);
})"""


def imported(player: str) -> str:
    """JavaScript that imports a player from its text, and binds `render`, which anywidget calls."""
    address = f"data:text/javascript;base64,{b64encode(player.encode()).decode()}"
    return f'const {{ render }} = (await import("{address}")).default;\n'


def open_page(page: Any, file: Path, at: str = "#step=1") -> None:
    """Open a page with a player on it, by default at the first step, and wait until it plays."""
    page.goto("about:blank")  # going to another step of the same page would not load it again
    page.goto(file.as_uri() + at)
    until_it_plays(page)


def until_it_plays(page: Any) -> None:
    """Until the page has unpacked its player: it is loaded before it plays."""
    page.wait_for_function(_PLAYS)


def until_still(page: Any) -> None:
    """Until nothing moves any more: panes have scrolled, and what follows their size has followed."""
    page.evaluate(_STILL)


def until_it_presents(page: Any) -> None:
    """Until the player fills the screen, or the page where it may not."""
    page.wait_for_function(_PRESENTS)
    until_still(page)


def until_it_presents_no_more(page: Any) -> None:
    """Until the player stands where it stood."""
    page.wait_for_function(_PRESENTS_NO_MORE)
    until_still(page)
