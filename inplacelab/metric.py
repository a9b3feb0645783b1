"""Paddle's `metric`: how good the answers of a network are."""

from __future__ import annotations

from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.tensor import Tensor

__all__ = ["accuracy"]


def accuracy(
    input: Tensor,
    label: Tensor,
    k: int = 1,
    correct: Tensor | None = None,
    total: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Returns the share of examples whose label is among the `k` best scores.

    Args:
        input: scores, of shape [N, classes].
        label: the right classes: integers of shape [N, 1] or [N].
        k: how many scores count.
        correct: a tensor into which the number of right answers is written, or None.
        total: a tensor into which the number of examples is written, or None.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A float32 tensor without axes.

    >>> import inplacelab as paddle
    >>> scores = paddle.to_tensor([[0.1, 0.9], [0.8, 0.2]])
    >>> paddle.metric.accuracy(scores, paddle.to_tensor([[1], [1]])).item()
    0.5

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/metric/accuracy_en.html
    """
    scores, label = as_tensor("accuracy", "input", 0, input), as_tensor("accuracy", "label", 1, label)
    best = scores.detach().topk(k)[1]
    right = (best == label.reshape([-1, 1]).cast("int64")).any(-1).cast("float32").sum()
    if correct is not None:
        correct.copy_(right.cast(correct.dtype).reshape(correct.shape))
    if total is not None:
        total.fill_(len(best))
    share: Tensor = right.scale(1.0 / max(len(best), 1))
    return share
