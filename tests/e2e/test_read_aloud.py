"""The player for a screen reader: Chromium's accessibility tree, what is announced, the order of things, and the focus."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from inplacelab.kernels.launch import Launch, Operand
from inplacelab.recording.recording import Recording
from inplacelab_widgets import KernelView, to_html
from tests.in_browser import open_page, until_it_plays

pytestmark = pytest.mark.browser

LONGEST = 500
"""Maximum length of the announcement of a step, in characters."""

# What is announced from now on: one entry for each time that words come into a live region.
LISTEN = """() => {
    window.announced = []
    for (const region of document.querySelectorAll('.ipl [aria-live], .ipl [role=status]')) {
        new MutationObserver(() => region.textContent && window.announced.push(region.textContent))
            .observe(region, { childList: true, characterData: true, subtree: true })
    }
}"""
ANNOUNCED = "() => new Promise((done) => setTimeout(() => done(window.announced.splice(0)), 50))"
REMEMBER = "() => { window.focused = document.activeElement }"
IS_FOCUSED = "() => document.activeElement === window.focused"
LANGUAGE_OF = "(each) => each.closest('[lang]').lang"


class Node(NamedTuple):
    """A node of the accessibility tree that a reader meets."""

    role: str
    name: str
    description: str
    takes_focus: bool
    inside: tuple[str, ...]
    parent: str


def heard_tree(page: Any) -> Iterator[Node]:
    """The nodes that are not ignored, in reading order; `inside` has the roles around a node, `parent` the next name above it."""
    nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    by_id = {node["nodeId"]: node for node in nodes}

    def walk(node: dict[str, Any], inside: tuple[str, ...], parent: str) -> Iterator[Node]:
        role, name, said = (node.get(key, {}).get("value", "") for key in ("role", "name", "description"))
        focus = any(each["name"] == "focusable" and each["value"]["value"] for each in node.get("properties", ()))
        if not node.get("ignored"):
            yield Node(role, name, said, focus, inside, parent)
            inside, parent = (*inside, role), name or parent
        for child in node.get("childIds", ()):
            if child in by_id:
                yield from walk(by_id[child], inside, parent)

    return walk(nodes[0], (), "")


def wrong(page: Any) -> list[str]:
    """What a reader would stumble over."""
    found = []
    for node in heard_tree(page):
        own = f"{node.role} {node.name!r}"
        if node.takes_focus and node.role != "option" and not node.name:
            found.append(f"without a name: {own}")
        if node.name and node.name == node.description:
            found.append(f"said twice: {own}")
        if node.role == "image" and (not node.name or node.name == node.parent):
            found.append(f"a picture without a description: {own}")
        if node.role == "StaticText" and "image" in node.inside:
            found.append(f"read out of a picture: {own}")
    return found


def test_what_is_wrong_is_found(chromium: Any) -> None:
    page = chromium.new_page()
    page.set_content(
        "<title>wrong</title><button></button><button aria-label=Play title=Play></button>"
        "<svg role=img width=9 height=9><text>0</text></svg>"
    )
    assert [each.split(":")[0] for each in wrong(page)] == [
        "without a name", "said twice", "a picture without a description", "read out of a picture",
    ]  # fmt: skip
    page.close()


STATES: dict[str, tuple[str, ...]] = {
    "at the first step": ("Home",),
    "at the error": ("End",),
    "with versions and bytes": ("End", "l"),
    "with the elements": ("End", "t"),
    "asking": ("Home", "p", "ArrowRight", "ArrowRight", "ArrowRight"),
    "with the keys": ("?",),
}


@pytest.fixture(params=["en", "zh"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def player(chromium: Any, everything: Recording, tmp_path: Path, language: str) -> Iterator[Any]:
    to_html(everything, tmp_path / "page.html", language=language)
    page = chromium.new_page(viewport={"width": 848, "height": 900})
    open_page(page, tmp_path / "page.html")
    page.locator(".ipl").focus()
    yield page
    page.close()


@pytest.fixture
def launch(chromium: Any, tmp_path: Path, language: str) -> Iterator[Any]:
    x = Operand("x", "reads", "float32", (64, 64), (1, 64), 0, 16384)
    out = Operand("out", "writes", "float32", (64, 64), (64, 1), 0, 16384)
    ran = Launch("relu", "strided", (16, 1, 1), (256, 1, 1), 1, "float32", (x, out), 16384, 16384)
    KernelView([ran, ran]).to_html(tmp_path / "launch.html", language=language)
    page = chromium.new_page(viewport={"width": 848, "height": 900})
    open_page(page, tmp_path / "launch.html")
    page.locator(".ipl").focus()
    yield page
    page.close()


def press(page: Any, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_every_control_has_a_name_and_no_picture_is_noise(player: Any) -> None:
    found = {}
    for state, keys in STATES.items():
        player.reload()
        until_it_plays(player)
        player.locator(".ipl").focus()
        press(player, *keys)
        found[state] = wrong(player)
    player.reload()
    until_it_plays(player)
    player.locator(".ipl-as-table").click()
    found["with the tables"] = wrong(player)
    assert {state: complaints for state, complaints in found.items() if complaints} == {}


def test_of_a_launch_too(launch: Any) -> None:
    launch.locator(".ipl-as-table").click()
    launch.locator("table").last.wait_for()
    assert wrong(launch) == []


def test_a_step_is_announced_once_and_briefly(player: Any) -> None:
    press(player, "Home")
    player.evaluate(LISTEN)
    texts = []
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        press(player, key)
        (said,) = player.evaluate(ANNOUNCED)
        assert said.split() == player.locator("[role=status]").inner_text().split()
        texts.append(said)
    assert len(set(texts)) == len(texts)
    assert max(map(len, texts)) < LONGEST


def test_what_is_no_step_is_not_announced(player: Any) -> None:
    press(player, "End")
    player.evaluate(LISTEN)
    press(player, "l", "t", "g", "p", "p", "?", "Escape", "ArrowRight")
    player.locator(".ipl-as-table").click()
    player.set_viewport_size({"width": 1300, "height": 900})
    assert player.evaluate(ANNOUNCED) == []


def test_an_answer_is_announced_with_its_step(player: Any) -> None:
    press(player, *STATES["asking"])
    asked = player.locator(".ipl-predict")
    player.evaluate(LISTEN)
    asked.locator("button[type=submit]").click()
    assert len(player.evaluate(ANNOUNCED)) == 1  # that an answer is missing
    for field in asked.locator("fieldset").all():
        field.locator("input").first.check()
    asked.locator("button[type=submit]").click()
    announced = [" ".join(each.split()) for each in player.evaluate(ANNOUNCED)]
    # The headline and its detail are lines of their own.
    said = " ".join(player.locator("[role=status]").inner_text().split())
    assert sorted(announced) == sorted([announced[0], said])
    assert all(verdict.inner_text() in "".join(announced) for verdict in asked.locator(".ipl-why strong").all())


def test_a_picked_thread_is_announced_once(launch: Any) -> None:
    launch.evaluate(LISTEN)
    press(launch, "ArrowRight")
    (said,) = launch.evaluate(ANNOUNCED)
    assert len(said) < LONGEST
    assert "x: " in said or "x：" in said


def test_words_are_in_the_language_that_they_say_they_are(player: Any, language: str) -> None:
    tags = {"en": "en", "zh": "zh-Hans"}
    other = "zh" if language == "en" else "en"
    for now, then in ((language, other), (other, language)):
        assert player.locator("[role=status]").evaluate(LANGUAGE_OF) == tags[now]
        assert player.locator(".ipl-aloud").evaluate(LANGUAGE_OF) == tags[now]
        tongue = player.locator(".ipl-tongue")
        assert tongue.locator("span").evaluate(LANGUAGE_OF) == tags[then]
        assert tongue.evaluate(LANGUAGE_OF) == tags[now]  # that of its hint
        tongue.click()
    assert player.evaluate("() => document.documentElement.lang") == tags[language]


def test_it_reads_from_the_controls_over_the_picture_to_the_tables(player: Any) -> None:
    press(player, "End")
    player.locator(".ipl-as-table").click()
    roles = [node.role for node in heard_tree(player)]
    order = [roles.index(role) for role in ("region", "toolbar", "list", "image", "status", "table")]
    assert order == sorted(order)


def test_the_line_that_runs_has_its_number(player: Any) -> None:
    press(player, "Home", "ArrowRight", "ArrowRight")
    numbers = [node.name for node in heard_tree(player) if node.role == "StaticText" and "list" in node.inside]
    assert [name for name in numbers if name.isdigit()] == [str(k + 1) for k in range(7)]
    assert player.locator("li[aria-current=step]").inner_text().split() == ["3", "c", "=", "b", "*", "b"]


def test_the_focus_stays_where_it_is_while_stepping(player: Any) -> None:
    press(player, "Home")
    player.locator(".ipl-as-table").click()
    places = [".ipl", "input[type=range]", ".ipl-toolbar button >> nth=3", ".ipl-code", ".ipl-pane", ".ipl-as-table"]
    for place in places:
        player.locator(place).first.focus()
        player.evaluate(REMEMBER)
        status = player.locator("[role=status]").inner_text()
        press(player, "ArrowRight")
        assert player.evaluate(IS_FOCUSED)
        assert player.locator("[role=status]").inner_text() != status


@pytest.mark.parametrize("key", ["Tab", "Shift+Tab"])
def test_the_focus_gets_out_again(player: Any, key: str) -> None:
    around = "() => document.body.append(Object.assign(document.createElement('button'), { id: 'after' }))"
    before = "() => document.body.prepend(Object.assign(document.createElement('button'), { id: 'before' }))"
    player.evaluate(around)
    player.evaluate(before)
    for keys in (("Home",), STATES["asking"]):
        player.locator(".ipl").focus()
        press(player, *keys)
        start, goal = ("#before", "after") if key == "Tab" else ("#after", "before")
        player.locator(start).focus()
        for _ in range(60):
            press(player, key)
            if player.evaluate("() => document.activeElement.id") == goal:
                break
        assert player.evaluate("() => document.activeElement.id") == goal


def test_a_key_with_ctrl_is_the_page_s(player: Any) -> None:
    """JupyterLab takes no shortcut from within an element with this attribute: "b" would insert a cell. But Ctrl+S saves."""
    player.evaluate(
        "() => addEventListener('keydown', ({ target }) => (window.kept = !!target.closest('[data-lm-suppress-shortcuts]')))"
    )
    kept: Callable[[], Any] = lambda: player.evaluate("() => window.kept")  # noqa: E731
    for keys, is_kept in (("b", True), ("Control+k", False), ("x", True), ("Alt+j", False)):
        press(player, keys)
        assert kept() == is_kept
