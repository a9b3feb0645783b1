"""Loss layers: each applies a loss function of `nn.functional`."""

from __future__ import annotations

from inplacelab.nn import functional
from inplacelab.nn.layer import Layer
from inplacelab.nn.losses import check_reduction
from inplacelab.tensor import Tensor


class MSELoss(Layer):
    """Applies `nn.functional.mse_loss`.

    Args:
        reduction: "mean", "sum", or "none" for one loss per element.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/MSELoss_en.html
    """

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        check_reduction("MSELoss", reduction)
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of predictions `input` and targets `label`, of the same shape."""
        return functional.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """Applies `nn.functional.l1_loss`.

    Args:
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/L1Loss_en.html
    """

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        check_reduction("L1Loss", reduction)
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of predictions `input` and targets `label`, of the same shape."""
        return functional.l1_loss(input, label, self.reduction)


class SmoothL1Loss(Layer):
    """Applies `nn.functional.smooth_l1_loss`.

    Args:
        reduction: "mean", "sum", or "none" for one loss per element.
        delta: the difference at which the straight line begins; greater than 0.
        is_huber: False divides the losses by `delta`.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/SmoothL1Loss_en.html
    """

    def __init__(
        self, reduction: str = "mean", delta: float = 1.0, is_huber: bool = True, name: str | None = None
    ) -> None:
        super().__init__()
        check_reduction("smooth_l1_loss", reduction)
        self.reduction, self.delta, self.is_huber = reduction, delta, is_huber

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of predictions `input` and targets `label`, of the same shape."""
        return functional.smooth_l1_loss(input, label, self.reduction, self.delta, self.is_huber)


class KLDivLoss(Layer):
    """Applies `nn.functional.kl_div`.

    Args:
        reduction: "mean", "batchmean", "sum", or "none" for one loss per element.
        log_target: whether `label` contains logarithms.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/KLDivLoss_en.html
    """

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of log-probabilities `input` and probabilities `label`, of the same shape."""
        return functional.kl_div(input, label, self.reduction, self.log_target)


class BCELoss(Layer):
    """Applies `nn.functional.binary_cross_entropy`.

    Args:
        weight: a factor for each loss, or None.
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/BCELoss_en.html
    """

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        check_reduction("binary_cross_entropy", reduction)
        self.weight, self.reduction = weight, reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of probabilities `input` and labels `label` from 0 to 1, of the same shape."""
        return functional.binary_cross_entropy(input, label, self.weight, self.reduction)


class NLLLoss(Layer):
    """Applies `nn.functional.nll_loss`.

    Args:
        weight: a factor for each class, of shape [C], or None.
        ignore_index: examples with this label have loss 0 and do not count in the mean.
        reduction: "mean", "sum", or "none" for one loss per element.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/NLLLoss_en.html
    """

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__()
        check_reduction("nll_loss", reduction)
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of log-probabilities `input` and class numbers `label`."""
        return functional.nll_loss(input, label, self.weight, self.ignore_index, self.reduction)


class BCEWithLogitsLoss(Layer):
    """Applies `nn.functional.binary_cross_entropy_with_logits`.

    Args:
        weight: a factor for each loss, or None.
        reduction: "mean", "sum", or "none" for one loss per element.
        pos_weight: a factor for the losses of positive labels, or None.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/BCEWithLogitsLoss_en.html
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_reduction("BCEWithLogitsLoss", reduction)
        self.weight, self.reduction, self.pos_weight = weight, reduction, pos_weight

    def forward(self, logit: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of scores `logit` and labels `label` from 0 to 1, of the same shape."""
        return functional.binary_cross_entropy_with_logits(logit, label, self.weight, self.reduction, self.pos_weight)


class CrossEntropyLoss(Layer):
    """Applies `nn.functional.cross_entropy`.

    Args:
        weight: a factor for each class, of shape [C], or None.
        ignore_index: examples with this label have loss 0 and do not count in the mean.
        reduction: "mean", "sum", or "none" for one loss per element.
        soft_label: whether labels are probabilities.
        axis: the axis of the classes.
        use_softmax: whether to apply `softmax` to the input first.
        label_smoothing: the part of each label, from 0 to 1, that is spread evenly over all classes.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `reduction` is not one of these.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/CrossEntropyLoss_en.html
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        soft_label: bool = False,
        axis: int = -1,
        use_softmax: bool = True,
        label_smoothing: float = 0.0,
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_reduction("softmax_cross_entropy", reduction)
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction
        self._options = soft_label, axis, use_softmax, label_smoothing

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of scores `input` and class numbers or probabilities `label`."""
        return functional.cross_entropy(input, label, self.weight, self.ignore_index, self.reduction, *self._options)
