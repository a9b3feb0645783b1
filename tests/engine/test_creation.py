"""Creation of tensors, layers and devices; and errors for invalid arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors, nn
from inplacelab.language import speak


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1.5, "float32"), (1, "int64"), (True, "bool"), (1j, "complex64"), ([], "float32"), ([[1, 2], [3, 4]], "int64"),
        ((1, 2.5), "float32"), (np.arange(3.0), "float64"), (np.float64(2), "float64"), (np.array([1], "int8"), "int8"),
        ([np.float32(1)], "float32"),
    ],
)  # fmt: skip
def test_data_and_their_dtypes(data: Any, dtype: str) -> None:
    x = paddle.to_tensor(data)
    assert str(x.dtype) == f"paddle.{dtype}"
    np.testing.assert_array_equal(x.numpy(), np.asarray(data))


def test_data_are_copied() -> None:
    array = np.zeros(2)
    x = paddle.to_tensor(array)
    y = paddle.to_tensor(x, dtype="float32", stop_gradient=False)
    array[0] = 5
    x[1] = 6
    assert (x.tolist(), y.tolist(), y.stop_gradient) == ([0.0, 6.0], [0.0, 0.0], False)
    assert paddle.to_tensor([x, x]).shape == [2, 2]


@pytest.mark.parametrize(
    ("make", "values", "dtype"),
    [
        (lambda: paddle.zeros([2]), [0.0, 0.0], "float32"),
        (lambda: paddle.ones(2, "int32"), [1, 1], "int32"),
        (lambda: paddle.full([2], 3), [3.0, 3.0], "float32"),
        (lambda: paddle.full([2], 2.5), [2.5, 2.5], "float32"),
        (lambda: paddle.full([1], True), [True], "bool"),
        (lambda: paddle.full_like(paddle.ones([2], "int64"), 7), [7, 7], "int64"),
        (lambda: paddle.zeros_like(paddle.ones([1], "float64")), [0.0], "float64"),
        (lambda: paddle.ones_like(paddle.zeros([1]), dtype="bool"), [True], "bool"),
        (lambda: paddle.arange(3), [0, 1, 2], "int64"),
        (lambda: paddle.arange(1, 2, 0.5), [1.0, 1.5], "float32"),
        (lambda: paddle.arange(3, 0, -1, dtype="float64"), [3.0, 2.0, 1.0], "float64"),
        (lambda: paddle.linspace(0, 1, 3), [0.0, 0.5, 1.0], "float32"),
        (lambda: paddle.eye(2, 3), [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], "float32"),
        (lambda: paddle.assign([1.0]), [1.0], "float32"),
    ],
)
def test_factories(make: Callable[[], Tensor], values: Any, dtype: str) -> None:
    x = make()
    assert (x.tolist(), str(x.dtype), x.stop_gradient) == (values, f"paddle.{dtype}", True)


@pytest.mark.parametrize("name", ["rand", "randn", "uniform"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_random_numbers_come_from_one_seeded_stream(name: str, dtype: str) -> None:
    draws = []
    for seed in (5, 5, 6):
        paddle.seed(seed)
        draws.append(getattr(paddle, name)([1000], dtype=dtype).numpy())
    assert np.array_equal(draws[0], draws[1])
    assert not np.array_equal(draws[0], draws[2])
    low, high = {"rand": (0, 1), "uniform": (0, 1), "randn": (-6, 6)}[name]
    assert low <= draws[0].min() < draws[0].max() <= high
    assert abs(draws[0].mean() - (low + high) / 2) < 0.15


def test_the_same_seed_gives_the_same_numbers_on_every_machine() -> None:
    paddle.seed(0)
    assert (
        paddle.randint(0, 1000, [4]).tolist() == np.random.Generator(np.random.PCG64(0)).integers(0, 1000, 4).tolist()
    )
    assert paddle.normal(10.0, 0.0, [2]).tolist() == [10.0, 10.0]


def test_a_tensor_cannot_be_made_by_its_class() -> None:
    with pytest.raises(TypeError, match=r"(?s)Tensor\(\) takes no data.*to_tensor"):
        Tensor([1.0])


def test_properties() -> None:
    x = paddle.zeros([2, 3], "float64")[:, 1:]
    assert (x.shape, x.strides, x.offset, x.ndim, x.size, x.nbytes) == ([2, 2], [3, 1], 8, 2, 4, 32)
    assert (x.element_size(), x.is_contiguous(), x.T.shape, x.shape.numel()) == (8, False, [2, 2], 4)
    assert repr(x.shape) == "paddle.Size([2, 2])"
    assert x.data_ptr() - x.base.data_ptr() == 8 if x.base is not None else False
    assert paddle.is_tensor(x)
    assert not paddle.is_tensor(1.0)


# ---- creation options -----------------------------------------------------------------------------------------------------------


def test_a_new_tensor_is_made_with_the_options_given() -> None:
    x = paddle.zeros([2, 3], requires_grad=True)
    assert (x.stop_gradient, x.is_leaf) == (False, True)
    assert not paddle.ones_like(x, requires_grad=True, device="cpu").stop_gradient
    assert paddle.arange(3, requires_grad=False).stop_gradient
    out = paddle.zeros([3], dtype="int64")
    assert paddle.arange(3, out=out) is out
    assert (out.tolist(), out.inplace_version) == ([0, 1, 2], 1)
    assert not x.new_full([2], 1.0, requires_grad=True, pin_memory=False).stop_gradient
    with pytest.raises(ValueError, match="does not fit into"):
        paddle.zeros([2], out=out)
    with pytest.raises(TypeError, match="unexpected keyword argument 'pin_memory'"):
        paddle.rand_like(x, pin_memory=True)


def test_a_new_tensor_is_made_on_the_device_given() -> None:
    x = paddle.zeros([2])
    paddle.set_device("gpu", simulate=True)
    try:
        assert [str(make(device="cpu").place) for make in (partial(paddle.rand, [2]), partial(paddle.eye, 2))] == [
            "Place(cpu)",
            "Place(cpu)",
        ]
        assert str(paddle.zeros_like(x, device="gpu").place) == "Place(gpu:0 simulated)"
        assert str(paddle.zeros([2], pin_memory=True).place) == "Place(gpu_pinned simulated)"
    finally:
        paddle.set_device("cpu")


# ---- arguments in PyTorch's order -----------------------------------------------------------------------------------


def test_neighbors_may_be_given_in_pytorchs_order() -> None:
    x, index = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]]), paddle.to_tensor([1])
    assert x.sum(0, True).tolist() == [[4.0, 6.0]]
    assert paddle.sum(x, 0, "float64", True).dtype == paddle.float64
    assert x.index_select(0, index).tolist() == x.index_select(index, 0).tolist() == [[3.0, 4.0]]
    assert x.index_add_(0, index, x[:1]) is x
    assert x.index_add(1, index, x[:, :1]).tolist() == [[1.0, 3.0], [4.0, 10.0]]
    with pytest.raises(TypeError, match="missing 1 required argument: 'axis'"):
        x.index_add(0)


# ---- layers -----------------------------------------------------------------------------------------------------------


def test_layers_find_their_parameters() -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1, bias_attr=False))
    assert [name for name, _ in net.named_parameters()] == ["0.weight", "0.bias", "2.weight"]
    assert all(not p.stop_gradient and p.is_leaf for p in net.parameters())
    assert list(net.state_dict()) == ["0.weight", "0.bias", "2.weight"]
    net.eval()
    assert not net.sublayers()[0].training


def test_a_layer_trains() -> None:
    paddle.seed(0)
    net = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1))
    x, losses = paddle.rand([32, 2]), []
    target = x[:, :1] * x[:, 1:]
    for _ in range(60):
        loss = (net(x) - target).square().mean()
        losses.append(float(loss))
        loss.backward()
        with paddle.no_grad():
            for parameter in net.parameters():
                assert parameter.grad is not None
                parameter.subtract_(parameter.grad, alpha=0.3)
        net.clear_gradients()
    assert losses[-1] < 0.2 * losses[0]


def test_a_layer_without_forward() -> None:
    with pytest.raises(NotImplementedError, match=r"Layer does not define forward"):
        nn.Layer()(1)


# ---- invalid arguments -----------------------------------------------------------------------------------------------


def x() -> Tensor:
    return paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])


def anything(value: object) -> Any:
    """A value whose type mypy does not check: the mistakes are intended."""
    return value


BAD: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: paddle.to_tensor([[1.0], [1.0, 2.0]]), ValueError, "Failed to convert the input data"),
    (lambda: paddle.to_tensor("a"), ValueError, "Failed to convert the input data"),
    (lambda: paddle.to_tensor({"a": 1}), ValueError, "Failed to convert the input data"),
    (lambda: paddle.zeros([2], "float33"), TypeError, "'float33' is not a data type"),
    (lambda: paddle.zeros([2], object), TypeError, "is not a data type .*choose one of bool, uint8"),
    (lambda: paddle.zeros([-1]), ValueError, r"zeros.*got \[-1\]"),
    (lambda: paddle.zeros([1.5]), ValueError, r"got \[1\.5\]"),
    (lambda: paddle.zeros(2.0), ValueError, r"got 2\.0"),
    (lambda: paddle.arange(0, 1, 0), ValueError, "not zero"),
    (
        lambda: paddle.rand([2], dtype="int32"),
        RuntimeError,
        "kernel `rand` is not registered.*`rand` is not defined for int32",
    ),
    (lambda: paddle.full([2], None), ValueError, "a number is needed, but got NoneType"),
    (lambda: paddle.set_device("tpu"), ValueError, "like 'cpu', 'gpu', 'gpu:x', but got 'tpu'"),
    (lambda: paddle.set_device("gpu"), ValueError, "simulate=True"),
    (lambda: x().reshape([3]), ValueError, r"X's shape = \[2, 2\], X's size = 4, 'shape' is \[3\]"),
    (lambda: x().reshape([-1, -1]), ValueError, "Only one dimension value of 'shape' in ReshapeOp can be -1"),
    (lambda: x().reshape([-2, -2]), ValueError, "X's shape"),
    (lambda: x().reshape("ab"), ValueError, "X's size = 4, 'shape' is"),
    (lambda: x().reshape_([5]), ValueError, "X's size = 4"),
    (lambda: x().transpose([0, 0]), ValueError, "must be a permutation of the 2 axes"),
    (lambda: x().transpose([0]), ValueError, "must be a permutation of the 2 axes"),
    (lambda: x().transpose(0), ValueError, "must be a permutation"),
    (lambda: x().squeeze(2), ValueError, r"in range of \[-2, 2\), but got 2"),
    (lambda: x().unsqueeze(4), ValueError, r"in range of \[-3, 3\), but got 4"),
    (lambda: x().flatten(1, 0), ValueError, "axis"),
    (lambda: x().unsqueeze(0).t(), ValueError, r"only support N-D \(N<=2\) tensor"),
    (lambda: x().sum(2), ValueError, "but got 2"),
    (lambda: x().sum([0, 0]), ValueError, "unique"),
    (lambda: x().expand([3, 3]), ValueError, "could not be broadcast"),
    (lambda: x() + paddle.ones([3]), ValueError, r"X = \[2, 2\] and the shape of Y = \[3\]"),
    (lambda: x() @ paddle.ones([3]), ValueError, r"shape of X = \[2, 2\] and the shape of Y = \[3\]"),
    (lambda: x().add_(anything(1.0)), ValueError, r"add_\(\): argument 'y' .*must be Tensor, but got float"),
    (lambda: x().add_(anything(np.ones((2, 2)))), ValueError, "must be Tensor, but got ndarray"),
    (lambda: x().cast_("nothing"), TypeError, "'nothing' is not a data type"),
    (lambda: x().set_value(np.ones(3)), AssertionError, r"shape \[2, 2\] but load set tensor with shape \[3\]"),
    (
        lambda: x().set_value(np.ones((2, 2))),
        AssertionError,
        "with dtype paddle.float32 but load tensor with dtype paddle.float64",
    ),
    (lambda: x().set_value(paddle.ones([2, 2], "int32")), AssertionError, "but load tensor with dtype paddle.int32"),
    (lambda: x().scale_(None), ValueError, r"a number is needed, but got NoneType"),
    (lambda: x().scale_(2.0, bias="abc"), ValueError, r"a number is needed, but got str: 'abc'"),
    (lambda: x().fill_(None), ValueError, r"a number is needed, but got NoneType"),
    (lambda: x().fill_([1, 2]), ValueError, r"a number is needed, but got list: \[1, 2\]"),
    (lambda: paddle.ones([2], "int32").fill_(float("nan")), ValueError, "no number of int32 represents nan"),
    (lambda: paddle.ones([2], "bool").scale_(float("inf")), ValueError, "no number of bool represents inf"),
    (lambda: paddle.full([2], float("inf"), "int64"), ValueError, "should not be infinite"),
    (
        lambda: paddle.ones([2], "bool").add_(paddle.ones([2], "bool"), alpha=2),
        TypeError,
        "cannot represent this number",
    ),
    (lambda: paddle.ones([2], "bool").divide_(paddle.zeros([2], "bool"), rounding_mode="floor"), RuntimeError, "bool"),
    (lambda: x().pow_("2"), TypeError, "y must be scalar type, but received: <class .str.>"),
    (lambda: x().add_(x(), alpha="2"), ValueError, r"a number is needed, but got str: '2'"),
    (lambda: x().scale(2.0, act="relu"), ValueError, "act"),
    (lambda: paddle.grad(x(), x(), only_inputs=False), ValueError, "only_inputs"),
]


@pytest.mark.parametrize(("use", "error", "match"), BAD, ids=[str(k) for k in range(len(BAD))])
def test_arguments_that_make_no_sense(use: Callable[[], object], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=f"(?s){match}") as caught:
        use()
    assert isinstance(caught.value, errors.Refusal)
    assert "\n  Instead: " in str(caught.value)


@pytest.mark.parametrize(("use", "error", "match"), BAD, ids=[str(k) for k in range(len(BAD))])
def test_the_same_in_chinese(use: Callable[[], object], error: type[Exception], match: str) -> None:
    with speak("zh"), pytest.raises(error) as caught:
        use()
    assert "\n  改法" in str(caught.value)


@pytest.mark.parametrize(
    "write",
    [
        lambda t: t.scale_(2.0, bias="abc"),
        lambda t: t.scale_(2.0, bias=None),
        lambda t: t.scale_([1.0, 2.0]),
        lambda t: t.fill_("3"),
        lambda t: t.pow_(None),
        lambda t: t.add_(t, alpha=None),
        lambda t: t.subtract_(t, alpha=object()),
        lambda t: t.cast_(3),
        lambda t: t.reshape_([3]),
        lambda t: t.transpose_([0, 5]),
        lambda t: t.squeeze_(9),
        lambda t: t.unsqueeze_(9),
        lambda t: t.flatten_(5),
        lambda t: t.add_(t, beta=1),
        lambda t: t.copy_(paddle.ones([3])),
        lambda t: t.set_value([[1.0]]),
    ],
)
def test_what_is_refused_has_written_nothing(write: Callable[[Tensor], object]) -> None:
    t = x()
    with pytest.raises((TypeError, ValueError, AssertionError)):
        write(t)
    assert (t.tolist(), t.shape, t.inplace_version) == ([[1.0, 2.0], [3.0, 4.0]], [2, 2], 0)
