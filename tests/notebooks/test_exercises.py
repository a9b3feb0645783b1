"""The numbers that exercises ask for, each measured. (That every solution is accepted, `test_tried.py` tries out.)"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import inplacelab as paddle
from inplacelab.autograd import copy_saved_before_write


class TestInPlaceAndVersions:
    @pytest.mark.parametrize(("op", "nbytes"), [("scale_", 0), ("sin_", 32)])
    def test_2_bytes_that_a_node_saves(self, op: str, nbytes: int) -> None:
        a = paddle.ones([2, 4])
        a.stop_gradient = False
        with paddle.record() as rec:
            x = a.scale(2.0)
            getattr(x, op)(*([2.0] if op == "scale_" else []))
        assert rec.recording is not None
        after = rec.recording.state(-1)
        kept = {saved.storage for node in after.nodes.values() for saved in node.saved}
        assert sum(after.storages[storage].bytes for storage in kept) == nbytes


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
