"""Normalizations: along axes, with a weight and a bias for each position or channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence, Given, listed
from inplacelab.recorders.dependences.call import Call, Found, Rules, Shape, numbered


def _layer_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    rank = len(shapes[0])
    if call.weight_has_rows:
        sizes = call.named("x", "normalized_shape")["normalized_shape"]
        first = rank - (1 if isinstance(sizes, int) else len(sizes))
    else:
        first = call.named("x", "scale", "bias", "epsilon", "begin")["begin"]
        if first != rank - 1 and len(shapes) > 1:
            return None  # its weights are in one line
    given = _epsilon(
        call.named("x", "normalized_shape", "weight", "bias", "eps")
        if call.weight_has_rows
        else call.named("x", "scale", "bias", "epsilon")
    )
    return Dependence("whole", tuple(range(first, rank)), text=",".join(["position"] * (len(shapes) - 1)), given=given)


def _rms_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    named, rank = call.named("x", "normalized_shape", "weight", "eps"), len(shapes[0])
    sizes = named["normalized_shape"]
    first = rank - (1 if isinstance(sizes, int) else len(sizes))
    return Dependence(
        "whole", tuple(range(first, rank)), text=",".join(["position"] * (len(shapes) - 1)), given=_epsilon(named)
    )


def _group_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch, paddle = ("x", "groups", "weight", "bias", "eps"), ("x", "weight", "bias", "epsilon", "groups", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    groups = named.get("groups", named.get("num_groups"))
    if groups is None or named.get("format", "NCHW")[:2] != "NC":
        return None
    text = ",".join(["channel"] * (len(shapes) - 1))
    return Dependence(
        "whole", tuple(range(1, len(shapes[0]))), text=text, given=(Given("groups", int(groups)), *_epsilon(named))
    )


def _instance_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "running_mean", "running_var", "weight", "bias", "use_input_stats", "momentum", "eps")
    named = call.named(*(torch if call.weight_has_rows else ("x", "weight", "bias", "epsilon")))
    if named.get("running_mean") is not None or named.get("running_var") is not None:
        return None
    text = ",".join(["channel"] * (len(shapes) - 1))
    return Dependence("whole", tuple(range(2, len(shapes[0]))), text=text, given=_epsilon(named))


def _batch_norm(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    names = ("x", "mean", "var", "weight", "bias", "mode", "momentum", "epsilon")
    named = call.named(*names)
    mode = bool(named.get("training", named.get("mode", False)))
    trains = mode if call.weight_has_rows else not mode
    given = [name for name in names[1:5] if call.is_tensor(named.get(name, named.get(f"running_{name}")))]
    if len(given) != len(shapes) - 1:
        return None
    words = ["none" if trains and name in ("mean", "var") else "channel" for name in given]
    axes = tuple(axis for axis in range(len(shapes[0])) if axis != 1) if trains else ()
    output = Dependence("whole", axes, text=",".join(words), given=_epsilon(named))
    return (output, *(_statistic(shapes, k) for k in (1, 2))) if trains and given[:2] == ["mean", "var"] else (output,)


def _statistic(shapes: Sequence[Shape], operand: int) -> Dependence | None:
    """Of a running mean or variance, which a layer updates with the elements of its channel."""
    channels, before = shapes[operand][0], sum(map(prod, shapes[:operand]))
    if prod(shapes[0]) > MOST_PLACES:
        return None
    lines = np.moveaxis(numbered(shapes[0]), 1, 0).reshape(channels, -1).tolist()
    return listed([[before + channel, *line] for channel, line in enumerate(lines)])


def _normalize(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    named = call.named("x", "p", "axis")
    return Dependence(
        "whole", (named.get("axis", 1) % len(shapes[0]),), given=(Given("p", float(named.get("p", 2.0))),)
    )


def _epsilon(named: Mapping[str, Any]) -> tuple[Given, ...]:
    """What is added to a variance."""
    found = named.get("eps", named.get("epsilon"))
    return () if found is None else (Given("epsilon", float(found)),)


RULES: Rules = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "group_norm": _group_norm,
    "instance_norm": _instance_norm,
    "batch_norm": _batch_norm,
    "normalize": _normalize,
}
