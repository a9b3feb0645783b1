"""Says what differs between two aligned recordings: at one position of their common cursor, and in the end.

Tensors of the two sides correspond if the program calls them by the same name. Only recorded facts are compared: values that one side did
not record are reported as unknown, not as equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, NamedTuple

from inplacelab.language import Text
from inplacelab.place import Place
from inplacelab.recording.compare.alignment import Alignment
from inplacelab.recording.facts import ErrorFacts, Number, TensorFacts, Values
from inplacelab.recording.naming import listing, number_label
from inplacelab.recording.places import said_line
from inplacelab.recording.queries import shares_storage, visible_values
from inplacelab.recording.recording import Recording, State
from inplacelab.recording.sentences.phrases import MOST_VALUES, byte_count, quoted, shape, values
from inplacelab.recording.slots import same_value, slots_of

DifferenceKind = Literal["step", "name", "shape", "values", "rounding", "unknown", "version", "sharing", "live", "peak"]


class Difference(NamedTuple):
    """One thing that differs at one position.

    Attributes:
        kind: what sort of thing: a side without a step here, a name that one side lacks, shapes, values, values
            that are the same in four digits, values that were not recorded,
            version counters, who shares with whom, live bytes, peak bytes.
        says: the same as a sentence.
        left: what it concerns in the picture of the left side: "s1" for a storage, "s1:4" for a slot, "t3" for a tensor.
        right: the same for the right side.
        names: the tensors that it is about, by name.
    """

    kind: DifferenceKind
    says: Text
    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


_LEFT, _RIGHT = Text("left", "左侧"), Text("right", "右侧")
_NOT_BEGUN = Text("The {0} program has not begun.", "{0}程序尚未开始。")
_NO_STEP = Text("The {0} program has no step here.", "{0}程序在这里没有对应的步骤。")
_ENDED = Text("The {0} program has ended.", "{0}程序已经结束。")
_STOPPED = Text("The {0} program was ended by {1}.", "{0}程序因 {1} 而终止。")
_CUT = Text("The recording of the {0} program was cut here.", "{0}程序的记录到此被截断。")
_ONE_SIDED = Text("So far, only the {1} program has {0}.", "到目前为止，只有{1}程序里有 {0}。")
_SHAPES = Text("{0} has shape {1} on the left, {2} on the right.", "{0} 的形状：左侧 {1}，右侧 {2}。")
_VALUES = Text("{0} is {1} on the left, {2} on the right.", "{0} 的值：左侧 {1}，右侧 {2}。")
_SOME = Text(
    "{0} differs in {1} of {2} elements, first in element {3}: {4} on the left, {5} on the right.",
    "{0} 的 {2} 个元素中有 {1} 个不同，第一个是第 {3} 号元素：左侧 {4}，右侧 {5}。",
)
_UNKNOWN = Text(
    "The values of {0} cannot be compared: not all were recorded.", "{0} 的值无法比较：并非所有的值都有记录。"
)
_VERSIONS = Text("The version of {0} is {1} on the left, {2} on the right.", "{0} 的版本号：左侧 {1}，右侧 {2}。")
_SHARED = Text("{0} and {1} share a storage on the {2} only.", "只有{2}的 {0} 与 {1} 共享存储。")
_LIVE = Text("{0} are live on the left, {1} on the right.", "存活的存储：左侧 {0}，右侧 {1}。")
_PEAK = Text("The peak so far is {0} on the left, {1} on the right.", "到目前为止的峰值：左侧 {0}，右侧 {1}。")


def differences(alignment: Alignment, position: int) -> tuple[Difference, ...]:
    """Returns what differs after a position of the common cursor. A side that has a gap there is as its last step left it.

    Args:
        alignment: the two recordings.
        position: the index of the position, from 0; negative numbers count from the end.

    Returns:
        The differences: a side without a step first, then tensors in the order of their creation, then sharing, then bytes.

    Raises:
        IndexError: if there is no such position.

    >>> import inplacelab as paddle
    >>> from inplacelab.recording.compare.alignment import align
    >>> with paddle.record() as one:
    ...     x = paddle.ones([2]).scale_(2.0)
    >>> with paddle.record() as other:
    ...     x = paddle.ones([2]).scale(2.0)
    >>> for each in differences(align(one.recording, other.recording), -1):
    ...     print(each.says.en)
    The version of `x` is 1 on the left, 0 on the right.
    The peak so far is 8 bytes on the left, 16 bytes on the right.
    """
    return tuple(_differences(alignment, position))


def _differences(alignment: Alignment, position: int) -> Iterator[Difference]:
    here, reached = alignment.positions[position], alignment.reached[position]
    if here.left is None:
        yield Difference("step", absence(alignment, position, "left"))
    if here.right is None:
        yield Difference("step", absence(alignment, position, "right"))
    if reached.left is None or reached.right is None:
        return
    left, right = alignment.left.state(reached.left), alignment.right.state(reached.right)
    common = [name for name in _names(left) if right.bound(name) is not None]
    yield from _on_one_side(left, right)
    for name in common:
        yield from _of_tensor(name, left, right)
    for one, other in combinations(common, 2):
        yield from _of_sharing(one, other, left, right)
    yield from _of_bytes(left, right)


def absence(alignment: Alignment, position: int, side: Literal["left", "right"]) -> Text:
    """Says why a side has no step at a position: it has not begun, has nothing there, or has ended."""
    recording: Recording = getattr(alignment, side)
    return _absence(recording, getattr(alignment.reached[position], side), _LEFT if side == "left" else _RIGHT)


def _absence(recording: Recording, reached: int | None, side: Text) -> Text:
    if reached is None:
        return _NOT_BEGUN.format(side)
    if reached < len(recording) - 1:
        return _NO_STEP.format(side)
    error = recording.steps[-1].error
    if error is not None:
        return _STOPPED.format(side, quoted(error.type))
    return (_CUT if recording.truncated else _ENDED).format(side)


def _names(state: State) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for tensor in state.tensors.values() for name in tensor.names))


def _on_one_side(left: State, right: State) -> Iterator[Difference]:
    for name in _names(left):
        if right.bound(name) is None:
            said = _ONE_SIDED.format(quoted(name), _LEFT)
            yield Difference("name", said, left=_tensor_mark(left.tensor(name)), names=(name,))
    for name in _names(right):
        if left.bound(name) is None:
            said = _ONE_SIDED.format(quoted(name), _RIGHT)
            yield Difference("name", said, right=_tensor_mark(right.tensor(name)), names=(name,))


def _of_tensor(name: str, left: State, right: State) -> Iterator[Difference]:
    one, other = left.tensor(name), right.tensor(name)
    if one.shape != other.shape:
        said = _SHAPES.format(quoted(name), shape(one.shape), shape(other.shape))
        yield Difference("shape", said, _tensor_mark(one), _tensor_mark(other), (name,))
    else:
        yield from _of_values(name, left, right)
    if left.version(one) != right.version(other):
        said = _VERSIONS.format(quoted(name), left.version(one), right.version(other))
        yield Difference("version", said, _storage_mark(one), _storage_mark(other), (name,))


def _of_values(name: str, left: State, right: State) -> Iterator[Difference]:
    one, other = left.tensor(name), right.tensor(name)
    old, new = visible_values(left, one), visible_values(right, other)
    if old is None or new is None:
        said = _UNKNOWN.format(quoted(name))
        yield Difference("unknown", said, _tensor_mark(one), _tensor_mark(other), (name,))
        return
    differ = [k for k, pair in enumerate(zip(old, new, strict=True)) if not same_value(*pair)]
    if differ:
        said = _said_of_values(quoted(name), old, new, differ)
        kind: DifferenceKind = "rounding" if all(same_in_short(old[k], new[k]) for k in differ) else "values"
        yield Difference(kind, said, _slot_marks(one, differ), _slot_marks(other, differ), (name,))


def _said_of_values(name: Text, left: Values, right: Values, differ: list[int]) -> Text:
    one, other = values(left), values(right)
    if len(left) <= MOST_VALUES and one != other:
        return _VALUES.format(name, one, other)
    first = differ[0]
    return _SOME.format(name, len(differ), len(left), first, *_told_apart(left[first], right[first]))


def same_in_short(one: Number, other: Number) -> bool:
    """Returns whether two numbers are written alike in four digits: frameworks round differently."""
    return f"{one:.4g}" == f"{other:.4g}"


def _told_apart(one: Number, other: Number) -> tuple[str, str]:
    """Returns two numbers in three digits, or in full if these are the same."""
    short = number_label(one), number_label(other)
    return (repr(one), repr(other)) if short[0] == short[1] else short


def _of_sharing(one: str, other: str, left: State, right: State) -> Iterator[Difference]:
    here, there = shares_storage(left, one, other), shares_storage(right, one, other)
    if here != there:
        said = _SHARED.format(quoted(one), quoted(other), _LEFT if here else _RIGHT)
        marks = [tuple(sorted({*_storage_mark(s.tensor(one)), *_storage_mark(s.tensor(other))})) for s in (left, right)]
        yield Difference("sharing", said, marks[0], marks[1], (one, other))


def _of_bytes(left: State, right: State) -> Iterator[Difference]:
    if left.step.live != right.step.live:
        yield Difference("live", _LIVE.format(byte_count(left.step.live), byte_count(right.step.live)))
    if left.step.peak != right.step.peak:
        yield Difference("peak", _PEAK.format(byte_count(left.step.peak), byte_count(right.step.peak)))


def _tensor_mark(tensor: TensorFacts) -> tuple[str, ...]:
    return (f"t{tensor.id}",)


def _storage_mark(tensor: TensorFacts) -> tuple[str, ...]:
    return (f"s{tensor.storage}",)


def _slot_marks(tensor: TensorFacts, elements: list[int]) -> tuple[str, ...]:
    slots = slots_of(tensor)
    return tuple(dict.fromkeys(f"s{tensor.storage}:{slots[k]}" for k in elements))


# --- how a program ended -----------------------------------------------------------------------------------------------


class NamedGradient(NamedTuple):
    """The gradient of a tensor.

    Attributes:
        name: the tensor's first name.
        shape: the gradient's shape.
        values: its elements in row-major order; None if they were not recorded.
    """

    name: str
    shape: tuple[int, ...]
    values: Values | None


_REFUSED = Text("✗ {0} in {1}", "✗ {1}：{0}")
_REFUSED_SOMEWHERE = Text("✗ {0}", "✗ {0}")
_GRADIENTS = Text("✓ {0}", "✓ {0}")
_RAN = Text("✓ ran to the end", "✓ 运行到结束")
_RECORDED = Text("cut after {0} steps", "在 {0} 步之后被截断")
_EMPTY = Text("nothing was recorded", "没有任何记录")
_NOT_KEPT = Text("{0}.grad of shape {1}", "{0}.grad，形状 {1}")
_IS = Text("{0}.grad = {1}", "{0}.grad = {1}")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a recorded program ended.

    Attributes:
        error: the exception that ended it; None if it ran to its end, or if the recording was cut.
        place: where that was raised, if it is known.
        gradients: the gradients at the end.
        live: the bytes of live storages at the end.
        peak: the largest number of such bytes.
        says: the same in a few words. They begin with ✗ for a program that raised and with ✓ for one that ran to its end.
    """

    error: ErrorFacts | None
    place: Place | None
    gradients: tuple[NamedGradient, ...]
    live: int
    peak: int
    says: Text


def verdict(recording: Recording) -> Verdict:
    """Returns how a recorded program ended.

    >>> import inplacelab as paddle
    >>> with paddle.record() as rec:
    ...     x = paddle.to_tensor([1.0, 3.0], stop_gradient=False)
    ...     (x * x).sum().backward()
    >>> print(verdict(rec.recording).says.en)
    ✓ x.grad = [2, 6]
    """
    if not recording.steps:
        return Verdict(None, None, (), 0, 0, _EMPTY)
    state = recording.state()
    last, gradients = state.step, tuple(_gradients(state))
    return Verdict(last.error, last.place, gradients, last.live, last.peak, _ending(recording, gradients))


def _gradients(state: State) -> Iterator[NamedGradient]:
    for tensor in state.tensors.values():
        gradient = None if tensor.grad is None else state.tensors.get(tensor.grad)
        if tensor.names and gradient is not None:
            yield NamedGradient(tensor.names[0], gradient.shape, visible_values(state, gradient))


def _ending(recording: Recording, gradients: tuple[NamedGradient, ...]) -> Text:
    last = recording.steps[-1]
    if last.error is not None:
        pattern = _REFUSED_SOMEWHERE if last.place is None else _REFUSED
        return pattern.format(last.error.type, said_line(recording.named_sources, last.place))
    if recording.truncated:
        return _RECORDED.format(len(recording))
    return _GRADIENTS.format(listing([_said(each) for each in gradients])) if gradients else _RAN


def _said(gradient: NamedGradient) -> Text:
    if gradient.values is None:
        return _NOT_KEPT.format(gradient.name, shape(gradient.shape))
    return _IS.format(gradient.name, values(gradient.values))
