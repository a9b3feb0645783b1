"""Weight decay, which pulls parameters towards zero in training: `weight_decay=paddle.regularizer.L2Decay(1e-4)`."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.tensor import Tensor


class L2Decay:
    """Adds `coeff` times the parameter to its gradient, as if the loss had a term `coeff / 2 * sum(parameter ** 2)`.

    A plain number as `weight_decay` means the same.

    Args:
        coeff: the factor.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([2.], stop_gradient=False)
    >>> sgd = paddle.optimizer.SGD(1.0, parameters=[w], weight_decay=paddle.regularizer.L2Decay(0.25))
    >>> (w * 0.).backward()
    >>> sgd.step()                              # the gradient is 0 + 0.25 * 2
    >>> w.item()
    1.5

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/regularizer/L2Decay_en.html
    """

    def __init__(self, coeff: float = 0.0) -> None:
        self.coeff = float(coeff)

    def __call__(self, parameter: Tensor, gradient: Tensor) -> Tensor:
        """Returns the gradient plus the decay: a new tensor."""
        decayed: Tensor = gradient.add(parameter, alpha=self.coeff)
        return decayed

    def __repr__(self) -> str:
        return f"L2Decay, coeff={self.coeff:f}"


__all__ = ["L2Decay"]


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
