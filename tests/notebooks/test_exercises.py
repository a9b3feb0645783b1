"""The answers that the lessons give to their exercises, each tried out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import inplacelab as paddle
from inplacelab.autograd import copy_saved_before_write
from inplacelab.recording.questions import same_object, shares_storage, visible_values, who_raised
from inplacelab.recording.recording import Recording


def recorded(record: paddle.record) -> Recording:
    assert record.recording is not None
    return record.recording


@pytest.fixture
def leaf() -> paddle.Tensor:
    tensor: paddle.Tensor = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    tensor.stop_gradient = False
    return tensor


class TestThreeKindsOfOperation:
    def test_1_augmented_assignment_makes_a_new_tensor(self) -> None:
        with paddle.record() as rec:
            x = paddle.to_tensor([1.0, 2.0])
            y = x
            x += 1.0
        after = recorded(rec).state(-1)
        assert not same_object(after, "x", "y")
        assert not shares_storage(after, "x", "y")
        assert visible_values(after, "y") == tuple(y.tolist()) == (1.0, 2.0)

    def test_2_an_in_place_transposition_writes_no_slot_and_counts(self, leaf: paddle.Tensor) -> None:
        with paddle.record() as rec:
            x = leaf.scale(2.0)
            before = x.tolist()
            x.transpose_([1, 0])
        after = recorded(rec).state(-1)
        ((step, write),) = who_raised(recorded(rec), after.tensor("x").storage)
        assert (step.op, write.slots, write.after) == ("transpose_", (), 1)
        assert after.storage_of("x").values == tuple(number for row in before for number in row)

    def test_3_a_cloned_row_has_a_storage_of_its_own(self) -> None:
        with paddle.record() as rec:
            x = paddle.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
            row = x[1].clone()
            y = x.scale_(10.0)
            row.zero_()
        after = recorded(rec).state(-1)
        assert same_object(after, "x", "y")
        assert y is x
        assert visible_values(after, "x") == (10, 20, 30, 40, 50, 60)
        assert [step.op for step, _ in who_raised(recorded(rec), after.tensor("x").storage)] == ["scale_"]
        assert len(after.storages) == 2

    def test_4_the_sine_keeps_a_copy_of_what_it_overwrites(self, leaf: paddle.Tensor) -> None:
        with paddle.record() as rec:
            x = leaf.scale(2.0)
            x.sin_()
        after = recorded(rec).state(-1)
        (saved,) = after.nodes[after.tensor("x").node or 0].saved
        assert saved.copy
        assert saved.storage != after.tensor("x").storage
        assert after.storages[saved.storage].values == (2, 4, 6, 8, 10, 12)

    def test_5_the_last_step_names_the_line_that_kept_and_the_line_that_wrote(self, leaf: paddle.Tensor) -> None:
        with paddle.record() as rec:
            x = leaf.scale(2.0)
            y = x * x
            x.zero_()
            with pytest.raises(RuntimeError):
                y.backward()
        recording = recorded(rec)
        kept, wrote = (step.line for step in recording.steps if step.op in {"multiply", "zero_"})
        error = recording.steps[-1].error
        assert error is not None
        who_kept, who_wrote = (note.en.lower() for note in error.notes)
        assert f"line {kept}" in who_kept
        assert f"line {wrote}" in who_wrote


class TestViewsAndInPlaceTogether:
    @pytest.fixture(autouse=True)
    def double_precision(self) -> Iterator[None]:
        before = paddle.get_default_dtype()
        paddle.set_default_dtype("float64")
        yield
        paddle.set_default_dtype(before)

    @pytest.fixture
    def a(self) -> paddle.Tensor:
        tensor: paddle.Tensor = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
        return tensor

    def test_1_a_cloned_row_is_written_by_nobody(self, a: paddle.Tensor) -> None:
        with paddle.record() as rec:
            b = a * 2
            row = b[0].clone()
            c = row * row
            b.scale_(3.0)
            loss = c.sum() + b.sum()
            loss.backward()
        assert [step.op for step in recorded(rec).steps if step.writes] == ["scale_"]
        assert a.grad is not None
        assert a.grad.tolist() == [[14, 22], [6, 6]]

    def test_2_a_clone_and_a_kept_copy_cost_the_same(self, a: paddle.Tensor) -> None:
        with copy_saved_before_write() as kept:
            b = a * 2
            row = b[0]
            c = row * row
            b.scale_(3.0)
        (c.sum() + b.sum()).backward()
        assert a.grad is not None
        assert a.grad.tolist() == [[14, 22], [6, 6]]
        assert (kept.copies, kept.nbytes) == (1, 16)
        assert b[0].clone().nbytes == 16

    def test_3_both_rows_are_copied_if_both_are_about_to_be_lost(self, a: paddle.Tensor) -> None:
        with copy_saved_before_write() as kept:
            b = a * 2
            top = b[0].square()
            bottom = b[1].square()
            b.zero_()
        (top + bottom).backward()
        assert a.grad is not None
        assert a.grad.tolist() == [[8, 16], [24, 32]]
        assert (kept.copies, kept.nbytes) == (2, 32)
