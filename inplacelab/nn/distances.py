"""Distances and angles between vectors."""

from __future__ import annotations

from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.composed import broadcast_tensors
from inplacelab.tensor import Tensor


def pairwise_distance(
    x: Tensor, y: Tensor, p: float = 2.0, epsilon: float = 1e-6, keepdim: bool = False, name: str | None = None
) -> Tensor:
    """Computes the p-norm of the differences of two rows of vectors.

    Args:
        x: vectors along the last axis.
        y: vectors of the same size.
        p: which norm.
        epsilon: what is added to each difference, so that no slope is infinite.
        keepdim: keep the last axis with size 1.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor without the last axis, unless `keepdim`.

    >>> import inplacelab as paddle
    >>> far = paddle.nn.functional.pairwise_distance(paddle.to_tensor([[3., 4.]]), paddle.to_tensor([[0., 0.]]))
    >>> round(far.item(), 4)
    5.0

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/pairwise_distance_en.html
    """
    x, y = as_tensor("pairwise_distance", "x", 0, x), as_tensor("pairwise_distance", "y", 1, y)
    apart = (x - y).scale(1.0, epsilon)
    lengths: Tensor = apart.norm(float(p), -1, keepdim)
    return lengths


def cosine_similarity(x1: Tensor, x2: Tensor, axis: int = 1, eps: float = 1e-8) -> Tensor:
    """Computes the cosine of the angles between vectors along an axis.

    Args:
        x1: the vectors.
        x2: others of the same size; the shapes are broadcast.
        axis: the axis of the vectors.
        eps: the least product of two lengths by which is divided.

    Returns:
        A new tensor without this axis.

    >>> import inplacelab as paddle
    >>> F = paddle.nn.functional
    >>> round(F.cosine_similarity(paddle.to_tensor([[3., 4.]]), paddle.to_tensor([[6., 8.]])).item(), 4)
    1.0

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/cosine_similarity_en.html
    """
    x1, x2 = broadcast_tensors(
        [as_tensor("cosine_similarity", "x1", 0, x1), as_tensor("cosine_similarity", "x2", 1, x2)]
    )
    product, squares = (x1 * x2).sum(axis), (x1 * x1).sum(axis) * (x2 * x2).sum(axis)
    cosine: Tensor = product / squares.clip(min=eps * eps).sqrt()
    return cosine
