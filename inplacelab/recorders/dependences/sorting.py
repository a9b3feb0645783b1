"""Elements by their order: sorting, the k largest ones, the k-th, the median. The positions are taken as they were."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence, listed
from inplacelab.recorders.dependences.call import Call, Found, Rules, Shape, moved, numbered


def _sorted(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """The sorted values, whose positions are taken as they were, and their indices, which depend on the whole line."""
    topk = plain == "topk"
    named = call.named(*(("x", "k", "axis", "largest") if topk else ("x", "axis", "descending")))
    axis = int(named.get("axis", 0 if plain == "msort" else -1)) % len(shapes[0])
    whole = Dependence("whole", (axis,))
    if plain == "argsort" and call.weight_has_rows:
        return whole
    numbers, values = numbered(shapes[0]), np.asarray(call.as_array(call.args[0]))
    if (topk and named.get("sorted") is False) or not _differ(values, axis):
        return _found_at(call, values, numbers, axis), whole
    descending = named.get("largest", True) if topk else named.get("descending", False)
    places = np.argsort(-values if descending else values, axis, kind="stable")
    if topk:
        if int(call.as_array(named["k"])) > places.shape[axis]:
            return None
        places = np.take(places, range(int(call.as_array(named["k"]))), axis)
    return moved(np.take_along_axis(numbers, places, axis)), whole


def _differ(values: Any, axis: int) -> bool:
    """Whether no two values in a line are equal: of equal ones it is not known which comes first."""
    return not (np.diff(np.sort(values, axis), axis=axis) == 0).any()


def _found_at(call: Call, values: Any, numbers: Any, axis: int) -> Dependence | None:
    """Where an operation finds its values, as it says itself when it is run again on the same ones."""
    found = call.on([values])
    if not isinstance(found, tuple):
        return None
    places = found[1]
    if places.ndim < numbers.ndim:
        places = np.expand_dims(places, axis)
    return moved(np.take_along_axis(numbers, places, axis))


def _kth(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """The k-th smallest along an axis, whose position is taken as it was, and its index."""
    named = call.named("x", "k", "axis", "keepdim")
    axis = int(named.get("axis", -1)) % len(shapes[0])
    numbers, values = numbered(shapes[0]), np.asarray(call.as_array(call.args[0]))
    whole = Dependence("reduced", (axis,))
    if not _differ(values, axis):
        return _found_at(call, values, numbers, axis), whole
    places = np.take(np.argsort(values, axis), [int(named["k"]) - 1], axis)
    return moved(np.take_along_axis(numbers, places, axis)), whole


def _median(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    rank = len(shapes[0])
    if not call.weight_has_rows:
        named = call.named("x", "axis", "keepdim", "mode")
        axes = tuple(int(each) % rank for each in named["axis"]) or tuple(range(rank))
        values = Dependence("reduced", axes, rule="middle" if named["mode"] == "avg" else "lower middle")
        return values, Dependence("reduced", axes)
    axis = call.named("x", "axis").get("axis")
    if axis is None:
        return Dependence("reduced", tuple(range(rank)), rule="lower middle")
    axes = (int(axis) % rank,)
    return Dependence("reduced", axes, rule="lower middle"), Dependence("reduced", axes)


def _searched(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Where values would stand in a sorted line: on the whole line, and on the value."""
    line, values = (1, 0) if plain == "bucketize" else (0, 1)
    if len(shapes) != 2 or len(shapes[line]) != 1:
        return None
    size = prod(shapes[0])
    numbers = [range(size), range(size, size + prod(shapes[1]))]
    return listed([[*numbers[line], each] for each in numbers[values]])


def _distinct(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Each value once, sorted: on the elements that have it."""
    if call.named("x").get("axis") is not None:
        return None
    values = np.asarray(call.as_array(call.args[0])).reshape(-1)
    if values.size > MOST_PLACES:
        return None
    return (listed([np.flatnonzero(values == each).tolist() for each in np.unique(values)]),)


RULES: Rules = {
    "searchsorted": _searched,
    "bucketize": _searched,
    "unique": _distinct,
    **dict.fromkeys(("sort", "topk", "argsort", "msort"), _sorted),
    "kthvalue": _kth,
    "median": _median,
}
