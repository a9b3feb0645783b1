"""Answers where a gradient's element comes from: the paths from the element to the root of the pass, each with its factors.

A path leads along the elements that were computed from one another. Its factor is the product of the slopes, from the values as they were
when the operations ran: those that backward should use. If a framework used a value that had been overwritten meanwhile, or left out a
write, the sum of these paths is not the gradient that it returned. Then the paths that it used are worked out, too: with the values found by
backward, and without the writes whose nodes the pass did not reach.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import isclose
from typing import Literal, NamedTuple

from inplacelab.language import Text
from inplacelab.recording.facts import Number, Step, TensorFacts
from inplacelab.recording.origins.arrivals import Arrival, arrivals, next_arrival
from inplacelab.recording.origins.back import Computed, Origin, computed, operands_of
from inplacelab.recording.origins.elements import number_of, slots_of_element
from inplacelab.recording.origins.forward import Flow, flows
from inplacelab.recording.origins.lost_history import WITHOUT_HISTORY, is_lost
from inplacelab.recording.origins.slopes import UNKNOWN, Slope, slope
from inplacelab.recording.recording import Recording, State

__all__ = ["Contributions", "End", "GradientPath", "Hop", "contributions"]

MOST_PATHS = 24
"""At most so many paths are listed; the others are counted as far as they are looked at."""
MOST_HOPS = 200
"""A path of more hops is not followed to its end."""
MOST_VISITS = 4000
"""So many hops are looked at for one question."""

End = Literal["root", "detached", "zero", "overwritten", "unused", "not known"]
"""Where a path ends: at the "root" of the pass; where the number was read without history ("detached"); at a slope of "zero"; in a slot that
was "overwritten" before anything read it; in a number that nothing used; or at an operation that declares nothing ("not known")."""


@dataclass(frozen=True, slots=True)
class Hop:
    """One step of a path: an element that was computed from the one before.

    Attributes:
        flow: the element, and the step that computed it.
        slope: how strongly it follows the one before, with the values as they were when the step ran.
        used: the same with the values that backward found; None if they are the same.
        overwrote: the line that overwrote a value needed for the slope; None if none did.
    """

    flow: Flow
    slope: Slope
    used: Slope | None = None
    overwrote: int | None = None


@dataclass(frozen=True, slots=True)
class GradientPath:
    """A path from an element towards the root.

    Attributes:
        hops: its hops, in the order in which the program ran them.
        end: where it ends.
        line: the line where it ends, if not at the root.
        value: what it adds to the gradient; None if it is not known.
    """

    hops: tuple[Hop, ...]
    end: End
    line: int | None
    value: float | None


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
    state = recording.state(step)
    facts = state.tensor(tensor) if isinstance(tensor, str) else tensor
    owner = state.owner_of_gradient(facts.id)
    facts = facts if owner is None else state.tensors[owner]
    number = number_of(state, facts, index)
    ran = _filled(recording, facts.id, state.step.index)
    if ran is None:
        raise LookupError(str(_NO_GRADIENT.format(state.called(facts.id).first, state.step.index)))
    return recording.once(_asked).get((facts.id, number, ran)) or _contributions(recording, state, facts, number, ran)


def _asked(_: Recording) -> dict[tuple[int, int, int], Contributions]:
    return {}


def _filled(recording: Recording, leaf: int, step: int) -> int | None:
    """The last step in which the node of a leaf ran, or the pass ended in which it did."""
    for index in range(step, -1, -1):
        moment = recording.steps[index].backward
        if moment is not None and moment.action == "run" and moment.node is not None:
            node = recording.state(index).nodes.get(moment.node) or recording.before(index).nodes.get(moment.node)
            if node is not None and node.leaf == leaf:
                return index
    return None


def _contributions(recording: Recording, state: State, facts: TensorFacts, number: int, ran: int) -> Contributions:
    begun = next(k for k in range(ran, -1, -1) if (moment := recording.steps[k].backward) and moment.action == "begin")
    slot = slots_of_element(state, facts, number)[0]
    moment = recording.steps[ran].backward
    gradients = None if moment is None else moment.gradient
    gradient = None if gradients is None or number >= len(gradients) else gradients[number]
    right = _Search(recording, begun)
    paths = right.paths(facts.storage, slot)
    total = None if right.is_beyond(paths) else _total(paths, right.more)
    wrong = _differs(total, gradient)
    used: Sequence[GradientPath] = ()
    if wrong:
        as_found = _Search(recording, begun, as_found=True)
        used = as_found.paths(facts.storage, slot)
        if _differs(_total(used, as_found.more), gradient):
            used = ()  # they explain nothing
    more, held = right.more or len(paths) > MOST_PATHS, _held(recording.before(begun), facts.id, number)
    found = Contributions(facts.id, ran, gradient, _first(paths), _first(used), more, total, wrong, held)
    recording.once(_asked)[facts.id, number, ran] = found
    return found


def _held(before: State, leaf: int, number: int) -> Number | None:
    """The element of the gradient that earlier passes left."""
    facts = before.tensors.get(leaf)
    gradient = None if facts is None or facts.grad is None else before.tensors.get(facts.grad)
    values = None if gradient is None else before.storages[gradient.storage].values
    if gradient is None or not isinstance(values, tuple):
        return None
    value = values[slots_of_element(before, gradient, number)[0]]
    return value if isinstance(value, int | float) else None


def _first(paths: Sequence[GradientPath]) -> tuple[GradientPath, ...]:
    """Those that reach the root first, the largest first."""
    ranked = sorted(paths, key=lambda path: (path.end != "root", -abs(path.value or 0.0)))
    return tuple(ranked[:MOST_PATHS])


def _total(paths: Sequence[GradientPath], more: bool) -> float | None:
    values = [path.value for path in paths if path.end in ("root", "not known", "zero")]
    if more or any(value is None for value in values):
        return None
    return sum(value for value in values if value is not None)


def _differs(total: float | None, gradient: Number | None) -> bool:
    if total is None or not isinstance(gradient, int | float):
        return False
    return not isclose(total, gradient, rel_tol=1e-3, abs_tol=1e-4 * max(1.0, abs(total)))


class _At(NamedTuple):
    """A number: a slot, and the step that put it there."""

    storage: int
    slot: int
    step: int


class _Search:
    """Follows the paths of one pass.

    Attributes:
        more: whether there were more than are looked at.

    Args:
        recording: the recording.
        begun: the step in which the pass began.
        as_found: whether values are taken as backward found them, and writes left out whose nodes the pass did not reach.
    """

    def __init__(self, recording: Recording, begun: int, *, as_found: bool = False) -> None:
        self._recording, self._begun, self._as_found = recording, begun, as_found
        self.more, self._visits = False, 0
        before = recording.before(begun)
        root = recording.steps[begun].backward
        self._root = None if root is None else root.node
        self._seeds = _seeds(before, self._root, root.gradient if root else None)
        self._reached = _reached(recording.state(begun), self._root)

    def paths(self, storage: int, slot: int) -> list[GradientPath]:
        """All paths from the numbers that a slot has held until the pass began."""
        came = [
            each
            for each in arrivals(self._recording).get(storage, ())
            if each.step < self._begun and each.reaches(slot)
        ]
        # A number that a step with history computed from the one before is on the paths of that one.
        starts = [each.step for k, each in enumerate(came) if not k or not self._continues(each)]
        return [path for step in starts or [-1] for path in self._from(_At(storage, slot, step), (), 1.0)]

    def _from(self, at: _At, hops: tuple[Hop, ...], value: float | None) -> Iterator[GradientPath]:
        self._visits += 1
        if self._visits > MOST_VISITS or len(hops) > MOST_HOPS:
            self.more = True
            return
        seed = self._seeds.get((at.storage, at.slot))
        over = next_arrival(self._recording, at.storage, at.slot, at.step)
        is_root = seed is not None and (over is None or over.step >= self._begun)
        if is_root and seed is not None:
            yield GradientPath(hops, "root", None, None if value is None else value * seed)
        if over is not None and over.step < self._begun and self._is_left_out(self._recording.steps[over.step]):
            yield from self._from(_At(at.storage, at.slot, over.step), hops, value)
        read = flows(self._recording, at.storage, at.slot, at.step)
        onward = [flow for flow in read.into if flow.step < self._begun]
        for flow in onward:
            yield from self._along(at, flow, hops, value)
        for step in read.unknown:
            if step < self._begun and self._recording.steps[step].kept is not None:
                yield GradientPath(hops, "not known", self._recording.steps[step].line, None)
        if not onward and not is_root and not read.unknown:
            gone = over is not None and over.step < self._begun
            line = self._recording.steps[over.step].line if gone and over is not None else None
            yield GradientPath(hops, "overwritten" if gone else "unused", line, 0.0)

    def _along(self, at: _At, flow: Flow, hops: tuple[Hop, ...], value: float | None) -> Iterator[GradientPath]:
        step = self._recording.steps[flow.step]
        to = _At(flow.storage, flow.slot, flow.step)
        if self._is_left_out(step):
            return
        after, before = self._recording.state(flow.step), self._recording.before(flow.step)
        made = after.tensors.get(flow.tensor) or before.tensors.get(flow.tensor)
        if made is not None and made.dtype.startswith(("int", "uint", "bool")):
            return  # whole numbers have no gradient
        found = computed(self._recording, flow.storage, flow.slot, flow.step)
        here = [k for k, each in enumerate(found.origins) if (each.storage, each.slot) == (at.storage, at.slot)]
        tracked = [k for k in here if self._goes_on(step, found.origins[k].tensor)]
        if len(tracked) < len(here) or not here:
            yield GradientPath(
                (*hops, Hop(flow, UNKNOWN)), "detached" if here else "not known", step.line, 0.0 if here else None
            )
        if not tracked:
            return
        hop = self._hop(step, found, flow, tracked)
        factor = (hop.used or hop.slope).value if self._as_found else hop.slope.value
        if factor == 0:
            yield GradientPath((*hops, hop), "zero", step.line, 0.0)
            return
        yield from self._from(to, (*hops, hop), None if value is None or factor is None else value * factor)

    def is_beyond(self, paths: Sequence[GradientPath]) -> bool:
        """Whether the pass did more than these paths show: it went through the history of another pass; or a write
        through a tensor without history ended in Paddle, outside of `no_grad`: it is not known what the program meant.
        """
        steps = [self._recording.steps[path.hops[-1].flow.step] for path in paths if path.end == "detached"]
        lost = [step for step in steps if step.category == "in-place" and step.tracks is not False]
        return self._goes_through_another_pass() or bool(lost and self._recording.framework == "paddle")

    def _goes_through_another_pass(self) -> bool:
        """Whether it reaches a node that an earlier backward pass has made."""
        met: set[int] = set()
        for step in self._recording.steps[: self._begun]:
            fresh = {key for key, node in step.nodes if node is not None and node.leaf is None and key not in met}
            met |= {key for key, _ in step.nodes}
            if step.phase == "backward" and step.kind == "backward" and fresh & self._reached:
                return True
        return False

    def _is_left_out(self, step: Step) -> bool:
        """Whether the pass passes by a write, as if it had not been: its node, if it has one, is not reached."""
        return (
            self._as_found
            and step.category == "in-place"
            and not (self._made_node(step) and step.kept in self._reached)
        )

    def _continues(self, arrival: Arrival) -> bool:
        """Whether an arrival has history, or should have."""
        step = self._recording.steps[arrival.step]
        lost = arrival.tensor is not None and is_lost(
            self._recording, step, arrival.tensor, made_node=self._made_node(step)
        )
        return step.kept is not None or (lost and not self._as_found)

    def _goes_on(self, step: Step, tensor: int) -> bool:
        """Whether a path goes on through a step: along its history, and along one that the framework should have kept."""
        made = self._made_node(step)
        if made and self._is_tracked(step, tensor):
            return True
        return not self._as_found and is_lost(self._recording, step, tensor, made_node=made)

    def _made_node(self, step: Step) -> bool:
        """Whether a step has history: it made a node, and did not leave the one that its tensor had."""
        return step.kept is not None and step.kept not in self._recording.before(step.index).nodes

    def _is_tracked(self, step: Step, tensor: int) -> bool:
        """Whether the step's history leads to an operand."""
        if step.op in WITHOUT_HISTORY:
            return False
        return any(
            each.needs_gradient for each in operands_of(self._recording, step) if each is not None and each.id == tensor
        )

    def _hop(self, step: Step, found: Computed, flow: Flow, here: Sequence[int]) -> Hop:
        if step.depends is None:
            return Hop(flow, UNKNOWN)
        values = [each.value for each in found.origins]
        own = next((k for k, each in enumerate(found.origins) if each.index == flow.index), None)
        line = sum(each.tensor == found.origins[0].tensor for each in found.origins)
        then = _added(slope(step.op, step.depends, values, k, found.value, own=own, line=line) for k in here)
        later, overwrote = self._as_backward_found(step, found.origins)
        if overwrote is None:
            return Hop(flow, then)
        out = self._value_now(flow.storage, flow.slot)
        result = found.value if out is None else out
        now = then
        if then.value is not None:
            now = _added(
                slope(step.op, step.depends, later, k, result, own=own, line=line, checked=False) for k in here
            )
        return Hop(flow, then, None if now == then else now, None if now == then else overwrote)

    def _as_backward_found(self, step: Step, origins: Sequence[Origin]) -> tuple[list[Number | None], int | None]:
        """The values of the origins when the pass began, as far as the step's node had saved them, and the line that overwrote one."""
        recording = self._recording
        node = None if step.kept is None else recording.state(step.index).nodes.get(step.kept)
        kept = {saved.storage for saved in node.saved if not saved.copy} if node is not None else set()
        values, line = [], None
        for each in origins:
            over = next_arrival(recording, each.storage, each.slot, each.step) if each.storage in kept else None
            value = each.value
            if over is not None and over.step < self._begun:
                value, line = self._value_now(each.storage, each.slot), recording.steps[over.step].line
            values.append(value)
        result = _storage_of_result(recording, step)
        if line is None and result is not None and result in kept:
            line = _overwritten(recording, step, result, self._begun)
        return values, line

    def _value_now(self, storage: int, slot: int) -> Number | None:
        facts = self._recording.before(self._begun).storages.get(storage)
        return (
            None
            if facts is None or not isinstance(facts.values, tuple) or slot >= len(facts.values)
            else facts.values[slot]
        )


def _storage_of_result(recording: Recording, step: Step) -> int | None:
    facts = None if step.output is None else recording.state(step.index).tensors.get(step.output)
    return None if facts is None else facts.storage


def _overwritten(recording: Recording, step: Step, storage: int, begun: int) -> int | None:
    """The line that wrote a storage between a step and the pass."""
    later = (each for each in arrivals(recording).get(storage, ()) if step.index < each.step < begun)
    return next((recording.steps[each.step].line for each in later), None)


def _added(slopes: Iterator[Slope]) -> Slope:
    """The slopes of one number in several places, as in `w * w`."""
    found = list(slopes)
    if len(found) == 1:
        return found[0]
    values = [each.value for each in found]
    if not found or any(value is None for value in values):
        return UNKNOWN
    alike = len(set(found)) == 1
    written = f"{len(found)} · {found[0].written}" if alike else " + ".join(each.written for each in found)
    return replace(found[0], value=sum(value for value in values if value is not None), written=written)


def _seeds(before: State, root: int | None, gradient: Sequence[Number] | None) -> dict[tuple[int, int], float]:
    """The gradient with which the pass began, by slot of the root."""
    tensor = next((each for each in before.tensors.values() if each.node is not None and each.node == root), None)
    if tensor is None or gradient is None:
        return {}
    real = [float(each) if isinstance(each, int | float) else 0.0 for each in gradient]
    return {(tensor.storage, slots_of_element(before, tensor, k)[0]): each for k, each in enumerate(real)}


def _reached(state: State, root: int | None) -> set[int]:
    """The nodes that the pass reaches."""
    found: set[int] = set()
    waiting = [] if root is None else [root]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            facts = state.nodes.get(node)
            waiting += [edge.to for edge in facts.edges] if facts is not None else []
    return found
