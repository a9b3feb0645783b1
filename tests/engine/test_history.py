"""The structure of the history: nodes, edges, bases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import inplacelab as paddle
from inplacelab import Tensor

Make = Callable[[Any], Tensor]


def test_an_in_place_operation_keeps_the_object_and_renews_its_node(leaf: Make) -> None:
    x = leaf([1.0, 2.0]) * 2
    before = x.grad_fn
    assert before is not None
    assert x.sin_() is x
    assert x.grad_fn is not None
    assert (before.name(), x.grad_fn.name()) == ("ScaleGradNode", "SinGradNode")
    assert x.grad_fn.next_functions == [before]


def test_a_buffer_joins_the_history_when_something_differentiable_is_written(leaf: Make) -> None:
    buffer = paddle.zeros([2, 2], dtype="float64")
    view = buffer[1]
    assert (buffer.stop_gradient, buffer.is_leaf, buffer.grad_fn) == (True, True, None)
    buffer[0].add_(leaf([1.0, 2.0]))
    assert (buffer.stop_gradient, buffer.is_leaf) == (False, False)
    assert buffer.grad_fn is not None
    assert buffer.grad_fn.name() == "CopySlices"
    assert view.grad_fn is not None
    assert view.grad_fn.name() == "AsStridedGradNode"


def test_the_base_of_a_view_of_a_view_is_at_the_bottom(leaf: Make) -> None:
    b = leaf([[1.0, 2.0], [3.0, 4.0]]) * 2
    assert b[0][1:].base is b
    assert b.base is None
    assert b.detach()[0].base is not b
