"""Optimizers: Paddle's numbers, and versions that Paddle does not raise."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from inplacelab.backends import CPU
from inplacelab.optimizer import SGD, Adam, AdamW, Momentum, Optimizer

STEPS = 5
W = [[1.0, -2.0, 0.5], [0.3, 4.0, -1.0]]
B = [0.1, -0.2, 0.3]

METHODS: dict[str, Callable[[Any, Any], Any]] = {
    "SGD": lambda o, p: o.SGD(0.1, p),
    "SGD, decay": lambda o, p: o.SGD(learning_rate=0.1, parameters=p, weight_decay=0.05),
    "Momentum": lambda o, p: o.Momentum(0.1, 0.8, p),
    "Momentum, Nesterov, decay": lambda o, p: o.Momentum(0.1, 0.8, p, use_nesterov=True, weight_decay=0.1),
    "Adam": lambda o, p: o.Adam(0.1, parameters=p),
    "Adam, decay": lambda o, p: o.Adam(0.1, 0.8, 0.99, 1e-3, p, 0.1),
    "AdamW": lambda o, p: o.AdamW(0.1, parameters=p),
    "AdamW, some": lambda o, p: o.AdamW(
        0.1, parameters=p, weight_decay=0.5, apply_decay_param_fun=lambda n: n == p[0].name
    ),
}

# What PaddlePaddle 3.3.1 has after five steps: the elements of the first parameter, then of the second.
RECORDED = {
    "SGD": [1.6730336, 1.1705362, -0.40943247, 1.1593009, 5.5739598, -1.5102885, -2.5691624, -8.6885214, 1.2037123],
    "SGD, decay": [
        1.6400815,
        1.1655805,
        -0.40662381,
        1.1398673,
        5.4531317,
        -1.4785116,
        -2.5170023,
        -8.473073,
        1.1846048,
    ],
    "Momentum": [2.502358, 4.8574786, -1.2915305, 2.2220111, 7.2604499, -1.8922733, -5.844285, -22.681143, 1.9044461],
    "Momentum, Nesterov, decay": [
        6.1028352,
        20.342386,
        -2.4628448,
        5.9322934,
        21.804173,
        -2.8282919,
        -19.348606,
        -194.77608,
        2.7716961,
    ],
    "Adam": [0.68356574, -1.502, 0.016330699, 0.20261797, 3.5714102, -1.1119331, -0.3949064, -0.68422109, 0.76251185],
    "Adam, decay": [
        0.69138169,
        -1.4912922,
        -0.0015269724,
        0.2263041,
        3.5701563,
        -1.0963227,
        -0.40679836,
        -0.70058835,
        0.78291798,
    ],
    "AdamW": [
        0.67995137,
        -1.4929794,
        0.014754357,
        0.2020891,
        3.5526814,
        -1.1071566,
        -0.39448071,
        -0.68232548,
        0.76009178,
    ],
    "AdamW, some": [
        0.52088946,
        -1.0964073,
        -0.050314467,
        0.17284974,
        2.7412956,
        -0.90246427,
        -0.39793137,
        -0.687626,
        0.76672101,
    ],
}


def parameters(module: Any, dtype: str = "float32") -> list[Any]:
    return [module.to_tensor(np.array(values, dtype), stop_gradient=False) for values in (W, B)]


def trained(module: Any, method: str, dtype: str = "float32") -> list[Any]:
    """The parameters after some steps, with another loss in each."""
    w, b = made = parameters(module, dtype)
    optimizer = METHODS[method](module.optimizer, made)
    for k in range(STEPS):
        loss = (w * w).sum() * 0.3 + (b * b * b).sum() + (w * b).sum() * (k + 1.0)
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
    return made


def flat(tensors: list[Any]) -> Any:
    return np.concatenate([each.numpy().reshape(-1) for each in tensors])


@pytest.mark.parametrize("method", METHODS)
def test_values_are_those_recorded_from_paddle(method: str) -> None:
    np.testing.assert_allclose(flat(trained(paddle, method)), RECORDED[method], rtol=1e-5, atol=1e-6)


@pytest.mark.oracle
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_those_of_paddle(method: str, dtype: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    np.testing.assert_allclose(
        flat(trained(paddle, method, dtype)), flat(trained(theirs, method, dtype)), rtol=1e-5, atol=1e-6
    )


# ---- versions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_a_step_raises_the_version_of_what_it_writes(method: str) -> None:
    w, b = made = parameters(paddle)
    frozen = paddle.ones([2])
    optimizer = METHODS[method](paddle.optimizer, [*made, frozen])
    (w * w).sum().backward()
    optimizer.step()
    assert w.inplace_version > 0
    assert (b.inplace_version, frozen.inplace_version) == (0, 0)  # one without a gradient, one that needs none
    assert w.is_leaf
    assert not w.stop_gradient


def test_gradient_descent_writes_once() -> None:
    w, _ = made = parameters(paddle)
    (w * w).sum().backward()
    SGD(0.1, made).step()
    assert w.inplace_version == 1


@pytest.mark.parametrize("method", METHODS)
def test_backward_through_a_graph_from_before_the_step_is_refused(method: str) -> None:
    w, _ = made = parameters(paddle)
    older = (w * w * w).sum()
    (w * 1.0).sum().backward()
    METHODS[method](paddle.optimizer, made).step()
    with pytest.raises(errors.StaleSavedTensorError, match="has been modified by an inplace operation"):
        older.backward()


def test_a_graph_that_kept_nothing_of_the_parameter_may_be_gone_through() -> None:
    w, _ = made = parameters(paddle)
    older = (w * 3.0).sum()
    (w * w).sum().backward()
    optimizer = SGD(0.1, made)
    optimizer.step()
    optimizer.clear_grad()
    older.backward()
    assert w.grad is not None
    assert w.grad.tolist() == [[3.0] * 3] * 2


# ---- memory -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "remembered"), [("SGD", 0), ("SGD, decay", 0), ("Momentum", 1), ("Adam", 2), ("AdamW", 2)]
)
def test_a_step_leaves_nothing_but_what_is_remembered(method: str, remembered: int) -> None:
    w = paddle.ones([1000])
    w.stop_gradient = False
    optimizer = METHODS[method](paddle.optimizer, [w])
    (w * w).sum().backward()
    gc.collect()
    before, small = CPU.ledger.live, 8 * (remembered == 2)  # Adam's two powers
    for _ in range(2):
        optimizer.step()
        assert CPU.ledger.live - before == remembered * w.nbytes + small


def test_gradient_descent_allocates_no_storage_at_all() -> None:
    w = paddle.ones([1000])
    w.stop_gradient = False
    (w * w).sum().backward()
    optimizer = SGD(0.1, [w])
    CPU.ledger.reset_peak()
    before, place = CPU.ledger.live, w.data_ptr()
    optimizer.step()
    assert CPU.ledger.peak == before
    assert w.data_ptr() == place


# ---- other methods of optimizers ----------------------------------------------------------------------------------------


def test_gradients_are_cleared_or_set_to_none() -> None:
    w, _ = made = parameters(paddle)
    optimizer = SGD(0.1, made)
    (w * w).sum().backward()
    optimizer.clear_grad()
    assert w.grad is not None
    assert w.grad.abs().sum().item() == 0.0
    optimizer.clear_grad(set_to_zero=False)
    assert w.grad is None
    (w * w).sum().backward()
    optimizer.zero_grad()
    assert w.grad is None
    (w * w).sum().backward()
    optimizer.zero_grad(set_to_none=False)
    assert w.grad is not None


def test_the_learning_rate_may_be_changed() -> None:
    w = paddle.to_tensor([1.0], stop_gradient=False)
    optimizer = SGD(0.5, [w])
    optimizer.set_lr(0.25)
    (w * 2.0).sum().backward()
    optimizer.step()
    assert (optimizer.get_lr(), w.item()) == (0.25, 0.5)
    optimizer.set_lr(1)
    assert type(optimizer.get_lr()) is float


def test_minimize_makes_a_step_with_the_gradients_that_are_there() -> None:
    w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    optimizer = SGD(0.1, [w])
    loss = (w * w).sum()
    assert optimizer.minimize(loss) == ([], [])
    loss.backward()
    operators, pairs = optimizer.minimize(loss)
    assert operators == []
    assert [(p is w, g.tolist()) for p, g in pairs] == [(True, [2.0, 4.0])]
    np.testing.assert_allclose(w.numpy(), [0.8, 1.6], rtol=1e-6)


@pytest.mark.parametrize("method", ["Momentum", "Adam", "AdamW"])
def test_training_goes_on_from_a_saved_state(method: str) -> None:
    def step(optimizer: Optimizer, w: Tensor) -> None:
        (w * w * w).sum().backward()
        optimizer.step()
        optimizer.clear_grad(set_to_zero=False)

    first, second = (paddle.to_tensor([1.0, -2.0], stop_gradient=False) for _ in range(2))
    first.name = second.name = "w"
    ours, others = (METHODS[method](paddle.optimizer, [each]) for each in (first, second))
    step(ours, first)
    second.set_value(first)
    others.set_state_dict(ours.state_dict())
    step(ours, first)
    step(others, second)
    np.testing.assert_array_equal(first.numpy(), second.numpy())


def test_the_state_has_names_as_in_paddle() -> None:
    w = paddle.to_tensor([1.0], stop_gradient=False)
    w.name = "w"
    optimizer = Adam(0.1, parameters=[w])
    assert optimizer.state_dict() == {}
    (w * w).sum().backward()
    optimizer.step()
    assert list(optimizer.state_dict()) == [
        f"w_{each}_0" for each in ("moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc")
    ]


@pytest.mark.parametrize("method", METHODS)
def test_a_state_from_before_the_first_step_can_be_restored(method: str) -> None:
    """As in Paddle, it has nothing but the scheduler's state; what has made a step needs more."""

    def made() -> tuple[Tensor, Optimizer]:
        w = paddle.to_tensor([1.0, -2.0], stop_gradient=False)
        return w, METHODS[method](paddle.optimizer, [w])

    (w, optimizer), (other, untouched) = made(), made()
    optimizer.set_state_dict(optimizer.state_dict())
    for parameter, each in ((w, optimizer), (other, untouched)):
        (parameter * parameter).sum().backward()
        each.step()
    np.testing.assert_array_equal(w.numpy(), other.numpy())
    if optimizer.state_dict():
        with pytest.raises(ValueError, match=r"optimizer Tensor .*_0 not found"):
            optimizer.set_state_dict({})


def test_a_state_from_before_the_first_step_restores_the_rate() -> None:
    def made() -> tuple[paddle.optimizer.lr.LRScheduler, Optimizer]:
        rate = paddle.optimizer.lr.StepDecay(0.1, 1)
        return rate, Adam(rate, parameters=[paddle.ones([1])])

    (_, first), (rate, second) = made(), made()
    rate.step()
    second.set_state_dict(first.state_dict())
    assert second.get_lr() == 0.1


def test_a_state_that_lacks_something_is_refused_before_anything_is_changed() -> None:
    w = paddle.to_tensor([1.0], stop_gradient=False)
    w.name = "w"
    optimizer = Adam(0.1, parameters=[w])
    with pytest.raises(ValueError, match="optimizer Tensor w_moment2_0 not found"):
        optimizer.set_state_dict({"w_moment1_0": paddle.ones([1])})
    assert optimizer.state_dict() == {}


def test_a_layer_is_trained() -> None:
    paddle.seed(1)
    net = paddle.nn.Linear(2, 1)
    x = paddle.rand([16, 2])
    y = x @ paddle.to_tensor([[2.0], [-3.0]]) + 0.5
    optimizer = Adam(0.1, parameters=net.parameters())
    for _ in range(300):
        (net(x) - y).square().mean().backward()
        optimizer.step()
        optimizer.clear_grad()
    np.testing.assert_allclose(net.weight.numpy().reshape(-1), [2.0, -3.0], atol=1e-2)


REFUSED: dict[str, tuple[Callable[[Tensor], object], type[Exception], str]] = {
    "no parameters": (
        lambda w: SGD(0.1),
        AttributeError,
        "parameters argument given to the Optimizer should not be None",
    ),
    "an empty list": (lambda w: SGD(0.1, []), AttributeError, "should not be None"),
    "a tensor": (lambda w: SGD(0.1, w), TypeError, "should be an iterable of paddle Tensors"),  # type: ignore[arg-type]
    "numbers": (lambda w: SGD(0.1, [1.0]), TypeError, "should be an iterable of paddle Tensors"),  # type: ignore[arg-type]
    "an integer rate": (lambda w: SGD(1, [w]), TypeError, "learning rate should be float or LRScheduler"),
    "a word for a rate": (lambda w: SGD(0.1, [w]).set_lr("a"), TypeError, "must be float"),  # type: ignore[arg-type]
    "decay": (lambda w: SGD(0.1, [w], weight_decay="x"), TypeError, "weight_decay"),  # type: ignore[arg-type]
    "no decay": (lambda w: AdamW(0.1, parameters=[w], weight_decay=None), TypeError, "weight_decay"),  # type: ignore[arg-type]
    "momentum": (lambda w: Momentum(0.1, None, [w]), TypeError, "momentum"),  # type: ignore[arg-type]
    "beta": (lambda w: Adam(0.1, beta1=1.5, parameters=[w]), ValueError, r"expect beta1 in \[0,1\)"),
    "epsilon": (lambda w: Adam(0.1, epsilon=-1.0, parameters=[w]), ValueError, "expect epsilon >= 0"),
    "beta as a tensor": (
        lambda w: Adam(0.1, beta1=paddle.to_tensor([0.9]), parameters=[w]),
        TypeError,
        r"'beta1' (.|\n)*`float\(beta1\)`",
    ),
    "no epsilon": (lambda w: AdamW(0.1, epsilon=None, parameters=[w]), TypeError, "'epsilon' in the optimizer"),  # type: ignore[arg-type]
    "no loss": (lambda w: SGD(0.1, [w]).minimize(3), ValueError, "must be Tensor"),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_makes_no_sense_is_refused_with_paddles_exception(name: str) -> None:
    call, kind, words = REFUSED[name]
    with pytest.raises(kind, match=words) as refusal:
        call(paddle.to_tensor([1.0], stop_gradient=False))
    assert isinstance(refusal.value, errors.Refusal)
