"""Makes steps of CUDA kernels from rows of the table: the row's expression, for one data type, and the attributes in it.

A kernel computes in one data type, as NumPy's loops do. Operands of other types are converted when they are read and written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from inspect import Parameter, signature
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.devices.kernels.elementwise import Step
from inplacelab.devices.kernels.types import C_TYPES, kind_of
from inplacelab.ops.arguments.attributes import constant
from inplacelab.ops.table.row import Row
from inplacelab.ops.template.parts import name_of


def expression(row: Row, dtype: str) -> str:
    """Returns the row's expression in CUDA C for elements of that data type; "" if there is none."""
    kind = kind_of(dtype)
    if kind not in row.accepts or not row.cuda:
        return ""
    written = row.cuda if isinstance(row.cuda, str) else row.cuda.get(dtype, row.cuda.get(kind, ""))
    plain = isinstance(row.cuda, str) and kind == "b"
    return "" if plain or result(row, dtype) not in (dtype, "bool") else written


def data_types(row: Row, *, in_place: bool = False) -> tuple[str, ...]:
    """Returns the data types for which the row has an expression. In place, the result must have the same type."""
    having = (dtype for dtype in C_TYPES if expression(row, dtype))
    return tuple(dtype for dtype in having if not in_place or result(row, dtype) == dtype)


def result(row: Row, dtype: str) -> str:
    """Returns the data type of the result, for inputs that all have the type `dtype`."""
    if row.dtype is None:
        return dtype
    given = np.dtype(dtype)
    known = {**dict.fromkeys(row.inputs, given), **{p.name: p.default for p in row.attributes}}
    asked = {p: known[p] for p in _names_of(row.dtype)}
    if Parameter.empty in asked.values():  # an argument of the call, as with `cast`: any type is possible
        return dtype
    try:
        made = row.dtype(**asked)
    except errors.Refusal:
        return ""
    return str(np.dtype(made).name)


def stored(row: Row, dtype: str, roles: Sequence[str]) -> tuple[str, ...]:
    """Returns the data types of the operands `roles` if one type is computed and stored; masks are bool."""
    made = result(row, dtype)
    return tuple("bool" if name in row.masks else made if name == "out" else dtype for name in roles)


def computed_in(row: Row, inputs: Sequence[str], made: str) -> str:
    """Returns the data type in which NumPy computes the row, from those of the inputs (without masks) and of the result.

    Floating-point numbers of several types are promoted to the widest. Integers that become floating-point numbers are first
    converted to the type of the result, or by the ufunc to the type that it chooses, if it receives them unconverted.

    Returns:
        The name of the type; "" if there is no kernel for it.
    """
    kinds = {kind_of(each) for each in inputs}
    if not inputs:  # the row writes a number
        dtype = made
    elif kinds == {"f"}:
        dtype = max(inputs, key=lambda each: C_TYPES[each].size)
    elif len(set(inputs)) > 1:
        return ""
    elif kind_of(made) != "f":
        dtype = inputs[0]
    elif isinstance(row.cuda, str) or expression(row, inputs[0]):
        dtype = _loop(row, inputs) or made
    else:
        return ""
    return dtype if expression(row, dtype) else ""


def _loop(row: Row, inputs: Sequence[str]) -> str:
    """The data type of the loop that NumPy chooses, where a ufunc alone computes the row."""
    given: dict[str, Any] = {p.name: p.default for p in row.attributes}
    if not row.by_ufunc_alone(inputs[0], given):
        return ""
    asked = (*map(np.dtype, inputs), None)
    return str(row.ufunc.resolve_dtypes(asked)[0].name)


def _names_of(function: Any) -> tuple[str, ...]:
    return tuple(signature(function).parameters)


def step(row: Row, variant: str, dtype: str) -> Step:
    """Returns the row as a step of a kernel.

    Raises:
        KernelError: if there is no expression for this data type.
    """
    written = expression(row, dtype)
    if not written:
        raise errors.kernel_lacks_dtype(
            name=name_of(row, variant), dtype=dtype, known=data_types(row, in_place=variant == "in-place")
        )
    numbers = {p.name: c_kind(p) for p in named(row, written)}
    if row.kind == "overwrite":
        target, *read = row.inputs
        return Step(name_of(row, variant), written, tuple(read), numbers, target)
    return Step(name_of(row, variant), written, row.inputs, numbers, masks=row.masks)


def named(row: Row, written: str) -> list[Parameter]:
    """Returns the row's attributes that the expression names."""
    words = set(re.findall(r"[A-Za-z_]\w*", written))
    return [p for p in row.attributes if p.name in words]


def c_kind(parameter: Parameter) -> str:
    """Returns the data type of an attribute in C: "bool" if its default is a bool, else "", the type of the elements."""
    return "bool" if isinstance(parameter.default, bool) else ""


def number(name: str, value: Any, dtype: str) -> Any:
    """Returns an attribute as an argument of a kernel. A bound that is None becomes a value that no element is beyond: nan for
    floating-point numbers, since no number is less or greater than nan; the last integer for integers.
    """
    given = np.dtype(dtype)
    if value is not None:
        return constant(value, given)[()]
    if given.kind == "f":
        return given.type(np.nan)
    return np.iinfo(given).min if name.startswith("min") else np.iinfo(given).max
