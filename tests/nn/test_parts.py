"""Assignments never remove parameters, layers and buffers of a layer silently, as in PaddlePaddle 3.3.1."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors, nn


class Net(nn.Layer):
    """Parameters, buffers of each kind, and a layer, in an unusual order."""

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


def test_own_parts_come_first_and_a_plain_tensor_is_a_buffer_outside_the_state() -> None:
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["first", "second", "inner.weight", "inner.bias"]
    assert [name for name, _ in net.named_buffers()] == ["mean", "seen", "plain"]
    assert list(net.state_dict()) == ["first", "second", "mean", "inner.weight", "inner.bias"]
    assert len({parameter.name for parameter in net.parameters()}) == 4
    del net.plain
    assert [name for name, _ in net.named_buffers()] == ["mean", "seen"]


def test_a_buffer_is_written_in_place_and_may_be_exchanged() -> None:
    net = Net()
    buffer = net.mean
    net(paddle.full([4, 2], 8.0)).sum().backward()
    assert (net.mean is buffer, buffer.tolist(), buffer.inplace_version) == (True, [4.0, 4.0], 2)
    net.mean = paddle.ones([2])
    assert net.state_dict()["mean"] is net.mean
    setattr(net, "mean", None)  # noqa: B010  # what its type does not foresee
    assert "mean" not in net.state_dict()


def test_a_copy_is_a_layer_of_its_own() -> None:
    net = Net()
    other = copy.deepcopy(net)
    assert other.first is not net.first
    assert list(other.state_dict()) == list(net.state_dict())
    assert all(not parameter.stop_gradient for parameter in other.parameters())
    assert other.create_parameter([1]).name.endswith(".w_2")


class Unbegun(nn.Layer):
    """Forgets to set itself up."""

    def __init__(self) -> None:
        self.inner = nn.Linear(1, 1)


REFUSED: list[tuple[Callable[[Net], object], type[Exception], str]] = [
    (
        lambda net: setattr(net, "first", net.first * 2.0),
        TypeError,
        "assignment to parameter 'first' should be of type Par",
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
    (lambda net: net.register_buffer("new", net.first), TypeError, "registered buffer should be a Paddle.Tensor"),
    (lambda _: Unbegun(), ValueError, r"super\(\).__init__\(\) should be called first"),
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
