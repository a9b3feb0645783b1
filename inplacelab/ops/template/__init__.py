"""Generates Python functions from a row of the table, one for each variant, specialized for the row.

A generic `run(row, *args)` would look up constant facts in every call: the number of inputs, the arguments of derivatives.
So the path is written once, here, as a template, and each row fills it in. The generated source can be read:

    print(inplacelab.ops.template.source(row, "in-place"))

and tracebacks show it. Names in capitals are the row's own objects. The path that every operation takes:

    check -> save what the derivatives need -> attach or rewrite history -> raise the version -> launch the kernel -> report

All checks come before the first change, and everything that makes a failed write known comes before the launch (see `in_place`). The
usual cases are inlined as comparisons of attributes; in the other cases, functions of `operands`, `overlap`, `metadata` and
`destinations` are called.

`parts` has the lines that the variants share, `spelling` the parameters and their alternative names; `ordinary`, `in_place`
and `view` generate one variant each. `documentation` writes the docstrings, with a sentence on each parameter from
`attribute_notes`. `touched_slots` asks a kernel which slots it touches.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from inplacelab import modes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import UNFINISHED, OpNode, meta, next_serial
from inplacelab.autograd.saved import OUTPUT, save, save_copy
from inplacelab.layout import common_shape
from inplacelab.ops.arguments import keywords, operands, overlap
from inplacelab.ops.arguments.keywords import aliases_of
from inplacelab.ops.results import destinations, metadata
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import Row
from inplacelab.ops.template import in_place, ordinary, spelling, touched_slots, view
from inplacelab.ops.template.documentation import document
from inplacelab.ops.template.parts import name_of
from inplacelab.tensor import Tensor, fresh, known_form

__all__ = ["function", "name_of", "source"]

_SCOPE: dict[str, Any] = {
    "Tensor": Tensor, "save": save, "OUTPUT": OUTPUT, "OpNode": OpNode, "new": OpNode.__new__, "np": np,
    "next_serial": next_serial, "meta": meta, "save_copy": save_copy, "check_leaf": check_leaf, "edge": edge, "accumulator": accumulator, "rebase": rebase,
    "refresh": refresh, "fresh": fresh, "known_form": known_form, "current_modes": modes.current, "UNFINISHED": UNFINISHED, "NOTHING": {},
    "common_shape": common_shape, "operands": operands, "overlap": overlap, "metadata": metadata, "destinations": destinations,
    "keywords": keywords, "TOUCHED": touched_slots, "DEPENDS": dependence, "ABSENT": keywords.ABSENT,
}  # fmt: skip


def function(row: Row, variant: str, otherwise: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Returns the function of a row. `variant` is "ordinary", "operator", "in-place", "view" or "relayout".

    An operator (`x + y`) is the ordinary variant for two tensors. It calls `otherwise` if an operand is none.
    """
    name, text = name_of(row, variant), source(row, variant)
    filename = f"<inplacelab operation {name}>"
    scope = {
        **_SCOPE,
        "__name__": "inplacelab.operations",
        "ROW": row,
        "KERNEL": row.kernel,
        "PLAN": row.plan,
        "UFUNC": row.ufunc,
        "SHAPE": row.shape,
        "DTYPE": row.dtype if variant not in ("ordinary", "operator") else row.dtype_ordinary or row.dtype,
        "LAYOUT": row.layout,
        "SHORTCUT": row.shortcut,
        "VALIDATE": row.validate,
        "OTHERWISE": otherwise,
    }
    if row.cuda:
        scope["LAUNCHED"] = _launcher(row, variant)
    scope.update({f"PREPARE_{attribute}": check for attribute, check in row.prepare.items()})
    if variant == "in-place" and row.ordinary:
        scope["ORDINARY"] = function(row, "ordinary")
    exec(compile(text, filename, "exec"), scope)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    made = scope["SELF"] = scope[name]
    made.__code__, made.__signature__ = _with_keyword_names(made.__code__, row, variant), spelling.public(row, variant)
    made.__module__, made.__qualname__, made.__doc__ = (
        "inplacelab",
        f"Tensor.{name}" if row.method else name,
        document(row, "ordinary" if variant == "operator" else variant),
    )
    return made  # type: ignore[no-any-return]


def _launcher(row: Row, variant: str) -> Callable[..., bool]:
    """Launches the row's CUDA kernel. It is made on first use, which never happens on the CPU."""

    @cache
    def made() -> Callable[..., bool]:
        from inplacelab.kernels.own_kernels import Launcher  # noqa: PLC0415

        return Launcher(row, variant)

    return lambda *given, **attributes: made()(*given, **attributes)


def _with_keyword_names(code: CodeType, row: Row, variant: str) -> CodeType:
    """The code with parameters renamed to Python's keywords, which its grammar does not allow (`from`)."""
    words = {spelling.safe(alias): alias for alias in aliases_of(spelling.op_of(row, variant))}
    return code.replace(co_varnames=tuple(words.get(name, name) for name in code.co_varnames))


def source(row: Row, variant: str) -> str:
    """Returns the Python source of one variant of a row."""
    body = {
        "ordinary": ordinary.function, "operator": ordinary.operator, "in-place": in_place.lines, "view": view.view,
        "relayout": view.relayout,
    }[variant]  # fmt: skip
    lines = [*spelling.resolve_keywords(row, variant), *body(row)]
    head = f"def {name_of(row, variant)}({spelling.written(row, variant)}):"
    return "\n".join([head, *("    " + line for line in lines)]) + "\n"
