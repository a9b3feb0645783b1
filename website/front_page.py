"""Writes the first page of the site, in both languages: one picture, and the ways to the playground, the course and the documentation."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template

from documentation import gallery
from inplacelab_widgets import to_svg
from settings import Settings
from words import FRONT

PAGES = Path(__file__).parent / "pages"
_FOLDERS = {"en": "", "zh": "zh/"}
"""Where the page of each language lies, below the root."""
_SHOWN = "one_write"
"""The program of the gallery whose picture the page opens with: one write changes three tensors."""
_PICTURE = f"{_SHOWN}.svg"


def write(settings: Settings) -> None:
    """Writes `index.html` and `zh/index.html`. They lead to those parts of the site that are there."""
    page = Template((PAGES / "front.html").read_text(encoding="utf-8"))
    shown = next(entry for entry in gallery.entries() if entry.key == _SHOWN)
    for language, folder in _FOLDERS.items():
        target = settings.output / folder / "index.html"
        target.parent.mkdir(exist_ok=True)
        up = "../" * folder.count("/")
        target.write_text(page.substitute(_filled(settings, language, up, shown)), encoding="utf-8")
        picture = to_svg(gallery.recording_of(shown), language=language)
        target.with_name(_PICTURE).write_text(picture, encoding="utf-8")


def _filled(settings: Settings, language: str, up: str, shown: gallery.Entry) -> dict[str, str]:
    other = "en" if language == "zh" else "zh"
    parts = [
        ("course", f"course/lab/index.html?path={language}/01_storage_and_views.ipynb"),
        ("playground", f"playground/?lang={language}"),
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
        "figure": _figure(settings, language, up, shown),
        "cards": cards,
        "source": _word("source", language),
        "repository": escape(settings.repository),
        "up": up,
        "other": f"{up}{_FOLDERS[other]}" or "./",
        "other_tag": "en" if language == "zh" else "zh-Hans",
        "other_name": "English" if language == "zh" else "中文",
    }


def _figure(settings: Settings, language: str, up: str, shown: gallery.Entry) -> str:
    """The picture; a click opens its program in the playground, if that is there."""
    picture = f'<img src="{_PICTURE}" width="848" height="480" alt="{_word("shows", language)}">'
    if not (settings.output / "playground").is_dir():
        return f"<figure>{picture}</figure>"
    address = f"{up}{escape(gallery.playground(shown, language))}"
    link = f'<a href="{address}">{_word("step_it", language)}</a>'
    return f'<figure><a href="{address}">{picture}</a><figcaption>{link}</figcaption></figure>'


def _word(key: str, language: str) -> str:
    return escape(FRONT[key].in_language(language))
