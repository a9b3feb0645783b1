"""Kernels by their names, for learners: lists them, returns and runs one, fuses several, and collects launches.

Some have a `.cu` file each: normalizing rows, transposing a matrix, adding at indices. Their rows are in this module, not in the table:
their names are not Paddle's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import prod
from typing import Any

from inplacelab import errors, observe
from inplacelab.kernels import sources
from inplacelab.kernels.kernel import Elementwise, Kernel, Whole
from inplacelab.kernels.launch import Launch
from inplacelab.kernels.launching import form_of
from inplacelab.kernels.own_kernels import data_types
from inplacelab.kernels.sources import Source
from inplacelab.language import Text
from inplacelab.listing import Group, Listing
from inplacelab.ops import ROWS
from inplacelab.ops.table.row import Row, Rule, same
from inplacelab.tensor import Tensor

__all__ = ["Kernel", "Launch", "Source", "available", "fuse", "get", "launches", "run", "source", "source_of"]


_ALONE: dict[str, Any] = {"method": False, "function": False, "accepts": "f", "dtype": same}


def _replaced(out: Any) -> None:
    """Does nothing: a `Whole` kernel replaces this one."""


# ---- normalize --------------------------------------------------------------------------------------------------------------


def _d_normalize(g: Tensor, x: Tensor, out: Tensor, epsilon: float) -> Tensor:
    """Mean and deviation depend on every element of the row, so the mean of `g` and its part along `out` are subtracted."""
    deviation = x.var(axis=-1, unbiased=False, keepdim=True).scale(1.0, epsilon).sqrt()
    along = (g * out).mean(axis=-1, keepdim=True)
    return (g - g.mean(axis=-1, keepdim=True) - out * along) / deviation


def _has_rows(x: Any) -> None:
    if x.ndim == 0:
        raise errors.kernel_needs_layout(name="normalize_", what=Text("rows: at least one axis", "行：至少一个轴"))


NORMALIZE = Whole(
    Row(
        name="normalize", kind="normalization", inputs=("x",), attrs="epsilon=1e-05", shape=same, validate=_has_rows,
        kernel=_replaced, rules=(Rule(_d_normalize),), node="NormalizeGradNode", **_ALONE,
        says=Text("Each row minus its mean, divided by its standard deviation.", "每一行减去均值，再除以标准差。"),
    ),
    in_place=True, text=sources.normalize, sizes=lambda x: (prod(x[:-1]), x[-1]),
)  # fmt: skip

# ---- transpose --------------------------------------------------------------------------------------------------------------


def _matrix(x: Any) -> None:
    if x.ndim != 2:
        raise errors.kernel_needs_layout(name="transpose_tiled", what=Text("a matrix", "矩阵"))


def _square(x: Any) -> None:
    if x.ndim != 2 or x.shape[0] != x.shape[1]:
        raise errors.kernel_needs_layout(name="transpose_square_", what=Text("a square matrix", "方阵"))


def _d_transpose(g: Tensor) -> Tensor:
    return g.transpose([1, 0])


TRANSPOSE = Whole(
    Row(
        name="transpose_tiled", kind="contraction", inputs=("x",), shape=lambda x: (x[1], x[0]), validate=_matrix, in_place=False,
        kernel=_replaced, rules=(Rule(_d_transpose),), node="TransposeGradNode", **_ALONE,
        says=Text("The transpose of a matrix, in a new storage.", "矩阵的转置，放在自己的存储中。"),
    ),
    in_place=False, text=sources.transpose, sizes=lambda *shapes: shapes[0],
)  # fmt: skip
TRANSPOSE_SQUARE = Whole(
    Row(
        name="transpose_square", kind="contraction", inputs=("x",), shape=same, validate=_square,
        kernel=_replaced, rules=(Rule(_d_transpose),), node="TransposeGradNode", **_ALONE,
        says=Text("Swaps the elements of a square matrix across the diagonal.", "方阵的元素沿对角线互换位置。"),
    ),
    in_place=True, text=sources.transpose_square, sizes=lambda x: x[:1],
)  # fmt: skip

# ---- add at indices ---------------------------------------------------------------------------------------------------------


def _check_indices(x: Any, index: Any, y: Any) -> None:
    wanted = (
        x.ndim == index.ndim == y.ndim == 1
        and index.size == y.size
        and index.dtype.name == "int64"
        and x.dtype == y.dtype
    )
    if not wanted:
        expected = Text(
            "three tensors of one axis: `x`, `index` (int64) and `y`", "三个一维张量：`x`、`index`（int64）与 `y`"
        )
        raise errors.kernel_needs_layout(name="add_at_", what=expected)
    if index.size and not (int(index.min()) >= 0 and int(index.max()) < x.size):
        raise errors.kernel_needs_layout(
            name="add_at_", what=Text("indices from 0 to {n}", "0 到 {n} 的索引").format(n=x.size - 1)
        )


ADD_AT = Whole(
    Row(
        name="add_at", kind="atomics", inputs=("x", "index", "y"), shape=lambda x: x, validate=_check_indices, kernel=_replaced,
        rules=(Rule(lambda g: g), None, Rule(lambda g, index: g.index_select(index))), node="AddAtGradNode", **_ALONE,
        says=Text("`x[index[i]] += y[i]`, by atomic additions.", "`x[index[i]] += y[i]`，使用原子加法。"),
    ),
    in_place=True, text=sources.scatter_add, sizes=lambda *shapes: shapes[-1],
)  # fmt: skip

WHOLE = {each.name: each for each in (NORMALIZE, TRANSPOSE, TRANSPOSE_SQUARE, ADD_AT)}
"""By name."""


def available() -> Listing:
    """Lists all kernels with their expressions and dtypes; print the result to read it."""
    heads = (Text("operation", "操作"), Text("expression", "表达式"), Text("data types", "数据类型"))
    rows = [row for row in ROWS.values() if data_types(row)]
    written = (row.cuda if isinstance(row.cuda, str) else next(iter(row.cuda.values())) for row in rows)
    elementwise = [
        (" ".join(f"`{name}`" for name in _names(row)), f"`{expression}`", ", ".join(data_types(row)))
        for row, expression in zip(rows, written, strict=True)
    ]
    whole = [(f"`{name}`", each.row.says, ", ".join(each.dtypes)) for name, each in WHOLE.items()]
    return Listing(
        Text("Kernels", "核函数"),
        heads,
        (
            Group(Text("element-wise", "逐元素"), elementwise),
            Group(Text("written separately", "单独编写"), whole),
        ),
    )


def _names(row: Row) -> tuple[str, ...]:
    """The names of the variants of a row that have a kernel."""
    ordinary = (row.name,) if row.ordinary and data_types(row) else ()
    return (*ordinary, row.name + "_") if row.in_place and data_types(row, in_place=True) else ordinary


@cache
def get(name: str) -> Kernel:
    """Returns the kernel of an operation.

    Args:
        name: the name of the operation; in place if it ends in an underscore.

    Raises:
        ArgumentError: if the operation has no kernel.
    """
    if name in WHOLE:
        return WHOLE[name]
    row, in_place = ROWS.get(name.removesuffix("_")), name.endswith("_")
    if row is None or name not in _names(row):
        raise errors.no_such_kernel(name=name, known=WHOLE)
    return Elementwise((row,), in_place=in_place)


def source(name: str, dtype: Any = "float32", layout: str = "contiguous") -> Source:
    """Returns the source of a kernel in CUDA C: `print(kernels.source("relu_"))`.

    Args:
        name: the name of the operation.
        dtype: the dtype of the elements.
        layout: "contiguous" (neighboring slots, loaded several at a time) or "strided" (any layout).

    Raises:
        ArgumentError: if the operation has no kernel.
        KernelError: if the kernel does not support the dtype.
    """
    return get(name).source(dtype, layout)


def source_of(launch: Launch) -> Source:
    """Returns the source that ran in a launch.

    Args:
        launch: a recorded launch.

    Raises:
        ArgumentError: if the launch ran a kernel of the array library.

    >>> from inplacelab import kernels
    >>> from inplacelab.kernels.launch import Launch, Operand
    >>> x = Operand("x", "both", "float32", (3, 4), (8, 2), 0, 96)
    >>> launch = Launch("scale_ relu_", "strided", (1, 1, 1), (256, 1, 1), 1, "float32", (x,), 48, 48)
    >>> kernels.source_of(launch).name
    'scale_relu_in_place_float32_strided'
    """
    names = launch.kernel.split()
    kernel = get(names[0]) if len(names) == 1 else fuse(*names)
    if isinstance(kernel, Elementwise) and launch.kind in {"contiguous", "strided"}:
        return kernel.source_for(tuple(each.dtype for each in launch.operands), form_of(launch))
    return kernel.source(launch.dtype)


def run(name: str, *args: Any, **kwargs: Any) -> Tensor:
    """Runs the kernel of an operation on the device of its tensors.

    Args:
        name: the name of the operation.
        args: the arguments of the operation.
        kwargs: its attributes by name.

    Returns:
        A new tensor; for an in-place kernel, the first argument.

    Raises:
        ArgumentError: if the operation has no kernel.
        KernelError: if the kernel does not support the dtype.
    """
    return get(name)(*args, **kwargs)


def fuse(*names: str) -> Kernel:
    """Fuses several element-wise operations into one kernel, which computes them in one pass over memory.

    Args:
        names: the operations in order; all in place (`"scale_", "add_", "relu_"`), or none.

    Returns:
        A kernel that takes the tensors of all steps in order and their attributes by name. If a name occurs again, the number
        of its step is appended: `scale_3`.

    >>> from inplacelab import kernels
    >>> kernels.fuse("scale_", "add_", "relu_")
    <kernel scale_ add_ relu_(x, y, scale, bias, bias_after_scale, alpha)>

    Raises:
        ArgumentError: if an operation has no kernel, or its kernel cannot be fused.
    """
    steps = [get(name) for name in names]
    in_place = names[0].endswith("_") if names else False
    for name, each in zip(names, steps, strict=True):
        if not isinstance(each, Elementwise):
            raise errors.cannot_fuse(name=name)
        if each.in_place != in_place:
            raise errors.cannot_fuse_with(name=name, first=names[0])
    if not steps:
        raise errors.cannot_fuse(name="")
    return Elementwise([each.row for each in steps], in_place=in_place)


class _Collector(observe.Observer):
    def __init__(self) -> None:
        self.seen: list[Launch] = []

    def launched(self, launch: Launch, storages: Sequence[Any]) -> None:
        self.seen.append(launch)


@contextmanager
def launches() -> Iterator[list[Launch]]:
    """Collects the launches inside a `with` block: of operations on a GPU, real or simulated, and of `run`.

    Yields:
        A list to which each launch is added.

    >>> import inplacelab as paddle
    >>> from inplacelab import kernels
    >>> place = paddle.set_device("gpu", simulate=True)
    >>> with kernels.launches() as seen:
    ...     y = paddle.ones([3]).exp().add_(paddle.ones([3]))
    >>> [launch.kernel for launch in seen]               # a kernel fills the result of `ones`, too
    ['fill_', 'exp', 'fill_', 'add_']
    >>> place = paddle.set_device("cpu")
    """
    collector = _Collector()
    with observe.listening(collector):
        yield collector.seen
