"""Generates Python functions from a row of the table, one for each variant, specialized for the row.

A generic `run(row, *args)` would look up constant facts in every call: the number of inputs, the arguments of derivatives.
So the path is written once, here, as a template, and each row fills it in. For the package's own rows the filled-in functions are files,
one for each chapter: open `ops/generated/arithmetic.py` to read what `x.add_(y)` does. (`python -m inplacelab.ops.table.generate` writes
them.) A row that is added later, by a learner, gets functions that are compiled when they are first used:

    print(inplacelab.ops.template.source(row, "in-place"))

shows their source, and tracebacks do, too. Names in capitals are the row's own objects. The path that every operation takes:

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
from importlib import import_module
from types import CodeType
from typing import Any

import numpy as np

from inplacelab import modes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, meta, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, save, save_copy
from inplacelab.layout import common_shape
from inplacelab.ops.arguments import keywords, operands, overlap
from inplacelab.ops.arguments.keywords import aliases_of
from inplacelab.ops.generated import CHAPTER_OF
from inplacelab.ops.results import destinations, metadata
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import BUILT_IN, Row
from inplacelab.ops.template import in_place, ordinary, spelling, touched_slots, view
from inplacelab.ops.template.documentation import document
from inplacelab.ops.template.parts import name_of
from inplacelab.tensor import Tensor, fresh, known_form

__all__ = ["compiled", "function", "name_of", "source"]

_SCOPE: dict[str, Any] = {
    "Tensor": Tensor, "save": save, "OUTPUT": OUTPUT, "OpNode": OpNode, "new_node": new_node, "np": np,
    "next_serial": next_serial, "meta": meta, "save_copy": save_copy, "check_leaf": check_leaf, "edge": edge, "accumulator": accumulator, "rebase": rebase,
    "refresh": refresh, "fresh": fresh, "known_form": known_form, "current_modes": modes.current, "UNFINISHED": UNFINISHED, "NOTHING": NOTHING,
    "common_shape": common_shape, "operands": operands, "overlap": overlap, "metadata": metadata, "destinations": destinations,
    "keywords": keywords, "touched_slots": touched_slots, "dependence": dependence, "ABSENT": keywords.ABSENT,
}  # fmt: skip


def function(row: Row, variant: str) -> Callable[..., Any]:
    """Returns the function of a row. `variant` is "ordinary", "operator", "in-place", "view" or "relayout".

    An operator (`x + y`) is the ordinary variant for two tensors; only rows of the package have one.
    """
    made = None
    if BUILT_IN.get(row.name) is row and row.name in CHAPTER_OF:
        chapter = import_module(f"inplacelab.ops.generated.{CHAPTER_OF[row.name]}")
        made = getattr(chapter, name_of(row, variant), None)
    return compiled(row, variant) if made is None else _finished(made, row, variant)


def compiled(row: Row, variant: str) -> Callable[..., Any]:
    """Returns the function of a row that is in no file: compiled from its source."""
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
        "DTYPE": row.dtype_ordinary or row.dtype if variant == "ordinary" else row.dtype,
        "LAYOUT": row.layout,
        "SHORTCUT": row.shortcut,
        "VALIDATE": row.validate,
        **{f"PREPARE_{attribute}": check for attribute, check in row.prepare.items()},
    }
    if row.cuda:
        scope["LAUNCHED"] = launcher(row, variant)
    if variant == "in-place" and row.ordinary:
        scope["ORDINARY"] = function(row, "ordinary")
    exec(compile(text, filename, "exec"), scope)
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    scope["SELF"] = scope[name]
    return _finished(scope[name], row, variant)


def _finished(made: Any, row: Row, variant: str) -> Callable[..., Any]:
    """A function with the name, the signature and the documentation that programs see."""
    made.__code__, made.__signature__ = _with_keyword_names(made.__code__, row, variant), spelling.public(row, variant)
    made.__module__, made.__qualname__ = "inplacelab", f"Tensor.{made.__name__}" if row.method else made.__name__
    made.__doc__ = document(row, "ordinary" if variant == "operator" else variant)
    return made  # type: ignore[no-any-return]


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
