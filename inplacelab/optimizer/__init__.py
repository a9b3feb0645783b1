"""Optimizers, under Paddle's names.

They update parameters with the engine's in-place operations, without gradient tracking. So each step raises the version of the
parameters that it updates, and a backward pass through a graph from before the step raises an error. (PaddlePaddle 3.3.1 does not
raise the version: the gradients are silently computed from other values.)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Real
from typing import Any, cast

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.optimizer import lr
from inplacelab.optimizer.optimizer import Decay, Group, Optimizer, Parameters, Rate, State
from inplacelab.tensor import Tensor

__all__ = ["SGD", "Adam", "AdamW", "Momentum", "Optimizer", "lr"]


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


class Momentum(Optimizer):
    """Updates a parameter by `velocity = momentum * velocity + gradient; w -= learning_rate * velocity`.

    Args:
        learning_rate: the factor of one step: a number, or a scheduler (see `optimizer.lr`).
        momentum: the part of the velocity that each step keeps.
        parameters: the tensors to train, or groups of them; see `Optimizer`.
        use_nesterov: whether to use Nesterov momentum: `w -= learning_rate * (gradient + momentum * velocity)`.
        weight_decay: as in `Optimizer`.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        OptionError: if `momentum` is not a number.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([1.], stop_gradient=False)
    >>> optimizer = paddle.optimizer.Momentum(0.5, momentum=0.5, parameters=[w])
    >>> for _ in range(2):
    ...     w.sum().backward()
    ...     optimizer.step()                    # the velocity is 1, then 1.5
    ...     optimizer.clear_grad()
    >>> w.item()
    -0.25

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/Momentum_en.html
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        momentum: float = 0.9,
        parameters: Parameters = None,
        use_nesterov: bool = False,
        weight_decay: Decay = None,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, name=name)
        if not isinstance(momentum, int | float):
            raise errors.bad_optimizer_option(name="momentum", possible=Text("float", "浮点数"), given=momentum)
        self._momentum, self._nesterov = float(momentum), use_nesterov

    def _new_state(self, parameter: Tensor) -> State:
        return {"velocity": parameter._zeros()}

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        velocity = state["velocity"]
        velocity.scale_(self._momentum).add_(gradient)
        ahead = gradient.add(velocity, alpha=self._momentum) if self._nesterov else velocity
        parameter.subtract_(ahead, alpha=rate)


class Adam(Optimizer):
    """Keeps moving averages of each gradient and its square; subtracts the first, divided by the root of the second.

    Args:
        learning_rate: the factor of one step: a number, or a scheduler (see `optimizer.lr`).
        beta1: the decay of the moving average of gradients, from 0 to less than 1.
        beta2: the decay of the moving average of squared gradients, from 0 to less than 1.
        epsilon: added to the denominator to avoid division by zero.
        parameters: the tensors to train, or groups of them; see `Optimizer`.
        weight_decay: as in `Optimizer`.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        OptionError: if `beta1`, `beta2` or `epsilon` is not a number.
        ArgumentError: if one of them is out of range.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/Adam_en.html, after Kingma and Ba,
    "Adam: a method for stochastic optimization", https://arxiv.org/abs/1412.6980
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameters: Parameters = None,
        weight_decay: Decay = None,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, name=name)
        for coefficient, value in (("beta1", beta1), ("beta2", beta2), ("epsilon", epsilon)):
            if not isinstance(value, Real):
                raise errors.coefficient_not_a_number(name=coefficient, given=value)
        for coefficient, value in (("beta1", beta1), ("beta2", beta2)):
            if not 0 <= value < 1:
                raise errors.bad_coefficient(name=coefficient, given=value)
        if epsilon < 0:
            raise errors.bad_epsilon(given=epsilon)
        self._beta1, self._beta2, self._epsilon = beta1, beta2, epsilon

    def _new_state(self, parameter: Tensor) -> State:
        one = parameter._spread_out((1,))
        return {
            "moment1": parameter._zeros(),
            "moment2": parameter._zeros(),
            "beta1_pow_acc": one.scale(1.0, self._beta1),
            "beta2_pow_acc": one.scale(1.0, self._beta2),
        }

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        mean, square = state["moment1"], state["moment2"]
        mean.scale_(self._beta1).add_(gradient, alpha=_rest(self._beta1, parameter))
        square.scale_(self._beta2).add_(gradient.square(), alpha=_rest(self._beta2, parameter))
        # Both averages start at zero; dividing by 1 - beta^t corrects this bias after t steps.
        correction = math.sqrt(1 - state["beta2_pow_acc"].item())
        rate = rate * correction / (1 - state["beta1_pow_acc"].item())
        parameter.subtract_(mean.divide(square.sqrt().scale_(1.0, self._epsilon * correction)), alpha=rate)
        state["beta1_pow_acc"].scale_(self._beta1)
        state["beta2_pow_acc"].scale_(self._beta2)


class AdamW(Adam):
    """Multiplies each parameter by `1 - learning_rate * weight_decay`, then updates it as Adam does.

    Args:
        learning_rate: the factor of one step: a number, or a scheduler (see `optimizer.lr`).
        beta1: the decay of the moving average of gradients, from 0 to less than 1.
        beta2: the decay of the moving average of squared gradients, from 0 to less than 1.
        epsilon: added to the denominator to avoid division by zero.
        parameters: the tensors to train, or groups of them; see `Optimizer`.
        weight_decay: the decay of all parameters that have no other in their group.
        apply_decay_param_fun: called with a parameter's name, returns whether to decay it; None for all.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        OptionError: if a weight decay, `beta1`, `beta2` or `epsilon` is not a number.
        ArgumentError: if `beta1`, `beta2` or `epsilon` is out of range.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/AdamW_en.html, after Loshchilov and
    Hutter, "Decoupled weight decay regularization", https://arxiv.org/abs/1711.05101
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameters: Parameters = None,
        weight_decay: float = 0.01,
        *,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        name: str | None = None,
    ) -> None:
        self._check_decay(weight_decay)
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, float(weight_decay), name=name)
        self._shrinks = apply_decay_param_fun
        for group in self._groups:
            self._check_decay(group.weight_decay)

    @staticmethod
    def _check_decay(weight_decay: object) -> None:
        if not isinstance(weight_decay, int | float):
            raise errors.bad_optimizer_option(
                name="weight_decay", possible=Text("a number", "一个数"), given=weight_decay
            )

    def _decayed(self, parameter: Tensor, gradient: Tensor, group: Group) -> Tensor:
        return gradient  # `_update` applies the decay to the parameter

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        if self._shrinks is None or self._shrinks(parameter.name):
            parameter.scale_(1 - rate * cast("float", group.weight_decay))
        super()._update(parameter, gradient, state, rate, group)


def _rest(beta: float, parameter: Tensor) -> float:
    """1 - beta with beta rounded to the parameter's dtype, as in Paddle: 0.999 in float32 gives 0.00099999."""
    return float(1 - parameter.array.dtype.type(beta))


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
