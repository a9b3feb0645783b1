"""Generates Python functions from a row of the table, one for each variant, specialized for the row.

A generic `run(row, *args)` would look up constant facts in every call: the number of inputs, the arguments of derivatives.
So the path is written once, here, as a template, and each row fills it in. For the package's own rows the filled-in functions are files,
one for each chapter: open `ops/generated/arithmetic.py` to read what `x.add_(y)` does. (`python -m inplacelab.ops.table.generate` writes
them.) A row that is added later, by a learner or by `einsum` for a number of operands, gets functions that are compiled when they are first used:

    print(inplacelab.ops.template.source(row, "in-place"))

shows their source, and tracebacks do, too. Names in capitals are the row's own objects. The path that every operation takes:

    check -> save what the derivatives need -> attach or rewrite history -> raise the version -> launch the kernel -> report

All checks come before the first change, and everything that makes a failed write known comes before the launch (see `variants`). The
usual cases are inlined as comparisons of attributes; in the other cases, functions of `operands`, `metadata` and
`destinations` are called.

`parts` has the lines that the variants share, and `variants` what each has of its own.

Keyword-only parameters are slow: CPython looks up their defaults in a dictionary, one by one, in every call without them. So
a function with alternative keywords is generated with plain parameters after a guard:

    def add_(x=ABSENT, y=ABSENT, name=None, _=ABSENT, alpha=1, other=ABSENT):
        if other is not _:

A fourth positional argument is assigned to the guard, and is refused by the same comparison that finds an alternative
keyword. `help` shows the signature without the guard: `public`. A function that accepts separate numbers (`x.reshape(6, 4)`) collects
them, and all other keywords.
"""

from __future__ import annotations

import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from keyword import iskeyword
from types import CodeType
from typing import Any

import numpy as np

from inplacelab import modes
from inplacelab.autograd.history import accumulator, check_leaf, edge, rebase, refresh
from inplacelab.autograd.nodes import NOTHING, UNFINISHED, OpNode, meta, new_node, next_serial
from inplacelab.autograd.saved import OUTPUT, save, save_copy
from inplacelab.layout import common_shape
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import aliases_of
from inplacelab.ops.generated import CHAPTER_OF
from inplacelab.ops.results import destinations, metadata
from inplacelab.ops.results.kernel_tools import launcher
from inplacelab.ops.table.depends import dependence, slots_read, slots_touched
from inplacelab.ops.table.documentation import document
from inplacelab.ops.table.row import BUILT_IN, Row
from inplacelab.ops.template import variants
from inplacelab.ops.template.parts import name_of
from inplacelab.tensor import Tensor, fresh, known_form

__all__ = ["compiled", "function", "name_of", "source"]

Parameter = inspect.Parameter

_SCOPE: dict[str, Any] = {
    "Tensor": Tensor, "save": save, "OUTPUT": OUTPUT, "OpNode": OpNode, "new_node": new_node, "np": np,
    "next_serial": next_serial, "meta": meta, "save_copy": save_copy, "check_leaf": check_leaf, "edge": edge, "accumulator": accumulator, "rebase": rebase,
    "refresh": refresh, "fresh": fresh, "known_form": known_form, "current_modes": modes.current, "UNFINISHED": UNFINISHED, "NOTHING": NOTHING,
    "common_shape": common_shape, "operands": operands, "metadata": metadata, "destinations": destinations,
    "keywords": keywords, "dependence": dependence, "slots_read": slots_read, "slots_touched": slots_touched, "ABSENT": keywords.ABSENT,
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
    made.__code__, made.__signature__ = _with_keyword_names(made.__code__, row, variant), public(row, variant)
    made.__module__, made.__qualname__ = "inplacelab", f"Tensor.{made.__name__}" if row.method else made.__name__
    made.__doc__ = document(row, "ordinary" if variant == "operator" else variant)
    return made  # type: ignore[no-any-return]


def _with_keyword_names(code: CodeType, row: Row, variant: str) -> CodeType:
    """The code with parameters renamed to Python's keywords, which its grammar does not allow (`from`)."""
    words = {safe(alias): alias for alias in aliases_of(op_of(row, variant))}
    return code.replace(co_varnames=tuple(words.get(name, name) for name in code.co_varnames))


def source(row: Row, variant: str) -> str:
    """Returns the Python source of one variant of a row."""
    lines = [*resolve_keywords(row, variant), *variants.BODIES[variant](row)]
    head = f"def {name_of(row, variant)}({written(row, variant)}):"
    return "\n".join([head, *("    " + line for line in lines)]) + "\n"


# ---- parameters, and alternative keywords ---------------------------------------------------------------------------------


def parameters(row: Row, variant: str) -> list[Parameter]:
    """Returns the parameters in Paddle's order; only a function with a new result has `out`. An operator has its operands."""
    if variant == "operator":
        return [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in row.inputs]
    return [p for p in row.parameters if p.name != "out" or variant == "ordinary"]


def op_of(row: Row, variant: str) -> str:
    """Returns the name of a function in `keywords`; "" for rows that only other functions call."""
    if variant == "operator":
        return ""
    return name_of(row, variant) if row.method or row.function or row.functional else ""


def public(row: Row, variant: str) -> inspect.Signature:
    """Returns the signature that `help` shows, with the alternative keywords."""
    return keywords.public(inspect.Signature(parameters(row, variant)), op_of(row, variant))


def written(row: Row, variant: str) -> str:
    """Returns the parameters as in the generated source."""
    name, given = op_of(row, variant), parameters(row, variant)
    aliases = keywords.aliases_of(name)
    if name in keywords.SEPARATE:
        plain = [f"{p.name}=ABSENT" if p.default is Parameter.empty else str(p) for p in given if p.name != "name"]
        return ", ".join([*plain, "*more", "**named"])
    if not aliases:
        return str(inspect.Signature(given))[1:-1]
    named = [p for p in given if p.kind is Parameter.KEYWORD_ONLY]
    plain = [_written(p, aliases.values()) for p in given if p not in named]
    guarded = [f"{p.name}={p.default!r}" for p in named]
    return ", ".join([*plain, "_=ABSENT", *guarded, *(f"{safe(alias)}=ABSENT" for alias in aliases)])


def _written(parameter: Parameter, aliased: Iterable[str]) -> str:
    missing = parameter.default is Parameter.empty or parameter.name in aliased
    return f"{parameter.name}={'ABSENT' if missing else repr(parameter.default)}"


def safe(word: str) -> str:
    """Returns a valid name of a parameter: a keyword of Python, such as `from`, gets an underscore."""
    return word + "_" * iskeyword(word)


def resolve_keywords(row: Row, variant: str) -> Iterator[str]:
    """Yields lines that assign arguments given under alternative keywords to their parameters."""
    name, given = op_of(row, variant), parameters(row, variant)
    aliases = keywords.aliases_of(name)
    if name in keywords.SEPARATE:
        x, value = row.inputs[0], keywords.SEPARATE[name].parameter
        yield "if more or named:"
        yield f"    {x}, {value} = keywords.spelled({name!r}, {x}, {value}, more, named)"
    elif aliases:
        yield f"if {' or '.join(f'{safe(alias)} is not _' for alias in aliases)}:"
        yield f"    keywords.check_named({name!r}, {sum(p.kind is not Parameter.KEYWORD_ONLY for p in given)}, _)"
        for alias, parameter in aliases.items():
            yield f"    {parameter} = keywords.either({name!r}, {parameter!r}, {parameter}, {alias!r}, {safe(alias)})"
    else:
        return
    for p in given:
        if p.default is Parameter.empty and p.name not in row.inputs:
            yield f"if {p.name} is ABSENT:"
            yield f"    keywords.missing({name!r}, {p.name!r})"
        elif p.name in aliases.values() and p.default is not Parameter.empty and name not in keywords.SEPARATE:
            yield f"if {p.name} is _:"
            yield f"    {p.name} = {p.default!r}"
    if name in keywords.EXCHANGED:
        yield from _exchanged(name, {p.name: p.default for p in given})


def _exchanged(name: str, defaults: dict[str, Any]) -> Iterator[str]:
    """Exchanges two adjacent arguments in PyTorch's order; a missing one gets its own default again."""
    first, second, marker = keywords.EXCHANGED[name]
    back = second
    if defaults[first] is not Parameter.empty:
        back = f"{defaults[first]!r} if {second} is {defaults[second]!r} else {second}"
    yield f"if type({first}) is {marker.__name__}:"
    yield f"    {first}, {second} = {back}, {first}"
