"""Elements that an index, a mask or a key has chosen, reading and writing; tensors side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence, Given, Rule, listed
from inplacelab.recorders.dependences.call import Call, Found, Rules, Shape, moved, numbered


def _side_by_side(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Several tensors as one."""
    named = call.named("parts", "axis")
    rank = len(shapes[0]) + (plain == "stack")
    return Dependence("stacked" if plain == "stack" else "joined", (int(named.get("axis", 0)) % rank,))


def of_positions(  # noqa: PLR0911  # one case after the other
    call: Call,
    plain: str,
    shapes: Sequence[Shape],  # noqa: ARG001
) -> Dependence | None:
    """Returns the dependence of an operation that reads, or writes, at chosen positions; None if it is none, or not known."""
    if plain in ("getitem", "setitem") and len(call.args) > 1:
        return _keyed(call, plain)
    at = call.reads.get(call.name) or call.writes.get(f"{plain}_")  # or the same write to a copy
    if at is None or plain in ("where", "masked_fill") or call.name in ("tril", "triu"):
        return None
    given = at.given(call.args, call.kwargs, call.aliases)
    known: dict[str, Any] = {
        **given,
        **{name: call.as_array(given[name]) for name in ("index", "mask") if name in given},
    }
    if call.is_tensor(known.get("axis")):
        known["axis"] = int(call.as_array(known["axis"]))
    selected = np.asarray(at.selects(numbered(tuple(map(int, call.args[0].shape))), known))
    if call.name in call.reads:
        return moved(selected)
    if plain in ("tril", "triu", "fill_diagonal"):
        return _written(selected, None, "assigned")
    if plain == "scatter" and at.combines(given) and given.get("reduce") is None:
        return _written(selected, given["value"], "replaced")  # Paddle's `overwrite=False`
    value = given.get("value")
    how = "assigned" if not at.combines(given) else "replaced" if given.get("include_self") is False else "combined"
    in_order = plain in ("masked_scatter", "put")
    found = _written(selected, value if call.is_tensor(value) else None, how, in_order=in_order)
    alpha = call.kwargs.get("alpha", 1)
    reduces = str(given.get("reduce"))
    if found is None or reduces in _OF_CHOSEN:
        return found and replace(found, rule=_OF_CHOSEN[reduces])
    told = (("alpha", alpha), ("product", reduces in _MULTIPLYING), ("mean", reduces == "mean"))
    return replace(found, given=tuple(Given(name, value) for name, value in told if value != (name == "alpha")))


_OF_CHOSEN: Mapping[str, Rule] = {"amax": "largest", "amin": "smallest"}
"""Of the numbers that are written to one place, and the old one, only these count."""
_MULTIPLYING = ("mul", "multiply", "prod")


def _keyed(call: Call, plain: str) -> Dependence | None:
    parts = call.args[1] if type(call.args[1]) is tuple else (call.args[1],)
    keys = tuple(call.as_array(part) if call.is_tensor(part) else part for part in parts)
    selected = np.asarray(numbered(tuple(map(int, call.args[0].shape)))[keys])
    if plain == "getitem":
        return moved(selected)
    value = call.args[2] if len(call.args) > 2 else None
    return _written(selected, value if call.is_tensor(value) else None, "assigned")


def _written(places: Any, value: Any, how: str, *, in_order: bool = False) -> Dependence | None:
    if places.size > MOST_PLACES:
        return None
    used: Any = np.zeros(0, int)
    if value is not None:
        shape = tuple(map(int, value.shape))
        used = np.arange(prod(shape)).reshape(shape)
        if in_order:
            used = used.reshape(-1)[: places.size]
        else:
            while used.ndim > places.ndim and used.shape[0] == 1:
                used = used[0]
            if used.ndim == places.ndim and any(n > m for n, m in zip(used.shape, places.shape, strict=True)):
                used = used[tuple(slice(n) for n in places.shape)]  # a source larger than the index
            used = np.broadcast_to(used, places.shape).reshape(-1)
    return Dependence("written", text=how, places=tuple(places.reshape(-1).tolist()), values=tuple(used.tolist()))


def _embedding(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Rows of the second operand, which the first one chooses."""
    return moved(numbered(shapes[1])[call.as_array(call.args[0])], first=1)


def _glu(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    axis = call.named("x", "axis").get("axis", -1)
    halves = np.split(numbered(shapes[0]), 2, axis)
    return listed(np.stack([half.reshape(-1) for half in halves], 1).tolist())


def _dropped(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    kept = Dependence("pointwise", rule="kept")
    return kept if call.weight_has_rows else (kept,)


RULES: Rules = {
    **dict.fromkeys(("cat", "concat", "concatenate", "stack"), _side_by_side),
    "embedding": _embedding,
    "glu": _glu,
    "dropout": _dropped,
}
