"""Answers where a gradient's element comes from: the paths from the element to the root of the pass, each with its factors.

A path leads along the elements that were computed from one another (`PathSearch`). Its factor is the product of the slopes, from the values as they were
when the operations ran: those that backward should use. If a framework used a value that had been overwritten meanwhile, or left out a
write, the sum of these paths is not the gradient that it returned. Then the paths that it used are worked out, too (`UsedPaths`): with the values
found by backward, along the nodes that it went, from the node that an operand had when an operation read it, through those of views, to the node that made
a number. A write that left its tensor's node as it was is passed by, and so is one through another view of the storage.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isclose, prod
from typing import NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import Number, Step, TensorFacts
from inplacelab.recording.origins.back import Origin, operands_of, reads_what_it_overwrites
from inplacelab.recording.origins.elements import (
    MOST_RESULTS,
    Arrival,
    arrivals,
    asked_for,
    next_arrival,
    number_of,
    slot_of,
    slots_of_element,
    value_of,
)
from inplacelab.recording.origins.forward import Flow, edges, flows
from inplacelab.recording.origins.one_pass import Hops, OnePass, leads_to, made_node, slot_given_by_window
from inplacelab.recording.origins.paths import At, Branch, End, Following, Found, GradientPath, Hop
from inplacelab.recording.origins.slope_table import UNKNOWN
from inplacelab.recording.places import line_of
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.unnoticed_writes import WITHOUT_HISTORY, is_lost, loses_write

CUSTOM = "GradNodePyLayer"
"""How the nodes of Paddle's `PyLayer`, and of ours, are called."""


class PathSearch:
    """Finds the paths that a pass should go, with the values as they were when the operations ran.

    Args:
        of: the pass.
        hops: its hops.
    """

    def __init__(self, of: OnePass, hops: Hops) -> None:
        self._pass, self._recording, self._hops = of, of.recording, hops
        self._following = Following(self._branches, lambda hop: hop.slope.value, of.horizon)

    def paths(self, storage: int, slot: int) -> Found:
        """Returns the paths from the numbers that a slot has held until the pass began."""
        came = self._pass.came_to(storage, slot)
        # A number that a step with history computed from the one before is on the paths of that one.
        starts = [At(storage, slot, each.step) for k, each in enumerate(came) if not k or not self._continues(each)]
        # Of the numbers that a loop has put there, those that only other passes used are of no interest.
        chosen = [each for each in starts if len(starts) == 1 or self._leads(each)] or starts[-1:]
        return self._following.paths(chosen or [At(storage, slot, -1)])

    # ---- numbers -------------------------------------------------------------------------------------------------------------

    def _leads(self, start: At) -> bool:
        """Whether something with history was computed from a number that the pass goes through, or should go through."""
        for flow in flows(self._recording, *start).into:
            if flow.step < self._pass.begun and self._goes_through(self._recording.steps[flow.step], start.storage):
                return True
        return (start.storage, start.slot) in self._pass.seeds

    def _goes_through(self, step: Step, storage: int) -> bool:
        """Whether the pass goes through a step, or should, because the step lost the history of an operand on a storage."""
        if step.kept in self._pass.reached:
            return True
        made = made_node(self._recording, step)
        operands = (each.id for each in operands_of(self._recording, step) if each and each.storage == storage)
        return any(is_lost(self._recording, step, each, made_node=made) for each in operands)

    def _branches(self, at: At) -> Iterator[Branch]:
        """Where the paths go on from a number, and where they end."""
        recording, begun, seeds = self._recording, self._pass.begun, self._pass.seeds
        is_seed = (at.storage, at.slot) in seeds
        over = next_arrival(recording, at.storage, at.slot, at.step)
        is_root = is_seed and (over is None or over.step >= begun)
        if is_root:
            yield Branch(end="root", value=seeds[at.storage, at.slot])
        read = flows(recording, at.storage, at.slot, at.step)
        onward = [flow for flow in read.into if flow.step < begun]
        for flow in onward:
            yield from self._along(at, flow)
        for index in read.unknown:
            step = recording.steps[index]
            if index < begun and self._goes_through(step, at.storage) and not self._is_beside(step):
                yield Branch(end=self._end(at, step), place=step.place, value=None)
        if (at.storage, at.slot) in self._pass.gone_through:
            yield Branch(end="another pass", place=self._pass.gone_through[at.storage, at.slot], value=None)
        elif not onward and not is_root and not read.unknown:
            gone = over is not None and over.step < begun
            place = recording.steps[over.step].place if gone and over is not None else None
            yield Branch(end="overwritten" if gone else "unused", place=place)

    def _along(self, at: At, flow: Flow) -> Iterator[Branch]:
        step = self._recording.steps[flow.step]
        after, before = self._recording.state(flow.step), self._recording.before(flow.step)
        made = after.tensors.get(flow.tensor) or before.tensors.get(flow.tensor)
        if made is not None and made.dtype.startswith(("int", "uint", "bool")):
            return  # whole numbers have no gradient
        if self._is_beside(step):
            return
        result = self._hops.result(flow)
        here = result.places.get((at.storage, at.slot), [])
        tracked = [k for k in here if self._goes_on(step, result.found.origins[k].tensor)]
        if step.kept is None and self._recording.once(_custom_nodes).get(flow.tensor) in self._pass.reached:
            yield Branch(Hop(flow, UNKNOWN), end="custom", place=step.place, value=None)
            return
        if not here:
            yield Branch(Hop(flow, UNKNOWN), end="not known", place=step.place, value=None)
        elif len(tracked) < len(here):
            read = [result.found.origins[k].tensor for k in here if k not in tracked]
            end = self._end_without_history(at, step, read)
            yield Branch(Hop(flow, UNKNOWN), end=end, place=step.place, value=0.0 if end == "detached" else None)
        if not tracked:
            return
        hop = self._hops.hop(flow, tracked)
        if hop.slope.value == 0:
            yield Branch(hop, end="zero", place=step.place)
        else:
            yield Branch(hop, At(flow.storage, flow.slot, flow.step))

    # ---- histories -----------------------------------------------------------------------------------------------------------

    def _end_without_history(self, at: At, step: Step, read: Sequence[int]) -> End:
        """Where a path ends at a step that read a number through tensors without history."""
        if step.category == "in-place" and step.tracks is not False and step.op not in WITHOUT_HISTORY:
            return "lost write"
        wrote = self._recording.steps[at.step] if at.step >= 0 else None
        if wrote is None or wrote.output is None or not made_node(self._recording, wrote):
            return "detached"
        lost = any(loses_write(self._recording, each, wrote.output) for each in read)
        return "lost read" if lost else "detached"

    def _is_beside(self, step: Step) -> bool:
        """Whether a step made a further result of an operation, without history: as `batch_norm` makes its statistics."""
        facts = None if step.output is None else self._recording.state(step.index).tensors.get(step.output)
        if facts is None or facts.needs_gradient:
            return False
        near = self._recording.steps[max(step.index - MOST_RESULTS, 0) : step.index + MOST_RESULTS]
        call = step.op, line_of(step.place), step.inputs
        return any(
            each.kept in self._pass.reached and (each.op, line_of(each.place), each.inputs) == call for each in near
        )

    def _end(self, at: At, step: Step) -> End:
        """Where a path ends at an operation that declares nothing."""
        node = None if step.kept is None else self._recording.state(step.index).nodes.get(step.kept)
        if node is None or not node.name.startswith(CUSTOM):
            return "overlapping" if reads_what_it_overwrites(self._recording, step) else "not known"
        over = next_arrival(self._recording, at.storage, at.slot, at.step)
        stale = over is not None and over.step < self._pass.begun and at.storage in self._pass.read_again
        return "custom stale" if stale else "custom"

    def _continues(self, arrival: Arrival) -> bool:
        """Whether an arrival has history, or should have."""
        step = self._recording.steps[arrival.step]
        made = made_node(self._recording, step)
        lost = arrival.tensor is not None and is_lost(self._recording, step, arrival.tensor, made_node=made)
        return step.kept is not None or lost

    def _goes_on(self, step: Step, tensor: int) -> bool:
        """Whether a path goes on through a step: along its history, and along one that the framework should have kept."""
        made = made_node(self._recording, step)
        return (made and leads_to(self._recording, step, tensor)) or is_lost(
            self._recording, step, tensor, made_node=made
        )


def _custom_nodes(recording: Recording) -> dict[int, int]:
    """By tensor the node that no recorded operation made: that of a `Function` of PyTorch, in whose `forward` the tensor was computed."""
    kept = {step.kept for step in recording.steps}
    kept |= {key for step in recording.steps for key, node in step.nodes if node is not None and node.leaf is not None}
    facts = (each for step in recording.steps for each in step.tensors)
    return {
        key: each.node for key, each in facts if each is not None and each.node is not None and each.node not in kept
    }


MOST_VIEWS = 64
"""So many views of views are followed."""
_Uses = dict[At, dict[tuple[int, int, int], tuple[Flow, list[int]]]]
"""By number what was computed from it, with its places among the origins there."""


class UsedPaths:
    """Finds the paths that a pass went.

    Args:
        of: the pass.
        hops: its hops.
    """

    def __init__(self, of: OnePass, hops: Hops) -> None:
        self._pass, self._recording, self._hops = of, of.recording, hops
        self._following = Following(self._branches, _factor, of.horizon)

    def paths(self, storage: int, slot: int) -> Found:
        """Returns the paths from the numbers that a slot has held until the pass began."""
        came = self._pass.came_to(storage, slot)
        steps = self._recording.steps
        starts = [At(storage, slot, each.step) for k, each in enumerate(came) if not k or steps[each.step].kept is None]
        chosen = [each for each in starts if each in self._uses or each in self._seeds]
        return self._following.paths(chosen or starts[-1:] or [At(storage, slot, -1)])

    def _branches(self, at: At) -> Iterator[Branch]:
        if at in self._seeds:
            yield Branch(end="root", value=self._seeds[at])
        for flow, places in self._uses.get(at, {}).values():
            hop = self._hops.hop(flow, places)
            place = self._recording.steps[flow.step].place
            yield (
                Branch(hop, end="zero", place=place)
                if _factor(hop) == 0
                else Branch(hop, At(flow.storage, flow.slot, flow.step))
            )
        if at not in self._seeds and at not in self._uses:
            yield Branch(end="unused")

    @cached_property
    def _seeds(self) -> Mapping[At, float | None]:
        """The gradients with which the pass began, by the numbers of the roots."""
        found: dict[At, float | None] = {}
        before = self._recording.before(self._pass.begun)
        for tensor in self._pass.root_tensors:
            for element in range(prod(tensor.shape)):
                slot = slots_of_element(before, tensor, element)[0]
                at = self._number(tensor, element, slot, self._pass.begun)
                if at is not None:
                    found[at] = self._pass.seeds[tensor.storage, slot]
        return found

    @cached_property
    def _uses(self) -> _Uses:
        found: _Uses = {}
        for step in self._recording.steps[self._pass.horizon : self._pass.begun]:
            if step.kept in self._pass.reached and self._computes(step):
                for (storage, slot), into in (edges(self._recording, step.index) or {}).items():
                    for flow in into:
                        self._note(found, step, flow, (storage, slot))
        return found

    def _computes(self, step: Step) -> bool:
        """Whether a step computed something, and its history is its own."""
        return step.category == "ordinary" or (
            step.category in ("in-place", "reallocated") and made_node(self._recording, step)
        )

    def _note(self, found: _Uses, step: Step, flow: Flow, slot: tuple[int, int]) -> None:
        result = self._hops.result(flow)
        for place in result.places.get(slot, ()):
            origin = result.found.origins[place]
            at = self._read(step, origin) if leads_to(self._recording, step, origin.tensor) else None
            if at is not None:
                found.setdefault(at, {}).setdefault((flow.storage, flow.slot, flow.step), (flow, []))[1].append(place)

    # ---- which number a node stands for ----------------------------------------------------------------------------------------

    def _read(self, step: Step, origin: Origin) -> At | None:
        before, after = self._recording.before(step.index), self._recording.state(step.index)
        facts = before.tensors.get(origin.tensor) or after.tensors[origin.tensor]
        return self._number(facts, number_of(before, facts, origin.index), origin.slot, step.index)

    def _number(self, facts: TensorFacts, element: int | None, slot: int, until: int) -> At | None:
        """The number in a slot for which a tensor's node stands; None if backward gives it nothing."""
        for _ in range(MOST_VIEWS):
            made = None if facts.node is None else self._recording.once(_made).get(facts.node)
            if made is not None and made.category == "view" and made.output == facts.id:
                base = self._recording.before(made.index).tensors.get(made.inputs[0])
                given = (
                    None if base is None else slot_given_by_window(self._recording, made, base, facts, element, slot)
                )
                if base is None or given is None:
                    return None
                facts, element, slot, until = base, None, given, made.index
                continue
            then = None if made is None else self._recording.state(made.index).tensors.get(facts.id)
            if made is None or then is None or (then.storage, then.dtype) == (facts.storage, facts.dtype):
                return self._arrived(facts, slot, until, made)
            # The tensor was given another storage or dtype since, and its node left as it was.
            if element is None or element >= prod(then.shape):
                return None
            return self._arrived(then, slot_of(then, element), made.index + 1, made)
        return None

    def _arrived(self, facts: TensorFacts, slot: int, until: int, made: Step | None) -> At:
        came = [
            each
            for each in arrivals(self._recording).get(facts.storage, ())
            if each.step < until and each.reaches(slot)
        ]
        for each in reversed(came):
            step = self._recording.steps[each.step]
            if made is None and step.kept is not None and facts.needs_gradient:
                continue  # a leaf has no node: what writes through its views made of it is not known to it
            if made is not None and each.step != made.index and self._is_passed_by(step):
                continue
            if made is not None and each.step > made.index and any(one.step == made.index for one in came):
                continue
            return At(facts.storage, slot, each.step)
        return At(facts.storage, slot, -1)

    def _is_passed_by(self, step: Step) -> bool:
        """Whether the pass passes by a write, as if it had not been: its node, if it has one, is not reached."""
        return step.category == "in-place" and not (
            made_node(self._recording, step) and step.kept in self._pass.reached
        )


def _factor(hop: Hop) -> float | None:
    return (hop.used or hop.slope).value


def _made(recording: Recording) -> dict[int, Step]:
    """The step that made each node, except those of leaves."""
    found: dict[int, Step] = {}
    for step in recording.steps:
        for key, node in step.nodes:
            if node is not None and node.leaf is None and step.kind == "operation":
                found.setdefault(key, step)
    return found


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
    ran = next((k for k in range(state.step.index, -1, -1) if ran_node_of(recording, k, facts.id)), None)
    ran = _retained(recording, state, facts) if ran is None else ran
    if ran is None:
        raise LookupError(str(_NO_GRADIENT.format(state.called(facts.id).first, state.step.index)))
    return recording.once(_asked).get((facts.id, number, ran)) or _contributions(recording, state, facts, number, ran)


def _asked(_: Recording) -> dict[tuple[int, int, int], Contributions]:
    return {}


def ran_node_of(recording: Recording, index: int, leaf: int) -> bool:
    """Whether the node of a leaf ran in a step.

    Args:
        recording: the recording.
        index: the step.
        leaf: the number of the tensor.
    """
    backward = recording.steps[index].backward
    if backward is None or backward.action != "run" or backward.node is None:
        return False
    node = recording.state(index).nodes.get(backward.node) or recording.before(index).nodes.get(backward.node)
    return node is not None and node.leaf == leaf


def _retained(recording: Recording, state: State, facts: TensorFacts) -> int | None:
    """The last step in which a pass filled the gradient of a tensor that is no leaf and retains it."""
    gradient = None if facts.grad is None else state.tensors.get(facts.grad)
    came = () if gradient is None else arrivals(recording).get(gradient.storage, ())
    return max((each.step for each in came if each.how == "backward" and each.step <= state.step.index), default=None)


def _contributions(recording: Recording, state: State, facts: TensorFacts, number: int, ran: int) -> Contributions:
    begun = next(
        k for k in range(ran, -1, -1) if (backward := recording.steps[k].backward) and backward.action == "begin"
    )
    slot = slots_of_element(state, facts, number)[0]
    held = _held(recording.before(begun), facts.id, number)
    gradient = _arrived(recording, ran, facts.id, number, held)
    search = _search(recording, begun)
    found = search.right.paths(facts.storage, slot)
    came = [each for each in arrivals(recording).get(facts.storage, ()) if each.step < begun and each.reaches(slot)]
    overwritten = len(came) > 1 and not ran_node_of(
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
    backward = recording.steps[ran].backward
    gradients = None if backward is None or not ran_node_of(recording, ran, leaf) else backward.gradient
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
