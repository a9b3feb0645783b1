"""The functions of the rows in `inplacelab/ops/explicit_views.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.ops import explicit_views as chapter
from inplacelab.ops.arguments import operands
from inplacelab.ops.results import metadata
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, known_form

# ---- _as_shape -----------------------------------------------------------------------------------

_AS_SHAPE = chapter._AS_SHAPE
_AS_SHAPE_PREPARE_SHAPE = chapter._shape
_AS_SHAPE_LAYOUT = chapter._as_shape


def _as_shape(x: Tensor, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; never a copy."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_as_shape", "x", 0, x)
    a0 = x.array
    shape = _AS_SHAPE_PREPARE_SHAPE(a0, shape)
    before = x.layout
    after = _AS_SHAPE_LAYOUT(before, shape)
    return metadata.view(_AS_SHAPE, x, metadata.window(x, after), {"shape": shape}, after)


# ---- _as_dtype -----------------------------------------------------------------------------------

_AS_DTYPE = chapter._AS_DTYPE
_AS_DTYPE_PREPARE_DTYPE = chapter._slots
_AS_DTYPE_LAYOUT = chapter._as_dtype
_AS_DTYPE_DTYPE = required(_AS_DTYPE.dtype)


def _as_dtype(x: Tensor, dtype: Any, name: str | None = None) -> Tensor:
    """The same bits, seen as numbers of another dtype."""
    if type(x) is not Tensor:
        x = operands.as_tensor("_as_dtype", "x", 0, x)
    a0 = x.array
    dtype = _AS_DTYPE_PREPARE_DTYPE(a0, dtype)
    before = x.layout
    after = _AS_DTYPE_LAYOUT(before, dtype)
    return metadata.view(_AS_DTYPE, x, metadata.window(x, after, _AS_DTYPE_DTYPE(dtype)), {"dtype": dtype}, after)


# ---- as_real -------------------------------------------------------------------------------------

AS_REAL = chapter.AS_REAL
AS_REAL_LAYOUT = chapter._as_real
AS_REAL_DTYPE = chapter._parts_dtype


def as_real(x: Tensor, name: str | None = None) -> Tensor:
    """View each complex number as two real ones, along a new last axis."""
    if type(x) is not Tensor:
        x = operands.as_tensor("as_real", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "c":
        operands.check_dtype("as_real", "c", form0.dtype)
    before = x.layout
    after = AS_REAL_LAYOUT(before)
    return metadata.view(AS_REAL, x, metadata.window(x, after, AS_REAL_DTYPE(form0.dtype)), {}, after)


# ---- as_complex ----------------------------------------------------------------------------------

AS_COMPLEX = chapter.AS_COMPLEX
AS_COMPLEX_LAYOUT = chapter._as_complex
AS_COMPLEX_DTYPE = chapter._pairs_dtype


def as_complex(x: Tensor, name: str | None = None) -> Tensor:
    """View pairs along the last axis as complex numbers."""
    if type(x) is not Tensor:
        x = operands.as_tensor("as_complex", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "f":
        operands.check_dtype("as_complex", "f", form0.dtype)
    before = x.layout
    after = AS_COMPLEX_LAYOUT(before)
    return metadata.view(AS_COMPLEX, x, metadata.window(x, after, AS_COMPLEX_DTYPE(form0.dtype)), {}, after)


# ---- real ----------------------------------------------------------------------------------------

REAL = chapter.REAL
REAL_LAYOUT = chapter._first_parts
REAL_DTYPE = chapter._parts_dtype


def real(x: Tensor, name: str | None = None) -> Tensor:
    """The real part of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("real", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "c":
        operands.check_dtype("real", "c", form0.dtype)
    before = x.layout
    after = REAL_LAYOUT(before)
    return metadata.view(REAL, x, metadata.window(x, after, REAL_DTYPE(form0.dtype)), {}, after)


# ---- imag ----------------------------------------------------------------------------------------

IMAG = chapter.IMAG
IMAG_LAYOUT = chapter._second_parts
IMAG_DTYPE = chapter._parts_dtype


def imag(x: Tensor, name: str | None = None) -> Tensor:
    """The imaginary part of each element."""
    if type(x) is not Tensor:
        x = operands.as_tensor("imag", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "c":
        operands.check_dtype("imag", "c", form0.dtype)
    before = x.layout
    after = IMAG_LAYOUT(before)
    return metadata.view(IMAG, x, metadata.window(x, after, IMAG_DTYPE(form0.dtype)), {}, after)
