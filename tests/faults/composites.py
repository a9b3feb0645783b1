"""Writes that are not rows of the table: by an index, into `out=`, to another storage, of a custom operation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import inplacelab as paddle
from inplacelab import Tensor
from tests.row_cases.case import Array, Shape

from .layers import CustomInPlace


@dataclass(frozen=True)
class Composite:
    """A write to the first of some tensors. It has what a case of a row has (see `tests.row_cases.case.Case`).

    Attributes:
        name: what it writes.
        function: writes it.
        shapes: the shapes of the tensors.
    """

    name: str
    function: Callable[..., Any]
    shapes: tuple[Shape, ...]

    def arrays(self) -> list[Array]:
        """The same numbers in every run."""
        draw = np.random.default_rng(0)
        return [draw.uniform(0.5, 1.5, shape) for shape in self.shapes]

    def call(self, _: str, tensors: list[Tensor]) -> Any:
        """Writes."""
        return self.function(*tensors)


def _of(name: str, function: Callable[..., Any], *shapes: Shape) -> Composite:
    return Composite(name, function, shapes or ((3, 2),))


def _iadd(x: Tensor, y: Tensor) -> None:
    x[1:] += y


def _set_data(x: Tensor, y: Tensor) -> None:
    x.data = y


ROW, WHOLE = (2,), (3, 2)

COMPOSITES = [
    _of("a row", lambda x, y: x.__setitem__(1, y), WHOLE, ROW),
    _of("a part, moved by one", lambda x: x.__setitem__(slice(1, None), x[:-1])),
    _of("rows by a list", lambda x, y: x.__setitem__([2, 0], y), WHOLE, ROW),
    _of("elements by a mask", lambda x: x.__setitem__(x > 1.0, 2.0)),
    _of("rows by a tensor", lambda x, y: x.__setitem__(paddle.to_tensor([0, 2]), y), WHOLE, ROW),
    _of("a part, added to", _iadd, WHOLE, (2, 2)),
    _of("a view of a view", lambda x: x[1:][:, 0].exp_()),
    _of("the result of out=", lambda x, y: paddle.add(x, y, out=x), WHOLE, WHOLE),
    _of("all, after a change of dtype", lambda x: x.cast_("float32")),
    _of("another storage", lambda x, y: x.set_(y), WHOLE, WHOLE),
    _of("more elements", lambda x: x.resize_([4, 2], fill_zero=True)),
    _of("all of another tensor", lambda x, y: x.reconstruct_from_(y), WHOLE, WHOLE),
    _of("the data of another tensor", _set_data, WHOLE, WHOLE),
    _of("a custom operation", lambda x: CustomInPlace.apply(x, "exp")),
    _of("random numbers", lambda x: x.uniform_()),
]
