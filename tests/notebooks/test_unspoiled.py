"""No answer is read before its question: how the builder arranges checks and explanations."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest

import build
import unspoiled
from lesson_source import Block, Code, Note, Prose, read_lesson

ASKS = Prose("> **Predict.** How many?", "> **先预测。** 几个？")
PROGRAM = Code("%%stepper --name rec\nx = 1", ())
EXPLAINED = Prose("One.\n\n## Next\n\nTwo.", "一个。\n\n## 下一节\n\n两个。")


def sources(*blocks: Block) -> list[str]:
    return [block.en if isinstance(block, Prose) else block.text for block in unspoiled.arranged(blocks)]


def test_what_checks_a_stepper_is_collapsed_as_a_whole_under_its_title() -> None:
    check = Code("y = 2\nassert y == 2", ())
    *_, collapsed = unspoiled.arranged([PROGRAM, Note("checks", "the number / 数"), check])
    assert isinstance(collapsed, Code)
    assert collapsed.tags == ("checks",)
    assert collapsed.in_language("en") == "# Check: the number\n" + check.text
    assert collapsed.in_language("zh") == "# 核对：数\n" + check.text


def test_elsewhere_only_the_assertions_at_the_end_are() -> None:
    program, check = unspoiled.arranged([Code("y = 2\nassert y\nprint(y)\n\nassert y == 2\nassert y > 1", ("tag",))])
    assert program == Code("y = 2\nassert y\nprint(y)", ("tag",))
    assert isinstance(check, Code)
    assert check.tags == ("checks",)
    assert check.in_language("en").split("\n")[1:] == ["assert y == 2", "assert y > 1"]


@pytest.mark.parametrize(
    "cell",
    [
        Code("y = ...\nassert y", ("exercise",)),
        Code("check.it()", ("check",)),
        Code("%%stepper\nassert x", ()),
        Code("%%stepper\nimport torch\nassert torch", ("recorded-torch-loop",)),
        Code("assert x", ("raises-exception",)),
        Code("print(1)", ()),
    ],
    ids=lambda cell: " ".join([*cell.tags, cell.text.split("\n")[0]]),
)
def test_the_learners_cells_are_shown(cell: Code) -> None:
    assert unspoiled.arranged([cell]) == [cell]


def test_an_explanation_is_folded_up_to_the_next_heading() -> None:
    *_, folded = sources(ASKS, PROGRAM, Code("assert x", ()), EXPLAINED)
    assert (
        folded == "<details>\n<summary><b>What happened, and why</b></summary>\n\nOne.\n\n</details>\n\n## Next\n\nTwo."
    )


def test_it_is_folded_up_to_the_next_prediction_or_a_mark() -> None:
    for end in ("> **Predict.** More?", "<!-- unfold -->\nMore."):
        explained = Prose(f"One.\n\n{end}", "一。\n\n> **先预测。** 还有呢？")
        *_, folded = sources(ASKS, PROGRAM, explained)
        assert folded.startswith("<details>")
        assert folded.endswith("</details>\n\n" + end.removeprefix("<!-- unfold -->\n"))


def test_the_solution_is_folded_after_the_check() -> None:
    exercise, solution, mistake, check = (Code(kind, (kind,)) for kind in ("exercise", "solution", "mistake", "check"))
    *rest, folded = sources(exercise, solution, mistake, check)
    assert rest == ["exercise", "check"]
    assert folded.startswith("<details>")
    assert "```python\nsolution\n```" in folded


def test_without_a_prediction_or_its_program_nothing_is_folded() -> None:
    assert sources(PROGRAM, EXPLAINED)[-1] == EXPLAINED.en
    assert sources(ASKS, EXPLAINED)[-1] == EXPLAINED.en
    asked = Code("%%predict rec\nn: ?", ("question",))
    assert sources(ASKS, asked, EXPLAINED)[-1] == EXPLAINED.en
    assert sources(ASKS, asked, PROGRAM, EXPLAINED)[-1].startswith("<details>")


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
def test_no_assertion_and_no_fold_differs_between_the_languages(source: Path) -> None:
    for language in ("en", "zh"):
        cells = build.compose(source, language).cells
        for cell in cells:
            assert "{{" not in cell.source, cell.source
            tags = {*cell.metadata.get("tags", [])}
            shown = cell.cell_type == "code" and not cell.source.startswith("%") and not tags & {"checks", "exercise"}
            assert (
                not shown
                or not ast.parse(cell.source).body
                or not isinstance(ast.parse(cell.source).body[-1], ast.Assert)
            )
            assert bool(tags & {"checks", "question", "twin"}) == bool(cell.metadata.get("jupyter"))
    english, chinese = (build.compose(source, language).cells for language in ("en", "zh"))
    folds = [["<details>" in cell.source for cell in cells] for cells in (english, chinese)]
    assert folds[0] == folds[1]


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_introduces_the_next_cell_is_not_folded(source: Path, language: str) -> None:
    cells = [cell.source for cell in build.compose(source, language).cells if cell.cell_type == "markdown"]
    folded = [cell.removesuffix("</details>").rstrip() for cell in cells if cell.endswith("</details>")]
    assert [text for text in folded if text.endswith((":", "："))] == [], (
        "put `<!-- unfold -->` before the last paragraph"
    )


SHOWS = {"reveal", "print", "look", "display", "figure", "differences.show"}
"""What a cell calls to show something, and `reveal`, which must come first."""


def calls(code: str) -> list[str]:
    """The functions that a cell calls, in order."""
    nodes = sorted(
        (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)),
        key=lambda n: (n.lineno, n.col_offset),
    )
    return [ast.unparse(node.func) for node in nodes]


def asked_in(source: Path) -> set[str]:
    """The names of a lesson's questions."""
    codes = [block for block in read_lesson(source) if isinstance(block, Code) and "question" in block.tags]
    return {block.text.split("\n")[0].removeprefix("%%predict ") for block in codes}


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
def test_no_answer_is_visible_before_it_is_asked_for(source: Path) -> None:
    """The rule: the program of a question prints nothing itself if it is stepped through, and the cell that gives the answers prints and
    draws only after `reveal`, which folds what follows until a prediction is entered.
    """
    asked = asked_in(source)
    for cell in build.compose(source, "en").cells:
        if cell.cell_type != "code":
            continue
        head, _, program = cell.source.partition("\n")
        if "checks" in cell.metadata.get("tags", []) and "assert " in cell.source:
            assert head.startswith("# Check: ")
        if head.startswith("%%stepper") and asked & {*head.split()}:
            assert "print" not in calls(program), program
        elif 'reveal("' in cell.source:
            own = {node.name for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.FunctionDef)}
            shows = [call for call in calls(cell.source) if call in SHOWS - own]
            assert shows[0] == "reveal", f"{cell.source}\nshows something before `reveal`"


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
def test_without_a_prediction_a_check_says_so_and_folds_the_rest(source: Path) -> None:
    """Built notebooks are run without predictions."""
    for language in ("en", "zh"):
        for cell in nbformat.read(build.notebook_path(source, language), as_version=4).cells:
            if "checks" in cell.metadata.get("tags", []) and "\nreveal(" in cell.source:
                texts = [output.get("data", {}).get("text/plain", "") for output in cell.outputs]
                assert [text[:1] for text in texts] == ["○"], cell.source


@pytest.mark.parametrize("source", build.lessons(), ids=lambda source: source.stem)
def test_every_question_is_answered_by_a_later_cell(source: Path) -> None:
    asked: list[str] = []
    for block in read_lesson(source):
        if isinstance(block, Code) and "question" in block.tags:
            asked.append(block.text.split("\n")[0].removeprefix("%%predict "))
        elif isinstance(block, Code) and 'reveal("' in block.text:
            asked = [name for name in asked if f'reveal("{name}"' not in block.text]
    assert asked == []
