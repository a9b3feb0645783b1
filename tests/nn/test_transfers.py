"""Layers moved to another dtype or device: the same tensors, so an optimizer can go on; and nothing else changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, nn
from inplacelab.nn import Layer


def net() -> nn.Sequential:
    made = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1D(2))
    made.register_buffer("steps", paddle.zeros([1], "int64"))
    return made


@pytest.fixture
def simulated() -> Iterator[None]:
    paddle.set_device("gpu", simulate=True)
    yield
    paddle.set_device("cpu")


CASTS: dict[str, tuple[Callable[[Layer], Layer], str, str]] = {
    "to": (lambda layer: layer.to(dtype="float64"), "float64", "float64"),
    "astype": (lambda layer: layer.astype("float64"), "float64", "float64"),
    "double": (lambda layer: layer.double(), "float64", "int64"),
    "float": (lambda layer: layer.double().float(), "float32", "int64"),
    "half": (lambda layer: layer.half(), "float16", "int64"),
}


@pytest.mark.parametrize("way", CASTS)
def test_a_layer_is_cast_and_stays_made_of_the_same_tensors(way: str) -> None:
    cast, floating, counted = CASTS[way]
    layer = net()
    before = [*layer.parameters(), *layer.buffers()]
    numbers = [each.numpy() for each in before]
    assert cast(layer) is layer
    after = [*layer.parameters(), *layer.buffers()]
    assert all(one is other for one, other in zip(before, after, strict=True))
    assert {each.dtype.name for each in layer.parameters()} == {floating}
    assert layer.steps.dtype.name == counted  # type: ignore[attr-defined]
    assert all(each.is_leaf and not each.stop_gradient for each in layer.parameters())
    for each, values in zip(after, numbers, strict=True):
        np.testing.assert_allclose(each.numpy(), values, rtol=1e-3)
    made = layer.create_parameter([2])
    assert made.dtype.name == floating


def test_an_optimizer_goes_on_and_gradients_go_with_their_parameters() -> None:
    layer = nn.Linear(2, 1)
    sgd = paddle.optimizer.SGD(0.5, layer.parameters())
    layer(paddle.ones([1, 2])).sum().backward()
    layer.to(dtype="float64")
    before = layer.weight.numpy()
    assert layer.weight.grad.dtype.name == "float64"
    sgd.step()
    np.testing.assert_array_equal(layer.weight.numpy(), before - 0.5)
    sgd.clear_grad(set_to_zero=False)
    layer(paddle.ones([1, 2], "float64")).sum().backward()
    assert layer.weight.grad.dtype.name == "float64"


def test_backward_through_a_graph_from_before_is_right() -> None:
    layer = nn.Linear(2, 1, bias_attr=False)
    layer.weight.set_value(np.array([[1.0], [2.0]], "float32"))
    loss = (layer.weight * layer.weight).sum()
    layer.double()
    loss.backward()
    assert layer.weight.grad.tolist() == [[2.0], [4.0]]


@pytest.mark.usefixtures("simulated")
def test_a_layer_moves_to_a_device_and_back() -> None:
    layer = net().to("cpu")
    values = layer[0].weight.numpy()
    weight = layer[0].weight
    assert weight.place.is_cpu_place()
    layer.to("gpu")
    assert all(each.place.is_gpu_place() for each in (*layer.parameters(), *layer.buffers()))
    assert layer[0].weight is weight
    assert weight.is_leaf
    assert not weight.stop_gradient
    assert layer[1]._mean.stop_gradient
    layer(paddle.ones([3, 2])).sum().backward()
    assert weight.grad.place.is_gpu_place()
    layer.to("cpu", "float64")
    assert (weight.grad.place.is_cpu_place(), weight.dtype.name) == (True, "float64")
    np.testing.assert_array_equal(weight.numpy(), values)


@pytest.mark.usefixtures("simulated")
@pytest.mark.parametrize("move", [lambda layer: layer.to("gpu"), lambda layer: layer.to(dtype="float64")])
def test_a_view_of_a_parameter_stays_on_the_old_storage(move: Callable[[Layer], Layer]) -> None:
    """Also after a write there: its history leads to the parameter as it was, not to the window that it has now."""
    layer = nn.Linear(2, 2).to("cpu")
    row = layer.weight[0]
    move(layer)
    with paddle.no_grad():
        row.scale_(2.0)
    assert row.place.is_cpu_place()
    (row * row).sum().backward()
    assert layer.weight.grad.tolist()[1] == [0.0, 0.0]


def test_an_unknown_dtype_changes_nothing() -> None:
    layer = net()
    with pytest.raises(errors.DTypeError):
        layer.to(dtype="nothing")
    assert {each.dtype.name for each in layer.parameters()} == {"float32"}


def test_a_layer_that_is_inside_itself_is_printed() -> None:
    layer = nn.Sequential(nn.Linear(1, 1))
    layer.again = layer
    assert repr(layer).splitlines()[2:] == ["  (again): ...", ")"]
