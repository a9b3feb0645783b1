"""Data types under PyTorch's names: `torch.float32`, which prints as that."""

from __future__ import annotations

from typing import Any

from inplacelab import dtypes


class dtype:  # PyTorch's name
    """A data type of tensor elements, such as `torch.float32`.

    Attributes:
        engine: the engine's data type.
    """

    __slots__ = ("engine",)

    def __init__(self, engine: dtypes.DType) -> None:
        self.engine = engine

    @property
    def is_floating_point(self) -> bool:
        """True for float16, float32 and float64."""
        return self.engine.numpy.kind == "f"

    @property
    def is_complex(self) -> bool:
        """True for complex64 and complex128."""
        return self.engine.numpy.kind == "c"

    @property
    def itemsize(self) -> int:
        """Bytes for one element."""
        return self.engine.itemsize

    def __repr__(self) -> str:
        return f"torch.{self.engine.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return shown, (self.engine,)


BY_NAME = {each.name: dtype(each) for each in dtypes.ALL}
"""The data types by name."""
SHORT = {
    "double": "float64", "float": "float32", "half": "float16", "int": "int32", "long": "int64", "short": "int16",
    "cfloat": "complex64", "cdouble": "complex128",
}  # fmt: skip
"""Shorter names of some."""
_TENSOR_TYPES = {
    "float32": "Float", "float64": "Double", "float16": "Half", "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char",
    "uint8": "Byte", "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def shown(engine: dtypes.DType) -> dtype:
    """Returns PyTorch's object for a data type of the engine."""
    return BY_NAME[engine.name]


def tensor_type(name: str) -> str:
    """Returns PyTorch's type of tensors of a data type: "torch.FloatTensor"."""
    return f"torch.{_TENSOR_TYPES[name]}Tensor"


def type_in_errors(name: str) -> str:
    """Returns PyTorch's type of a saved tensor in an error: that of `tensor_type`, or "CPUBoolType" where PyTorch registers none."""
    kind = _TENSOR_TYPES[name]
    return f"CPU{kind}Type" if kind == "Bool" or kind.startswith("Complex") else tensor_type(name)
