"""Convolutions and pooling: each element depends on those in its window of an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from inplacelab.dependence import Dependence, Rule, listed
from inplacelab.recorders.dependences.call import Call, Found, Rules, Shape, numbered


def _pairs(value: Any, count: int) -> list[int]:
    """A number for each axis."""
    found = [int(each) for each in value] if isinstance(value, list | tuple) else [int(value)]
    if len(found) == 2 * count and found[::2] == found[1::2]:
        found = found[::2]
    if len(found) == 1:
        found *= count
    if len(found) != count:
        raise ValueError
    return found


def _padding_alike(image: Shape, kernel: Shape, stride: Sequence[int], dilation: Sequence[int]) -> list[int]:
    """How far windows begin before an image, if as many of them are made as it has elements, divided by the stride."""
    ends = [
        (-(-size // step) - 1) * step + (wide - 1) * far + 1
        for size, wide, step, far in zip(image, kernel, stride, dilation, strict=True)
    ]
    return [max(end - size, 0) // 2 for end, size in zip(ends, image, strict=True)]


def _convolution(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "weight", "bias", "stride", "padding", "dilation", "groups")
    paddle = ("x", "weight", "stride", "padding", "algorithm", "dilation", "groups", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    count = len(shapes[1]) - 2
    if named.get("format", "NCHW")[:2] != "NC":
        return None
    stride, dilation = _pairs(named.get("stride", 1), count), _pairs(named.get("dilation", 1), count)
    how = (
        named.get("algorithm", "EXPLICIT")
        if named.get("algorithm", "EXPLICIT") != "EXPLICIT"
        else named.get("padding", 0)
    )
    if str(how).lower() == "same":  # Paddle counts no dilation here
        dilation = dilation if call.weight_has_rows else [1] * count
        padding = _padding_alike(shapes[0][-count:], shapes[1][2:], stride, dilation)
    else:
        padding = _pairs(0 if str(how).lower() == "valid" else how, count)
    sides = (stride, padding, dilation)
    return Dependence(
        "windowed", (int(named.get("groups", 1)), *shapes[1][2:], *(each for side in sides for each in side))
    )


def _transposed(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    torch = ("x", "weight", "bias", "stride", "padding", "output_padding", "groups", "dilation")
    paddle = ("x", "weight", "stride", "padding", "output_padding", "size", "algorithm", "groups", "dilation", "format")
    named = call.named(*(torch if call.weight_has_rows else paddle))
    count = len(shapes[1]) - 2
    if named.get("format", "NCHW")[:2] != "NC" or named.get("algorithm", "EXPLICIT") != "EXPLICIT":
        return None
    sides = [
        _pairs(named.get(name, default), count) for name, default in (("stride", 1), ("padding", 0), ("dilation", 1))
    ]
    numbers = (int(named.get("groups", 1)), *shapes[1][2:], *(each for side in sides for each in side))
    return Dependence("windowed", numbers, text="transposed")


def _adaptive(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """A mean, or the largest, of windows that cover the image side by side; not known if they are of different sizes."""
    return _side_by_windows(shapes[0], call.args[1], int(plain[-2]), largest=plain.startswith("adaptive_max"))


def _side_by_windows(shape: Shape, sizes: Any, count: int, *, largest: bool) -> Dependence | None:
    """Windows that cover an image of some axes, so that so many results are left along each; None: as many as there are elements."""
    image = shape[len(shape) - count :]
    given = sizes if isinstance(sizes, list | tuple) else [sizes] * count
    wanted = [whole if size is None else int(size) for whole, size in zip(image, given, strict=True)]
    rule: Rule = "largest" if largest else ""
    if not any(whole % size for whole, size in zip(image, wanted, strict=True)):
        kernel = [whole // size for whole, size in zip(image, wanted, strict=True)]
        return Dependence("windowed", (0, *kernel, *kernel, *(0 for _ in kernel), *(1 for _ in kernel)), rule=rule)
    sides = [
        [slice(k * whole // size, -(-(k + 1) * whole // size)) for k in range(size)]
        for whole, size in zip(image, wanted, strict=True)
    ]
    images = numbered(shape).reshape(-1, *image)
    windows = [one[at].reshape(-1).tolist() for one in images for at in product(*sides)]
    return listed(windows, () if largest else [[1 / len(each)] * len(each) for each in windows], rule)


def _pooling_with_places(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:  # noqa: ARG001
    """Paddle's: the largest of a window, and where it is, which depends on the whole window."""
    named = call.named("x", "kernel", "stride", "padding", "global", "adaptive", "ceil")
    count = len(shapes[0]) - 2
    if named["global"] or named.get("ceil"):
        return None
    if named["adaptive"]:
        found = _side_by_windows(shapes[0], named["kernel"], count, largest=True)
    else:
        sides = (_pairs(named[name], count) for name in ("kernel", "stride", "padding"))
        found = Dependence("windowed", (0, *(each for side in sides for each in side), *[1] * count), rule="largest")
    return found, None if found is None else replace(found, rule="")


def _pooling_with_indices(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """PyTorch's."""
    kwargs = {name: value for name, value in call.kwargs.items() if name != "return_indices"}
    found = _pooling(replace(call, kwargs=kwargs), plain.removesuffix("_with_indices"), shapes)
    return (found, replace(found, rule="")) if isinstance(found, Dependence) else None


def _pooling(call: Call, plain: str, shapes: Sequence[Shape]) -> Found:
    """The largest, or the mean, of a window."""
    names: tuple[str, ...]
    if call.weight_has_rows:
        names = (
            ("x", "kernel", "stride", "padding", "dilation")
            if plain.startswith("max")
            else ("x", "kernel", "stride", "padding")
        )
        named, count = call.named(*names), int(plain[-2])
        named["kernel"] = named.get("kernel", named.get("kernel_size"))
        largest = plain.startswith("max")
    else:
        names = (
            "x",
            "kernel",
            "stride",
            "padding",
            "ceil",
            "exclusive",
            "format",
            "kind",
            "global",
            "adaptive",
            "algorithm",
        )
        named, count = call.named(*names), len(shapes[0]) - 2
        largest = named["kind"] == "max"
        if named["adaptive"] and named["format"][:2] == "NC" and not named["global"]:
            return _side_by_windows(shapes[0], named["kernel"], count, largest=largest)
        if named["adaptive"] or named["global"] or named["format"][:2] != "NC" or named["algorithm"] != "EXPLICIT":
            return None
    kernel = _pairs(named["kernel"], count)
    stride = _pairs(named.get("stride") or kernel, count)
    sides = (kernel, stride, _pairs(named.get("padding", 0), count), _pairs(named.get("dilation", 1), count))
    return Dependence("windowed", (0, *(each for side in sides for each in side)), rule="largest" if largest else "")


RULES: Rules = {
    **dict.fromkeys(("conv1d", "conv2d", "conv3d", "depthwise_conv2d"), _convolution),
    **dict.fromkeys(("conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "conv2d_transpose", "conv3d_transpose"), _transposed),
    **dict.fromkeys(("adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_max_pool1d", "adaptive_max_pool2d"), _adaptive),
    **dict.fromkeys(("max_pool2d_with_index", "max_pool3d_with_index"), _pooling_with_places),
    **dict.fromkeys(("max_pool1d_with_indices", "max_pool2d_with_indices", "max_pool3d_with_indices"), _pooling_with_indices),
    **dict.fromkeys(("max_pool1d", "max_pool2d", "max_pool3d", "avg_pool1d", "avg_pool2d", "avg_pool3d", "pool2d", "pool3d"), _pooling),
}  # fmt: skip
