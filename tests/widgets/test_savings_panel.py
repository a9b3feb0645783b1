"""Tests the list in the player of where a program may write in place: it has what the advice has, opens on request, and stays as it is from step to step."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.recorders.run import record
from inplacelab.recording import codec
from inplacelab.recording.recording import Recording
from inplacelab.recording.savings.advice import advice
from inplacelab.recording.sentences.phrases import byte_count
from inplacelab.recording.sentences.savings import operation, reason
from inplacelab_widgets import to_html
from inplacelab_widgets.savings_picture import title
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload
from tests.in_browser import open_page


@cache
def saving() -> Recording:
    """Two operations may be written in place; the first runs twice, and after others."""
    with record(title="saving") as made:
        w = paddle.ones([8, 8])
        h = paddle.ones([64, 8])
        for _ in range(2):
            h = paddle.matmul(h, w)
            h = paddle.nn.functional.relu(h)
        h = h * 0.5
    assert made.recording is not None
    return made.recording


def shown(recording: Recording, **options: Any) -> list[list[Any]]:
    """The title and what to do, then each operation, as they are seen."""
    packed = payload(scene_of(recording), **options)
    if "savings" not in packed:
        return []
    savings, said = packed["savings"], packed["said"]
    rows = [[step, *(said[cell][0] for cell in cells)] for step, *cells in savings["rows"]]
    return [[said[savings[key]][0] for key in ("title", "how")], *rows]


def test_it_has_what_the_advice_has(tmp_path: Path) -> None:
    recording = saving()
    found = advice(recording, ends=False)
    assert len(found.offered) == 2
    steps = [[call.step for call in each.calls] for each in found.offered]
    assert sorted(map(len, steps)) == [1, 2]
    (words, *rows) = shown(recording)
    assert words[0] == title(found).en
    assert "Not tried" in words[1]
    assert rows == [
        [min(runs), operation(found, each).en, byte_count(each.bytes).en, reason(found, each).en]
        for runs, each in zip(steps, found.offered, strict=True)
    ]
    file = tmp_path / "saved.json"
    file.write_text(codec.to_json(recording), encoding="utf-8")
    assert shown(codec.load(file)) == [words, *rows]


def test_it_is_absent_where_nothing_is_offered_or_can_be_tried() -> None:
    with record(title="kept") as kept:
        x = paddle.ones([4])
        y = x * 2
        assert (x + y).sum() == 12
    with record(title="fails") as fails, pytest.raises(RuntimeError):  # noqa: PT012  # what is recorded
        h = paddle.ones([64, 8])
        h = paddle.nn.functional.relu(h)
        h = h * 2
        a = paddle.ones([2])
        a.stop_gradient = False
        b = a.exp()
        b.scale_(2.0)
        b.sum().backward()
    for made in (kept.recording, fails.recording):
        assert made is not None
        assert shown(made) == []
    assert fails.recording is not None
    assert advice(fails.recording, ends=False).offered
    assert shown(saving(), only=3) == []
    assert shown(saving(), panels=["graph"]) == []


@pytest.mark.browser
def test_it_opens_at_a_button_and_a_step_moves_nothing(chromium: Any, tmp_path: Path) -> None:
    page = chromium.new_context(viewport={"width": 700, "height": 720}).new_page()
    to_html(saving(), tmp_path / "saving.html", language="en")
    open_page(page, tmp_path / "saving.html")
    panel, button = page.locator(".ipl-savings"), page.get_by_role("button", name="Save memory")
    assert not panel.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    (words, *rows) = shown(saving())
    assert panel.locator("caption").inner_text() == words[0]
    assert panel.locator("tr").count() == len(rows)
    assert "inplacelab advise FILE" in panel.inner_text()
    assert panel.get_by_role("button", name="Try").count() == 0
    drawn = "each => [each.offsetTop, each.offsetHeight, each.innerText]"
    before = panel.evaluate(drawn)
    pointer = panel.get_by_role("button", name="relu")
    pointer.focus()
    page.keyboard.press("Enter")
    assert "relu" in page.locator("[role=status]").inner_text()
    page.keyboard.press("ArrowRight")
    assert panel.evaluate(drawn) == before
    assert pointer.evaluate("each => each === document.activeElement")
    page.locator(".ipl-tongue").click()
    assert "未经试验" in panel.inner_text()
    button = page.get_by_role("button", name="节省内存")
    button.click()
    assert not panel.is_visible()
