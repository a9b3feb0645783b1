"""Defines a question and its options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from inplacelab.language import Text
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.naming import storage_label
from inplacelab.recording.sentences.phrases import Moment, closed_up, listing, quoted

__all__ = ["KINDS", "MOST_OPTIONS", "Kind", "Option", "Question", "a_question", "learners_write", "named", "on_storage"]

Kind = Literal["values", "stale", "raises", "version", "shares", "node", "bytes", "origins", "reaches"]
"""What a question is about:

* "values": which named tensors will show other values?
* "stale": which saved tensors will backward find overwritten?
* "raises": will backward raise, and at which node; or will this line be refused?
* "version": what will the storage's version be?
* "shares": in which storage will the result be: is it a view or a copy?
* "node": which grad node will a tensor come from?
* "bytes": how many bytes will be live?
* "origins": from which elements will a number be computed?
* "reaches": on which elements of a leaf does the root of the backward pass not depend?
"""

KINDS: tuple[Kind, ...] = get_args(Kind)
"""All kinds, those that teach most first."""

MOST_OPTIONS = 6
"""A question has at most this many options, so that they can be read at a glance."""

Option = tuple[Text, bool]
"""An answer to choose, and whether it is right."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question about a step, asked before the step is shown.

    Attributes:
        step: the index of the step that the question is about.
        kind: what it is about; no step has two questions of one kind.
        ask: the question.
        options: the answers to choose from, in a fixed order.
        several: True if any number of the options may be right, False if exactly one is.
        right: the positions of the right options; never empty.
        why: the explanation, shown after the answer.
        about: what it concerns in the picture: "s1" is storage 1, "t2" tensor 2, "n3" grad node 3.
    """

    step: int
    kind: Kind
    ask: Text
    options: tuple[Text, ...]
    several: bool
    right: tuple[int, ...]
    why: Text
    about: tuple[str, ...]


def a_question(
    moment: Moment, kind: Kind, ask: Text, options: Sequence[Option], why: Text, about: Sequence[str], *,
    several: bool = False,
) -> Question | None:  # fmt: skip
    """Makes a question from its options.

    Returns:
        The question; None if there is only one option, none is right, or two have the same text.
    """
    texts = tuple(closed_up(text) for text, _ in options)
    right = tuple(position for position, (_, is_right) in enumerate(options) if is_right)
    readable = all(len({getattr(text, language) for text in texts}) == len(texts) for language in ("en", "zh"))
    if len(texts) < 2 or not right or not readable or (len(right) > 1 and not several):
        return None
    return Question(
        moment.step.index, kind, closed_up(ask), texts, several, right, closed_up(why), tuple(dict.fromkeys(about))
    )


def named(moment: Moment) -> list[TensorFacts]:
    """Returns the tensors with a name before the step that are alive after it, with their facts before it."""
    return [tensor for tensor in moment.before.tensors.values() if tensor.names and tensor.id in moment.after.tensors]


def learners_write(moment: Moment) -> bool:
    """Whether the step is an in-place operation of the learner's program."""
    step = moment.step
    return step.kind == "operation" and step.category in ("in-place", "relayout")


def on_storage(moment: Moment, storage: int) -> Text:
    """Labels a storage with the first name of each tensor on it: "S1 (`a` and `v`)"; with temporaries if no tensor has a name."""
    called = [moment.before.called(tensor.id) for tensor in moment.before.tensors_on(storage)]
    names = [each.first for each in called if each.names] or [each.first for each in called]
    label = storage_label(storage)
    if not names:
        return Text(label, label)
    return Text("{0} ({1})", "{0}（{1}）").format(label, listing([quoted(name) for name in names]))
