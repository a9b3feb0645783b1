"""The slots that an index operation reads and writes, as reported to observers: every such row, on tensors with gaps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, observe
from inplacelab.ops.template import touched_slots
from tests.row_cases.every import CASES

SELECTING = [case for case in CASES if case.row.selects]


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
    assert {"index_add", "scatter", "masked_scatter", "_extreme_along"} <= {case.row.name for case in SELECTING}


@pytest.mark.parametrize("case", [c for c in SELECTING if "ordinary" in c.variants], ids=lambda c: c.name)
def test_the_slots_that_are_read_hold_the_result(case: Any) -> None:
    first, *others = case.arrays()
    x = with_gaps(np.arange(first.size, dtype=first.dtype).reshape(first.shape))
    inputs, listener = [x, *map(paddle.to_tensor, others)], Listener()
    with observe.listening(listener):
        result = case.call("ordinary", inputs)
    (read,) = listener.read
    if "in-place" in case.variants:
        assert read is None, "A new tensor is written; of the operand everything is read."
    else:
        np.testing.assert_array_equal(x.storage.buffer[list(read)].reshape(result.shape), result.numpy())


@pytest.mark.parametrize("case", [c for c in SELECTING if "in-place" in c.variants], ids=lambda c: c.name)
def test_the_slots_that_are_written_are_those_of_the_reference(case: Any) -> None:
    first, *others = arrays = case.arrays()
    x = with_gaps(first)
    before, listener = x.storage.buffer.copy(), Listener()
    inputs = [x, *map(paddle.to_tensor, others)]
    with observe.listening(listener):
        case.call("in-place", inputs)
    (written,) = listener.written
    changed = np.flatnonzero(x.storage.buffer != before)
    assert set(changed.tolist()) <= set(written)
    reached = np.zeros(first.size, bool)
    for far in (-1e9, 1e9):  # one of the two is neither the smallest nor the largest
        given = [np.full_like(a, far) if a.dtype.kind == "f" else a for a in arrays[1:]]
        reached |= case.expected([np.ones_like(first), *given]).ravel() != 1
    assert sorted(written) == (2 * np.flatnonzero(reached) + 1).tolist()


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
    monkeypatch.setattr(touched_slots, "ENOUGH", 10)
    x, index, listener = paddle.ones([11]), paddle.to_tensor([1]), Listener()
    with observe.listening(listener):
        x.index_select(index)
        x.index_fill_(index, 0, 2.0)
    assert listener.read == [None, None]
    assert listener.written == [None, None]
