"""Code outside the history: `no_grad` and similar switches, `detach`; and histories as deep as a long loop."""

from __future__ import annotations

import gc
from collections.abc import Callable, Generator
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


def test_switching_decorates_too(leaf: Make) -> None:
    a = leaf([1.0])

    @paddle.set_grad_enabled(False)
    def double(x: Tensor) -> Tensor:
        return x * 2.0

    assert paddle.is_grad_enabled()
    assert double(a).stop_gradient


def test_every_step_of_a_generator_has_the_mode_that_decorates_it() -> None:
    sent: list[object] = []

    @paddle.no_grad()
    def steps() -> Generator[bool, str, str]:
        try:
            sent.append((yield paddle.is_grad_enabled()))
            try:
                yield paddle.is_grad_enabled()
            except KeyError:
                sent.append(paddle.is_grad_enabled())
            yield paddle.is_grad_enabled()
        finally:
            sent.append("closed")
        return "end"

    walk = steps()
    assert (next(walk), paddle.is_grad_enabled(), walk.send("sent")) == (False, True, False)
    assert walk.throw(KeyError()) is False
    with pytest.raises(StopIteration, match="end"):
        next(walk)
    unfinished = steps()
    next(unfinished)
    unfinished.close()
    assert sent == ["sent", False, "closed", "closed"]
    assert paddle.is_grad_enabled()


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


# ---- writes outside the history by design ---------------------------------------------------------------------------


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


@pytest.mark.standard
def test_a_graph_as_deep_as_a_long_loop(leaf: Make) -> None:
    a = leaf([1.0])
    x = a * 1
    for _ in range(DEEP):
        x.scale_(1.0)
    x.backward()
    assert values(a.grad) == [1.0]


@pytest.mark.standard
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


# ---- views made under no_grad ---------------------------------------------------------------------------------------


def _written(b: Tensor, v: Tensor) -> None:
    b.scale_(3.0)


def _written_elsewhere(b: Tensor, v: Tensor) -> None:
    b[1].scale_(3.0)


def _written_under_no_grad(b: Tensor, v: Tensor) -> None:
    with paddle.no_grad():
        b.scale_(3.0)


def _written_itself_under_no_grad(b: Tensor, v: Tensor) -> None:
    with paddle.no_grad():
        v.scale_(3.0)


WRITES = [_written, _written_elsewhere, _written_under_no_grad, _written_itself_under_no_grad]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(
    "use",
    [lambda v: v * v, lambda v: v[0], lambda v: paddle.ones([2], dtype="float64").add_(v), lambda v: v.scale_(2.0)],
)
def test_a_view_made_as_a_constant_is_not_used_once_its_storage_was_written(
    leaf: Make, write: Callable[[Tensor, Tensor], None], use: Callable[[Tensor], Tensor]
) -> None:
    """Its value may depend on leaves now, and it is unknown whether that is intended: PyTorch refuses, too."""
    b = leaf([[1.0, 2.0], [3.0, 4.0]]) * 2
    with paddle.no_grad():
        v = b[0]
        w = v[1:]
    write(b, v)
    for each in (v, w):
        version = each.inplace_version
        with pytest.raises(RuntimeError, match="under no_grad"):
            use(each)
        assert each.inplace_version == version
    with paddle.no_grad():
        assert (v * v).stop_gradient  # where no history is recorded it is a value like any other
    assert (v.detach() * 2).stop_gradient


def test_a_view_made_as_a_constant_is_one_while_nothing_is_written(leaf: Make) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    with paddle.no_grad():
        v = a[0]
    (a[1] * v).sum().backward()
    assert a.grad is not None
    assert a.grad.tolist() == [[0.0, 0.0], [1.0, 2.0]]


def test_of_a_base_that_needs_no_gradient_it_is_a_view_like_any_other(leaf: Make) -> None:
    buffer = paddle.zeros([2, 2], dtype="float64")
    with paddle.no_grad():
        v = buffer[0]
    buffer.fill_(3.0)
    assert (v * v).tolist() == [9.0, 9.0]
    assert v.scale_(2.0).tolist() == [6.0, 6.0]
