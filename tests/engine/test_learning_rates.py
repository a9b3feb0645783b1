"""Learning-rate schedulers and groups of parameters: Paddle's numbers, and refusals that change nothing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors
from inplacelab.optimizer import SGD, Adam, AdamW, lr
from tests.subtests import for_each

EPOCHS = 12

SCHEDULES: dict[str, Callable[[Any], Any]] = {
    "StepDecay": lambda m: m.StepDecay(0.5, 3, 0.4),
    "CosineAnnealingDecay": lambda m: m.CosineAnnealingDecay(0.5, 4, 0.1),
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
    first, second = (Adam(lr.StepDecay(0.5, 1, 0.5), parameters=[each]) for each in (w, v))
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
}


@for_each("name", NO_SCHEDULES)
def test_a_schedule_that_makes_no_sense_is_refused(name: str) -> None:
    make, kind = NO_SCHEDULES[name]
    with pytest.raises(kind) as caught:
        make()
    assert isinstance(caught.value, errors.Refusal)


# ---- groups, decay: trained in both -----------------------------------------------------------------------------


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
    "L2": lambda m, a, b: m.optimizer.Momentum(0.1, parameters=a + b, weight_decay=m.regularizer.L2Decay(0.2)),
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
        return [str(module.regularizer.L2Decay(0.1))]

    assert printed(paddle) == printed(theirs)


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
}


@for_each("name", NO_GROUPS)
def test_groups_that_make_no_sense_are_refused(name: str) -> None:
    make, kind, match = NO_GROUPS[name]
    with pytest.raises(kind, match=match):
        make(leaf(1.0))
