"""AdamW: Adam with a weight decay that the averages do not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.optimizer.adam import Adam
from inplacelab.optimizer.base import Pairs, State
from inplacelab.tensor import Tensor


class AdamW(Adam):
    """Shrink each parameter by `learning_rate * weight_decay` of itself, then update it as Adam does.

    Args:
        learning_rate: how far to go in one step.
        beta1: how much of the average of the gradients is kept.
        beta2: how much of the average of their squares is kept.
        epsilon: keeps the denominator away from zero.
        parameters: the tensors to train.
        weight_decay: how fast parameters shrink.
        apply_decay_param_fun: given a parameter's name, says whether it shrinks; None for all.
        grad_clip: as in `Optimizer`.
        name: for Paddle's sake; not used.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/optimizer/AdamW_en.html, after Loshchilov and
    Hutter, "Decoupled weight decay regularization", https://arxiv.org/abs/1711.05101
    """

    def __init__(
        self,
        learning_rate: float = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        parameters: Sequence[Tensor] | None = None,
        weight_decay: float = 0.01,
        *,
        apply_decay_param_fun: Callable[[str], bool] | None = None,
        grad_clip: Callable[[Pairs], Pairs] | None = None,
        name: str | None = None,
    ) -> None:
        if not isinstance(weight_decay, int | float):
            raise errors.bad_option("weight_decay", weight_decay, Text("a number", "一个数"))
        super().__init__(learning_rate, beta1, beta2, epsilon, parameters, None, grad_clip, name=name)
        self._shrinking, self._shrinks = float(weight_decay), apply_decay_param_fun

    def _update(self, parameter: Tensor, gradient: Tensor, state: State) -> None:
        if self._shrinks is None or self._shrinks(parameter.name):
            parameter.scale_(1 - self._learning_rate * self._shrinking)
        super()._update(parameter, gradient, state)
