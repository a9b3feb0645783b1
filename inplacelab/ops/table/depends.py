"""Declarations of how the elements of a row's result depend on those of its inputs, what they come to for one call, and which slots it touches.

A row of a kind that says it needs no declaration: an element-wise row is pointwise, a view has the same slots. Every other row declares
one with `depends=`. What an index or a mask chooses is found by running the kernel, or the row's own function, on numbers of elements.

What the answers mean, `Dependence` and its rules, is in `inplacelab/dependence.py`. A declaration here belongs to a row of ours; those
for functions of PyTorch and Paddle are in `recorders/dependences/`.

A row does not declare the meaning of its index, its mask or its diagonal either. So, for the slots that a call reads and writes, its kernel
runs on other values: on slot numbers instead of the values that are read, on NaN and on numbers instead of those that are written. What it
does to them says which slots it reaches.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, prod
from typing import Any

import numpy as np

from inplacelab.backends import CPU
from inplacelab.dependence import (
    CONSTANT,
    DRAWN,
    MOST_PLACES,
    OVERWRITTEN,
    POINTWISE,
    REORDERED,
    Dependence,
    Given,
    Rule,
    products,
)
from inplacelab.layout import Shape
from inplacelab.ops.arguments.operands import slots_of
from inplacelab.ops.table.row import ZERO, Row
from inplacelab.tensor import Tensor

Call = Mapping[str, Any]
"""The arrays and attributes of a call, by name."""

Used = Callable[[Any, Shape, Call], Any]
"""Returns some of the numbers of a value's elements, from all of them, the shape of the places where they are written, and the call."""

# ---- declarations ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Depends:
    """A row's declaration.

    Attributes:
        of: returns the dependence of one call, from the row, the call, and the shape of the result; None if it is not known.
        before: whether it must be asked before anything is written, because it reads an index or a mask.
    """

    of: Callable[[Row, Call, Shape], Dependence | None]
    before: bool = False


def always(dependence: Dependence) -> Depends:
    """Declares one dependence for all calls."""
    return Depends(lambda row, call, shape: dependence)


def pointwise(rule: Rule = "", unread: tuple[int, ...] = ()) -> Depends:
    """Declares that an element depends on those at its position: on the largest or smallest of them, with that `rule`."""
    plain = Dependence("pointwise", unread, rule=rule) if unread or rule else POINTWISE
    return Depends(lambda row, call, shape: _with_numbers(row, call, plain))


def chosen(mask: int, holds: int, fails: int) -> Depends:
    """Declares a choice by a mask between two of the inputs, given by their positions; -1 for none."""
    return always(Dependence("chosen", (mask, holds, fails)))


def along_axes(
    how: Any,
    attribute: str = "axis",
    *,
    others: bool = False,
    fixed: int | tuple[int, ...] | None = None,
    rule: Callable[[Call], Rule] | str = "",
) -> Depends:
    """Declares "reduced", "whole" or "running" along the axes that an attribute names; along all `others` than those; or along a `fixed` one."""

    def of(row: Row, call: Call, shape: Shape) -> Dependence:
        rank, value = call[row.inputs[0]].ndim, call[attribute] if fixed is None else fixed
        named = () if value is None else (value,) if isinstance(value, int) else tuple(value)
        axes = tuple(sorted(each % rank for each in named)) if rank else ()
        if value is None and how != "running":
            axes = tuple(range(rank))
        chosen_axes = tuple(k for k in range(rank) if k not in axes) if others else axes
        found: Any = rule if isinstance(rule, str) else rule(call)
        return Dependence(how, chosen_axes, rule=found)

    return Depends(of)


def contracted(equation: Callable[..., str]) -> Depends:
    """Declares sums of products. `equation` returns it in Einstein's notation, from the shapes of the inputs and the attributes it names."""
    names = tuple(inspect.signature(equation).parameters)

    def of(row: Row, call: Call, shape: Shape) -> Dependence:
        known = {name: value.shape if name in row.inputs else value for name, value in call.items()}
        given = tuple(Given(name, float(call[name])) for name in ("beta", "alpha") if name in call)
        return Dependence("contracted", text=equation(**{name: known[name] for name in names}), given=given)

    return Depends(of)


def by_equation() -> Depends:
    """Declares sums of products of one element of each input, by the attribute `equation`."""
    return Depends(lambda row, call, shape: products(call["equation"]))


def moved() -> Depends:
    """Declares that each element is one of the first input, or a constant: the kernel moves the elements' numbers instead of them."""
    return Depends(_moved, before=True)


def written(
    places: Callable[..., Any], value: str = "", how: str | Callable[[Call], str] = "assigned", *, used: Used | None = None,
    rule: Callable[[Call], Rule] = lambda call: "",
) -> Depends:  # fmt: skip
    """Declares a write of some elements.

    Args:
        places: returns the numbers of the elements that are written, in order, from an array of all numbers and the arguments it names.
        value: the input that is written there; none for a constant.
        how: "assigned", "combined" or "replaced" (see `Dependence`).
        used: returns those of the numbers of the value's elements that are broadcast to the places, from all of them, the shape of the
            places, and the call; all if it is not given.
        rule: which of the elements at one place count.
    """
    names = tuple(inspect.signature(places).parameters)[1:]

    def of(row: Row, call: Call, shape: Shape) -> Dependence | None:
        x = call[row.inputs[0]]
        done = how if isinstance(how, str) else how(call)
        found = places(np.arange(x.size).reshape(x.shape), **{name: _on_host(call[name]) for name in names})
        numbers = np.arange(call[value].size).reshape(call[value].shape) if value else None
        if numbers is not None and used is not None:
            numbers = used(numbers, np.shape(found), call)
        return written_at(found, numbers, done, rule(call))

    return Depends(of, before=True)


def written_at(places: Any, value: Any, how: str = "assigned", rule: Rule = "") -> Dependence | None:
    """Returns the dependence of a write at some places.

    Args:
        places: the numbers of the elements that are written, in order.
        value: the numbers of the elements that are written there, which are broadcast to the places; None for a constant.
        how: "assigned", "combined" or "replaced" (see `Dependence`).
        rule: which of the elements at one place count.

    Returns:
        The dependence; None if there are too many places to report, or the value does not fit.
    """
    found = np.asarray(places)
    if found.size > MOST_PLACES:
        return None
    if value is not None and not _fits(value, found.shape):
        return None  # the write will be refused, in its own words
    values = () if value is None else tuple(_as_broadcast(value, found.shape).reshape(-1).tolist())
    return Dependence("written", text=how, rule=rule, places=tuple(found.reshape(-1).tolist()), values=values)


def one_after_the_other(numbers: Any, places: Shape, call: Call) -> Any:
    """The first elements, in row-major order, as many as there are places."""
    return numbers.reshape(-1)[: prod(places)].reshape(places)


def of_norm(call: Call) -> Rule:
    """Returns which elements count for a norm: of one with p = inf only the largest in size."""
    return {inf: "largest size", -inf: "smallest size"}.get(call["p"], "")  # type: ignore[return-value]


NOT_KNOWN = Depends(lambda row, call, shape: None)
"""Declares that the origins are not said: for factors of a matrix, whose elements depend on parts of it in a way of their own."""
DRAWN_HERE = always(DRAWN)
"""Declares random numbers."""

# ---- what they come to ----------------------------------------------------------------------------------------------------


def declared(row: Row) -> Depends | None:
    """Returns a row's declaration, given or implied by its kind; None if it has none.

    A view depends on nothing but its slots: its elements are those of its input, which `SAME_SLOTS` says.
    """
    if row.depends is not None:
        found: Depends = row.depends
        return found
    if row.layout is not None:
        return SAME_SLOTS
    if row.kind == "elementwise" and row.shape is None:
        return _POINTWISE
    if row.kind == "overwrite" and row.rules[0] is ZERO and row.kernel is not None:
        return _OVERWRITTEN if len(row.inputs) > 1 else _FILLED
    return None


def dependence(row: Row, call: Call, shape: Shape) -> Dependence | None:
    """Returns how the result of a call depends on its inputs.

    Args:
        row: the operation.
        call: its arrays and attributes, by name, as the kernel receives them.
        shape: the shape of the result.

    Returns:
        The dependence; None if too many elements were selected to report their positions.
    """
    values, known = _last.get(row, _NO_LAST)
    for name, value in values:
        if call[name] is not value:
            break
    else:
        if known is not None:
            return known
    found = declared(row)
    return None if found is None else found.of(row, call, shape)


SAME_SLOTS = always(REORDERED)
"""The declaration of views: a copy where no view is possible has the elements in the same order."""
_POINTWISE, _FILLED = pointwise(), always(CONSTANT)
_OVERWRITTEN = always(OVERWRITTEN)


def _with_numbers(row: Row, call: Call, plain: Dependence) -> Dependence:
    """The dependence with the numbers among the attributes and the inputs; the same object where there are none."""
    given = [(name, call[name]) for name in row.attribute_names]
    named = given + [
        (name, value[()]) for name in row.numbers if type(value := call[name]) is np.ndarray and not value.ndim
    ]
    numbers = tuple([Given(name, number) for name, value in named if (number := _number(value)) is not None])
    # (`replace` takes three times as long)
    found = Dependence(plain.how, plain.numbers, rule=plain.rule, given=numbers) if numbers else plain
    if not row.numbers and all(type(value) in _IMMUTABLE for _, value in given):
        _last[row] = given, found
    return found


_IMMUTABLE = frozenset({type(None), bool, int, float, str})
_NO_LAST: tuple[list[tuple[str, Any]], None] = [], None
_last: dict[Row, tuple[list[tuple[str, Any]], Dependence]] = {}
"""The last dependence of rows, and the attributes that it is for: a loop gives the same objects each time."""


def _number(value: Any) -> float | None:
    """Returns a number as Python's; None for anything else."""
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        value = value.item()
    if isinstance(value, int) and abs(value) < 2**53:
        return int(value)
    return float(value) if isinstance(value, (int, float)) else None


_FIRST = 1 << 40
"""Numbers of elements begin here, so that a constant that a kernel writes is none of them."""


def _moved(row: Row, call: Call, shape: Shape) -> Dependence | None:
    x = call[row.inputs[0]]
    if max(prod(shape), x.size) > MOST_PLACES or row.kernel is None:
        return None
    numbers = np.arange(_FIRST, _FIRST + x.size).reshape(x.shape)
    out = np.zeros(shape, np.int64)
    known = {name: _on_host(value) for name, value in call.items()} | {
        row.inputs[0]: numbers,
        "out": out,
        "device": _Unaccounted(),
    }
    row.kernel(**{name: known[name] for name in inspect.signature(row.kernel).parameters})
    return Dependence("moved", places=tuple(np.where(out >= _FIRST, out - _FIRST, -1).reshape(-1).tolist()))


def _on_host(value: Any) -> Any:
    """An array in the memory of the CPU; anything else as it is. A GPU's array is read, which waits for the device."""
    if isinstance(value, np.ndarray | np.generic) or not hasattr(value, "dtype"):
        return value
    return np.array(value.tolist(), value.dtype).reshape(value.shape)


def _fits(numbers: Any, shape: Shape) -> bool:
    """Whether numbers can be broadcast to a shape."""
    sizes = numbers.shape
    while len(sizes) > len(shape) and sizes[0] == 1:
        sizes = sizes[1:]
    return len(sizes) <= len(shape) and all(n in (1, m) for n, m in zip(reversed(sizes), reversed(shape), strict=False))


def _as_broadcast(numbers: Any, shape: Shape) -> Any:
    """The numbers of elements broadcast to a shape; leading axes of one element are ignored."""
    while numbers.ndim > len(shape) and numbers.shape[0] == 1:
        numbers = numbers[0]
    return np.broadcast_to(numbers, shape)


class _Unaccounted:
    """Replaces the device by the CPU without its ledger: memory used here is not the program's."""

    def __getattr__(self, name: str) -> Any:
        return getattr(CPU, name)

    @property
    def ledger(self) -> _Unaccounted:
        return self

    def borrow(self, _bytes: int) -> None:
        """Counts nothing."""


# ---- which slots a call touches -------------------------------------------------------------------------------------------

ENOUGH = 1 << 20
"""The most elements of a tensor, or slots of a storage, for which slots are computed; more would take too long."""


def slots_read(row: Row, x: Tensor, given: Mapping[str, Any], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Returns the slots that a selection reads.

    Args:
        row: the operation.
        x: its first input.
        given: its arrays and attributes, by name, as the kernel receives them.
        shape: the shape of the result.

    Returns:
        The slot of each element of the result, in row-major order; None if `x` is too large, or the kernel is one that launches.
    """
    if _cannot_run(row, x):
        return None
    slots = slots_of(x)
    result = np.empty(shape, slots.dtype)
    _run(row, x, {**given, row.inputs[0]: slots}, result)
    return tuple(result.ravel().tolist())


def slots_touched(row: Row, x: Tensor, given: Mapping[str, Any]) -> dict[str, Any]:
    """Returns which slots an in-place operation is about to write and read, as details for `Observer.operation`.

    A slot is written if the operation can change it, for some values of its inputs. Two runs of the kernel tell: on zeros with NaN
    as values, what becomes NaN is written; on NaN with numbers as values, what becomes a number is written, and what is written and
    stays NaN depends on the old value, so it is read. If all that is written are some of those numbers, they were copied. A third run,
    on large numbers, finds what only some values change.

    Args:
        row: the operation.
        x: its first input, which has not been written yet.
        given: its arrays and attributes, by name, as the kernel receives them.

    Returns:
        The details: all of `x` is written at most, but it is not known where, if it is too large, or the kernel is one that launches.
    """
    if _cannot_run(row, x):
        return {"exact": False}
    shape = x.array.shape
    valued = [name for name, rule in zip(row.inputs[1:], row.rules[1:], strict=True) if rule is not None]
    numbers = {name: _distinct(given[name].shape) for name in valued}
    missing = {name: np.full(given[name].shape, np.nan) for name in valued}
    reached = np.isnan(_result(row, x, {**given, **missing}, np.zeros(shape)))
    combined = _result(row, x, {**given, **numbers}, np.full(shape, np.nan))
    large = np.array(_distinct(shape) * 1e6)
    reached = reached | ~np.isnan(combined) | (_result(row, x, {**given, **numbers}, large.copy()) != large)
    slots, kept = slots_of(x), np.isnan(combined)
    return {
        "written": _listed(slots[reached]),
        "read": _listed(slots[reached & kept]),
        "copied": next((k for k, name in enumerate(row.inputs) if _holds(numbers.get(name), combined[reached])), None),
    }


def _distinct(shape: tuple[int, ...]) -> Any:
    """Returns different numbers. A sum of several is none of them, and most likely neither is a product or a mean."""
    count = prod(shape)
    return (count + 1 + count * (np.arange(1, count + 1) * 0.6180339887498949 % 1)).reshape(shape)


def _holds(numbers: Any, found: Any) -> bool:
    """Whether all that was found are some of these numbers."""
    return numbers is not None and found.size > 0 and bool(np.isin(found, numbers).all())


def _listed(slots: Any) -> tuple[int, ...]:
    """Returns the slots in order, without repeats."""
    return tuple(np.unique(slots).tolist())


def _cannot_run(row: Row, x: Tensor) -> bool:
    too_large = max(x.array.size, x.storage.nbytes // x.element_size()) > ENOUGH
    return bool(too_large or "planned" in _parameters(row))


def _parameters(row: Row) -> Mapping[str, inspect.Parameter]:
    assert row.kernel is not None
    return inspect.signature(row.kernel).parameters


def _result(row: Row, x: Tensor, given: Mapping[str, Any], out: Any) -> Any:
    """Returns what the kernel makes of the values in `out`, which it overwrites."""
    with np.errstate(all="ignore"):
        _run(row, x, {**given, row.inputs[0]: out}, out)
    return out


def _run(row: Row, x: Tensor, given: Mapping[str, Any], out: Any) -> None:
    """Runs the kernel in the memory of the CPU."""
    assert row.kernel is not None
    device = x.storage.device
    host = {
        name: device.to_host(value) if name in row.inputs and not isinstance(value, np.ndarray) else value
        for name, value in given.items()
    }
    known = {**host, "out": out, "device": _Unaccounted()}
    row.kernel(**{name: known[name] for name in _parameters(row)})
