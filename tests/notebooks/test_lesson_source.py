"""The lesson format: what it accepts, and where it says that something is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

import build
from lesson_source import Code, LessonError, Note, Prose, about_cells, read_lesson, terms

EXERCISE = "```python exercise\ny = ...\n```\n"
SOLUTION = "```python solution\ny = 2\n```\n"
MISTAKE = "```python mistake\ny = 3\n```\n"
CHECK = "```python check\ncheck.two()\n```\n"
CODE = "```python\nassert x\n```\n"
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


def test_the_notebook_of_an_exercise_folds_its_solution_and_leaves_out_its_mistakes(tmp_path: Path) -> None:
    source = lesson(tmp_path, PAIR + EXERCISE + SOLUTION + MISTAKE + MISTAKE + CHECK)
    assert len(read_lesson(source)) == 6
    cells = build.compose(source, "en").cells
    *shown, solution = [cell.source for cell in cells]
    assert shown == ["A view.", "y = ...", "check.two()"]
    assert solution.startswith("<details>")
    assert "y = 2" in solution
    assert [cell.id for cell in cells] == ["cell-00", "cell-01", "cell-02", "cell-03"]


def test_notes_that_are_read_name_terms_and_are_about_the_next_cell(tmp_path: Path) -> None:
    notes = "<!-- claim: a-claim, another -->\n<!-- ignored: a clock -->\n"
    blocks = read_lesson(lesson(tmp_path, f"<!-- terms: storage, version counter -->\n{PAIR}\n{notes}{CODE}"))
    assert terms(blocks) == ("storage", "version counter")
    ((note, cell),) = about_cells(blocks, "claim")
    assert note == Note("claim", "a-claim, another")
    assert note.names == ("a-claim", "another")
    assert cell == Code("assert x", ())
    assert [note.text for note, _ in about_cells(blocks, "ignored")] == ["a clock"]


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
        (EXERCISE + CHECK, 1, "expected 'solution' right after this exercise"),
        (EXERCISE + PAIR + SOLUTION, 1, "expected 'solution' right after this exercise"),
        (EXERCISE + SOLUTION + CHECK, 4, "expected 'mistake' right after this solution"),
        (EXERCISE + SOLUTION + MISTAKE + CODE, 7, "expected 'check' or 'mistake' right after this mistake"),
        (SOLUTION + MISTAKE + CHECK, 1, "expected 'exercise' right before this solution"),
        (CODE + CHECK, 4, "expected 'mistake' right before this check"),
        (f"<!-- claim: a -->\n{PAIR}", 1, "the note 'claim' stands right before the cell"),
        (f"{CODE}<!-- ignored: a -->\n", 4, "the note 'ignored' stands right before the cell"),
    ],
)
def test_what_is_wrong_is_reported_with_file_and_line(tmp_path: Path, text: str, line: int, complaint: str) -> None:
    source = lesson(tmp_path, text)
    with pytest.raises(LessonError) as caught:
        read_lesson(source)
    assert str(caught.value).startswith(f"{source}:{line}: ")
    assert complaint in str(caught.value)
