"""Makes calls of PyTorch's functions on this package's engine, so that their gradients can be compared (see `recorders/judging`).

`inplacelab.torch` has most of PyTorch's functions over the engine, with the same arguments. Those that it lacks are listed here. A result with
other values than PyTorch's is left out, so a function whose arguments mean something else is noticed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import torch

import inplacelab
import inplacelab.torch as names
from inplacelab import linalg
from inplacelab.frameworks.torch.calls import TorchCall, tensors_of
from inplacelab.frameworks.torch.readings import (
    Unseen,
    base_of,
    gradient_held,
    is_outdated,
    needs_gradient,
    node_of,
    saved_by,
)
from inplacelab.nn import functional
from inplacelab.tensor import Tensor
from inplacelab.torch.calls import Shown
from inplacelab.torch.dtypes import dtype as dtype_named
from inplacelab.torch.nn import functional as named_functional
from inplacelab.torch.tensor import Tensor as Named

tracks = torch.is_grad_enabled


def has_history(tensor: Any) -> bool:
    """Whether a tensor was computed from others that need a gradient."""
    if not needs_gradient(tensor):
        return False
    try:
        return (base_of(tensor) is not None and is_outdated(tensor)) or node_of(tensor) is not None
    except RuntimeError:  # one of several views that an operation returned, written since
        return True


def is_leaf(tensor: Any) -> bool:
    """Whether gradients of a tensor without a history are kept: not of a view that was made in `no_grad`, although it says that it needs one."""
    if not needs_gradient(tensor) or base_of(tensor) is None:
        return needs_gradient(tensor)
    try:
        with torch.enable_grad():
            return bool(tensor.view_as(tensor).grad_fn.next_functions[0][0] is not None)
    except RuntimeError:  # its base was written since: PyTorch refuses to use it
        return False


def is_custom(call: TorchCall) -> bool:
    """Whether a call is one of the program's own functions."""
    return bool(call.kind.is_custom)


def state_before(call: TorchCall) -> None:
    """Nothing of PyTorch's state is needed (see `judgment.Engine`)."""


def array_of(tensor: Any) -> Any:
    """Returns the values of a tensor as a new array; None for what is no tensor, or has values that NumPy has not."""
    if not isinstance(tensor, torch.Tensor) or tensor.layout is not torch.strided:
        return None
    try:
        with Unseen():  # in the middle of a pass, where a recorder sees what is called
            return tensor.detach().cpu().clone().numpy()  # `numpy` of the tensor itself would forbid `resize_`
    except TypeError:  # bfloat16
        return None


def function_for(call: TorchCall, results: Sequence[Any]) -> Callable[..., Any] | None:  # noqa: ARG001
    """Returns the engine's function for a call (see `judgment.Engine`)."""
    name = call.kind.name
    if name in _DRAWS:
        return _dropped(call)
    if name in _CHOOSE and len(call.results) > 1:
        return _chosen(_CHOOSE[name], call.results[1])
    if name in _CALLS:
        return _on_engine(_CALLS[name])
    method = hasattr(call.function, "__objclass__") or getattr(call.function, "__module__", "") == "torch._tensor"
    owners = [Named] if method else [named_functional] if "functional" in str(call.function.__module__) else []
    for owner in (*owners, names, named_functional):
        found = getattr(owner, name, None) if hasattr(owner, name) else None
        if callable(found):
            return _on_engine(found)
    return None


def _on_engine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function that takes PyTorch's arguments, and returns tensors of the engine."""

    def call(*args: Any, **kwargs: Any) -> Any:
        known = signature(function).parameters if kwargs else {}
        given = {
            name: _plain(each) for name, each in kwargs.items() if name in known or not (each is None or each is False)
        }
        given = {name: each for name, each in given.items() if each is not None}
        return _inside(function(*[_plain(each) for each in args], **given))

    return call


def _plain(value: Any) -> Any:
    """Returns an argument as `inplacelab.torch` takes it."""
    if isinstance(value, torch.dtype):
        return getattr(names, str(value).removeprefix("torch."))
    if isinstance(value, torch.device | torch.memory_format | torch.layout | torch.Generator):
        return None
    if isinstance(value, torch.Tensor):
        if value.requires_grad:
            raise NotImplementedError
        return inplacelab.to_tensor(value.clone().numpy())
    if isinstance(value, torch.Size):
        return list(value)
    if type(value) in (list, tuple):
        return type(value)(_plain(each) for each in value)
    if type(value) is slice:
        return slice(_plain(value.start), _plain(value.stop), _plain(value.step))
    return value


def _inside(value: Any) -> Any:
    """Returns the engine's tensors in a result."""
    if isinstance(value, Shown):
        return value._tensor
    return [_inside(each) for each in value] if isinstance(value, list | tuple) else value


def gradients(
    function: Callable[..., Any], filled: Callable[[Sequence[Any]], tuple[Sequence[Any], Mapping[str, Any]]],
    values: Sequence[Any], needs: Sequence[bool], position: int, gradient: Any,
) -> list[Any]:  # fmt: skip
    """Makes a call on new tensors (see `judgment.Engine`)."""
    if getattr(function, "__name__", "") in _DRAWS:
        raise NotImplementedError
    with torch.enable_grad():
        leaves = [torch.from_numpy(each.copy()).requires_grad_(need) for each, need in zip(values, needs, strict=True)]
        operands = [each.clone() if need else each for each, need in zip(leaves, needs, strict=True)]
        args, kwargs = filled(operands)
        results = list(tensors_of(function(*args, **kwargs)))
        result = results[position] if results else operands[0]
        torch.autograd.backward([result], [torch.from_numpy(gradient.copy())])
    return [None if (found := gradient_held(each)) is None else found.numpy() for each in leaves]


# ---- what is drawn -------------------------------------------------------------------------------------------------------

_DRAWS = frozenset({"dropout", "dropout1d", "dropout2d", "dropout3d", "dropout_", "alpha_dropout", "feature_dropout"})


def _dropped(call: TorchCall) -> Callable[..., Any] | None:
    """Multiplies by the factors that PyTorch has drawn, which the node of the result has saved."""
    node = node_of(call.results[0]) if call.results and base_of(call.results[0]) is None else None
    if node is None or node.name() != "MulBackward0":
        return None
    found = dict(saved_by(node)).get("other")
    if found is None or found.data is None or needs_gradient(found.data):
        return None
    factors = found.data.clone().numpy()

    def multiply(x: Any, *_: Any, inplace: bool = False, **__: Any) -> Any:
        return inplacelab.multiply_(x, inplacelab.to_tensor(factors)) if inplace else x * inplacelab.to_tensor(factors)

    return multiply


_CHOOSE = {"topk": 1, "kthvalue": 1, **dict.fromkeys(("sort", "max", "min", "median", "mode", "cummax", "cummin"), 0)}
"""Functions that return elements and their places, and how many parameters stand before the axis."""


def _chosen(before: int, places: Any) -> Callable[..., Any]:
    """Takes the elements that PyTorch has chosen, where some are equal."""
    index = inplacelab.to_tensor(places.clone().numpy())

    def choose(x: Any, *args: Any, dim: Any = None, **_: Any) -> Any:
        axis = dim if dim is not None else args[before] if len(args) > before else -1
        keeps = index.ndim == x.ndim
        found = inplacelab.take_along_axis(x, index if keeps else index.unsqueeze(axis), axis, False)
        return [found if keeps else found.squeeze(axis), index]

    return choose


# ---- functions that `inplacelab.torch` lacks -----------------------------------------------------------------------------


def _cast(name: str) -> Callable[..., Any]:
    return lambda x, **_: x.astype(name)


def _to(x: Any, *args: Any, dtype: Any = None, **_: Any) -> Any:
    named = [each.engine for each in (dtype, *args) if isinstance(each, dtype_named)]
    kinds = [*named, *(each.dtype for each in args if isinstance(each, Tensor))]
    if any(isinstance(each, str) for each in args):
        raise NotImplementedError
    return x.astype(kinds[0]) if kinds else x.clone()


def _getitem(x: Any, key: Any) -> Any:
    return Named.__getitem__(x, key)


def _setitem(x: Any, key: Any, value: Any) -> None:
    Named.__setitem__(x, key, value)


def _pairs(value: Any, count: int) -> list[int]:
    return [value] * count if isinstance(value, int) else [int(each) for each in value]


def _conv1d(x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:  # fmt: skip
    if isinstance(padding, str):
        raise NotImplementedError
    steps, around, apart = (_pairs(each, 1)[0] for each in (stride, padding, dilation))
    found = functional.conv2d(x.unsqueeze(-2), weight.unsqueeze(-2), bias, [1, steps], [0, around], [1, apart], groups)
    return found.squeeze(-2)


def _conv_transpose2d(
    x: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1,
    dilation: Any = 1,
) -> Any:  # fmt: skip
    """Convolves the images, between whose elements zeros are put, with the mirrored filters."""
    if groups != 1 or _pairs(dilation, 2) != [1, 1] or x.ndim != 4:
        raise NotImplementedError
    (up, across), (top, left), (below, right) = (_pairs(each, 2) for each in (stride, padding, output_padding))
    n, channels, height, width = x.shape
    tall, wide = weight.shape[2:]
    spread = inplacelab.zeros([n, channels, (height - 1) * up + 1, (width - 1) * across + 1], x.dtype)
    spread[:, :, ::up, ::across] = x
    low = [tall - 1 - top, wide - 1 - left]
    if min(low) < 0:
        raise NotImplementedError
    around = functional.pad(spread, [low[1], low[1] + right, low[0], low[0] + below])
    return functional.conv2d(around, weight.transpose([1, 0, 2, 3]).flip([2, 3]), bias)


def _spans(length: int, parts: int) -> list[slice]:
    return [slice(k * length // parts, -(-(k + 1) * length // parts)) for k in range(parts)]


def _adaptive(reduce: Callable[..., Any], axes: int) -> Callable[..., Any]:
    def pool(x: Any, size: Any, return_indices: bool = False) -> Any:
        if return_indices or None in (sizes := [size] * axes if isinstance(size, int) else list(size)):
            raise NotImplementedError
        for axis, parts in zip(range(-axes, 0), sizes, strict=True):
            cut = [(..., span, *[slice(None)] * (-axis - 1)) for span in _spans(x.shape[axis], parts)]
            x = inplacelab.concat([reduce(x[each], axis=axis, keepdim=True) for each in cut], axis=axis)
        return x

    return pool


def _largest(x: Any, axis: int, keepdim: bool) -> Any:
    """Gives the gradient to one of several equal elements, as pools do."""
    found = inplacelab.take_along_axis(x, inplacelab.argmax(x, axis, keepdim=True), axis, False)
    return found if keepdim else found.squeeze(axis)


def _flat_pool(pool: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a pool of images one of sequences."""

    def call(x: Any, size: Any, stride: Any = None, padding: Any = 0, *args: Any, **named: Any) -> Any:
        steps = _pairs(size if stride in (None, [], ()) else stride, 1)
        return pool(
            x.unsqueeze(-2), [1, *_pairs(size, 1)], [1, *steps], [0, *_pairs(padding, 1)], *args, **named
        ).squeeze(-2)  # fmt: skip

    return call


def _normalized(x: Any, axes: Sequence[int], eps: float) -> Any:
    off = x - x.mean(axis=list(axes), keepdim=True)
    return off / ((off * off).mean(axis=list(axes), keepdim=True) + eps).sqrt()


def _by_channel(x: Any, weight: Any, bias: Any) -> Any:
    shape = [1, -1, *[1] * (x.ndim - 2)]
    x = x if weight is None else x * weight.reshape(shape)
    return x if bias is None else x + bias.reshape(shape)


def _batch_norm(x: Any, mean: Any, variance: Any, weight: Any = None, bias: Any = None, training: bool = False, *args: Any, eps: float = 1e-5, **_: Any) -> Any:  # fmt: skip
    """Leaves the running statistics alone, which PyTorch has updated."""
    eps = args[1] if len(args) > 1 else eps
    if training:
        return _by_channel(_normalized(x, [0, *range(2, x.ndim)], eps), weight, bias)
    shape = [1, -1, *[1] * (x.ndim - 2)]
    return _by_channel((x - mean.reshape(shape)) / (variance.reshape(shape) + eps).sqrt(), weight, bias)


def _instance_norm(x: Any, mean: Any = None, variance: Any = None, weight: Any = None, bias: Any = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5) -> Any:  # noqa: ARG001  # fmt: skip
    if not use_input_stats:
        return _batch_norm(x, mean, variance, weight, bias, eps=eps)
    return _by_channel(_normalized(x, range(2, x.ndim), eps), weight, bias)


def _group_norm(x: Any, groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    parts = x.reshape([x.shape[0], groups, -1])
    return _by_channel(_normalized(parts, [2], eps).reshape(list(x.shape)), weight, bias)


def _rms_norm(x: Any, shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Any:
    eps = float(inplacelab.finfo(x.dtype).eps) if eps is None else eps
    axes = list(range(-len(shape), 0))
    found = x * ((x * x).mean(axis=axes, keepdim=True) + eps).rsqrt()
    return found if weight is None else found * weight


def _masked_scores(scores: Any, mask: Any, is_causal: bool) -> Any:
    if is_causal:
        mask = inplacelab.tril(inplacelab.ones(list(scores.shape[-2:]), "bool"))
    if mask is None:
        return scores
    if mask.dtype == inplacelab.bool:
        return inplacelab.where(mask, scores, inplacelab.full([1], float("-inf"), scores.dtype))
    return scores + mask


def _attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False, scale: Any = None,
    enable_gqa: bool = False,
) -> Any:  # fmt: skip
    if dropout_p or enable_gqa:
        raise NotImplementedError  # which elements it drops is drawn
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = inplacelab.matmul(query * scale, _turned(key))
    return inplacelab.matmul(functional.softmax(_masked_scores(scores, attn_mask, is_causal), -1), value)


def _turned(x: Any) -> Any:
    return x.swapaxes(-1, -2)


def _heads(
    query: Any, key: Any, value: Any, width: int, count: int, in_weight: Any, in_bias: Any, bias_k: Any, bias_v: Any,
    add_zero_attn: bool, dropout_p: float, out_weight: Any, out_bias: Any, training: bool = True, key_padding_mask: Any = None,
    need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False, average_attn_weights: bool = True,
    is_causal: bool = False, **_: Any,
) -> Any:  # fmt: skip
    """Attends with several heads, in sequences before batches."""
    given = bias_k, bias_v, None if in_weight is not None else True
    if any(each is not None for each in given) or add_zero_attn or (dropout_p and training) or use_separate_proj_weight:
        raise NotImplementedError
    if query.ndim != 3 or (is_causal and attn_mask is None):
        raise NotImplementedError
    (to, batch, _), size = query.shape, width // count
    parts = [
        functional.linear(each, _turned(in_weight[k * width : (k + 1) * width]), None if in_bias is None else in_bias[k * width : (k + 1) * width])
        .reshape([-1, batch * count, size]).transpose([1, 0, 2]).reshape([batch, count, -1, size])
        for k, each in enumerate((query, key, value))
    ]  # fmt: skip
    scores = inplacelab.matmul(parts[0] * size**-0.5, _turned(parts[1]))
    for mask in (attn_mask, key_padding_mask):
        if mask is None:
            continue
        shape = (
            [batch, 1, 1, -1] if mask is key_padding_mask else [-1, count if mask.ndim == 3 else 1, to, mask.shape[-1]]
        )
        shown = mask.reshape(shape)
        scores = _masked_scores(scores, shown.logical_not() if mask.dtype == inplacelab.bool else shown, False)
    weights = functional.softmax(scores, -1)
    joined = inplacelab.matmul(weights, parts[2]).transpose([2, 0, 1, 3]).reshape([to, batch, width])
    result = functional.linear(joined, _turned(out_weight), out_bias)
    return [result, weights.mean(1) if average_attn_weights else weights] if need_weights else [result]


def _reduced(loss: Any, reduction: str) -> Any:
    return loss if reduction == "none" else loss.sum() if reduction == "sum" else loss.mean()


def _nll_loss(
    x: Any, target: Any, weight: Any = None, ignore_index: int = -100, reduction: str = "mean", **_: Any
) -> Any:
    axis = 1 if x.ndim > 1 else 0
    counts = target != ignore_index
    index = inplacelab.where(counts, target, inplacelab.zeros_like(target))
    picked = -inplacelab.take_along_axis(x, index.unsqueeze(axis), axis, False).squeeze(axis)
    each = counts.astype(x.dtype) if weight is None else weight[index] * counts.astype(x.dtype)
    loss = picked * each
    return loss if reduction == "none" else loss.sum() / each.sum() if reduction == "mean" else loss.sum()


def _kl_div(x: Any, target: Any, reduction: str = "mean", log_target: bool = False, **_: Any) -> Any:
    if log_target:
        loss = target.exp() * (target - x)
    else:
        is_zero = target == 0
        safe = inplacelab.where(is_zero, inplacelab.ones_like(target), target)
        loss = inplacelab.where(is_zero, inplacelab.zeros_like(target), target * safe.log()) - target * x
    return loss.sum() / x.shape[0] if reduction == "batchmean" else _reduced(loss, reduction)


def _huber_loss(x: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Any:
    off = (x - target).abs()
    loss = inplacelab.where(off <= delta, 0.5 * off * off, delta * (off - 0.5 * delta))
    return _reduced(loss if weight is None else loss * weight, reduction)


def _cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    lengths = [inplacelab.clip((each * each).sum(axis=dim, keepdim=True), eps * eps).sqrt() for each in (x1, x2)]
    return ((x1 / lengths[0]) * (x2 / lengths[1])).sum(axis=dim)


def _prelu(x: Any, weight: Any) -> Any:
    weight = weight.reshape([1, -1, *[1] * (x.ndim - 2)]) if weight.size > 1 and x.ndim > 1 else weight
    return inplacelab.where(x > 0, x, weight * x)


def _glu(x: Any, dim: int = -1) -> Any:
    half, gate = inplacelab.chunk(x, 2, dim)
    return half * functional.sigmoid(gate)


def _interpolate(x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", **_: Any) -> Any:
    """Repeats each element, where the size is a multiple of that before."""
    before = x.shape[2:]
    if size is not None:
        wanted = _pairs(size, len(before))
    else:
        factors = scale_factor if isinstance(scale_factor, list | tuple) else [scale_factor] * len(before)
        wanted = [int(each * factor) for each, factor in zip(before, factors, strict=True)]
    if mode != "nearest" or any(now % then for now, then in zip(wanted, before, strict=True)):
        raise NotImplementedError
    for axis, (now, then) in enumerate(zip(wanted, before, strict=True), 2):
        x = inplacelab.repeat_interleave(x, now // then, axis)
    return x


def _pixel_shuffle(x: Any, factor: int) -> Any:
    *batch, channels, height, width = x.shape
    deep, k = channels // factor**2, len(batch)
    parts = x.reshape([*batch, deep, factor, factor, height, width])
    order = [*range(k), *(k + each for each in (0, 3, 1, 4, 2))]
    return parts.transpose(order).reshape([*batch, deep, height * factor, width * factor])


def _norm(x: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, **_: Any) -> Any:
    return _inside(names.norm(x, p, dim, keepdim))


def _vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, **_: Any) -> Any:  # noqa: A002  # PyTorch's name
    flat = x.flatten() if dim is None else x
    return linalg.vector_norm(flat, float(ord), -1 if dim is None else dim, keepdim and dim is not None)


def _both(spread: str) -> Callable[..., Any]:
    def call(*args: Any, **named: Any) -> Any:
        given = {name: each for name, each in named.items() if name in ("dim", "keepdim")}
        return [_inside(getattr(names, spread)(*args, **named)), _inside(names.mean(args[0], *args[1:2], **given))]

    return call


def _repeat_interleave(x: Any, repeats: Any, dim: Any = None, **_: Any) -> Any:
    return inplacelab.repeat_interleave(x, repeats, dim)


def _addmv(x: Any, matrix: Any, vector: Any, beta: float = 1, alpha: float = 1) -> Any:
    return beta * x + alpha * inplacelab.matmul(matrix, vector)


def _threshold(x: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    if inplace:
        raise NotImplementedError
    return inplacelab.where(x > threshold, x, inplacelab.full([1], value, x.dtype))


def _selu(x: Any, inplace: bool = False) -> Any:
    if inplace:
        raise NotImplementedError
    return 1.0507009873554805 * functional.elu(x, 1.6732632423543772)


def _celu(x: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    if inplace:
        raise NotImplementedError
    low = inplacelab.where(x > 0, inplacelab.zeros_like(x), x)
    return inplacelab.where(x > 0, x, alpha * inplacelab.expm1(low / alpha))


def _hardsigmoid(x: Any, inplace: bool = False) -> Any:
    if inplace:
        raise NotImplementedError
    return functional.relu6(x + 3.0) / 6.0


def _mish(x: Any, inplace: bool = False) -> Any:
    if inplace:
        raise NotImplementedError
    return x * functional.softplus(x).tanh()


def _bilinear(x: Any, y: Any, weight: Any, bias: Any = None) -> Any:
    found = inplacelab.einsum("bi,oij,bj->bo", x, weight, y)
    return found if bias is None else found + bias


def _tensordot(a: Any, b: Any, dims: Any = 2, **_: Any) -> Any:
    return inplacelab.tensordot(a, b, dims)


def _cdist(a: Any, b: Any, p: float = 2.0, **_: Any) -> Any:
    return linalg.vector_norm(a.unsqueeze(-2) - b.unsqueeze(-3), float(p), -1)


def _scatter_reduce(x: Any, dim: int, index: Any, src: Any, reduce: str, *, include_self: bool = True) -> Any:
    kinds = {"sum": "add", "prod": "multiply", "mean": "mean", "amax": "amax", "amin": "amin"}
    return x.put_along_axis(index, src, dim, kinds[reduce], include_self)


def _softmax_of(sign: int) -> Callable[..., Any]:
    return lambda x, dim=None, **_: functional.softmax(sign * x, dim)


_CALLS: Mapping[str, Callable[..., Any]] = {
    "float": _cast("float32"), "double": _cast("float64"), "to": _to, "type": _to, "type_as": lambda x, other: x.astype(other.dtype),
    "getitem": _getitem, "setitem": _setitem, "rdiv": lambda x, y: y / x, "rtruediv": lambda x, y: y / x, "rpow": lambda x, y: y**x,
    "rsub": lambda x, y: y - x, "radd": lambda x, y: x + y, "rmul": lambda x, y: x * y, "iadd": lambda x, y: x.add_(y),
    "rmatmul": lambda x, y: inplacelab.matmul(y, x), "mod": inplacelab.remainder,
    "conv1d": _conv1d, "conv_transpose2d": _conv_transpose2d,
    "adaptive_avg_pool1d": _adaptive(inplacelab.mean, 1), "adaptive_avg_pool2d": _adaptive(inplacelab.mean, 2), "adaptive_avg_pool3d": _adaptive(inplacelab.mean, 3),
    "adaptive_max_pool1d": _adaptive(_largest, 1), "max_pool1d": _flat_pool(named_functional.max_pool2d), "avg_pool1d": _flat_pool(named_functional.avg_pool2d),
    "batch_norm": _batch_norm, "instance_norm": _instance_norm, "group_norm": _group_norm, "rms_norm": _rms_norm,
    "scaled_dot_product_attention": _attention, "multi_head_attention_forward": _heads,
    "nll_loss": _nll_loss, "kl_div": _kl_div, "huber_loss": _huber_loss, "cosine_similarity": _cosine_similarity,
    "prelu": _prelu, "glu": _glu, "logsigmoid": lambda x: -functional.softplus(-x), "softsign": lambda x: x / (1 + x.abs()), "softmin": _softmax_of(-1),
    "selu": _selu, "celu": _celu, "mish": _mish, "hardsigmoid": _hardsigmoid, "threshold": _threshold, "tanhshrink": lambda x: x - x.tanh(),
    "interpolate": _interpolate, "pixel_shuffle": _pixel_shuffle, "norm": _norm, "vector_norm": _vector_norm, "linalg_vector_norm": _vector_norm,
    "var_mean": _both("var"), "std_mean": _both("std"), "repeat_interleave": _repeat_interleave, "addmv": _addmv, "bilinear": _bilinear,
    "tensordot": _tensordot, "cdist": _cdist, "scatter_reduce": _scatter_reduce, "pairwise_distance": lambda x, y, p=2.0, eps=1e-6, keepdim=False: linalg.vector_norm(x - y + eps, float(p), -1, keepdim),
    "inner": inplacelab.inner, "kron": inplacelab.kron, "diag_embed": inplacelab.diag_embed, "square": inplacelab.square,
}  # fmt: skip
"""The engine's functions for those that `inplacelab.torch` lacks."""
