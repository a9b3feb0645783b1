"""Arranges a lesson so that no answer is read before the question: checks are collapsed, and what explains a result is folded.

- A cell with the tag `twin`, the program of a recording shown above it, is collapsed.
- A cell that checks what a `%%stepper` has shown is collapsed, and so are the `assert`s at the end of any other cell. Its first line, which
  JupyterLab shows of a collapsed cell, is a comment that says what is checked.
- After the check of an exercise stands its solution, folded.
- The prose that follows a prediction and its program is folded up to its next heading, its next prediction, or a line `<!-- unfold -->`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from inplacelab.language import Text
from lesson_source import FOR_AUTHORS, Block, Code, Note, Prose

CHECKS, QUESTION, TWIN = "checks", "question", "twin"
COLLAPSED = frozenset({CHECKS, QUESTION, TWIN})
"""Tags of cells of which JupyterLab shows the first line and what they print, and the rest of the code only if it is asked for."""

_TITLE = "# {{{{Check: {en} / 核对：{zh}}}}}\n{code}"
_TWIN = Text(
    "*The program is in the collapsed cell below. If PyTorch is installed, you can run it to record it again.*",
    "*程序在下面折叠的单元格里。如果装有 PyTorch，可以运行它，重新记录。*",
)
_ANY = Text("what the text says", "正文所说的")
_OPENED = "<details>\n<summary><b>{}</b></summary>\n\n"
_SUMMARY = Text("What happened, and why", "结果与解释")
_SOLUTION = Text("A solution (after the last hint)", "一种解法（看完最后一条提示再展开）")
_OTHERS = {"exercise", "check", QUESTION, "raises-exception", *FOR_AUTHORS}
"""Tags of cells that are shown as they are."""
_ENDS_A_FOLD = re.compile(r"^(#|> \*\*(Predict|先预测)|\*\*(Predict|先预测))")
_UNFOLD = "<!-- unfold -->"
_ASKS = ("**Predict", "**先预测")


def arranged(blocks: Iterable[Block]) -> list[Block]:
    """Returns the blocks of a notebook: with titles, collapsed checks, and folded explanations and solutions."""
    return list(_with_folds(_with_titles(_with_solutions(blocks))))


def _with_solutions(blocks: Iterable[Block]) -> Iterator[Block]:
    solution = ""
    for block in blocks:
        tags = {*block.tags} if isinstance(block, Code) else set()
        if isinstance(block, Code) and "solution" in tags:
            solution = block.text
        if not FOR_AUTHORS & tags:
            yield block
        if "check" in tags and solution:
            en, zh = (
                f"{_OPENED.format(words)}```python\n{solution}\n```\n\n</details>"
                for words in (_SOLUTION.en, _SOLUTION.zh)
            )
            yield Prose(en, zh, block.line)


def _with_titles(blocks: Iterable[Block]) -> Iterator[Block]:
    title, after_stepper = _ANY, False
    for block in blocks:
        if isinstance(block, Note):
            title = Text(*map(str.strip, block.text.split(" / "))) if block.kind == CHECKS else title
            continue
        if not isinstance(block, Code):
            yield block
            continue
        if TWIN in block.tags:
            yield Prose(_TWIN.en, _TWIN.zh, block.line)
        program, checks = _parted(block, whole=after_stepper)
        if program is not None:
            yield program
        if checks is not None:
            yield replace(checks, text=_TITLE.format(en=title.en, zh=title.zh, code=checks.text))
        title, after_stepper = _ANY, is_stepper(block)


def is_stepper(block: Code) -> bool:
    """Whether a cell shows a picture to step through."""
    return block.text.startswith(("%%stepper", "%%ranks", "Stepper(")) or (
        block.text.rstrip().endswith(")") and "\nStepper(" in block.text
    )


def _parted(block: Code, *, whole: bool) -> tuple[Code | None, Code | None]:
    """Parts a cell into its program and the assertions at its end. After a stepper, all of it checks what was shown."""
    if {*block.tags} & _OTHERS or any(tag.startswith("recorded-") for tag in block.tags) or block.text.startswith("%"):
        return block, None
    lines = block.text.splitlines()
    start = _first_line_of_checks(block.text)
    if start > len(lines):
        return block, None
    if whole or start == 1:
        return None, replace(block, tags=(*block.tags, CHECKS))
    program, checks = ("\n".join(part).strip("\n") for part in (lines[: start - 1], lines[start - 1 :]))
    return replace(block, text=program), replace(block, text=checks, tags=(CHECKS,))


def _first_line_of_checks(text: str) -> int:
    """The line at which the assertions at the end of a cell begin; past the last if there are none."""
    body = ast.parse(text).body
    line = len(text.splitlines()) + 1
    for statement in reversed(body):
        if not isinstance(statement, ast.Assert):
            break
        line = statement.lineno
    return line


def _with_folds(blocks: Iterable[Block]) -> Iterator[Block]:
    asked = ran = False
    for block in blocks:
        if isinstance(block, Code):
            asked |= "--predict" in block.text.split("\n", 1)[0]
            ran |= asked and not COLLAPSED & {*block.tags}
            yield block
        elif isinstance(block, Prose) and not _is_added(block):
            yield _folded(block) if ran else _without_marks(block)
            asked, ran = any(ask in block.en for ask in _ASKS), False
        else:
            yield block


def _is_added(prose: Prose) -> bool:
    return prose.en == _TWIN.en or _SOLUTION.en in prose.en


def _folded(prose: Prose) -> Prose:
    summary = _SUMMARY
    return Prose(_fold(prose.en, summary.en), _fold(prose.zh, summary.zh), prose.line)


def _fold(text: str, summary: str) -> str:
    lines = text.splitlines()
    ends = [number for number, line in enumerate(lines) if line == _UNFOLD or _ENDS_A_FOLD.match(line)]
    end = ends[0] if ends else len(lines)
    inside = "\n".join(lines[:end]).strip("\n")
    outside = "\n".join(line for line in lines[end:] if line != _UNFOLD).strip("\n")
    if not inside:
        return outside
    return f"<details>\n<summary><b>{summary}</b></summary>\n\n{inside}\n\n</details>" + (
        f"\n\n{outside}" if outside else ""
    )


def _without_marks(prose: Prose) -> Prose:
    en, zh = (text.replace(f"{_UNFOLD}\n", "") for text in (prose.en, prose.zh))
    return Prose(en, zh, prose.line)
