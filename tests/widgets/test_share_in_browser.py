"""The dialog "Share" on an exported page in a real browser, from a file and without a network."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab.recording.queries import changes_nothing
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html, to_markdown
from tests.in_browser import open_page

pytestmark = pytest.mark.browser

LINK, PICTURE, MARKDOWN = ("Copy link to this step", "Save picture (PNG)", "Copy as Markdown")

# A clipboard as the browser has it, but for this page alone.
COPIES = (
    "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async (text) => void (window.copied = text)}})"
)
REFUSES = (
    "Object.defineProperty(navigator, 'clipboard', {value: {writeText: async () => { throw new DOMException('no') }}})"
)
WITHOUT = "Object.defineProperty(navigator, 'clipboard', {value: undefined})"


class Page:
    """A page with a player whose dialog is open."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page, self.file = page, file
        self.errors: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        open_page(page, file)

    def open(self, *keys: str) -> None:
        self.page.locator(".ipl").focus()
        for key in keys:
            self.page.keyboard.press(key)
        self.page.locator("button[title='Share this step…'], button[title='分享这一步…']").click()

    def do(self, name: str) -> None:
        self.page.get_by_role("button", name=name).click()

    def outcome(self, wanted: str) -> None:
        self.page.locator(".ipl-outcome", has_text=wanted).wait_for()


Open = Callable[..., Page]


@pytest.fixture
def open_page_of(chromium: Any, sample: Callable[[str], Recording], tmp_path: Path) -> Iterator[Open]:
    contexts = []

    def opened(name: str, *, language: str = "en", theme: str = "light", clipboard: str = COPIES) -> Page:
        context = chromium.new_context(
            color_scheme=theme, viewport={"width": 1000, "height": 800}, accept_downloads=True
        )
        context.add_init_script(clipboard)
        contexts.append(context)
        to_html(sample(name), tmp_path / "page.html", language=language)
        return Page(context.new_page(), tmp_path / "page.html")

    yield opened
    for context in contexts:
        context.close()


def pixels_of(png: bytes) -> tuple[int, int, list[bytes]]:
    """Returns width, height and rows of an RGBA picture of eight bits."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert (depth, kind) in {(8, 6), (8, 2)}
    size = {6: 4, 2: 3}[kind]
    data, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        data += png[at + 8 : at + 8 + length] if png[at + 4 : at + 8] == b"IDAT" else b""
        at += length + 12
    raw, rows, before = zlib.decompress(data), [], bytes(width * size)
    for y in range(height):
        line = raw[y * (width * size + 1) : (y + 1) * (width * size + 1)]
        before = _unfiltered(line[0], line[1:], before, size)
        rows.append(bytes(part for x in range(width) for part in before[x * size : x * size + 3]))
    return width, height, rows


def _unfiltered(kind: int, line: bytes, above: bytes, size: int) -> bytes:
    found = bytearray(line)
    for k, value in enumerate(line):
        left = found[k - size] if k >= size else 0
        corner = above[k - size] if k >= size else 0
        up = above[k]
        nearest = min((left, up, corner), key=lambda each: abs(left + up - corner - each))
        found[k] = (value + (0, left, up, (left + up) // 2, nearest)[kind]) & 255
    return bytes(found)


def saved(page: Page, name: str = PICTURE) -> tuple[str, bytes]:
    with page.page.expect_download() as expected:
        page.do(name)
    return expected.value.suggested_filename, Path(expected.value.path()).read_bytes()


def test_a_picture_is_saved_as_a_card_that_is_light_on_a_dark_page_too(open_page_of: Open) -> None:
    drawn = []
    for theme in ("light", "dark"):
        page = open_page_of("lesson", theme=theme)
        page.open("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
        name, file = saved(page)
        assert name == "lesson-1-5.png"
        page.outcome("Saved as lesson-1-5.png")
        assert page.errors == []
        drawn.append(pixels_of(file))
    light, dark = drawn
    assert light[:2] == (1200, 675)
    assert light == dark
    colors = {bytes(row[k : k + 3]) for row in light[2] for k in range(0, len(row), 3)}
    assert {
        bytes.fromhex(role) for role in ("ffffff", "fff1c2", "8f5b00")
    } <= colors  # paper, and those of written slots


def test_pictures_of_two_steps_and_languages_differ(open_page_of: Open) -> None:
    page = open_page_of("lesson")
    page.open("End")
    one = saved(page)[1]
    page.page.keyboard.press("Escape")
    page.open("Home")
    other = saved(page)[1]
    page.page.keyboard.press("Escape")
    page.page.locator(".ipl-tongue").click()
    page.open()
    chinese = saved(page, "保存图片（PNG）")[1]
    assert len({one, other, chinese}) == 3


def test_a_link_leads_back_to_the_step(open_page_of: Open) -> None:
    page = open_page_of("lesson")
    page.open("ArrowRight", "ArrowRight")
    assert "Share step 3" in page.page.get_by_role("dialog", name="Share step 3").inner_text()
    page.do(LINK)
    page.outcome("Copied")
    link = page.page.evaluate("window.copied")
    assert link == f"{page.file.as_uri()}#step=3"
    page.page.goto("about:blank")
    page.page.goto(link)
    page.page.locator(".ipl-counter", has_text="3 / 15").wait_for()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["lesson", "hostile", "really_stale", "views"])
def test_markdown_is_that_of_python(
    open_page_of: Open, sample: Callable[[str], Recording], name: str, language: str
) -> None:
    page = open_page_of(name, language=language)
    steps = len(sample(name))
    for step in {each for each in (0, steps // 2, steps - 2) if not changes_nothing(sample(name), each)}:
        page.page.goto(f"{page.file.as_uri()}#step={step + 1}")
        page.page.wait_for_function(f"document.querySelector('.ipl input[type=range]').value == {step}")
        page.open()
        page.do("Copy as Markdown" if language == "en" else "复制为 Markdown")
        page.outcome("Copied" if language == "en" else "已复制")
        assert page.page.evaluate("window.copied") == to_markdown(sample(name), step, language)
        page.page.keyboard.press("Escape")
    assert page.errors == []


@pytest.mark.parametrize("clipboard", [REFUSES, WITHOUT])
def test_what_the_browser_does_not_copy_can_be_copied_by_hand(open_page_of: Open, clipboard: str) -> None:
    page = open_page_of("lesson", clipboard=clipboard)
    page.open()
    page.do(MARKDOWN)
    page.outcome("The browser did not allow copying")
    text = page.page.get_by_role("textbox", name="Text to copy")
    assert text.input_value().startswith("**lesson 1: step 1 of 15")
    chosen = page.page.evaluate(
        "(() => { const at = document.activeElement; return at.value.slice(at.selectionStart, at.selectionEnd) })()"
    )
    assert chosen == text.input_value()
    page.page.keyboard.press("ArrowRight")
    assert page.page.locator(".ipl-counter").inner_text() == "1 / 15", "keys in the text belong to it"
    page.page.keyboard.press("Escape")
    assert not page.page.get_by_role("dialog").is_visible()


def test_the_dialog_is_reached_and_left_by_the_keyboard(open_page_of: Open) -> None:
    page = open_page_of("lesson")
    page.page.locator("button[title='Share this step…']").focus()
    page.page.keyboard.press("Enter")
    assert page.page.get_by_role("dialog").is_visible()
    for name in (LINK, PICTURE, MARKDOWN, "Close"):
        page.page.keyboard.press("Tab")
        assert page.page.evaluate("document.activeElement.textContent") == name
    page.page.keyboard.press("Enter")
    assert not page.page.get_by_role("dialog").is_visible()
    assert page.page.evaluate("document.activeElement.className").startswith("ipl")


def test_the_dialog_says_how_to_get_an_animation_and_asks_for_nothing(open_page_of: Open) -> None:
    page = open_page_of("lesson", language="zh")
    page.open()
    shown = page.page.get_by_role("dialog").inner_text()
    assert "分享第 1 步" in shown
    assert "inplacelab share program.py --gif steps.gif" in shown
    assert "本地文件" in shown
    saved(page, "保存图片（PNG）")
    assert {url.partition(":")[0] for url in page.requests} <= {"file", "blob", "data"}
    assert page.errors == []
