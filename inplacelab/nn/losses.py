"""Losses for regression and probabilities. They are composed of table operations, so derivatives of any order exist.

`reduction` is "mean", "sum", or "none" for one loss per element.
"""

from __future__ import annotations

from math import pi

from inplacelab import errors
from inplacelab.language import Text
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


def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    """Computes the squared difference of each element; the same as `mse_loss` with `reduction="none"`.

    Args:
        input: the predictions.
        label: the targets, of the same shape.

    Returns:
        A new tensor of this shape.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/square_error_cost_en.html
    """
    return mse_loss(input, label, "none")


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


def kl_div(
    input: Tensor, label: Tensor, reduction: str = "mean", log_target: bool = False, name: str | None = None
) -> Tensor:
    """Computes the Kullback-Leibler divergence `label * (log(label) - input)`.

    Args:
        input: logarithms of probabilities.
        label: probabilities, or their logarithms; of the same shape.
        reduction: "mean", "sum", "none", or "batchmean": the sum divided by the length of the first axis.
        log_target: whether `label` contains logarithms.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" a tensor of the shape of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/kl_div_en.html
    """
    input = as_tensor("kl_div", "input", 0, input)
    if reduction != "batchmean":
        check_reduction("kl_div", reduction)
    if log_target:
        losses = label.exp() * (label - input)
    else:  # 0 log 0 is 0
        positive = label > 0
        losses = label * (label.masked_fill(positive.logical_not(), 1.0).log() - input)
        losses = losses._inside(positive)
    if reduction == "batchmean":
        total: Tensor = losses.sum().scale(1.0 / max(input.shape[0] if input.ndim else 1, 1))
        return total
    return reduced(losses, reduction)


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


def poisson_nll_loss(
    input: Tensor,
    label: Tensor,
    log_input: bool = True,
    full: bool = False,
    epsilon: float = 1e-8,
    reduction: str = "mean",
    name: str | None = None,
) -> Tensor:
    """Computes the negative log likelihood of counts: `exp(input) - label * input`.

    Args:
        input: the logarithms of expected counts, or these counts.
        label: the counts, of the same shape.
        log_input: False if `input` holds the counts themselves: then the loss is `input - label * log(input + epsilon)`.
        full: add Stirling's approximation of `log(label!)` where a label is greater than 1.
        epsilon: what keeps the logarithm finite; greater than 0.
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Returns:
        A scalar tensor, or with "none" a tensor of the shape of `input`.

    Raises:
        ArgumentError: if `reduction` is not one of these, or `epsilon` is not greater than 0.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/poisson_nll_loss_en.html
    """
    check_reduction("poisson_nll_loss", reduction)
    if epsilon <= 0:
        possible = Text("a number greater than 0", "大于 0 的数")
        raise errors.bad_argument(op="poisson_nll_loss", argument="epsilon", value=epsilon, possible=possible)
    input = as_tensor("poisson_nll_loss", "input", 0, input)
    label = as_tensor("poisson_nll_loss", "label", 1, label)
    losses = input.exp() - label * input if log_input else input - label * input.scale(1.0, epsilon).log()
    if full:
        large = label.masked_fill(label <= 1, 2.0)  # nothing is computed from the others
        stirling = large * large.log() - large + large.scale(2.0 * pi).log().scale(0.5)
        losses = losses + stirling.masked_fill(label <= 1, 0.0)
    return reduced(losses, reduction)
