"""`meshgrid`: each of several vectors along a separate axis, repeated along the others."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.language import Text
from inplacelab.ops.arguments.operands import as_tensor
from inplacelab.ops.table import as_function
from inplacelab.tensor import Tensor


@as_function
def meshgrid(*args: Any, indexing: str = "ij", name: str | None = None) -> list[Tensor]:
    """Returns a tensor for each vector, with one axis per vector: it varies along its axis and repeats along the others. Copies.

    为每个向量生成一个张量，每个向量各占一轴：沿自己的轴变化，沿其余各轴重复。均为副本。

    Args:
        args: vectors, or tensors without axes, of one dtype; or one list of them.
        indexing: "ij", or "xy" for the first two axes exchanged.
        name: ignored.

    Raises:
        ArgumentError: if one has several axes, the dtypes differ, or `indexing` is neither.

    >>> import inplacelab as paddle
    >>> rows, columns = paddle.meshgrid(paddle.arange(2), paddle.arange(3))
    >>> rows.tolist(), columns.tolist()
    ([[0, 0, 0], [1, 1, 1]], [[0, 1, 2], [0, 1, 2]])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/meshgrid_en.html
    """
    listed = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
    vectors = [as_tensor("meshgrid", "args", k, x) for k, x in enumerate(listed)]
    if indexing not in ("ij", "xy"):
        raise errors.bad_argument(
            op="meshgrid", argument="indexing", value=indexing, possible=Text("'ij' or 'xy'", "'ij' 或 'xy'")
        )
    for k, x in enumerate(vectors):
        if x.ndim > 1:
            raise errors.not_a_grid_vector(number=k, rank=x.ndim)
        if x.dtype != vectors[0].dtype:
            raise errors.dtypes_to_join_differ(first=vectors[0].dtype.name, position=k, other=x.dtype.name)
    sizes = [x.size for x in vectors]
    grids = [
        x.reshape([n if axis == k else 1 for axis in range(len(sizes))]).expand(sizes)
        for k, (x, n) in enumerate(zip(vectors, sizes, strict=True))
    ]
    if indexing == "xy" and len(grids) > 1:
        order = [1, 0, *range(2, len(grids))]
        grids = [each.transpose(order).clone() for each in grids]
    return grids
