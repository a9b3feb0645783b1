"""Makes questions about origins: from which elements a number will be computed, and on which elements the root of a pass does not depend."""

from __future__ import annotations

from math import prod

from inplacelab.language import Text
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.origins.back import called, operands_of, sources_in_step
from inplacelab.recording.origins.elements import index_of, written_index
from inplacelab.recording.origins.gradients import Contributions, contributions
from inplacelab.recording.origins.words import path_says
from inplacelab.recording.quiz.question import MOST_OPTIONS, Option, Question, a_question
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import Moment, joined, listing, quoted

__all__ = ["origins", "reaches"]

_TELLING = ("reduced", "running", "contracted", "moved", "written")
"""The rules by which an element depends on some elements of an operand, and not just on those at its position."""


def origins(moment: Moment) -> Question | None:
    """Asks from which elements of an operand an element of the result will be computed.

    Asked of sums along an axis, products, and indexing, if an operand with a name has few elements and not all of them count. The element
    in the middle of the result is meant, since the first one is often special.
    """
    step = moment.step
    result = None if step.output is None else moment.after.tensors.get(step.output)
    if step.depends is None or result is None or step.depends.how not in _TELLING or not prod(result.shape):
        return None
    element = prod(result.shape) // 2
    found = sources_in_step(moment.recording, step, result, element)
    for place, operand in enumerate(operands_of(moment.recording, step)):
        if found is None or operand is None or not operand.names or not 2 <= prod(operand.shape) <= MOST_OPTIONS:
            continue
        counting = {source.element for source in found if source.operand == place}
        if 0 < len(counting) < prod(operand.shape):
            return _asked(moment, result, element, operand, counting)
    return None


def _asked(
    moment: Moment, result: TensorFacts, element: int, operand: TensorFacts, counting: set[int]
) -> Question | None:
    indices = [index_of(operand.shape, number) for number in range(prod(operand.shape))]
    options: list[Option] = [(called(moment.before, operand, index), k in counting) for k, index in enumerate(indices)]
    index = written_index(index_of(result.shape, element))
    name = moment.called_until_now(result.id) if result.id in moment.before.tensors else _RESULT
    ask = Text(
        "From which elements of {0} will element {1} of {2} be computed?", "{2} 的元素 {1} 会由 {0} 的哪些元素算出？"
    )
    why = Text("It is computed from {0}.", "它由 {0} 算出。").format(
        listing([text for text, is_right in options if is_right])
    )
    return a_question(
        moment, "origins", ask.format(quoted(moment.before.called(operand.id).first), f"`{index}`", name), options, why,
        [f"t{operand.id}", f"s{operand.storage}"], several=True,
    )  # fmt: skip


_RESULT = Text("the result", "结果")


def reaches(moment: Moment) -> Question | None:
    """Asks on which elements of a leaf the root of a pass does not depend.

    Asked as the pass begins, of a leaf with a name and few elements to which the pass leads, if its gradient will be zero in some of them
    because no path leads to the root: it was read without history, met a slope of zero, or was overwritten.
    """
    facts = moment.step.backward
    if facts is None or facts.action != "begin":
        return None
    end = _end_of_pass(moment.recording, moment.index)
    for leaf in moment.before.tensors.values():
        if not leaf.names or not leaf.leaf or not leaf.needs_gradient or not 2 <= prod(leaf.shape) <= MOST_OPTIONS:
            continue
        found = [_paths(moment.recording, leaf, number, end) for number in range(prod(leaf.shape))]
        known = [each for each in found if each is not None and each.step > moment.index and _is_clear(each)]
        missing = [not _reaches_root(each) for each in known]
        if len(known) == len(found) and any(missing) and not all(missing):
            return _asked_of_leaf(moment, leaf, known, missing)
    return None


def _is_clear(found: Contributions) -> bool:
    """Whether all paths are known, and the gradient is zero exactly if none leads to the root: paths may cancel each other."""
    known = found.right is not None and found.gradient is not None and not found.wrong
    return known and (found.gradient != 0) == _reaches_root(found)


def _reaches_root(found: Contributions) -> bool:
    return any(path.end == "root" for path in found.paths)


def _end_of_pass(recording: Recording, begun: int) -> int:
    later = recording.steps[begun:]
    return next(
        (step.index for step in later if step.backward and step.backward.action in ("end", "failed")), later[-1].index
    )


def _paths(recording: Recording, leaf: TensorFacts, number: int, end: int) -> Contributions | None:
    try:
        return contributions(recording, leaf, index_of(leaf.shape, number), end)
    except LookupError:
        return None


def _asked_of_leaf(
    moment: Moment, leaf: TensorFacts, found: list[Contributions], missing: list[bool]
) -> Question | None:
    indices = [index_of(leaf.shape, number) for number in range(len(found))]
    options: list[Option] = [
        (called(moment.before, leaf, index), gone) for index, gone in zip(indices, missing, strict=True)
    ]
    name = moment.before.called(leaf.id).first
    reasons = [
        path_says(f"{name}{written_index(index)}", each.paths[0])
        for index, each, gone in zip(indices, found, missing, strict=True)
        if gone and each.paths
    ]
    ask = Text(
        "On which elements of {0} does the root of this pass not depend?", "反向传播的起点不依赖于 {0} 的哪些元素？"
    )
    full = [reason + Text(".", "。") for reason in reasons] or [
        Text("Nothing was computed from them.", "没有由它们算出任何数。")
    ]
    return a_question(
        moment,
        "reaches",
        ask.format(quoted(name)),
        options,
        joined(full),
        [f"t{leaf.id}", f"s{leaf.storage}"],
        several=True,
    )
