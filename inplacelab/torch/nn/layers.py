"""Modules: linear, dropout, normalization, embedding; activations and losses; and containers of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter as Argument
from inspect import signature
from math import sqrt
from typing import Any, ClassVar, Self

import inplacelab.torch as torch
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.torch.nn import functional, init
from inplacelab.torch.nn import functional as F
from inplacelab.torch.nn.module import Module
from inplacelab.torch.refusals import refuse
from inplacelab.torch.tensor import Parameter, Tensor


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


class Identity(Module):
    """Returns its input. All arguments of the constructor are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """Returns the input itself."""
        return input


PLAIN = {
    "ReLU": "relu", "ReLU6": "relu6", "LeakyReLU": "leaky_relu", "GELU": "gelu", "SiLU": "silu", "Hardtanh": "hardtanh",
    "Hardswish": "hardswish", "Sigmoid": "sigmoid", "Tanh": "tanh", "Softmax": "softmax", "MSELoss": "mse_loss",
    "CrossEntropyLoss": "cross_entropy", "BCELoss": "binary_cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
}  # fmt: skip
"""The module, and its function."""
_INPUTS = ("input", "target")
_NOT_SHOWN = ("dtype", "_stacklevel")


class Plain(Module):
    """Applies a function of `nn.functional`. The arguments of the constructor are those of the function behind its tensors."""

    _function = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        function = getattr(functional, self._function)
        options = [p for p in signature(function).parameters.values() if p.name not in (*_INPUTS, "_stacklevel")]
        self._options = options
        bound = signature(function).replace(parameters=options).bind(*args, **kwargs)
        self._given = dict(bound.arguments)
        self._inputs = [p.name for p in signature(function).parameters.values() if p.name in _INPUTS]
        for option in options:
            value = self._given.get(option.name, option.default)
            if isinstance(value, Tensor):
                self.register_buffer(option.name, value)
            elif value is not Argument.empty:
                setattr(self, option.name, value)

    def forward(self, *inputs: Any) -> Any:
        """Applies the function."""
        return getattr(functional, self._function)(*inputs, **self._given)

    def extra_repr(self) -> str:
        """Returns the options as they are printed: those of an activation, `inplace` only if it is so."""
        if "target" in self._inputs:
            return ""
        options = {each.name: self._given.get(each.name, each.default) for each in self._options}
        shown = {name: value for name, value in options.items() if name not in _NOT_SHOWN}
        return ", ".join(f"{name}={value!r}" for name, value in shown.items() if name != "inplace" or value)


def plain(name: str) -> type[Plain]:
    """Returns the class of a module in the table."""
    members = {"_function": PLAIN[name], "__module__": "inplacelab.torch.nn", "__doc__": f"Applies `F.{PLAIN[name]}`."}
    return type(name, (Plain,), members)


class _Numbered(Module):
    """Modules that are found by number."""

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._modules.values()))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)._of(list(self)[index])
        return list(self)[index]

    def __setitem__(self, index: int, module: Any) -> None:
        self.add_module(list(self._modules)[index], module)

    @classmethod
    def _of(cls, modules: list[Any]) -> Any:
        raise NotImplementedError

    def append(self, module: Any) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Self:
        """Adds several modules."""
        for module in modules:
            self.append(module)
        return self


class Sequential(_Numbered):
    """Applies modules one after another.

    >>> import inplacelab.torch as torch
    >>> torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(inplace=True))
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU(inplace=True)
    )
    """

    def __init__(self, *modules: Any) -> None:
        super().__init__()
        if len(modules) == 1 and isinstance(modules[0], Mapping):
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            self.extend(modules)

    @classmethod
    def _of(cls, modules: list[Any]) -> Any:
        return cls(*modules)

    def forward(self, input: Any) -> Any:  # PyTorch's name
        """Applies the modules in order."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Numbered):
    """A list of modules."""

    def __init__(self, modules: Iterable[Any] = ()) -> None:
        super().__init__()
        self.extend(modules or ())

    @classmethod
    def _of(cls, modules: list[Any]) -> Any:
        return cls(modules)
