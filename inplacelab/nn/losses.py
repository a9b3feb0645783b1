"""Losses, and what they are made of. They are composed of table operations, so derivatives of any order exist.

`reduction` is "mean", "sum", or "none" for one loss per element.
"""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.layout import normal_axis
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table import FUNCTIONS
from inplacelab.tensor import Tensor

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(op: str, reduction: str) -> None:
    """Checks `reduction`; `op` is the name in the error message.

    Raises:
        ArgumentError: if `reduction` is not "mean", "sum" or "none".
    """
    if reduction not in REDUCTIONS:
        raise errors.unknown_reduction(op=op, reduction=reduction)


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """Reduces losses to a scalar.

    Args:
        losses: one loss per element.
        reduction: "mean", "sum" or "none".

    Returns:
        A scalar tensor, or `losses` itself for "none".
    """
    if reduction == "none":
        return losses
    total: Tensor = losses.mean() if reduction == "mean" else losses.sum()
    return total


def mse_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None) -> Tensor:
    """Computes the squared differences.

    Args:
        input: the predictions.
        label: the targets, of the same shape.
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" a tensor of the shape of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    >>> import inplacelab as paddle
    >>> float(paddle.nn.functional.mse_loss(paddle.to_tensor([1., 2.]), paddle.to_tensor([1., 4.])))
    2.0

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/mse_loss_en.html
    """
    check_reduction("mse_loss", reduction)
    return reduced((as_tensor("mse_loss", "input", 0, input) - label).square(), reduction)


def smooth_l1_loss(
    input: Tensor,
    label: Tensor,
    reduction: str = "mean",
    delta: float = 1.0,
    is_huber: bool = True,
    name: str | None = None,
) -> Tensor:
    """Computes half the squared difference up to `delta`, and a straight line above it, so outliers have a limited gradient.

    Args:
        input: the predictions.
        label: the targets, of the same shape.
        reduction: "mean", "sum", or "none" for one loss per element.
        delta: the difference at which the straight line begins; greater than 0.
        is_huber: False divides the losses by `delta`.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" a tensor of the shape of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    >>> import inplacelab as paddle
    >>> found, right = paddle.to_tensor([1., 5.]), paddle.to_tensor([0., 0.])
    >>> paddle.nn.functional.smooth_l1_loss(found, right, reduction="none").tolist()
    [0.5, 4.5]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/smooth_l1_loss_en.html
    """
    check_reduction("smooth_l1_loss", reduction)
    size = (as_tensor("smooth_l1_loss", "input", 0, input) - label).abs()
    low = size < delta  # the square is only computed there: that of an infinite difference would have no gradient
    square, line = size._inside(low).square().scale(0.5), size.scale(delta, -0.5 * delta * delta)
    losses = FUNCTIONS["where"]()(low, square, line)
    return reduced(losses if is_huber else losses.scale(1.0 / delta), reduction)


def binary_cross_entropy(
    input: Tensor, label: Tensor, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Computes `-(label * log(input) + (1 - label) * log(1 - input))`.

    Args:
        input: probabilities, from 0 to 1. Logarithms are at least -100, so that no loss is infinite.
        label: 0 or 1, or a probability; of the shape of `input`.
        weight: a factor for each loss, or None.
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" a tensor of the shape of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these.
        ShapeError: if `input` and `label` are of different shapes.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/binary_cross_entropy_en.html
    """
    check_reduction("binary_cross_entropy", reduction)
    input = as_tensor("binary_cross_entropy", "input", 0, input)
    losses = input._binary_cross_entropy(label)
    return reduced(losses if weight is None else losses * weight, reduction)


def l1_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None) -> Tensor:
    """Computes the absolute differences.

    Args:
        input: the predictions.
        label: the targets, of the same shape.
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" a tensor of the shape of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/l1_loss_en.html
    """
    check_reduction("l1_loss", reduction)
    return reduced((as_tensor("l1_loss", "input", 0, input) - label).abs(), reduction)


def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Tensor | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Computes `binary_cross_entropy(sigmoid(logit), label)` without overflow in intermediate results.

    Args:
        logit: scores.
        label: 0 or 1, or a probability; of the shape of `logit`.
        weight: a factor for each loss, or None.
        reduction: "mean", "sum", or "none" for one loss per element.
        pos_weight: a factor for the losses of positive labels, or None.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" a tensor of the shape of `logit`.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/binary_cross_entropy_with_logits_en.html
    """
    check_reduction("binary_cross_entropy_with_logits", reduction)
    logit = as_tensor("binary_cross_entropy_with_logits", "logit", 0, logit)
    # log(1 + exp(-x)), for both signs of x: `logaddexp` does not overflow.
    if_one, if_zero = ((-logit).logaddexp(logit._zeros()), logit.logaddexp(logit._zeros()))
    if_one = if_one if pos_weight is None else if_one * pos_weight
    losses = label * if_one + label.scale(-1.0, 1.0) * if_zero
    return reduced(losses if weight is None else losses * weight, reduction)


def log_softmax(x: Tensor, axis: int = -1, dtype: Any = None, name: str | None = None) -> Tensor:
    """Computes `log(softmax(x))` without overflow in intermediate results.

    PaddlePaddle 3.3.1 returns at least -64 on the CPU; here there is no lower limit.

    Args:
        x: a floating-point tensor of any shape.
        axis: the axis along which the probabilities add up to 1.
        dtype: the dtype to cast `x` to first, or None.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor with the shape of `x`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/log_softmax_en.html
    """
    scores = as_tensor("log_softmax", "x", 0, x) if dtype is None else x.cast(dtype)
    result: Tensor = scores._log_softmax(axis)
    return result


def one_hot(x: Tensor, num_classes: int = -1, name: str | None = None) -> Tensor:
    """Encodes each integer as a row of zeros with a one at that index.

    Args:
        x: integers from 0 to `num_classes` - 1, of shape [*].
        num_classes: the length of a row; -1 for the largest number plus 1.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A new tensor of the default dtype, of shape [*, num_classes].

    Raises:
        KernelError: if `x` is not int32 or int64.
        IndexRangeError: if a number is out of range.

    >>> import inplacelab as paddle
    >>> paddle.nn.functional.one_hot(paddle.to_tensor([0, 2]), 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/one_hot_en.html
    """
    x = as_tensor("one_hot", "x", 0, x)
    if x.dtype.name not in ("int32", "int64"):
        raise errors.kernel_not_registered(dtype=x.dtype.name, op="one_hot", accepts="i")
    length = int(x.max()) + 1 if num_classes == -1 else int(num_classes)
    rows = FUNCTIONS["zeros"]()([*x.shape, length])
    result: Tensor = rows.put_along_axis(x.unsqueeze(-1), 1.0, x.ndim)
    return result


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
            `soft_label` or `label_smoothing`, also a probability for each class, of the shape of `input`: one-hot, for example.
        weight: a factor for each class, of shape [C], or None. The mean is divided by the sum of the factors.
        ignore_index: examples with this label have loss 0 and do not count in the mean. If the index is negative and
            `weight` is None they do count, as in PaddlePaddle 3.3.1. Not used where labels are, or become, probabilities.
        reduction: "mean", "sum", or "none" for one loss per element.
        soft_label: whether labels are probabilities; with `label_smoothing` their shape tells.
        axis: the axis of the classes.
        use_softmax: whether to apply `softmax` to `input` first.
        label_smoothing: the part of each label, from 0 to 1, that is spread evenly over all classes. (PaddlePaddle 3.3.1 divides
            it by the size of the last axis, even if `axis` is another.)
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
    if label_smoothing:
        shares = _shares(label, input, axis)
        label, soft_label = shares.scale(1.0 - label_smoothing, label_smoothing / input.shape[axis]), True
    if soft_label:
        if label.shape != input.shape:
            raise errors.probabilities_missing(classes=input.shape, labels=label.shape)
        return _of_probabilities(logs, label, weight, reduction, axis)
    return _of_classes(logs, label, weight, ignore_index, reduction, axis)


def _shares(label: Tensor, input: Tensor, axis: int) -> Tensor:
    """Labels as a probability for each class, in the dtype of `input`; class numbers become one-hot."""
    if label.ndim < input.ndim:
        label = one_hot(label, input.shape[axis]).moveaxis(-1, axis)
    elif label.shape[axis] == 1 and not label.is_floating_point():
        label = one_hot(label.squeeze(axis), input.shape[axis]).moveaxis(-1, axis)
    return label.astype(input.dtype)


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
    if numbers.shape[axis] != 1:
        raise errors.probabilities_as_classes(axis=axis, labels=label.shape)
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
