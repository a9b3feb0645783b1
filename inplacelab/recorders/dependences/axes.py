"""Along axes: reductions, softmax, running sums."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from inplacelab.dependence import Dependence, How, Rule
from inplacelab.recorders.dependences.call import Call, Found, Shape

_REDUCED: Mapping[str, Rule] = {
    **dict.fromkeys(("sum", "mean", "prod", "all", "any", "logsumexp", "std", "var", "argmax", "argmin", "nansum", "nanmean", "mean_all", "count_nonzero", "nanprod"), ""),
    **dict.fromkeys(("max", "amax"), "largest"), **dict.fromkeys(("min", "amin"), "smallest"),
}  # fmt: skip


_OF_ALL = frozenset({"dist", "allclose", "equal_all", "bincount", "histc", "histogram", "nonzero", "argwhere"})
"""Operations each of whose results is made of all elements of all tensors, which are of one shape."""
_WHOLE = frozenset({"softmax", "log_softmax", "softmin", "gumbel_softmax"})


_RUNNING = frozenset({"cumsum", "cumprod", "logcumsumexp"})


def of_axes(call: Call, plain: str, shapes: Sequence[Shape]) -> Dependence | None:
    """Returns the dependence of an operation along axes that has one result; None if it is none, or not known."""
    rank = len(shapes[0])
    if plain in _REDUCED and len(shapes) == 1:
        return Dependence("reduced", _axes(call.named("x", "axis").get("axis"), rank), rule=_REDUCED[plain])
    if plain in _OF_ALL and len({*shapes}) == 1 and (plain != "bincount" or len(shapes) == 1):
        return Dependence("reduced", tuple(range(rank)), text=",".join(["alike"] * (len(shapes) - 1)))
    if plain in ("norm", "p_norm", "linalg_norm", "linalg_vector_norm"):
        named = call.named("x", "p", "axis", "epsilon", "keepdim", "as_vector")
        if named.get("as_vector"):
            named["axis"] = None
        rules: Mapping[Any, Rule] = {inf: "largest size", -inf: "smallest size"}
        return Dependence(
            "reduced", _axes(named.get("axis"), rank), rule=rules.get(named.get("p", named.get("ord")), "")
        )
    how: How | None = "whole" if plain in _WHOLE else "running" if plain in _RUNNING else None
    if how is None or len(shapes) != 1:
        return None
    axis = call.kwargs.get("dim", -1) if plain == "gumbel_softmax" else call.named("x", "axis").get("axis")
    if axis is None:
        return Dependence(how) if how == "running" else Dependence(how, (rank - 1,))
    return Dependence(how, _axes(axis, rank))


def of_pairs(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """Returns those of an operation along axes that has two results; None of any other."""
    rank = len(shapes[0])
    if plain in ("var_mean", "std_mean"):
        whole = Dependence("reduced", _axes(call.named("x", "axis").get("axis"), rank))
        return whole, whole
    if plain == "aminmax":
        axes = _axes(call.kwargs.get("dim"), rank)
        return Dependence("reduced", axes, rule="smallest"), Dependence("reduced", axes, rule="largest")
    if plain in ("cummax", "cummin"):
        running = Dependence("running", _axes(call.named("x", "axis").get("axis"), rank))
        return replace(running, rule="largest" if plain == "cummax" else "smallest"), running
    return None


def _axes(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes, counted from the front: all for None or an empty list."""
    if axis is None or (isinstance(axis, list | tuple) and not axis):
        return tuple(range(rank))
    named = axis if isinstance(axis, list | tuple) else (axis,)
    return tuple(sorted(int(each) % rank for each in named)) if rank else ()
