"""Rules for the dtype of a result from those of two operands, for rows that do more than promote.

Each function makes the rule of one operation, whose name appears in errors. (A row without a rule promotes its operands.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from inplacelab import dtypes, errors

DType = np.dtype[Any]
Rule = Callable[[DType, DType], DType]


def truth(op: str) -> Rule:
    """Bool, for operands that have a common dtype."""

    def rule(x: DType, y: DType) -> DType:
        if x is not y:
            dtypes.promote(op, x, y)
        return dtypes.bool_.numpy

    return rule


def alike(op: str) -> Rule:
    """The dtype that both operands must have."""

    def rule(x: DType, y: DType) -> DType:
        if x != y:
            raise errors.operand_dtypes_differ(x=x.name, y=y.name, op=op)
        return x

    return rule


def floating(op: str, integers: DType | None = None) -> Rule:
    """A real floating-point type: the common dtype of the operands; for integers the default type, or `integers`."""

    def rule(x: DType, y: DType) -> DType:
        if x is y and x.kind == "f":
            return x
        dtype = dtypes.promote(op, x, y)
        if dtype.kind in "bc":
            raise errors.kernel_not_registered(dtype=dtype.name, op=op)
        return integers if integers is not None and dtype.kind in "iu" else dtypes.floating(dtype)

    return rule
