"""One row of the table, written out as Python: a function for each variant, with everything specialised that the row fixes.

A generic `run(row, *args)` would look up in every call what never changes: how many inputs there are, which derivative
asks for what. So the path is written once, here, as a template, and each row fills it in. What comes out can be read:

    print(inplacelab.ops.template.source(row, "in-place"))

and tracebacks show it. Names in capitals are the row's own objects. The path that every operation takes:

    check -> keep what the derivatives ask for -> launch the kernel -> raise the version -> attach or rewrite history -> tell

All checks come before the launch. Whatever can be decided by comparing two attributes is written out; functions (of `operands`,
`overlap`, `metadata`, `destinations`) are called only in the cases that are not the plainest.

`parts` has what the variants have in common, `spelling` the parameters and their other names; `ordinary`, `in_place` and `views` write one each.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import cache
from types import CodeType
from typing import Any

import numpy as np

from inplacelab import observe
from inplacelab.autograd import modes
from inplacelab.autograd.history import check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import OpNode, meta, next_serial
from inplacelab.autograd.saved import OUTPUT, Saved, save_copy
from inplacelab.layout import common_shape
from inplacelab.ops.arguments import keywords, operands, overlap
from inplacelab.ops.arguments.keywords import aliases_of
from inplacelab.ops.results import destinations, metadata
from inplacelab.ops.table.row import Row
from inplacelab.ops.template import in_place, ordinary, spelling, touched_slots, view
from inplacelab.ops.template.documentation import document
from inplacelab.ops.template.parts import name_of
from inplacelab.tensor import Tensor, fresh

__all__ = ["function", "name_of", "source"]

_SCOPE: dict[str, Any] = {
    "Tensor": Tensor, "Saved": Saved, "OUTPUT": OUTPUT, "OpNode": OpNode, "new": OpNode.__new__, "np": np,
    "next_serial": next_serial, "meta": meta, "save_copy": save_copy, "check_leaf": check_leaf, "edge": edge, "rebase": rebase,
    "refresh": refresh, "fresh": fresh, "modes": modes, "observe": observe, "NOTHING": {},
    "common_shape": common_shape, "operands": operands, "overlap": overlap, "metadata": metadata, "destinations": destinations,
    "keywords": keywords, "touched": touched_slots, "ABSENT": keywords.ABSENT,
}  # fmt: skip


def function(row: Row, variant: str) -> Callable[..., Any]:
    """The function of a row. `variant` is "ordinary", "in-place", "view" or "relayout"."""
    name, text = name_of(row, variant), source(row, variant)
    filename = f"<inplacelab operation {name}>"
    scope = {
        **_SCOPE,
        "__name__": "inplacelab.operations",
        "ROW": row,
        "KERNEL": row.kernel,
        "UFUNC": row.ufunc,
        "SHAPE": row.shape,
        "DTYPE": row.dtype if variant != "ordinary" else row.dtype_ordinary or row.dtype,
        "LAYOUT": row.layout,
        "SHORTCUT": row.shortcut,
        "VALIDATE": row.validate,
    }
    if row.cuda:
        scope["LAUNCHED"] = _launcher(row, variant)
    scope.update({f"PREPARE_{attribute}": check for attribute, check in row.prepare.items()})
    if variant == "in-place" and row.ordinary:
        scope["ORDINARY"] = function(row, "ordinary")
    exec(compile(text, filename, "exec"), scope)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    made = scope["SELF"] = scope[name]
    made.__code__, made.__signature__ = _spoken(made.__code__, row, variant), spelling.public(row, variant)
    made.__module__, made.__qualname__, made.__doc__ = (
        "inplacelab",
        f"Tensor.{name}" if row.method else name,
        document(row, variant),
    )
    return made  # type: ignore[no-any-return]


def _launcher(row: Row, variant: str) -> Callable[..., bool]:
    """Launches the row's kernel of our own. It is made when a device first asks for it: the CPU never does."""

    @cache
    def made() -> Callable[..., bool]:
        from inplacelab.ops.cuda.own_kernels import Launcher  # noqa: PLC0415

        return Launcher(row, variant)

    return lambda *given, **attributes: made()(*given, **attributes)


def _spoken(code: CodeType, row: Row, variant: str) -> CodeType:
    """The code with parameters under the words that are meant, though Python's grammar has no place for them (`from`)."""
    words = {spelling.safe(alias): alias for alias in aliases_of(spelling.op_of(row, variant))}
    return code.replace(co_varnames=tuple(words.get(name, name) for name in code.co_varnames))


def source(row: Row, variant: str) -> str:
    """The Python text of one variant of a row."""
    body = {"ordinary": ordinary.lines, "in-place": in_place.lines, "view": view.view, "relayout": view.relayout}[
        variant
    ]
    lines = [*spelling.sorted_out(row, variant), *body(row)]
    head = f"def {name_of(row, variant)}({spelling.written(row, variant)}):"
    return "\n".join([head, *("    " + line for line in lines)]) + "\n"
