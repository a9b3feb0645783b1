"""Paddle's `nn.utils`: gradients that are limited in place, and parameters as one vector."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.language import Text
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.joining_and_splitting import concat, stack
from inplacelab.tensor import Tensor

__all__ = ["clip_grad_norm_", "clip_grad_value_", "parameters_to_vector", "vector_to_parameters"]


def _gradients(parameters: Iterable[Tensor] | Tensor) -> list[Tensor]:
    given = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    return [each.grad for each in given if each.grad is not None]


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
    gradients = _gradients(parameters)
    if not gradients:
        return to_tensor(0.0)
    length = stack([each.flatten().norm(float(norm_type)) for each in gradients]).norm(float(norm_type))
    if error_if_nonfinite and not bool(length.isfinite()):
        raise errors.gradient_not_finite(length=float(length))
    factor = (max_norm / (length + 1e-6)).clip(max=1.0)
    for each in gradients:
        each.multiply_(factor)
    return length


@no_grad()
def clip_grad_value_(parameters: Iterable[Tensor] | Tensor, clip_value: float) -> None:
    """Limits each number of the gradients to the range from `-clip_value` to `clip_value`: in place.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/utils/clip_grad_value__en.html
    """
    for each in _gradients(parameters):
        each.clip_(-float(clip_value), float(clip_value))


def parameters_to_vector(parameters: Iterable[Tensor], name: str | None = None) -> Tensor:
    """Returns all elements of some tensors, one after the other: a copy, with history."""
    return concat([each.reshape([-1]) for each in parameters])


@no_grad()
def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor], name: str | None = None) -> None:
    """Writes the elements of a vector into some tensors, one after the other: in place.

    Raises:
        ShapeError: if the numbers of elements differ. Then nothing has been written.
    """
    targets = list(parameters)
    total = sum(each.size for each in targets)
    if vec.size != total:
        raise errors.value_shape_differs(expected=[total], given=vec.shape)
    start = 0
    for each in targets:
        each.copy_(vec[start : start + each.size].reshape(each.shape))
        start += each.size
