"""Learning-rate schedulers under Paddle's names.

A scheduler counts calls of its `step()`, usually one per epoch. An optimizer reads the rate of its scheduler before each update.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import cos, pi
from typing import Any

from inplacelab import errors
from inplacelab.language import Text

__all__ = ["CosineAnnealingDecay", "LRScheduler", "StepDecay"]

_POSITIVE = Text("a number of 0 or more", "不小于 0 的数")
_BELOW_ONE = Text("a number less than 1", "小于 1 的数")


class LRScheduler:
    """The base of every scheduler. A subclass defines `get_lr()`, which returns the rate for `self.last_epoch`.

    Args:
        learning_rate: the first rate.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Attributes:
        base_lr: the first rate.
        last_lr: the current rate; calling the scheduler returns it, too.
        last_epoch: the current epoch, counted from 0.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if it is negative.

    >>> import inplacelab as paddle
    >>> class Halved(paddle.optimizer.lr.LRScheduler):
    ...     def get_lr(self):
    ...         return self.base_lr * 0.5 ** self.last_epoch
    >>> rate = Halved(1.0)
    >>> for epoch in range(2):
    ...     rate.step()
    >>> rate()
    0.25

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/LRScheduler_en.html
    """

    KEPT: tuple[str, ...] = ("last_epoch", "last_lr")
    """The attributes that `state_dict` returns."""

    def __init__(self, learning_rate: float = 0.1, last_epoch: int = -1, verbose: bool = False) -> None:
        if not isinstance(learning_rate, int | float):
            raise errors.bad_initial_rate(kind=type(learning_rate).__name__)
        check("learning_rate", learning_rate, learning_rate >= 0, _POSITIVE)
        self.base_lr = self.last_lr = float(learning_rate)
        self.last_epoch, self.verbose = last_epoch, verbose
        self.step()

    def __call__(self) -> float:
        return self.last_lr

    def get_lr(self) -> float:
        """Returns the rate for `self.last_epoch`. Every subclass defines it.

        Raises:
            NotImplementedError: if the subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define get_lr(), which returns the rate of an epoch")

    def step(self, epoch: int | None = None) -> None:
        """Moves to the next epoch, or to `epoch` if it is given, and updates `last_lr`."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        self.last_lr = self.get_lr()
        self._print_rate()

    def _print_rate(self) -> None:
        if self.verbose:
            print(  # noqa: T201  # `verbose` prints
                f"Epoch {self.last_epoch}: {type(self).__name__} set learning rate to {self.last_lr}."
            )

    def state_dict(self) -> dict[str, Any]:
        """Returns the state that a later run needs to go on: the attributes named in `KEPT`."""
        return {name: getattr(self, name) for name in self.KEPT}

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restores a state that `state_dict` returned.

        Args:
            state_dict: the state; other entries are ignored.

        Raises:
            ScheduleError: if an entry is missing. Nothing is changed then.
        """
        for name in self.KEPT:
            if name not in state_dict:
                raise errors.missing_schedule_state(name=name)
        for name in self.KEPT:
            setattr(self, name, state_dict[name])

    set_dict = set_state_dict


class StepDecay(LRScheduler):
    """Multiplies the rate by `gamma` every `step_size` epochs.

    Args:
        learning_rate: the first rate.
        step_size: the number of epochs between two changes.
        gamma: the factor, less than 1.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `step_size` is not a positive integer, `gamma` is out of range, or `learning_rate` is negative.

    >>> import inplacelab as paddle
    >>> rate = paddle.optimizer.lr.StepDecay(0.5, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for epoch in range(5):
    ...     rates.append(rate())
    ...     rate.step()
    >>> rates
    [0.5, 0.5, 0.25, 0.25, 0.125]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/StepDecay_en.html
    """

    def __init__(
        self, learning_rate: float, step_size: int, gamma: float = 0.1, last_epoch: int = -1, verbose: bool = False
    ) -> None:
        check_count("step_size", step_size)
        check("gamma", gamma, gamma < 1, _BELOW_ONE)
        self.step_size, self.gamma = step_size, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        return float(self.base_lr * self.gamma ** (self.last_epoch // self.step_size))


class CosineAnnealingDecay(LRScheduler):
    """Lowers the rate from `learning_rate` to `eta_min` and raises it again, as a cosine with the period `2 * T_max`.

    Args:
        learning_rate: the first rate.
        T_max: the number of epochs until `eta_min` is reached; half a period.
        eta_min: the lowest rate.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `T_max` is not a positive integer, or `learning_rate` is negative.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/CosineAnnealingDecay_en.html, after
    Loshchilov and Hutter, "SGDR: stochastic gradient descent with warm restarts", https://arxiv.org/abs/1608.03983
    """

    def __init__(
        self,
        learning_rate: float,
        T_max: int,  # noqa: N803  # Paddle's name
        eta_min: float = 0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        check_count("T_max", T_max)
        self.T_max, self.eta_min = T_max, float(eta_min)
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + cos(pi * self.last_epoch / self.T_max)) / 2


def check(argument: str, given: Any, good: bool, possible: Text) -> None:
    """Checks an argument of a scheduler.

    Args:
        argument: the name of the argument.
        given: its value, for the error message.
        good: whether the value is valid.
        possible: the valid values, for the error message.

    Raises:
        ArgumentError: if `good` is False.
    """
    if not good:
        raise errors.bad_schedule(argument=argument, possible=possible, given=given)


def check_count(argument: str, given: Any) -> None:
    """Checks that an argument is a positive integer; `argument` is its name.

    Raises:
        ArgumentError: if it is not.
    """
    check(argument, given, isinstance(given, int) and given > 0, Text("an integer greater than 0", "大于 0 的整数"))


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
