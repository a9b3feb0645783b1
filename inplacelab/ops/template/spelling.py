"""The parameters of a function, and the lines that sort out under which names they were given.

Keyword-only parameters are dear: CPython looks up their defaults in a dictionary, one by one, in every call that leaves them out.
So a function that takes other names for its keywords is written with plain parameters behind a guard:

    def add_(x=ABSENT, y=ABSENT, name=None, _=ABSENT, alpha=1, other=ABSENT):
        if other is not _:

Whoever gives a fourth value without a name gives it to the guard, and is refused by the same comparison that finds
another name in use. What `help` shows is the signature without it: `public`.

A function that takes separate numbers (`x.reshape(6, 4)`) collects them, and all keywords that it does not know.
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
    """The parameters, in Paddle's order; only a function that makes its result takes `out`."""
    return [p for p in row.parameters if p.name != "out" or variant == "ordinary"]


def op_of(row: Row, variant: str) -> str:
    """The name under which `keywords` knows a function; "" for rows that only other functions call."""
    return name_of(row, variant) if row.method or row.function or row.functional else ""


def public(row: Row, variant: str) -> inspect.Signature:
    """The signature that `help` shows, with the other names."""
    return keywords.public(inspect.Signature(parameters(row, variant)), op_of(row, variant))


def written(row: Row, variant: str) -> str:
    """The parameters as they stand in the source."""
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
    """A word as the name of a parameter: `from` is one of Python's own, and gets an underscore."""
    return word + "_" * iskeyword(word)


def sorted_out(row: Row, variant: str) -> Iterator[str]:
    """Lines that give every parameter the value that was given under another name."""
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
    """Two neighbours that were given in PyTorch's order change places; what was not given has its own default again."""
    first, second, told_by = keywords.EXCHANGED[name]
    back = second
    if defaults[first] is not Parameter.empty:
        back = f"{defaults[first]!r} if {second} is {defaults[second]!r} else {second}"
    yield f"if type({first}) is {told_by.__name__}:"
    yield f"    {first}, {second} = {back}, {first}"
