"""Rounding. The results are step functions, whose derivative is zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.ops.arguments.attributes import constant
from inplacelab.ops.results.kernel_tools import quietly, start, whole_number
from inplacelab.ops.table import elementwise
from inplacelab.ops.table.row import ZERO


def _already_whole(out: Any, x: Any) -> None:
    """Copies integers unchanged; NumPy 1 would make them floating-point."""
    start(out, x)


def _trunc(out: Any, input: Any) -> None:
    start(out, input)


def _round(out: Any, x: Any, decimals: int) -> None:
    if x.dtype.kind in "iu":
        start(out, x)
    else:
        np.round(x, decimals, out)


@quietly
def _frac(out: Any, x: Any) -> None:
    """The fractional part, exactly. Adding zero turns -0.0 into 0.0."""
    np.fmod(x, constant(1, x.dtype), out)
    np.add(out, constant(0, x.dtype), out)


def _real_numbers(x: Any) -> None:
    if x.dtype.kind not in "fi":
        raise errors.unsupported_dtype(op="frac", dtype=x.dtype.name)


FLOOR = elementwise("floor", "x", ("The largest integer not larger than each element.", "逐元素向下取整。"),
            ufunc=np.floor, cuda={"f": "floor(x)", "i": "x"}, kernel=_already_whole, plain_kinds="f", accepts="fi", d_x=ZERO)  # fmt: skip
CEIL = elementwise("ceil", "x", ("The smallest integer not smaller than each element.", "逐元素向上取整。"),
            ufunc=np.ceil, cuda={"f": "ceil(x)", "i": "x"}, kernel=_already_whole, plain_kinds="f", accepts="fi", d_x=ZERO)  # fmt: skip
TRUNC = elementwise("trunc", "input", ("The integer part of each element: rounded toward zero.", "逐元素取整数部分（向零取整）。"),
            ufunc=np.trunc, cuda={"f": "trunc(input)", "i": "input"}, kernel=_trunc, plain_kinds="f", accepts="fi", aliases=("fix",), d_input=ZERO)  # fmt: skip
ROUND = elementwise("round", "x", ("Round to a number of decimals; a half is rounded to the nearest even digit.", "舍入到指定的小数位数；恰为一半时取偶数。"),
            attrs="decimals=0", prepare={"decimals": whole_number("round", "decimals")}, kernel=_round, accepts="fic",
            cuda={"f": "rint(x)", "i": "x"},
            d_x=ZERO)  # fmt: skip
FRAC = elementwise("frac", "x", ("The fractional part of each element, with the sign of `x`.", "逐元素取小数部分，符号与 `x` 相同。"),
            kernel=_frac, validate=_real_numbers, cuda={"f": "fmod(x, T(1)) + 0", "i": "0"}, d_x=lambda g: g)  # fmt: skip
