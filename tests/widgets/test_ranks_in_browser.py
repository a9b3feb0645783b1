"""Tests in Chromium of several ranks side by side: a frame for each, an axis above them, and a collective on all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from inplacelab.lessons import recorded
from inplacelab_widgets.side_by_side.exports import ranks_html_of
from inplacelab_widgets.side_by_side.ranks import ranks_scene
from tests.in_browser import open_page, until_still

pytestmark = pytest.mark.browser


def test_every_rank_has_a_frame_below_the_axis_and_follows_the_cursor(chromium: Any, tmp_path: Path) -> None:
    scene = ranks_scene([recorded(f"extra-rank{rank}") for rank in range(2)])
    (tmp_path / "page.html").write_text(ranks_html_of(scene, "en"), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    open_page(page, tmp_path / "page.html", f"#step={scene.key_position + 1}")
    until_still(page)
    axis = page.locator(".ipl-history svg").bounding_box()
    frames = [each.bounding_box() for each in page.locator(".ipl-side").all()]
    assert len(frames) == 2
    assert frames[0]["y"] == frames[1]["y"] >= axis["y"] + axis["height"] - 1
    assert page.locator(".ipl-side[data-waits]").count() == 1, "rank 0 has no step here"
    assert page.locator(".ipl-storages .ipl-differs").count() == 2
    page.locator(".ipl").first.press("Home")
    until_still(page)
    assert page.locator(".ipl-side[data-waits]").count() == 0
    assert page.locator(".ipl-storages .ipl-differs").count() == 0
    assert errors == []
    page.close()


def test_where_a_lesson_asks_the_conclusion_waits_for_the_end(chromium: Any, tmp_path: Path) -> None:
    text = ranks_html_of(ranks_scene([recorded(f"extra-rank{rank}") for rank in range(2)]), "en", 0)
    asked = text.replace('"mode": "event"', '"mode": "event", "tellsAhead": false')
    assert asked != text
    (tmp_path / "page.html").write_text(asked, encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    open_page(page, tmp_path / "page.html")
    until_still(page)
    conclusion = page.locator(".ipl-conclusion")
    room = conclusion.evaluate("each => each.offsetHeight")
    assert not conclusion.is_visible()
    page.locator(".ipl").first.press("End")
    until_still(page)
    assert conclusion.is_visible()
    assert conclusion.evaluate("each => each.offsetHeight") == room, "nothing moves"
    page.close()
