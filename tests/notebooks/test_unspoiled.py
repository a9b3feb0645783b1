"""No answer is read before its question: how the builder arranges checks and explanations."""

from __future__ import annotations

import ast
from pathlib import Path

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
    *_, title, collapsed = unspoiled.arranged([PROGRAM, Note("checks", "the number / 数"), check])
    assert title == Prose("*Check (folded): the number.*", "*核对（已折叠）：数。*")
    assert collapsed == Code(check.text, ("checks",))


def test_elsewhere_only_the_assertions_at_the_end_are() -> None:
    blocks = unspoiled.arranged([Code("y = 2\nassert y\nprint(y)\n\nassert y == 2\nassert y > 1", ("tag",))])
    assert blocks[0] == Code("y = 2\nassert y\nprint(y)", ("tag",))
    assert blocks[2] == Code("assert y == 2\nassert y > 1", ("checks",))


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
def test_every_question_is_answered_by_a_later_cell(source: Path) -> None:
    asked: list[str] = []
    for block in read_lesson(source):
        if isinstance(block, Code) and "question" in block.tags:
            asked.append(block.text.split("\n")[0].removeprefix("%%predict "))
        elif isinstance(block, Code) and 'reveal("' in block.text:
            asked = [name for name in asked if f'reveal("{name}"' not in block.text]
    assert asked == []
