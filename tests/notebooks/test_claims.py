"""The page of claims: each claim with its verdict, the lessons that settle it, and what PaddlePaddle answers."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import build
import claims_page
import paddle_programs
from claims import CLAIMS, GUIDE, LINEAR_ALGEBRA, UNTESTED
from lesson_source import LANGUAGES, Code, Note, Prose, read_lesson

CELL = "<!-- claim: two-names, two-names -->\n```python\nassert x\n```\n"


def test_a_claim_leads_to_every_lesson_that_settles_it(tmp_path: Path) -> None:
    for name in ("01_first.md", "12_last.md", "should_i_use_in_place.md"):
        (tmp_path / name).write_text(CELL + CELL, encoding="utf-8")
    introduction, *rest = claims_page.page([Prose("# Said", "# 说法")], sorted(tmp_path.glob("*.md")))
    assert introduction == Prose("# Said", "# 说法")
    (claim,) = (block for block in rest if isinstance(block, Prose) and "After `y = x`" in block.en)
    assert "**Refuted.** They are one object." in claim.en
    assert "**不成立。**它们是同一个对象。" in claim.zh
    assert "(Test it: [lesson 1](01_first.ipynb), [lesson 12](12_last.ipynb), [Should I use" in claim.en
    assert "[第 1 课](01_first.ipynb)、[第 12 课](12_last.ipynb)、" in claim.zh


def test_every_claim_is_on_the_page_in_both_languages_with_its_program() -> None:
    page = claims_page.page(read_lesson(build.CLAIMS), build.lessons())
    shown = [block for block in page if not isinstance(block, Note)]
    english, chinese = ("\n".join(block.in_language(language) for block in shown) for language in LANGUAGES)
    for claim in CLAIMS:
        assert claim.says.en in english
        assert claim.says.zh in chinese
        assert claim.program.rstrip() in english
    cells = [block for block in page if isinstance(block, Code)]
    assert len(cells) == 1 + sum(bool(claim.program) for claim in CLAIMS)


def test_every_claim_is_settled_by_a_lesson_or_by_a_program() -> None:
    settled = claims_page.settled(build.lessons())
    assert [c.key for c in CLAIMS if not (c.program or c.key in settled or c.verdict is UNTESTED)] == []


def test_each_section_stands_once_and_its_link_leads_to_its_heading() -> None:
    page = "\n".join(block.en for block in claims_page.page([], []) if isinstance(block, Prose))
    headings = [line for line in page.splitlines() if line.startswith("### ")]
    assert len(headings) == len({*headings}) == len({claim.section for claim in CLAIMS if claim.section.title})
    assert LINEAR_ALGEBRA.address == f"{GUIDE.address}#33-线性代数计算"


def test_versions_with_the_same_answer_stand_together(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [claim.key for claim in CLAIMS if claim.program]
    answers = {version: {key: ["1"] for key in keys} for version in ("2.6.2", "3.3.1")}
    answers["3.3.1"]["alpha"] = ["2"]
    monkeypatch.setattr(paddle_programs, "recorded", lambda: answers)
    prose = [block.en for block in claims_page.page([], []) if isinstance(block, Prose)]
    assert "In PaddlePaddle 2.6.2, 3.3.1:\n\n```text\n1\n```" in prose
    assert "In PaddlePaddle 2.6.2:\n\n```text\n1\n```\n\nIn PaddlePaddle 3.3.1:\n\n```text\n2\n```" in prose


def test_both_versions_answered_every_program() -> None:
    programs = {claim.key for claim in CLAIMS if claim.program}
    assert {version: set(answers) for version, answers in paddle_programs.recorded().items()} == {
        "2.6.2": programs,
        "3.3.1": programs,
    }


@pytest.mark.oracle
@pytest.mark.skipif(find_spec("paddle") is None, reason="PaddlePaddle is not installed")
def test_paddle_still_answers_as_recorded() -> None:
    version, answers = paddle_programs.run()
    if version not in paddle_programs.recorded():
        pytest.skip(f"nothing was recorded of PaddlePaddle {version}")
    known = paddle_programs.recorded()[version]
    # What Paddle does with too few axes depends on what lies behind its list of them.
    undefined = "transpose-swaps-two"
    assert answers.pop(undefined)[:2] == known.pop(undefined)[:2]
    assert answers == known


def test_without_paddle_the_programs_are_not_recorded(tmp_path: Path) -> None:
    (tmp_path / "paddle.py").write_text("raise ImportError('none here')", encoding="utf-8")
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec "{sys.executable}" "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    with pytest.raises(subprocess.CalledProcessError):
        paddle_programs.run(str(python))
