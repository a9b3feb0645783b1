"""The structure of the history: nodes, edges, bases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors

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


# ---- a base that leaves the history ----------------------------------------------------------------------------------------

WRITES: dict[str, tuple[Callable[[Tensor, Tensor], Any], list[float]]] = {
    "scaled through the view": (lambda b, t: t.scale_(5.0), [5.0, 5.0]),
    "zeroed through the view": (lambda b, t: t.zero_(), [0.0, 0.0]),
    "set through the view": (lambda b, t: t.__setitem__(slice(None), 1.5), [0.0, 0.0]),
    "scaled through the base": (lambda b, t: b.scale_(5.0), [5.0, 5.0]),
    "zeroed through the base": (lambda b, t: b.zero_(), [0.0, 0.0]),
    "scaled through a second view": (lambda b, t: b[:, 1].scale_(5.0), [1.0, 5.0]),
    "written by a custom operation": (lambda b, t: Tripled.apply(b), [3.0, 3.0]),
    "not written": (lambda b, t: None, [1.0, 1.0]),
}
LEAVING: dict[str, Callable[[Tensor], Any]] = {
    "detach_": lambda b: b.detach_(),
    "stop_gradient": lambda b: setattr(b, "stop_gradient", True),
    "set_": lambda b: b.set_(paddle.zeros([2, 2], dtype="float64")),
    "data": lambda b: setattr(b, "data", paddle.zeros([2, 2], dtype="float64")),
    "cast_": lambda b: b.cast_("float32"),
}


class Tripled(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.scale_(3.0)

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * 3.0


@pytest.mark.parametrize("leave", LEAVING)
@pytest.mark.parametrize("write", WRITES)
def test_views_keep_their_history_when_the_base_leaves_it(leaf: Make, write: str, leave: str) -> None:
    """Also a view whose history has not been asked for since the write, which is only brought up to date when it is needed."""
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a * 1.0
    t, other = b[0], b.t()
    run, expected = WRITES[write]
    run(b, t)
    LEAVING[leave](b)
    assert not t.stop_gradient
    (t.sum() + other[0, 0]).backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[2 * expected[0], expected[1]], [0.0, 0.0]]


def test_a_view_is_refused_when_its_storage_is_written_after_its_base_left(leaf: Make) -> None:
    """It is unknown whether the write concerned it: treating it as a constant, as PyTorch does, could be silently wrong."""
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a * 1.0
    t = b[0]
    b.detach_()
    b[1] = 7.0
    for use in (t.sum, lambda: t[0], lambda: t.retain_grads(), lambda: Tripled.apply(t)):
        with pytest.raises(errors.AmbiguousViewError, match="left the history"):
            use()
    assert (t.tolist(), t.detach().sum().item(), b[0].stop_gradient) == ([1.0, 2.0], 3.0, True)
    t.stop_gradient = True  # the program says that it is a constant
    assert t.sum().stop_gradient


@pytest.mark.parametrize(
    "write", [lambda t: t.scale_(2.0), lambda t: t.__setitem__(0, 2.0), lambda t: t.set_value([3.0, 3.0])]
)
def test_a_view_whose_base_left_is_not_written_in_the_history(leaf: Make, write: Callable[[Tensor], Any]) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a * 1.0
    t = b[0]
    b.detach_()
    with pytest.raises(errors.WriteConflictError, match="left the history"):
        write(t)
    assert (b.tolist(), b.inplace_version) == ([[1.0, 2.0], [3.0, 4.0]], 0)
    t.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_a_base_comes_back_with_its_views(leaf: Make) -> None:
    """A state that is carried from step to step: its views belong to the new value as soon as all of that has been computed."""
    w = leaf([2.0, 3.0])
    state = paddle.ones([2], dtype="float64")
    row = state[0]
    for step in range(1, 4):
        state.multiply_(w)
        row.sum().backward()
        state.detach_()
        assert w.grad is not None
        assert w.grad.tolist() == [2.0**step - 1, 0.0]


def test_a_part_that_is_computed_does_not_bring_the_base_back(leaf: Make) -> None:
    """The rest of the view may still depend on what the base was computed from: the base does not tell."""
    a, w = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([2.0, 3.0])
    for write in (
        lambda b: b[1].multiply_(w),
        lambda b: b.__setitem__([1], w),
        lambda b: b.index_fill_(paddle.to_tensor([1]), 0, w[0]),
    ):
        b = a * 1.0
        t = b[0]
        b.detach_()
        write(b)
        assert not b.stop_gradient
        b.reshape_([4])
        with pytest.raises(errors.AmbiguousViewError):
            t.sum()


def test_a_flag_that_is_set_back_brings_the_views_back(leaf: Make) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a * 1.0
    t, kept = b[0], b[1]
    kept.stop_gradient = True
    b.stop_gradient = True
    b.stop_gradient = False
    t.scale_(5.0)
    assert kept.stop_gradient
    b.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[5.0, 5.0], [1.0, 1.0]]


def test_a_view_of_a_frozen_leaf_is_a_constant_from_the_next_write_on(leaf: Make) -> None:
    """As in PyTorch: the view's history leads only to the leaf, which takes no gradient. It does again as soon as the leaf does."""
    a, w = leaf([1.0, 2.0]), leaf([1.0, 1.0])
    t = a[0]
    a.stop_gradient = True
    with paddle.no_grad():
        a.scale_(2.0)
    assert t.stop_gradient
    (t * w).sum().backward()
    assert a.grad is None
    assert w.grad is not None
    a.stop_gradient = False
    (t * 3.0).backward()
    assert a.grad is not None
    assert a.grad.tolist() == [3.0, 0.0]


def test_another_layout_of_the_base_does_not_concern_its_views(leaf: Make) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a * 1.0
    t = b[0]
    b.detach_()
    b.t_()
    t.sum().backward()
    with paddle.no_grad():
        t.unsqueeze_(0)
    t.sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[2.0, 2.0], [0.0, 0.0]]


def test_a_view_that_left_by_itself_is_refused_in_its_own_words(leaf: Make) -> None:
    b = leaf([[1.0, 2.0], [3.0, 4.0]]) * 1.0
    t = b[0].detach_()
    with pytest.raises(errors.WriteConflictError, match="taken out of the history"):
        t.scale_(2.0)
    b.detach_()
    t.stop_gradient = False  # there is no history to come back to: it becomes a leaf
    (t * 2.0).sum().backward()
    assert t.grad is not None
    assert t.grad.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("change", [lambda b: b.t_(), lambda b: b.reshape_([4]).reshape_([2, 2]).t_()])
def test_a_layout_that_changes_while_the_flag_is_set_counts_when_it_is_set_back(
    leaf: Make, change: Callable[[Tensor], Any]
) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    b = a * 1.0
    b.stop_gradient = True
    change(b)
    b.stop_gradient = False
    (b * paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], dtype="float64")).sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[1.0, 3.0], [2.0, 4.0]]
