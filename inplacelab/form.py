"""Forms: the shape and dtype of tensors. Equal ones are the same object.

Most operations on two tensors need to know whether both have the same shape and dtype. With forms that is one `is`; asking
NumPy for two shapes and two dtypes takes as long as half an addition of small arrays.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_MANY = 10_000


class Form:
    """A shape and a dtype.

    Attributes:
        shape: the sizes of the axes.
        dtype: NumPy's dtype of the elements.
        kind: its letter: f, i, u, b or c.
    """

    __slots__ = ("dtype", "kind", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.shape, self.dtype, self.kind = shape, dtype, dtype.kind

    def __repr__(self) -> str:
        return f"Form({list(self.shape)}, {self.dtype.name})"


_forms: dict[tuple[tuple[int, ...], np.dtype[Any]], Form] = {}


def form_of(array: Any) -> Form:
    """Returns the form of an array.

    When very many have been made, new objects replace them. So different objects may stand for equal forms: who finds two
    different ones must compare shapes and dtypes.
    """
    key = (array.shape, array.dtype)
    form = _forms.get(key)
    if form is None:
        if len(_forms) > _MANY:
            _forms.clear()
        form = _forms.setdefault(key, Form(*key))
    return form
