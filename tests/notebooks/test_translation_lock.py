"""The lock on translations: what opens it, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

import build
import translation_lock


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "01_first.md"
    path.write_text(":::en\nA view.\n\nTwo names.\n:::zh\n视图。\n\n两个名字。\n:::\n", encoding="utf-8")
    return path


def change(source: Path, before: str, after: str) -> None:
    text = source.read_text(encoding="utf-8")
    assert before in text
    source.write_text(text.replace(before, after), encoding="utf-8")


def test_a_locked_paragraph_is_named_with_its_place(source: Path) -> None:
    assert translation_lock.unseen(source) == ["01_first.md:1: A view."]


def test_a_changed_english_paragraph_is_locked_until_it_is_compared(
    source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["build.py", "--translated", str(source)])
    build.main()
    assert translation_lock.unseen(source) == []
    change(source, "Two names.", "Three names.")
    assert translation_lock.unseen(source) == ["01_first.md:1: A view."]
    build.main()
    assert translation_lock.unseen(source) == []


def test_neither_new_line_breaks_nor_better_chinese_ask_for_another_look(source: Path) -> None:
    translation_lock.note(source)
    change(source, "A view.", "A\nview.")
    change(source, "视图。", "一个视图。")
    assert translation_lock.unseen(source) == []
