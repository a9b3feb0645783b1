"""Learning rates that are a smooth function of the epoch, here called t."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, cos, exp, pi, prod

from inplacelab.language import Text
from inplacelab.optimizer.lr.base import LRScheduler, check, check_count

_POSITIVE = Text("a number greater than 0", "大于 0 的数")
_FUNCTION = Text("a function of the epoch", "以轮次为参数的函数")


class ExponentialDecay(LRScheduler):
    """Uses the rate `learning_rate * gamma**t`.

    Args:
        learning_rate: the initial rate.
        gamma: the factor for each epoch, between 0 and 1.
        last_epoch: the last epoch of an earlier run; -1 for a new one.
        verbose: whether each step prints the rate.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([1.], stop_gradient=False)
    >>> rate = paddle.optimizer.lr.ExponentialDecay(0.5, gamma=0.5)
    >>> sgd = paddle.optimizer.SGD(rate, parameters=[w])
    >>> rate.step()
    >>> sgd.get_lr()
    0.25

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/ExponentialDecay_en.html
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        check("gamma", gamma, 0 < gamma < 1, Text("a number between 0 and 1", "0 与 1 之间的数"))
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate of this epoch."""
        return float(self.base_lr * self.gamma**self.last_epoch)


class NaturalExpDecay(LRScheduler):
    """Uses the rate `learning_rate * exp(-gamma * t)`."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        check("gamma", gamma, gamma > 0, _POSITIVE)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate of this epoch."""
        return self.base_lr * exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """Uses the rate `learning_rate / (1 + gamma * t)`."""

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate of this epoch."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """Decays from `learning_rate` to `end_lr` in `decay_steps` epochs, by the remaining distance to the power of `power`.

    Args:
        learning_rate: the initial rate.
        decay_steps: the number of epochs.
        end_lr: the final rate.
        power: 1 for a straight line.
        cycle: whether a new, longer decay begins after each one; otherwise the rate stays at `end_lr`.
        last_epoch: the last epoch of an earlier run; -1 for a new one.
        verbose: whether each step prints the rate.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/PolynomialDecay_en.html
    """

    def __init__(
        self,
        learning_rate: float,
        decay_steps: int,
        end_lr: float = 0.0001,
        power: float = 1.0,
        cycle: bool = False,
        last_epoch: int = -1,
        verbose: bool = False,
    ) -> None:
        check_count("decay_steps", decay_steps)
        check("power", power, power > 0, _POSITIVE)
        self.decay_steps, self.end_lr, self.power, self.cycle = decay_steps, end_lr, power, cycle
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate of this epoch."""
        way = self.decay_steps * max(ceil(self.last_epoch / self.decay_steps), 1) if self.cycle else self.decay_steps
        left = 1 - min(self.last_epoch, way) / way
        return float((self.base_lr - self.end_lr) * left**self.power + self.end_lr)


class CosineAnnealingDecay(LRScheduler):
    """Decays from `learning_rate` to `eta_min` and back, along a cosine.

    Args:
        learning_rate: the initial rate.
        T_max: half a period, in epochs.
        eta_min: the least rate.
        last_epoch: the last epoch of an earlier run; -1 for a new one.
        verbose: whether each step prints the rate.

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
        """The rate of this epoch."""
        return self.eta_min + (self.base_lr - self.eta_min) * (1 + cos(pi * self.last_epoch / self.T_max)) / 2


class LambdaDecay(LRScheduler):
    """Uses the rate `learning_rate * lr_lambda(t)`."""

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        check("lr_lambda", lr_lambda, callable(lr_lambda), _FUNCTION)
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """The rate of this epoch."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LambdaDecay):
    """Uses the rate `learning_rate * lr_lambda(1) * ... * lr_lambda(t)`."""

    def get_lr(self) -> float:
        """The rate of this epoch."""
        return self.base_lr * prod(self.lr_lambda(epoch) for epoch in range(1, self.last_epoch + 1))
