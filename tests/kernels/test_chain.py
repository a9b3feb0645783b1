"""The derivative of a fused chain is that of its steps, one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.autograd.nodes import OpNode
from inplacelab.kernels import on_cpu

pytestmark = pytest.mark.usefixtures("compiled")

Program = Callable[..., paddle.Tensor]
FUSED = (
    "scale_ add_ relu_", "square_ sin_ exp_", "clip_ scale_ clip_ square_", "scale_ logit_", "exp multiply sigmoid",
    "multiply multiply sqrt", "scale_ relu_", "scale_ square_", "scale square", "multiply scale", "multiply exp", "scale_ exp_",
    "square_ floor_ exp_",
)  # fmt: skip
BROADCAST = ("scale_ exp_ multiply_ addcmul_ tanh_", "square multiply add tanh", "multiply_ exp_ subtract_ square_")


@pytest.fixture(scope="module")
def compiled(compiler: str) -> None:
    """All chains of this file together: most of the time is the compiler's start."""
    sources = [kernels.fuse(*names.split()).source("float64") for names in FUSED]
    on_cpu.compile_together([
        *sources,
        *(kernels.fuse(*names.split()).source("float64", layout) for names in BROADCAST for layout in ("strided", "contiguous")),
    ])  # fmt: skip


def drawn(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).uniform(0.3, 1.5, shape)


def leaves_with(*arrays: Any) -> list[paddle.Tensor]:
    return [paddle.to_tensor(array, stop_gradient=False) for array in arrays]


CHAINS: dict[str, tuple[Program, Program, list[Any]]] = {
    "only the result is needed": (
        lambda x, y: kernels.fuse("scale_", "add_", "relu_")(x, y, scale=2.0, alpha=-1.5),
        lambda x, y: x.scale_(2.0).add_(y, alpha=-1.5).relu_(),
        [drawn(2, 3), drawn(2, 3, seed=1)],
    ),
    "an overwritten value is needed": (
        lambda x: kernels.fuse("square_", "sin_", "exp_")(x),
        lambda x: x.square_().sin_().exp_(),
        [drawn(5)],
    ),
    "an intermediate value is needed": (
        lambda x, y, z: kernels.fuse("scale_", "exp_", "multiply_", "addcmul_", "tanh_")(x, y, y, z, scale=0.5),
        lambda x, y, z: (
            x.scale(0.5).exp() * y + y * z
        ).tanh(),  # one by one in place, exp_ would find its result overwritten
        [drawn(2, 3), drawn(2, 3, seed=1), drawn(2, 3, seed=2)],
    ),
    "attributes of the same name": (
        lambda x: kernels.fuse("clip_", "scale_", "clip_", "square_")(x, min=0.5, scale=2.0, max_3=2.0),
        lambda x: x.clip_(min=0.5).scale_(2.0).clip_(max=2.0).square_(),
        [drawn(7)],
    ),
    "an attribute that is left out": (
        lambda x: kernels.fuse("scale_", "logit_")(x, scale=0.5),
        lambda x: x.scale_(0.5).logit_(),
        [drawn(4)],
    ),
    "out of place": (
        lambda x, y: kernels.fuse("exp", "multiply", "sigmoid")(x, y),
        lambda x, y: (x.exp() * y).sigmoid(),
        [drawn(3, 2), drawn(3, 2, seed=1)],
    ),
    "out of place, broadcast on the way": (
        lambda x, y, z: kernels.fuse("square", "multiply", "add", "tanh")(x, y, z),
        lambda x, y, z: (x.square() * y + z).tanh(),
        [drawn(3), drawn(2, 1, seed=1), drawn(2, 3, seed=2)],
    ),
    "the same tensor twice": (
        lambda x: kernels.fuse("multiply", "multiply", "sqrt")(x, x, x),
        lambda x: (x * x * x).sqrt(),
        [drawn(4)],
    ),
    "in place, broadcast": (
        lambda x, y: kernels.fuse("multiply_", "exp_", "subtract_", "square_")(x, y, y),
        lambda x, y: (x.multiply(y).exp() - y).square(),
        [drawn(2, 3), drawn(3, seed=1)],
    ),
}


def derivatives(program: Program, arrays: list[Any]) -> list[Any]:
    """The value, the gradients, and the gradients of a sum of their squares."""
    leaves = leaves_with(*arrays)
    out = program(*(leaf.scale(1.0) for leaf in leaves))
    first = [g for g in paddle.grad(out.square().sum(), leaves, create_graph=True) if g is not None]
    total = sum((g.square().sum() for g in first[1:]), first[0].square().sum())
    second = [g for g in paddle.grad(total, leaves) if g is not None]
    assert len(first) == len(second) == len(leaves)
    return [each.numpy() for each in (out, *first, *second)]


@pytest.mark.parametrize("name", CHAINS)
def test_values_and_derivatives_of_both_orders_are_those_of_the_steps(name: str) -> None:
    fused, one_by_one, arrays = CHAINS[name]
    for mine, theirs in zip(derivatives(fused, arrays), derivatives(one_by_one, arrays), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)


def kept(y: paddle.Tensor) -> list[tuple[str, bool]]:
    assert isinstance(y.node, OpNode)
    return [(each.name, each.is_copy) for each in y.node.saved]


def test_a_chain_keeps_what_its_rules_ask_for_and_nothing_in_between() -> None:
    (w,) = leaves_with(drawn(3))
    y = kernels.fuse("scale_", "relu_")(w.scale(1.0))
    assert kept(y) == [("out", False)]  # relu needs its result, scale nothing: no copy is made
    y = kernels.fuse("scale_", "square_")(w.scale(1.0))
    assert kept(y) == [("x", True)]  # square needs the result of scale: a copy of x is saved, and scale runs again
    assert kept(kernels.fuse("scale", "square")(w)) == [("x", False)]


def test_an_unneeded_gradient_saves_no_tensor() -> None:
    (w,) = leaves_with(drawn(3))
    x = paddle.ones([3], dtype="float64")
    y = kernels.fuse("multiply", "scale")(w, x)
    assert kept(y) == [("y", False)]


def test_an_overwritten_value_that_a_chain_saved_is_noticed() -> None:
    (w,) = leaves_with(drawn(3))
    x = paddle.ones([3], dtype="float64")
    y = kernels.fuse("multiply", "exp")(w, x)
    x.add_(x)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    y = kernels.fuse("scale_", "exp_")(w.scale(1.0))
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_a_leaf_is_refused_and_left_as_it_was() -> None:
    (w,) = leaves_with(drawn(3))
    before = w.tolist()
    with kernels.launches() as seen, pytest.raises(ValueError, match="Leaf Var"):
        kernels.fuse("scale_", "relu_")(w, scale=2.0)
    assert (w.tolist(), w.inplace_version, seen) == (before, 0, [])
    with paddle.no_grad():
        assert kernels.fuse("scale_", "relu_")(w, scale=2.0).tolist() == [2 * each for each in before]


def test_a_zero_derivative_on_the_way_ends_the_path() -> None:
    (w,) = leaves_with(drawn(3))
    x = w.scale(1.0)
    kernels.fuse("square_", "floor_", "exp_")(x)
    x.sum().backward()
    assert w.grad is not None
    assert w.grad.tolist() == [0, 0, 0]


def test_through_a_view_the_rest_of_the_base_keeps_its_gradient() -> None:
    gradients = []
    for run in (
        lambda v: kernels.fuse("scale_", "square_")(v, scale=3.0),
        lambda v: v.scale_(3.0).square_(),
    ):
        (w,) = leaves_with(drawn(2, 3))
        x = w.scale(1.0)
        run(x[:, 1])
        x.sum().backward()
        assert w.grad is not None
        gradients.append(w.grad.tolist())
    assert gradients[0] == gradients[1]
    assert gradients[0][0][0] == 1
