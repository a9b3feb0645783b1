"""Gradient clipping: `grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0)` limits gradients before an optimizer's step.

An optimizer passes a list of (parameter, gradient) pairs, and uses the pairs that it gets back. `parameter.grad` does not
change.
"""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.tensor import Tensor

Pairs = Sequence[tuple[Tensor, Tensor]]


class ClipGradByValue:
    """Clips each element of each gradient to the range from `min` to `max`.

    Args:
        max: the largest value.
        min: the smallest value; None for `-max`.

    Raises:
        AssertedArgumentError: if only `max` is given, and it is not positive.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/ClipGradByValue_en.html
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        if min is None and not max > 0:
            raise errors.bad_clip_range(name="max", given=max)
        self.max, self.min = float(max), float(-max if min is None else min)

    @no_grad()
    def __call__(self, pairs: Pairs) -> list[tuple[Tensor, Tensor]]:
        return [(parameter, gradient.clip(self.min, self.max)) for parameter, gradient in pairs]

    def __repr__(self) -> str:
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"


class ClipGradByNorm:
    """Scales each gradient whose L2 norm is greater than `clip_norm` to this norm.

    Args:
        clip_norm: the largest norm of one gradient.

    Raises:
        ArgumentError: if `clip_norm` is not positive.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/ClipGradByNorm_en.html
    """

    def __init__(self, clip_norm: float) -> None:
        if not clip_norm > 0:
            raise errors.bad_clip_norm(given=clip_norm)
        self.clip_norm = float(clip_norm)

    @no_grad()
    def __call__(self, pairs: Pairs) -> list[tuple[Tensor, Tensor]]:
        return [(parameter, self._shortened(gradient)) for parameter, gradient in pairs]

    def _shortened(self, gradient: Tensor) -> Tensor:
        length = gradient.norm().item()
        return gradient.scale(self.clip_norm / length) if length > self.clip_norm else gradient

    def __repr__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


class ClipGradByGlobalNorm:
    """Scales all gradients by one factor if their common L2 norm is greater than `clip_norm`. The direction is kept.

    Args:
        clip_norm: the largest norm of all gradients together.
        group_name: accepted for compatibility with Paddle; ignored.
        auto_skip_clip: accepted for compatibility with Paddle; ignored.

    >>> import inplacelab as paddle
    >>> w = paddle.to_tensor([3., 4.], stop_gradient=False)
    >>> clip = paddle.nn.ClipGradByGlobalNorm(1.0)
    >>> sgd = paddle.optimizer.SGD(1.0, parameters=[w], grad_clip=clip)
    >>> (w * w).sum().backward()
    >>> sgd.step()                              # the gradient is [6., 8.], of norm 10
    >>> w.numpy().round(4).tolist()
    [2.4000000953674316, 3.200000047683716]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/ClipGradByGlobalNorm_en.html
    """

    def __init__(self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False) -> None:
        self.clip_norm, self.group_name, self.auto_skip_clip = float(clip_norm), group_name, auto_skip_clip

    @no_grad()
    def __call__(self, pairs: Pairs) -> list[tuple[Tensor, Tensor]]:
        length = sum(gradient.square().sum().item() for _, gradient in pairs) ** 0.5
        if length <= self.clip_norm:
            return list(pairs)
        return [(parameter, gradient.scale(self.clip_norm / length)) for parameter, gradient in pairs]

    def __repr__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"
