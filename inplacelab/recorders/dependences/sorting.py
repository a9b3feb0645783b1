"""Elements by their order: sorting, the k largest ones, the k-th, the median. The positions are taken as they were."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence
from inplacelab.recorders.dependences.call import Call, Found, Rules, Shape, moved, numbered


def _sorted(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """The sorted values, whose positions are taken as they were, and their indices, which depend on the whole line."""
    topk = plain == "topk"
    named = call.named(*(("x", "k", "axis", "largest") if topk else ("x", "axis", "descending")))
    rank = len(shapes[0])
    axis = int(named.get("axis", -1)) % rank
    values = np.asarray(call.as_array(call.args[0]))
    whole = Dependence("whole", (axis,))
    if plain == "argsort" and call.weight_has_rows:
        return whole
    ordered = np.sort(values, axis)
    if values.size > MOST_PLACES or (np.diff(ordered, axis=axis) == 0).any():
        return None, whole  # of equal values it is not known which comes first
    descending = named.get("largest", True) if topk else named.get("descending", False)
    places = np.argsort(-values if descending else values, axis, kind="stable")
    if topk:
        if int(call.as_array(named["k"])) > places.shape[axis] or named.get("sorted") is False:
            return None
        places = np.take(places, range(int(call.as_array(named["k"]))), axis)
    numbers = np.arange(values.size).reshape(values.shape)
    return Dependence("moved", places=tuple(np.take_along_axis(numbers, places, axis).reshape(-1).tolist())), whole


def _kth(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """The k-th smallest along an axis, whose position is taken as it was, and its index."""
    named = call.named("x", "k", "axis", "keepdim")
    axis = int(named.get("axis", -1)) % len(shapes[0])
    values = np.asarray(call.as_array(call.args[0]))
    whole = Dependence("reduced", (axis,))
    ordered = np.sort(values, axis)
    if (np.diff(ordered, axis=axis) == 0).any():
        return None, whole  # of equal values it is not known which was taken
    places = np.take(np.argsort(values, axis), [int(named["k"]) - 1], axis)
    return moved(np.take_along_axis(numbered(shapes[0]), places, axis)), whole


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


RULES: Rules = {**dict.fromkeys(("sort", "topk", "argsort"), _sorted), "kthvalue": _kth, "median": _median}
