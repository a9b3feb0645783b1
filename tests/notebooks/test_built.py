"""The committed notebooks: built from the present source, the same in both languages, and free of what varies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest

import build
from lesson_source import LANGUAGES, LessonError, read_lesson

SOURCES = build.lessons()
EVERY_SOURCE = [*SOURCES, build.GLOSSARY, build.CLAIMS]
EVERY_LESSON = [pytest.param(s, language, id=f"{s.stem}-{language}") for s in SOURCES for language in LANGUAGES]
EVERY_NOTEBOOK = [pytest.param(s, language, id=f"{s.stem}-{language}") for s in EVERY_SOURCE for language in LANGUAGES]
TITLES = ("# Check: ", "# 核对：")
REBUILD = "run `make lessons`"
NUMBER = re.compile(r"\d+(?:\.\d+)?")


@cache
def built(source: Path, language: str) -> Any:
    return nbformat.read(build.notebook_path(source, language), as_version=4)


def is_stepper(cell: Any) -> bool:
    """Whether it records a program whenever the notebook is run. (Others need a framework that may be missing.)"""
    skipped = "skip-execution" in cell.metadata.get("tags", [])
    return bool(cell.cell_type == "code" and cell.source.startswith(("%%stepper", "%%ranks")) and not skipped)


def is_exercise(cell: Any) -> bool:
    return "exercise" in cell.metadata.get("tags", [])


def bundles(cell: Any) -> list[Any]:
    return [output.data for output in cell.outputs if "data" in output]


def without_outputs(notebook: Any) -> list[tuple[str, str, str, list[str]]]:
    return [(c.id, c.cell_type, c.source, c.metadata.get("tags", [])) for c in notebook.cells]


def test_there_is_a_lesson() -> None:
    assert SOURCES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_notebook_comes_from_a_source(language: str) -> None:
    found = {path.stem for path in (build.HERE / language).glob("*.ipynb")}
    assert found == {source.stem for source in EVERY_SOURCE}, REBUILD


@pytest.mark.parametrize(("source", "language"), EVERY_NOTEBOOK)
def test_prose_and_code_are_those_of_the_source(source: Path, language: str) -> None:
    assert without_outputs(built(source, language)) == without_outputs(build.compose(source, language)), REBUILD


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_only_the_line_that_chooses_the_language_and_titles_differ_in_code(source: Path) -> None:
    english, chinese = (
        [
            line
            for cell in built(source, language).cells
            if cell.cell_type == "code" and "question" not in cell.metadata.get("tags", [])
            for line in cell.source.splitlines()
            if not line.startswith(TITLES)
        ]
        for language in ("en", "zh")
    )
    different = [pair for pair in zip(english, chinese, strict=True) if pair[0] != pair[1]]
    assert different == [('paddle.set_language("en")', 'paddle.set_language("zh")')]


def kinds(cell: Any) -> list[tuple[str, list[str]]]:
    return [(output.output_type, sorted(output.get("data", ()))) for output in cell.outputs]


def numbers(cell: Any) -> list[list[str]]:
    """The numbers in what a cell printed and in the texts of its pictures. In a sentence, their order depends on the language."""
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return [sorted(NUMBER.findall(text)) for text in texts]


@pytest.mark.parametrize("source", EVERY_SOURCE, ids=lambda source: source.stem)
def test_both_languages_show_the_same(source: Path) -> None:
    """So a notebook that is not executed (`languages.py`) is as new as the one that is, but for its words."""
    for english, chinese in zip(built(source, "en").cells, built(source, "zh").cells, strict=True):
        if english.cell_type == "code":
            assert kinds(english) == kinds(chinese), english.source
            assert numbers(english) == numbers(chinese), english.source


@pytest.mark.parametrize(("source", "language"), EVERY_LESSON)
def test_every_stepper_left_its_static_twins(source: Path, language: str) -> None:
    steppers = [cell for cell in built(source, language).cells if is_stepper(cell)]
    assert steppers
    for cell in steppers:
        (bundle,) = (data for data in bundles(cell) if "data:image/svg+xml" in data.get("text/html", ""))
        assert "text/plain" in bundle


@pytest.mark.parametrize(("source", "language"), EVERY_NOTEBOOK)
def test_no_widget_and_no_state_is_stored(source: Path, language: str) -> None:
    notebook = built(source, language)
    assert "widgets" not in notebook.metadata
    assert not [
        cell.id for cell in notebook.cells if is_stepper(cell) for data in bundles(cell) if build.WIDGET_VIEW in data
    ]


def with_open_question(notebook: Any) -> Iterator[tuple[Any, bool]]:
    """The cells of code, each with whether a question was asked before it whose answers stand below it or in it."""
    asked: set[str] = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            asked |= set(re.findall(r"^%%predict (\w+)", cell.source))
            yield cell, bool(asked)
            asked -= set(re.findall(r"^ *reveal\(\"(\w+)\"", cell.source, re.MULTILINE))


@pytest.mark.parametrize(("source", "language"), EVERY_NOTEBOOK)
def test_a_cell_fails_exactly_if_it_is_tagged(source: Path, language: str) -> None:
    """But for the program of a question, whose error stands folded below the check."""
    for cell, is_asked in with_open_question(built(source, language)):
        failed = any(output.output_type == "error" for output in cell.outputs)
        tags = {*cell.metadata.get("tags", [])}
        assert failed == ("raises-exception" in tags and "skip-execution" not in tags and not is_asked), cell.source


class Unfolded(HTMLParser):
    """What a reader sees of HTML before unfolding anything: its text, and the names of its elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.depth, self.text = 0, ""
        self.elements: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.depth += tag in ("details", "style")
        self.elements += [tag] * (not self.depth)

    def handle_endtag(self, tag: str) -> None:
        self.depth -= tag in ("details", "style")

    def handle_data(self, data: str) -> None:
        self.text += data * (not self.depth)


def seen(output: Any) -> str:
    """What an output shows at once that might be an answer; "" if nothing. (A question shows its parts, and a check that it waits. What a cell
    prints is a matter of `test_unspoiled.py`.)
    """
    if output.output_type == "stream":
        return ""
    if output.output_type == "error" or "text/html" not in output.data:
        return str(output.get("evalue") or list(output.data))
    shown = Unfolded(output.data["text/html"])
    waits = output.data["text/plain"].startswith(("○", "QuestionView("))
    return (
        str(shown.elements)
        if {"img", "svg", "pre", "table"} & {*shown.elements} or (shown.text.strip() and not waits)
        else ""
    )


@pytest.mark.parametrize(("source", "language"), EVERY_LESSON)
def test_no_answer_stands_unfolded_under_its_question(source: Path, language: str) -> None:
    """In a notebook as GitHub and the documentation show it: no plot, no error, and no picture of a later step."""
    for cell, is_asked in with_open_question(built(source, language)):
        if is_asked:
            assert [seen(output) for output in cell.outputs if seen(output)] == [], cell.source


@pytest.mark.parametrize(("source", "language"), EVERY_LESSON)
def test_no_picture_solves_an_exercise(source: Path, language: str) -> None:
    for cell in built(source, language).cells:
        if cell.cell_type == "code" and is_exercise(cell) and is_stepper(cell):
            assert [
                seen(output) for output in cell.outputs if output.output_type == "display_data" and seen(output)
            ] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_error_of_a_question_stands_in_the_fold(language: str) -> None:
    cells = built(next(path for path in SOURCES if path.stem.startswith("07")), language).cells
    (folded,) = (output for cell in cells if '\nreveal("refused"' in cell.source for output in cell.outputs)
    assert "RuntimeError: (PermissionDenied)" in folded.data["text/html"]
    assert "PermissionDenied" not in Unfolded(folded.data["text/html"]).text


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_what_a_stepper_shows_is_checked_by_the_next_cell(source: Path) -> None:
    """But for the learner's: exercises have their checks."""
    code = [cell for cell in build.compose(source, "en").cells if cell.cell_type == "code"]
    shown = [index for index, cell in enumerate(code) if is_stepper(cell) and not is_exercise(cell)]
    assert [code[index].source for index in shown if "assert " not in code[index + 1].source] == []


@pytest.mark.notebooks
def test_building_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "lesson.md"
    source.write_text(TINY_LESSON, encoding="utf-8")
    first, second = (execute_and_write(source) for _ in range(2))
    assert first == second
    assert str(Path(build.__file__).parent) not in first
    assert build.WIDGET_VIEW not in first
    assert '"ZeroDivisionError: division by zero"' in first


def execute_and_write(source: Path) -> str:
    notebook = build.compose(source, "en")
    build.execute(notebook)
    text: str = nbformat.writes(notebook)
    return text


TINY_LESSON = """
:::en
A lesson.
:::zh
一课。
:::

```python
%load_ext inplacelab
import inplacelab as paddle

print("one")
print("two")
```

```python
%%stepper
x = paddle.to_tensor([1.0, 2.0])
x.scale_(2.0)
```

```python raises-exception
1 / 0
```
"""


def test_a_malformed_source_is_reported_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "lesson.md"
    source.write_text(":::en\nOnly English.\n:::\n", encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["build.py", str(source)])
    with pytest.raises(SystemExit) as caught:
        build.main()
    with pytest.raises(LessonError) as malformed:
        read_lesson(source)
    assert caught.value.code == str(malformed.value)
