"""The same expressions in PaddlePaddle 3.3.1 and here: values, dtypes, shapes, flags, versions and errors.

`x` is [[1, -2, 3], [4, 5, -6]] in single precision, `y` a row, `i` integers, `b` booleans, `d` double precision, `c` complex.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab.ops.table import FUNCTIONS
from tests.subtests import for_each

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::RuntimeWarning")]


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def names(module: Any) -> dict[str, Any]:
    x = np.array([[1, -2, 3], [4, 5, -6]], "float32")
    made = {
        "x": x, "y": x[1] / 4, "i": x.astype("int64"), "j": np.array([3, 2, 1]), "b": x > 0, "d": x.astype("float64"),
        "c": x[0] * (1 + 1j), "m": np.arange(12, dtype="float32").reshape(3, 4), "s": np.array([[2.5]], "float32"),
    }  # fmt: skip
    return {name: module.to_tensor(array) for name, array in made.items()} | {"paddle": module, "np": np}


def described(value: Any) -> Any:
    """The parts of a result that are compared."""
    if hasattr(value, "stop_gradient"):
        return str(value.dtype), list(value.shape), stepped(value), value.numpy()
    return value


def stepped(tensor: Any) -> list[int]:
    """The strides of the axes that are stepped along; the others mean nothing."""
    return [stride for n, stride in zip(tensor.shape, tensor.strides, strict=True) if n > 1] if tensor.size else []


def same(ours: Any, theirs: Any) -> bool:
    if not isinstance(theirs, tuple) or len(theirs) != 4:
        return bool(ours == theirs)
    return ours[:3] == theirs[:3] and np.allclose(ours[3], theirs[3], rtol=1e-5, atol=1e-6, equal_nan=True)


VALUES = """
x + y | x - y | x * y | x / y | x / 0 | x + 2 | 2 - x | 2.5 * x | x / 4 | 3 / x | x ** 2 | -x | abs(x) | x @ m | x.T
i + 1 | i * 2.5 | i / 2 | 2 / i | i / i | i ** 2 | i - i | i + j | b + 1 | b * 2.0 | b + b | b * b | x + d | x * c[:1]
d + c | i + c | c * c | c / c | c + 1 | x + 1j | x == 3 | x != y | x < y | x >= 1 | i > j | b == b
x.add(y) | x.add(y, alpha=2) | paddle.subtract(x, y, alpha=-1.5) | x.multiply(y) | x.divide(y) | i.divide(j) | x.scale(2.0)
x.scale(2.0, 1.0) | x.scale(2.0, 1.0, False) | i.scale(2.5) | i.scale(2, 0.5) | x.square() | x.pow(3)
x.abs() | i.abs() | x.sign() | i.sign() | x.exp() | i.exp() | x.abs().log() | x.log() | x.sqrt() | i.sin() | x.cos() | x.tanh()
x.sigmoid() | paddle.nn.functional.relu(x) | c.conj() | x.cast('int32') | x.astype('float64') | b.cast('float32')
x.clone() | x.neg() | paddle.matmul(x, x, transpose_y=True) | paddle.matmul(x, y) | paddle.mm(x, m) | x @ x.t()
x.sum() | x.sum(0) | x.sum(axis=[0, 1]) | x.sum(-1, keepdim=True) | i.sum() | b.sum() | x.sum(dtype='float64') | x.mean() | x.mean(1)
x.sum([]) | s.sum() | s.mean([0, 1]) | i.mean()
x.reshape([3, 2]) | x.reshape([-1]) | x.reshape([0, -1]) | x.t().reshape([6]) | x.flatten() | m.flatten(0, 0) | x.transpose([1, 0])
x.t() | y.t() | s.squeeze() | s.squeeze(0) | x.squeeze(0) | x.unsqueeze(0) | x.unsqueeze(-1) | x.unsqueeze([0, 2]) | x.unsqueeze(1).strides
x[0] | x[-1, 1:] | x[:, ::2] | x[..., 0] | x[None] | x[0, None, 1] | x[[1, 0]] | x[[0, 1], [2, 0]] | x[x > 0] | x[0][1] | m[1:, ::-1]
x[paddle.to_tensor([1, 1])] | x[paddle.to_tensor(1)] | x[:, [2]] | x[0:0]
x.expand([2, 2, 3]) | s.expand([3, -1]) | s.broadcast_to([2, 2]) | paddle.zeros([2]) | paddle.ones([2, 1], 'int32') | paddle.full([2], 7)
paddle.full([1], 2.5) | paddle.arange(5) | paddle.arange(1, 2, 0.25) | paddle.arange(5, 0, -2) | paddle.linspace(0, 1, 5) | paddle.eye(2, 3)
paddle.zeros_like(i) | paddle.ones_like(x) | paddle.full_like(d, 3) | paddle.to_tensor([1, 2]) | paddle.to_tensor(1.5) | paddle.to_tensor([True])
paddle.to_tensor([1.5], dtype='float64') | paddle.to_tensor(np.zeros(2)) | paddle.to_tensor([[1j]]) | paddle.assign(x)
x.add_(y) | x.add_(y, alpha=2) | x.subtract_(y) | x.multiply_(y) | x.divide_(y) | x.scale_(2.0, 1.0) | i.divide_(i) | i.exp_() | x.add_(d)
x.exp_() | x.sin_() | x.tanh_() | x.square_() | x.pow_(2) | x.abs_() | x.neg_() | paddle.nn.functional.relu_(x) | paddle.nn.functional.tanh_(x)
x.zero_() | x.fill_(2) | i.fill_(-1.9) | x.cast_('int32') | x.reshape_([3, 2]) | x.flatten_() | x.transpose_([1, 0]) | x.t_() | s.squeeze_() | x.unsqueeze_(0)
x.detach() | x.numpy().tolist() | x.item(1) | x.shape | x.ndim | x.size | len(x) | x.dtype == paddle.float32 | x.is_contiguous()
x.t().is_contiguous() | x.t().strides | x[:, 1].offset | x.element_size() | x.stop_gradient | x.is_leaf | repr(x) | repr(x.shape) | str(x.dtype)
x.add_(y).inplace_version | x.reshape_([3, 2]).inplace_version | x.reshape_([2, 3]).inplace_version | x.reshape([2, 3]) is x | x.astype('float32') is x
x.t_().t_().inplace_version | x.detach().scale_(2.0).inplace_version | x[0].zero_().inplace_version | y.t_().inplace_version
"""


def listed(text: str) -> list[str]:
    return [each.strip() for line in text.strip().splitlines() for each in line.split(" | ")]


@for_each("expression", listed(VALUES))
def test_the_same_result(paddle: Any, expression: str) -> None:
    ours, theirs = (described(eval(expression, names(module))) for module in (inplacelab, paddle))
    assert same(ours, theirs), (ours, theirs)


GRADIENTS = """
(x * y) | x / y | x.sin() | x.exp() | (x * x).scale_(3.0) | x.sigmoid().sum(0) | (x * 2).sin_() | (x * 2).add_(y) | (x * 2).multiply_(y)
(x * 2).subtract_(y, alpha=2) | x @ m | (x * 2).t_() @ x | x[0] * x[1] | x[[0, 0]] | x.reshape([3, 2]) @ x | x.mean() | x.expand([2, 2, 3]) * 3
(x * 2).tanh_() | (x * 2).transpose_([1, 0]).flatten_() | paddle.nn.functional.relu_(x * 2) | x.pow(3) | x.abs() | x.t().reshape([6]) * 2
x.astype('float64') * d | x * d | x - y | x.clone().zero_() + y | (x * 2).detach() * x | x.square().sqrt()
"""


@for_each("expression", listed(GRADIENTS))
def test_the_same_gradients(paddle: Any, expression: str) -> None:
    """Programs in which no view is written: there Paddle's gradients are right."""
    found = []
    for module in (inplacelab, paddle):
        scope = names(module)
        leaves = [scope["x"], scope["y"], scope["m"]]
        for each in leaves:
            each.stop_gradient = False
        result = eval(expression, scope)
        result.backward()
        assert result.grad_fn is not None
        found.append([None if t.grad is None else (str(t.grad.dtype), t.grad.numpy()) for t in leaves])
    for ours, theirs in zip(*found, strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours[0] == theirs[0]
            np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-5, atol=1e-6)


NODES = """
x + y | x - y | x * y | x / y | x.scale(2.0) | x * 2 | x + 1 | x.sin() | x.exp() | x.tanh() | x.square() | x.abs() | x.pow(2) | x.sum() | x.mean()
x @ m | x.reshape([6]) | x.flatten() | x.transpose([1, 0]) | x.t() | x.unsqueeze(0) | s.squeeze(0) | x[0] | x[[0]] | x.clone() | x.cast('float64')
x.expand([2, 2, 3]) | paddle.nn.functional.relu(x) | x.sigmoid() | x.sqrt() | x.log()
"""


@for_each("expression", listed(NODES))
def test_the_same_names_of_nodes(paddle: Any, expression: str) -> None:
    found = []
    for module in (inplacelab, paddle):
        scope = names(module)
        scope["x"].stop_gradient = scope["s"].stop_gradient = False
        found.append(eval(expression, scope).grad_fn.name())
    assert found[0] == found[1]


ERRORS = """
x.add_(paddle.ones([2, 2, 3])) | y.add_(x) | x + paddle.ones([4]) | x.reshape([5]) | x.reshape([-1, -1]) | x @ x | i + x | i.add_(x) | b + i
i + paddle.ones([3], 'int32') | x.stop_gradient_false.zero_() | x.stop_gradient_false.scale_(2.0) | x.stop_gradient_false.t_() | x.stop_gradient_false.reshape_([6])
x.stop_gradient_false.__setitem__(0, 1.0) | bool(x) | float(x) | x.item() | x[5] | x[0, 0, 0] | paddle.set_device('tpu')
x.unsqueeze(0).t()
"""


@for_each("expression", listed(ERRORS))
def test_the_same_refusals(paddle: Any, expression: str) -> None:
    """The same kind of exception and, but for shapes and names in it, the same beginning."""
    found = []
    for module in (inplacelab, paddle):
        scope = names(module)
        leaf = "stop_gradient_false" in expression
        scope["x"].stop_gradient = not leaf
        if leaf:
            scope["x"].name = "w"
        with pytest.raises(Exception) as caught:  # noqa: PT011  # the exceptions are compared below
            eval(expression.replace(".stop_gradient_false", ""), scope)
        found.append((type(caught.value).__name__, str(caught.value).strip().splitlines()[0][:40]))
    assert found[0] == found[1]


def test_every_name_is_a_name_of_paddles_or_of_pytorchs(paddle: Any) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    theirs = {*dir(paddle), *dir(paddle.Tensor), *dir(paddle.nn.functional), *dir(torch), *dir(torch.Tensor)}
    assert {name for name in FUNCTIONS if name not in theirs} == set()


def test_no_name_of_ours_means_something_else_there(paddle: Any) -> None:
    """`import inplacelab as paddle` must not give another meaning to a name of Paddle's."""
    ours_alone = {
        "record", "last_recording", "load_ipython_extension", "set_language", "get_language", "recorders", "recording", "language",
    }  # fmt: skip
    assert {name for name in ours_alone if hasattr(paddle, name)} == set()
