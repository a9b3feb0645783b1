"""Tests the player's modules and style sheets as esbuild has bundled them: what anywidget and an exported page load."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from inplacelab_widgets.page import unpacked
from inplacelab_widgets.player_bundle import for_anywidget, javascript, packed_javascript, stylesheet

ROOT = Path(__file__).parents[2]
BUNDLE = runpy.run_path(str(ROOT / "widgets" / "bundle.py"))
BUNDLED: Path = BUNDLE["BUNDLED"]
IMPORTED = re.compile(r'^(?:import|export) [^"]*"(\.[^"]+)";|^@import "(\.[^"]+)";', re.MULTILINE)
SOURCES = {path.relative_to(BUNDLE["PACKAGE"]): path for path in BUNDLE["sources"]()}


def test_the_bundles_are_made_of_the_sources_as_they_are() -> None:
    written = (BUNDLED / "sources.sha256").read_text(encoding="utf-8").strip()
    assert written == BUNDLE["digest"](), "a source of the player has changed since: make bundle"


@pytest.mark.skipif(
    shutil.which("node") is None or not BUNDLE["ESBUILD"].exists(),
    reason="needs Node.js and esbuild: npm install --no-package-lock",
)
def test_esbuild_makes_the_same_bundles_again(tmp_path: Path) -> None:
    BUNDLE["bundle"](tmp_path)
    assert {path.name for path in BUNDLED.iterdir()} == {path.name for path in tmp_path.iterdir()}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (BUNDLED / path.name).read_bytes(), f"{path.name} is old: make bundle"


def test_every_source_is_in_a_bundle() -> None:
    found: set[Path] = set()
    ahead = [(Path(), entry) for entry in BUNDLE["ENTRIES"].values()]
    while ahead:
        folder, text = ahead.pop()
        for name in re.findall(r'"(\./[^"]+)"', text) if folder == Path() else map("".join, IMPORTED.findall(text)):
            path = folder / name
            if path not in found:
                found.add(path)
                ahead.append((path.parent, SOURCES[path].read_text(encoding="utf-8")))
    assert found == SOURCES.keys()


@pytest.mark.parametrize("compares", [False, True])
def test_the_whole_is_one_module_that_imports_nothing(compares: bool) -> None:
    text = javascript(compares=compares)
    assert not re.search(r"\bimport\b\s*[({\"'\w]", text)
    assert re.findall(r"\bexport\b.*", text) == [text[text.rindex("export") :].strip()]
    assert re.search(r"export\{\w+ as default\};$", text.strip())


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
@pytest.mark.parametrize("name", [name for name in BUNDLE["ENTRIES"] if name.endswith(".js")])
def test_a_bundle_is_javascript(tmp_path: Path, name: str) -> None:
    file = tmp_path / "bundle.mjs"
    file.write_bytes((BUNDLED / name).read_bytes())
    checked = subprocess.run(["node", "--check", str(file)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


def test_it_is_small_since_every_widget_carries_it() -> None:
    # Of these, what follows origins takes 5 kB: it must work in a page without Python.
    assert len(packed_javascript().encode()) < 72_000
    assert len(packed_javascript(compares=True).encode()) < 76_000


def test_only_a_comparison_carries_what_plays_two_programs() -> None:
    assert "ipl-conclusion" in javascript(compares=True)
    assert "ipl-conclusion" not in javascript()
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
              return [typeof player.render, typeof player.default.render, typeof player.default.play];
            }""",
            packed_javascript(),
        )
    finally:
        page.close()
    assert found == ["undefined", "function", "function"]  # anywidget takes `render` alone for an older kind of widget


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


@pytest.mark.parametrize("style", [name for name in SOURCES if name.suffix == ".css" and name.parent.name == "player"])
def test_no_rule_touches_the_page_around_the_player(style: Path) -> None:
    text = re.sub(
        r"/\*.*?\*/|^@import.*$", "", SOURCES[style].read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    for selector in (part.strip() for part in re.findall(r"([^{}]+)\{", text)):
        if not selector.startswith("@"):
            for one in re.split(r",(?![^(]*\))", selector):
                assert re.search(r"(^|\s)\.ipl\b", one.strip()), one
