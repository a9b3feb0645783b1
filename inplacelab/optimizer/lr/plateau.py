"""A scheduler that lowers the rate when training makes no progress."""

from __future__ import annotations

from typing import Any, Literal

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.optimizer.lr.base import LRScheduler, check


class ReduceOnPlateau(LRScheduler):
    """Multiplies the rate by `factor` when the loss has not improved for more than `patience` epochs.

    Args:
        learning_rate: the first rate.
        mode: "min" if a smaller loss is better, "max" if a larger one is.
        factor: the factor, less than 1.
        patience: the number of epochs without improvement before the rate changes.
        threshold: the smallest change that counts as an improvement.
        threshold_mode: "rel" if `threshold` is a fraction of the best loss, "abs" if it is a difference.
        cooldown: the number of epochs to wait after a change.
        min_lr: the lowest rate.
        epsilon: the rate changes only if the difference is greater than this.
        verbose: whether to print each change.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `mode`, `factor` or `threshold_mode` is out of range.

    >>> import inplacelab as paddle
    >>> rate = paddle.optimizer.lr.ReduceOnPlateau(1.0, factor=0.5, patience=1)
    >>> for loss in (3., 2., 2., 2.):
    ...     rate.step(loss)
    >>> rate()
    0.5

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/ReduceOnPlateau_en.html
    """

    KEPT = ("cooldown_counter", "best", "num_bad_epochs", "last_epoch", "last_lr")

    def __init__(  # noqa: PLR0917  # as many as in Paddle
        self,
        learning_rate: float,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: float = 0,
        epsilon: float = 1e-8,
        verbose: bool = False,
    ) -> None:
        check("mode", mode, mode in ("min", "max"), Text("'min' or 'max'", "'min' 或 'max'"))
        check("factor", factor, factor < 1, Text("a number less than 1", "小于 1 的数"))
        check(
            "threshold_mode", threshold_mode, threshold_mode in ("rel", "abs"), Text("'rel' or 'abs'", "'rel' 或 'abs'")
        )
        if not isinstance(learning_rate, int | float):
            raise errors.bad_initial_rate(kind=type(learning_rate).__name__)
        self.base_lr = self.last_lr = float(learning_rate)
        self.mode, self.factor, self.patience, self.cooldown = mode, factor, patience, cooldown
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.min_lr, self.epsilon, self.verbose = min_lr, epsilon, verbose
        self.best: float | None = None
        self.cooldown_counter = self.num_bad_epochs = self.last_epoch = 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override]  # as in Paddle, it takes the loss
        """Moves to the next epoch, and lowers the rate if the loss has not improved.

        Args:
            metrics: the loss: a number, or a tensor with one element.
            epoch: the epoch to move to; None for the next one.

        Raises:
            ConversionError: if a tensor has several elements.
        """
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        reached = float(metrics)
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            return
        if self.best is None or self._better(reached, self.best):
            self.best, self.num_bad_epochs = reached, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self._lower()

    def _better(self, reached: float, best: float) -> bool:
        least = best * self.threshold if self.threshold_mode == "rel" else self.threshold
        return reached < best - least if self.mode == "min" else reached > best + least

    def _lower(self) -> None:
        self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        lower = max(self.last_lr * self.factor, self.min_lr)
        if self.last_lr - lower > self.epsilon:
            self.last_lr = lower
            self._print_rate()
