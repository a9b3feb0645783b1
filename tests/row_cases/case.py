"""Cases of a row's standard tests: a call, and the same in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from inplacelab import Tensor
from inplacelab.ops.table import ROWS, LazyFunction, variants
from inplacelab.ops.table.row import Row

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


@cache
def _made(row: Row, variant: str) -> LazyFunction:
    """A row without a method, compiled once."""
    return LazyFunction(row, variant)


class Case(NamedTuple):
    """A call of a row, and the same in NumPy."""

    row: Row
    reference: Callable[..., Any]
    """Computes the result from NumPy arrays; for an overwrite, the new value of the first input."""
    shapes: tuple[Shape, ...]
    attrs: Mapping[str, Any]
    within: tuple[float, float]
    """The magnitudes of the numbers that are drawn."""
    positive: bool
    fixed: Mapping[str, Array]
    """Inputs that are not drawn: indices, masks, integers."""

    @property
    def variants(self) -> tuple[str, ...]:
        return variants(self.row)

    @property
    def name(self) -> str:
        shapes = ",".join("x".join(map(str, shape)) or "()" for shape in self.shapes)
        return " ".join([self.row.name, shapes, *(f"{k}={v}" for k, v in self.attrs.items())])

    @property
    def moves(self) -> bool:
        """True if it is in place in name only: the result is of another dtype, and the tensor gets a new storage."""
        arrays = self.arrays()
        return self.expected(arrays).dtype != arrays[0].dtype

    def arrays(self, shapes: tuple[Shape, ...] | None = None) -> list[Array]:
        """The same numbers in every run, none near zero: the derivatives of `relu` and `abs` jump there."""
        draw = np.random.default_rng(crc32(self.row.name.encode()))
        sizes = self.shapes if shapes is None else shapes
        values = [np.asarray(draw.uniform(*self.within, shape)) for shape in sizes]
        signed = values if self.positive else [np.asarray(v * draw.choice([-1.0, 1.0], v.shape)) for v in values]
        given = {name: v if shapes is None else np.resize(v, shapes[0]) for name, v in self.fixed.items()}
        return [given.get(name, v) for name, v in zip(self.row.inputs, signed, strict=True)]

    def call(self, variant: str, tensors: list[Tensor]) -> Tensor:
        """Run one variant of the row as a learner would."""
        if self.row.name == "getitem":
            return tensors[0][self.attrs["key"]]
        if self.row.name == "setitem":
            tensors[0][1:] = tensors[1]
            return tensors[0]
        made: Tensor = self.function(variant)(**dict(zip(self.row.inputs, tensors, strict=True)), **self.attrs)
        return made

    def function(self, variant: str) -> Callable[..., Any]:
        """The method, or the function of a row that has no method."""
        name = self.row.name + "_" * (variant in ("in-place", "relayout"))
        return getattr(Tensor, name) if self.row.method else _made(self.row, variant).function()

    def expected(self, arrays: list[Array]) -> Array:
        """The result as NumPy computes it."""
        return np.asarray(self.reference(*[np.array(a) for a in arrays], **self.attrs))


def case(
    name: str,
    reference: Callable[..., Any],
    *shapes: Shape,
    positive: bool = False,
    within: tuple[float, float] = (0.4, 1.6),
    fixed: Mapping[str, Any] = MappingProxyType({}),
    **attrs: Any,
) -> Case:
    """A case of the row `name`; its inputs have `shapes`, or those of `fixed`, or (2, 3)."""
    row = ROWS[name]
    given = {key: np.asarray(value) for key, value in fixed.items()}
    sizes = shapes or tuple(given[n].shape if n in given else (2, 3) for n in row.inputs)
    return Case(row, reference, sizes, MappingProxyType(attrs), within, positive, given)
