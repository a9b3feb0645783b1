"""Writes the page of claims: the guide, the introduction and the review, section by section. The claims are in `claims.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import paddle_programs
from claims import CLAIMS, Claim, Source
from inplacelab.language import Text, enumerated
from lesson_source import Block, Code, Prose, about_cells, read_lesson
from recorded_cells import SKIPPED

FILE = "claims.md"

_SOURCE = Text("## {0}\n\n[{0}]({1}): {2}.", "## {0}\n\n[《{0}》]({1})：{2}。")
_SECTION = Text("### {1}\n\n[{0}]({2})", "### [{0}]({2})")
_CLAIM = Text("**It says:** {0}\n\n**{1}.** {2}", "**原文的意思：**{0}\n\n**{1}。**{2}")
_LESSONS = Text(" (Test it: {0}.)", "（动手验证：{0}。）")
_LESSON = Text("lesson {0}", "第 {0} 课")
_PAGE = Text("Should I use in-place here?", "这里该用原地操作吗？")
_ANSWER = Text("In PaddlePaddle {0}:\n\n```text\n{1}\n```", "在 PaddlePaddle {0} 里：\n\n```text\n{1}\n```")


def settled(lessons: Sequence[Path]) -> dict[str, list[Path]]:
    """Returns the lessons that settle each claim, by its key."""
    where: dict[str, list[Path]] = {}
    for lesson in lessons:
        keys = (key for note, _ in about_cells(read_lesson(lesson), "claim") for key in note.names)
        for key in dict.fromkeys(keys):
            where.setdefault(key, []).append(lesson)
    return where


def page(blocks: Sequence[Block], lessons: Sequence[Path]) -> list[Block]:
    """Returns the page: each claim in its section, whether it is true, where it is tested, and what PaddlePaddle answers.

    A program is a cell that is not run when the page is built, since few have PaddlePaddle; the answers were recorded.
    """
    return [*blocks, *_claims(settled(lessons))]


def _claims(where: dict[str, list[Path]]) -> Iterator[Block]:
    answers = paddle_programs.recorded()
    for source, of_source in groupby(CLAIMS, lambda claim: claim.section.source):
        heads = [_head(source)]
        for section, of_section in groupby(of_source, lambda claim: claim.section):
            heads += [_SECTION.format(section.title, section.meaning, section.address)] if section.title else []
            for claim in of_section:
                yield _prose(*heads, _said(claim, where.get(claim.key, ())))
                heads = []
                if claim.program:
                    yield Code(f"%%stepper --optional\nimport paddle\n\n{claim.program}".rstrip(), SKIPPED)
                    yield _prose(*_answered(claim.key, answers))


def _head(source: Source) -> Text:
    return _SOURCE.format(source.title, source.address, source.about)


def _said(claim: Claim, lessons: Sequence[Path]) -> Text:
    verdict = Text(claim.verdict.value.en.capitalize(), claim.verdict.value.zh)
    links = [Text("[{0}]({1})", "[{0}]({1})").format(_name(lesson), f"{lesson.stem}.ipynb") for lesson in lessons]
    said = _CLAIM.format(claim.says, verdict, claim.truth)
    return said + _LESSONS.format(enumerated(links)) if links else said


def _name(lesson: Path) -> Text:
    """Returns the name of a lesson, or of a page that has no number."""
    number = lesson.stem.split("_")[0]
    return _LESSON.format(int(number)) if number.isdigit() else _PAGE


def _answered(key: str, answers: dict[str, dict[str, list[str]]]) -> Iterator[Text]:
    """Yields what the versions answer; versions that agree stand together."""
    for lines, versions in groupby(answers, lambda version: answers[version][key]):
        yield _ANSWER.format(enumerated(versions), "\n".join(lines))


def _prose(*texts: Text) -> Prose:
    return Prose("\n\n".join(text.en for text in texts), "\n\n".join(text.zh for text in texts))
