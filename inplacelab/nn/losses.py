"""How far results are from what they should be, as one number; made of rows, so derivatives of any order are theirs.

`reduction` says what becomes of the losses of all elements: "mean", "sum", or "none" (they stay as they are).
"""

from __future__ import annotations

from inplacelab import errors
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table.exports import FUNCTIONS
from inplacelab.tensor import Tensor

REDUCTIONS = ("mean", "sum", "none")


def check_reduction(op: str, reduction: str) -> None:
    """Refuse what is none of the three words."""
    if reduction not in REDUCTIONS:
        raise errors.unknown_reduction(op=op, reduction=reduction)


def reduced(losses: Tensor, reduction: str) -> Tensor:
    """What becomes of the losses of all elements."""
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
    return reduced((as_tensor("mse_loss", "input", 0, input) - label).square(), reduction)


def square_error_cost(input: Tensor, label: Tensor) -> Tensor:
    """The squares of the differences, as they are: `mse_loss` with `reduction="none"`, under its older name.

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
    """Half the square of each difference up to `delta`, and beyond it a straight line: far ones do not pull the harder.

    Args:
        input: what was found.
        label: what it should be; of the same shape.
        reduction: what becomes of the losses.
        delta: where the line begins; more than 0.
        is_huber: False divides by `delta`.
        name: for Paddle's sake; not used.

    Raises:
        ArgumentError: if `reduction` is none of the three words.

    >>> import inplacelab as paddle
    >>> found, right = paddle.to_tensor([1., 5.]), paddle.to_tensor([0., 0.])
    >>> paddle.nn.functional.smooth_l1_loss(found, right, reduction="none").tolist()
    [0.5, 4.5]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/smooth_l1_loss_en.html
    """
    check_reduction("smooth_l1_loss", reduction)
    size = (as_tensor("smooth_l1_loss", "input", 0, input) - label).abs()
    square, line = size.square().scale(0.5), size.scale(delta, -0.5 * delta * delta)
    losses = FUNCTIONS["where"]()(size < delta, square, line)
    return reduced(losses if is_huber else losses.scale(1.0 / delta), reduction)


def binary_cross_entropy(
    input: Tensor, label: Tensor, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None
) -> Tensor:
    """Minus the logarithm of the probability that `input` gives to what was right: yes (1) or no (0).

    Args:
        input: probabilities, from 0 to 1. Logarithms below -100 count as -100, so that no loss is infinite.
        label: 1 or 0, or a probability; of the shape of `input`.
        weight: a factor for each loss, or None.
        reduction: what becomes of the losses.
        name: for Paddle's sake; not used.

    Raises:
        ArgumentError: if `reduction` is none of the three words.
        ShapeError: if `input` and `label` are of different shapes.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/binary_cross_entropy_en.html
    """
    check_reduction("binary_cross_entropy", reduction)
    input = as_tensor("binary_cross_entropy", "input", 0, input)
    of_yes, of_no = input.log().clip(min=-100.0), input.scale(-1.0, 1.0).log().clip(min=-100.0)
    losses = -(label * of_yes + label.scale(-1.0, 1.0) * of_no)
    return reduced(losses if weight is None else losses * weight, reduction)


def kl_div(
    input: Tensor, label: Tensor, reduction: str = "mean", log_target: bool = False, name: str | None = None
) -> Tensor:
    """How much is lost when `label` is taken to be the distribution whose logarithms are `input`: Kullback and Leibler's divergence.

    Args:
        input: logarithms of probabilities.
        label: probabilities, or their logarithms; of the same shape.
        reduction: what becomes of the losses; also "batchmean": the sum divided by the length of the first axis.
        log_target: whether `label` holds logarithms.
        name: for Paddle's sake; not used.

    Raises:
        ArgumentError: if `reduction` is none of the words.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/functional/kl_div_en.html
    """
    input = as_tensor("kl_div", "input", 0, input)
    if reduction != "batchmean":
        check_reduction("kl_div", reduction)
    if log_target:
        losses = label.exp() * (label - input)
    else:  # where the probability is 0, nothing is lost: 0 log 0 is 0
        positive = label > 0
        losses = label * (label.masked_fill(positive.logical_not(), 1.0).log() - input)
        losses = losses._inside(positive)
    if reduction == "batchmean":
        total: Tensor = losses.sum().scale(1.0 / max(input.shape[0] if input.ndim else 1, 1))
        return total
    return reduced(losses, reduction)


def l1_loss(input: Tensor, label: Tensor, reduction: str = "mean", name: str | None = None) -> Tensor:
    """The sizes of the differences.

    Raises:
        ArgumentError: if `reduction` is none of the three words.

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
    return reduced(losses if weight is None else losses * weight, reduction)
