"""How far results are from what they should be, as one number; made of rows, so derivatives of any order are theirs.

`reduction` says what becomes of the losses of all elements: "mean", "sum", or "none" (they stay as they are).
"""

from __future__ import annotations

from inplacelab import errors
from inplacelab.nn.transformations import log_softmax, one_hot
from inplacelab.ops.operands import as_tensor
from inplacelab.tensor import Tensor

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(op: str, reduction: str) -> None:
    """Refuse what is none of the three words."""
    if reduction not in REDUCTIONS:
        raise errors.bad_reduction(op, reduction)


def _reduced(losses: Tensor, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    total: Tensor = losses.mean() if reduction == "mean" else losses.sum()
    return total


def mse_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None) -> Tensor:
    """The squares of the differences.

    Raises:
        ArgumentError: if `reduction` is none of the three words.

    >>> import inplacelab as paddle
    >>> float(paddle.nn.functional.mse_loss(paddle.to_tensor([1., 2.]), paddle.to_tensor([1., 4.])))
    2.0

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/mse_loss_en.html
    """
    check_reduction("mse_loss", reduction)
    return _reduced((as_tensor("mse_loss", "input", 0, input) - label).square(), reduction)


def l1_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None) -> Tensor:
    """The sizes of the differences.

    Raises:
        ArgumentError: if `reduction` is none of the three words.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/l1_loss_en.html
    """
    check_reduction("l1_loss", reduction)
    return _reduced((as_tensor("l1_loss", "input", 0, input) - label).abs(), reduction)


def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Minus the logarithm of the probability that `sigmoid(logit)` gives to what was right: yes (1) or no (0).

    Args:
        logit: scores.
        label: 1 or 0, or a probability; of the shape of `logit`.
        weight: a factor for each loss, or None.
        reduction: what becomes of the losses.
        pos_weight: a factor for the losses of those that were right, or None.
        name: for Paddle's sake; not used.

    Raises:
        ArgumentError: if `reduction` is none of the three words.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/binary_cross_entropy_with_logits_en.html
    """
    check_reduction("binary_cross_entropy_with_logits", reduction)
    logit = as_tensor("binary_cross_entropy_with_logits", "logit", 0, logit)
    # log(1 + exp(-x)), for both signs of x: by `logaddexp` nothing overflows.
    of_yes, of_no = ((-logit).logaddexp(logit._zeros()), logit.logaddexp(logit._zeros()))
    of_yes = of_yes if pos_weight is None else of_yes * pos_weight
    losses = label * of_yes + label.scale(-1.0, 1.0) * of_no
    return _reduced(losses if weight is None else losses * weight, reduction)


def cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    soft_label: bool = False,
    axis: int = -1,
    use_softmax: bool = True,
    label_smoothing: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """Minus the logarithm of the probability that was given to the right class.

    Args:
        input: a score for each class, along `axis`; probabilities if `use_softmax` is False.
        label: the number of the right class (int32 or int64), without that axis or with a size of 1; with `soft_label`, a
            probability for each class.
        weight: a factor for each class, or None. The mean is then divided by the sum of the factors.
        ignore_index: examples with this label have no loss and do not count.
        reduction: what becomes of the losses.
        soft_label: whether labels are probabilities.
        axis: along which the classes are.
        use_softmax: whether `softmax` makes probabilities of the scores.
        label_smoothing: how much of each label is spread evenly over all classes.
        name: for Paddle's sake; not used.

    Raises:
        ArgumentError: if `reduction` is none of the three words.
        ShapeError: if scores and labels do not go together.
        DTypeError: if labels are no integers.
        IndexRangeError: if there is no class of that number.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/cross_entropy_en.html
    """
    check_reduction("softmax_cross_entropy", reduction)
    input, label = as_tensor("cross_entropy", "input", 0, input), as_tensor("cross_entropy", "label", 1, label)
    if input.ndim == 0 or label.ndim not in (input.ndim - 1, input.ndim):
        raise errors.labels_do_not_fit(input.ndim, label.ndim)
    axis %= input.ndim
    logs = log_softmax(input, axis) if use_softmax else input.log()
    if label_smoothing and not soft_label:
        numbers = label.squeeze(axis) if label.ndim == input.ndim else label
        label, soft_label = one_hot(numbers, input.shape[axis]).moveaxis(-1, axis).cast(input.dtype), True
    if label_smoothing:
        label = label.scale(1.0 - label_smoothing, label_smoothing / input.shape[axis])
    if soft_label:
        return _of_probabilities(logs, label, weight, reduction, axis)
    return _of_classes(logs, label, weight, ignore_index, reduction, axis)


def _of_probabilities(logs: Tensor, label: Tensor, weight: Tensor | None, reduction: str, axis: int) -> Tensor:
    losses = -(label * logs).sum(axis, keepdim=True)
    if weight is None:
        return _reduced(losses, reduction)
    factors = (label * _along(weight, axis, logs.ndim)).sum(axis, keepdim=True)
    return _averaged(losses * factors, factors) if reduction == "mean" else _reduced(losses * factors, reduction)


def _of_classes(
    logs: Tensor, label: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, axis: int
) -> Tensor:
    if label.dtype.name not in ("int32", "int64"):
        raise errors.labels_are_no_integers(label.dtype.name)
    numbers = label if label.ndim == logs.ndim else label.unsqueeze(axis)
    counts = numbers != ignore_index
    numbers = numbers.masked_fill(counts.logical_not(), 0)
    losses = -logs.take_along_axis(numbers, axis)._inside(counts)
    factors = counts.cast(logs.dtype)
    if weight is not None:
        factors = weight[numbers]._inside(counts)
        losses = losses * factors
    if reduction == "mean":
        return _averaged(losses, factors)
    return _reduced(losses if label.ndim == logs.ndim else losses.squeeze(axis), reduction)


def _averaged(losses: Tensor, factors: Tensor) -> Tensor:
    """The mean, where some count more than others. If none counts, there is no loss: 0, and not 0 / 0."""
    total = factors.sum()
    average: Tensor = losses.sum() / total.masked_fill(total == 0, 1.0)
    return average


def _along(weight: Tensor, axis: int, rank: int) -> Tensor:
    """A factor for each class, so that it is broadcast along the other axes."""
    return weight.reshape([-1 if k == axis else 1 for k in range(rank)])
