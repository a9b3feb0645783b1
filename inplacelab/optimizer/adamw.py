"""AdamW: Adam with a weight decay that the averages do not see."""

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
    """Shrink each parameter by `learning_rate * weight_decay` of itself, then update it as Adam does.

    Args:
        learning_rate: how far to go in one step: a number or a scheduler.
        beta1: how much of the average of the gradients is kept.
        beta2: how much of the average of their squares is kept.
        epsilon: keeps the denominator away from zero.
        parameters: the tensors to train, or groups of them.
        weight_decay: how fast parameters shrink; a number, also that of a group.
        apply_decay_param_fun: given a parameter's name, says whether it shrinks; None for all.
        grad_clip: as in `Optimizer`.
        name: accepted for compatibility with Paddle; ignored.

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
            raise errors.bad_option("weight_decay", weight_decay, Text("a number", "一个数"))

    def _decayed(self, parameter: Tensor, gradient: Tensor, group: Group) -> Tensor:
        return gradient  # the decay is another step, below

    def _update(self, parameter: Tensor, gradient: Tensor, state: State, rate: float, group: Group) -> None:
        if self._shrinks is None or self._shrinks(parameter.name):
            parameter.scale_(1 - rate * cast("float", group.weight_decay))
        super()._update(parameter, gradient, state, rate, group)
