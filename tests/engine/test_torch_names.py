"""`permute`, `repeat`, `new_zeros`, ...: as in PaddlePaddle 3.3.1, which adopted them from PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import inplacelab

CALLS = (
    "x.permute(2, 0, 1)", "x.permute([1, 2, 0])", "x.permute((0, 1, 2))", "x.permute(-1, 0, 1)", "x.permute(dims=[2, 1, 0])",
    "paddle.permute(x, [1, 0, 2])", "paddle.permute(x, 1, 0, 2)", "line.permute(0)", "x.repeat(2, 1, 3)", "x.repeat([2, 1, 3])", "x.repeat(2)",
    "line.repeat(2)", "line.repeat(2, 2)", "x.repeat(repeats=[1, 2, 1])", "x.new_zeros(2, 3)", "x.new_zeros([2, 3])", "x.new_zeros(2)",
    "x.new_zeros([])", "counts.new_zeros([2])", "counts.new_ones([2], dtype='float64')", "x.new_ones((2, 1), requires_grad=True)",
    "x.new_full([2, 2], 1.5)", "counts.new_full([2], 7)", "x.new_full([1], 2., requires_grad=True)", "x.new_full((2,), True)",
)  # fmt: skip


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def outcome(module: Any, call: str) -> tuple[Any, ...]:
    x = module.arange(6).astype("float32").reshape([1, 2, 3])
    x.stop_gradient = False
    names = {
        "paddle": module,
        "x": x,
        "line": module.to_tensor([1.0, 2.0]),
        "counts": module.to_tensor([1, 2], dtype="int32"),
    }
    made = eval(call, names)
    seen = made.tolist(), list(made.shape), str(made.dtype).rpartition(".")[2], made.stop_gradient, made.is_leaf
    if made.stop_gradient or made.is_leaf:
        return seen
    (made * made).sum().backward()
    return *seen, x.grad.tolist()


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("call", CALLS)
def test_as_in_paddle(paddle: Any, call: str) -> None:
    assert outcome(inplacelab, call) == outcome(paddle, call)


def test_permute_is_a_view_and_repeat_a_copy() -> None:
    x = inplacelab.arange(6).reshape([2, 3])
    x.permute(1, 0).scale_(2)
    assert x.tolist() == [[0, 2, 4], [6, 8, 10]]
    x.repeat(1, 1).zero_()
    assert x.tolist() == [[0, 2, 4], [6, 8, 10]]


def test_new_tensors_are_like_their_model() -> None:
    x = inplacelab.zeros([2], dtype="int64")
    assert x.new_empty(3, 1).shape == [3, 1]
    assert {str(made.dtype) for made in (x.new_empty(1), x.new_ones(1), x.new_full([1], 2.0))} == {str(x.dtype)}
    assert x.new_ones(2, requires_grad=False).stop_gradient


def test_refusals() -> None:
    x = inplacelab.zeros([2, 3])
    with pytest.raises(ValueError, match="perm"):
        x.permute(0, 0)
    with pytest.raises(ValueError, match="-1"):
        x.new_zeros(-1)
