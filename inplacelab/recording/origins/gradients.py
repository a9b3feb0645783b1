"""Answers where a gradient's element comes from: the paths from the element to the root of the pass, each with its factors.

A path leads along the elements that were computed from one another (`path_search.py`). Its factor is the product of the slopes, from the values as they were
when the operations ran: those that backward should use. If a framework used a value that had been overwritten meanwhile, or left out a
write, the sum of these paths is not the gradient that it returned. Then the paths that it used are worked out, too: with the values found by
backward, along the nodes that it went (`used_paths.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isclose, prod
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import Number, TensorFacts
from inplacelab.recording.origins.arrivals import arrivals
from inplacelab.recording.origins.elements import asked_for, number_of, slots_of_element, value_of
from inplacelab.recording.origins.hops import Hops
from inplacelab.recording.origins.one_pass import OnePass
from inplacelab.recording.origins.path_search import PathSearch
from inplacelab.recording.origins.paths import End, GradientPath, Hop
from inplacelab.recording.origins.used_paths import UsedPaths
from inplacelab.recording.recording import Recording, State

__all__ = ["Contributions", "End", "GradientPath", "Hop", "contributions"]


@dataclass(frozen=True, slots=True)
class Contributions:
    """What was added up to an element of a gradient.

    Attributes:
        tensor: the number of the tensor whose gradient it is.
        step: the step that filled the gradient.
        gradient: the element of the gradient as it arrived in this pass; None if it was not recorded.
        paths: the paths with the values as they were when the operations ran.
        used: the paths that backward took instead, if they are others: with overwritten values, or without a write.
        more: whether there are more paths than are listed.
        right: the sum of all paths; None if it is not known.
        wrong: whether the gradient that arrived is another number.
        held: what the element held before this pass, to which the gradient was added; None if there was no gradient, or it was not recorded.
        without_hooks: what the paths add up to, if code of the program, such as a hook, ran in this pass and made the gradient another number;
            None otherwise. `right` is not known then.
        of_shape: the shape of the gradient that backward returned, if it lacks the element; None otherwise.
    """

    tensor: int
    step: int
    gradient: Number | None
    paths: tuple[GradientPath, ...]
    used: tuple[GradientPath, ...]
    more: bool
    right: float | None
    wrong: bool
    held: Number | None = None
    without_hooks: float | None = None
    of_shape: tuple[int, ...] | None = None


_NO_GRADIENT = Text("`{0}` has received no gradient up to step {1}", "到第 {1} 步为止，`{0}` 没有得到梯度")


def contributions(
    recording: Recording, tensor: str | TensorFacts, index: Sequence[int], step: int = -1
) -> Contributions:
    """Returns what was added up to an element of a tensor's gradient in the last pass that filled it.

    Args:
        recording: the recording.
        tensor: the learner's name for the tensor ("w") or for its gradient ("w.grad"), or the facts of one of them.
        index: the element's index, one whole number for each axis.
        step: the step after which to look, counted from 0; negative numbers count from the end.

    Returns:
        The paths from the element to the root of the pass, and those that end before it.

    Raises:
        IndexError: if there is no such step, or no such element.
        KeyError: if no tensor has that name at that step.
        LookupError: if the tensor has received no gradient up to that step.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     w = paddle.to_tensor([3., 5.], stop_gradient=False)
    ...     (w * w).sum().backward()
    >>> found = contributions(rec.recording, "w", (0,))
    >>> found.gradient, [path.value for path in found.paths]
    (6.0, [6.0])
    """
    state, facts = asked_for(recording, tensor, step)
    owner = state.owner_of_gradient(facts.id)
    facts = facts if owner is None else state.tensors[owner]
    number = number_of(state, facts, index)
    ran = _filled(recording, facts.id, state.step.index)
    ran = _retained(recording, state, facts) if ran is None else ran
    if ran is None:
        raise LookupError(str(_NO_GRADIENT.format(state.called(facts.id).first, state.step.index)))
    return recording.once(_asked).get((facts.id, number, ran)) or _contributions(recording, state, facts, number, ran)


def _asked(_: Recording) -> dict[tuple[int, int, int], Contributions]:
    return {}


def _filled(recording: Recording, leaf: int, step: int) -> int | None:
    """The last step in which the node of a leaf ran, or the pass ended in which it did."""
    return next((index for index in range(step, -1, -1) if _ran_node_of(recording, index, leaf)), None)


def _ran_node_of(recording: Recording, index: int, leaf: int) -> bool:
    """Whether the node of a leaf ran in a step."""
    moment = recording.steps[index].backward
    if moment is None or moment.action != "run" or moment.node is None:
        return False
    node = recording.state(index).nodes.get(moment.node) or recording.before(index).nodes.get(moment.node)
    return node is not None and node.leaf == leaf


def _retained(recording: Recording, state: State, facts: TensorFacts) -> int | None:
    """The last step in which a pass filled the gradient of a tensor that is no leaf and retains it."""
    gradient = None if facts.grad is None else state.tensors.get(facts.grad)
    came = () if gradient is None else arrivals(recording).get(gradient.storage, ())
    return max((each.step for each in came if each.how == "backward" and each.step <= state.step.index), default=None)


def _contributions(recording: Recording, state: State, facts: TensorFacts, number: int, ran: int) -> Contributions:
    begun = next(k for k in range(ran, -1, -1) if (moment := recording.steps[k].backward) and moment.action == "begin")
    slot = slots_of_element(state, facts, number)[0]
    held = _held(recording.before(begun), facts.id, number)
    gradient = _arrived(recording, ran, facts.id, number, held)
    search = _search(recording, begun)
    found = search.right.paths(facts.storage, slot)
    came = [each for each in arrivals(recording).get(facts.storage, ()) if each.step < begun and each.reaches(slot)]
    overwritten = len(came) > 1 and not _ran_node_of(
        recording, ran, facts.id
    )  # then it is not known which number's gradient was retained
    total = None if overwritten or search.of.gone_through else found.total
    of_shape = None if gradient is not None else _shape_without(recording.state(ran), facts, number)
    wrong = _differs(total, gradient, held) or (of_shape is not None and total is not None)
    used: Sequence[GradientPath] = ()
    without_hooks = None
    if wrong and _ran_code(recording, begun, ran):
        total, without_hooks, wrong = None, total, False
    if wrong:
        went = search.used.paths(facts.storage, slot)
        explains = gradient is not None and went.total is not None and not _differs(went.total, gradient, held)
        used = went.paths if explains else ()
    answer = Contributions(
        facts.id, ran, gradient, found.paths, tuple(used), found.more, total, wrong, held, without_hooks, of_shape
    )
    recording.once(_asked)[facts.id, number, ran] = answer
    return answer


class _Search(NamedTuple):
    """The search of a pass: for the paths that it should go, and for those that it went."""

    of: OnePass
    right: PathSearch
    used: UsedPaths


def _search(recording: Recording, begun: int) -> _Search:
    """The search of a pass. That of the pass last asked for is kept: of one pass many elements are asked for."""
    kept = recording.once(_searches)
    if not kept or kept[0].of.begun != begun:
        of = OnePass(recording, begun)
        hops = Hops(recording, begun)
        kept[:] = [_Search(of, PathSearch(of, hops), UsedPaths(of, hops))]
    return kept[0]


def _searches(_: Recording) -> list[_Search]:
    return []


def _ran_code(recording: Recording, begun: int, ran: int) -> bool:
    """Whether code of the program ran in a pass until a node had run: of a hook, or of the `backward` of a `PyLayer`."""
    moments = [(step.kind, step.backward.action if step.backward else "") for step in recording.steps[begun : ran + 1]]
    return any(kind == "operation" or action in ("hook", "custom") for kind, action in moments)


def _arrived(recording: Recording, ran: int, leaf: int, number: int, held: float | None) -> Number | None:
    """The element that arrived at a leaf; of a large gradient, of which no values were recorded, what the leaf's gradient has gained."""
    moment = recording.steps[ran].backward
    gradients = None if moment is None or not _ran_node_of(recording, ran, leaf) else moment.gradient
    if gradients is not None:
        return gradients[number] if number < len(gradients) else None
    holds = _held(recording.state(ran), leaf, number)
    before = recording.before(ran).tensors.get(leaf)
    if holds is None or (held is None and before is not None and before.grad is not None):
        return None
    return holds - (held or 0)


def _held(state: State, leaf: int, number: int) -> int | float | None:
    """The element that a leaf's gradient holds."""
    facts = state.tensors.get(leaf)
    gradient = None if facts is None or facts.grad is None else state.tensors.get(facts.grad)
    value = None if gradient is None else value_of(state, gradient, number)
    return value if isinstance(value, int | float) else None


def _shape_without(state: State, leaf: TensorFacts, number: int) -> tuple[int, ...] | None:
    """The shape of a leaf's gradient, if it has too few elements."""
    facts = state.tensors.get(leaf.id, leaf)
    gradient = None if facts.grad is None else state.tensors.get(facts.grad)
    return None if gradient is None or number < prod(gradient.shape) else gradient.shape


def _differs(total: float | None, gradient: Number | None, held: Number | None) -> bool:
    """Whether a gradient is another number than a sum. The larger the number to which it was added, the more of it was rounded off."""
    if total is None or not isinstance(gradient, int | float):
        return False
    return not isclose(total, gradient, rel_tol=1e-3, abs_tol=1e-4 * max(1.0, abs(total), abs(held or 0)))
