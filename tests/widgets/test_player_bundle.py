"""Tests the player's modules, joined into the module that anywidget and an exported page load."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from inplacelab_widgets import player_bundle
from inplacelab_widgets.page import unpacked
from inplacelab_widgets.player_bundle import (
    COMPARISON,
    MODULES,
    STYLES,
    for_anywidget,
    javascript,
    packed_javascript,
    source,
    stylesheet,
)
from inplacelab_widgets.scene.palette import css

FOLDER = Path(player_bundle.__file__).parent / "player"
IMPORTED = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+)\.js";$', re.MULTILINE)
ALL = (*MODULES, *COMPARISON)
DEFINED = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def test_every_file_of_the_folder_is_used() -> None:
    assert {file.stem for file in FOLDER.glob("*.js")} == {*ALL}
    assert {file.stem for file in FOLDER.glob("*.css")} == {*STYLES, COMPARISON[-1]}


@pytest.mark.parametrize("compares", [False, True])
def test_the_whole_is_one_module_that_imports_nothing(compares: bool) -> None:
    text = javascript(compares=compares)
    assert not re.search(r"\bimport\b\s*[({\"'\w]", text)
    assert re.findall(r"^export .*$", text, re.MULTILINE) == ["export default { render, play };"]


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.parametrize("compares", [False, True])
def test_the_whole_is_javascript(tmp_path: Path, compares: bool) -> None:
    file = tmp_path / "player.mjs"
    file.write_text(javascript(compares=compares), encoding="utf-8")
    checked = subprocess.run(["node", "--check", str(file)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_no_two_modules_use_a_name_at_their_top_level() -> None:
    names = Counter(name for module in ALL for name in DEFINED.findall(source(module)))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("module", ALL)
def test_a_module_imports_what_stands_before_it_and_is_there(module: str) -> None:
    text = source(module)
    assert len(IMPORTED.findall(text)) == len(re.findall(r"^import", text, re.MULTILINE))
    for names, other in IMPORTED.findall(text):
        assert ALL.index(other) < ALL.index(module)
        assert {name.strip() for name in names.split(",") if name.strip()} <= set(EXPORTED.findall(source(other)))


def test_it_is_small_since_every_widget_carries_it() -> None:
    # Of these, what follows origins takes 5 kB: it must work in a page without Python. What fits pictures to a
    # projector and to a page takes 2 kB; the texts of a program, the calls and the steps of three sizes take 5 kB.
    assert len(packed_javascript().encode()) < 82_000
    assert len(packed_javascript(compares=True).encode()) < 87_000


def test_only_a_comparison_carries_what_plays_two_programs() -> None:
    assert "mountComparison" in javascript(compares=True)
    assert "mountComparison" not in javascript()
    assert "ipl-comparison" in stylesheet(compares=True)
    assert "ipl-comparison" not in stylesheet()


def test_a_widget_unpacks_the_same_player() -> None:
    found = re.search(r'unpacked\("([^"]+)"\)', packed_javascript())
    assert found
    assert unpacked(found[1]).split("\f") == [stylesheet(), javascript()]
    assert not re.search(r"https?:|\bfetch\b", packed_javascript())


@pytest.mark.browser
def test_what_a_widget_unpacks_can_be_imported_and_renders(chromium: Any) -> None:
    page = chromium.new_page()
    try:
        page.goto("about:blank")
        found = page.evaluate(
            """async (text) => {
              const player = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
              return [Object.keys(player), typeof player.default.render, typeof player.default.play];
            }""",
            packed_javascript(),
        )
    finally:
        page.close()
    assert found == [["default"], "function", "function"]


@pytest.mark.browser
def test_a_widget_brings_its_style_sheet_once_to_a_page_and_once_to_a_shadow_root(chromium: Any) -> None:
    page = chromium.new_page()
    try:
        page.goto("about:blank")
        found = page.evaluate(
            """async (text) => {
              const { default: widget } = await import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
              const shadow = document.body.appendChild(document.createElement("div")).attachShadow({ mode: "open" });
              for (const home of [document.body, document.body, shadow, shadow]) {
                const el = home.appendChild(document.createElement("p"));
                el.className = "ipl";
                await widget.render({ el });
              }
              const width = (el) => getComputedStyle(el).borderTopWidth;
              return [...[document, shadow].map((root) => root.querySelectorAll("style").length), ...[document, shadow].map((root) => width(root.querySelector("p")))];
            }""",
            for_anywidget("export default { render() {} };", stylesheet()),
        )
    finally:
        page.close()
    assert found == [1, 1, "1px", "1px"]


def test_no_string_goes_on_over_the_end_of_a_line() -> None:
    # Indentation is dropped, which a template literal of several lines would not survive.
    for module in MODULES:
        for line in _lines_of_code(source(module)):
            assert len(re.findall(r"(?<!\\)`", line.replace('"`"', ""))) % 2 == 0, line


def test_comments_stay_in_the_sources_and_nothing_else_does() -> None:
    assert not re.search("@param|@type", javascript())
    assert not re.search(r"^\s*(//|/\*)", javascript(), re.MULTILINE)
    kept = {line.strip() for line in javascript().splitlines()}
    for module in MODULES:
        code = (re.sub(r"/\*\* @.*?\*/ ", "", line) for line in _lines_of_code(source(module)))
        plain = {line.strip().removeprefix("export ") for line in code}
        assert plain <= kept | {"default { render, play };"}


def _lines_of_code(text: str) -> Iterator[str]:
    commenting = False
    for line in IMPORTED.sub("", text).splitlines():
        bare = line.strip()
        commenting = commenting or bare.startswith("/*")
        if bare and not commenting and not bare.startswith("//"):
            yield line
        commenting = commenting and not bare.endswith("*/")


def test_no_string_of_a_style_sheet_has_a_sign_around_which_blanks_are_dropped() -> None:
    strings = [string for style in STYLES for string in re.findall(r'"[^"]*"', written(style))]
    assert strings
    assert [string for string in strings if re.search(r"\s[{};,>]|[{};,>]\s", string)] == []


@pytest.mark.browser
def test_a_browser_reads_the_same_rules_from_the_style_sheet_as_from_its_sources(chromium: Any) -> None:
    # Blanks after commas are kept in values of custom properties.
    rules = "(text) => {const sheet = new CSSStyleSheet(); sheet.replaceSync(text); return [...sheet.cssRules].map((rule) => rule.cssText.replaceAll(', ', ','))}"
    page = chromium.new_page()
    try:
        tight = page.evaluate(rules, stylesheet())
        wide = page.evaluate(rules, css() + "".join(written(style) for style in STYLES))
    finally:
        page.close()
    assert len(tight) > 100
    assert tight == wide


def written(style: str) -> str:
    """Returns a style sheet from the sources, without comments."""
    return re.sub(r"/\*.*?\*/", "", (FOLDER / f"{style}.css").read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.mark.parametrize("style", STYLES)
def test_no_rule_touches_the_page_around_the_player(style: str) -> None:
    selectors = [part.strip() for part in re.findall(r"([^{}]+)\{", written(style))]
    for selector in selectors:
        if not selector.startswith("@"):
            for one in re.split(r",(?![^(]*\))", selector):
                assert re.search(r"(^|\s)\.ipl\b", one.strip()), one
