"""The glossary: its entries, where terms come from, and its page in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

import glossary
from lesson_source import LessonError, read_lesson

INTRODUCTION = ":::en\n# Glossary\n:::zh\n# 术语表\n:::\n"
VIEW = ":::en\n**view**: a second tensor.\n:::zh\n**视图**：另一个张量。\n:::\n"
LEAF = ":::en\n**Leaf**: made by nobody.\n:::zh\n**叶子**：不由操作产生。\n:::\n"
CODE = "```python\nx\n```\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_page_is_sorted_and_leads_to_the_lessons(tmp_path: Path) -> None:
    source = written(tmp_path, glossary.FILE, INTRODUCTION + VIEW + LEAF)
    lessons = [
        written(tmp_path, "01_first.md", f"<!-- terms: view -->\n{CODE}"),
        written(tmp_path, "12_last.md", f"<!-- terms: Leaf -->\n{CODE}"),
    ]
    title, entries = glossary.page(read_lesson(source), lessons)
    assert (title.en, title.zh) == ("# Glossary", "# 术语表")
    assert entries.en == (
        "**Leaf**: made by nobody. [Lesson 12](12_last.ipynb)\n\n**view**: a second tensor. [Lesson 1](01_first.ipynb)"
    )
    assert entries.zh == (
        "**视图**（view）：另一个张量。[第 1 课](01_first.ipynb)\n\n"
        "**叶子**（Leaf）：不由操作产生。[第 12 课](12_last.ipynb)"
    )


def test_an_entry_begins_with_its_term(tmp_path: Path) -> None:
    source = written(tmp_path, glossary.FILE, INTRODUCTION + VIEW.replace("**视图**", "视图"))
    with pytest.raises(LessonError, match=r"glossary\.md:6: an entry begins with its term"):
        glossary.entries(read_lesson(source))


def test_a_term_is_explained_once_and_introduced_once(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match="'view' is explained twice"):
        glossary.entries(read_lesson(written(tmp_path, glossary.FILE, INTRODUCTION + VIEW + VIEW)))
    twice = [written(tmp_path, name, f"<!-- terms: view -->\n{CODE}") for name in ("01_a.md", "02_b.md")]
    with pytest.raises(LessonError, match=r"02_b\.md: 'view' has been introduced in 01_a\.md"):
        glossary.introduced(twice)
