"""`copy_saved_before_write`: programs that are refused without it are right, with no unneeded copy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from inplacelab.autograd.saved import copy_saved_before_write
from inplacelab.devices import current
from inplacelab.recording.queries import stale
from inplacelab.recording.sentences import sentence

Make = Callable[[Any], Tensor]
START = [[1.0, 2.0], [3.0, 4.0]]


def overwritten(b: Tensor) -> Tensor:
    y = b * b
    b.zero_()
    return y


def overwritten_through_a_view(b: Tensor) -> Tensor:
    y = b * b
    b[0].scale_(7.0)
    return y


def view_kept_and_base_written(b: Tensor) -> Tensor:
    v = b[1]
    y = v * v
    b.scale_(3.0)
    return y


def part_kept_and_another_part_written(b: Tensor) -> Tensor:
    v = b[1]
    y = v * v
    b[0].zero_()
    return y


def output_kept_and_written(b: Tensor) -> Tensor:
    y = b.exp()
    z = y * 2.0
    y.fill_(1.0)
    return z


def kept_twice(b: Tensor) -> Tensor:
    y = b.sin() + b * b
    b[:, 0] = 5.0
    return y


def only_the_metadata_changed(b: Tensor) -> Tensor:
    y = b * b
    b.t_()
    return y


def written_under_no_grad(b: Tensor) -> Tensor:
    y = b * b
    with paddle.no_grad():
        b.scale_(0.5)
    return y


def written_again_and_again(b: Tensor) -> Tensor:
    y = b * b
    b.scale_(2.0)
    z = b * b
    b.scale_(2.0)
    return y + z


def own_operand_written_in_place(b: Tensor) -> Tensor:
    b[0].multiply_(b[1])
    return b * b


def by_a_list_of_positions(b: Tensor) -> Tensor:
    y = b * b
    b[[1]] = b[[0]]
    return y + b


PROGRAMS: list[tuple[Callable[[Tensor], Tensor], int, int]] = [
    (overwritten, 1, 32), (overwritten_through_a_view, 1, 32), (view_kept_and_base_written, 1, 16),
    (part_kept_and_another_part_written, 0, 0), (output_kept_and_written, 1, 32), (kept_twice, 1, 32),
    (only_the_metadata_changed, 0, 0), (written_under_no_grad, 1, 32), (written_again_and_again, 2, 64),
    (own_operand_written_in_place, 0, 0), (by_a_list_of_positions, 1, 32),
]  # fmt: skip
"""Each with the copies it needs, and their bytes."""


def value(program: Callable[[Tensor], Tensor], start: Any) -> float:
    return float((program(paddle.to_tensor(start) * 1.5) ** 2).sum())


def slopes(program: Callable[[Tensor], Tensor]) -> Any:
    """Central differences of the values, which do not depend on the history."""
    start, step = np.array(START), 1e-6
    found = np.zeros_like(start)
    for place in np.ndindex(start.shape):
        ends = [start.copy(), start.copy()]
        ends[0][place] += step
        ends[1][place] -= step
        found[place] = (value(program, ends[0]) - value(program, ends[1])) / (2 * step)
    return found


@pytest.mark.parametrize(("program", "copies", "nbytes"), PROGRAMS)
def test_the_gradient_is_right_and_no_copy_is_made_in_vain(
    leaf: Make, program: Callable[[Tensor], Tensor], copies: int, nbytes: int
) -> None:
    a = leaf(START)
    with copy_saved_before_write() as kept:
        result = (program(a * 1.5) ** 2).sum()
    result.backward()
    assert a.grad is not None
    expected = slopes(program)
    if program is written_under_no_grad:
        expected = 4 * 1.5**4 * np.array(START) ** 3
    np.testing.assert_allclose(a.grad.numpy(), expected, rtol=1e-6)
    assert (kept.copies, kept.nbytes) == (copies, nbytes)


@pytest.mark.parametrize("program", [overwritten, overwritten_through_a_view, written_again_and_again])
def test_without_it_they_are_refused(leaf: Make, program: Callable[[Tensor], Tensor]) -> None:
    with pytest.raises(errors.StaleSavedTensorError):
        program(leaf(START) * 1.5).sum().backward()


def test_what_was_saved_before_the_block_is_not_looked_after(leaf: Make) -> None:
    b = leaf(START) * 1.5
    y = b * b
    with copy_saved_before_write() as kept:
        b.zero_()
    with pytest.raises(errors.StaleSavedTensorError):
        y.sum().backward()
    assert kept.copies == 0


def test_what_is_written_after_the_block_is_refused_at_backward(leaf: Make) -> None:
    b = leaf(START) * 1.5
    with copy_saved_before_write():
        y = b * b
    b.zero_()
    with pytest.raises(errors.StaleSavedTensorError):
        y.sum().backward()


def test_an_unneeded_copy_is_not_made(leaf: Make) -> None:
    b = leaf(START) * 1.5
    with copy_saved_before_write() as kept:
        (b * b).sum().backward()
        b.zero_()
    assert kept.copies == 0


def test_leaves_and_overlaps_are_refused_all_the_same(leaf: Make) -> None:
    a = leaf(START)
    with copy_saved_before_write():
        y = a * a
        with pytest.raises(errors.LeafWriteError):
            a.zero_()
        with pytest.raises(errors.WriteConflictError):
            y.add_(y[0])
    y.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[2.0, 4.0], [6.0, 8.0]]


def test_blocks_may_be_nested(leaf: Make) -> None:
    b = leaf(START) * 1.5
    with copy_saved_before_write() as outer:
        with copy_saved_before_write() as inner:
            y = b * b
        b.zero_()
    y.sum().backward()
    assert inner is outer
    assert outer.copies == 1


def test_the_ledger_shows_what_it_costs(leaf: Make) -> None:
    b = leaf(START) * 1.5
    before = current().ledger.live
    with copy_saved_before_write():
        y = (b * b).sum()
        assert current().ledger.live - before == 8
        b.zero_()
        assert current().ledger.live - before == 8 + 32
    y.backward()
    assert current().ledger.live - before == 8 + 32  # the leaf's gradient now, and no copy


def test_second_derivatives_go_through_the_copy(leaf: Make) -> None:
    a = leaf([2.0])
    with copy_saved_before_write():
        b = a * 1.0
        y = b * b * b
        b.zero_()
        (first,) = paddle.grad(y, a, create_graph=True)
        assert first is not None
        (second,) = paddle.grad(first, a)
    assert second is not None
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_a_recording_shows_the_copy() -> None:
    with paddle.record() as recorded, copy_saved_before_write():
        a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        b = a * 1.5
        y = b * b
        b.zero_()
    assert recorded.recording is not None
    last = recorded.recording.state()
    kept = [saved for node in last.nodes.values() for saved in node.saved if node.name == "MultiplyGradNode"]
    assert [saved.copy for saved in kept] == [True, True]
    assert len({saved.storage for saved in kept}) == 1
    assert y.shape == [2]


def test_a_recording_shows_what_was_not_touched_as_fresh() -> None:
    with paddle.record() as recorded, copy_saved_before_write() as cost:
        a = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        b = a * 2
        top, bottom = b[0].square(), b[1].square()
        b[0].zero_()
    assert recorded.recording is not None
    last = recorded.recording.state()
    kept = [saved for node in last.nodes.values() for saved in node.saved if node.name == "SquareGradNode"]
    assert [(saved.copy, saved.version) for saved in kept] == [(True, 0), (False, 1)]
    assert stale(last) == ()
    assert cost.nbytes == last.storages[kept[0].storage].bytes == 8
    text = sentence(recorded.recording, last.step.index)
    assert "copied first (8 bytes)" in text.en
    assert "the new a grad node" not in text.en
    assert top.shape == bottom.shape == [2]


def test_without_it_the_refusal_names_the_slots_that_were_not_written() -> None:
    with paddle.record() as recorded:
        a = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        b = a * 2
        bottom = b[1].square()
        b[0].zero_()
        with pytest.raises(RuntimeError):
            bottom.backward()
    assert recorded.recording is not None
    text = sentence(recorded.recording, len(recorded.recording) - 1)
    assert "other elements of its storage written by" in text.en
    assert "overwritten" not in text.en
