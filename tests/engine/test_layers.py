"""`nn.Layer`: the account of parameters, buffers and layers, and the state that is loaded in place. As in PaddlePaddle 3.3.1."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors, nn


class Net(nn.Layer):
    """Parameters, buffers of both kinds, and layers, in an order of its own."""

    mean: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.register_buffer("mean", paddle.zeros([2]))
        self.register_buffer("seen", paddle.zeros([1]), persistable=False)
        self.first = self.create_parameter([2], default_initializer=nn.initializer.Constant(2.0))
        self.second = self.create_parameter([2])
        self.plain = paddle.ones([1])

    def forward(self, x: Any) -> Any:
        """A running mean is written in place."""
        with paddle.no_grad():
            self.mean.scale_(0.5).add_(x.mean(axis=0), alpha=0.5)
        return self.inner(x) * self.first


def test_own_parts_come_first_and_buffers_are_listed() -> None:
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["first", "second", "inner.weight", "inner.bias"]
    assert [name for name, _ in net.named_buffers()] == ["mean", "seen", "plain"]
    assert list(net.state_dict()) == ["first", "second", "mean", "inner.weight", "inner.bias"]
    assert list(net.state_dict(include_sublayers=False, structured_name_prefix="a.")) == [
        "a.first",
        "a.second",
        "a.mean",
    ]
    assert len({parameter.name for parameter in net.parameters()}) == 4
    assert net.state_dict()["mean"] is net.mean


def test_a_buffer_is_written_in_place() -> None:
    net = Net()
    buffer = net.mean
    net(paddle.full([4, 2], 8.0)).sum().backward()
    assert (net.mean is buffer, buffer.tolist(), buffer.inplace_version) == (True, [4.0, 4.0], 2)
    assert net.first.grad is not None
    net.clear_gradients(set_to_zero=False)
    assert net.first.grad is None


def test_a_state_is_loaded_in_place() -> None:
    net, other = Net(), Net()
    weight = net.inner.weight
    assert net.set_state_dict(other.state_dict()) == ([], [])
    assert net.inner.weight is weight
    assert weight.tolist() == other.inner.weight.tolist()
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        missing, unknown = net.set_state_dict({"first": np.ones(3, "float32"), "second": np.ones(2, "float32"), "x": 1})
    assert "first receives a shape [3], but the expected shape is [2]." in str(told[0].message)
    assert (missing, unknown) == (["first", "mean", "inner.weight", "inner.bias"], ["first", "x"])
    assert len(told) == 4
    assert (net.first.tolist(), net.second.tolist()) == ([2.0, 2.0], [1.0, 1.0])


def test_a_copy_is_a_layer_of_its_own() -> None:
    net = Net()
    other = copy.deepcopy(net)
    assert other.first is not net.first
    assert list(other.state_dict()) == list(net.state_dict())
    assert all(not parameter.stop_gradient for parameter in other.parameters())


def test_a_layer_in_two_places_is_counted_once() -> None:
    net = Net()
    net.again = net.inner
    assert (len(net.parameters()), len(list(net.children())), len(net.sublayers(include_self=True))) == (4, 1, 2)
    assert "again.weight" in net.state_dict()


def test_hooks_change_what_goes_in_and_what_comes_out() -> None:
    layer = nn.ReLU()
    before = layer.register_forward_pre_hook(lambda _, inputs: inputs[0] - 1.0)
    after = layer.register_forward_post_hook(lambda _layer, _inputs, output: output * 10.0)
    x = paddle.to_tensor([0.5, 3.0])
    assert layer(x).tolist() == [0.0, 20.0]
    assert [before.remove(), after.remove(), after.remove()] == [True, True, False]
    assert layer(x).tolist() == [0.5, 3.0]


def test_layers_in_a_chain_are_reached_by_number_and_name() -> None:
    net = nn.Sequential(("a", nn.Linear(2, 3)), ("b", nn.ReLU()))
    assert (len(net), net[0] is net["a"], [type(layer).__name__ for layer in net]) == (2, True, ["Linear", "ReLU"])
    assert repr(net) == "Sequential(\n  (a): Linear(in_features=2, out_features=3, dtype=float32)\n  (b): ReLU()\n)"
    assert len(net[:1]) == 1
    assert net.eval() is net
    assert not net["b"].training
    assert net.train().training


class Unbegun(nn.Layer):
    """Forgets to set itself up."""

    def __init__(self) -> None:
        self.inner = nn.Linear(1, 1)


REFUSED: list[tuple[Callable[[Net], object], type[Exception], str]] = [
    (
        lambda net: setattr(net, "first", net.first * 2.0),
        TypeError,
        "assignment to parameter 'first' should be of type Para",
    ),
    (
        lambda net: setattr(net, "inner", paddle.ones([1])),
        TypeError,
        "assignment to sublayer 'inner' should be of type Layer",
    ),
    (
        lambda net: setattr(net, "mean", 3.0),
        TypeError,
        "assignment to buffers 'mean' should be of type core.DenseTensor",
    ),
    (lambda net: net.register_buffer("a.b", paddle.ones([1])), KeyError, r"can not contain `\.`"),
    (lambda net: net.register_buffer("", paddle.ones([1])), KeyError, "can not be empty"),
    (lambda net: net.register_buffer("first", paddle.ones([1])), KeyError, "'first' already exists"),
    (lambda net: net.register_buffer("new", net.first), TypeError, "registered buffer should be a Tensor"),
    (lambda net: net.add_parameter("new", net.mean), TypeError, "should be a Parameter, but received Tensor"),  # type: ignore[arg-type]
    (lambda net: net.add_parameter("mean", net.first), KeyError, "'mean' already exists"),
    (lambda _: Unbegun(), ValueError, r"super\(\).__init__\(\) should be called first"),
    (lambda _: nn.Linear(1, 1, weight_attr=3), TypeError, "`weight_attr` should be None or bool"),
]


@pytest.mark.parametrize("which", range(len(REFUSED)))
def test_what_would_silently_leave_the_layer_is_refused(which: int) -> None:
    call, kind, message = REFUSED[which]
    net = Net()
    before = [(name, id(tensor)) for name, tensor in net.state_dict().items()]
    with pytest.raises(kind, match=message) as caught:
        call(net)
    assert isinstance(caught.value, errors.Refusal)
    assert [(name, id(tensor)) for name, tensor in net.state_dict().items()] == before
