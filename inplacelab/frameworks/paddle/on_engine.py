"""Makes calls of Paddle's functions on this package's engine, so that their gradients can be compared (see `recorders/judging`).

Paddle calls its kernels with arguments of their own (`paddle._C_ops`). Most are those of the function that a program calls, in the same order,
and the engine's function has them, too: only others are listed here. A result with other values than Paddle's is left out, so a function whose
arguments mean something else is noticed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import paddle
from paddle.base import core

import inplacelab
from inplacelab import linalg
from inplacelab.frameworks.paddle.calls import PaddleCall, tensors_of
from inplacelab.frameworks.paddle.readings import LEAF_NODE, gradient_held, node_of
from inplacelab.nn import functional

tracks = paddle.is_grad_enabled
_run_backward = core.eager.run_backward
"""Paddle's own, which trials replace later: the passes of the judge are none of the program's."""


def has_history(tensor: Any) -> bool:
    """Whether a tensor was computed from others that need a gradient."""
    node = node_of(tensor)
    return node is not None and node.name() != LEAF_NODE


def function_for(call: PaddleCall) -> Callable[..., Any] | None:
    """Returns the engine's function for a call (see `judgement.Engine`)."""
    name = call.kind.name
    if name in _CALLS:
        return _CALLS[name]
    for owner in (inplacelab, functional, linalg):
        found = getattr(owner, name, None) if hasattr(owner, name) else None
        if callable(found):
            return _plain(found)
    return None


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(
            *args,
            **{_SAME.get(name, name): each for name, each in kwargs.items() if name not in ("out", "name") or each},
        )

    return call


_SAME = {"input": "x", "dim": "axis", "other": "y"}
"""PyTorch's names for parameters, which some of Paddle's functions take, too."""


def gradients(
    function: Callable[..., Any], filled: Callable[[Sequence[Any]], tuple[Sequence[Any], Mapping[str, Any]]],
    values: Sequence[Any], needs: Sequence[bool], position: int, gradient: Any,
) -> list[Any]:  # fmt: skip
    """Makes a call on new tensors (see `judgement.Engine`)."""
    leaves = [paddle.to_tensor(each.copy(), stop_gradient=not need) for each, need in zip(values, needs, strict=True)]
    operands = [paddle.assign(each) if need else each for each, need in zip(leaves, needs, strict=True)]
    args, kwargs = filled(operands)
    results = list(tensors_of(function(*args, **kwargs)))
    result = results[position] if results else operands[0]
    # Not `paddle.grad`, which is right where `backward` is wrong: for `masked_fill` with a value without axes (3.3.1).
    _run_backward([result], [paddle.to_tensor(gradient)], False, None)
    return [None if (found := gradient_held(each)) is None else found.numpy() for each in leaves]


def is_custom(call: PaddleCall) -> bool:
    """Whether a call is one of the program's own `PyLayer`s."""
    return call.kind.is_custom


def _times(x: Any, scale: Any, bias: Any = 0.0, bias_after_scale: bool = True) -> Any:
    return x * scale + bias if bias_after_scale else (x + bias) * scale


def _axes(axis: Any) -> Any:
    return None if axis is None or (isinstance(axis, list | tuple) and not axis) else axis


def _reduces(name: str) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, keepdim: Any = False, *_: Any, **named: Any) -> Any:
        return getattr(inplacelab, name)(x, axis=_axes(named.get("axis", axis)), keepdim=named.get("keepdim", keepdim))

    return reduce


def _sum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, **named: Any) -> Any:  # noqa: ARG001
    return inplacelab.sum(x, axis=_axes(named.get("axis", axis)), keepdim=named.get("keepdim", keepdim))


def _cast(x: Any, dtype: Any) -> Any:
    return x.astype(str(dtype).rpartition(".")[2].lower())


def _clip(x: Any, low: Any = None, high: Any = None, **_: Any) -> Any:
    return inplacelab.clip(x, low, high)


def _getitem(x: Any, key: Any) -> Any:
    return x[key]


def _setitem(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def _conv2d(
    x: Any, weight: Any, stride: Any, padding: Any, algorithm: str, dilation: Any, groups: int, data_format: str
) -> Any:
    given = algorithm if algorithm in ("SAME", "VALID") else list(padding)
    return functional.conv2d(x, weight, None, list(stride), given, list(dilation), groups, data_format)


def _depthwise_conv2d(
    x: Any,
    weight: Any,
    stride: Any,
    padding: Any,
    algorithm: str,
    groups: int,
    dilation: Any,
    data_format: str,
    *_: Any,
) -> Any:
    return _conv2d(x, weight, stride, padding, algorithm, dilation, groups, data_format)


def _pool2d(
    x: Any, size: Any, stride: Any, padding: Any, ceil_mode: bool, exclusive: bool, data_format: str, kind: str,
    is_global: bool, adaptive: bool, algorithm: str,
) -> Any:  # fmt: skip
    if adaptive and not is_global:
        return _adaptive(x, [int(each) for each in size], kind)
    given = algorithm if algorithm in ("SAME", "VALID") else list(padding)
    if kind == "max":
        return functional.max_pool2d(x, list(size), list(stride), given, ceil_mode=ceil_mode, data_format=data_format)
    return functional.avg_pool2d(
        x, list(size), list(stride), given, ceil_mode=ceil_mode, exclusive=exclusive, data_format=data_format
    )


def _adaptive(x: Any, size: Sequence[int], kind: str) -> Any:
    def spans(length: int, parts: int) -> list[slice]:
        return [slice(k * length // parts, -(-(k + 1) * length // parts)) for k in range(parts)]

    reduce = inplacelab.max if kind == "max" else inplacelab.mean
    rows = [
        inplacelab.stack([reduce(x[:, :, up, across], axis=[2, 3]) for across in spans(x.shape[3], size[1])], axis=-1)
        for up in spans(x.shape[2], size[0])
    ]
    return inplacelab.stack(rows, axis=2)


def _batch_norm(
    x: Any, mean: Any, variance: Any, scale: Any, bias: Any, is_test: bool, momentum: float, epsilon: float, data_format: str,
    use_global_stats: bool | None, *_: Any,
) -> Any:  # fmt: skip
    return functional.batch_norm(
        x, mean.clone(), variance.clone(), scale, bias, training=not is_test, momentum=momentum, epsilon=epsilon,
        data_format=data_format, use_global_stats=use_global_stats,
    )  # fmt: skip


def _layer_norm(x: Any, weight: Any, bias: Any, epsilon: float, begin: int) -> Any:
    shape = list(x.shape[begin:])
    flat = [None if each is None else each.reshape(shape) for each in (weight, bias)]
    return functional.layer_norm(x, shape, *flat, epsilon)


def _normalized(x: Any, axes: Sequence[int], epsilon: float) -> Any:
    mean = x.mean(axis=list(axes), keepdim=True)
    off = x - mean
    return off / ((off * off).mean(axis=list(axes), keepdim=True) + epsilon).sqrt()


def _by_channel(x: Any, weight: Any, bias: Any) -> Any:
    shape = [1, -1, *[1] * (x.ndim - 2)]
    x = x if weight is None else x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)


def _instance_norm(x: Any, weight: Any, bias: Any, epsilon: float) -> Any:
    return _by_channel(_normalized(x, range(2, x.ndim), epsilon), weight, bias)


def _group_norm(x: Any, weight: Any, bias: Any, epsilon: float, groups: int, _: str) -> Any:
    parts = x.reshape([x.shape[0], groups, -1])
    return _by_channel(_normalized(parts, [2], epsilon).reshape(list(x.shape)), weight, bias)


def _cross_entropy(
    logits: Any, label: Any, soft_label: bool, use_softmax: bool, _: bool, ignore_index: int, axis: int
) -> Any:
    loss = functional.cross_entropy(
        logits,
        label,
        soft_label=soft_label,
        use_softmax=use_softmax,
        ignore_index=ignore_index,
        axis=axis,
        reduction="none",
    )
    loss = loss if loss.ndim == logits.ndim else loss.unsqueeze(axis)
    return [functional.softmax(logits, axis) if use_softmax else logits, loss]


def _binary(logits: Any, label: Any, weight: Any, normalize: bool, ignore_index: int) -> Any:
    if normalize or ignore_index != -100:
        raise NotImplementedError
    return functional.binary_cross_entropy_with_logits(logits, label, reduction="none", pos_weight=weight)


def _embedding(x: Any, weight: Any, padding_idx: int, _: bool = False) -> Any:
    return functional.embedding(x, weight, None if padding_idx == -1 else padding_idx)


def _linear(x: Any, weight: Any, bias: Any = None, **_: Any) -> Any:
    return functional.linear(x, weight, bias)


def _split(x: Any, parts: Any, axis: Any = 0) -> Any:
    return inplacelab.split(x, [int(each) for each in parts] if isinstance(parts, list | tuple) else parts, int(axis))


def _slice(x: Any, axes: Any, starts: Any, ends: Any, _: Any, decrease: Any) -> Any:
    found = inplacelab.slice(x, axes, [int(each) for each in starts], [int(each) for each in ends])
    return found.squeeze(list(decrease)) if decrease else found


def _pad3d(x: Any, pad: Any, mode: str, value: float, data_format: str) -> Any:
    return functional.pad(x, [int(each) for each in pad], mode, value, data_format)


def _pad(x: Any, pad: Any, value: Any) -> Any:
    """Pads from the first axis on."""
    inside = tuple(slice(low, low + size) for low, size in zip(pad[::2], x.shape, strict=True))
    padded = inplacelab.full(
        [a + b + c for a, b, c in zip(pad[::2], x.shape, pad[1::2], strict=True)], float(value), x.dtype
    )
    padded[inside] = x
    return padded


def _cumsum(
    x: Any, axis: Any = None, flatten: bool = False, exclusive: bool = False, reverse: bool = False, **_: Any
) -> Any:
    if exclusive or reverse:
        raise NotImplementedError
    return inplacelab.cumsum(x, None if flatten else axis)


def _norm(x: Any, p: float, axis: Any, epsilon: float, keepdim: bool, as_vector: bool) -> Any:
    whole = as_vector or axis is None
    return linalg.norm(x.flatten() if whole else x, p, -1 if whole else axis, keepdim and not whole)


def _dropout(x: Any, *_: Any) -> Any:
    raise NotImplementedError  # which elements it drops is drawn


def _matmul(x: Any, y: Any, *transposed: Any, **named: Any) -> Any:
    return inplacelab.matmul(x, y, *transposed, **{k: v for k, v in named.items() if k.startswith("transpose")})


def _put(x: Any, indices: Any, value: Any, accumulate: bool = False) -> Any:
    return inplacelab.index_put(x, tuple(indices), value, accumulate)


def _put_(x: Any, indices: Any, value: Any, accumulate: bool = False) -> Any:
    return inplacelab.index_put_(x, tuple(indices), value, accumulate)


def _along(name: str) -> Callable[..., Any]:
    def put(x: Any, index: Any, value: Any, axis: int, reduce: str = "assign", include_self: bool = True) -> Any:
        return getattr(x, name)(index, value, axis, reduce, include_self)

    return put


def _fill(x: Any, value: Any) -> Any:
    x[...] = value
    return x


def _huber(x: Any, y: Any, delta: float) -> Any:
    off = (x - y).abs()
    return inplacelab.where(off <= delta, 0.5 * off * off, delta * (off - 0.5 * delta))


def _bce(x: Any, y: Any) -> Any:
    return functional.binary_cross_entropy(x, y, reduction="none")


def _spread(name: str) -> Callable[..., Any]:
    def spread(
        x: Any, axis: Any = None, keepdim: bool = False, unbiased: bool = True, correction: Any = None, **_: Any
    ) -> Any:
        if correction is not None and correction != float(unbiased):
            raise NotImplementedError
        return getattr(inplacelab, name)(x, _axes(axis), unbiased, keepdim)

    return spread


_CALLS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "pow": operator.pow,
    "rsub": lambda x, y: y - x, "rdivide": lambda x, y: y / x, "rpow": lambda x, y: y**x, "rmatmul": lambda x, y: inplacelab.matmul(y, x),
    "remainder": operator.mod, "floor_divide": operator.floordiv, "matmul": _matmul, "elementwise_pow": operator.pow,
    "scale": _times, "scale_": lambda x, *args: inplacelab.Tensor.scale_(x, *args), "assign": lambda x, *_: x.clone(), "clone": lambda x: x.clone(),
    "contiguous": lambda x: x.clone(), "cast": _cast, "clip": _clip, "mean_all": lambda x: x.mean(), "sum": _sum,
    **{name: _reduces(name) for name in ("mean", "max", "min", "amax", "amin", "logsumexp")},
    "prod": lambda x, axis, keepdim, *_: inplacelab.prod(x, _axes(axis), keepdim), "var": _spread("var"), "std": _spread("std"),
    "squared_l2_norm": lambda x: (x * x).sum().reshape([1]), "p_norm": _norm, "frobenius_norm": lambda x, axis, keepdim, *_: linalg.norm(x, "fro", axis, keepdim),
    "getitem": _getitem, "setitem": _setitem, "conv2d": _conv2d, "depthwise_conv2d": _depthwise_conv2d, "pool2d": _pool2d,
    "batch_norm": _batch_norm, "batch_norm_": _batch_norm, "layer_norm": _layer_norm, "instance_norm": _instance_norm, "group_norm": _group_norm,
    "cross_entropy_with_softmax": _cross_entropy, "sigmoid_cross_entropy_with_logits": _binary, "bce_loss": _bce, "huber_loss": _huber,
    "embedding": _embedding, "linear": _linear, "split": _split, "split_with_num": _split, "slice": _slice, "pad3d": _pad3d, "pad": _pad,
    "cumsum": _cumsum, "dropout": _dropout, "index_put": _put, "index_put_": _put_, "put_along_axis": _along("put_along_axis"),
    "put_along_axis_": _along("put_along_axis_"), "fill_": _fill, "full_": _fill, "swish": functional.silu, "gelu": lambda x, approximate=False, **_: functional.gelu(x, bool(approximate) and approximate != "none"),
}  # fmt: skip
"""The engine's functions for kernels with other arguments."""
