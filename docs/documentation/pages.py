"""Writes Sphinx's sources of one language: which pages there are, in which order, and where each comes from."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from documentation import gallery, lessons, reference, speed, tables
from documentation.links import ROOT, Links

DOCS = ROOT / "docs"
INDEX, COURSE = "index", "course"
SECTION = re.compile(r"^## (?P<title>.+)\n\n(?P<entries>(?:- .*\n)+)", re.MULTILINE)
ENTRY = re.compile(r"^- \[(?P<title>[^\]]+)\]\((?P<target>[^)]+)\)(?:: |：)(?P<says>.+)", re.MULTILINE)


def copied(language: str) -> dict[Path, str]:
    """The pages that stand in the repository, with their names in the documentation."""
    pages = {path: path.stem for path in sorted((DOCS / language).glob("*.md"))}
    teaching, architecture = (
        (DOCS / "TEACHING.md", ROOT / "ARCHITECTURE.md")
        if language == "en"
        else (DOCS / "TEACHING.zh-CN.md", DOCS / "ARCHITECTURE.zh-CN.md")
    )
    return {**pages, teaching: "teaching", architecture: "architecture"}


def written(language: str) -> dict[Path, str]:
    """What is in the repository in another form, with the page that shows it."""
    differences = DOCS / ("DIFFERENCES.md" if language == "en" else "DIFFERENCES.zh-CN.md")
    return {
        ROOT / "inplacelab": f"{reference.FOLDER}/index",
        ROOT / "inplacelab" / "ops": "operations",
        ROOT / "benchmarks" / "RESULTS.md": "speed",
        DOCS / "gallery": f"{gallery.FOLDER}/index",
        differences: "differences",
        **{ROOT / name: INDEX for name in ("README.md", "README.zh.md")},
    }


def assemble(language: str, folder: Path, *, repository: str, site: str) -> None:
    """Writes all sources of one language into an empty folder.

    Args:
        language: "en" or "zh".
        folder: where to.
        repository: the address at which files of the repository are shown, with a slash at its end.
        site: the address of the site: see `Links`.

    Raises:
        FileNotFoundError: if a page links to a file that does not exist.
    """
    known = {**copied(language), **written(language), **lessons.notebooks(language)}
    links = Links(language, known, repository, site)
    for source, page in copied(language).items():
        text = links.led(source.read_text(encoding="utf-8"), source, page)
        further = {INDEX: contents(text), COURSE: lessons.contents(language)}
        _write(folder / f"{page}.md", text + further.get(page, ""))
    lessons.write(language, folder, links)
    for name, text in generated(language, links):
        _write(folder / name, text)
    gallery.write_players(language, folder / "extra" / gallery.FOLDER)
    for name, picture in links.pictures.items():
        (folder / "pictures").mkdir(exist_ok=True)
        shutil.copy(picture, folder / "pictures" / name)
    speed.draw(folder / "pictures")


def generated(language: str, links: Links) -> Iterator[tuple[str, str]]:
    """Yields the pages that are written from the package: each one's name, with its suffix, and its text."""
    yield from reference.write(language)
    yield "operations.md", tables.operations(language)
    yield "differences.md", tables.differences(language)
    yield "speed.md", speed.page(language, links)
    yield from gallery.pages(language, links)


def contents(index: str) -> str:
    """The tables of contents from which Sphinx makes the navigation: a part for each list of links on the front page."""
    parts = []
    for section in SECTION.finditer(index):
        pages = [
            f"{entry['title']} <{entry['target'].removesuffix('.md')}>" for entry in ENTRY.finditer(section["entries"])
        ]
        parts.append("\n".join([f"```{{toctree}}\n:hidden:\n:caption: {section['title']}\n", *pages, "```\n"]))
    return "\n" + "\n".join(parts)


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
