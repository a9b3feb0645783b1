"""Opens the playground in Chromium, with the network shut: type, run, step, stop, share, and come back without a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.site

HOSTILE = "<img src=x onerror=alert(1)>"
PROGRAM = f"""\
import inplacelab as paddle

a = paddle.to_tensor([1., 2.], stop_gradient=False)
b = a * 2.
v = b[0:1]
v.scale_(3.)
print("{HOSTILE}", b.tolist())
"""


def _says(page: Any, what: str) -> None:
    page.wait_for_selector(f"#status[data-says={what}]")


def _type(page: Any, program: str) -> None:
    page.click(".cm-content")
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(program)


def _run(page: Any, program: str) -> None:
    _type(page, program)
    page.keyboard.press("Control+Enter")
    _says(page, "ran")


def _link(page: Any) -> str:
    page.click("#share")
    page.wait_for_selector("#dialog[open] button.main:enabled")
    link: str = page.input_value("#dialog textarea")
    page.keyboard.press("Escape")
    return link


def test_type_run_step_share_and_open_the_link(playground_url: str, visitor: Callable[..., Any]) -> None:
    page = visitor().open(playground_url)
    page.wait_for_selector("#picture .ipl")  # a stored picture, which needs no Python
    assert page.get_attribute("#status", "data-says") != "ready"
    _run(page, PROGRAM)
    assert page.inner_text("#output pre").startswith(f"{HOSTILE} [6.0, 4.0]")
    assert page.locator("#output img").count() == 0
    # Type, Ctrl-Enter, step: the arrow keys are the player's.
    counter = page.locator("#picture .ipl-counter")
    before = counter.inner_text()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert counter.inner_text() != before
    assert counter.inner_text().startswith("2 / ")
    assert page.locator(".cm-line.line-now").inner_text() == "b = a * 2."
    link = _link(page)
    assert "&step=2" in link

    other = visitor().open(link)
    other.wait_for_selector("#picture figure img")
    assert other.locator(".cm-content").inner_text().startswith("import inplacelab as paddle")
    _says(other, "ready")
    assert other.locator("#picture .ipl").count() == 0, "a link's program ran unasked"
    assert not other.is_visible("#output")
    other.click("#run")
    _says(other, "ran")
    assert other.locator("#picture .ipl-counter").inner_text().startswith("2 / ")


def test_stop_ends_a_program_that_never_ends_and_its_output_is_bounded(
    playground_url: str, visitor: Callable[..., Any]
) -> None:
    page = visitor().open(playground_url)
    _says(page, "ready")
    _type(page, "while True:\n    print('x' * 1000)\n")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("#output pre:has-text('cut here')")
    assert len(page.inner_text("#output pre")) < 52_000
    page.click("#language")  # the page does not freeze
    assert page.inner_text("#stop") == "停止"
    page.click("#stop")
    _says(page, "ready")
    _run(page, PROGRAM)


def test_an_error_shows_its_fix_which_goes_into_the_editor_and_runs(
    playground_url: str, visitor: Callable[..., Any]
) -> None:
    page = visitor().open(f"{playground_url}#example=07-refused")
    page.wait_for_selector("#picture .ipl")
    assert page.locator(".cm-line.line-bad").count() == 1
    before = page.inner_text(".cm-content")
    page.get_by_text("Show it fixed").locator("visible=true").first.click()
    page.locator(".ipl-fix").first.get_by_role("button", name="Put it into the editor").click()
    _says(page, "ran")
    assert page.inner_text(".cm-content") != before
    assert page.locator(".cm-line.line-bad").count() == 0
    _type(page, "x = (1\n")
    page.keyboard.press("Control+Enter")
    _says(page, "syntax")
    assert "SyntaxError" in page.inner_text("#output pre")


def test_what_a_program_reaches(playground_url: str, visitor: Callable[..., Any]) -> None:
    guest = visitor()
    page = guest.open(playground_url)
    _says(page, "ready")
    _run(
        page,
        "import js\n"
        "print([name for name in ('indexedDB', 'caches', 'navigator', 'Worker') if getattr(js, name, None) is not None])\n"
        "request = js.XMLHttpRequest.new()\n"
        "request.open('GET', 'http://127.0.0.1:1/elsewhere', False)\n"
        "try:\n    request.send()\n    print('sent')\nexcept Exception:\n    print('refused')\n"
        "import inplacelab\nx = inplacelab.ones([1])\n",
    )
    assert page.inner_text("#output pre").split() == ["[]", "refused"]


def test_the_second_visit_works_without_a_network(
    playground_site: Path, serve: Callable[..., Any], visitor: Callable[..., Any]
) -> None:
    guest = visitor()
    with serve(playground_site) as server:
        address = f"{server.url}playground/"
        page = guest.open(address)
        _says(page, "ready")
        page.wait_for_load_state("networkidle")
        page.close()
    again = guest.open(address)
    again.wait_for_selector("#picture .ipl")
    _run(again, PROGRAM)


def test_chinese_dark_and_a_phone(
    playground_url: str, visitor: Callable[..., Any], axe_page: Callable[..., Any]
) -> None:
    guest = visitor(
        locale="zh-CN", color_scheme="dark", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = guest.open(playground_url)
    page.wait_for_selector("#picture .ipl")
    assert page.inner_text("#run").startswith("运行")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), "wider than the screen"
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(33, 33, 33)"
    page.tap("#picture .ipl-button:nth-child(2)")
    page.tap("label:has(input[value=torch])")
    page.wait_for_selector(".cm-content:has-text('inplacelab.torch')")
    assert axe_page(page) == []


def test_an_embedded_link_shows_its_picture_and_loads_no_python(
    playground_site: Path, serve: Callable[..., Any], visitor: Callable[..., Any]
) -> None:
    with serve(playground_site) as server:
        (playground_site / "slides.html").write_text(
            '<iframe src="playground/?embed#example=07-refused" width="900" height="600"></iframe>', encoding="utf-8"
        )
        page = visitor().open(f"{server.url}slides.html")
        frame = page.frame_locator("iframe")
        frame.locator("#picture .ipl").wait_for()
        assert frame.locator("#status").get_attribute("data-says") == "press_run"
        assert not frame.locator("#editor").is_visible()
        frame.locator("#run").click()
        frame.locator("#status[data-says=ran]").wait_for()
        assert frame.locator("#editor").is_visible()


@pytest.mark.parametrize(
    "hash_", ["#code=AAAA", "#code=%%%", "#example=../../etc", "#step=99999999", "#code=" + "A" * 500_000]
)
def test_a_damaged_link_says_so_and_changes_nothing_else(
    playground_url: str, visitor: Callable[..., Any], hash_: str
) -> None:
    page = visitor().open(f"{playground_url}?embed{hash_}")
    page.wait_for_selector("#picture .ipl")
    assert page.locator("#picture .ipl-counter").is_visible()
