"""The slots that an index operation reads and writes, as reported to observers: every such row, on tensors with gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, observe
from inplacelab.ops.table import depends
from tests.row_cases.every import CASES


def keeps_storage(case: Any) -> bool:
    """Whether the in-place variant writes into the storage of its tensor, and does not move it to another."""
    x, *others = map(paddle.to_tensor, case.arrays())
    before = x.storage
    case.call("in-place", [x, *others])
    return x.storage is before


SELECTING = [case for case in CASES if case.row.selects]
WRITING = [case for case in CASES if case.row.writes_some and "in-place" in case.variants]


class Listener(observe.Observer):
    def __init__(self) -> None:
        self.read: list[Any] = []
        self.written: list[Any] = []

    def operation(self, *_: Any, read: Any = None, written: Any = None, **__: Any) -> None:
        self.read.append(read)
        self.written.append(written)


def with_gaps(array: Any) -> Tensor:
    """The same elements in every second slot of a larger storage, behind a slot of no interest."""
    base = paddle.full([2 * array.size + 1], -1.0).cast(str(array.dtype))
    view = base[1::2].reshape(list(array.shape))
    view.copy_(paddle.to_tensor(array))
    return view


def test_there_are_cases_of_both_kinds() -> None:
    assert {"index_select", "gather_nd", "take_along_axis", "_take"} <= {case.row.name for case in SELECTING}
    assert {"index_add", "masked_fill", "masked_scatter", "_extreme_along", "tril"} <= {
        case.row.name for case in WRITING
    }


@pytest.mark.parametrize("case", [c for c in SELECTING if "ordinary" in c.variants], ids=lambda c: c.name)
def test_the_slots_that_are_read_hold_the_result(case: Any) -> None:
    first, *others = case.arrays()
    x = with_gaps(np.arange(first.size, dtype=first.dtype).reshape(first.shape))
    inputs, listener = [x, *map(paddle.to_tensor, others)], Listener()
    with observe.listening(listener):
        result = case.call("ordinary", inputs)
    (read,) = listener.read
    np.testing.assert_array_equal(x.storage.buffer[list(read)].reshape(result.shape), result.numpy())


NOT_SEEN = {
    "cast": "changes the dtype",
    "nan_to_num": "changes only NaN",
    "geometric": "asks for probabilities",
    "setitem": "is given a part",
}
POINTWISE = [
    case
    for case in CASES
    if case.row.pointwise and not case.row.writes_some and "in-place" in case.variants
    and case.row.name not in NOT_SEEN and keeps_storage(case) and case.arrays()[0].size
]  # fmt: skip


@pytest.mark.parametrize("case", WRITING, ids=lambda c: c.name)
def test_the_slots_that_are_written_are_those_that_other_values_change(case: Any) -> None:
    arrays = case.arrays()
    x, *others = with_gaps(arrays[0]), *map(paddle.to_tensor, arrays[1:])
    listener = Listener()
    with observe.listening(listener):
        case.call("in-place", [x, *others])
    (written,) = listener.written
    assert list(written) == changed_by(case)


@pytest.mark.parametrize("case", POINTWISE, ids=lambda c: c.name)
def test_a_row_that_is_said_to_write_every_element_does(case: Any) -> None:
    assert changed_by(case) == list(range(1, 2 * case.arrays()[0].size, 2))


def changed_by(case: Any) -> list[int]:
    """The slots that an operation changes, for some values of what is no index and no mask."""
    arrays, random = case.arrays(), np.random.default_rng(0)
    valued = [True, *(rule is not None or not case.row.writes_some for rule in case.row.rules[1:])]
    reached: set[int] = set()
    for spread in (1, 3, 100, 1e6) * 10:
        given = [other_values(a, spread, random) if free else a for a, free in zip(arrays, valued, strict=True)]
        x = with_gaps(given[0])
        before = x.storage.buffer.copy()
        try:
            case.call("in-place", [x, *map(paddle.to_tensor, given[1:])])
        except Exception:  # noqa: BLE001  # it refuses such values
            continue
        reached |= set(np.flatnonzero(before != x.storage.buffer).tolist())
    return sorted(reached)


def other_values(array: Any, spread: float, random: np.random.Generator) -> Any:
    """Values of the same dtype, all of one sign for large numbers, so that some are beyond all others."""
    if array.dtype.kind == "b":
        return random.integers(0, 2, array.shape).astype(bool)
    drawn = random.standard_normal(array.shape) * spread
    return (np.abs(drawn) * random.choice([-1, 1]) if spread > 3 else drawn).astype(array.dtype)


def test_an_index_in_the_storage_that_is_written_is_read_before_the_write() -> None:
    listener, base = Listener(), paddle.to_tensor([1, 0, 5, 5, 5, 5])
    with observe.listening(listener):
        base.index_fill_(base[0:1], 0, 2)  # the second operation: the first is the view
    assert base.tolist() == [1, 2, 5, 5, 5, 5]
    assert list(listener.written[-1]) == [1]


def test_to_be_listened_to_takes_no_memory_of_the_program() -> None:
    def peak() -> int:
        x, index = paddle.ones([50, 40]), paddle.to_tensor([3, 1, 3])
        paddle.device.reset_max_memory_allocated()
        x.index_select(index)
        x.index_add_(index, 0, paddle.ones([3, 40]))
        return paddle.device.max_memory_allocated()

    unheard = peak()
    with observe.listening(Listener()):
        assert peak() == unheard


def test_no_slots_are_reported_for_a_very_large_tensor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depends, "ENOUGH", 10)
    x, index, listener = paddle.ones([11]), paddle.to_tensor([1]), Listener()
    with observe.listening(listener):
        x.index_select(index)
        x.index_fill_(index, 0, 2.0)
    assert listener.read == [None, None]
    assert listener.written == [None, None]
