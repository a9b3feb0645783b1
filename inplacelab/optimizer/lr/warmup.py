"""Schedulers whose rate rises first, because large steps from untrained values can make training diverge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.optimizer.lr.base import LRScheduler, check, check_count


class LinearWarmup(LRScheduler):
    """Raises the rate linearly from `start_lr` to `end_lr` in `warmup_steps` epochs, then uses `learning_rate`.

    Args:
        learning_rate: the rate after the warmup, or a scheduler that begins then.
        warmup_steps: the number of epochs of the warmup.
        start_lr: the rate of the first epoch.
        end_lr: the rate at the end of the warmup.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is neither a number nor a scheduler.
        ArgumentError: if `warmup_steps` is not a positive integer, or `end_lr` is not greater than `start_lr`.

    >>> import inplacelab as paddle
    >>> rate = paddle.optimizer.lr.LinearWarmup(1.0, warmup_steps=2, start_lr=0.0, end_lr=1.0)
    >>> rates = []
    >>> for epoch in range(4):
    ...     rates.append(rate())
    ...     rate.step()
    >>> rates
    [0.0, 0.5, 1.0, 1.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/LinearWarmup_en.html
    """

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        warmup_steps: int,
        start_lr: float,
        end_lr: float,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        if not isinstance(learning_rate, int | float | LRScheduler):
            raise errors.bad_initial_rate(kind=type(learning_rate).__name__)
        check_count("warmup_steps", warmup_steps)
        check("end_lr", end_lr, end_lr > start_lr, Text("a rate greater than `start_lr`", "大于 `start_lr` 的学习率"))
        self.learning_rate, self.warmup_steps = learning_rate, warmup_steps
        self.start_lr, self.end_lr = start_lr, end_lr
        super().__init__(start_lr, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        if self.last_epoch < self.warmup_steps:
            return self.start_lr + (self.end_lr - self.start_lr) * self.last_epoch / self.warmup_steps
        if isinstance(self.learning_rate, LRScheduler):
            self.learning_rate.step(self.last_epoch - self.warmup_steps)
            return self.learning_rate()
        return self.learning_rate

    def state_dict(self) -> dict[str, Any]:
        """Returns the state that a later run needs to go on, with that of the scheduler after the warmup."""
        state = super().state_dict()
        if isinstance(self.learning_rate, LRScheduler):
            state["LinearWarmup_LR"] = self.learning_rate.state_dict()
        return state

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Restores a state that `state_dict` returned.

        Raises:
            ScheduleError: if an entry is missing.
        """
        if isinstance(self.learning_rate, LRScheduler):
            if "LinearWarmup_LR" not in state_dict:
                raise errors.missing_schedule_state(name="LinearWarmup_LR")
            self.learning_rate.set_state_dict(state_dict["LinearWarmup_LR"])
        super().set_state_dict(state_dict)


class NoamDecay(LRScheduler):
    """Computes the rate `learning_rate * d_model**-0.5 * min(t**-0.5, t * warmup_steps**-1.5)`, as for the first Transformer.

    Args:
        d_model: the width of the model, greater than 0.
        warmup_steps: the number of epochs in which the rate rises.
        learning_rate: the factor.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `d_model` is not greater than 0, or `learning_rate` is negative.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/NoamDecay_en.html, after Vaswani et al.,
    "Attention is all you need", https://arxiv.org/abs/1706.03762
    """

    def __init__(
        self,
        d_model: int,
        warmup_steps: int,
        learning_rate: float = 1.0,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        check("d_model", d_model, d_model > 0, Text("a number greater than 0", "大于 0 的数"))
        self.d_model, self.warmup_steps = d_model, warmup_steps
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        falling = self.last_epoch**-0.5 if self.last_epoch else 1.0
        return float(self.base_lr * self.d_model**-0.5 * min(falling, self.last_epoch * self.warmup_steps**-1.5))
