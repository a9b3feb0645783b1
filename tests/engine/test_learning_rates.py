"""Learning-rate schedulers, groups of parameters, and clipping: Paddle's numbers, and refusals that change nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, nn
from inplacelab.optimizer import SGD, Adam, AdamW, lr
from tests.subtests import for_each

EPOCHS = 12

SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "StepDecay": lambda m: m.StepDecay(0.5, 3, 0.4),
    "MultiStepDecay": lambda m: m.MultiStepDecay(0.5, [2, 5], 0.4),
    "PiecewiseDecay": lambda m: m.PiecewiseDecay([3, 6], [0.1, 0.2, 0.3, 0.7]),
    "ExponentialDecay": lambda m: m.ExponentialDecay(0.5, 0.8),
    "NaturalExpDecay": lambda m: m.NaturalExpDecay(0.5, 0.2),
    "InverseTimeDecay": lambda m: m.InverseTimeDecay(0.5, 0.3),
    "PolynomialDecay": lambda m: m.PolynomialDecay(0.5, 5, 0.05, 2.0),
    "PolynomialDecay, again": lambda m: m.PolynomialDecay(0.5, 5, cycle=True),
    "CosineAnnealingDecay": lambda m: m.CosineAnnealingDecay(0.5, 4, 0.1),
    "LambdaDecay": lambda m: m.LambdaDecay(0.5, lambda t: 1 / (t + 1)),
    "MultiplicativeDecay": lambda m: m.MultiplicativeDecay(0.5, lambda t: 1 - 0.1 * t),
    "NoamDecay": lambda m: m.NoamDecay(4, 5),
    "LinearWarmup": lambda m: m.LinearWarmup(0.5, 4, 0.0, 0.3),
    "LinearWarmup, and then": lambda m: m.LinearWarmup(m.ExponentialDecay(0.5, 0.7), 4, 0.1, 0.5),
}
SCHEDULED = pytest.mark.parametrize("name", SCHEDULES)


@pytest.fixture(scope="module")
def theirs() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def rates(module: Any, name: str) -> list[float]:
    scheduler = SCHEDULES[name](module)
    found = []
    for _ in range(EPOCHS):
        found.append(scheduler())
        scheduler.step()
    scheduler.step(2)
    return [*found, scheduler(), scheduler.last_epoch]


@pytest.mark.oracle
@for_each("name", SCHEDULES)
def test_the_rates_are_those_of_paddle(theirs: Any, name: str) -> None:
    np.testing.assert_allclose(rates(lr, name), rates(theirs.optimizer.lr, name), rtol=1e-12, atol=1e-15)


@SCHEDULED
def test_a_schedule_goes_on_from_its_state(name: str) -> None:
    first, second = SCHEDULES[name](lr), SCHEDULES[name](lr)
    for _ in range(6):
        first.step()
    second.set_state_dict(first.state_dict())
    first.step()
    second.step()
    assert second() == first()
    with pytest.raises(errors.ScheduleError, match="Can't find"):
        second.set_state_dict({"last_epoch": 3})


def plateau(module: Any, **options: Any) -> list[Any]:
    scheduler = module.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=1, **options)
    found = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 2.0, 1.0, 4.0, 5.0, 6.0):
        scheduler.step(module.to_tensor(loss))
        found.append((scheduler(), scheduler.last_epoch, scheduler.num_bad_epochs, scheduler.cooldown_counter))
    return found


@pytest.mark.oracle
@pytest.mark.parametrize(
    "options", [{}, {"cooldown": 1}, {"mode": "max"}, {"threshold_mode": "abs", "threshold": 0.7}, {"min_lr": 0.4}]
)
def test_a_rate_falls_where_nothing_improves(theirs: Any, options: dict[str, Any]) -> None:
    assert plateau(paddle, **options) == plateau(theirs, **options)


def leaf(*values: float) -> paddle.Tensor:
    return paddle.to_tensor(list(values), stop_gradient=False)


def test_an_optimizer_asks_its_scheduler_before_each_step() -> None:
    w, rate = leaf(1.0), lr.StepDecay(0.5, 1, 0.5)
    sgd = SGD(rate, [w])
    for expected in (0.5, 0.25):
        (w * 1.0).backward()
        sgd.step()
        sgd.clear_grad()
        assert w.item() == expected
        rate.step()
    with pytest.raises(RuntimeError, match="can't be LRScheduler when invoke this API"):
        sgd.set_lr(0.1)
    sgd.set_lr_scheduler(lr.StepDecay(0.125, 1))
    assert sgd.get_lr() == 0.125


def test_the_state_of_an_optimizer_has_that_of_its_scheduler() -> None:
    w, v = leaf(1.0), leaf(1.0)
    w.name = v.name = "w"
    first, second = (Adam(lr.ExponentialDecay(0.5, 0.5), parameters=[each]) for each in (w, v))
    (w * w).backward()
    first.step()
    first._learning_rate.step()  # type: ignore[union-attr]  # it is a scheduler
    state = first.state_dict()
    assert state["LR_Scheduler"] == {"last_epoch": 1, "last_lr": 0.25}
    second.set_state_dict(state)
    assert second.get_lr() == 0.25


NO_SCHEDULES: dict[str, tuple[Callable[[], object], type[Exception]]] = {
    "a word": (lambda: lr.StepDecay("a", 1), TypeError),  # type: ignore[arg-type]
    "negative": (lambda: lr.StepDecay(-1.0, 1), ValueError),
    "no steps": (lambda: lr.StepDecay(0.1, 0), ValueError),
    "growing": (lambda: lr.StepDecay(0.1, 1, 1.5), ValueError),
    "milestones": (lambda: lr.MultiStepDecay(0.1, [5, 2]), ValueError),
    "values": (lambda: lr.PiecewiseDecay([1, 2], [0.1, 0.2]), ValueError),
    "gamma": (lambda: lr.ExponentialDecay(0.1, 2.0), ValueError),
    "function": (lambda: lr.LambdaDecay(0.1, 3), ValueError),  # type: ignore[arg-type]
    "warm": (lambda: lr.LinearWarmup(0.1, 3, 0.5, 0.1), ValueError),
    "mode": (lambda: lr.ReduceOnPlateau(0.1, "least"), ValueError),  # type: ignore[arg-type]
}


@for_each("name", NO_SCHEDULES)
def test_a_schedule_that_makes_no_sense_is_refused(name: str) -> None:
    make, kind = NO_SCHEDULES[name]
    with pytest.raises(kind) as caught:
        make()
    assert isinstance(caught.value, errors.Refusal)


# ---- groups, clipping, decay: trained in both -----------------------------------------------------------------------------


def trained(module: Any, make: Callable[[Any, Any, Any], Any]) -> list[Any]:
    first, second = module.nn.Linear(3, 2), module.nn.Linear(2, 1)
    for layer, step in ((first, 0.3), (second, -0.2)):
        for parameter in layer.parameters():
            values = (np.arange(parameter.size, dtype="float32") - 1) * step
            parameter.set_value(values.reshape(list(parameter.shape)))
    optimizer = make(module, first.parameters(), second.parameters())
    x = module.to_tensor(np.array([[1.0, -2.0, 0.5], [0.3, 4.0, -1.0]], "float32"))
    for _ in range(4):
        (second(module.nn.functional.sigmoid(first(x))) ** 2).sum().backward()
        optimizer.step()
        optimizer.clear_grad()
    return [parameter.numpy() for layer in (first, second) for parameter in layer.parameters()]


OPTIMIZERS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "groups": lambda m, a, b: m.optimizer.Adam(0.1, parameters=[{"params": a}, {"params": b, "learning_rate": 0.1}]),
    "decay of a group": lambda m, a, b: m.optimizer.Momentum(
        0.1, parameters=[{"params": a, "weight_decay": 0.3}, {"params": b}], weight_decay=0.01
    ),
    "AdamW, groups": lambda m, a, b: m.optimizer.AdamW(
        0.1, parameters=[{"params": a, "weight_decay": 0.3, "learning_rate": 0.5}, {"params": b}]
    ),
    "by value": lambda m, a, b: m.optimizer.SGD(0.1, a + b, grad_clip=m.nn.ClipGradByValue(0.05)),
    "by value, between": lambda m, a, b: m.optimizer.SGD(0.1, a + b, grad_clip=m.nn.ClipGradByValue(0.1, -0.02)),
    "by norm": lambda m, a, b: m.optimizer.SGD(0.1, a + b, grad_clip=m.nn.ClipGradByNorm(0.1)),
    "by global norm": lambda m, a, b: m.optimizer.Adam(
        0.1, parameters=a + b, grad_clip=m.nn.ClipGradByGlobalNorm(0.1), weight_decay=0.1
    ),
    "a clip for a group": lambda m, a, b: m.optimizer.SGD(
        0.1, [{"params": a, "grad_clip": m.nn.ClipGradByGlobalNorm(0.1)}, {"params": b}]
    ),
    "L2": lambda m, a, b: m.optimizer.Momentum(0.1, parameters=a + b, weight_decay=m.regularizer.L2Decay(0.2)),
    "L1": lambda m, a, b: m.optimizer.SGD(0.1, a + b, weight_decay=m.regularizer.L1Decay(0.2)),
    "a scheduler": lambda m, a, b: m.optimizer.Adam(m.optimizer.lr.StepDecay(0.2, 2), parameters=a + b),
}


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")  # Paddle warns while it trains
@for_each("name", OPTIMIZERS)
def test_the_parameters_are_trained_as_in_paddle(theirs: Any, name: str) -> None:
    for ours, other in zip(trained(paddle, OPTIMIZERS[name]), trained(theirs, OPTIMIZERS[name]), strict=True):
        np.testing.assert_allclose(ours, other, rtol=2e-5, atol=2e-6)


@pytest.mark.oracle
def test_they_are_printed_as_in_paddle(theirs: Any) -> None:
    def printed(module: Any) -> list[str]:
        kinds = module.nn.ClipGradByValue(1.0), module.nn.ClipGradByNorm(0.5), module.nn.ClipGradByGlobalNorm(2.0)
        return [str(each) for each in (*kinds, module.regularizer.L1Decay(0.1), module.regularizer.L2Decay(0.1))]

    assert printed(paddle) == printed(theirs)


def test_clipping_leaves_the_gradients_that_are_shown_as_they_are() -> None:
    for clip in (nn.ClipGradByValue(0.1), nn.ClipGradByNorm(0.1), nn.ClipGradByGlobalNorm(0.1)):
        w = leaf(3.0, 4.0)
        (w * w).sum().backward()
        assert w.grad is not None
        version = w.grad.inplace_version
        SGD(1.0, [w], grad_clip=clip).step()
        assert (w.grad.tolist(), w.grad.inplace_version) == ([6.0, 8.0], version)


NO_GROUPS: dict[str, tuple[Callable[[paddle.Tensor], object], type[Exception], str]] = {
    "option": (lambda w: SGD(0.1, [{"params": [w], "momentum": 0.5}]), ValueError, "no option 'momentum'"),
    "twice": (lambda w: SGD(0.1, [{"params": [w]}, {"params": [w]}]), ValueError, "more than one parameter group"),
    "nothing": (lambda w: SGD(0.1, [{}]), AttributeError, "should not be None"),
    "mixed": (lambda w: SGD(0.1, [{"params": [w]}, w]), TypeError, "iterable of paddle Tensors"),  # type: ignore[arg-type]
    "decay": (lambda w: SGD(0.1, [{"params": [w], "weight_decay": "a"}]), TypeError, "weight_decay"),
    "AdamW": (
        lambda w: AdamW(0.1, parameters=[{"params": [w], "weight_decay": paddle.regularizer.L2Decay(0.1)}]),
        TypeError,
        "weight_decay",
    ),
    "clip": (lambda w: nn.ClipGradByValue(-1.0), AssertionError, "greater than 0"),
    "norm": (lambda w: nn.ClipGradByNorm(0.0), ValueError, "max_norm should be greater than 0"),
}


@for_each("name", NO_GROUPS)
def test_groups_that_make_no_sense_are_refused(name: str) -> None:
    make, kind, match = NO_GROUPS[name]
    with pytest.raises(kind, match=match):
        make(leaf(1.0))
