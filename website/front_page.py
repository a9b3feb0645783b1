"""Writes the first page of the site, in both languages: it leads to the playground, the course and the documentation."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from settings import Settings
from words import FRONT

PAGES = Path(__file__).parent / "pages"
_FOLDERS = {"en": "", "zh": "zh/"}
"""Where the page of each language lies, below the root."""


def write(settings: Settings) -> None:
    """Writes `index.html` and `zh/index.html`. They lead to those parts of the site that are there."""
    page = Template((PAGES / "front.html").read_text(encoding="utf-8"))
    for language, folder in _FOLDERS.items():
        target = settings.output / folder / "index.html"
        target.parent.mkdir(exist_ok=True)
        up = "../" * folder.count("/")
        target.write_text(page.substitute(_filled(settings, language, up)), encoding="utf-8")


def _filled(settings: Settings, language: str, up: str) -> dict[str, str]:
    other = "en" if language == "zh" else "zh"
    parts = [
        ("playground", f"playground/?lang={language}"),
        ("course", f"course/lab/index.html?path={language}/01_storage_and_views.ipynb"),
        ("docs", f"docs/{language}/"),
    ]
    cards = "\n".join(
        f'<a class="card" href="{up}{escape(address)}"><b>{_word(part, language)}</b><span>{_word(f"{part}_says", language)}</span></a>'
        for part, address in parts
        if (settings.output / part).is_dir()
    )
    return {
        "tag": "zh-Hans" if language == "zh" else "en",
        "lead": _word("lead", language),
        "nothing": _word("nothing", language),
        "cards": cards,
        "source": _word("source", language),
        "repository": escape(settings.repository),
        "up": up,
        "other": f"{up}{_FOLDERS[other]}" or "./",
        "other_tag": "en" if language == "zh" else "zh-Hans",
        "other_name": "English" if language == "zh" else "中文",
    }


def _word(key: str, language: str) -> str:
    return escape(FRONT[key].in_language(language))
