"""Makes questions about a step before it is shown: what will change, and what will not?

The answers are computed from the recording. A question is asked only where it teaches something; the docstring of each
function that makes one says when. `memory.py` says what a question is, and asks about writes and memory; `history.py` asks about
grad nodes, errors and origins.

>>> import inplacelab as paddle
>>> with paddle.record() as rec:
...     b = paddle.zeros([2, 2])
...     v = b[0]
...     _ = v.fill_(1.0)
>>> [question.kind for question in questions_at(rec.recording, 2)]  # all questions about one step
['values', 'version', 'bytes']
>>> [(question.step, question.kind) for question in quiz(rec.recording)]  # a selection for the whole program
[(1, 'shares'), (2, 'values'), (2, 'version')]
>>> [question.kind for question in quiz(rec.recording, at="line:3", kinds="version")]  # an author's choice
['version']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import takewhile

from inplacelab.language import Text, enumerated
from inplacelab.place import same_line
from inplacelab.recording.facts import Step
from inplacelab.recording.places import line_of, source_of
from inplacelab.recording.queries import newly_stale
from inplacelab.recording.quiz.history import node, origins, raises, reaches, stale
from inplacelab.recording.quiz.memory import KINDS, Kind, Question, live_bytes, shares, values, version
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import StepContext
from inplacelab.supported import terms_of

__all__ = ["KINDS", "MOST_AT_ONCE", "Kind", "Question", "questions_at", "quiz"]


MOST_AT_ONCE = 2
"""The automatic selection asks at most this many questions about one step."""

MOST_PASSES = 3
"""Of the passes of a loop, it looks for missing paths in the first ones: the others go the same way, and following paths takes time."""

_MAKERS: dict[Kind, Callable[[StepContext], Question | None]] = {
    "values": values,
    "stale": stale,
    "raises": raises,
    "version": version,
    "shares": shares,
    "node": node,
    "bytes": live_bytes,
    "origins": origins,
    "reaches": reaches,
}


def questions_at(recording: Recording, step: int) -> tuple[Question, ...]:
    """Returns every question about one step, at most one of each kind, in the order of `KINDS`.

    Args:
        recording: the recording.
        step: the step, counted from 0; negative numbers count from the end.

    Raises:
        IndexError: if there is no such step.
    """
    return tuple(_made(recording, recording.state(step).step.index, KINDS))


def _made(recording: Recording, step: int, kinds: Iterable[Kind]) -> list[Question]:
    if not step:
        return []  # before the first step there is nothing to ask about
    context = StepContext(recording, step)
    if not terms_of(recording).has_gradients:  # the framework has no version counters: inplacelab counts the writes
        kinds = [kind for kind in kinds if kind != "version"]
    return [question for kind in kinds if (question := _MAKERS[kind](context)) is not None]


def quiz(
    recording: Recording,
    at: Iterable[int | str] | int | str | None = None,
    kinds: Iterable[str] | str | None = None,
    *,
    among: Iterable[int] | None = None,
) -> tuple[Question, ...]:
    """Returns the questions for a recording, in the order of its steps.

    Without `at` the selection is automatic: each operation of a line gets one question of a kind, however often a loop runs it;
    a step gets at most `MOST_AT_ONCE` questions, of the kinds asked least so far.

    Args:
        recording: the recording.
        at: where to ask: steps by number, lines as "line:5", those of another source by its name, "model.py:5". All questions of the wanted kinds are asked there.
        kinds: the kinds to ask, of `KINDS`; by default all.
        among: the steps, in order, to which the automatic selection is restricted; by default all.

    Raises:
        ValueError: if a kind is unknown, a place is malformed, or a place has no question of the wanted kinds.
        LookupError: if there is no such step, or nothing was recorded on that line.
    """
    wanted = _wanted(kinds)
    if at is None:
        return _by_rule(recording, wanted, range(len(recording)) if among is None else among)
    places = (at,) if isinstance(at, int | str) else tuple(at)
    found = {(each.step, each.kind): each for place in places for each in _asked_at(recording, place, wanted)}
    return tuple(sorted(found.values(), key=_order))


_NO_KIND = Text("there is no kind of question called {0!r}; there are: {1}", "没有 {0!r} 这一类问题；可用的有：{1}")
_NO_QUESTION = Text(
    "at {0} there is no question of the kinds {1}; what can be asked: {2}",
    "在 {0} 处没有 {1} 这几类问题；可以问的有：{2}",
)
_NO_PLACE = Text(
    '{0!r} is not a place: write a step as a number, or a line as "line:5"',
    '{0!r} 不是位置：步骤请写成数字，行请写成 "line:5"',
)
_STEP, _NOTHING = Text("step {0}", "第 {0} 步"), Text("nothing", "无")


def _wanted(kinds: Iterable[str] | str | None) -> tuple[Kind, ...]:
    wanted = KINDS if kinds is None else (kinds,) if isinstance(kinds, str) else tuple(kinds)
    unknown = [kind for kind in wanted if kind not in KINDS]
    if unknown:
        raise ValueError(str(_NO_KIND.format(unknown[0], enumerated(KINDS))))
    return tuple(kind for kind in KINDS if kind in wanted)


def _by_rule(recording: Recording, kinds: tuple[Kind, ...], among: Iterable[int]) -> tuple[Question, ...]:
    asked: Counter[Kind] = Counter()
    met: set[tuple[tuple[int, int] | None, str | None, Kind]] = set()
    chosen: list[Question] = []
    begun: Counter[tuple[int, int] | None] = Counter()
    for step in (recording.steps[index] for index in among):
        wanted = [kind for kind in kinds if (line_of(step.place), step.op, kind) not in met]
        if step.backward is not None and step.backward.action == "begin":
            begun[line_of(step.place)] += 1
            if begun[line_of(step.place)] > MOST_PASSES:
                wanted = [kind for kind in wanted if kind != "reaches"]
        found = _made(recording, step.index, wanted)
        if any(each.kind == "stale" for each in found) and _spoils_later(recording, step):
            found = [each for each in found if each.kind != "stale"]
        met |= {(line_of(step.place), step.op, question.kind) for question in found}
        picked = sorted(found, key=lambda question: asked[question.kind])[:MOST_AT_ONCE]
        asked.update(question.kind for question in picked)
        chosen += sorted(picked, key=_order)
    return tuple(chosen)


def _spoils_later(recording: Recording, step: Step) -> bool:
    """Whether a later operation of the same name, in the same run of the line, overwrites a saved tensor: of all writes of
    `sgd.step()`, that is the one to ask about.
    """
    if newly_stale(recording, step.index):
        return False
    rest = takewhile(lambda each: each.turn == step.turn, recording.steps[step.index + 1 :])
    return any(
        each.op == step.op and same_line(each.place, step.place) and newly_stale(recording, each.index) for each in rest
    )


def _order(question: Question) -> tuple[int, int]:
    return question.step, KINDS.index(question.kind)


def _asked_at(recording: Recording, place: int | str, kinds: tuple[Kind, ...]) -> list[Question]:
    steps = _steps_at(recording, place)
    possible = [question for step in steps for question in questions_at(recording, step)]
    found = [question for question in possible if question.kind in kinds]
    if not found:
        there = enumerated(dict.fromkeys(question.kind for question in possible)) if possible else _NOTHING
        where = place if isinstance(place, str) else _STEP.format(place)
        raise ValueError(str(_NO_QUESTION.format(where, enumerated(kinds), there)))
    return found


def _steps_at(recording: Recording, place: int | str) -> list[int]:
    if isinstance(place, int):
        return [recording.state(place).step.index]
    prefix, _, number = place.rpartition(":")
    source = 0 if prefix == "line" else source_of(recording, prefix) if prefix else None
    if source is None or not number.isdecimal():
        raise ValueError(str(_NO_PLACE.format(place)))
    recording.after_line(int(number), source)  # raises an error that lists the lines, if there is no such line
    return [step.index for step in recording.on_line(int(number), source)]
