"""Stochastic gradient descent: steps against the gradient."""

from __future__ import annotations

from inplacelab.optimizer.base import Optimizer, State
from inplacelab.optimizer.groups import Group
from inplacelab.tensor import Tensor


class SGD(Optimizer):
    """Updates a parameter by `w -= learning_rate * gradient`. It stores no state and keeps no memory.

    The arguments are those of `Optimizer`.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=[w])
    >>> (w * w).sum().backward()
    >>> sgd.step()
    >>> sgd.clear_grad()
    >>> w, w.inplace_version
    (Tensor(shape=[2], dtype=float32, place=Place(cpu), stop_gradient=False,
           [0.80000001, 1.60000002]), 1)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/SGD_en.html
    """

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        parameter.subtract_(gradient, alpha=rate)
