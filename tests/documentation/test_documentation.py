"""The built documentation: links have targets, every public name is there, tables can be searched, and the players of the gallery step."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import badges
from documentation import gallery, lessons

ROOT = Path(__file__).parents[2]
LANGUAGES = ("en", "zh")
ELSEWHERE = ("http:", "https:", "data:", "mailto:", "javascript:")

in_both_languages = pytest.mark.parametrize("language", LANGUAGES)


class _Page(HTMLParser):
    """The addresses in a page, and its anchors."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if "href" in given:
            (self.loaded if tag == "link" and given.get("rel") == "stylesheet" else self.targets).append(given["href"])
        if "src" in given:
            self.loaded.append(given["src"])


def _pages(site: Path) -> Iterator[tuple[Path, _Page]]:
    for file in sorted(site.rglob("*.html")):
        if not file.name.endswith(".player.html"):  # one file, tested where pages are exported
            yield file, _Page(file)


@pytest.mark.standard
def test_links_lead_to_pages_and_anchors_that_exist(site: Path) -> None:
    pages = dict(_pages(site))
    assert len(pages) > 100
    broken = []
    for file, page in pages.items():
        for target in (*page.targets, *page.loaded):
            if target.startswith(ELSEWHERE):
                continue
            parts = urlsplit(target)
            aim = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchor = unquote(parts.fragment)
            if not aim.is_file() or (anchor and aim in pages and anchor not in pages[aim].anchors):
                broken.append(f"{file.relative_to(site)}: {target}")
    assert broken == []


@pytest.mark.standard
def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    assert [(file.name, each) for file, page in _pages(site) for each in page.loaded if each.startswith("http")] == []


@pytest.mark.standard
@in_both_languages
def test_every_public_name_has_an_entry(site: Path, language: str) -> None:
    from sphinx.util.inventory import InventoryFile  # noqa: PLC0415

    from documentation.reference import PAGES, public_names  # noqa: PLC0415  # after `site` has looked for Sphinx

    found = InventoryFile.loads((site / language / "objects.inv").read_bytes(), uri="")
    described = {name for kind, names in found.data.items() if kind.startswith("py:") for name in names}
    modules = {"inplacelab", *(module for page in PAGES for module in page.modules)}
    wanted = {f"{name}.{each}" for name in modules for each in public_names(__import__(name, fromlist=["_"]))}
    assert len(wanted) > 700
    assert wanted - described == set()


@pytest.mark.standard
def test_the_text_for_language_models_lists_pages_that_exist(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    targets = [part.partition(")")[0] for part in text.split("](")[1:]]
    assert len(targets) >= 15
    assert "en/for_assistants.md" in targets
    assert [target for target in targets if not (site / target).is_file()] == []


def test_the_gallery_has_twenty_programs_with_their_questions() -> None:
    assert len(gallery.entries()) == 20
    assert {entry.file for entry in gallery.entries()} == {*gallery.PROGRAMS.glob("*.py")}


@pytest.mark.standard
@pytest.mark.parametrize("entry", gallery.entries(), ids=lambda entry: entry.key)
def test_a_program_of_the_gallery_ends_as_its_answer_says(entry: gallery.Entry) -> None:
    command = [sys.executable, "-c", "import runpy, sys; runpy.run_path(sys.argv[1])", str(entry.file)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if ran.returncode:
        assert f"\n{entry.ends}" in ran.stderr
    else:
        assert ran.stdout.splitlines()[-1] == entry.ends


def _opened(chromium: Any, file: Path, **options: Any) -> tuple[Any, list[str]]:
    """A page in Chromium, and the addresses that it asks for elsewhere."""
    page, asked = chromium.new_page(**options), []
    page.on("request", lambda request: asked.append(request.url) if request.url.startswith("http") else None)
    page.goto(file.as_uri())
    return page, asked


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "word"), [("operations", "sigmoid_"), ("differences", "diagonal"), ("speed", "relu_")]
)
def test_a_table_shows_only_the_rows_with_a_word(chromium: Any, site: Path, name: str, word: str) -> None:
    page, asked = _opened(chromium, site / "en" / f"{name}.html")
    rows = page.locator(".searchable").first.locator("tbody tr")
    everything = rows.count()
    page.get_by_label("Only rows with").first.fill(word)
    left = rows.locator("visible=true")
    page.wait_for_function(
        f"document.querySelector('.searchable output').textContent !== '{everything} of {everything} rows'"
    )
    assert 0 < left.count() < everything
    assert all(word in text for text in left.all_inner_texts())
    page.get_by_label("Only rows with").first.fill("")
    rows.nth(everything - 1).wait_for()
    assert left.count() == everything
    assert asked == []
    page.close()


@pytest.mark.browser
@in_both_languages
def test_every_program_of_the_gallery_can_be_stepped(chromium: Any, site: Path, language: str) -> None:
    for entry in gallery.entries():
        page, asked = _opened(chromium, site / language / "gallery" / f"{entry.key}.html")
        player = page.frame_locator("iframe.player").locator(".ipl")
        player.wait_for()
        before = player.inner_text()
        player.focus()
        page.keyboard.press("Home")
        page.keyboard.press("ArrowRight")
        frame = page.frames[1]
        frame.wait_for_function("(before) => document.querySelector('.ipl').innerText !== before", arg=before)
        assert asked == [], entry.key
        page.close()


@pytest.mark.browser
def test_a_player_follows_the_switch_of_the_page(chromium: Any, site: Path) -> None:
    page, _ = _opened(chromium, site / "en" / "gallery" / "one_write.html", color_scheme="dark")
    paper = "() => getComputedStyle(document.querySelector('.ipl')).backgroundColor"
    page.frame_locator("iframe.player").locator(".ipl").wait_for()
    frame = page.frames[1]
    before = frame.evaluate(paper)
    page.evaluate("document.body.dataset.theme = 'light'")
    frame.wait_for_function(f"(before) => ({paper})() !== before", arg=before)
    page.evaluate("document.body.dataset.theme = 'auto'")
    frame.wait_for_function(f"(before) => ({paper})() === before", arg=before)
    page.close()


@pytest.mark.standard
@in_both_languages
def test_every_lesson_is_a_page_that_leads_to_the_course(site: Path, language: str) -> None:
    for path, page in lessons.notebooks(language).items():
        text = (site / language / f"{page}.html").read_text(encoding="utf-8")
        assert f"{badges.published()}course/lab/index.html?path={language}/{path.name}" in text
        assert "data:image/" in text or "Stepper(" not in path.read_text(encoding="utf-8")
    course = (site / language / "course.html").read_text(encoding="utf-8")
    assert 'href="lessons/01_storage_and_views.html"' in course
    assert not (site / "jupyter_execute").exists()


@pytest.mark.browser
def test_search_finds_a_chinese_word(chromium: Any, site: Path) -> None:
    page, asked = _opened(chromium, site / "zh" / "search.html")
    page.goto((site / "zh" / "search.html").as_uri() + "?q=版本号")
    page.locator("#search-results li").first.wait_for()
    assert page.locator("#search-results li").count() > 3
    assert asked == []
    page.close()


@pytest.mark.browser
@in_both_languages
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    "name", ["index.html", "gallery/one_write.html", "operations.html", "lessons/07_saved_tensors_and_versions.html"]
)
def test_axe_finds_nothing(chromium: Any, site: Path, language: str, theme: str, name: str) -> None:
    found = pytest.importorskip(
        "axe_playwright_python", reason="needs axe-core: python -m pip install --group e2e", exc_type=ImportError
    )
    page, _ = _opened(chromium, site / language / name, color_scheme=theme, viewport={"width": 1280, "height": 800})
    page.add_script_tag(path=Path(found.__file__).with_name("axe.min.js"))
    violations = page.evaluate(
        "async () => (await axe.run(document, { resultTypes: ['violations'], iframes: false })).violations"
    )
    page.close()
    assert [(each["id"], [node["html"][:150] for node in each["nodes"]][:3]) for each in violations] == []


@pytest.mark.browser
@pytest.mark.parametrize(
    "name", ["index.html", "operations.html", "differences.html", "gallery/one_write.html", "speed.html"]
)
def test_no_page_is_wider_than_a_phone(chromium: Any, site: Path, name: str) -> None:
    page, _ = _opened(chromium, site / "en" / name, viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.close()
