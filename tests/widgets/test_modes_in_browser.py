"""Tests in Chromium: stepping by line, pinned highlights, help, presenting, and several views of one recording on a page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip(
    "anywidget", reason="needs the notebook extra: python -m pip install -e '.[lab]'", exc_type=ImportError
)

import inplacelab as paddle
from inplacelab.recording.recording import Recording
from inplacelab.recording.statements import is_long, statements
from inplacelab_widgets import GraphView, MemoryView, MetadataView, Stepper, StorageView, VersionView, View, to_html
from inplacelab_widgets.player_bundle import javascript, stylesheet
from tests.in_browser import imported, open_page, until_it_presents, until_it_presents_no_more, until_still
from tests.recorders.golden.renew import run

pytestmark = pytest.mark.browser

# The part of Jupyter's widget manager and of `jslink` that the player uses.
SHIM = """
function shim(state) {
  const listeners = {};
  return {
    saved: [],
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      for (const callback of listeners[`change:${name}`] ?? []) callback();
    },
    save_changes() { this.saved.push({ ...state, _payload: undefined }); },
    on(event, callback) { (listeners[event] ??= []).push(callback); },
    off(event, callback) { listeners[event] = listeners[event].filter((each) => each !== callback); },
    send({ want }) {
      const answer = () => (listeners["msg:custom"] ?? []).forEach((callback) => callback({ [want]: state._whole }));
      if (window.asked) window.asked.push(answer);
      else answer();
    },
  };
}
function link(one, other, name) {
  one.on(`change:${name}`, () => other.set(name, one.get(name)));
  other.on(`change:${name}`, () => one.set(name, other.get(name)));
}
const views = JSON.parse(document.getElementById("views").textContent);
window.models = views.map((state) => shim(state));
for (const model of models.slice(1)) for (const name of ["step", "language", "mode", "selection", "follow"]) link(models[0], model, name);
window.closers = await Promise.all(models.map((model) => {
  const el = document.body.appendChild(document.createElement("div"));
  return render({ model, el });
}));
"""


def page_of(*views: View, asked: str = "null", **more: Any) -> str:
    """Makes a page with several views, linked to the first, as in a notebook. With `asked="[]"`, questions to the kernel wait there."""
    traits = ("step", "language", "mode", "selection", "follow", "predict", "answers", "toolbar", "_payload", "_whole")
    states = [{name: getattr(view, name) for name in traits} | more for view in views]
    data = json.dumps(states, ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>views</title><style>{stylesheet()}</style>'
        f'</head><body><script type="application/json" id="views">{data}</script>'
        f'<script type="module">window.asked = {asked};\n{imported(javascript())}{SHIM}</script></body></html>'
    )


class Page:
    """A page with one or several players, with its errors."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        open_page(page, file)
        page.locator(".ipl").first.focus()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def counter(self) -> str:
        return str(self.page.locator(".ipl-counter").first.inner_text())

    def line(self) -> str:
        return str(self.page.locator("[aria-current=step] .ipl-number").inner_text())

    def lit(self, player: int = 0) -> set[str]:
        """Returns the highlighted keys in a player."""
        keys = self.page.evaluate(
            "(k) => [...document.querySelectorAll('.ipl')[k].querySelectorAll('svg [data-related]:not([hidden])')]"
            ".map((mark) => mark.dataset.k.split(' ')[0])",
            player,
        )
        return set(keys)

    def steps(self) -> list[int]:
        found: list[int] = self.page.evaluate("() => models.map((model) => model.get('step'))")
        return found


@pytest.fixture
def show(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    contexts = []
    shown: list[Page] = []

    def open_it(html: str, **options: Any) -> Page:
        context = chromium.new_context(offline=True, **{"viewport": {"width": 864, "height": 720}, **options})
        contexts.append(context)
        file = tmp_path / f"{len(contexts)}.html"
        file.write_text(html, encoding="utf-8")
        shown.append(Page(context.new_page(), file))
        return shown[-1]

    yield open_it
    errors = [error for page in shown for error in page.errors]
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def play(show: Callable[..., Page], sample: Callable[[str], Recording]) -> Callable[..., Page]:
    """Opens the exported page of a sample."""

    def play_it(name: str, **options: Any) -> Page:
        return show(to_html(sample(name), language="en"), **options)

    return play_it


# --- by statement -----------------------------------------------------------------------------------------------------

TRAINING = """
w, v = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False), paddle.to_tensor([1., -1.], stop_gradient=False)
sgd = paddle.optimizer.Momentum(0.1, parameters=[w, v])
x = paddle.ones([2, 2])
for epoch in range(3):
    loss = ((x @ w + v) ** 2).mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
"""


@pytest.fixture(scope="module", name="training")
def _training() -> Recording:
    recording = run(TRAINING).recording
    assert is_long(recording)
    return recording


def test_a_long_program_opens_by_statement_and_a_statement_opens_into_its_events(
    show: Callable[..., Page], training: Recording
) -> None:
    page = show(to_html(training, language="en"))
    runs = [each for each in statements(training) if training.steps[each[-1]].line == 8]
    assert page.page.evaluate("() => document.querySelector('.ipl-mode').textContent") == "by statement"
    page.press("Home")
    for _ in range(len(training)):
        if page.line() == "8":
            break
        page.press("ArrowRight")
    counter = page.counter()
    headline = page.page.locator(".ipl-sentence:not(.ipl-room) .ipl-headline")
    whole = headline.inner_text()
    page.press("i")
    assert page.counter() == f"{counter} · 1 / {len(runs[0])}"
    assert headline.inner_text() != whole
    page.press("ArrowRight")
    assert page.counter().endswith(f"2 / {len(runs[0])}")
    page.press("u")
    assert (page.counter(), page.line(), headline.inner_text()) == (counter, "8", whole)
    page.press("i", *["ArrowRight"] * (len(runs[0]) - 1))
    assert page.line() == "8"
    page.press("ArrowRight")  # past the last event, the next statement
    assert page.line() == "9"
    assert "·" not in page.counter()


def test_the_slider_of_a_training_shows_its_phases(show: Callable[..., Page], training: Recording) -> None:
    page = show(to_html(training, language="en"))
    phases = page.page.evaluate("() => [...document.querySelectorAll('.ipl-phase')].map((each) => each.title)")
    assert phases[:3] == ["forward", "backward", "update"]
    assert phases.count("update") == 3


@pytest.mark.parametrize(("width", "count"), [(340, 1), (700, 3), (1280, 3)])
def test_names_of_turns_are_whole_and_apart(
    show: Callable[..., Page], training: Recording, width: int, count: int
) -> None:
    page = show(to_html(training, language="en"), viewport={"width": width, "height": 720}).page
    names = page.evaluate(
        """() => [...document.querySelectorAll(".ipl-turn:not(:empty)")].map((each) => {
          const range = document.createRange();
          range.selectNodeContents(each);
          const { left, right } = range.getBoundingClientRect();
          return { left, right, end: each.getBoundingClientRect().right };
        })"""
    )
    track = page.locator(".ipl-below-slider").bounding_box()
    assert len(names) == count
    assert all(one["right"] < other["left"] for one, other in pairwise(names))
    assert all(each["right"] < each["end"] + 1 <= track["x"] + track["width"] + 1 for each in names)


def test_a_widget_opens_by_statement(show: Callable[..., Page], training: Recording) -> None:
    view = Stepper(training)
    assert (view.mode, Stepper(training, mode="event").mode, StorageView(view).mode) == ("line", "event", "line")
    first = show(page_of(view, asked="[]"))
    assert first.page.locator(".ipl-storages svg:not([data-away]) g:not([hidden])").count() > 0
    first.page.evaluate("() => asked.splice(0).forEach((answer) => answer())")
    first.press("ArrowLeft", "ArrowRight")
    assert first.page.locator(".ipl-storages svg:not([data-away]) g:not([hidden])").count() > 0


# --- by line ----------------------------------------------------------------------------------------------------------


def test_by_line_a_step_is_the_end_of_a_line(play: Callable[..., Page]) -> None:
    page = play("lesson")
    page.press("e")
    assert page.counter() == "1 / 4"
    lines = []
    for _ in range(4):
        lines.append(page.line())
        page.press("ArrowRight")
    assert lines == ["2", "3", "4", "5"], "not line 6, which changes nothing"
    assert (page.counter(), page.line()) == ("4 / 4", "5")
    assert "v0→v1" not in page.page.locator(".ipl-storages svg text:visible").all_text_contents()
    page.press("e")
    assert page.counter() == "14 / 15"


def test_the_slider_has_a_place_for_each_stop(play: Callable[..., Page]) -> None:
    page = play("lesson")
    slider = page.page.get_by_role("slider")
    assert slider.get_attribute("max") == "13"
    page.page.get_by_role("button", name="by event").click()
    assert slider.get_attribute("max") == "3"
    slider.fill("2")
    assert page.line() == "4"
    assert slider.get_attribute("aria-valuetext") == "statement 3 of 4, line 4, forward"


def test_the_pace_is_chosen_by_key_and_by_button(play: Callable[..., Page]) -> None:
    page = play("lesson")
    pace = page.page.locator(".ipl-speed")
    assert pace.inner_text() == "1/s"
    page.press("+", "+", "+", "+")
    assert pace.inner_text() == "8/s"
    page.press("-")
    assert pace.inner_text() == "4/s"
    page.press(" ")
    assert page.page.locator("[role=status]").first.get_attribute("aria-live") in {"off", "polite"}
    page.page.wait_for_function("() => parseInt(document.querySelector('.ipl-counter').textContent) >= 5")
    page.press(" ")
    pace.click()
    pace.click()
    assert pace.inner_text() == "0.5/s"


# --- pinned highlights --------------------------------------------------------------------------------------------------


def test_a_click_keeps_a_thing_lit_and_escape_lets_go(play: Callable[..., Page]) -> None:
    page = play("views")
    page.press("End")
    page.page.locator('.ipl-storages .ipl-chip[data-k^="t2"]:visible').click(force=True)
    kept = page.lit()
    assert "t2" in kept
    assert {"s1:0", "s1:1", "s1:2"} <= kept
    assert "s1:5" not in kept
    page.page.mouse.move(2, 700)
    assert page.lit() == kept
    assert page.page.locator("[data-pinned]").count() > 0
    page.press("Escape")
    assert page.lit() == set()


def test_a_second_click_lets_go(play: Callable[..., Page]) -> None:
    page = play("views")
    card = page.page.locator(".ipl-storages .ipl-chip:visible").first
    card.click(force=True)
    assert page.lit()
    card.click(force=True)
    page.page.mouse.move(2, 700)
    assert page.lit() == set()


def test_arrow_keys_walk_through_the_things_of_a_panel(play: Callable[..., Page]) -> None:
    page = play("views")
    page.press("End")
    page.page.locator(".ipl-storages").focus()
    page.press("ArrowDown")
    assert page.page.locator("[data-here]").get_attribute("data-k").split()[0] in {"s0", "s1"}
    page.press("ArrowDown", "ArrowDown")
    here = page.page.locator("[data-here]").get_attribute("data-k").split()[0]
    assert here in page.lit()
    assert page.page.locator(".ipl-aloud").inner_text()
    page.press("Enter", "Tab")
    assert here in page.lit(), "what Enter keeps stays when the focus goes on"
    assert page.page.locator("[data-here]").count() == 0


def test_a_version_leads_to_the_step_that_raised_it(play: Callable[..., Page]) -> None:
    page = play("lesson")
    page.press(*["ArrowRight"] * 5)
    assert page.counter() == "6 / 15"
    page.page.locator('.ipl-storages .ipl-pill[data-k^="v1 "]:visible').click(force=True)
    assert page.counter() == "5 / 15"
    assert page.line() == "4"


def test_a_pin_leads_to_its_node_and_a_node_to_its_line(play: Callable[..., Page]) -> None:
    page = play("stale")
    page.press("End")
    page.page.get_by_role("button", name="Versions and bytes").click()
    page.page.locator(".ipl-storages .ipl-pin:visible").first.click(force=True)
    assert page.page.get_by_role("button", name="Graph").get_attribute("aria-pressed") == "true"
    assert "n2" in page.lit()
    lines = page.page.locator(".ipl-code li[data-related] .ipl-number").all_inner_texts()
    assert "2" in lines
    assert page.counter() == "10 / 10", "the reader stays where the error is"


# --- help and presenting ------------------------------------------------------------------------------------------------


def test_help_lists_the_keys_and_gives_the_focus_back(play: Callable[..., Page]) -> None:
    page = play("lesson")
    page.press("?")
    listed = page.page.get_by_role("dialog", name="Keys")
    assert listed.is_visible()
    assert {"←", "→", "Home", "Esc", "E", "F"} <= set(listed.locator("kbd").all_inner_texts())
    page.press("Escape", "ArrowRight")
    assert not listed.is_visible()
    assert page.counter() == "2 / 15"


@pytest.mark.parametrize(
    ("fullscreen", "size", "type_sizes"),
    [
        (True, (1280, 720), ["18px", "24px"]),
        (False, (1280, 720), ["18px", "24px"]),
        (True, (1920, 1080), ["20px", "30px"]),
    ],
)
def test_present_fills_the_screen_in_large_type(
    play: Callable[..., Page], size: tuple[int, int], type_sizes: list[str], *, fullscreen: bool
) -> None:
    page = play("stale", viewport={"width": size[0], "height": size[1]})
    if not fullscreen:
        page.page.evaluate(
            "() => { Element.prototype.requestFullscreen = () => Promise.reject(new Error('not here')) }"
        )
    until_still(page.page)
    before = page.page.locator(".ipl").bounding_box()
    page.press("f")
    until_it_presents(page.page)
    box = page.page.locator(".ipl").bounding_box()
    assert (box["x"], box["y"], box["width"]) == (0, 0, page.page.evaluate("() => innerWidth"))
    assert box["height"] == page.page.evaluate("() => innerHeight")
    sizes = page.page.evaluate(
        "() => ['.ipl-code code', '.ipl-sentence[role=status] .ipl-headline'].map(name => getComputedStyle(document.querySelector(name)).fontSize)"
    )
    assert sizes == type_sizes
    heights = [button.bounding_box()["height"] for button in page.page.locator(".ipl-toolbar button:visible").all()]
    assert min(heights) >= 44
    page.press("ArrowRight")
    assert page.counter() == "2 / 10"
    page.press("Escape")
    until_it_presents_no_more(page.page)
    until_still(page.page)
    assert page.page.locator(".ipl").bounding_box() == before


def test_present_leaves_nothing_outside_the_screen(play: Callable[..., Page]) -> None:
    page = play("really_views", viewport={"width": 1280, "height": 720})
    page.press("f", "End")
    until_it_presents(page.page)
    for part in (".ipl-toolbar", ".ipl-code", ".ipl-storages", ".ipl-views", ".ipl-saying"):
        box = page.page.locator(part).bounding_box()
        assert box["height"] > 40, part
        assert box["y"] + box["height"] <= 721, part
        assert box["x"] + box["width"] <= 1281, part


@pytest.mark.parametrize("present", [False, True])
def test_versions_and_bytes_that_are_chosen_have_the_whole_width(play: Callable[..., Page], *, present: bool) -> None:
    page = play("stale", viewport={"width": 1320, "height": 720})
    if present:
        page.press("f")
        until_it_presents(page.page)
    page.press("l")
    until_still(page.page)
    history = page.page.locator(".ipl-history").bounding_box()
    assert history["x"] < 20
    assert history["width"] > 1250


def test_a_card_is_seen_whole_on_a_projector(play: Callable[..., Page]) -> None:
    page = play("lesson", viewport={"width": 1280, "height": 720})
    page.press("f", "ArrowRight", "ArrowRight", "ArrowRight")
    until_it_presents(page.page)
    cards = [card.bounding_box() for card in page.page.locator(".ipl-storages .ipl-chip:visible").all()]
    assert cards
    assert max(card["x"] + card["width"] for card in cards) <= 1280


def test_a_view_without_a_sentence_of_its_own_presents_too(
    show: Callable[..., Page], sample: Callable[[str], Recording]
) -> None:
    stepper = Stepper(sample("stale"))
    page = show(page_of(stepper, StorageView(stepper)))
    view = page.page.locator(".ipl").nth(1)
    view.focus()
    page.press("f")
    until_it_presents(page.page)
    assert "ipl-present" in str(view.get_attribute("class"))
    page.press("Escape")
    until_it_presents_no_more(page.page)


# --- code and height ----------------------------------------------------------------------------------------------------


def test_code_is_wrapped_at_its_punctuation(play: Callable[..., Page]) -> None:
    page = play("really_views", viewport={"width": 864, "height": 720})
    line = page.page.locator(".ipl-code li code").first
    assert line.inner_text() == "a = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"
    begins = line.evaluate(
        """(code) => {
          const range = document.createRange();
          const found = [];
          let top = null;
          for (const node of code.childNodes) for (let k = 0; k < (node.length ?? 0); k += 1) {
            range.setStart(node, k); range.setEnd(node, k + 1);
            const box = range.getClientRects()[0];
            if (!box || !box.width) continue;
            if (top !== null && box.top > top + 4) found.push(node.textContent.slice(k, k + 1));
            top = box.top;
          }
          return found;
        }"""
    )
    assert begins, "the line is wrapped"
    assert not any(character.isalpha() for character in begins), "no word is broken"


@pytest.mark.parametrize("name", ["lesson", "stale", "views", "really_views"])
def test_a_usual_program_stays_low(play: Callable[..., Page], name: str) -> None:
    page = play(name)
    # As in a notebook; on a separate page the player fills the window.
    page.page.evaluate(
        "() => { document.querySelector('.ipl').classList.remove('ipl-standalone'); dispatchEvent(new Event('resize')) }"
    )
    until_still(page.page)
    heights = set()
    for key in ("Home", "ArrowRight", "ArrowRight", "End"):
        page.press(key)
        heights.add(page.page.locator(".ipl").bounding_box()["height"])
    assert len(heights) == 1
    assert heights.pop() <= 600, "it fits into JupyterLab on a screen of 1280 × 800"


# --- views ----------------------------------------------------------------------------------------------------------------


def all_views(recording: Recording) -> list[View]:
    stepper = Stepper(recording, step=0)
    return [stepper, *(kind(stepper) for kind in (StorageView, MetadataView, VersionView, GraphView, MemoryView))]


def test_views_of_one_recording_go_together(show: Callable[..., Page], sample: Callable[[str], Recording]) -> None:
    page = show(page_of(*all_views(sample("stale"))))
    assert page.page.locator(".ipl-toolbar").count() == 1
    assert page.page.locator(".ipl-title").all_inner_texts() == [
        "Memory: storages and tensors",
        "Elements",
        "Versions",
        "Graph",
        "Bytes",
    ]
    page.press("ArrowRight", "ArrowRight")
    assert page.steps() == [2] * 6
    page.page.locator(".ipl").nth(4).focus()
    page.press("End")
    assert page.steps() == [9] * 6
    assert "stale" in " ".join(page.page.locator(".ipl").nth(1).locator("svg text:visible").all_text_contents())
    page.page.locator(".ipl").first.focus()
    for key in ("ArrowLeft",) * 6:
        page.press(key)
    page.page.wait_for_timeout(300)
    assert page.steps() == [3] * 6, "no view goes back to where it has been"


def test_what_python_sets_reaches_every_view(show: Callable[..., Page], sample: Callable[[str], Recording]) -> None:
    page = show(page_of(*all_views(sample("stale"))))
    page.page.evaluate(
        "() => { models[0].set('step', 4); models[0].set('language', 'zh'); models[0].set('selection', 't2') }"
    )
    assert page.steps() == [4] * 6
    assert {root.get_attribute("lang") for root in page.page.locator(".ipl").all()} == {"zh-Hans"}
    assert all("t2" in page.lit(k) for k in (0, 1))


def test_what_is_kept_in_one_view_is_lit_in_the_others(
    show: Callable[..., Page], sample: Callable[[str], Recording]
) -> None:
    page = show(page_of(*all_views(sample("stale"))))
    page.press("End")
    page.page.locator(".ipl").nth(4).locator(".ipl-node:visible").first.click(force=True)
    chosen = page.page.evaluate("() => models.map((model) => model.get('selection'))")
    assert len(set(chosen)) == 1
    assert chosen[0].startswith("n")
    assert chosen[0] in page.lit(0)
    assert chosen[0] in page.lit(4)
    assert page.page.evaluate("() => models[4].saved.at(-1).selection") == chosen[0]
    # The view of the graph has no cards, but it links tensors to their nodes.
    page.page.evaluate("() => models[0].set('selection', 't2')")
    assert "n1" in page.lit(4)


def test_a_view_that_is_closed_follows_no_longer(show: Callable[..., Page], sample: Callable[[str], Recording]) -> None:
    page = show(page_of(*all_views(sample("lesson"))[:2]))
    second = page.page.locator(".ipl").nth(1)
    before = second.locator("desc").first.text_content()
    page.page.evaluate("() => closers[1]()")
    page.press("End")
    assert second.locator("desc").first.text_content() == before


@pytest.mark.parametrize("kind", [StorageView, MetadataView, VersionView, GraphView, MemoryView])
def test_a_view_by_itself_can_be_stepped_in_the_dark(
    show: Callable[..., Page], sample: Callable[[str], Recording], kind: type[View]
) -> None:
    page = show(kind(sample("stale")).to_html(), color_scheme="dark")
    assert page.page.locator(".ipl").evaluate("root => getComputedStyle(root).backgroundColor") == "rgb(33, 33, 33)"
    assert page.page.locator(".ipl-code, .ipl-chooser").count() == 0
    page.press("End")
    assert page.counter() == "10 / 10"
    said = page.page.locator("[role=status]").inner_text()
    assert "was refused: line 3 had overwritten b" in said
    assert "Line 3: overwritten by add_" in said
    assert page.page.locator(".ipl-pane svg:visible").count() == 1


# --- the first picture ----------------------------------------------------------------------------------------------------

BOXES = """() => [...document.querySelectorAll('.ipl, .ipl-pane:not(.ipl-closed), .ipl-code, .ipl-sentence, .ipl-toolbar')]
  .map((part) => [part.className, ...Object.values(part.getBoundingClientRect().toJSON())])"""
ANSWER = "() => asked.forEach((answer) => answer())"


def training() -> Recording:
    """More steps than travel with a widget."""
    with paddle.record(title="training") as made:
        model = paddle.nn.Sequential(paddle.nn.Linear(3, 4), paddle.nn.ReLU(), paddle.nn.Linear(4, 2))
        optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
        for _ in range(8):
            loss = (model(paddle.ones([2, 3])) ** 2).mean()
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
    assert made.recording is not None
    return made.recording


@pytest.mark.parametrize("step", [0, 203])
def test_nothing_moves_when_the_whole_takes_the_place_of_the_first_picture(
    show: Callable[..., Page], tmp_path: Path, step: int
) -> None:
    shown = show(page_of(Stepper(training(), step=step), asked="[]"))
    page = shown.page
    until_still(page)
    assert page.locator(".ipl").get_attribute("aria-busy") == "true"
    # Without the frame: its round corners are not always drawn alike.
    inside = {"x": 30, "y": 30, "width": 800, "height": 480}
    boxes, before = page.evaluate(BOXES), page.screenshot(path=tmp_path / "first.png", clip=inside)
    page.evaluate(ANSWER)
    page.wait_for_selector(".ipl:not([aria-busy])")
    until_still(page)
    after = page.screenshot(path=tmp_path / "whole.png", clip=inside)
    assert page.evaluate(BOXES) == boxes
    assert page.evaluate("() => document.querySelector('.ipl').contains(document.activeElement)")
    assert before == after


def test_a_step_waits_for_the_whole(show: Callable[..., Page]) -> None:
    shown = show(page_of(Stepper(training(), step=0, mode="event"), asked="[]"))
    count = len(training())
    shown.press("ArrowRight", "ArrowRight", "ArrowRight")
    assert shown.counter() == f"1 / {count}"
    assert "still to come" in shown.page.locator(".ipl-sentence[role=status]").inner_text()
    shown.page.evaluate(ANSWER)
    shown.page.wait_for_selector(".ipl:not([aria-busy])")
    assert shown.counter() == f"4 / {count}"
    assert "still to come" not in shown.page.locator(".ipl-sentence[role=status]").inner_text()
    assert shown.steps() == [3]
    shown.press("ArrowRight")
    assert shown.counter() == f"5 / {count}"


def test_a_step_can_be_shared_when_the_whole_is_there(show: Callable[..., Page]) -> None:
    """A notebook has no link to a step, and the dialog says so."""
    page = show(page_of(Stepper(training(), step=0), asked="[]")).page
    button = page.locator("button[title='Share this step…']")
    assert button.is_disabled()
    page.evaluate(ANSWER)
    page.wait_for_selector(".ipl:not([aria-busy])")
    button.click()
    dialog = page.get_by_role("dialog", name="Share step 1")
    assert "A step in a notebook has no link" in dialog.inner_text()
    assert dialog.get_by_role("button").all_inner_texts() == ["Save picture (PNG)", "Copy as Markdown", "Close"]


def test_without_a_kernel_a_first_picture_leaves_the_place_to_the_static_copy(show: Callable[..., Page]) -> None:
    small, large = Stepper(training(), layout={}), Stepper(training())
    small._payload = small._whole
    shown = show(page_of(small, large, layout={"comm_live": False}))
    assert shown.page.locator(".ipl").count() == 1


def test_fixes_are_tried_by_a_button_only_where_there_is_a_kernel(
    show: Callable[..., Page], sample: Callable[[str], Recording]
) -> None:
    trial = [["To check:", "检验："], ["Try these fixes", "尝试这些改法"]]
    stepper = Stepper(sample("stale"), step=-1)
    stepper._payload = stepper._whole
    page = show(page_of(stepper, asked="[]", _trial=trial)).page
    button = page.get_by_role("button", name="Try these fixes")
    button.focus()
    before = page.evaluate("() => asked.length")
    page.keyboard.press("Enter")
    assert page.evaluate("() => asked.length") == before + 1
    page.evaluate("() => models[0].set('_trial', [['Running', '正在运行'], ['Cancel', '取消']])")
    assert page.get_by_role("button", name="Cancel").evaluate("button => button === document.activeElement")
    page.evaluate("() => models[0].set('language', 'zh')")
    assert "正在运行" in page.locator("[role=status]").inner_text()
    page.locator(".ipl").focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="取消").wait_for(state="detached")
    gone = show(page_of(stepper, layout={"comm_live": False}, _trial=trial)).page
    assert gone.get_by_role("button", name="Try these fixes").count() == 0
