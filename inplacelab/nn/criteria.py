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
