"""Modules with parameters, or with a mode: linear, dropout, normalization, embedding."""

from __future__ import annotations

from math import sqrt
from typing import Any, ClassVar

import inplacelab.torch as torch
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.torch.nn import functional as F
from inplacelab.torch.nn import init
from inplacelab.torch.nn.module import Module
from inplacelab.torch.refusals import refuse
from inplacelab.torch.tensor import Parameter


class Linear(Module):
    """Computes `x @ weight.T + bias`.

    Args:
        in_features: the size of the last axis of the input.
        out_features: the size of the last axis of the result.
        bias: whether there is a bias.
        device: "cpu".
        dtype: of the parameters.

    Attributes:
        weight: of shape (out_features, in_features).
        bias: of shape (out_features,), or None.
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(torch.empty(out_features, in_features, dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(torch.empty(out_features, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws the first values: uniform within one over the root of `in_features`."""
        limit = 1 / sqrt(self.in_features) if self.in_features else 0.0
        init.uniform_(self.weight, -limit, limit)
        if self.bias is not None:
            init.uniform_(self.bias, -limit, limit)

    def forward(self, input: Any) -> Any:
        """Returns the product, of shape (*, out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Embedding(Module):
    """Rows of a table.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the length of each.
        padding_idx: a row that gets no gradient.
        max_norm: rows that are longer are scaled down, in place, when they are read.
        norm_type: the norm that measures them.
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        self.max_norm, self.norm_type = max_norm, norm_type
        self.weight = Parameter(torch.empty(num_embeddings, embedding_dim))
        init.normal_(self.weight)
        if padding_idx is not None:
            with no_grad():
                self.weight[padding_idx].fill_(0)

    def forward(self, input: Any) -> Any:
        """Returns the rows with these numbers."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"{self.num_embeddings}, {self.embedding_dim}"


class Dropout(Module):
    """Sets elements to zero at random in training.

    Args:
        p: the probability of each.
        inplace: whether to write the input.
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        self.p, self.inplace = p, inplace

    def forward(self, input: Any) -> Any:
        """Applies dropout in training."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"p={self.p}, inplace={self.inplace}"


def _scale_and_shift(module: Module, shape: tuple[int, ...], weight: bool, bias: bool) -> None:
    """Gives a normalization its weight of ones and its bias of zeros, written in place as PyTorch does: their versions are 1."""
    module.register_parameter("weight", init.ones_(Parameter(torch.empty(*shape))) if weight else None)
    module.register_parameter("bias", init.zeros_(Parameter(torch.empty(*shape))) if bias else None)


class LayerNorm(Module):
    """Normalizes over the last axes, then scales and shifts.

    Args:
        normalized_shape: the sizes of these axes.
        eps: added to the variance.
        elementwise_affine: whether there is a weight and a bias.
        bias: whether there is a bias.
    """

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-05, elementwise_affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        _scale_and_shift(self, self.normalized_shape, elementwise_affine, elementwise_affine and bias)

    def forward(self, input: Any) -> Any:
        """Normalizes the input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"


class _BatchNorm(Module):
    """Normalizes each channel over a batch; in training the running statistics are written in place.

    Args:
        num_features: the number of channels.
        eps: added to the variance.
        momentum: the part that each batch contributes to the running statistics.
        affine: whether there is a weight and a bias.
        track_running_stats: whether there are running statistics.
    """

    _ranks: ClassVar[tuple[int, ...]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-05,
        momentum: float = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        _scale_and_shift(self, (num_features,), affine, affine)
        self.register_buffer("running_mean", torch.empty(num_features).zero_())
        self.register_buffer("running_var", torch.empty(num_features).fill_(1))
        self.register_buffer("num_batches_tracked", torch.tensor(0))

    def forward(self, input: Any) -> Any:
        """Normalizes the input; its second axis is that of the channels."""
        if input.dim() not in self._ranks:
            raise refuse("batch_norm_input", ranks=" or ".join(f"{rank}D" for rank in self._ranks), found=input.dim())
        if self.training:
            self.num_batches_tracked.add_(1)
        return F.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, self.training, self.momentum, self.eps
        )

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Normalizes each channel of an input of shape (N, C) or (N, C, L). The arguments are those of `BatchNorm2d`."""

    _ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalizes each channel of images, of shape (N, C, H, W); in training the running statistics are written in place.

    Args:
        num_features: the number of channels.
        eps: added to the variance.
        momentum: the part that each batch contributes to the running statistics.
        affine: whether there is a weight and a bias.
        track_running_stats: whether there are running statistics.
    """

    _ranks = (4,)


class Flatten(Module):
    """Merges the axes from `start_dim` to `end_dim`."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Any) -> Any:
        """Returns the input with these axes merged."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one axis into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        self.dim, self.unflattened_size = dim, tuple(unflattened_size)

    def forward(self, input: Any) -> Any:
        """Returns the input with this axis split."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Identity(Module):
    """Returns its input. All arguments of the constructor are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Returns the input itself."""
        return input
