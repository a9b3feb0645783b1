"""The exported page in a real browser, from a file and without a network."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html
from tests.in_browser import open_page, until_it_plays, until_it_presents, until_it_presents_no_more, until_still
from tests.recorders.golden.renew import run

pytestmark = pytest.mark.browser


class Player:
    """A page with a player, and everything that went wrong or was asked for."""

    def __init__(self, page: Any, file: Path, at: str = "#step=1") -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("console", self._note_complaint)
        page.on("dialog", self._note_dialog)
        open_page(page, file, at)
        page.locator(".ipl").focus()

    def _note_complaint(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _note_dialog(self, dialog: Any) -> None:
        self.errors.append("a dialog opened")
        dialog.dismiss()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def text(self, selector: str) -> str:
        return str(self.page.locator(selector).inner_text())

    def counter(self) -> str:
        return self.text(".ipl-counter")

    def shown(self, panel: str) -> list[str]:
        """The words that can be seen in a panel."""
        texts = self.page.locator(f".ipl-{panel} svg text:visible").all_text_contents()
        return [text for text in texts if text]

    def geometry(self) -> Any:
        """Where every mark is that can be seen, by a number that each is given when it is first seen."""
        return self.page.evaluate(
            """() => {
              const known = (window.known ??= new Map());
              const numbered = (mark) => known.get(mark) ?? known.set(mark, known.size).get(mark);
              const seen = [...document.querySelectorAll('.ipl-storages g rect')].filter((mark) => mark.getClientRects().length);
              const placed = (mark) => ['x', 'y', 'width', 'height'].map((name) => mark.getAttribute(name)).join();
              return Object.fromEntries(seen.map((mark) => [numbered(mark), placed(mark)]));
            }"""
        )


@pytest.fixture
def open_player(chromium: Any, sample: Callable[[str], Recording], tmp_path: Path) -> Iterator[Callable[..., Player]]:
    contexts = []

    def open_it(name: str, **options: Any) -> Player:
        context = chromium.new_context(offline=True, **{"viewport": {"width": 864, "height": 720}, **options})
        contexts.append(context)
        file = tmp_path / f"{name}.html"
        to_html(sample(name), file, language="en")
        return Player(context.new_page(), file)

    yield open_it
    for context in contexts:
        context.close()


def test_at_its_beginning_a_program_that_fails_leads_to_where_it_fails(open_player: Callable[..., Player]) -> None:
    player = open_player("really_stale")
    link = player.page.get_by_role("button", name="fails")
    assert re.fullmatch(r"✗ Line \d+ fails: to step \d+", link.inner_text())
    player.press("p")
    assert not link.is_visible(), "the link gives the answer away"
    player.press("p", "ArrowRight")
    assert link.count() == 0
    player.press("e", "Home")
    assert link.inner_text().endswith(f"to step {player.counter().split(' / ')[1]}"), "counted in lines"
    link.focus()
    player.press("Enter")
    assert "RuntimeError" in player.text("[role=status]")
    player.press("ArrowLeft")
    assert "RuntimeError" not in player.text("[role=status]"), "the player has the focus still"
    other = open_player("lesson")
    assert other.page.get_by_role("button", name="fails").count() == 0


def test_a_failure_is_marked_at_the_lines_that_caused_it(open_player: Callable[..., Player]) -> None:
    player = open_player("really_stale")
    said = player.page.locator(".ipl-code .ipl-traced:visible")
    code = player.page.locator(".ipl-code li code")
    lines = code.all_inner_texts()
    assert said.count() == 0
    player.press("End")
    assert said.all_inner_texts() == ["kept v0", "v0 → v1", "finds v1"]
    marked = player.page.locator(".ipl-code li.ipl-marked")
    meant = ["".join(line.locator("u").all_inner_texts()) for line in marked.all()]
    assert meant == ["b * b", "b.add_(paddle.to_tensor([10.0, 10.0, 10.0, 10.0]))", "c.sum().backward()"]
    assert code.all_inner_texts() == lines, "nothing is lost of the code"
    places = "() => new Set([...document.querySelectorAll('.ipl-code code')].map((code) => code.getBoundingClientRect().left)).size"
    assert player.page.evaluate(places) == 1, "marked or not, code begins at one place"
    player.press("f")
    until_it_presents(player.page)
    assert player.page.evaluate(places) == 1
    player.press("f")
    until_it_presents_no_more(player.page)
    assert "kept: MultiplyGradNode keeps b" in said.first.get_attribute("title")
    player.page.locator(".ipl-tongue").click()
    assert said.all_inner_texts() == ["保存 v0", "v0 → v1", "遇到 v1"]
    player.page.locator(".ipl").focus()
    player.press("Home")
    assert said.count() == 0
    assert player.page.locator(".ipl-code u").count() == 0


def test_keys_step_both_ways_and_only_our_keys_are_taken(open_player: Callable[..., Player]) -> None:
    player = open_player("lesson")
    assert player.counter() == "1 / 15"
    player.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    assert player.counter() == "5 / 15"
    assert "scale_" in player.text("[aria-current=step]")
    assert "v0→v1" in player.shown("storages")
    assert "Line 4 scale_ wrote slots 0-7 of S1" in player.text("[role=status]")
    player.press("ArrowLeft")
    assert "v0→v1" not in player.shown("storages")
    player.press("PageDown")
    assert player.counter() == "7 / 15"
    player.press("End")
    assert player.counter() == "14 / 15", "the last step changes nothing"
    player.press("ArrowRight")
    assert player.counter() == "14 / 15"
    player.press("Home", "Shift+ArrowRight")
    assert player.counter() == "5 / 15"
    player.press("b", "Tab")
    assert player.counter() == "5 / 15"


def test_a_page_of_its_own_takes_keys_before_anything_has_the_focus(open_player: Callable[..., Player]) -> None:
    player = open_player("lesson")
    player.page.evaluate("document.activeElement.blur()")
    player.press("ArrowRight", "ArrowRight", "ArrowLeft")
    assert player.counter() == "2 / 15"


def test_nothing_is_asked_for_and_nothing_fails(open_player: Callable[..., Player]) -> None:
    player = open_player("stale")
    player.press("End", "Home")
    # The player is unpacked into an address of its own within the page.
    assert [url.partition(":")[0] for url in player.requests] == ["file", "blob"]
    assert player.errors == []


def test_code_of_the_program_never_becomes_code_of_the_page(open_player: Callable[..., Player]) -> None:
    player = open_player("hostile")
    player.press("End")
    player.page.locator(".ipl-as-table").click()
    assert player.errors == []
    assert player.page.locator(".ipl script, .ipl img, .ipl b").count() == 0
    assert "<b>&\"'</b>" in player.shown("storages")
    assert "onerror=alert(1)" in player.text("[role=status]")


def test_every_step_shows_in_the_browser_what_python_drew(
    open_player: Callable[..., Player], sample: Callable[[str], Recording]
) -> None:
    player = open_player("stale")
    for index in range(len(sample("stale"))):
        state = sample("stale").state(index)
        for key in state.storages:
            assert player.page.locator(f'.ipl-storages svg [data-k="s{key}"]:visible').count() > 0
        player.press("ArrowRight")


def test_marks_stay_where_they_are(open_player: Callable[..., Player]) -> None:
    player = open_player("many")
    before = player.geometry()
    for _ in range(17):
        player.press("ArrowRight")
        now = player.geometry()
        assert all(now[key] == place for key, place in before.items() if key in now)
        before |= now


LAID_OUT = """() => {
  const [pane, drawing] = ['.ipl-storages', '.ipl-storages > svg'].map((selector) => document.querySelector(selector));
  const shown = [...drawing.querySelectorAll(':scope > g:not([hidden])')].map((group) => group.getBoundingClientRect().bottom);
  const hidden = [...drawing.querySelectorAll(':scope > g[hidden] > *')];
  return {
    size: ['width', 'height', 'viewBox'].map((name) => drawing.getAttribute(name)).join(),
    hidden: hidden.length,
    boxed: hidden.filter((mark) => getComputedStyle(mark).display !== 'none').length,
    room: pane.getBoundingClientRect().top + pane.scrollHeight - pane.scrollTop - Math.max(...shown),
  };
}"""


def test_a_step_lays_out_only_what_it_shows(open_player: Callable[..., Player]) -> None:
    # A drawing of another size, and marks in hidden groups, would be laid out whole at every step.
    player = open_player("many", reduced_motion="reduce")
    found = [player.page.evaluate(LAID_OUT)]
    for _ in range(40):
        player.press("ArrowRight")
        found.append(player.page.evaluate(LAID_OUT))
    assert len({each["size"] for each in found}) == 1
    assert max(each["hidden"] for each in found) > 20
    assert {each["boxed"] for each in found} == {0}
    # Whatever is drawn can be scrolled to.
    assert min(each["room"] for each in found) >= 0


@pytest.mark.parametrize("width", [864, 1400])
def test_the_panes_are_as_wide_at_every_step(
    open_player: Callable[..., Player], sample: Callable[[str], Recording], width: int
) -> None:
    # Otherwise, the storages are arranged again at the step that fails, where lines of code get tags.
    player = open_player("stale", viewport={"width": width, "height": 720})
    widths = "() => ['.ipl-code', '.ipl-storages'].map((pane) => document.querySelector(pane).offsetWidth)"
    found = [player.page.evaluate(widths)]
    for _ in range(len(sample("stale"))):
        player.press("ArrowRight")
        found.append(player.page.evaluate(widths))
    assert player.page.locator(".ipl-code .ipl-traced:visible").count()
    assert found == found[:1] * len(found)


def test_marks_that_come_later_lie_where_python_put_them(
    open_player: Callable[..., Player], sample: Callable[[str], Recording]
) -> None:
    step = "(at) => {const slider = document.querySelector('.ipl input[type=range]'); slider.value = at; slider.dispatchEvent(new Event('input'))}"
    marks = "() => [...document.querySelectorAll('.ipl-storages g:not([hidden]) > :not([hidden])')].map((mark) => mark.outerHTML.replace(/ style=\"\"/, ''))"
    player, last = open_player("stale", reduced_motion="reduce"), len(sample("stale")) - 1
    player.page.evaluate(step, last)
    at_once = player.page.evaluate(marks)
    player.page.reload()
    until_it_plays(player.page)
    for at in range(last + 1):
        player.page.evaluate(step, at)
    assert player.page.evaluate(marks) == at_once


def test_a_jump_is_without_motion_and_a_slow_step_has_it(open_player: Callable[..., Player]) -> None:
    player = open_player("stale")
    motion = "() => getComputedStyle(document.querySelector('.ipl-storages svg rect')).transitionDuration.split(',')[0]"
    player.press("End")
    assert player.page.evaluate(motion) == "0s"
    player.page.wait_for_timeout(400)
    player.press("ArrowLeft")
    assert player.page.evaluate(motion) == "0.18s"


def test_one_switch_changes_every_word(open_player: Callable[..., Player]) -> None:
    player = open_player("stale")
    player.press("End")
    player.page.locator(".ipl-as-table").click()
    player.page.locator(".ipl-tongue").click()
    said = player.text(".ipl")
    for chinese in ("已过期", "叶子张量", "反向图", "以表格阅读", "反向传播"):
        assert chinese in said
    english = {"Graph", "Read as a table", "Storages", "stale", "leaf", "failed", "waiting", "backward", "unnamed"}
    assert not {word for word in english if re.search(rf"(?<![\w.]){word}(?![\w(])", said.replace("stale\n", ""))}
    assert player.page.locator(".ipl").get_attribute("lang") == "zh-Hans"


def test_it_speaks_to_those_who_do_not_see_it(open_player: Callable[..., Player]) -> None:
    player = open_player("stale")
    player.press("End")
    page = player.page
    assert page.get_by_role("region", name="Stepper: stale").count() == 1
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "step 10 of 10, line 4, backward"
    assert page.locator("[role=status]").get_attribute("aria-live") == "polite"
    for name in ("First step", "Previous step", "Next step", "Last step", "Play"):
        assert page.get_by_role("button", name=re.compile(name)).count() == 1
    for tab in page.locator(".ipl-tab").all():
        tab.click()
        for drawing in page.locator(".ipl-pane:visible > svg[role=img]:visible").all():
            assert drawing.locator("title").text_content()
            assert drawing.locator("desc").text_content()
    page.locator(".ipl-as-table").click()
    rows = page.locator("table").nth(2).locator("tbody tr").all_inner_texts()
    assert len(rows) == 1
    assert "stale, now v1" in rows[0]
    bytes_told = page.locator("table", has_text="Tracked bytes").locator("tbody tr").all_inner_texts()
    assert bytes_told == ["live\t68 B", "peak so far\t68 B"]
    player.page.locator(".ipl").focus()
    player.press("Home")
    assert page.locator("table").count() == 3


def test_a_pane_that_was_closed_shows_the_present_step_when_it_is_opened(open_player: Callable[..., Player]) -> None:
    player = open_player("stale")
    seen = "() => [...document.querySelectorAll('.ipl-elements g:not([hidden]) > :not([hidden])')].map(mark => mark.outerHTML)"
    player.page.locator(".ipl-tab").nth(2).click()
    player.press("End")
    followed = player.page.evaluate(seen)
    player.press("Home")
    player.page.locator(".ipl-tab").nth(0).click()
    player.press("End")
    player.page.locator(".ipl-tab").nth(2).click()
    assert len(followed) > 5
    assert player.page.evaluate(seen) == followed


def test_a_lens_moves_along_its_storage(open_player: Callable[..., Player]) -> None:
    player = open_player("large")
    page = player.page
    player.press("End")
    titles = page.locator(".ipl-moved text:not(.ipl-value, .ipl-end)")
    pane = page.locator(".ipl-storages")
    pane.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.press("Home")
    assert "slots 0–5" in (titles.first.text_content() or "")
    step = page.locator(".ipl-counter").text_content()
    page.keyboard.press("ArrowRight")
    assert "slots 3–8" in (titles.first.text_content() or "")
    assert page.locator(".ipl-counter").text_content() == step
    page.keyboard.press("Escape")
    assert titles.count() == 0


def test_pointing_at_a_slot_lights_up_what_shares_it(open_player: Callable[..., Player]) -> None:
    player = open_player("views")
    player.press("End")
    page = player.page
    lit = "() => [...new Set([...document.querySelectorAll('.ipl-chip[data-related]')].map(card => card.dataset.k.split(' ')[0]))]"
    page.locator('.ipl-storages rect[data-k^="s1:1 "]').hover(force=True)
    assert page.evaluate(lit) == ["t1", "t2", "t3"]
    page.locator('.ipl-storages rect[data-k^="s1:5 "]').hover(force=True)
    assert page.evaluate(lit) == ["t1"]
    page.locator(".ipl-as-table").click()
    page.locator(".ipl-pointer", has_text="w").first.focus()
    assert page.evaluate(lit) == ["t3"]


def test_a_click_on_the_lanes_goes_to_that_step(open_player: Callable[..., Player]) -> None:
    player = open_player("lesson")
    player.page.get_by_role("button", name="Versions and bytes").click()
    drawing = player.page.locator(".ipl-history svg").first
    box = drawing.bounding_box()
    assert box is not None
    drawing.click(position={"x": box["width"] / 2, "y": 40})
    assert 5 <= int(player.counter().split()[0]) <= 11


def test_at_the_failure_a_button_shows_the_fixed_program(chromium: Any, tmp_path: Path) -> None:
    text = "x = paddle.ones([3])\nx.stop_gradient = False\na = x * 2.\nb = a * a\na.sin_()\nb.sum().backward()\n"
    to_html(run(text).recording, tmp_path / "failed.html", language="en")
    page = chromium.new_page()
    player = Player(page, tmp_path / "failed.html")
    button = page.get_by_role("button", name="Show it fixed")
    assert button.count() == 0
    player.press("End", "p")
    assert not button.is_visible(), "the button gives the answer away"
    player.press("p", "End")
    button.click()
    dialog = page.get_by_role("dialog", name="The fixed program")
    assert "Checked: it runs, and the loss and the gradients are right, on other data, too." in dialog.inner_text()
    first = dialog.locator("pre").first
    assert first.locator("ins").all_inner_texts() == ["b.sum().backward()"]
    assert first.locator("> *").all_inner_texts() == [*text.splitlines()[:4], "b.sum().backward()", "a.sin_()"]
    player.press("Escape", "ArrowLeft")
    assert not dialog.is_visible()
    assert not button.is_visible()
    player.press("ArrowRight")
    page.get_by_role("button", name="中文").click()
    page.get_by_role("button", name="查看改法").click()
    assert "已检验" in page.get_by_role("dialog", name="改好的程序").inner_text()
    assert player.errors == []
    page.close()


def test_folded_lanes_open_at_a_button(chromium: Any, tmp_path: Path) -> None:
    with paddle.record("many") as many:
        for each in [paddle.ones([2]) for _ in range(15)]:
            each.zero_()
    assert many.recording is not None
    to_html(many.recording, tmp_path / "many.html", language="en")
    page = chromium.new_page()
    player = Player(page, tmp_path / "many.html")
    page.locator(".ipl-tab", has_text="Versions and bytes").click()
    button = page.locator(".ipl-views .ipl-unfold")
    drawn = "() => document.querySelector('.ipl-history svg').getBoundingClientRect().height"
    closed, before = page.evaluate(drawn), len(player.shown("history"))
    assert button.inner_text() == "3 more storages"
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert page.evaluate(drawn) > closed + 20
    assert len(player.shown("history")) > before
    button.click()
    assert (page.evaluate(drawn), len(player.shown("history"))) == (closed, before)
    page.close()


def loop_of_two() -> Recording:
    with paddle.record("loop") as run:
        x = paddle.ones([2])
        x.stop_gradient = False
        for _ in range(14):
            x = (x * 2).tanh()
    assert run.recording is not None
    return run.recording


@pytest.mark.parametrize("by", ["pointer", "keyboard"])
def test_a_box_of_the_graph_opens_and_closes(chromium: Any, tmp_path: Path, by: str) -> None:
    to_html(loop_of_two(), tmp_path / "loop.html", language="en")
    page = chromium.new_page(viewport={"width": 864, "height": 720})
    player = Player(page, tmp_path / "loop.html")
    player.press("End")
    assert any(each.endswith(" ×14") for each in player.shown("graph"))
    assert not page.locator(".ipl-zoom-out").is_visible()
    if by == "pointer":
        page.locator(".ipl-graph svg text:visible", has_text=" ×14").click()
    else:
        page.locator(".ipl-graph").focus()
        page.keyboard.press("ArrowDown")
        page.keyboard.press("+")
    assert sum(each.endswith("/14") for each in player.shown("graph")) == 14
    assert page.locator(".ipl-graph-note").inner_text().endswith("29 nodes")
    player.press("Home", "End")
    assert sum(each.endswith("/14") for each in player.shown("graph")) == 14, "stepping changes no view"
    page.locator(".ipl-graph svg text:visible", has_text=" 7/14").click()
    assert sum("TanhGradNode" in each for each in player.shown("graph")) == 1
    page.locator(".ipl-zoom-out").click()
    page.locator(".ipl-graph").focus()
    page.keyboard.press("Escape")
    assert any(each.endswith(" ×14") for each in player.shown("graph"))
    assert page.locator(".ipl-graph svg:visible").count() == 1
    page.close()


def test_a_pin_selects_the_box_with_its_node(chromium: Any, tmp_path: Path) -> None:
    to_html(loop_of_two(), tmp_path / "loop.html", language="en")
    page = chromium.new_page(viewport={"width": 864, "height": 720})
    player = Player(page, tmp_path / "loop.html")
    player.press("End")
    pinned = page.locator(".ipl-graph svg .ipl-node[data-pinned]:visible")
    assert pinned.count() == 0
    page.locator('.ipl-storages svg rect[data-k^="p"]:visible').first.click(force=True)
    assert "box:" in pinned.first.get_attribute("data-k")
    page.close()


def test_playing_stops_at_the_end(open_player: Callable[..., Player]) -> None:
    player = open_player("relayout")
    player.press(" ")
    player.page.wait_for_function("() => document.querySelector('.ipl-counter').textContent === '3 / 3'")
    player.page.wait_for_function("() => document.querySelector('[title^=Play]')")


@pytest.mark.parametrize("width", [600, 848, 1200])
def test_nothing_sticks_out_sideways(open_player: Callable[..., Player], width: int) -> None:
    player = open_player("stale", viewport={"width": width, "height": 720})
    player.press("End")
    assert player.page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")


def test_the_picture_of_a_small_program_fits_a_laptop(open_player: Callable[..., Player]) -> None:
    player = open_player("lesson")
    heights = set()
    for _ in range(15):
        heights.add(player.page.locator(".ipl").bounding_box()["height"])
        player.press("ArrowRight")
    assert len(heights) == 1, "the panels below must not jump"
    assert heights.pop() <= 700


def test_what_was_written_is_in_sight_also_when_steps_follow_fast(chromium: Any, tmp_path: Path) -> None:
    with paddle.record("fast") as run:
        w = paddle.ones([4])
        w.stop_gradient = False
        a = w * 2
        v = a[1:3]
        out = a * a
        v.scale_(10.0)
    assert out is not a
    assert run.recording is not None
    write = next(step.index for step in run.recording.steps if step.writes)
    to_html(run.recording, tmp_path / "fast.html", language="en")
    page = chromium.new_page(viewport={"width": 864, "height": 720})
    player = Player(page, tmp_path / "fast.html")
    player.press(*["ArrowRight"] * write)
    until_still(page)
    pane = page.locator(".ipl-storages").bounding_box()
    written = page.locator(".ipl-storages path.ipl-written[data-k]:visible").bounding_box()
    assert pane is not None
    assert written is not None
    assert pane["y"] <= written["y"]
    assert written["y"] + written["height"] <= pane["y"] + pane["height"]
    page.close()


def test_a_step_that_comes_while_a_pane_glides_is_in_sight_in_the_end(chromium: Any, tmp_path: Path) -> None:
    program = (
        "x = paddle.ones([8, 8])\nx.stop_gradient = False\n"
        "y = (x * 2.).exp().relu_()\ny = (y * y).sum()\ny.backward()\n"
    )
    to_html(run(program).recording, tmp_path / "gliding.html", language="en")
    page = chromium.new_page(viewport={"width": 1000, "height": 480}, reduced_motion="no-preference")
    player = Player(page, tmp_path / "gliding.html")
    pane = page.locator(".ipl-storages")
    under_way = "() => document.querySelector('.ipl-storages').scrollTop > 10"
    before = ["ArrowRight"] * 8  # the next step shows what is below the others
    player.press(*before)
    until_still(page)
    page.wait_for_timeout(400)
    player.press("ArrowRight")
    page.wait_for_function(under_way)
    player.press("ArrowRight")
    until_still(page)
    head = page.locator(".ipl-storages .ipl-checked:visible").last.bounding_box()
    there = pane.bounding_box()
    assert head is not None
    assert there is not None
    assert head["y"] >= there["y"]
    # A reader who scrolls meanwhile is not drawn back.
    player.press("Home", *before)
    until_still(page)
    page.wait_for_timeout(400)  # a step after a pause has time for motion
    player.press("ArrowRight")
    page.wait_for_function(under_way)
    pane.evaluate("pane => pane.scrollTo({ top: 0 })")
    until_still(page)
    assert pane.evaluate("pane => pane.scrollTop") == 0
    page.close()


def test_the_page_follows_the_reader_s_theme(open_player: Callable[..., Player]) -> None:
    def ground(scheme: str) -> str:
        player = open_player("lesson", color_scheme=scheme)
        return str(player.page.locator(".ipl").evaluate("root => getComputedStyle(root).backgroundColor"))

    assert ground("light") == "rgb(255, 255, 255)"
    assert ground("dark") == "rgb(33, 33, 33)"


def test_after_a_jump_to_the_error_the_stale_value_is_in_sight(chromium: Any, tmp_path: Path) -> None:
    """Nothing changes at the last step itself: the value failed at the step before."""
    with suppress(RuntimeError), paddle.record("stale") as run:
        a = paddle.ones([2, 3])
        a.stop_gradient = False
        x = a * 2
        column = x[:, 1]
        y = x.sin()
        column.scale_(3.0)
        y.sum().backward()
    assert run.recording is not None
    to_html(run.recording, tmp_path / "stale.html", language="en")
    page = chromium.new_page(viewport={"width": 864, "height": 720})
    Player(page, tmp_path / "stale.html").press("End")
    until_still(page)
    pane = page.locator(".ipl-storages").bounding_box()
    pin = page.locator(".ipl-storages rect.ipl-checked:visible").first.bounding_box()
    assert pane is not None
    assert pin is not None
    assert pane["y"] <= pin["y"]
    assert pin["y"] + pin["height"] <= pane["y"] + pane["height"]
    page.close()


def test_a_click_on_a_line_leads_to_its_step(open_player: Callable[..., Player]) -> None:
    player = open_player("lesson")
    current = player.page.locator(".ipl-code li[aria-current]")
    player.press("End")
    line = player.page.locator(".ipl-code li.ipl-leads").first
    line.click()
    assert current.all_inner_texts() == [line.inner_text()]
    assert int(player.counter().split(" / ")[0]) == 1
    assert not player.errors


def test_an_address_leads_to_a_step_and_a_panel(open_player: Callable[..., Player]) -> None:
    player = open_player("lesson")
    player.page.goto(player.page.url.split("#")[0] + "#step=3&panel=elements")
    assert player.counter().startswith("3 / "), "a link within the page"
    player.page.reload()
    player.page.locator(".ipl-counter").wait_for()
    assert player.counter().startswith("3 / ")
    assert player.page.locator(".ipl-elements").is_visible()
    player.page.goto(player.page.url.split("#")[0] + "#step=2&panel=lanes")
    assert player.counter().startswith("2 / ")
    assert not player.page.locator(".ipl-elements").is_visible()
    assert not player.errors


def test_no_text_outside_the_drawings_is_under_11_px(open_player: Callable[..., Player]) -> None:
    player = open_player("really_stale")
    player.press("End")
    assert player.page.locator(".ipl-traced").count()
    sizes = """() => Object.fromEntries([...document.querySelectorAll('.ipl *:not(svg, svg *)')]
      .filter((each) => each.getClientRects().length && [...each.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
      .map((each) => [each.className, parseFloat(getComputedStyle(each).fontSize)]))"""
    found = player.page.evaluate(sizes)
    assert found
    assert {name: size for name, size in found.items() if size < 11} == {}


PROGRAM = """\
n = 2
a = paddle.to_tensor([1., 2.], stop_gradient=False)
b = a * 2.
m = n
c = b * b
b[0:1].zero_()
m = n
c.sum().backward()
"""


@pytest.fixture
def told(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Player]]:
    contexts = []

    def open_it(at: str = "", width: int = 1000, **options: Any) -> Player:
        contexts.append(chromium.new_context(offline=True, viewport={"width": width, "height": 800}))
        file = tmp_path / "told.html"
        to_html(run(PROGRAM).recording, file, language="en", **options)
        return Player(contexts[-1].new_page(), file, at)

    yield open_it
    for context in contexts:
        context.close()


def test_it_opens_at_the_failure_and_never_stops_where_nothing_changes(told: Callable[..., Player]) -> None:
    player = told()
    count = len(run(PROGRAM).recording)
    assert player.counter() == f"{count} / {count}"
    player.press("Home")
    seen = [player.counter()]
    for _ in range(count):
        player.press("ArrowRight")
        seen.append(player.counter())
    idle = [step.index + 1 for step in run(PROGRAM).recording.steps if step.line in (1, 4, 7)]
    stops = [number for number in range(1, count + 1) if number not in idle]
    assert list(dict.fromkeys(seen)) == [f"{number} / {count}" for number in stops]
    assert player.page.locator("input[type=range]").get_attribute("max") == str(len(stops) - 1)
    assert player.errors == []


def test_a_link_leads_to_the_step_of_that_number(told: Callable[..., Player]) -> None:
    count = len(run(PROGRAM).recording)
    for number in (1, 2, 4, count):
        assert told(at=f"#step={number}").counter() == f"{number} / {count}"


def test_the_story_leads_to_its_steps(told: Callable[..., Player]) -> None:
    player = told()
    chapters = player.page.locator(".ipl-chapter")
    words = [
        "b made",
        "b kept (line 5)",
        "b shares with b",
        "b[0:1].zero_() makes b stale",
        "c.sum().backward() refused",
    ]
    assert [" ".join(each.split()) for each in chapters.all_text_contents()] == words
    assert player.page.locator(".ipl-chapter[aria-current]").count() == 1
    chapters.nth(1).click()
    assert player.text(".ipl-code li[aria-current] code") == "c = b * b"
    player.press("ArrowRight", "ArrowRight")
    assert player.text(".ipl-code li[aria-current] code") == "b[0:1].zero_()"
    assert player.page.evaluate("document.activeElement.textContent").endswith("makes b stale")
    assert all(box["height"] >= 24 and box["width"] >= 24 for box in (each.bounding_box() for each in chapters.all()))
    assert player.errors == []


def test_the_story_fits_a_narrow_window(told: Callable[..., Player]) -> None:
    player = told(width=700)
    for language in range(2):
        if language:
            player.page.locator(".ipl-tongue").click()
        edges = [each.bounding_box() for each in player.page.locator(".ipl-chapter").all()]
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 700 for box in edges)
        controls = [
            each.bounding_box()["y"] for each in player.page.locator(".ipl-toolbar > .ipl-button:visible").all()
        ]
        assert len(set(controls)) == 1, "the controls are in one row"


def test_predict_mode_begins_at_the_beginning_and_tells_nothing(told: Callable[..., Player]) -> None:
    for player in (told(predict=True), told()):
        if not player.page.locator('.ipl-predicting[aria-pressed="true"]').count():
            player.press("p")
        assert int(player.counter().split()[0]) <= 2
        assert not player.page.locator(".ipl-story").is_visible()


def test_a_line_of_code_is_reached_by_keyboard(told: Callable[..., Player]) -> None:
    player = told(at="#step=2")
    player.page.locator(".ipl-code").focus()
    player.press("ArrowDown", "ArrowDown", "Enter")
    assert player.text(".ipl-code li[aria-current] code") == "b = a * 2."
    player.press("ArrowDown", "Enter")
    assert player.text(".ipl-code li[data-here] code") == "m = n"
    assert player.text(".ipl-code li[aria-current] code") == "b = a * 2.", "where the state after this line is seen"
    player.press("ArrowDown", "ArrowDown", "Enter")
    assert player.text(".ipl-code li[aria-current] code") == "b[0:1].zero_()"
