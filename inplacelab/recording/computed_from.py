"""Works out which elements of the operands each element of a result was computed from, from what the operation declares and the shapes.

An element is given by its number in row-major order.

>>> from inplacelab.dependence import MOST_PLACES, Dependence
>>> operand_elements(Dependence("contracted", text="ij,jk->ik"), ((2, 2), (2, 2)), (2, 2), 1)
(OperandElement(operand=0, element=0), OperandElement(operand=1, element=1), OperandElement(operand=0, element=1), OperandElement(operand=1, element=3))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite, isnan, prod
from typing import NamedTuple

from inplacelab.dependence import MOST_PLACES, Dependence, adds_first
from inplacelab.recording.facts import Number

Shape = tuple[int, ...]

MOST_OPERAND_ELEMENTS = 512
"""Of an element that was computed from more elements, only so many are listed, the first ones, unless more are asked for."""
MOST_LOOKED_AT = 1 << 16
"""So many positions along axes are looked at for one element. A file may name an axis that is longer than the memory,"""
MOST_IN_WINDOW = 1 << 12
"""or a window that is mostly beside the image."""


class OperandElement(NamedTuple):
    """An element of an operand, from which an element was computed.

    Attributes:
        operand: the position of the operand among those of the operation.
        element: the number of the element, in row-major order.
    """

    operand: int
    element: int


Values = Callable[[int, int], Number | None]
"""Returns the value of an element of an operand, before the operation; None if it was not recorded."""


def _unknown(operand: int, element: int) -> Number | None:  # noqa: ARG001
    return None


def operand_elements(
    depends: Dependence,
    shapes: Sequence[Shape],
    shape: Shape,
    element: int,
    values: Values = _unknown,
    *,
    result: Number | None = None,
    most: int = MOST_OPERAND_ELEMENTS,
) -> tuple[OperandElement, ...] | None:
    """Returns the elements from which an element was computed, in the order of the arithmetic: products pair by pair.

    Args:
        depends: what the operation declares.
        shapes: the shapes of its operands, as they were before it.
        shape: the shape of its result.
        element: the number of the element.
        values: returns the operands' values, which decide where only the largest element counts, or where a mask holds.
        result: the element's own value, which tells whether dropout has kept it.
        most: how many elements are listed.

    Returns:
        At most `most` elements, and one more if there are others; None if they depend on values that were not recorded, or on too many.
    """
    found: list[OperandElement] = []
    first = depends.first
    most = MOST_LOOKED_AT if depends.rule else most  # the largest may be the last one

    def value(operand: int, number: int) -> Number | None:
        return values(operand + first, number)

    for each in _RULES[depends.how](Asked(depends, tuple(shapes[first:]), shape, element, value)):
        if each is None:
            return None
        found.append(OperandElement(each.operand + first, each.element))
        if len(found) > most:
            break
    if depends.rule and len(found) > most:
        return None
    return _kept(found, values, result) if depends.rule == "kept" else _deciding(depends, found, values)


Found = Iterator[OperandElement | None]
"""The elements; None for one that depends on a value that was not recorded."""


class Asked(NamedTuple):
    """A question: for the origins of an element of a result."""

    depends: Dependence
    shapes: tuple[Shape, ...]
    shape: Shape
    element: int
    values: Values


def for_element(depends: Dependence, element: int) -> Dependence:
    """Returns a dependence with the weights of one element of the result alone, in the order of its origins; of the losses of many examples with
    the label of this one.
    """
    labels = [each for each in depends.given if each.name == "label"]
    if depends.how == "reduced" and len(depends.numbers) == 1 < len(labels) and element < len(labels):
        return replace(depends, given=(labels[element], *(each for each in depends.given if each.name != "label")))
    if not depends.weights or element >= len(depends.numbers):
        return depends
    first = sum(depends.numbers[:element])
    return replace(depends, weights=depends.weights[first : first + depends.numbers[element]])


def _deciding(depends: Dependence, found: list[OperandElement], values: Values) -> tuple[OperandElement, ...] | None:
    """The elements that count: all, or the largest or smallest ones."""
    if not depends.rule or len(found) < 2:
        return tuple(found)
    known = []
    for each in found:
        value = values(*each)
        if value is None or isinstance(value, complex):
            return None
        known.append(value)
    if "middle" in depends.rule:
        return _middle(found, known, lower=depends.rule == "lower middle")
    sizes = [abs(value) if "size" in depends.rule else value for value in known]
    broken = [each for each, size in zip(found, sizes, strict=True) if isnan(size)]  # NaN wins against every number
    chosen = (max if "largest" in depends.rule else min)(sizes)
    return tuple(broken or (each for each, size in zip(found, sizes, strict=True) if size == chosen))


def _middle(found: list[OperandElement], known: list[float], *, lower: bool) -> tuple[OperandElement, ...] | None:
    """The elements of a median; None if others are equal to them, since it is not known which was taken."""
    ordered = sorted(range(len(known)), key=lambda k: known[k])
    half = (len(known) - 1) // 2
    chosen = ordered[half : half + 1 if lower or len(known) % 2 else half + 2]
    if any(map(isnan, known)) or any(known.count(known[k]) > 1 for k in chosen):
        return None
    return tuple(found[k] for k in chosen)


def _kept(found: list[OperandElement], values: Values, result: Number | None) -> tuple[OperandElement, ...] | None:
    """The element that dropout has kept; None if it is 0, so that the result does not tell."""
    if result is None or not all(values(*each) for each in found):
        return None
    return tuple(found) if result else ()


_EQUATION = re.compile(r"\+?(?:-|[a-zA-Z]{0,64})(?:,[a-zA-Z]{0,64}){0,63}->[a-zA-Z]{0,64}")
_FURTHER = {"alike", "position", "channel", "none"}
_COUNTS: Mapping[str, Sequence[int]] = {
    "attended": (2,),
    "listed": range(MOST_PLACES + 1),
    "chosen": (3,),
    "joined": (1,),
    "stacked": (1,),
    "running": (0, 1),
}


def fits_together(depends: Dependence) -> bool:
    """Whether what a rule says fits together, as far as that does not need the shapes of the operands. A file is not trusted."""
    lists = (depends.numbers, depends.places, depends.values)
    if not all(isinstance(each, int | float) and isfinite(each) for each in depends.weights) or len(
        depends.weights
    ) not in (0, len(depends.places)):
        return False
    words = set(depends.text.split(","))
    small = 0 <= depends.first < 64 and all(-1 <= each < 2**63 for numbers in lists for each in numbers)
    counted = (
        len(depends.numbers) in _COUNTS.get(depends.how, range(65))
        and max(map(len, lists)) <= MOST_PLACES
        and len(depends.given) <= 64
    )
    known = {"written": ("assigned", "combined", "replaced"), "windowed": ("", "transposed")}.get(depends.how, ("",))
    said = bool(_EQUATION.fullmatch(depends.text)) if depends.how == "contracted" else depends.text in known
    if depends.how == "listed":
        counted = counted and min(depends.numbers, default=0) >= 0 and sum(depends.numbers) == len(depends.places)
    if depends.how in ("reduced", "whole") and depends.text:
        said = words <= _FURTHER
    if depends.how == "windowed":
        counted = (
            counted and 5 <= len(depends.numbers) <= 13 and len(depends.numbers) % 4 == 1 and min(depends.numbers) >= 0
        )
        counted = counted and all(
            each > 0 for k, each in enumerate(depends.numbers[1:]) if k // (len(depends.numbers) // 4) != 2
        )
    return small and counted and said


# --- positions -----------------------------------------------------------------------------------------------------


def _place(shape: Shape, element: int) -> tuple[int, ...]:
    """The position of an element: its index on each axis."""
    place = []
    for size in reversed(shape):
        element, index = divmod(element, size) if size else (0, 0)
        place.append(index)
    return tuple(reversed(place))


def _number(shape: Shape, place: Sequence[int]) -> int:
    """The number of the element at a position. An axis of one element is broadcast."""
    number = 0
    for size, index in zip(shape, place, strict=True):
        number = number * size + (index if size != 1 else 0)
    return number


def _broadcast(shape: Shape, place: tuple[int, ...]) -> int | None:
    """The number of the element of an operand that stands at a position of the result; None if there is none."""
    if len(shape) > len(place):  # leading axes of one element, as in `x[0] = y` with a matrix of one row
        shape = shape[len(shape) - len(place) :]
    own = place[len(place) - len(shape) :]
    return (
        _number(shape, own) if all(size == 1 or index < size for size, index in zip(shape, own, strict=True)) else None
    )


# --- the rules -----------------------------------------------------------------------------------------------------


def _nothing(_: Asked) -> Found:
    yield from ()


def _pointwise(asked: Asked) -> Found:
    place = _place(asked.shape, asked.element)
    for operand, own in enumerate(asked.shapes):
        if operand not in asked.depends.numbers:
            at = _broadcast(own, place)
            yield None if at is None else OperandElement(operand, at)


def _chosen(asked: Asked) -> Found:
    mask, holds, fails = asked.depends.numbers
    place = _place(asked.shape, asked.element)
    at = _broadcast(asked.shapes[mask], place) if mask < len(asked.shapes) else None
    held = None if at is None else asked.values(mask, at)
    if held is None:
        yield None
        return
    operand = holds if held else fails
    if 0 <= operand < len(asked.shapes):  # a number that was chosen is no operand
        own = _broadcast(asked.shapes[operand], place)
        yield None if own is None else OperandElement(operand, own)


def _reordered(asked: Asked) -> Found:
    yield OperandElement(0, asked.element)


def _joined(asked: Asked) -> Found:
    (axis,), place = asked.depends.numbers, list(_place(asked.shape, asked.element))
    for operand, own in enumerate(asked.shapes):
        if place[axis] < own[axis]:
            yield OperandElement(
                operand, _number(own, place) if own[axis] != 1 else _number(own, [*place[:axis], 0, *place[axis + 1 :]])
            )
            return
        place[axis] -= own[axis]


def _stacked(asked: Asked) -> Found:
    (axis,), place = asked.depends.numbers, _place(asked.shape, asked.element)
    yield OperandElement(place[axis], _number(asked.shapes[place[axis]], (*place[:axis], *place[axis + 1 :])))


def _reduced(asked: Asked) -> Found:
    if asked.depends.places:
        yield from (OperandElement(0, place) for place in asked.depends.places)
        return
    place, own = list(_place(asked.shape, asked.element)), asked.shapes[0]
    if len(asked.shape) != len(own):  # without the axes that were reduced
        for axis in sorted(asked.depends.numbers):
            place.insert(axis, 0)
    yield from _along(own, place, asked.depends.numbers)
    yield from _further(asked, place)


def _whole(asked: Asked) -> Found:
    place = _place(asked.shape, asked.element)
    groups = next((int(each.value.real) for each in asked.depends.given if each.name == "groups"), 1)
    size = asked.shapes[0][1] // groups if groups > 1 else 0
    for source in _along(asked.shapes[0], place, asked.depends.numbers):
        if not size or _place(asked.shapes[0], source.element)[1] // size == place[1] // size:
            yield source
    yield from _further(asked, place)


def _further(asked: Asked, place: Sequence[int]) -> Found:
    """What further operands of an operation along axes contribute."""
    words = asked.depends.text.split(",") if asked.depends.text else []
    for operand, (word, own) in enumerate(zip(words, asked.shapes[1:], strict=False), 1):
        if word == "alike":
            yield from _along(own, place, asked.depends.numbers, operand)
        elif word == "channel":
            yield OperandElement(operand, place[1] if len(place) > 1 else 0)
        elif word == "position":
            at = _broadcast(own, tuple(place))
            yield None if at is None else OperandElement(operand, at)


def _along(shape: Shape, place: Sequence[int], axes: Sequence[int], operand: int = 0) -> Iterator[OperandElement]:
    """All elements at a position, along some axes."""
    ranges = [range(size) if axis in axes else (place[axis],) for axis, size in enumerate(shape)]
    for each in _every(ranges):
        yield OperandElement(operand, _number(shape, each))


def _every(ranges: Sequence[Sequence[int]], most: int = MOST_LOOKED_AT) -> Iterator[tuple[int, ...]]:
    """The first positions in some ranges. A range may be longer than the memory: none is copied."""
    sizes = tuple(map(len, ranges))
    for number in range(min(prod(sizes), most + 1)):
        yield tuple(axis[index] for axis, index in zip(ranges, _place(sizes, number), strict=True))


def _running(asked: Asked) -> Found:
    if not asked.depends.numbers:
        yield from (OperandElement(0, each) for each in range(asked.element + 1))
        return
    (axis,), place = asked.depends.numbers, _place(asked.shape, asked.element)
    for operand, own in enumerate(asked.shapes):
        late = asked.shape[axis] - own[axis]  # the factors of a recurrence begin at its second asked.element
        for index in range(place[axis] + 1 - late):
            yield OperandElement(operand, _number(own, (*place[:axis], index, *place[axis + 1 :])))


def _contracted(asked: Asked) -> Found:
    left, result = asked.depends.text.removeprefix("+").split("->")
    terms = left.split(",")
    order = asked.depends.numbers or tuple(range(len(terms)))
    shapes = [asked.shapes[k] for k in order]
    known = dict(zip(result, _place(asked.shape, asked.element), strict=False))
    sizes: dict[str, int] = {}
    for term, own in zip(terms, shapes, strict=False):
        for letter, size in zip(term, own if len(term) == len(own) else (prod(own),), strict=False):
            sizes[letter] = max(sizes.get(letter, 1), size)
    added = [0] if adds_first(asked.depends.text) else []
    for k in added:
        if terms[k] != "-":
            yield OperandElement(order[k], _at(shapes[k], terms[k], known))
    factors = [k for k in range(len(terms)) if k not in added]
    free = [letter for letter in sizes if letter not in known and any(letter in terms[k] for k in factors)]
    for indices in _every([range(sizes[letter]) for letter in free]):
        places = {**known, **dict(zip(free, indices, strict=True))}
        for k in factors:
            yield OperandElement(order[k], _at(shapes[k], terms[k], places))


def _windowed(asked: Asked) -> Found:
    """A window of an image of any number of axes, after those of the batch and of the channels; a bias comes last."""
    groups, *rest = asked.depends.numbers
    count = len(rest) // 4
    sizes, strides, padding, dilation = (rest[k * count : (k + 1) * count] for k in range(4))
    own = asked.shapes[0]
    lead = len(own) - count - 1  # axes of the batch, one or none
    place = _place(asked.shape, asked.element)
    channel = place[lead]
    if asked.depends.text == "transposed":
        yield from _in_windows(asked, place, lead, (sizes, strides, padding, dilation))
        return
    inputs = asked.shapes[1][1] if groups else 1
    first = channel // (asked.shapes[1][0] // groups) * inputs if groups else channel
    for at in _every([range(inputs), *map(range, sizes)], MOST_IN_WINDOW):
        where = [place[lead + 1 + k] * strides[k] - padding[k] + at[1 + k] * dilation[k] for k in range(count)]
        if all(0 <= index < size for index, size in zip(where, own[lead + 1 :], strict=True)):
            yield OperandElement(0, _number(own, (*place[:lead], first + at[0], *where)))
            if groups:
                yield OperandElement(1, _number(asked.shapes[1], (channel, *at)))
    if groups and len(asked.shapes) > 2:
        yield OperandElement(2, channel)


def _in_windows(asked: Asked, place: tuple[int, ...], lead: int, sides: Sequence[Sequence[int]]) -> Found:
    """The elements of an image in whose windows an element of a transposed convolution is."""
    own, weight, groups = asked.shapes[0], asked.shapes[1], asked.depends.numbers[0]
    inputs = own[lead] // groups
    group, channel = divmod(place[lead], weight[1])
    for at in _every([range(inputs), *map(range, sides[0])], MOST_IN_WINDOW):
        steps = [
            divmod(index + padding - k * dilation, stride)
            for index, k, stride, padding, dilation in zip(place[lead + 1 :], at[1:], *sides[1:], strict=True)
        ]
        source = group * inputs + at[0]
        if all(not rest and 0 <= index < size for (index, rest), size in zip(steps, own[lead + 1 :], strict=True)):
            yield OperandElement(0, _number(own, (*place[:lead], source, *(index for index, _ in steps))))
            yield OperandElement(1, _number(weight, (source, channel, *at[1:])))
    if len(asked.shapes) > 2:
        yield OperandElement(2, place[lead])


def _at(shape: Shape, term: str, places: dict[str, int]) -> int:
    if len(term) != len(shape):  # the elements in one line
        return places[term]
    return _number(shape, [places[letter] for letter in term])


def _moved(asked: Asked) -> Found:
    if asked.element < len(asked.depends.places):
        yield from _numbered_on(asked, asked.depends.places[asked.element])


def _numbered_on(asked: Asked, place: int) -> Iterator[OperandElement]:
    """The element with a number: those of the second operand come after those of the first."""
    for operand, own in enumerate(asked.shapes):
        if 0 <= place < prod(own):
            yield OperandElement(operand, place)
        place -= prod(own)


def _listed(asked: Asked) -> Found:
    counts = asked.depends.numbers
    if asked.element < len(counts):
        first = sum(counts[: asked.element])
        for place in asked.depends.places[first : first + counts[asked.element]]:
            yield from _numbered_on(asked, place)


def _attended(asked: Asked) -> Found:
    """For each entry of the query, and each key that it may see, this entry, that of the key, and the key's value; then what is added to the scores."""
    query, key, value, *further = asked.shapes
    for_each, adds = asked.depends.numbers
    *batch, row, column = _place(asked.shape, asked.element)
    first = ((_number(asked.shape[:-2], batch) if for_each else 0) * query[-2] + row) * key[-2]
    hidden = {*asked.depends.places}
    seen = [at for at in range(key[-2]) if first + at not in hidden]
    if len(seen) == 1:  # whatever its score is
        yield OperandElement(2, _number(value, (*batch, seen[0], column)))
        return
    for entry in range(query[-1]):
        for at in seen:
            yield OperandElement(0, _number(query, (*batch, row, entry)))
            yield OperandElement(1, _number(key, (*batch, at, entry)))
            yield OperandElement(2, _number(value, (*batch, at, column)))
    for at in seen if adds else ():
        score = _broadcast(further[0], (*batch, row, at))
        yield None if score is None else OperandElement(3, score)


def _written(asked: Asked) -> Found:
    last = len(asked.shapes) - 1
    here = [k for k, place in enumerate(asked.depends.places) if place == asked.element]
    if not here:
        yield OperandElement(0, asked.element)  # it was left as it is
        return
    if asked.depends.text == "combined":
        yield OperandElement(0, asked.element)
    for k in here if asked.depends.text != "assigned" else here[-1:]:
        if k < len(asked.depends.values):
            yield OperandElement(last, asked.depends.values[k])


_RULES: dict[str, Callable[[Asked], Found]] = {
    "constant": _nothing,
    "drawn": _nothing,
    "pointwise": _pointwise,
    "chosen": _chosen,
    "reordered": _reordered,
    "joined": _joined,
    "stacked": _stacked,
    "reduced": _reduced,
    "whole": _whole,
    "running": _running,
    "contracted": _contracted,
    "windowed": _windowed,
    "attended": _attended,
    "moved": _moved,
    "listed": _listed,
    "written": _written,
}
