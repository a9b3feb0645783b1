"""Generates the parameters of a function, and the lines that resolve alternative keywords.

Keyword-only parameters are slow: CPython looks up their defaults in a dictionary, one by one, in every call without them. So
a function with alternative keywords is generated with plain parameters after a guard:

    def add_(x=ABSENT, y=ABSENT, name=None, _=ABSENT, alpha=1, other=ABSENT):
        if other is not _:

A fourth positional argument is assigned to the guard, and is refused by the same comparison that finds an alternative
keyword. `help` shows the signature without the guard: `public`.

A function that accepts separate numbers (`x.reshape(6, 4)`) collects them, and all other keywords.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from keyword import iskeyword
from typing import Any

from inplacelab.ops.arguments import keywords
from inplacelab.ops.table.row import Row
from inplacelab.ops.template.parts import name_of

Parameter = inspect.Parameter


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
