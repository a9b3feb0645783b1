"""Tests that no text of a recording becomes markup: every string of a valid recording is replaced by hostile ones, in every form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from inplacelab.language import LANGUAGES
from inplacelab.recording import Recording, from_json, to_json
from inplacelab_widgets import to_html, to_markdown, to_svg, to_text
from inplacelab_widgets.exports import still_html
from inplacelab_widgets.scene import scene_of
from tests.tiers import choose, sample
from tests.widgets.pictures import TAGS

GOLDEN = Path(__file__).parents[1] / "recorders" / "golden"
HOSTILE = (
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!--", "]]>", "&lt;b&gt;", "\"'><b>", "a`<b>`c", "`<b>",
    "``<b>``", "a|b|c", "[a](javascript:alert(1))", "![a](http://a.b/c)", "http://a.b", "a\n\n# b", "a\n\n    b", "a\r\n<b>", "\x1b]0;a\x07",
    "\x1b[2J", "\x9b2J", "\x00", "\u202ea\u2066", "\u2028<b>", "~~a~~", "<http://a.b>", "- a", "1. a", "# a", "> a", "{0}{x}%s", "\\", "\uffff",
)  # fmt: skip
FIXED = {
    "framework",
    "checked",
    "slots_are",
    "how",
    "text",
    "rule",
    "kind",
    "phase",
    "category",
    "action",
    "status",
    "role",
}
"""The fields that have one of a few words, and the framework, which decides what is drawn."""


def strings(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a string in a document, as (holder, key)."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        if isinstance(value[key], str) and key not in FIXED and value[key] not in ("nan", "inf", "-inf"):
            yield value, key
        elif key != "values":
            yield from strings(value[key])


@cache
def hostile(path: Path, text: str, where: str) -> Recording:
    """A recording with a hostile text in all fields of one name; beside what was there, or instead of it."""
    document = json.loads(path.read_text(encoding="utf-8"))
    for holder, key in list(strings(document)):
        if where in (key if isinstance(key, str) else "names", "everywhere"):
            holder[key] = text
    for step in document["steps"]:
        for fix in step["error"]["fixes"] if step["error"] else ():
            for edit in fix["edits"]:  # the source has other lines now
                edit.update(line=1, column=0, end_line=1, end_column=0)
    return from_json(json.dumps(document))


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)

    def handle_comment(self, data: str) -> None:
        self.found.append("comment" if "Made with" not in data else "")


CASES = [
    (path, text, where)
    for path in sorted(GOLDEN.glob("*.json"))
    for where in (
        "everywhere",
        "title",
        "source",
        "names",
        "op",
        "type",
        "message",
        "dtype",
        "device",
        "name",
        "en",
        "input",
        "kernel",
    )
    for text in HOSTILE
]
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def case_name(case: tuple[Path, str, str]) -> str:
    return f"{case[0].stem} {case[2]} {case[1]!a}"


@pytest.mark.parametrize("part", range(4))
def test_no_string_becomes_markup(part: int) -> None:
    cases = sample(CASES, one_in=choose(200, 40, 4), by=(lambda case: case[1], lambda case: case[2]), name=case_name)
    for path, text, where in cases[part::4]:
        recording = hostile(path, text, where)
        scene = scene_of(recording)
        page = to_html(scene)
        plain = Tags(re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)).found
        assert [tag for tag in plain if tag] == [
            "html",
            "head",
            "meta",
            "title",
            "meta",
            "meta",
            "style",
            "body",
            "main",
        ]
        assert page.count("<script") == 2
        for language in LANGUAGES:
            picture = to_svg(scene, -1, language)
            tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(picture).iter()}
            assert tags <= TAGS
            folded = set(Tags(still_html(scene, language)).found)
            assert folded <= {"img", "details", "summary", "table", "caption", "thead", "tbody", "tr", "th", "td"}
            shown = to_text(recording, -1, language), to_markdown(recording, -1, language), to_json(recording)
            assert not [form for form in (*shown, picture, page) if OBEYED.search(form)], case_name((path, text, where))
            check_markdown(shown[1])


CODE = re.compile(r"(?<!`)`[^`\n]+`(?!`)")


def check_markdown(said: str) -> None:
    """No line has a tag, a link or another heading outside code, and all rows of a table have as many cells."""
    widths: list[int] = []
    for line in said.split("\n"):
        if line.startswith("    ") or not line:
            widths = []
            continue
        prose = CODE.sub("", line) if not line.startswith("|") else line
        assert not re.search(r"<|(?<!\\)\]\(|://|(?<!\\)~", prose), line
        assert not re.match(r"#|>|- |\d+\. ", line), line
        if line.startswith("|"):
            widths.append(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)))
            assert widths[0] == widths[-1], line
