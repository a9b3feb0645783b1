"""The page's content for a lesson: in a notebook each of these shows itself, in the current language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inplacelab.differences.answers import FRAMEWORKS, Answers, Verdict, recorded
from inplacelab.differences.chapters import CHAPTERS
from inplacelab.differences.model import Chapter, Difference, Kind
from inplacelab.differences.wording import FINITE_DIFFERENCE, card, code, judged, marked, names, numbers, said
from inplacelab.language import Text
from inplacelab.listing import Cell, Group, Listing

TITLE = Text("Where inplacelab, PaddlePaddle and PyTorch differ", "inplacelab、PaddlePaddle 与 PyTorch 的差异")
_COUNTS = Text("What the programs show", "这些程序说明什么")
_VERDICTS = Text("The answers, where a gradient is asked for", "要求梯度时的各家答案")
_PROGRAM = Text("program", "程序")
_WHAT = Text("what it shows", "说明什么")
_PROGRAMS = Text("programs", "程序数")
_ANSWER = Text("answer", "答案")
_COUNTED = (Verdict.RIGHT, Verdict.WRONG, Verdict.REFUSED, Verdict.ABSENT)


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


def table(*, chapter: str | None = None, kind: Kind | None = None) -> Listing:
    """A row for each entry: program, finite difference, and what the three frameworks make of it.

    `ListView` in `inplacelab_widgets` sorts and filters it.

    Args:
        chapter: the key of a chapter; all if None.
        kind: only the entries that show this.

    >>> from inplacelab import differences
    >>> print(differences.table(kind=differences.Kind.STRICTER))
    program ... finite difference     inplacelab  Paddle 3.3.1      PyTorch 2.13.0
    ...
    """
    groups = [
        Group(each.title, [line(entry) for entry in each.differences if kind in (None, entry.kind)])
        for each in CHAPTERS
        if chapter in (None, each.key)
    ]
    return Listing(TITLE, heads(), [group for group in groups if group.rows])


def heads() -> tuple[Cell, ...]:
    """What stands over the columns of `line`."""
    return _PROGRAM, FINITE_DIFFERENCE, *names().values()


def line(difference: Difference) -> tuple[Cell, ...]:
    """One entry in short."""
    answers = recorded()[difference.key]
    judge = "" if answers.finite_difference is None else code(numbers(answers.finite_difference))
    return difference.title, judge, *(_in_short(difference, answers, framework) for framework in FRAMEWORKS)


def _in_short(difference: Difference, answers: Answers, framework: str) -> Cell:
    """The verdict; a plain value says more than that there is one."""
    if answers.verdict(framework) is Verdict.VALUE:
        return said(answers, framework)
    return judged(difference, answers, framework)


def counts() -> Listing:
    """How many programs show what."""
    found = Counter(each.kind for _, each in every())
    return Listing(_COUNTS, (_WHAT, _PROGRAMS), [Group(None, [(kind.says, str(found[kind])) for kind in Kind])])


def verdicts() -> Listing:
    """How often each framework is right, silently wrong, or refuses, where a gradient is asked for.

    The programs that leave the history on purpose are not counted: there the finite difference is no judge.
    """
    answers = recorded()
    judges = [answers[each.key] for _, each in every() if each.asks_gradient and each.kind is not Kind.ESCAPE]
    found = {name: Counter(each.verdict(name) for each in judges) for name in FRAMEWORKS}
    rows: list[Sequence[Cell]] = [
        (marked(verdict), *(str(found[name][verdict]) for name in FRAMEWORKS)) for verdict in _COUNTED
    ]
    return Listing(_VERDICTS, (_ANSWER, *names().values()), [Group(None, rows)])
