"""The page of claims: each claim with its verdict and the lessons that settle it."""

from __future__ import annotations

from pathlib import Path

import build
import claims_page
from claims import CLAIMS
from lesson_source import Prose, read_lesson

CELL = "<!-- claim: two-names, two-names -->\n```python\nassert x\n```\n"


def test_a_claim_leads_to_every_lesson_that_settles_it(tmp_path: Path) -> None:
    for name in ("01_first.md", "12_last.md"):
        (tmp_path / name).write_text(CELL + CELL, encoding="utf-8")
    introduction, table = claims_page.page([Prose("# Said", "# 说法")], sorted(tmp_path.glob("*.md")))
    assert introduction.en == "# Said"
    (english,) = (line for line in table.en.splitlines() if "After `y = x`" in line)
    (chinese,) = (line for line in table.zh.splitlines() if "执行 `y = x` 之后" in line)
    assert "| refuted |" in english
    assert "| 不成立 |" in chinese
    assert english.endswith("| [1](01_first.ipynb), [12](12_last.ipynb) |")
    assert english.count("|") == chinese.count("|") == 5


def test_every_claim_has_a_row_in_both_languages() -> None:
    table = claims_page.page(read_lesson(build.CLAIMS), build.lessons())[-1]
    for text in (table.en, table.zh):
        assert len(text.splitlines()) == 2 + len(CLAIMS)
        assert {line.count("|") for line in text.splitlines()} == {5}
