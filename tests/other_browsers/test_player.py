"""The player in browsers other than Chromium: what browsers have been found to do differently, and what every reader needs.

These run only on request: `make browser OTHER_BROWSERS=firefox`, or `"firefox webkit"`. All else is tested in Chromium.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab_widgets import to_html
from tests.other_browsers.firefox import firefox
from tests.other_browsers.webkit import webkit
from tests.other_browsers.window import MissingBrowserError, Window

pytestmark = pytest.mark.browser

BROWSERS = {"firefox": firefox, "webkit": webkit}
ASKED_FOR = os.environ.get("OTHER_BROWSERS", "").split() or ["none"]

AT = "document.querySelector('.ipl-counter').textContent"
PRESENTS = "document.fullscreenElement !== null"


@pytest.fixture(scope="module", params=ASKED_FOR)
def window(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Window]:
    """A window of each browser that is asked for, and is there."""
    name = request.param
    if name not in BROWSERS:
        pytest.skip("for other browsers say which: make browser OTHER_BROWSERS='firefox webkit'")
    with ExitStack() as stack:
        try:
            found = stack.enter_context(BROWSERS[name](tmp_path_factory.mktemp(name)))
        except MissingBrowserError as reason:
            pytest.skip(f"no {name}: {reason}")
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program with views, a history that is rewritten, and a backward pass that ends well."""
    with paddle.record("views") as run:
        a = paddle.to_tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]], stop_gradient=False)
        b = a * 2.0
        v = b[0]
        v.relu_()
        b.sum().backward()
    file = tmp_path_factory.mktemp("page") / "views.html"
    assert run.recording is not None
    to_html(run.recording, file)
    return file


@pytest.fixture
def player(window: Window, page: Path) -> Iterator[Window]:
    """The page as it is first seen; at last, nothing has gone wrong in it."""
    window.resize(848, 700)
    window.open(page.as_uri())
    window.until("document.querySelector('.ipl') !== null")
    # An event without an error only says that a page has changed its size while it was drawn.
    window.ask(
        "(window.wrong = [], addEventListener('error', ({ error }) => error && wrong.push(String(error))),"
        " addEventListener('unhandledrejection', ({ reason }) => wrong.push(String(reason))), 0)"
    )
    window.ask("document.querySelector('.ipl').focus()")
    window.until("document.hasFocus()")
    yield window
    assert window.ask("wrong") == []


def at_rest(player: Window, selector: str) -> Any:
    """Where an element is, and how large, once it has been there for some frames in a row."""
    return player.ask(
        "new Promise((done) => { let [before, alike] = ['', 0]; const look = () => {"
        f" const now = JSON.stringify(document.querySelector({selector!r}).getBoundingClientRect());"
        " alike = now === before ? alike + 1 : 0; before = now;"
        " alike < 12 ? requestAnimationFrame(look) : done(JSON.parse(now)); }; look(); })"
    )


def test_keys_step_through_the_page(player: Window) -> None:
    steps = int(player.until(AT).split("/")[1])
    player.press("Right", "Right")
    player.until(f"{AT} === '3 / {steps}'")
    player.press("Left")
    player.until(f"{AT} === '2 / {steps}'")
    before = player.ask("document.querySelector('[role=status]').textContent")
    player.press("End")
    player.until(f"{AT} === '{steps} / {steps}'")
    assert player.ask("document.querySelector('[role=status]').textContent") != before
    assert player.ask("document.querySelector('.ipl-code [aria-current]').textContent") == "5b.sum().backward()"


def test_pointing_at_a_slot_lights_up_who_shares_it(player: Window) -> None:
    player.press("Right", "Right", "Right")
    player.until(f"{AT}.startsWith('4 /')")
    slot = ".ipl-storages rect[data-k^='s1:1']"
    at_rest(player, slot)
    player.point_at(slot)
    said = player.until("document.querySelector('.ipl-readout:not([data-hint])')?.textContent")
    assert "slot 1 of S1" in said
    assert "v[1]" in said
    assert player.ask("document.querySelectorAll('.ipl-storages .ipl-card[data-related]').length") == 2


def test_another_view_moves_nothing(player: Window) -> None:
    heights: dict[int, list[float]] = {}
    for number in (1, 2, 1):
        tab = f".ipl-tab:nth-of-type({number})"
        player.click(tab)
        player.until(f"document.querySelector('{tab}').getAttribute('aria-pressed') === 'true'")
        heights.setdefault(number, []).append(at_rest(player, ".ipl")["height"])
    assert heights[1] == [heights[2][0]] * 2


def test_the_tables_and_the_other_language_are_one_click_away(player: Window) -> None:
    player.click(".ipl-as-table")
    player.until("document.querySelectorAll('.ipl-tables table').length > 0")
    player.click(".ipl-tongue")
    player.until("document.querySelector('.ipl').lang === 'zh-Hans'")
    assert player.ask("document.querySelector('.ipl-tab').textContent") == "反向图"


def test_present_fills_the_screen_and_escape_leaves_it(player: Window) -> None:
    before = at_rest(player, ".ipl")
    player.press("f")
    player.until(PRESENTS)
    filled = "(({ width, height }) => width === innerWidth && height === innerHeight)"
    player.until(f"{filled}(document.querySelector('.ipl').getBoundingClientRect())")
    player.press("Right")
    player.until(f"{AT}.startsWith('2 /')")
    player.press("Escape")
    player.until(f"!({PRESENTS}) && !document.querySelector('.ipl-present')")
    assert at_rest(player, ".ipl") == before
