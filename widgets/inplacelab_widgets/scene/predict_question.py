"""Packs a question of predict mode as plain data for the player, with the operation that it is about."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.recording.as_written import as_written
from inplacelab.recording.facts import Step
from inplacelab.recording.quiz import Question
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene.measure import Words

__all__ = ["in_both_languages", "question_data"]


def in_both_languages(words: Words) -> Any:
    """Returns a pair where the languages differ, or one string where they do not."""
    if isinstance(words, Text):
        return words.en if words.en == words.zh else [words.en, words.zh]
    return words


def question_data(recording: Recording, question: Question) -> dict[str, Any]:
    """Returns a question as plain data; `predict.js` documents its fields."""
    return {
        "step": question.step,
        "kind": question.kind,
        "op": _which_of_the_line(recording, recording.steps[question.step]),
        "ask": in_both_languages(question.ask),
        "options": [in_both_languages(option) for option in question.options],
        "several": question.several,
        "right": list(question.right),
        "why": in_both_languages(question.why),
        "about": " ".join(question.about),
    }


def _which_of_the_line(recording: Recording, step: Step) -> str | None:
    """The operation that a question is about, where the line runs several: `add_`; `net.weight.subtract_` among those of
    `sgd.step()`; `multiply 2/3` if nothing else distinguishes them.
    """
    there = [
        each
        for each in recording.steps
        if each.kind == "operation" and (each.turn, each.line) == (step.turn, step.line)
    ]
    alike = [each.index for each in there if each.op == step.op]
    if len(there) < 2 or step.index not in alike:
        return None
    op = as_written(recording, step)
    if len(alike) < 2:
        return op
    before = recording.state(step.index - 1) if step.index else None
    written = (before.called(each.tensor) for each in step.writes) if before else ()
    name = next((called.first for called in written if called.names), None)
    return f"{name}.{op}" if name and op.isidentifier() else f"{op} {alike.index(step.index) + 1}/{len(alike)}"
