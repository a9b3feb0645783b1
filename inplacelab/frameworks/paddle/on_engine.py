"""Makes calls of Paddle's functions on this package's engine, so that their gradients can be compared (see `recorders/judging`).

Paddle calls its kernels with arguments of their own (`paddle._C_ops`). Most are those of the function that a program calls, in the same order,
and the engine's function has them, too: only others are listed here. A result with other values than Paddle's is left out, so a function whose
arguments mean something else is noticed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import paddle
from paddle.base import core

import inplacelab
from inplacelab import linalg
from inplacelab.frameworks.paddle.calls import PaddleCall, tensors_of
from inplacelab.frameworks.paddle.readings import LEAF_NODE, gradient_held, node_of
from inplacelab.nn import functional

tracks = paddle.is_grad_enabled
_run_backward: Callable[..., None] = core.eager.run_backward
"""Paddle's own, which trials replace later: the passes of the judge are none of the program's."""


_numpy = paddle.Tensor.numpy


def array_of(tensor: Any) -> Any:
    """Returns the values of a tensor as a new array; None for what is no tensor."""
    return np.array(_numpy(tensor)) if isinstance(tensor, paddle.Tensor) and tensor._is_initialized() else None


def has_history(tensor: Any) -> bool:
    """Whether a tensor was computed from others that need a gradient."""
    node = node_of(tensor)
    return node is not None and node.name() != LEAF_NODE


def is_leaf(tensor: Any) -> bool:
    """Whether gradients of a tensor without a history are kept: Paddle gives it a node for that."""
    return node_of(tensor) is not None


def function_for(call: PaddleCall, results: Sequence[Any]) -> Callable[..., Any] | None:
    """Returns the engine's function for a call (see `judgment.Engine`)."""
    name = call.kind.name
    if name in _OF_RESULTS:
        return _OF_RESULTS[name](call, results)
    if name in _CALLS:
        return _plain(_CALLS[name])
    owners = (inplacelab, functional, linalg, inplacelab.Tensor)
    found = next((getattr(owner, name) for owner in owners if hasattr(owner, name)), None)
    return _plain(found) if callable(found) else None


def gradients(
    function: Callable[..., Any], filled: Callable[[Sequence[Any]], tuple[Sequence[Any], Mapping[str, Any]]],
    values: Sequence[Any], needs: Sequence[bool], position: int, gradient: Any,
) -> list[Any]:  # fmt: skip
    """Makes a call on new tensors (see `judgment.Engine`)."""
    if getattr(function, "__name__", "") in _OF_RESULTS:
        raise NotImplementedError  # it may draw other numbers
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
    return bool(call.kind.is_custom)


# ---- arguments ---------------------------------------------------------------------------------------------------------


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """Has a function of the engine called without the arguments that say nothing, with dtypes by their names."""

    def call(*args: Any, **kwargs: Any) -> Any:
        given = {_SAME.get(name, name): each for name, each in kwargs.items() if name not in ("out", "name") or each}
        return function(*map(_named, args), **{name: _named(each) for name, each in given.items()})

    return call


_SAME = {"input": "x", "dim": "axis", "other": "y"}
"""PyTorch's names for parameters, which some of Paddle's functions take, too."""


def _named(value: Any) -> Any:
    return str(value).rpartition(".")[2].lower() if isinstance(value, paddle.dtype) else value


def _axes(axis: Any) -> Any:
    return None if axis is None or (isinstance(axis, list | tuple) and not axis) else axis


def _ints(values: Any) -> list[int]:
    return [int(each) for each in values]


# ---- operators and elementwise functions -------------------------------------------------------------------------------


def _operator(function: Callable[[Any, Any], Any], *, swaps: bool = False) -> Callable[..., Any]:
    def call(x: Any, y: Any, *_: Any) -> Any:
        if isinstance(x, inplacelab.Tensor) and isinstance(y, inplacelab.Tensor) and x.dtype != y.dtype:
            x, y = (y.astype(x.dtype), x)[::-1] if x.is_floating_point() else (x.astype(y.dtype), y)
        return function(y, x) if swaps else function(x, y)

    return call


def _scale(x: Any, scale: Any = 1.0, bias: Any = 0.0, bias_after_scale: bool = True, *_: Any) -> Any:
    return x * scale + bias if bias_after_scale else (x + bias) * scale


def _clip(x: Any, low: Any = None, high: Any = None, *_: Any) -> Any:
    """Clips: elements outside get the gradient of a bound that is a tensor. Paddle takes it for a number (3.3.1)."""
    found = inplacelab.clip(x, *(each.item() if _is_tensor(each) else each for each in (low, high)))
    for bound, outside in ((low, x.less_than), (high, x.greater_than)):
        if _is_tensor(bound):
            value = bound.reshape([]).astype(x.dtype)
            found = inplacelab.where(outside(value), value, found)
    return found


def _is_tensor(value: Any) -> bool:
    return isinstance(value, inplacelab.Tensor)


def _gelu(x: Any, approximate: Any = False, *_: Any) -> Any:
    return functional.gelu(x, bool(approximate) and approximate != "none")


def _selu(x: Any, scale: float, alpha: float) -> Any:
    return scale * inplacelab.where(x > 0, x, alpha * x.expm1())


def _celu(x: Any, alpha: float) -> Any:
    return inplacelab.where(x > 0, x, alpha * (x / alpha).expm1())


def _shrunk(x: Any, by: float, off: float) -> Any:
    zero = inplacelab.zeros_like(x)
    return inplacelab.where(x > by, x - off, inplacelab.where(x < -by, x + off, zero))


def _maxout(x: Any, groups: int, axis: int) -> Any:
    shape = list(x.shape)
    return inplacelab.max(x.reshape([*shape[:axis], shape[axis] // groups, groups, *shape[axis + 1 :]]), axis=axis + 1)


def _swiglu(x: Any, y: Any = None) -> Any:
    x, y = inplacelab.chunk(x, 2, axis=-1) if y is None else (x, y)
    return functional.silu(x) * y


def _label_smooth(x: Any, prior: Any, epsilon: float) -> Any:
    return x * (1 - epsilon) + (epsilon / x.shape[-1] if prior is None else epsilon * prior)


def _cast(x: Any, dtype: Any) -> Any:
    return x.astype(dtype)


# ---- reductions --------------------------------------------------------------------------------------------------------


def _reduces(name: str) -> Callable[..., Any]:
    def reduce(x: Any, axis: Any = None, keepdim: Any = False, *_: Any) -> Any:
        return getattr(inplacelab, name)(x, axis=_axes(axis), keepdim=keepdim)

    return reduce


def _sum(x: Any, axis: Any = None, dtype: Any = None, keepdim: bool = False, *_: Any) -> Any:
    found = inplacelab.sum(x, axis=_axes(axis), keepdim=keepdim)
    return found.astype(dtype) if isinstance(dtype, str) and "float" in dtype else found


def _spread(name: str) -> Callable[..., Any]:
    def spread(x: Any, axis: Any = None, keepdim: bool = False, unbiased: bool = True, correction: Any = None) -> Any:
        if correction is not None and correction != float(unbiased):
            raise NotImplementedError
        return getattr(inplacelab, name)(x, _axes(axis), unbiased, keepdim)

    return spread


def _runs(name: str) -> Callable[..., Any]:
    """Returns a function that accumulates along an axis, with the options of Paddle's kernels."""

    def run(x: Any, axis: Any = None, *options: bool) -> Any:
        flatten, exclusive, reverse = options if len(options) == 3 else (False, *(*options, False, False)[:2])
        if exclusive or reverse:
            raise NotImplementedError
        return getattr(inplacelab, name)(x, None if flatten else axis)

    return run


def _p_norm(x: Any, *options: Any) -> Any:
    p, axis, _, keepdim, as_vector = options
    whole = as_vector or axis is None
    return linalg.norm(x.flatten() if whole else x, p, -1 if whole else axis, keepdim and not whole)


# ---- elements ----------------------------------------------------------------------------------------------------------


def _getitem(x: Any, key: Any) -> Any:
    return x[key]


def _setitem(x: Any, key: Any, value: Any) -> None:
    x[key] = value


def _slice(x: Any, axes: Any, starts: Any, ends: Any, *rest: Any) -> Any:
    found = inplacelab.slice(x, axes, _ints(starts), _ints(ends))
    return found.squeeze(list(rest[1])) if rest[1] else found


def _set_slice(x: Any, value: Any, *where: Any) -> Any:
    starts, ends, steps, axes, decreased, new = where
    if new:
        raise NotImplementedError
    key: list[Any] = [slice(None)] * x.ndim
    for axis, *ends_and_step in zip(axes, starts, ends, steps, strict=True):
        key[axis] = int(ends_and_step[0]) if axis in decreased else slice(*_ints(ends_and_step))
    found = x.clone()
    found[tuple(key)] = value
    return found


def _put(name: str) -> Callable[..., Any]:
    def put(x: Any, indices: Any, value: Any, accumulate: bool = False) -> Any:
        return getattr(inplacelab, name)(x, tuple(indices), value, accumulate)

    return put


def _index_add(name: str) -> Callable[..., Any]:
    def add(x: Any, index: Any, value: Any, axis: int) -> Any:
        return getattr(inplacelab, name)(x, index, axis, value)

    return add


def _scatter_nd_add(x: Any, index: Any, value: Any) -> Any:
    return inplacelab.index_put(x, tuple(index[..., k] for k in range(index.shape[-1])), value, True)


def _along(name: str) -> Callable[..., Any]:
    def put(x: Any, index: Any, value: Any, axis: int, *options: Any) -> Any:
        return getattr(x, name)(index, value, axis, *options)

    return put


def _sorted(x: Any, axis: int = -1, descending: bool = False, stable: bool = False) -> Any:
    order = inplacelab.argsort(x, axis, descending, stable)
    return inplacelab.take_along_axis(x, order, axis), order


def _einsum(operands: Any, equation: str) -> Any:
    return inplacelab.einsum(equation, *operands)


def _fill(x: Any, value: Any, *_: Any) -> Any:
    x[...] = value
    return x


def _fill_out(x: Any, out: Any) -> Any:
    return _fill(out, x)


def _fill_diagonal(x: Any, value: Any, offset: int = 0, wrap: bool = False) -> Any:
    if x.ndim != 2 or wrap:
        raise NotImplementedError
    _diagonal(x, offset)[...] = value
    return x


def _fill_diagonal_tensor(x: Any, value: Any, offset: int, *axes: int) -> Any:
    x = x.clone()
    return _fill_diagonal_tensor_(x, value, offset, *axes)


def _fill_diagonal_tensor_(x: Any, value: Any, offset: int, *axes: int) -> Any:
    _diagonal(x, offset, *axes)[...] = value.reshape(_diagonal(x, offset, *axes).shape)
    return x


def _diagonal(x: Any, offset: int, *axes: int) -> Any:
    return inplacelab.diagonal(x, offset, *axes)


def _pad(x: Any, pad: Any, value: Any) -> Any:
    """Pads from the first axis on."""
    before, after = pad[::2], pad[1::2]
    inside = tuple(slice(low, low + size) for low, size in zip(before, x.shape, strict=True))
    shape = [sum(each) for each in zip(before, x.shape, after, strict=True)]
    padded = inplacelab.full(shape, float(value), x.dtype)
    padded[inside] = x
    return padded


def _pad3d(x: Any, pad: Any, *options: Any) -> Any:
    return functional.pad(x, _ints(pad), *options)


def _crop(x: Any, shape: Any, offsets: Any) -> Any:
    return x[tuple(slice(first, first + size) for first, size in zip(_ints(offsets), _ints(shape), strict=True))]


def _split(x: Any, parts: Any, axis: Any = 0) -> Any:
    return inplacelab.split(x, _ints(parts) if isinstance(parts, list | tuple) else parts, int(axis))


def _matmul(x: Any, y: Any, *transposed: Any, **named: Any) -> Any:
    return inplacelab.matmul(x, y, *transposed, **{k: v for k, v in named.items() if k.startswith("transpose")})


# ---- images ------------------------------------------------------------------------------------------------------------


def _conv2d(x: Any, weight: Any, *options: Any) -> Any:
    stride, padding, algorithm, dilation, groups, data_format = options
    given = algorithm if algorithm in ("SAME", "VALID") else list(padding)
    return functional.conv2d(x, weight, None, list(stride), given, list(dilation), groups, data_format)


def _depthwise_conv2d(x: Any, weight: Any, *options: Any) -> Any:
    stride, padding, algorithm, groups, dilation, data_format = options[:6]
    return _conv2d(x, weight, stride, padding, algorithm, dilation, groups, data_format)


def _conv2d_transpose(x: Any, weight: Any, *options: Any) -> Any:
    """Spreads the elements of an image out, and convolves that with the weight turned around."""
    stride, padding, further, _, algorithm, groups, dilation, data_format = options
    if algorithm != "EXPLICIT" or data_format != "NCHW":
        raise NotImplementedError
    count, channels, rows, columns = x.shape
    apart = inplacelab.zeros([count, channels, (rows - 1) * stride[0] + 1, (columns - 1) * stride[1] + 1], x.dtype)
    apart[:, :, :: stride[0], :: stride[1]] = x
    around = []
    for k in (1, 0):
        reach, low, high = (
            dilation[k] * (weight.shape[2 + k] - 1),
            padding[k],
            padding[-2 + k if len(padding) == 2 else k],
        )
        around += [reach - low, reach - high + (further[k] if further else 0)]
    if min(around) < 0:
        raise NotImplementedError
    turned = weight.flip([2, 3]).reshape([groups, channels // groups, *weight.shape[1:]]).transpose([0, 2, 1, 3, 4])
    turned = turned.reshape([-1, channels // groups, *weight.shape[2:]])
    return functional.conv2d(functional.pad(apart, around), turned, None, 1, 0, list(dilation), groups)


def _pool2d(x: Any, size: Any, stride: Any, padding: Any, *options: Any) -> Any:
    ceil_mode, exclusive, data_format, kind, is_global, adaptive, algorithm = options
    if adaptive and not is_global:
        return _adaptive(x, _ints(size), kind)
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


def _interpolate(x: Any, *options: Any) -> Any:
    size, *others, data_format, _, height, width, scale, mode, align_corners, align_mode = options
    if size is not None or any(each is not None for each in others):
        raise NotImplementedError
    chosen: dict[str, Any] = {"scale_factor": list(scale)} if scale else {"size": [height, width]}
    return functional.interpolate(
        x, **chosen, mode=mode, align_corners=align_corners, align_mode=align_mode, data_format=data_format
    )


def _pixel_shuffle(x: Any, factor: int, data_format: str) -> Any:
    if data_format != "NCHW":
        raise NotImplementedError
    count, channels, rows, columns = x.shape
    parts = x.reshape([count, channels // factor**2, factor, factor, rows, columns]).transpose([0, 1, 4, 2, 5, 3])
    return parts.reshape([count, channels // factor**2, rows * factor, columns * factor])


def _pixel_unshuffle(x: Any, factor: int, data_format: str) -> Any:
    if data_format != "NCHW":
        raise NotImplementedError
    count, channels, rows, columns = x.shape
    parts = x.reshape([count, channels, rows // factor, factor, columns // factor, factor])
    return parts.transpose([0, 1, 3, 5, 2, 4]).reshape([count, channels * factor**2, rows // factor, columns // factor])


def _channel_shuffle(x: Any, groups: int, data_format: str) -> Any:
    if data_format != "NCHW":
        raise NotImplementedError
    count, channels, *size = x.shape
    return x.reshape([count, groups, channels // groups, *size]).transpose([0, 2, 1, 3, 4]).reshape(list(x.shape))


# ---- layers ------------------------------------------------------------------------------------------------------------


def _batch_norm(x: Any, mean: Any, variance: Any, scale: Any, bias: Any, *options: Any) -> Any:
    is_test, momentum, epsilon, data_format, use_global_stats = options[:5]
    return functional.batch_norm(
        x, mean.clone(), variance.clone(), scale, bias, training=not is_test, momentum=momentum, epsilon=epsilon,
        data_format=data_format, use_global_stats=use_global_stats,
    )  # fmt: skip


def _layer_norm(x: Any, weight: Any, bias: Any, epsilon: float, begin: int) -> Any:
    shape = list(x.shape[begin:])
    scale, shift = (None if each is None else each.reshape(shape) for each in (weight, bias))
    return functional.layer_norm(x, shape, scale, shift, epsilon)


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


def _group_norm(x: Any, weight: Any, bias: Any, *options: Any) -> Any:
    epsilon, groups, data_format = options
    if data_format.endswith("C"):
        back = [0, *range(2, x.ndim), 1]
        x = x.transpose([0, x.ndim - 1, *range(1, x.ndim - 1)])
        return _group_norm(x, weight, bias, epsilon, groups, "NCHW").transpose(back)
    parts = x.reshape([x.shape[0], groups, -1])
    return _by_channel(_normalized(parts, [2], epsilon).reshape(list(x.shape)), weight, bias)


def _embedding(x: Any, weight: Any, padding_idx: int, _: bool = False) -> Any:
    return functional.embedding(x, weight, None if padding_idx == -1 else padding_idx)


def _linear(x: Any, weight: Any, bias: Any = None, *_: Any) -> Any:
    return functional.linear(x, weight, bias)


# ---- losses ------------------------------------------------------------------------------------------------------------


def _cross_entropy(logits: Any, label: Any, *options: Any) -> Any:
    soft_label, use_softmax, _, ignore_index, axis = options
    loss = functional.cross_entropy(
        logits, label, soft_label=soft_label, use_softmax=use_softmax, ignore_index=ignore_index, axis=axis, reduction="none",
    )  # fmt: skip
    loss = loss if loss.ndim == logits.ndim else loss.unsqueeze(axis)
    return [functional.softmax(logits, axis) if use_softmax else logits, loss]


def _nll_loss(x: Any, label: Any, weight: Any, ignore_index: int, reduction: str) -> Any:
    counts = label != ignore_index
    weights = counts.astype(x.dtype)
    if weight is not None:
        weights = weights * inplacelab.gather(weight, inplacelab.where(counts, label, label * 0).flatten()).reshape(
            label.shape
        )
    picked = inplacelab.take_along_axis(x, inplacelab.where(counts, label, label * 0).unsqueeze(1), 1).squeeze(1)
    loss = -picked * weights
    if reduction == "none":
        return loss, weights.sum()
    return loss.sum() / weights.sum() if reduction == "mean" else loss.sum(), weights.sum()


def _kldiv_loss(x: Any, label: Any, reduction: str, log_target: bool) -> Any:
    if log_target:
        loss = label.exp() * (label - x)
    else:
        zero = inplacelab.zeros_like(x)
        loss = inplacelab.where(label > 0, label * (inplacelab.where(label > 0, label, zero + 1).log() - x), zero)
    found = {"none": lambda: loss, "batchmean": lambda: loss.sum() / x.shape[0], "mean": loss.mean, "sum": loss.sum}
    return found[reduction]()


def _log_loss(x: Any, y: Any, epsilon: float) -> Any:
    return -y * (x + epsilon).log() - (1 - y) * (1 - x + epsilon).log()


def _binary(logits: Any, label: Any, weight: Any, normalize: bool, ignore_index: int) -> Any:
    if normalize or ignore_index != -100:
        raise NotImplementedError
    return functional.binary_cross_entropy_with_logits(logits, label, reduction="none", pos_weight=weight)


def _bce(x: Any, y: Any) -> Any:
    return functional.binary_cross_entropy(x, y, reduction="none")


def _huber(x: Any, y: Any, delta: float) -> Any:
    off = (x - y).abs()
    return inplacelab.where(off <= delta, 0.5 * off * off, delta * (off - 0.5 * delta))


# ---- functions that draw, or choose elements ---------------------------------------------------------------------------


def state_before(call: PaddleCall) -> Any:
    """Returns the state of the generator from which a call will draw; None if it draws nothing that is needed."""
    return core.default_cpu_generator().get_state() if call.kind.name == "dropout" else None


def _dropout(call: PaddleCall, _: Any) -> Callable[..., Any]:
    """Returns the product with what Paddle has multiplied by: the call is made again on ones, and draws the same."""
    generator = core.default_cpu_generator()
    after = generator.get_state()

    def factors(x: Any, *options: Any) -> Any:
        generator.set_state(call.state)
        try:
            with paddle.no_grad():
                return call.function(paddle.ones(x.shape, x.array.dtype.name), *options).numpy()
        finally:
            generator.set_state(after)

    return lambda x, *options: x * inplacelab.to_tensor(factors(x, *options))


def _drawn(_: PaddleCall, results: Sequence[Any]) -> Callable[..., Any]:
    """Returns what overwrites a tensor with what Paddle has drawn."""
    values = results[0].numpy()
    return lambda x, *_: _fill(x, inplacelab.to_tensor(values))


def _new(_: PaddleCall, results: Sequence[Any]) -> Callable[..., Any]:
    """Returns what gives the values that Paddle has made, which depend on no operand."""
    values = results[0].numpy()
    return lambda *_: inplacelab.to_tensor(values)


def _picks(axis: Callable[[Sequence[Any]], int]) -> Callable[..., Any]:
    """Returns what takes the elements that Paddle has taken, and says where they were."""

    def pick(_: PaddleCall, results: Sequence[Any]) -> Callable[..., Any]:
        where = results[1].numpy()

        def picked(x: Any, *options: Any) -> Any:
            along = axis(options)
            index = inplacelab.to_tensor(where if where.ndim == x.ndim else np.expand_dims(where, along))
            found = inplacelab.take_along_axis(x, index, along)
            return (found if where.ndim == x.ndim else found.squeeze(along)), inplacelab.to_tensor(where)

        return picked

    return pick


def _pool_with_index(_: PaddleCall, results: Sequence[Any]) -> Callable[..., Any]:
    where = results[1].numpy()

    def pool(x: Any, *_: Any) -> Any:
        flat = inplacelab.to_tensor(where.reshape(*where.shape[:2], -1).astype("int64"))
        found = inplacelab.take_along_axis(x.flatten(2), flat, 2)
        return found.reshape(list(where.shape)), inplacelab.to_tensor(where)

    return pool


_OF_RESULTS: Mapping[str, Callable[[PaddleCall, Sequence[Any]], Callable[..., Any]]] = {
    "dropout": _dropout, "cummax": _picks(lambda options: options[0]), "cummin": _picks(lambda options: options[0]),
    "mode": _picks(lambda options: options[0]), "max_pool2d_with_index": _pool_with_index,
    **dict.fromkeys(("full_like", "bernoulli", "multinomial", "poisson", "standard_gamma", "shape64"), _new),
    **dict.fromkeys(("uniform_inplace_", "gaussian_inplace_", "exponential_", "bernoulli_", "assign_value_", "cauchy_", "geometric_"), _drawn),
}  # fmt: skip
"""Functions of which the engine has to know what they have drawn or chosen."""

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv, "pow": operator.pow,
    "elementwise_pow": operator.pow, "remainder": operator.mod, "floor_divide": operator.floordiv, "greater_than": operator.gt,
    "greater_equal": operator.ge, "less_than": operator.lt, "less_equal": operator.le, "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
_REVERSED: Mapping[str, Callable[[Any, Any], Any]] = {
    "rsub": operator.sub, "rdivide": operator.truediv, "rpow": operator.pow, "rmatmul": operator.matmul,
    "rremainder": operator.mod, "rfloor_divide": operator.floordiv,
}  # fmt: skip

_CALLS: Mapping[str, Callable[..., Any]] = {
    **{name: _operator(each) for name, each in _OPERATORS.items()},
    **{name: _operator(each, swaps=True) for name, each in _REVERSED.items()},
    **{name: _reduces(name) for name in ("mean", "max", "min", "amax", "amin", "logsumexp", "prod")},
    **{name: _runs(name) for name in ("cumsum", "cumsum_", "cumprod", "cumprod_", "logcumsumexp")},
    **{name: _put(name) for name in ("index_put", "index_put_")}, **{name: _index_add(name) for name in ("index_add", "index_add_")},
    **{name: _along(name) for name in ("put_along_axis", "put_along_axis_")},
    "scale": _scale, "assign": lambda x, *_: x.clone(), "clone": lambda x: x.clone(), "contiguous": lambda x: x.clone(),
    "increment_": lambda x, by=1.0: x.scale_(1.0, by), "cast": _cast, "clip": _clip, "gelu": _gelu, "swish": functional.silu, "selu": _selu, "celu": _celu,
    "mish": lambda x, *_: x * functional.softplus(x).tanh(), "softsign": lambda x: x / (1 + x.abs()), "tanh_shrink": lambda x: x - x.tanh(),
    "hardshrink": lambda x, by: _shrunk(x, by, 0.0), "softshrink": lambda x, by: _shrunk(x, by, by),
    "hardsigmoid": lambda x, slope, offset: (slope * x + offset).clip(0.0, 1.0), "logsigmoid": lambda x: -functional.softplus(-x),
    "stanh": lambda x, a, b: b * (a * x).tanh(), "maxout": _maxout, "swiglu": _swiglu, "label_smooth": _label_smooth,
    "mean_all": lambda x: x.mean(), "sum": _sum, "var": _spread("var"), "std": _spread("std"), "squared_l2_norm": lambda x: (x * x).sum().reshape([1]),
    "p_norm": _p_norm, "frobenius_norm": lambda x, axis, keepdim, *_: linalg.norm(x, "fro", axis, keepdim), "matmul": _matmul, "einsum": _einsum,
    "getitem": _getitem, "setitem": _setitem, "slice": _slice, "set_value_with_tensor": _set_slice, "split": _split, "split_with_num": _split,
    "index_sample": lambda x, index: inplacelab.take_along_axis(x, index, 1), "scatter_nd_add": _scatter_nd_add, "argsort": _sorted,
    "fill_": _fill, "full_": _fill, "assign_out_": _fill_out, "fill_diagonal_": _fill_diagonal, "fill_diagonal_tensor": _fill_diagonal_tensor,
    "fill_diagonal_tensor_": _fill_diagonal_tensor_, "crop": _crop, "pad3d": _pad3d, "pad": _pad,
    "conv2d": _conv2d, "depthwise_conv2d": _depthwise_conv2d, "conv2d_transpose": _conv2d_transpose, "depthwise_conv2d_transpose": _conv2d_transpose,
    "pool2d": _pool2d, **dict.fromkeys(("nearest_interp", "bilinear_interp", "bicubic_interp", "linear_interp"), _interpolate),
    "pixel_shuffle": _pixel_shuffle, "pixel_unshuffle": _pixel_unshuffle, "channel_shuffle": _channel_shuffle,
    "batch_norm": _batch_norm, "batch_norm_": _batch_norm, "layer_norm": _layer_norm, "instance_norm": _instance_norm, "group_norm": _group_norm,
    "embedding": _embedding, "linear": _linear, "cross_entropy_with_softmax": _cross_entropy, "nll_loss": _nll_loss, "kldiv_loss": _kldiv_loss,
    "log_loss": _log_loss, "sigmoid_cross_entropy_with_logits": _binary, "bce_loss": _bce, "huber_loss": _huber,
}  # fmt: skip
"""The engine's functions for kernels with other arguments."""
