"""The page's content for a lesson: in a notebook each of these shows itself, in the current language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from inplacelab.differences.answers import FRAMEWORKS, Answers, Verdict, recorded
from inplacelab.differences.chapters import CHAPTERS
from inplacelab.differences.model import Chapter, Difference, Kind
from inplacelab.differences.wording import FINITE_DIFFERENCE, MARKS, card, code, judged, names, numbers, rows, said
from inplacelab.language import Text

_PROGRAM = Text("program", "程序")
_WHAT = Text("what it shows", "说明什么")
_PROGRAMS = Text("programs", "程序数")
_ANSWER = Text("answer", "答案")
_COUNTED = (Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED)


@dataclass(frozen=True)
class Shown:
    """Markdown that a notebook renders; printed, it is the text itself."""

    markdown: str

    def __repr__(self) -> str:
        return self.markdown

    def _repr_markdown_(self) -> str:
        return self.markdown


def every() -> Iterator[tuple[Chapter, Difference]]:
    """All entries with their chapters, in the page's order."""
    return ((chapter, each) for chapter in CHAPTERS for each in chapter.differences)


def find(key: str) -> Difference:
    """The entry of that key.

    Raises:
        KeyError: if there is none.
    """
    for _, each in every():
        if each.key == key:
            return each
    raise KeyError(f"there is no difference {key!r}: see differences.table()")


def show(key: str) -> Shown:
    """One entry in full, as it stands on the page.

    >>> from inplacelab import differences
    >>> print(differences.show("base-scaled-row-used"))
    ### The base is scaled, a row is used
    ...
    """
    each = find(key)
    return Shown(f"### {each.title}\n\n{card(each, recorded()[key])}")


def table(*, chapter: str | None = None, kind: Kind | None = None) -> Shown:
    """A row for each entry: program, finite difference, and what the three frameworks make of it.

    Args:
        chapter: the key of a chapter; all if None.
        kind: only the entries that show this.

    >>> from inplacelab import differences
    >>> differences.table(kind=differences.Kind.STRICTER)
    | program | finite difference | inplacelab | Paddle 3.3.1 | PyTorch 2.13.0 |
    ...
    """
    chosen = [each for where, each in every() if chapter in (None, where.key) and kind in (None, each.kind)]
    return Shown(overview(chosen))


def overview(chosen: list[Difference], *, links: bool = False) -> str:
    """The table of some entries; with `links`, each leads to its place on the page."""
    answers = recorded()
    head = [str(_PROGRAM), str(FINITE_DIFFERENCE), *names().values()]
    return rows([head, *(_row(each, answers[each.key], links=links) for each in chosen)])


def _row(difference: Difference, answers: Answers, *, links: bool) -> list[str]:
    title = f"[{difference.title}](#{difference.key})" if links else str(difference.title)
    judge = "" if answers.finite_difference is None else code(numbers(answers.finite_difference))
    return [title, judge, *(_in_short(difference, answers, framework) for framework in FRAMEWORKS)]


def _in_short(difference: Difference, answers: Answers, framework: str) -> str:
    """The verdict; a plain value says more than that there is one."""
    if answers.verdict(framework) is Verdict.VALUE:
        return said(answers, framework)
    return judged(difference, answers, framework)


def counts() -> Shown:
    """How many programs show what."""
    found = Counter(each.kind for _, each in every())
    body = [[str(kind.says), str(found[kind])] for kind in Kind]
    return Shown(rows([[str(_WHAT), str(_PROGRAMS)], *body]))


def verdicts() -> Shown:
    """How often each framework is right, silently wrong, or refuses, where a gradient is asked for.

    The programs that leave the history on purpose are not counted: there the finite difference is no judge.
    """
    answers = recorded()
    judges = [answers[each.key] for _, each in every() if each.asks_gradient and each.kind is not Kind.ESCAPE]
    found = {name: Counter(each.verdict(name) for each in judges) for name in FRAMEWORKS}
    head = [str(_ANSWER), *names().values()]
    body = [
        [f"{MARKS[v]} {v.says}", *(str(found[name][v]) for name in FRAMEWORKS)] for v in (*_COUNTED, Verdict.ABSENT)
    ]
    return Shown(rows([head, *body]))
