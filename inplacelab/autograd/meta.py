"""Metadata of a tensor that a derivative keeps instead of its bytes."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from inplacelab.dtypes import Form
from inplacelab.layout import Layout, Shape, extent, index, is_packed, moved, whole


class Meta(NamedTuple):
    """A tensor's layout and data type: the parameter `x_meta` of a derivative."""

    layout: Layout
    dtype: np.dtype[Any]

    @property
    def shape(self) -> Shape:
        return self.layout.shape

    @property
    def meta(self) -> Meta:
        """Itself: so that `Selected` can stand for it."""
        return self

    def within(self, base: Meta) -> Layout:
        """Returns the layout of this view in a storage that begins where `base` does. Slots are counted in elements of the
        view, whose size may differ from the base's: a complex number has two slots of real numbers.
        """
        start = base.layout.offset if base.packed else extent(base.layout)[0]
        return self.layout if start == 0 else moved(self.layout, -(start * base.dtype.itemsize // self.dtype.itemsize))

    @property
    def packed(self) -> bool:
        """True if the elements are in row-major order with no gaps. A tensor that fills its storage has a layout from `whole`."""
        return self.layout is whole(self.layout.shape) or is_packed(self.layout)


@lru_cache(1000)
def packed_meta(form: Form) -> Meta:
    """Returns the metadata of a tensor that fills its storage in row-major order."""
    return Meta(whole(form.shape), form.dtype)


class Selected(NamedTuple):
    """The metadata of `x[key]`, for basic keys: computed in backward, since most writes of a part never get there.

    Attributes:
        whole: the metadata of `x`.
        key: the key, in plain numbers.
    """

    whole: Meta
    key: Any

    @property
    def meta(self) -> Meta:
        """The metadata."""
        return Meta(index(self.whole.layout, self.key), self.whole.dtype)

    def of(self, array: Any) -> Any:
        """Returns this part of an array of the shape of `x`, also if it is one element."""
        keys = self.key if type(self.key) is tuple else (self.key,)
        return array[keys if ... in keys else (*keys, ...)]
