"""Losses as layers."""

from __future__ import annotations

from inplacelab.nn import functional
from inplacelab.nn.layer import Layer
from inplacelab.nn.losses import check_reduction
from inplacelab.tensor import Tensor


class MSELoss(Layer):
    """`nn.functional.mse_loss` as a layer."""

    def __init__(self, reduction: str = "mean") -> None:
        super().__init__()
        check_reduction("MSELoss", reduction)
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """The loss."""
        return functional.mse_loss(input, label, self.reduction)


class L1Loss(Layer):
    """`nn.functional.l1_loss` as a layer."""

    def __init__(self, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        check_reduction("L1Loss", reduction)
        self.reduction = reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """The loss."""
        return functional.l1_loss(input, label, self.reduction)


class SmoothL1Loss(Layer):
    """`nn.functional.smooth_l1_loss` as a layer."""

    def __init__(
        self, reduction: str = "mean", delta: float = 1.0, is_huber: bool = True, name: str | None = None
    ) -> None:
        super().__init__()
        check_reduction("smooth_l1_loss", reduction)
        self.reduction, self.delta, self.is_huber = reduction, delta, is_huber

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """The loss."""
        return functional.smooth_l1_loss(input, label, self.reduction, self.delta, self.is_huber)


class KLDivLoss(Layer):
    """`nn.functional.kl_div` as a layer."""

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__()
        self.reduction, self.log_target = reduction, log_target

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """The loss."""
        return functional.kl_div(input, label, self.reduction, self.log_target)


class BCELoss(Layer):
    """`nn.functional.binary_cross_entropy` as a layer."""

    def __init__(self, weight: Tensor | None = None, reduction: str = "mean", name: str | None = None) -> None:
        super().__init__()
        check_reduction("binary_cross_entropy", reduction)
        self.weight, self.reduction = weight, reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """The loss."""
        return functional.binary_cross_entropy(input, label, self.weight, self.reduction)


class NLLLoss(Layer):
    """`nn.functional.nll_loss` as a layer."""

    def __init__(
        self, weight: Tensor | None = None, ignore_index: int = -100, reduction: str = "mean", name: str | None = None
    ) -> None:
        super().__init__()
        check_reduction("nll_loss", reduction)
        self.weight, self.ignore_index, self.reduction = weight, ignore_index, reduction

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """The loss."""
        return functional.nll_loss(input, label, self.weight, self.ignore_index, self.reduction)


class BCEWithLogitsLoss(Layer):
    """`nn.functional.binary_cross_entropy_with_logits` as a layer."""

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
        """The loss."""
        return functional.binary_cross_entropy_with_logits(logit, label, self.weight, self.reduction, self.pos_weight)


class CrossEntropyLoss(Layer):
    """`nn.functional.cross_entropy` as a layer."""

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
        """The loss."""
        return functional.cross_entropy(input, label, self.weight, self.ignore_index, self.reduction, *self._options)
