"""From a row of the table to a step of a kernel: its expression, for one data type, and the attributes in it."""

from __future__ import annotations

import re
from inspect import Parameter, signature
from typing import Any

import numpy as np

from inplacelab import errors
from inplacelab.devices.kernels.source import Step
from inplacelab.devices.kernels.types import C_TYPES
from inplacelab.ops.arguments import constant
from inplacelab.ops.spec import Row
from inplacelab.ops.template.parts import name_of


def expression(row: Row, dtype: str) -> str:
    """The row's expression in CUDA C for elements of that data type; "" if there is none."""
    kind = np.dtype(dtype).kind.replace("u", "i")
    if kind not in row.accepts or not row.cuda:
        return ""
    written = row.cuda if isinstance(row.cuda, str) else row.cuda.get(kind, "")
    plain = isinstance(row.cuda, str) and kind == "b"
    return "" if plain or result(row, dtype) not in (dtype, "bool") else written


def data_types(row: Row, *, in_place: bool = False) -> tuple[str, ...]:
    """The data types for which the row has an expression. In place the result must be of the same."""
    having = (dtype for dtype in C_TYPES if expression(row, dtype))
    return tuple(dtype for dtype in having if not in_place or result(row, dtype) == dtype)


def result(row: Row, dtype: str) -> str:
    """The data type of the result, for inputs that all have this one."""
    if row.dtype is None:
        return dtype
    given = np.dtype(dtype)
    known = {**dict.fromkeys(row.inputs, given), **{p.name: p.default for p in row.attributes}}
    try:
        made = row.dtype(**{p: known[p] for p in _names_of(row.dtype)})
    except errors.Refusal:
        return ""
    return str(np.dtype(made).name)


def _names_of(function: Any) -> tuple[str, ...]:
    return tuple(signature(function).parameters)


def step(row: Row, variant: str, dtype: str) -> Step:
    """The row as a step of a kernel.

    Raises:
        KernelError: if there is no expression for this data type.
    """
    written = expression(row, dtype)
    if not written:
        raise errors.no_kernel_for(name_of(row, variant), dtype, data_types(row, in_place=variant == "in-place"))
    numbers = {p.name: c_kind(p) for p in named(row, written)}
    if row.kind == "overwrite":
        target, *read = row.inputs
        return Step(name_of(row, variant), written, tuple(read), numbers, target)
    return Step(name_of(row, variant), written, row.inputs, numbers)


def named(row: Row, written: str) -> list[Parameter]:
    """Those of the row's attributes that the expression names."""
    words = set(re.findall(r"[A-Za-z_]\w*", written))
    return [p for p in row.attributes if p.name in words]


def c_kind(parameter: Parameter) -> str:
    """The data type of an attribute: truth values are what their default is; a number has the type of the elements ("")."""
    return "bool" if isinstance(parameter.default, bool) else ""


def number(name: str, value: Any, dtype: str) -> Any:
    """An attribute as a kernel is given it. A bound that is None is one that nothing is beyond: among floating-point numbers
    nan, which no number is less or greater than; among integers the last one.
    """
    given = np.dtype(dtype)
    if value is not None:
        return constant(value, given)[()]
    if given.kind == "f":
        return given.type(np.nan)
    return np.iinfo(given).min if name.startswith("min") else np.iinfo(given).max
