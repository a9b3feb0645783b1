"""Adam: steps whose length does not depend on the scale of the gradients."""

from __future__ import annotations

from math import sqrt

from inplacelab import errors
from inplacelab.optimizer.base import Optimizer, Parameters, Rate, State
from inplacelab.optimizer.groups import Clip, Decay, Group
from inplacelab.tensor import Tensor


class Adam(Optimizer):
    """Keeps moving averages of each gradient and its square; subtracts the first, divided by the root of the second.

    Args:
        learning_rate: the factor of one step: a number, or a scheduler (see `optimizer.lr`).
        beta1: the decay of the moving average of gradients, from 0 to less than 1.
        beta2: the decay of the moving average of squared gradients, from 0 to less than 1.
        epsilon: added to the denominator to avoid division by zero.
        parameters: the tensors to train, or groups of them; see `Optimizer`.
        weight_decay: as in `Optimizer`.
        grad_clip: as in `Optimizer`.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `beta1`, `beta2` or `epsilon` is out of range.

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
        grad_clip: Clip | None = None,
        *,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name=name)
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
        correction = sqrt(1 - state["beta2_pow_acc"].item())
        rate = rate * correction / (1 - state["beta1_pow_acc"].item())
        parameter.subtract_(mean.divide(square.sqrt().scale_(1.0, self._epsilon * correction)), alpha=rate)
        state["beta1_pow_acc"].scale_(self._beta1)
        state["beta2_pow_acc"].scale_(self._beta2)


def _rest(beta: float, parameter: Tensor) -> float:
    """1 - beta with beta rounded to the parameter's dtype, as in Paddle: 0.999 in float32 gives 0.00099999."""
    return float(1 - parameter.array.dtype.type(beta))
