"""`PyLayer`: right or refused for any `forward`; as in Paddle where Paddle is right, as in PyTorch elsewhere."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors, observe
from inplacelab.autograd import PyLayer, copy_saved_before_write, gradcheck, gradgradcheck
from inplacelab.backends import CPU


def layer(forward: Callable[..., Any], backward: Callable[..., Any], base: Any = PyLayer) -> Any:
    """An operation from two functions; `base` may be another framework's class."""
    return type("Own", (base,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def keeping(*tensors: str) -> Callable[..., Any]:
    """A forward that multiplies its two arguments and saves those that are named."""

    def forward(ctx: Any, x: Any, y: Any) -> Any:
        out = x * y
        ctx.save_for_backward(*[{"x": x, "y": y, "out": out}[name] for name in tensors])
        return out

    return forward


def product_rule(ctx: Any, g: Tensor) -> Any:
    x, y = ctx.saved_tensor()
    return g * y, g * x


@pytest.fixture
def x(leaf: Callable[[Any], Tensor]) -> Tensor:
    return leaf([1.0, -2.0, 0.5])


@pytest.fixture
def y(leaf: Callable[[Any], Tensor]) -> Tensor:
    return leaf([0.3, 4.0, -1.0])


def the_gradient(tensor: Tensor) -> list[Any]:
    assert tensor.grad is not None
    gradient: list[Any] = tensor.grad.tolist()
    return gradient


# ---- derivatives, once and twice ----------------------------------------------------------------------------------------


def saves_the_result(ctx: Any, x: Tensor) -> Tensor:
    out: Tensor = x.exp()
    ctx.save_for_backward(out)
    return out


def saves_results(ctx: Any, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    first, second = x.exp(), x * y
    ctx.save_for_backward(first, y)
    ctx.x = x
    return first, second


def sends_back_two(ctx: Any, g: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
    first, y = ctx.saved_tensor()
    return g * first + h * y, h * ctx.x


def writes(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
    ctx.save_for_backward(y)
    ctx.old = x.clone()
    return x.multiply_(y)


def written_in_part(base: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return Scaled.apply(base[1:], y[1:]), base * base


Product = layer(keeping("x", "y"), product_rule)
Exp = layer(saves_the_result, lambda ctx, g: g * ctx.saved_tensor()[0])
Pair = layer(saves_results, sends_back_two)
Scaled = layer(lambda ctx, x, y: x.scale_(3.0), lambda ctx, g: (g * 3.0, None))

RIGHT: dict[str, Callable[[Tensor, Tensor], Any]] = {
    "two inputs": lambda x, y: Product.apply(x, y),
    "twice the same": lambda x, y: Product.apply(x, x),
    "a result is kept": lambda x, y: Exp.apply(x) * y,
    "several results": lambda x, y: Pair.apply(x, y),
    "one of several": lambda x, y: Pair.apply(x, y)[1],
    "the other of several": lambda x, y: Pair.apply(x, y)[0],
    "several, then in place": lambda x, y: Pair.apply(x, y)[1].sin_(),
    "after in place": lambda x, y: Product.apply(x.sin_(), y),
    "before in place": lambda x, y: Product.apply(x, y).square_(),
    "of views": lambda x, y: Product.apply(x[1:], y[:2]),
    "in place": lambda x, y: Scaled.apply(x.clone(), y) * y,
    "in place, through a view": lambda x, y: written_in_part(x * y, y),
    "nested": lambda x, y: Product.apply(Exp.apply(x), Product.apply(x, y)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_derivatives_are_right_once_and_twice(name: str, x: Tensor, y: Tensor) -> None:
    assert gradcheck(RIGHT[name], [x, y])
    assert gradgradcheck(RIGHT[name], [x, y])


def test_complex_and_real_results_side_by_side() -> None:
    own = layer(
        lambda ctx, z: (ctx.save_for_backward(z), z.real(), z * z)[1:],
        lambda ctx, g, h: g.cast("complex128") + h * ctx.saved_tensor()[0].conj().scale(2.0),
    )
    z = paddle.to_tensor(np.array([0.3 + 0.2j, 1 - 2j]), stop_gradient=False)
    assert gradcheck(own.apply, z)
    assert gradgradcheck(own.apply, z)


# ---- checks of saved tensors --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kept", [0, 1])
@pytest.mark.parametrize("write", [lambda t: t.zero_(), lambda t: t[:1].zero_(), lambda t: t.detach().zero_()])
def test_a_kept_tensor_that_was_overwritten_is_refused(
    kept: int, write: Callable[[Tensor], object], x: Tensor, y: Tensor
) -> None:
    """The pattern in which PaddlePaddle 3.3.1 is silently wrong."""
    inputs = x * 1.0, y * 1.0
    out = Product.apply(*inputs)
    write(inputs[kept])
    with pytest.raises(errors.StaleSavedTensorError, match="Its version is 1 but the expected version is 0") as refusal:
        out.sum().backward()
    assert f"GradNodePyLayer_Own kept `saved_tensor()[{kept}]`" in str(refusal.value)


def test_so_is_a_kept_result(x: Tensor) -> None:
    out = Exp.apply(x)
    out.zero_()
    with pytest.raises(errors.StaleSavedTensorError):
        out.sum().backward()


def test_so_is_an_attribute(x: Tensor, y: Tensor) -> None:
    first = x * 1.0
    _, second = Pair.apply(first, y)
    first.zero_()
    with pytest.raises(errors.StaleSavedTensorError, match=r"modified"):
        second.sum().backward()


def test_so_is_what_forward_overwrites_itself(x: Tensor) -> None:
    own = layer(
        lambda ctx, x: (ctx.save_for_backward(x), x.square_())[1], lambda ctx, g: g * ctx.saved_tensor()[0] * 2.0
    )
    with pytest.raises(errors.StaleSavedTensorError):
        own.apply(x * 1.0).sum().backward()


def test_copies_on_request_hold_here_too(x: Tensor, y: Tensor) -> None:
    first = x * 1.0
    with copy_saved_before_write() as kept:
        out = Product.apply(first, y)
        first.zero_()
    out.sum().backward()
    assert the_gradient(y) == x.tolist()
    assert kept.copies == 1


def test_a_second_derivative_through_a_value_of_unknown_origin_is_refused(x: Tensor) -> None:
    """`forward` runs outside the history: a constant in its place would be silently wrong (as it is in PyTorch)."""

    def forward(ctx: Any, x: Tensor) -> Tensor:
        inner = x.exp()
        ctx.save_for_backward(inner)
        return inner * 2.0

    own = layer(forward, lambda ctx, g: g * ctx.saved_tensor()[0] * 2.0)
    assert gradcheck(own.apply, x)
    (first,) = paddle.grad(own.apply(x).sum(), x, create_graph=True)
    assert first is not None
    with pytest.raises(errors.NoGradientError, match=r"a second derivative would go through `saved_tensor\(\)\[0\]`"):
        paddle.grad(first.sum(), x)


def test_masks_and_outside_tensors_may_be_kept(x: Tensor, y: Tensor) -> None:
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.mask, ctx.weight = x > 0, y
        return x * y

    own = layer(forward, lambda ctx, g: g * ctx.weight + (g * ctx.mask.cast("float64")).scale(0.0))
    assert gradgradcheck(own.apply, x)
    (first,) = paddle.grad(own.apply(x).sum(), x, create_graph=True)
    assert first is not None
    (second,) = paddle.grad(first.sum(), y)
    assert second is not None
    assert second.tolist() == [1.0, 1.0, 1.0]


def test_a_layer_that_saved_nothing_can_run_again(x: Tensor) -> None:
    class Doubled(PyLayer):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x * 2.0

        @staticmethod
        def backward(ctx: Any, g: Tensor) -> Tensor:
            return g * 2.0

    out = Doubled.apply(x)
    out.backward()
    out.backward()
    assert x.grad is not None
    assert (x.grad.numpy() == 4.0).all()


def test_freed_is_freed(x: Tensor, y: Tensor) -> None:
    out = Product.apply(x, y).sum()
    out.backward(retain_graph=True)
    out.backward()
    with pytest.raises(errors.FreedGraphError):
        out.backward()
    assert the_gradient(x) == (2 * y).tolist()


def test_attributes_may_be_anything_and_changed(x: Tensor) -> None:
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.factor = x
        assert ctx.factor.tolist() == x.tolist()
        ctx.factor = 3.0
        with pytest.raises(AttributeError, match="the context has no attribute"):
            ctx.other  # noqa: B018
        ctx.save_for_backward(x, 5.0, None)
        return x * 3.0

    def backward(ctx: Any, g: Tensor) -> Tensor:
        assert ctx.saved_tensor()[1:] == (5.0, None)
        return g * ctx.factor

    assert gradcheck(layer(forward, backward).apply, x)


# ---- results of forward -------------------------------------------------------------------------------------------------


def test_an_argument_that_is_returned_is_copied_and_keeps_its_own_history(x: Tensor) -> None:
    first = x * 1.0
    out = layer(lambda ctx, x: x, lambda ctx, g: g * 3.0).apply(first)
    assert out is not first
    assert out.storage is not first.storage
    (out.sum() + first.sum()).backward()
    assert the_gradient(x) == [4.0] * 3  # 3 through the operation, 1 past it


@pytest.mark.parametrize(
    "forward",
    [lambda ctx, x: x[1:], lambda ctx, x: x.detach()[1:], lambda ctx, x: (x * 1.0)[1:], lambda ctx, x: x.clone()[1:]],
)
def test_a_view_that_is_returned_is_a_result_of_its_own(forward: Callable[..., Any], x: Tensor) -> None:
    def backward(ctx: Any, g: Tensor) -> Tensor:
        whole = paddle.zeros([3], dtype="float64")
        whole[1:] = g
        return whole

    def program(x: Tensor) -> Tensor:
        first = x * 2.0
        out = layer(forward, backward).apply(first)
        first.sin_()
        out.multiply_(out)
        return out + first[1:]

    assert gradcheck(program, x)
    assert gradgradcheck(program, x)


def test_the_same_result_twice_is_two_results(x: Tensor) -> None:
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        double = x * 2.0
        return double, double

    first, second = layer(forward, lambda ctx, g, h: g * 2.0 + h * 10.0).apply(x)
    assert first.storage is not second.storage
    (first + second).sum().backward()
    assert the_gradient(x) == [12.0] * 3


def test_tuples_lists_and_what_is_no_tensor_come_back_as_they_are(x: Tensor) -> None:
    kinds: list[tuple[Callable[..., Any], Any]] = [
        (lambda ctx, x: (x * 1.0, 5, None), tuple),
        (lambda ctx, x: [x * 1.0], list),
    ]
    for forward, kind in kinds:
        out = layer(forward, lambda ctx, g: g * 3.0).apply(x)
        assert type(out) is kind
        assert out[1:] == ((5, None) if kind is tuple else [])
        out[0].sum().backward()
    assert the_gradient(x) == [6.0] * 3


def test_an_outside_tensor_that_is_returned_stays_outside(x: Tensor) -> None:
    outside = paddle.ones([3], dtype="float64")
    out = layer(lambda ctx, x: outside, lambda ctx, g: g * 0.0).apply(x)
    assert not out.stop_gradient
    assert outside.stop_gradient
    assert outside.grad_fn is None


def test_integers_and_marked_results_are_constants(x: Tensor) -> None:
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, ...]:
        constant = x * 5.0
        ctx.mark_non_differentiable(constant)
        return x * 2.0, x > 0, constant

    came: list[Any] = []

    def backward(ctx: Any, g: Tensor, h: Tensor, i: Tensor) -> Tensor:
        came.extend([str(h.dtype), h.tolist(), i.tolist()])
        return g * 2.0

    out, mask, constant = layer(forward, backward).apply(x)
    assert (out.stop_gradient, mask.stop_gradient, constant.stop_gradient) == (False, True, True)
    (out * constant).sum().backward()
    assert the_gradient(x) == [10.0, -20.0, 5.0]
    assert came == ["paddle.bool", [False] * 3, [0.0] * 3]


@pytest.mark.parametrize("materialize", [True, False])
def test_a_gradient_that_did_not_come_is_zeros_or_none(materialize: bool, x: Tensor) -> None:
    came: list[Any] = []

    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, ...]:
        ctx.set_materialize_grads(materialize)
        return x * 1.0, x.sum(), x * 2.0

    def backward(ctx: Any, *gradients: Any) -> Tensor:
        came.extend(None if g is None else g.tolist() for g in gradients)
        return gradients[0]

    first, _, third = layer(forward, backward).apply(x)
    (first + third * 0.0).sum().backward()  # a gradient of zeros arrived
    assert came == [[1.0] * 3, 0.0 if materialize else None, [0.0] * 3]


def test_without_a_gradient_to_compute_nothing_is_kept(x: Tensor, constant: Callable[[Any], Tensor]) -> None:
    with paddle.no_grad():
        assert Product.apply(x, x).stop_gradient
    assert Product.apply(constant([1.0]), constant([2.0])).grad_fn is None


# ---- writes in forward --------------------------------------------------------------------------------------------------


def test_an_argument_that_is_written_and_returned_is_an_operation_in_place(x: Tensor, y: Tensor) -> None:
    first = x * 1.0
    view = first[1:]
    own = layer(writes, lambda ctx, g: (g * ctx.saved_tensor()[0], g * ctx.old))
    out = own.apply(first, y)
    assert out is first
    assert first.inplace_version == 1
    view.sum().backward()  # a view sees that its base was written
    assert the_gradient(x) == [0.0, *y.tolist()[1:]]
    assert the_gradient(y) == [0.0, *x.tolist()[1:]]


def test_a_buffer_that_is_written_and_returned_gets_a_history(x: Tensor) -> None:
    buffer = paddle.zeros([2, 3], dtype="float64")
    out = layer(lambda ctx, b, x: b.copy_(x), lambda ctx, g: (g * 0.0, g)).apply(buffer[1], x)
    (buffer * 2.0 + out).sum().backward()
    assert (
        the_gradient(x) == [4.0] * 3
    )  # 2 through each row, of which the operation wrote one; and 2 through the sum of rows


def test_a_leaf_may_not_be_written(x: Tensor) -> None:
    own = layer(lambda ctx, x: x.scale_(2.0), lambda ctx, g: g * 2.0)
    for target in (x, x[1:]):
        with pytest.raises(errors.LeafWriteError, match=r"(?s)Leaf Var.*`y = x.clone\(\); Own.apply\(y\)`"):
            own.apply(target)


WRITING: dict[str, Callable[..., Any]] = {
    "not returned": lambda ctx, x, y: x.scale_(2.0) * y,
    "a view of it is returned": lambda ctx, x, y: x.scale_(2.0)[:1],
    "said to be no write": lambda ctx, x, y: (ctx.mark_not_inplace(x), x.scale_(2.0))[1],
    "reallocated": lambda ctx, x, y: x.cast_("float32"),
}


@pytest.mark.parametrize("name", WRITING)
def test_other_writes_of_what_has_a_history_are_refused(name: str, x: Tensor, y: Tensor) -> None:
    with pytest.raises(errors.WriteConflictError, match="`forward` overwrote the tensor at position 0"):
        layer(WRITING[name], lambda ctx, g: (g, g)).apply(x * 1.0, y)


def test_two_arguments_on_one_written_storage_are_refused(x: Tensor) -> None:
    first = x * 1.0
    with pytest.raises(errors.WriteConflictError, match="`forward` overwrote"):
        layer(lambda ctx, x, v: v.scale_(2.0), lambda ctx, g: (g, g)).apply(first, first[1:])


def test_a_constant_may_be_written_on_the_way(x: Tensor) -> None:
    mean = paddle.zeros([], dtype="float64")
    own = layer(lambda ctx, x, mean: (mean.add_(x.mean()), x * 2.0)[1], lambda ctx, g: (g * 2.0, None))
    own.apply(x, mean).sum().backward()
    assert mean.item() == x.mean().item()
    assert mean.stop_gradient
    assert the_gradient(x) == [2.0] * 3


# ---- results of backward ------------------------------------------------------------------------------------------------

WRONG: dict[str, tuple[Callable[..., Any], type[Exception], str]] = {
    "too many": (lambda ctx, g: (g, g, g), ValueError, "should be 2, but received 3"),
    "too few": (lambda ctx, g: g, ValueError, "should not return empty at 1 position"),
    "a number": (lambda ctx, g: (g, 5), ValueError, "only support Tensor or None for backward output, but got int"),
    "a list": (lambda ctx, g: (g, [g]), ValueError, "only support Tensor or None for backward output, but got list"),
    "a larger shape": (lambda ctx, g: (g, g[:1]), ValueError, r"has shape \[1\], but its tensor has shape \[3\]"),
    "as many elements": (lambda ctx, g: (g, g.reshape([3, 1])), ValueError, r"has shape \[3, 1\]"),
    "what it wrote": (lambda ctx, g: (g.scale_(2.0), g), RuntimeError, "`backward` wrote to the gradient"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_gradients_are_refused(name: str, x: Tensor, y: Tensor) -> None:
    backward, kind, words = WRONG[name]
    own = layer(lambda ctx, x, y: x * y, backward)
    with pytest.raises(kind, match=words) as refusal:
        own.apply(x, y).sum().backward()
    assert isinstance(refusal.value, errors.Refusal)
    assert x.grad is None


def test_none_is_zero_and_fewer_will_do_if_the_others_need_none(
    x: Tensor, y: Tensor, constant: Callable[[Any], Tensor]
) -> None:
    layer(lambda ctx, x, y: x * 2.0 + y.detach(), lambda ctx, g: (g * 2.0, None)).apply(x, y).sum().backward()
    layer(lambda ctx, x, c, k: x * k, lambda ctx, g: g * 2.0).apply(x, constant([1.0]), 2.0).sum().backward()
    assert the_gradient(x) == [4.0] * 3
    assert y.grad is None


def test_gradients_are_summed_and_cast_to_fit(x: Tensor) -> None:
    own = layer(lambda ctx, n: n.expand([2, 3]).clone(), lambda ctx, g: g.cast("float32"))
    number = paddle.to_tensor(np.array([[1.0]]), stop_gradient=False)
    own.apply(number).sum().backward()
    assert the_gradient(number) == [[6.0]]
    assert number.grad is not None
    assert number.grad.dtype == paddle.float64


def test_what_backward_keeps_for_itself_is_not_written_by_others(x: Tensor, y: Tensor) -> None:
    """The engine adds gradients up in place, but not in tensors of the program."""
    mine: list[Tensor] = []

    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        mine.append(g * 5.0)
        return mine[0], mine[0]

    own = layer(lambda ctx, x, y: x + y, backward)
    (own.apply(x, y) + x + y * 2.0).sum().backward()
    assert mine[0].tolist() == [5.0] * 3
    assert (the_gradient(x), the_gradient(y)) == ([6.0] * 3, [7.0] * 3)


def test_tensors_in_a_list_are_one_argument(x: Tensor, y: Tensor) -> None:
    own = layer(lambda ctx, ts, k: ts[0] * k + ts[1], lambda ctx, g: ([g * 2.0, g],))
    assert gradcheck(lambda x, y: own.apply([x, y], 2.0), [x, y])
    for wrong in (lambda ctx, g: g, lambda ctx, g: ([g],)):
        with pytest.raises(errors.ArgumentError):
            layer(lambda ctx, ts: ts[0] + ts[1], wrong).apply([x, y]).sum().backward()


def test_keyword_arguments_come_after_the_others(x: Tensor, y: Tensor) -> None:
    own = layer(lambda ctx, x, y=None: x + y * 2.0, lambda ctx, g: (g, g * 2.0))
    assert gradcheck(lambda x, y: own.apply(x, y=y), [x, y])


def test_something_must_be_defined_and_returned(x: Tensor) -> None:
    with pytest.raises(NotImplementedError, match="must define forward"):
        PyLayer.apply(x)
    with pytest.raises(NotImplementedError, match="must define backward"):
        layer(lambda ctx, x: x * 1.0, PyLayer.backward).apply(x).sum().backward()
    with pytest.raises(errors.ArgumentError, match=r"At least one output of `PyLayer\.forward` is a `Tensor`"):
        layer(lambda ctx, x: 5, PyLayer.backward).apply(x)


# ---- its place in the graph ---------------------------------------------------------------------------------------------


def test_names_of_nodes(x: Tensor, y: Tensor) -> None:
    assert Product.apply(x, y).grad_fn.name() == "GradNodePyLayer_Own"
    first, second = Pair.apply(x, y)
    assert [t.grad_fn.name() for t in (first, second)] == ["GradNodePyLayer_Own.0", "GradNodePyLayer_Own.1"]
    assert first.grad_fn.next_functions == second.grad_fn.next_functions
    assert [each.name() for each in first.grad_fn.next_functions[0].next_functions] == ["GradNodeAccumulation"] * 2


def test_backward_runs_once_for_several_results(x: Tensor) -> None:
    calls: list[Any] = []

    def backward(ctx: Any, g: Tensor, h: Tensor) -> Tensor:
        calls.append(1)
        return g + h * 2.0

    own = layer(lambda ctx, x: (x * 1.0, x * 2.0), backward)
    first, second = own.apply(x)
    ((first * second).sum() + second.sum()).backward()
    assert calls == [1]
    np.testing.assert_allclose(the_gradient(x), 4 * x.numpy() + 2)


def test_hooks_and_gradients_of_results(x: Tensor, y: Tensor) -> None:
    first, second = Pair.apply(x, y)
    second.retain_grads()
    second.register_hook(lambda g: g * 3.0)
    (found,) = paddle.grad((first * 2.0 + second).sum(), first, retain_graph=True)
    assert found is not None
    assert found.tolist() == [2.0] * 3
    (first + second).sum().backward()
    np.testing.assert_allclose(the_gradient(y), 3 * x.numpy())
    assert the_gradient(second) == [3.0] * 3


def test_it_is_reported_as_one_operation(x: Tensor, y: Tensor) -> None:
    class Listener(observe.Observer):
        def __init__(self) -> None:
            self.received: list[tuple[str, str, bool]] = []

        def operation(self, name: str, category: str, inputs: Sequence[Any], output: Any, node: Any, **_: Any) -> None:
            self.received.append((name, category, node is not None))

    listener, first = Listener(), x * 1.0
    with observe.listening(listener):
        Pair.apply(x, y)
        Scaled.apply(first, y)
    assert listener.received == [("Own", "ordinary", True)] * 2 + [("Own", "in-place", True)]


def test_everything_is_given_back_without_the_garbage_collector(x: Tensor, y: Tensor) -> None:
    def program() -> None:
        first, second = Pair.apply(x * 1.0, y)
        (first * second * Exp.apply(second)).sum().backward()
        Pair.apply(x, y)
        Scaled.apply(x * 1.0, y)
        x.clear_gradient(False)
        y.clear_gradient(False)

    program()
    gc.collect()
    gc.disable()
    before = CPU.ledger.live
    program()
    assert CPU.ledger.live == before
    assert gc.collect() == 0
    gc.enable()


# ---- side by side -------------------------------------------------------------------------------------------------------


class Ways:
    """The same operations for each framework: what differs is how saved tensors are read."""

    def __init__(self, base: Any, saved: Callable[[Any], Any]) -> None:
        self.product = layer(keeping("x", "y"), lambda ctx, g: (g * saved(ctx)[1], g * saved(ctx)[0]), base)
        self.squared = layer(
            lambda ctx, x: (ctx.save_for_backward(x), x * x * x)[1],
            lambda ctx, g: g * 3.0 * saved(ctx)[0] * saved(ctx)[0],
            base,
        )
        self.pair = layer(lambda ctx, x, y: (x * 2.0, x + y), lambda ctx, g, h: (g * 2.0 + h, h), base)


PROGRAMS: dict[str, Callable[[Ways, Any, Any], Any]] = {
    "product": lambda own, x, y: own.product.apply(x, y).sum(),
    "with itself": lambda own, x, y: own.product.apply(x, x).sum(),
    "cube": lambda own, x, y: (own.squared.apply(x) * y).sum(),
    "pair": lambda own, x, y: (own.pair.apply(x, y)[0] * own.pair.apply(x, y)[1]).sum(),
    "second of a pair": lambda own, x, y: (own.pair.apply(x, y)[1] * y).sum(),
    "nested": lambda own, x, y: own.squared.apply(own.product.apply(x, own.squared.apply(y))).sum(),
}
OURS = Ways(PyLayer, lambda ctx: ctx.saved_tensor())


def derivatives(
    module: Any, own: Ways, program: Callable[..., Any], inputs: list[Any], grad: Callable[..., Any]
) -> list[Any]:
    first = grad(program(own, *inputs), inputs, create_graph=True, allow_unused=True)
    total = sum((g * g).sum() for g in first if g is not None)
    second = grad(total, inputs, allow_unused=True)
    return [None if g is None else g.detach().numpy() for g in (*first, *second)]


def assert_same(ours: list[Any], theirs: list[Any]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(0.0 if one is None else one, 0.0 if other is None else other, rtol=1e-12)


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_both_derivatives_are_those_of_torch(name: str, x: Tensor, y: Tensor) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    inputs = [torch.tensor(t.numpy(), requires_grad=True) for t in (x, y)]
    theirs = derivatives(
        torch, Ways(torch.autograd.Function, lambda ctx: ctx.saved_tensors), PROGRAMS[name], inputs, torch.autograd.grad
    )
    assert_same(derivatives(paddle, OURS, PROGRAMS[name], [x, y], paddle.grad), theirs)


@pytest.mark.oracle
@pytest.mark.parametrize("name", PROGRAMS)
def test_both_derivatives_are_those_of_paddle(name: str, x: Tensor, y: Tensor) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    inputs = [module.to_tensor(t.numpy(), stop_gradient=False) for t in (x, y)]
    own = Ways(module.autograd.PyLayer, lambda ctx: ctx.saved_tensor())
    theirs = derivatives(module, own, PROGRAMS[name], inputs, module.grad)
    assert_same(derivatives(paddle, OURS, PROGRAMS[name], [x, y], paddle.grad), theirs)
