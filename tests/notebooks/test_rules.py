"""What every lesson keeps to: terms explained, translations seen, claims settled, ignored outputs accounted for."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import build
import claims_page
import glossary
import translation_lock
from claims import CLAIMS
from lesson_source import Code, Prose, about_cells, read_lesson, terms

LESSONS = build.lessons()
BOLD = re.compile(r"\*\*(.+?)\*\*", re.DOTALL)

EMPHASIS = re.compile(r"(?<!\*)(\*{1,2})(?![\s*])(.+?)(?<![\s*])\1(?!\*)", re.DOTALL)
CODE_OR_FORMULA = re.compile(r"```.*?```|`[^`]+`|\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)

each_lesson = pytest.mark.parametrize("source", LESSONS, ids=lambda source: source.stem)


def entries() -> dict[str, glossary.Entry]:
    return glossary.entries(read_lesson(build.GLOSSARY))


def in_bold(source: Path, language: str) -> set[str]:
    prose = [block.in_language(language) for block in read_lesson(source) if isinstance(block, Prose)]
    return {" ".join(found.split()).casefold() for text in prose for found in BOLD.findall(text)}


def not_emphasised(text: str) -> list[str]:
    """Where asterisks stay asterisks: Markdown takes none that stand between a mark and a letter, mark inside.

    (Chinese has no spaces that would help: of `**这样。**然后` nothing becomes bold, of `**这样**。然后` the right part.)
    """
    text = CODE_OR_FORMULA.sub("`c`", text)
    return [
        found[0]
        for found in EMPHASIS.finditer(text)
        if (text[found.end() : found.end() + 1].isalnum() and not found[2][-1].isalnum())
        or (text[: found.start()][-1:].isalnum() and not found[2][0].isalnum())
    ]


def test_marks_inside_of_asterisks_are_noticed() -> None:
    assert not_emphasised("**这样。**然后") == ["**这样。**"]
    assert not_emphasised("因为**“这样”**，") == ["**“这样”**"]
    assert not_emphasised("**这样**。然后 *a* **b.** c；`x ** y` 与 $a*b$，再 `z ** 2`") == []


@pytest.mark.parametrize("source", [*LESSONS, build.GLOSSARY, build.CLAIMS], ids=lambda source: source.stem)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_to_be_emphasised_is(source: Path, language: str) -> None:
    prose = [block.in_language(language) for block in read_lesson(source) if isinstance(block, Prose)]
    assert [found for text in prose for found in not_emphasised(text)] == []


@each_lesson
def test_every_new_term_is_in_the_glossary(source: Path) -> None:
    assert [term for term in terms(read_lesson(source)) if term not in entries()] == []


@each_lesson
def test_every_new_term_stands_in_bold_in_both_languages(source: Path) -> None:
    known, english, chinese = entries(), in_bold(source, "en"), in_bold(source, "zh")
    new = [known[term] for term in terms(read_lesson(source)) if term in known]
    assert [entry.en for entry in new if not {entry.en.casefold(), f"{entry.en.casefold()}s"} & english] == []
    assert [entry.zh for entry in new if entry.zh.casefold() not in chinese] == []


def test_every_term_of_the_glossary_is_introduced_once() -> None:
    assert set(glossary.introduced(LESSONS)) == set(entries())


def test_terms_are_introduced_in_numbered_lessons() -> None:
    assert [path.name for path in glossary.introduced(LESSONS).values() if not path.stem[:2].isdigit()] == []


@pytest.mark.parametrize("source", [*LESSONS, build.GLOSSARY, build.CLAIMS], ids=lambda source: source.stem)
def test_the_chinese_of_every_english_paragraph_was_compared(source: Path) -> None:
    assert translation_lock.unseen(source) == [], (
        f"compare them, then run: python notebooks/build.py --translated {source.name}"
    )


@each_lesson
def test_formulas_are_plain_text(source: Path) -> None:
    """The documentation works without a network, so it has nothing that draws TeX."""
    prose = [block for block in read_lesson(source) if isinstance(block, Prose)]
    assert [
        block.line for block in prose if "$" in re.sub(r"```.*?```|`.*?`", "", block.en + block.zh, flags=re.DOTALL)
    ] == []


def test_lessons_settle_claims_that_are_listed() -> None:
    known = {claim.key for claim in CLAIMS}
    assert len(known) == len(CLAIMS)
    assert set(claims_page.settled(LESSONS)) <= known


@each_lesson
def test_what_settles_a_claim_asserts_something_that_could_be_false(source: Path) -> None:
    for note, cell in about_cells(read_lesson(source), "claim"):
        found = [node for node in ast.walk(ast.parse(cell.text)) if isinstance(node, ast.Assert)]
        assert found, f"{source.name}:{cell.line}: {note.text} is not asserted"
        for assertion in found:
            asked = [node for node in ast.walk(assertion.test) if isinstance(node, ast.Name)]
            assert asked, f"{source.name}:{cell.line}: {ast.unparse(assertion)} asks nothing"


@each_lesson
def test_an_output_is_ignored_exactly_if_the_reason_is_given(source: Path) -> None:
    blocks = read_lesson(source)
    ignored = [block for block in blocks if isinstance(block, Code) and build.IGNORED in block.tags]
    given = about_cells(blocks, "ignored")
    assert [cell.line for cell in ignored] == [cell.line for _, cell in given]
    assert all(note.text for note, _ in given)


@each_lesson
def test_an_exercise_does_not_say_how_it_is_solved(source: Path) -> None:
    cells = [
        block
        for block in read_lesson(source)
        if isinstance(block, Code) and {"exercise", "raises-exception"} <= {*block.tags}
    ]
    given_away = [
        cell.line for cell in cells if cell.text.startswith("%%stepper") and "--no-fix" not in cell.text.splitlines()[0]
    ]
    assert not given_away, f"{source.name}: lines {given_away}: %%stepper says how to fix what the learner is to fix"
