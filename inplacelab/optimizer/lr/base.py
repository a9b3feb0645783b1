"""The base of all schedulers: the epoch, its rate and the saved state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inplacelab import errors
from inplacelab.language import Text

_POSITIVE = Text("a number of 0 or more", "不小于 0 的数")


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
