"""Leaving the history: `no_grad` and its kin, `detach`; and histories as deep as a long loop."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import Tensor

Make = Callable[[Any], Tensor]


def values(tensor: Tensor | None) -> Any:
    return None if tensor is None else tensor.tolist()


# ---- modes ------------------------------------------------------------------------------------------------------------------


def test_modes_nest_and_come_back(leaf: Make) -> None:
    a = leaf([1.0])
    with paddle.no_grad():
        assert (a * 2).stop_gradient
        with paddle.enable_grad():
            assert not (a * 2).stop_gradient
        with paddle.set_grad_enabled(True):
            assert paddle.is_grad_enabled()
        assert not paddle.is_grad_enabled()
    assert paddle.is_grad_enabled()
    with pytest.raises(KeyError), paddle.no_grad():
        raise KeyError
    assert paddle.is_grad_enabled()


def test_modes_decorate(leaf: Make) -> None:
    def doubled(x: Tensor) -> Tensor:
        """Doubles."""
        return x * 2

    bare: Any = paddle.no_grad(doubled)
    for decorated in (bare, paddle.no_grad()(doubled)):
        assert decorated(leaf([1.0])).stop_gradient
        assert decorated.__doc__ == "Doubles."
    assert not doubled(leaf([1.0])).stop_gradient


def test_switching_at_once(leaf: Make) -> None:
    paddle.set_grad_enabled(False)
    assert (leaf([1.0]) * 2).stop_gradient
    paddle.set_grad_enabled(True)
    assert not (leaf([1.0]) * 2).stop_gradient


def test_a_leaf_changed_under_no_grad_counts_with_its_new_value(leaf: Make) -> None:
    a = leaf([1.0, 2.0])
    with paddle.no_grad():
        a.scale_(3.0)
    (a * a).sum().backward()
    assert values(a.grad) == [6.0, 12.0]


def test_detach_and_its_in_place_variant(leaf: Make) -> None:
    b = leaf([1.0, 2.0]) * 2
    apart = b.detach()
    assert (apart.stop_gradient, apart.is_leaf, apart.storage is b.storage) == (True, True, True)
    apart.reshape_([2, 1])
    assert b.shape == [2]  # its metadata are its own (in Paddle they are shared)
    assert b.detach_() is b
    assert (b.stop_gradient, b.is_leaf, b.grad_fn) == (True, True, None)


# ---- what is agreed to be outside the history -----------------------------------------------------------------------


@pytest.mark.parametrize("escape", ["no_grad", "detach"])
def test_a_write_outside_the_history_counts_as_a_constant_change(leaf: Make, escape: str) -> None:
    """The agreed escapes: the value changes and the history does not (here as in Paddle and in PyTorch)."""
    a = leaf([1.0, 2.0])
    b = a * 2
    if escape == "no_grad":
        with paddle.no_grad():
            b.scale_(3.0)
    else:
        b.detach().scale_(3.0)
    b.sum().backward()
    assert b.tolist() == [6.0, 12.0]
    assert a.grad is not None
    assert a.grad.tolist() == [2.0, 2.0]


# ---- size -------------------------------------------------------------------------------------------------------------------

DEEP = 100_000


def test_a_graph_as_deep_as_a_long_loop(leaf: Make) -> None:
    a = leaf([1.0])
    x = a * 1
    for _ in range(DEEP):
        x.scale_(1.0)
    x.backward()
    assert values(a.grad) == [1.0]


def test_a_deep_graph_can_be_thrown_away(leaf: Make) -> None:
    x = leaf([1.0])
    for _ in range(DEEP):
        x = x.scale(1.0)
    gc.disable()
    del x
    gc.enable()


def test_many_writes_through_a_view(leaf: Make) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    x = a * 1
    row = x[0]
    for _ in range(1000):
        row.scale_(1.0)
    x.sum().backward()
    assert values(a.grad) == [[1.0, 1.0], [1.0, 1.0]]
