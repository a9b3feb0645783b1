"""The lesson format: what it accepts, and where it says that something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from lesson_source import Code, LessonError, Prose, read_lesson

PAIR = ":::en\nA view.\n:::zh\n一个视图。\n:::\n"


def lesson(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "lesson.md"
    path.write_text(text, encoding="utf-8")
    return path


def test_prose_and_code_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    source = lesson(tmp_path, f"{PAIR}\n```python\nx = 1\n\ny = 2\n```\n\n{PAIR}")
    assert read_lesson(source) == (
        Prose("A view.", "一个视图。"),
        Code("x = 1\n\ny = 2", ()),
        Prose("A view.", "一个视图。"),
    )


def test_blank_lines_around_a_text_go_and_those_inside_stay(tmp_path: Path) -> None:
    source = lesson(tmp_path, ":::en\n\nOne.\n\nTwo.\n\n:::zh\n一。\n\n二。\n:::\n")
    assert read_lesson(source) == (Prose("One.\n\nTwo.", "一。\n\n二。"),)


def test_words_after_python_are_tags(tmp_path: Path) -> None:
    (code,) = read_lesson(lesson(tmp_path, "```python raises-exception slow\nx\n```\n"))
    assert code == Code("x", ("raises-exception", "slow"))


def test_only_the_language_differs_in_code(tmp_path: Path) -> None:
    (code,) = read_lesson(lesson(tmp_path, '```python\nset_language("{{language}}")\n{"en": 1}\n```\n'))
    assert isinstance(code, Code)
    assert code.in_language("en") == 'set_language("en")\n{"en": 1}'
    assert code.in_language("zh") == 'set_language("zh")\n{"en": 1}'


def test_a_fence_in_prose_is_prose(tmp_path: Path) -> None:
    source = lesson(tmp_path, ":::en\n```python\nx\n```\n:::zh\n```python\nx\n```\n:::\n")
    assert read_lesson(source) == (Prose("```python\nx\n```", "```python\nx\n```"),)


def test_a_note_to_authors_is_left_out(tmp_path: Path) -> None:
    assert len(read_lesson(lesson(tmp_path, f"<!-- not for learners -->\n{PAIR}"))) == 1


@pytest.mark.parametrize(
    ("text", "line", "complaint"),
    [
        ("", 1, "nothing in this lesson"),
        ("\nA line that stands alone.\n", 2, "found 'A line that stands alone.'"),
        (":::zh\n只有中文。\n:::\n", 1, "found ':::zh'"),
        (":::en\nOnly English.\n:::\n", 3, "expected ':::zh'"),
        (":::en\nOnly English.\n", 1, "never ended by ':::zh'"),
        (f"{PAIR}\n:::en\nEnglish.\n:::zh\n\n:::\n", 9, "the Chinese text is empty"),
        (":::en\n\n:::zh\n中文。\n:::\n", 1, "the English text is empty"),
        (":::en\nEnglish.\n:::zh\n中文。\n:::en\nMore.\n", 5, "expected ':::'"),
        ("```python\nx = 1\n", 1, "never ended by '```'"),
        ("```python\n```\n", 1, "the code is empty"),
        ("```python\nx = 1\n:::en\n```\n", 3, "to end the code that starts at line 1"),
        ("```javascript\nlet x\n```\n", 1, "found '```javascript'"),
    ],
)
def test_what_is_wrong_is_reported_with_file_and_line(tmp_path: Path, text: str, line: int, complaint: str) -> None:
    source = lesson(tmp_path, text)
    with pytest.raises(LessonError) as caught:
        read_lesson(source)
    assert str(caught.value).startswith(f"{source}:{line}: ")
    assert complaint in str(caught.value)
