"""Copies and casts: the same numbers, in another storage or another data type."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab import dtypes
from inplacelab.ops.arguments.attributes import check_all_hold
from inplacelab.ops.results.kernel_tools import conj
from inplacelab.ops.table import elementwise


def _cast(out: Any, x: Any) -> None:
    out[...] = x.real if x.dtype.kind == "c" and out.dtype.kind != "c" else x


def _check_cast(x: Any, dtype: Any) -> None:
    check_all_hold("cast", dtypes.as_numpy(dtype), x)


CLONE = elementwise("clone", "x", ("A copy with a storage of its own; gradients pass through.", "有自己存储的副本；梯度可以穿过它。"),
            kernel=_cast, cuda=dict.fromkeys("fib", "x"), in_place=False, copies=True, node="AssignGradNode", d_x=lambda g: g)  # fmt: skip
CAST = elementwise("cast", "x", ("The same elements, converted to another data type.", "同样的数值，换一种数据类型。"),
            attrs="dtype", kernel=_cast, cuda=dict.fromkeys("fib", "x"), validate=_check_cast, dtype=dtypes.as_numpy, copies=True, d_x=lambda g: g)  # fmt: skip
CONJ = elementwise(
    "conj",
    "x",
    ("The complex conjugate of each element.", "逐元素取共轭。"),
    ufunc=np.conjugate,
    in_place=False,
    d_x=lambda g: conj(g),
)
