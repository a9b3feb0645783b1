"""Each step of a recording in a sentence or two, in both languages, from recorded facts alone."""

from __future__ import annotations

from collections.abc import Callable

from inplacelab.language import Text
from inplacelab.recording.facts import StepKind
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.backward import backward_moment
from inplacelab.recording.sentences.errors import error_step
from inplacelab.recording.sentences.launches import launched
from inplacelab.recording.sentences.lines import plain_line
from inplacelab.recording.sentences.operations import operation
from inplacelab.recording.sentences.phrases import closed_up, joined
from inplacelab.recording.sentences.step_context import Moment

__all__ = ["sentence"]

_BY_KIND: dict[StepKind, Callable[[Moment], Text]] = {
    "operation": operation,
    "line": plain_line,
    "backward": backward_moment,
    "error": error_step,
}


def sentence(recording: Recording, index: int) -> Text:
    """What happened at step `index`: which slots were written, which versions rose, who sees it, what went stale; and on a GPU,
    which kernels it launched.

    Names of the program stand in backticks. Words for gradient flags are those of the recorded framework.

    Raises:
        IndexError: if there is no such step.
    """
    moment = Moment(recording, index)
    return closed_up(joined([_BY_KIND[moment.step.kind](moment), *launched(moment.step.launches)]))
