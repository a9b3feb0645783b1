"""Schedulers whose rate is constant for some epochs and then changes in one step."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.optimizer.lr.base import LRScheduler, check, check_count

_BELOW_ONE = Text("a number less than 1", "小于 1 的数")


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


class MultiStepDecay(LRScheduler):
    """Multiplies the rate by `gamma` at each epoch in `milestones`.

    Args:
        learning_rate: the first rate.
        milestones: the epochs of the changes, in rising order.
        gamma: the factor, less than 1.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `milestones` does not rise, `gamma` is out of range, or `learning_rate` is negative.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/MultiStepDecay_en.html
    """

    def __init__(
        self,
        learning_rate: float,
        milestones: Sequence[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        rising = isinstance(milestones, list | tuple) and list(milestones) == sorted(set(milestones))
        check(
            "milestones", milestones, rising, Text("a list of epochs, each after the one before", "依次增大的轮次列表")
        )
        check("gamma", gamma, gamma < 1, _BELOW_ONE)
        self.milestones, self.gamma = milestones, gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        return float(self.base_lr * self.gamma ** bisect_right(self.milestones, self.last_epoch))


class PiecewiseDecay(LRScheduler):
    """Returns `values[0]` before epoch `boundaries[0]`, `values[1]` from then until `boundaries[1]`, and so on.

    Args:
        boundaries: the epochs of the changes, in rising order.
        values: the rates, one more than boundaries.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        ArgumentError: if `boundaries` is empty, or there are not more values than boundaries.

    >>> import inplacelab as paddle
    >>> rate = paddle.optimizer.lr.PiecewiseDecay(boundaries=[2], values=[0.5, 0.25])
    >>> rates = []
    >>> for epoch in range(4):
    ...     rates.append(rate())
    ...     rate.step()
    >>> rates
    [0.5, 0.5, 0.25, 0.25]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/PiecewiseDecay_en.html
    """

    def __init__(
        self, boundaries: Sequence[int], values: Sequence[float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        check("boundaries", boundaries, len(boundaries) > 0, Text("a list of epochs", "轮次的列表"))
        enough = Text("a list with one rate more than there are boundaries", "比 boundaries 多一个元素的学习率列表")
        check("values", values, len(values) > len(boundaries), enough)
        self.boundaries, self.values = boundaries, values
        super().__init__(last_epoch=last_epoch, verbose=verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        below = bisect_right(self.boundaries, self.last_epoch)
        return self.values[below if below < len(self.boundaries) else -1]
