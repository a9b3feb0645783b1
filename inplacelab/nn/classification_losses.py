"""Losses for classification. They are composed of table operations, so derivatives of any order exist."""

from __future__ import annotations

from inplacelab import errors
from inplacelab.layout import normal_axis
from inplacelab.nn.layer_functions import log_softmax, one_hot
from inplacelab.nn.losses import check_reduction, reduced
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.tensor import Tensor


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
    """Computes minus the logarithm of the predicted probability of the correct class.

    Args:
        input: a score for each class along `axis`, of shape [*, C]; probabilities if `use_softmax` is False.
        label: class numbers (int32 or int64), of the shape of `input` without `axis`, or with size 1 there. With
            `soft_label`, a probability for each class, of the shape of `input`.
        weight: a factor for each class, of shape [C], or None. The mean is divided by the sum of the factors.
        ignore_index: examples with this label have loss 0 and do not count in the mean. If the index is negative and
            `weight` is None they do count, as in PaddlePaddle 3.3.1.
        reduction: "mean", "sum", or "none" for one loss per element.
        soft_label: whether labels are probabilities.
        axis: the axis of the classes.
        use_softmax: whether to apply `softmax` to `input` first.
        label_smoothing: the part of each label, from 0 to 1, that is spread evenly over all classes.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" one loss per example; of the dtype of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these.
        ShapeError: if the shapes of `input` and `label` do not match.
        DTypeError: if class numbers are not int32 or int64.
        IndexRangeError: if a class number is out of range.
        AxisError: if `axis` is out of range.

    >>> import inplacelab as paddle
    >>> scores, classes = paddle.zeros([2, 4]), paddle.to_tensor([0, 3])
    >>> round(float(paddle.nn.functional.cross_entropy(scores, classes)), 4)   # log(4)
    1.3863

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/cross_entropy_en.html
    """
    check_reduction("softmax_cross_entropy", reduction)
    input, label = as_tensor("cross_entropy", "input", 0, input), as_tensor("cross_entropy", "label", 1, label)
    if input.ndim == 0 or label.ndim not in (input.ndim - 1, input.ndim):
        raise errors.label_rank_differs(classes=input.ndim, labels=label.ndim)
    axis = normal_axis(axis, input.ndim)
    logs = log_softmax(input, axis) if use_softmax else input.log()
    if label_smoothing and not soft_label:
        numbers = label.squeeze(axis) if label.ndim == input.ndim else label
        label, soft_label = one_hot(numbers, input.shape[axis]).moveaxis(-1, axis).cast(input.dtype), True
    if label_smoothing:
        label = label.scale(1.0 - label_smoothing, label_smoothing / input.shape[axis])
    if soft_label:
        return _of_probabilities(logs, label, weight, reduction, axis)
    return _of_classes(logs, label, weight, ignore_index, reduction, axis)


def nll_loss(
    input: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Computes minus the log-probability of the correct class: `cross_entropy` for the results of `log_softmax`.

    Args:
        input: logarithms of probabilities, of shape [N, C] or [N, C, d1, ...].
        label: class numbers (int32 or int64), of shape [N] or [N, d1, ...].
        weight: a factor for each class, of shape [C], or None. The mean is divided by the sum of the factors.
        ignore_index: examples with this label have loss 0 and do not count in the mean.
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" one loss per example; of the dtype of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these.
        ShapeError: if the shapes of `input` and `label` do not match.
        DTypeError: if class numbers are not int32 or int64.
        IndexRangeError: if a class number is out of range.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/nll_loss_en.html
    """
    check_reduction("nll_loss", reduction)
    input, label = as_tensor("nll_loss", "input", 0, input), as_tensor("nll_loss", "label", 1, label)
    if label.ndim != input.ndim - 1:
        raise errors.label_rank_differs(classes=input.ndim, labels=label.ndim)
    losses, factors = _at_classes(input, label.unsqueeze(1), weight, ignore_index, 1)
    return _averaged(losses, factors) if reduction == "mean" else reduced(losses.squeeze(1), reduction)


def _of_probabilities(logs: Tensor, label: Tensor, weight: Tensor | None, reduction: str, axis: int) -> Tensor:
    losses = -(label * logs).sum(axis, keepdim=True)
    if weight is None:
        return reduced(losses, reduction)
    factors = (label * _along(weight, axis, logs.ndim)).sum(axis, keepdim=True)
    return _averaged(losses * factors, factors) if reduction == "mean" else reduced(losses * factors, reduction)


def _of_classes(
    logs: Tensor, label: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, axis: int
) -> Tensor:
    numbers = label if label.ndim == logs.ndim else label.unsqueeze(axis)
    losses, factors = _at_classes(logs, numbers, weight, ignore_index, axis)
    if reduction == "mean":
        return _averaged(losses, factors) if weight is not None or ignore_index >= 0 else losses.mean()
    return reduced(losses if label.ndim == logs.ndim else losses.squeeze(axis), reduction)


def _at_classes(
    logs: Tensor, numbers: Tensor, weight: Tensor | None, ignore_index: int, axis: int
) -> tuple[Tensor, Tensor]:
    """The loss of each example, and its weight in the mean: 0 if its label is ignored."""
    if numbers.dtype.name not in ("int32", "int64"):
        raise errors.labels_not_integers(dtype=numbers.dtype.name)
    counts = numbers != ignore_index
    _check_classes(numbers, counts)
    numbers = numbers.masked_fill(counts.logical_not(), 0)
    losses = -logs.take_along_axis(numbers, axis)._inside(counts)
    if weight is None:
        return losses, counts.cast(logs.dtype)
    factors = weight[numbers]._inside(counts)
    return losses * factors, factors


def _check_classes(numbers: Tensor, counts: Tensor) -> None:
    """Raises for a negative class number, which indexing would count from the last class."""
    wrong = numbers.array[(numbers.array < 0) & counts.array]
    if wrong.size:
        raise errors.negative_label(label=int(wrong[0]))


def _averaged(losses: Tensor, factors: Tensor) -> Tensor:
    """The weighted mean; 0 instead of 0 / 0 if all weights are 0."""
    total = factors.sum()
    average: Tensor = losses.sum() / total.masked_fill(total == 0, 1.0)
    return average


def _along(weight: Tensor, axis: int, rank: int) -> Tensor:
    """`weight` reshaped, so that it is broadcast along all axes except `axis`."""
    return weight.reshape([-1 if k == axis else 1 for k in range(rank)])
