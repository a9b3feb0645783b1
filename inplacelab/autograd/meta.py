"""Metadata of a tensor that a derivative keeps instead of its bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inplacelab.layout import Layout, Shape, extent, index, moved


class Meta(NamedTuple):
    """A tensor's layout and data type: the parameter `x_meta` of a derivative."""

    layout: Layout
    dtype: np.dtype[Any]

    @property
    def shape(self) -> Shape:
        return self.layout.shape

    def within(self, base: Meta) -> Layout:
        """Returns the layout of this view in a storage that begins where `base` does. Slots are counted in elements of the
        view, whose size may differ from the base's: a complex number has two slots of real numbers.
        """
        start, _ = extent(base.layout)
        return moved(self.layout, -(start * base.dtype.itemsize // self.dtype.itemsize))


class Selected(NamedTuple):
    """The metadata of `x[key]`, for basic keys: computed in backward, since most writes of a part never get there."""

    whole: Meta
    key: Any

    @property
    def meta(self) -> Meta:
        """The metadata."""
        return Meta(index(self.whole.layout, self.key), self.whole.dtype)
