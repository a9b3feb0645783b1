"""AdamW: Adam with a weight decay that does not enter the moving averages."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.optimizer.adam import Adam
from inplacelab.optimizer.base import Parameters, Rate, State
from inplacelab.optimizer.groups import Clip, Group
from inplacelab.tensor import Tensor


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
        grad_clip: as in `Optimizer`.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        OptionError: if a weight decay is not a number.
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
        grad_clip: Clip | None = None,
        name: str | None = None,
    ) -> None:
        self._check_decay(weight_decay)
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, float(weight_decay), grad_clip, name=name)
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
