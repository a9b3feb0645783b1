"""Which derivatives of an operation use a value that its grad node has saved.

`z = x * y` keeps `x` and `y`: the gradient of `x` is computed from `y`, and that of `y` from `x`. If `y` is overwritten, only the gradient of `x` is
wrong. An addition after a multiplication (`addmm`) uses neither for what is added.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_AFTER_NAME = re.compile(r"(GradNode(Final)?|Backward\d*)$")
_FIRST, _SECOND, _THIRD, _BOTH = (0,), (1,), (2,), (0, 1)
_PRODUCT = {"x": _SECOND, "y": _FIRST}
_PRODUCT_OF_MATRICES = {"self": _SECOND, "mat2": _FIRST}
_ADDED_PRODUCT = {
    "input": (),
    "x": _THIRD,
    "y": _SECOND,
    "mat1": _THIRD,
    "mat2": _SECOND,
    "batch1": _THIRD,
    "batch2": _SECOND,
}
_CONVOLUTION = {"x": _SECOND, "input": _SECOND, "filter": _FIRST, "weight": _FIRST}
_NORM = {"x": _BOTH, "input": _BOTH, "scale": _FIRST, "weight": _FIRST, "bias": (), "result1": _BOTH, "result2": _BOTH}

_USES: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "Multiply": _PRODUCT, "Matmul": _PRODUCT, "Bmm": {**_PRODUCT, **_PRODUCT_OF_MATRICES}, "Mv": {**_PRODUCT, "self": _SECOND, "vec": _FIRST},
    "Dot": {**_PRODUCT, "self": _SECOND, "tensor": _FIRST}, "Mul": {"self": _SECOND, "other": _FIRST}, "Mm": _PRODUCT_OF_MATRICES,
    "Addmm": _ADDED_PRODUCT, "Baddbmm": _ADDED_PRODUCT, "Addbmm": _ADDED_PRODUCT, "Addmv": {"mat": _THIRD, "vec": _SECOND},
    "Addr": {"vec1": _THIRD, "vec2": _SECOND}, "Addcmul": {"tensor1": _THIRD, "tensor2": _SECOND},
    "Conv2d": _CONVOLUTION, "Conv2dTranspose": _CONVOLUTION, "Convolution": _CONVOLUTION, "Linear": _CONVOLUTION,
    "Divide": {"x": (), "y": _BOTH, "out": _SECOND}, "Div": {"self": _SECOND, "other": _BOTH},
    "DepthwiseConv2d": _CONVOLUTION, "DepthwiseConv2dTranspose": _CONVOLUTION, "Conv3d": _CONVOLUTION, "Conv3dTranspose": _CONVOLUTION,
    "Kron": _PRODUCT, "Cross": _PRODUCT, "Einsum": _PRODUCT, "GridSample": {"x": _SECOND},
    "Copysign": {"x": _FIRST, "y": _FIRST}, "Remainder": {"x": _SECOND, "y": _SECOND}, "Heaviside": {"x": _SECOND, "y": ()},
    "Prelu": {"y": _FIRST}, "PutAlongAxis": {"x": _FIRST}, "Solve": {"y": (), "out": _FIRST}, "TriangularSolve": {"y": (), "out": _FIRST},
    "CholeskySolve": {"out": _SECOND}, "Swiglu": {"y": _FIRST}, "Bilinear": {"x": (1, 2), "y": (0, 2), "weight": _BOTH},
    "Lerp": {"x": (), "y": (), "weight": _BOTH, "out": ()}, "DeformableConv": {"x": (1, 2, 3), "filter": (0, 1, 3)},
    "SendUeRecv": _PRODUCT, "SendUv": _PRODUCT, "IndexAdd": {"index": _SECOND}, "ScatterNdAdd": {"index": _SECOND},
    "GroupNorm": {"x": (), "scale": _BOTH, "bias": _BOTH, "out": _BOTH},
    "LayerNorm": _NORM, "InstanceNorm": _NORM, "NativeLayerNorm": _NORM,
    "BatchNorm": {**_NORM, "mean": _SECOND, "variance": _BOTH}, "NativeBatchNorm": {**_NORM, "running_mean": _SECOND, "running_var": _BOTH},
}  # fmt: skip
"""By the node and the derivative's name of the saved value: the positions of the inputs whose gradients are computed from it."""

_NO_USES: Mapping[str, str] = {
    "x": (
        "Angle AsStrided CholeskySolve Crop Cummax Cummin Cumsum Elu Frame Kthvalue MaxPool2dWithIndex MaxPool3dWithIndex Median Meshgrid Mode Multiplex "
        "Nanmedian NllLoss Qr ReduceAs RepeatInterleave RepeatInterleaveWithTensorIndex RoiPool Rrelu Svd TakeAlongAxis TensorUnfold Topk Unpool"
    ),
    "y": "Meshgrid Multiplex ReduceAs",
    "out": "AsStrided Median Nanmedian SendUeRecv Silu Unpool",
    "real": "Complex",
    "imag": "Complex",
    "values": "SetValueWithTensor",
}
"""By what a node's derivative calls a saved value: nodes that have saved it, to know a shape or for nothing, and compute no gradient from it."""

RUNNING = frozenset({"mean", "variance", "running_mean", "running_var"})
"""What a normalization saves for evaluation: in training its derivatives use the statistics of the batch."""


def uses_of(node: str, saved: str, *, trains: bool = True) -> tuple[int, ...] | None:
    """Returns the positions of the inputs whose gradients a node computes from a saved value; None if all of them may be.

    Args:
        node: the node's name: "MulBackward0", "MultiplyGradNode".
        saved: what its derivative calls the value.
        trains: whether a batch normalization was in training, where the gradient of its input depends on the statistics of the batch.
    """
    if not trains and saved in ("x", "input"):
        return _SECOND
    operation = _AFTER_NAME.sub("", node)
    return () if operation in _NO_USES.get(saved, "").split() else _USES.get(operation, {}).get(saved)


def position_of(edge: str) -> int | None:
    """Returns the position of the input that recordings call "x", "y", "input", or "input 2"; None for another name."""
    if edge in ("x", "input"):
        return 0
    number = edge.removeprefix("input ")
    return 1 if edge == "y" else int(number) if number.isdecimal() else None
