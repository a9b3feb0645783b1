"""Describes an error: the exception, what led to it, how to fix the program."""

from __future__ import annotations

from inplacelab.language import Text
from inplacelab.recording.facts import ErrorFacts
from inplacelab.recording.sentences.failures import notes
from inplacelab.recording.sentences.phrases import joined, quoted
from inplacelab.recording.sentences.step_context import Moment
from inplacelab.recording.trace import failure_at

__all__ = ["error_step"]


def error_step(moment: Moment) -> Text:
    """Returns the sentences for a step that raised an error."""
    error = moment.step.error
    if error is None:
        return Text("{0} raised an error.", "{0}抛出了异常。").format(moment.line)
    facts = failure_at(moment.recording, moment.index)
    # Where the value was needed is the line of this step, and its mark says what it found.
    said = [*notes(facts, but="needed")] if facts is not None and facts.values else [*error.notes]
    reason = [error.explanation] if error.explanation and not said else []
    instead = [Text("Instead, {0}", "改法：{0}").format(error.fix)] if error.fix else []
    raised = Text("{0}.", "{0}。").format(quoted(error.type)) if said else _raised(moment, error)
    return joined([raised, *reason, *said, *instead])


def _raised(moment: Moment, error: ErrorFacts) -> Text:
    raised = Text("{0} raised {1}", "{0}抛出 {1}").format(moment.line, quoted(error.type))
    first_line = (error.message.splitlines() or [""])[0].strip().removesuffix(".")
    if error.explanation is not None or not first_line:
        return raised + Text(".", "。")
    return Text("{0}: {1}.", "{0}：{1}。").format(raised, Text(first_line, first_line))
