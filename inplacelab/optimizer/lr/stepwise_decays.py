"""Learning rates that are constant for some epochs and then change."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.optimizer.lr.base import LRScheduler, check, check_count

_BELOW_ONE = Text("a number less than 1", "小于 1 的数")


class StepDecay(LRScheduler):
    """Multiplies the rate by `gamma` every `step_size` epochs.

    Args:
        learning_rate: the initial rate.
        step_size: the number of epochs between changes.
        gamma: the factor; less than 1.
        last_epoch: the last epoch of an earlier run; -1 for a new one.
        verbose: whether each step prints the rate.

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
        """The rate of this epoch."""
        return float(self.base_lr * self.gamma ** (self.last_epoch // self.step_size))


class MultiStepDecay(LRScheduler):
    """Multiplies the rate by `gamma` at each of the epochs in `milestones`.

    Args:
        learning_rate: the initial rate.
        milestones: increasing numbers of epochs.
        gamma: the factor; less than 1.
        last_epoch: the last epoch of an earlier run; -1 for a new one.
        verbose: whether each step prints the rate.

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
        """The rate of this epoch."""
        return float(self.base_lr * self.gamma ** bisect_right(self.milestones, self.last_epoch))


class PiecewiseDecay(LRScheduler):
    """Uses the rate `values[0]` before the epoch `boundaries[0]`, then `values[1]` before `boundaries[1]`, and so on.

    Args:
        boundaries: the epochs at which the rate changes.
        values: the rates; one more than boundaries.
        last_epoch: the last epoch of an earlier run; -1 for a new one.
        verbose: whether each step prints the rate.

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
        """The rate of this epoch."""
        below = bisect_right(self.boundaries, self.last_epoch)
        return self.values[below if below < len(self.boundaries) else -1]
