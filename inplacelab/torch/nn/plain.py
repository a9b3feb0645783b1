"""Modules without parameters: each applies a function of `nn.functional` with the options of its constructor. They are data."""

from __future__ import annotations

from inspect import Parameter as Argument
from inspect import signature
from typing import Any

from inplacelab.torch.nn import functional
from inplacelab.torch.nn.module import Module
from inplacelab.torch.tensor import Tensor

PLAIN = {
    "ReLU": "relu", "ReLU6": "relu6", "LeakyReLU": "leaky_relu", "ELU": "elu", "SELU": "selu", "CELU": "celu", "GELU": "gelu",
    "SiLU": "silu", "Mish": "mish", "Hardtanh": "hardtanh", "Hardswish": "hardswish", "Hardsigmoid": "hardsigmoid",
    "Softplus": "softplus", "Softsign": "softsign", "LogSigmoid": "logsigmoid", "Sigmoid": "sigmoid", "Tanh": "tanh",
    "Softmax": "softmax", "LogSoftmax": "log_softmax", "MSELoss": "mse_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss",
    "CrossEntropyLoss": "cross_entropy", "NLLLoss": "nll_loss", "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits", "KLDivLoss": "kl_div",
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
