"""Paddle's `nn.utils`: gradients that are limited in place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.language import Text
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.joining_and_splitting import stack
from inplacelab.tensor import Tensor

__all__ = ["clip_grad_norm_"]


@no_grad()
def clip_grad_norm_(
    parameters: Iterable[Tensor] | Tensor, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """Shortens the gradients, all taken as one vector, to a length of at most `max_norm`: in place.

    Args:
        parameters: tensors; those without a gradient are skipped.
        max_norm: the largest length.
        norm_type: the order of the norm; infinity for the largest element.
        error_if_nonfinite: whether to refuse a length that is infinite or NaN.

    Returns:
        The length before.

    Raises:
        ArgumentError: if `norm_type` is not positive.
        KernelError: if the length is not finite, and `error_if_nonfinite` is True.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([3., 4.], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> paddle.nn.utils.clip_grad_norm_(x, 5.).item(), x.grad.numpy().round(3).tolist()
    (10.0, [3.0, 4.0])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/utils/clip_grad_norm__en.html
    """
    if not norm_type > 0:
        raise errors.bad_argument(
            op="clip_grad_norm_", argument="norm_type", value=norm_type, possible=Text("more than 0", "大于 0 的数")
        )
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    gradients = [each.grad for each in given if each.grad is not None]
    if not gradients:
        return to_tensor(0.0)
    length = stack([each.flatten().norm(float(norm_type)) for each in gradients]).norm(float(norm_type))
    if error_if_nonfinite and not bool(length.isfinite()):
        raise errors.gradient_not_finite(length=float(length))
    factor = (max_norm / (length + 1e-6)).clip(max=1.0)
    for each in gradients:
        each.multiply_(factor)
    return length


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
