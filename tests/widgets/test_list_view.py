"""Tests the list that can be sorted and filtered: its data, its stand-in, and the widget in a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from inplacelab.language import Text
from inplacelab.lessons import differences
from inplacelab.listing import Group, Listing
from inplacelab.ops.table.printed import listing as operations
from inplacelab.ops.table.views_and_copies import TABLE
from tests.in_browser import open_page

anywidget = pytest.importorskip("anywidget")

from inplacelab_widgets.small_views import ListView  # noqa: E402  # needs anywidget

LISTING = Listing(
    Text("Copies", "副本"),
    (Text("operation", "操作"), Text("keeps", "保存"), Text("bytes", "字节")),
    (
        Group(Text("one input", "单输入"), (("`sin_`", "`x`", "10"), ("`exp_`", "`out`", "2"))),
        Group(Text("two", "双输入"), (("`add_`", Text("nothing", "无"), "2"),)),
    ),
)


class Words(HTMLParser):
    """The words in a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def test_beside_the_widget_stands_the_whole_table() -> None:
    bundle = ListView(LISTING)._repr_mimebundle_()
    assert bundle is not None
    page = bundle[0]["text/html"]
    assert {"Copies", "sin_", "nothing", "one input"} <= set(Words(page).found)
    assert bundle[0]["text/plain"] == "ListView('Copies', rows=3)"


def test_every_word_goes_to_the_browser_in_both_languages() -> None:
    data = json.loads(json.dumps(ListView(LISTING)._list))
    assert data["rows"][2][1] == ["nothing", "无"]
    assert data["heads"][0] == ["operation", "操作"]
    assert {len(words) for words in [data["title"], data["filter"], data["count"]]} == {2}


@pytest.mark.parametrize("listing", [differences.table(), operations(), TABLE], ids=lambda listing: str(listing.title))
def test_every_table_of_the_package_can_be_sorted_and_filtered(listing: Listing) -> None:
    view = ListView(listing)
    assert len(view._list["rows"]) == len(listing) > 50
    assert {len(row) for row in view._list["rows"]} == {len(listing.heads)}


@pytest.fixture
def page(tmp_path: Path, chromium: Any) -> Iterator[Any]:
    """The widget in Chromium, with a model that holds its traits."""
    view = ListView(LISTING)
    traits = {name: getattr(view, name) for name in ("words", "sorted_by", "descending", "language", "_list")}
    file = tmp_path / "list.html"
    file.write_text(
        f"<!doctype html><meta charset=utf-8><body><script type=text/plain id=module>{ListView._esm}</script><script type=module>"
        f"const traits = {json.dumps(traits)}; const listeners = {{}};"
        "window.model = { get: (n) => traits[n], set: (n, v) => { traits[n] = v; (listeners['change:' + n] ?? []).forEach((f) => f()); },"
        " save_changes: () => {}, on: (e, f) => (listeners[e] ??= []).push(f), off: () => {} };"
        "const module = new Blob([document.getElementById('module').textContent], { type: 'text/javascript' });"
        "const list = (await import(URL.createObjectURL(module))).default;"
        "list.render({ model: window.model, el: document.body });</script>",
        encoding="utf-8",
    )
    shown = chromium.new_page(viewport={"width": 848, "height": 500})
    open_page(shown, file)
    yield shown
    shown.close()


def first_cells(page: Any) -> list[str]:
    return [str(words) for words in page.locator("tbody th").all_inner_texts()]


@pytest.mark.browser
def test_typing_filters_and_a_click_sorts(page: Any) -> None:
    assert first_cells(page) == ["sin_", "exp_", "add_"]
    page.locator("thead button").nth(2).click()
    assert first_cells(page) == ["exp_", "add_", "sin_"]
    assert page.locator("th[aria-sort=ascending]").count() == 1
    page.keyboard.press("Enter")  # the head has the focus still: again is the other way round
    assert first_cells(page) == ["sin_", "exp_", "add_"]
    page.get_by_role("searchbox").fill("2")
    assert first_cells(page) == ["exp_", "add_"]
    assert page.locator("output").inner_text() == "2 of 3"
    page.get_by_role("searchbox").fill("")
    page.evaluate("model.set('language', 'zh')")
    assert page.locator("thead button").nth(0).inner_text() == "操作"
