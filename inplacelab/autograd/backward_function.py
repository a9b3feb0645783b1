"""`autograd.backward`: one backward pass from several tensors."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab import errors
from inplacelab.autograd import engine
from inplacelab.language import Text
from inplacelab.tensor import Tensor


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool = False,
) -> None:
    """Adds gradients to the `.grad` of every leaf that the tensors depend on. Shared parts of the graph run once.

    Args:
        tensors: the tensors to start from: one or several different ones, with history.
        grad_tensors: the gradients to start with, one for each tensor and of its shape; ones where None.
        retain_graph: keep what the nodes saved, so that backward can go through the graph again.

    Raises:
        ArgumentError: if the numbers of gradients and tensors differ, or a tensor is given twice.
        NoGradientError: if a tensor has no history.
        StaleSavedTensorError: if a saved tensor that a derivative needs has been overwritten.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> y = x * x
    >>> paddle.autograd.backward([y, y * 3.], [None, paddle.to_tensor([0., 1.])])
    >>> x.grad.tolist()
    [2.0, 16.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/autograd/backward_en.html
    """
    starts = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    seeds = _seeds(grad_tensors, len(starts))
    for position, each in enumerate(starts):
        if not isinstance(each, Tensor):
            raise errors.not_a_tensor("backward", "tensors", position, each)
    if len({id(each) for each in starts}) != len(starts):
        raise errors.bad_argument(
            op="backward",
            argument="tensors",
            value="a tensor twice",
            possible=Text("different tensors", "互不相同的张量"),
        )
    engine.backward(starts, seeds, retain_graph=retain_graph)


def _seeds(given: Tensor | Sequence[Tensor | None] | None, count: int) -> list[Tensor | None]:
    """A gradient, or None, for each of `count` tensors."""
    if given is None:
        return [None] * count
    seeds: list[Tensor | None] = [given] if isinstance(given, Tensor) else list(given)
    if len(seeds) != count:
        raise errors.bad_argument(
            op="backward",
            argument="grad_tensors",
            value=len(seeds),
            possible=Text(f"a list of {count}", f"{count} 个梯度的列表"),
        )
    return seeds
