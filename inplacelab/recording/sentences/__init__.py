"""Describes each step of a recording in a sentence or two, in both languages, from recorded facts alone.

The modules:

    headline.py     in one clause            whole_line.py   all steps of a line          step_context.py   a step with its states
    operations.py, lines.py, backward.py, errors.py, look.py, launches.py, collectives.py   one kind of step each
    phrases.py      lists, slots, bytes, shapes and values, as parts of a sentence
"""

from __future__ import annotations

from collections.abc import Callable

from inplacelab.language import Text
from inplacelab.recording.facts import StepKind
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.backward import backward_moment
from inplacelab.recording.sentences.collectives import communicated
from inplacelab.recording.sentences.errors import error_step
from inplacelab.recording.sentences.headline import Headline, headline_of, line_clause, split
from inplacelab.recording.sentences.launches import launched
from inplacelab.recording.sentences.lines import plain_line
from inplacelab.recording.sentences.look import seen_at_once
from inplacelab.recording.sentences.operations import operation
from inplacelab.recording.sentences.phrases import closed_up, joined
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.recording.sentences.whole_line import as_one, line_of_step, whole_line

__all__ = ["Headline", "headline", "line_headline", "line_sentence", "sentence"]

_BY_KIND: dict[StepKind, Callable[[Moment], Text]] = {
    "operation": operation,
    "line": plain_line,
    "backward": backward_moment,
    "error": error_step,
    "look": seen_at_once,
}


def sentence(recording: Recording, index: int) -> Text:
    """Describes step `index`: slots written, versions raised, tensors that see it, values gone stale, kernels launched.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Returns:
        The text in both languages. Names of the program are in backticks; the terms are those of the recorded framework.

    Raises:
        IndexError: if there is no such step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     _ = x.scale_(0.5)
    >>> print(sentence(rec.recording, 1).en)
    Line 2 `scale_` wrote slots 0-1 of S0 through `x`. Version of S0: 0 → 1. From now on `x` is called `_`, too.
    """
    moment = Moment(recording, index)
    step = moment.step
    return closed_up(joined([_BY_KIND[step.kind](moment), *launched(step.launches), *communicated([step.collective])]))


def line_sentence(recording: Recording, index: int) -> Text:
    """Describes the line of step `index` as a whole: all of its steps, from the state before the first to the state after the last.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Returns:
        The text in both languages; for a line of one step, the sentence of that step.

    Raises:
        IndexError: if there is no such step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     y = (x * 2).exp()
    >>> print(line_sentence(rec.recording, -1).en)
    Line 2 ran `x * 2` and `exp` on `x`. It made `y` in a new storage S2 (8 bytes). S1 was made and freed again (8 bytes).
    """
    here = recording.state(index).step.index
    steps = line_of_step(recording, here)
    return sentence(recording, here) if len(steps) == 1 else closed_up(whole_line(recording, steps))


def headline(recording: Recording, index: int) -> Headline:
    """Says what step `index` did in one clause, and the rest in a detail.

    The clause of a write names every tensor that shows other values now, whatever its name; that of a refusal the line to blame.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Returns:
        The clause, without a full stop, and the detail, which may be empty.

    Raises:
        IndexError: if there is no such step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.ones([2])
    ...     v = x[1:]
    ...     v[0] = 5.
    >>> for step in range(3):
    ...     print(headline(rec.recording, step).clause.en)
    `x` was made, in a new storage
    `v` shares its storage with `x`
    `v[0] = 5.` changed `x` too
    """
    here = recording.state(index).step.index
    return headline_of(recording, here, sentence(recording, here))


def line_headline(recording: Recording, index: int) -> Headline:
    """Says what the line of step `index` did: as `headline` for a line of one step. Of several steps the clause is what their writes changed, or the first of the
    sentences.

    Args:
        recording: the recording.
        index: the step, counted from 0; negative numbers count from the end.

    Raises:
        IndexError: if there is no such step.
    """
    here = recording.state(index).step.index
    steps = line_of_step(recording, here)
    if len(steps) == 1:
        return headline(recording, here)
    said, clause = line_sentence(recording, here), line_clause(as_one(recording, steps), steps)
    plain = split(said)
    if clause is None:
        return plain
    failed = any(recording.steps[each].error is not None for each in steps)
    # The clause has the statement in place of the list of the operations that it ran.
    return Headline(closed_up(clause), said if failed or not plain.detail.en else plain.detail)
