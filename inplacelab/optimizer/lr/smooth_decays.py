"""Schedulers whose rate is a smooth function of the epoch t."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil, cos, exp, pi, prod

from inplacelab.language import Text
from inplacelab.optimizer.lr.base import LRScheduler, check, check_count

_POSITIVE = Text("a number greater than 0", "大于 0 的数")
_FUNCTION = Text("a function of the epoch", "以轮次为参数的函数")


class ExponentialDecay(LRScheduler):
    """Computes the rate `learning_rate * gamma**t` for epoch t.

    Args:
        learning_rate: the first rate.
        gamma: the base of the power, between 0 and 1.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `gamma` is out of range or `learning_rate` negative.

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
        """Returns the rate of the current epoch."""
        return float(self.base_lr * self.gamma**self.last_epoch)


class NaturalExpDecay(LRScheduler):
    """Computes the rate `learning_rate * exp(-gamma * t)` for epoch t.

    Args:
        learning_rate: the first rate.
        gamma: how fast the rate falls; greater than 0.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `gamma` is out of range or `learning_rate` negative.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/NaturalExpDecay_en.html
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        check("gamma", gamma, gamma > 0, _POSITIVE)
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        return self.base_lr * exp(-self.gamma * self.last_epoch)


class InverseTimeDecay(LRScheduler):
    """Computes the rate `learning_rate / (1 + gamma * t)` for epoch t.

    Args:
        learning_rate: the first rate.
        gamma: how fast the rate falls.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `learning_rate` is negative.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/InverseTimeDecay_en.html
    """

    def __init__(self, learning_rate: float, gamma: float, last_epoch: int = -1, verbose: bool = False) -> None:
        self.gamma = gamma
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        return self.base_lr / (1 + self.gamma * self.last_epoch)


class PolynomialDecay(LRScheduler):
    """Lowers the rate from `learning_rate` to `end_lr` as a polynomial of the epoch t.

    The rate is `end_lr + (learning_rate - end_lr) * (1 - t / decay_steps) ** power`.

    Args:
        learning_rate: the first rate.
        decay_steps: the number of epochs until `end_lr` is reached.
        end_lr: the last rate.
        power: the exponent, greater than 0; 1 for a straight line.
        cycle: whether the length is extended to the next multiple of `decay_steps` each time it is reached; otherwise the
            rate stays at `end_lr`.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `decay_steps` or `power` is out of range, or `learning_rate` negative.

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
        """Returns the rate of the current epoch."""
        cycles = max(ceil(self.last_epoch / self.decay_steps), 1) if self.cycle else 1
        length = self.decay_steps * cycles
        left = 1 - min(self.last_epoch, length) / length
        return float((self.base_lr - self.end_lr) * left**self.power + self.end_lr)


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


class LambdaDecay(LRScheduler):
    """Computes the rate `learning_rate * lr_lambda(t)` for epoch t.

    Args:
        learning_rate: the first rate.
        lr_lambda: called with the epoch, returns the factor.
        last_epoch: the epoch reached before; -1 for a new start.
        verbose: whether each step prints the rate.

    Raises:
        OptionError: if `learning_rate` is not a number.
        ArgumentError: if `lr_lambda` is not a function, or `learning_rate` is negative.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/LambdaDecay_en.html
    """

    def __init__(
        self, learning_rate: float, lr_lambda: Callable[[int], float], last_epoch: int = -1, verbose: bool = False
    ) -> None:
        check("lr_lambda", lr_lambda, callable(lr_lambda), _FUNCTION)
        self.lr_lambda = lr_lambda
        super().__init__(learning_rate, last_epoch, verbose)

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        return self.base_lr * self.lr_lambda(self.last_epoch)


class MultiplicativeDecay(LambdaDecay):
    """Computes the rate `learning_rate * lr_lambda(1) * ... * lr_lambda(t)` for epoch t.

    The arguments are those of `LambdaDecay`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/lr/MultiplicativeDecay_en.html
    """

    def get_lr(self) -> float:
        """Returns the rate of the current epoch."""
        return self.base_lr * prod(self.lr_lambda(epoch) for epoch in range(1, self.last_epoch + 1))
