"""What a derivative may remember of a tensor without keeping its bytes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from inplacelab.layout import Layout, Shape, extent, index, moved


class Meta(NamedTuple):
    """A tensor's layout and data type: asked for by a derivative as `x_meta`."""

    layout: Layout
    dtype: np.dtype[Any]

    @property
    def shape(self) -> Shape:
        return self.layout.shape

    def within(self, base: Meta) -> Layout:
        """The layout of this view in a storage that begins where `base` does. Slots are counted in elements of the view,
        which may be of another size than the base's: a complex number has two slots of real ones.
        """
        start, _ = extent(base.layout)
        return moved(self.layout, -(start * base.dtype.itemsize // self.dtype.itemsize))


class Selected(NamedTuple):
    """The metadata of `x[key]`, for basic keys: worked out when backward asks, as most writes of a part never see it."""

    whole: Meta
    key: Any

    @property
    def meta(self) -> Meta:
        """The metadata themselves."""
        return Meta(index(self.whole.layout, self.key), self.whole.dtype)
