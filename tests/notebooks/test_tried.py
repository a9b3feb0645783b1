"""Every lesson is worked through: exercises unsolved, with mistakes and solved; claims with their assertions inverted."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import build
from lesson_source import Block, Code, Note, about_cells, read_lesson
from tests.notebooks.languages import worked_through

UNSOLVED, SOLVED = "○", "✓"
KINDS = ("exercise", "mistake", "solution")
CAUGHT = "inverted assertions that failed:"

pytestmark = pytest.mark.notebooks
each_lesson = pytest.mark.parametrize(
    ("source", "language"),
    [
        # What is executed once for several tests is executed by one process.
        pytest.param(source, language, id=name, marks=pytest.mark.xdist_group(name))
        for source in build.lessons()
        for language in worked_through(source.stem)
        for name in [f"{source.stem}-{language}"]
    ],
)


def kind(block: Block) -> str:
    tags = block.tags if isinstance(block, Code) else ()
    return next((tag for tag in tags if tag in {*KINDS, "check"}), "")


@dataclass(frozen=True)
class Answer:
    """What the check said to the code of an exercise."""

    code: Code
    said: str


@dataclass(frozen=True)
class Tried:
    answers: list[Answer]
    claims: list[tuple[Code, str]]


def every_answer_checked(blocks: Iterable[Block]) -> Iterator[Block]:
    """The check after each answer; the solution last, since the lesson goes on from there."""
    answers: list[Code] = []
    for block in blocks:
        if isinstance(block, Code) and kind(block) in KINDS:
            answers.append(Code(block.text, (*block.tags, "raises-exception"), block.line))
        elif kind(block) == "check":
            for answer in sorted(answers, key=lambda answer: KINDS.index(kind(answer))):
                yield answer
                yield block
            answers = []
        else:
            yield block


class _Inverted(ast.NodeTransformer):
    def __init__(self) -> None:
        self.count = 0

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        self.count += 1
        asserted = ast.Assert(ast.UnaryOp(ast.Not(), node.test))
        failed, held = (ast.parse(f"_{name}.add({self.count})").body for name in ("failed", "held"))
        handler = ast.ExceptHandler(ast.Name("AssertionError"), None, failed)
        return ast.Try([asserted], [handler], held, [])


def inverted(text: str) -> tuple[str, str]:
    """A cell with each assertion inverted, and the line that it prints if each of them fails, however often it is reached."""
    transformer = _Inverted()
    tree = ast.fix_missing_locations(transformer.visit(ast.parse(text)))
    # On stderr, since `reveal` holds back what a cell prints.
    report = f"import sys; print(file=sys.stderr); print({CAUGHT!r}, sorted(_failed - _held), file=sys.stderr)"
    return (
        f"_failed, _held = set(), set()\n{ast.unparse(tree)}\n{report}",
        f"{CAUGHT} {list(range(1, transformer.count + 1))}",
    )


def execute(blocks: list[Block], language: str) -> list[tuple[Code, Any]]:
    """Each cell of code with its outputs."""
    notebook = build.notebook_of(blocks, language)
    build.execute(notebook)
    code = [block for block in blocks if isinstance(block, Code)]
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return list(zip(code, (cell.outputs for cell in cells), strict=True))


def printed(outputs: Any) -> str:
    return "".join(output.get("text", "") or output.get("data", {}).get("text/plain", "") for output in outputs)


def try_out(blocks: tuple[Block, ...], language: str = "en") -> Tried:
    settling = {id(cell) for _, cell in about_cells(blocks, "claim")}
    asked = {block.line: inverted(block.text) for block in blocks if isinstance(block, Code) and id(block) in settling}
    changed = [
        Code(asked[block.line][0], block.tags, block.line)
        if isinstance(block, Code) and id(block) in settling
        else block
        for block in blocks
    ]
    done = execute(list(every_answer_checked(changed)), language)
    answers = [
        Answer(code, printed(outputs)) for (code, _), (check, outputs) in pairwise(done) if kind(check) == "check"
    ]
    expected = {line: report for line, (_, report) in asked.items()}
    return Tried(
        answers,
        [
            (code, "" if expected[code.line] in printed(outputs).splitlines() else printed(outputs))
            for code, outputs in done
            if code.line in expected
        ],
    )


@functools.cache
def tried(source: Path, language: str) -> Tried:
    return try_out(read_lesson(source), language)


@each_lesson
def test_a_check_is_content_with_the_solution_only(source: Path, language: str) -> None:
    for answer in tried(source, language).answers:
        wanted = SOLVED if kind(answer.code) == "solution" else UNSOLVED
        assert answer.said.startswith(wanted), f"{source.name}:{answer.code.line}: {answer.said}"


@each_lesson
def test_a_mistake_gets_another_hint_than_an_empty_answer(source: Path, language: str) -> None:
    blank = ""
    for answer in tried(source, language).answers:
        if kind(answer.code) == "exercise":
            blank = answer.said
        assert kind(answer.code) != "mistake" or answer.said != blank, f"{source.name}:{answer.code.line}: {blank}"


@each_lesson
def test_what_settles_a_claim_fails_when_it_is_inverted(source: Path, language: str) -> None:
    for cell, unexpected in tried(source, language).claims:
        assert not unexpected, (
            f"{source.name}:{cell.line}: expected that each of its assertions fails, got\n{unexpected}"
        )


class TestTheseTests:
    def test_an_assertion_that_nothing_reaches_settles_nothing(self) -> None:
        blocks = self.read("assert 1 + 1 == 2\nfor x in []:\n    assert x")
        ((_, unexpected),) = try_out(blocks).claims
        assert unexpected.endswith(f"{CAUGHT} [1]\n")

    def test_assertions_that_are_reached_do(self) -> None:
        ((_, unexpected),) = try_out(self.read("print(3, end='')\nfor x in [1, 2]:\n    assert x > 0")).claims
        assert unexpected == ""

    def read(self, text: str) -> tuple[Block, ...]:
        return (Note("claim", "a-claim", 1), Code(text, (), 2))
