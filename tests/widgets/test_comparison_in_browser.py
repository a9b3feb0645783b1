"""Two programs side by side in a real browser, from a file and without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording.compare import SIDES
from inplacelab_widgets.side_by_side import exports
from inplacelab_widgets.side_by_side.comparison import comparison_of
from tests.in_browser import open_page, until_it_presents, until_it_presents_no_more, until_still
from tests.widgets.test_comparison import PAIRS, recorded, scene
from tests.widgets.test_hostile_strings import GOLDEN, hostile

pytestmark = pytest.mark.browser

SHOWN = """(which) => {
  const side = document.querySelectorAll('.ipl-side')[which];
  const code = side.querySelector('.ipl-code li[aria-current] .ipl-number');
  return {
    line: code ? Number(code.textContent) : null,
    waits: side.hasAttribute('data-waits'),
    did: side.querySelector('.ipl-did').textContent,
    outlines: side.querySelectorAll('path.ipl-differs').length,
    seen: [...side.querySelectorAll('path.ipl-differs')].filter((mark) => mark.getBoundingClientRect().height).length,
  };
}"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("comparisons")
    for name in PAIRS:
        (folder / f"{name}.html").write_text(exports.html_of(scene(name), "en"), encoding="utf-8")
    return lambda name: folder / f"{name}.html"


class Played:
    """A page with a comparison."""

    def __init__(self, page: Any, file: Path, at: str = "") -> None:
        self.page = page
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        open_page(page, file, at)
        page.locator(".ipl").focus()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def side(self, which: int) -> dict[str, Any]:
        found: dict[str, Any] = self.page.evaluate(SHOWN, which)
        return found

    @property
    def headline(self) -> str:
        return str(self.page.locator(".ipl-sentence[role=status] .ipl-headline").text_content())


@pytest.fixture
def play(chromium: Any, files: Callable[[str], Path]) -> Iterator[Callable[..., Played]]:
    opened: list[Played] = []

    def start(name: str, *, wide: int = 1280, high: int = 800, **options: Any) -> Played:
        page = chromium.new_page(viewport={"width": wide, "height": high}, **options)
        opened.append(Played(page, files(name)))
        return opened[-1]

    yield start
    for each in opened:
        assert each.errors == []
        assert [url for url in each.requests if not url.startswith(("file:", "blob:", "about:"))] == []
        each.page.close()


def test_it_opens_where_they_differ_and_says_so(play: Callable[..., Played]) -> None:
    played = play("detach")
    shown = scene("detach")
    told = shown.comparison.told(shown.key_position, by_line=True)
    assert played.headline == told.clause.en.replace("`", "")
    assert played.page.locator(".ipl-conclusion").text_content() == shown.conclusion.en.replace("`", "")
    for which, side in enumerate(SIDES):
        assert played.side(which)["line"] == 5
        assert played.side(which)["outlines"] == len(shown.outlines(shown.key_position, side)) == 1
        assert played.side(which)["seen"] == 1


def test_keys_move_both_programs_line_by_line(play: Callable[..., Played]) -> None:
    played = play("detach")
    played.press("Home")
    assert [played.side(which)["line"] for which in (0, 1)] == [1, 1]
    for line in (2, 3, 4, 5, 6):
        played.press("ArrowRight")
        assert [played.side(which)["line"] for which in (0, 1)] == [line, line]
    assert played.headline == "The left program raises RuntimeError here, the right one does not"
    played.press("ArrowRight", "ArrowLeft")
    assert [played.side(which)["line"] for which in (0, 1)] == [5, 5]
    played.press("End")
    assert played.side(1)["line"] == 6
    played.press("Home", "Shift+ArrowRight")
    assert "share a storage on the left only" in played.headline, "the next stop is the next difference"


def test_by_event_every_position_is_a_step_and_a_gap_is_said(play: Callable[..., Played]) -> None:
    played = play("detach")
    shown = scene("detach")
    count = len(shown.comparison.alignment.positions)
    played.press("End", "e")
    said = set()
    for _ in range(count):
        said.add(played.side(0)["did"])
        played.press("ArrowLeft")
    assert "The left program has no step here." in said
    assert "The left program was ended by RuntimeError." in said


def test_keys_of_other_players_do_nothing(play: Callable[..., Played]) -> None:
    played = play("detach")
    before = played.page.locator(".ipl").inner_html()
    played.press("p", "g", "l", "t")
    assert played.page.locator(".ipl").inner_html() == before


def test_a_side_that_waits_has_no_running_line_and_says_why(play: Callable[..., Played]) -> None:
    played = play("lengths")
    waits = []
    played.press("Home")
    for _ in scene("lengths").stops:
        waits.append(played.side(1)["waits"])
        assert not played.side(0)["waits"]
        if waits[-1]:
            assert played.side(1)["did"] == "The right program has no step here."
        played.press("ArrowRight")
    assert sum(waits) == 2


def test_a_click_on_a_line_of_one_side_moves_both(play: Callable[..., Played]) -> None:
    played = play("detach")
    played.page.locator(".ipl-side").nth(1).locator(".ipl-code li").nth(1).click()
    assert [played.side(which)["line"] for which in (0, 1)] == [2, 2]


def test_lines_that_differ_are_marked(play: Callable[..., Played]) -> None:
    played = play("detach")
    for which in (0, 1):
        marked = played.page.locator(".ipl-side").nth(which).locator(".ipl-changed-line code")
        assert [each.startswith("frozen = target.detach()") for each in marked.all_text_contents()] == [True]
    assert play("nothing to align").page.locator(".ipl-changed-line").count() == 0


def test_the_language_is_that_of_everything(play: Callable[..., Played]) -> None:
    played = play("detach")
    played.page.locator(".ipl-tongue").click()
    shown = scene("detach")
    assert played.page.locator(".ipl-conclusion").text_content() == shown.conclusion.zh.replace("`", "")
    assert played.page.locator(".ipl-verdict").first.text_content() == shown.comparison.verdicts[0].says.zh
    assert played.page.locator(".ipl-side").first.get_attribute("aria-label").startswith("左侧程序")
    assert "同时改变了" in played.side(0)["did"]


@pytest.mark.parametrize(("wide", "beside"), [(1280, True), (848, True), (720, False), (480, False)])
def test_the_frames_are_below_each_other_where_it_is_narrow(
    play: Callable[..., Played], wide: int, beside: bool
) -> None:
    played = play("detach", wide=wide)
    until_still(played.page)
    first, second = (played.page.locator(".ipl-side").nth(which).bounding_box() for which in (0, 1))
    assert (first["y"] == second["y"]) is beside
    assert played.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    if beside:
        assert first["height"] == second["height"]
        tops = played.page.evaluate("[...document.querySelectorAll('.ipl-storages')].map((each) => each.offsetTop)")
        assert tops[0] == tops[1], "what is compared is at one height"


@pytest.mark.parametrize(("wide", "high"), [(1280, 800), (848, 640)])
def test_a_page_fits_its_window_and_what_differs_is_in_sight(play: Callable[..., Played], wide: int, high: int) -> None:
    played = play("detach", wide=wide, high=high)
    until_still(played.page)
    assert played.page.locator(".ipl").bounding_box()["height"] <= high
    inside = """() => [...document.querySelectorAll('.ipl-side')].map((side) => {
      const pane = side.querySelector('.ipl-storages').getBoundingClientRect();
      const mark = side.querySelector('path.ipl-differs').getBoundingClientRect();
      return mark.top >= pane.top && mark.bottom <= pane.bottom + 1;
    })"""
    assert played.page.evaluate(inside) == [True, True]


def test_nothing_changes_its_place_from_step_to_step(play: Callable[..., Played]) -> None:
    played = play("detach")
    until_still(played.page)
    boxes = "[...document.querySelectorAll('.ipl-side, .ipl-saying, .ipl-storages')].map((e) => e.getBoundingClientRect().toJSON())"
    played.press("Home")
    until_still(played.page)
    before = played.page.evaluate(boxes)
    for _ in scene("detach").stops:
        played.press("ArrowRight")
        until_still(played.page)
        assert played.page.evaluate(boxes) == before


def test_it_fills_the_screen(play: Callable[..., Played]) -> None:
    played = play("detach", wide=1920, high=1080)
    played.press("f")
    until_it_presents(played.page)
    assert played.page.locator(".ipl").bounding_box()["height"] == 1080
    assert played.page.evaluate("getComputedStyle(document.querySelector('.ipl-side .ipl-code')).fontSize") == "20px"
    for part in (".ipl-saying", ".ipl-conclusion", ".ipl-tongue"):
        box = played.page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1920
        assert box["y"] + box["height"] <= 1080
    played.press("Escape")
    until_it_presents_no_more(played.page)


def test_a_link_leads_to_a_step(chromium: Any, files: Callable[[str], Path]) -> None:
    page = chromium.new_page()
    played = Played(page, files("detach"), "#step=1")
    assert played.side(0)["line"] == 1
    page.close()


def test_the_table_has_what_differs(play: Callable[..., Played]) -> None:
    played = play("detach")
    played.page.locator(".ipl-as-table").click()
    shown = scene("detach")
    rows = played.page.locator(".ipl-tables tbody tr").all_text_contents()
    assert rows == [each.says.en.replace("`", "") for each in shown.comparison.found[shown.key_position]]


@pytest.mark.parametrize("text", ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "a`<b>`c"])
def test_no_text_becomes_markup(chromium: Any, tmp_path: Path, text: str) -> None:
    shown = comparison_of(hostile(min(GOLDEN.glob("*.json")), text, "everywhere"), recorded(PAIRS["detach"][0]))
    file = tmp_path / "hostile.html"
    file.write_text(exports.html_of(shown, "en"), encoding="utf-8")
    page = chromium.new_page()
    dialogs: list[Any] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog))
    played = Played(page, file)
    played.press("Home", *["ArrowRight"] * 5)
    assert page.locator(".ipl img, .ipl script, .ipl b").count() == 0
    assert not dialogs
    assert played.errors == []
    page.close()


def test_a_step_is_shared(play: Callable[..., Played], tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    played = play("detach")
    played.page.locator(".ipl-sharing").click()
    with played.page.expect_download() as saved:
        played.page.get_by_role("button", name="Save picture").click()
    saved.value.save_as(tmp_path / "card.png")
    with image.open(tmp_path / "card.png") as card:
        assert card.size == (1200, 675)
        assert len(card.getcolors(card.width * card.height)) > 20, "there is something on it"
    assert saved.value.suggested_filename.endswith(".png")
    assert "inplacelab compare" in played.page.locator(".ipl-share-note").all_text_contents()[-1]
    assert played.errors == []
