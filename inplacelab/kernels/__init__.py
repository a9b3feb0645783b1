"""GPU kernels of the operations: read their source, fuse them, and run them on tensors, with or without a GPU.

>>> import inplacelab as paddle
>>> from inplacelab import kernels
>>> relu_ = kernels.get("relu_")
>>> print(relu_.source(dtype="float64", layout="strided"))        # doctest: +ELLIPSIS
// One element after another, at the slots of a layout.
...
__device__ double element(double x)
{
    return x > 0 ? x : 0;
}
...

A plain `x.relu_()` launches it on a GPU. On the simulated GPU NumPy computes, and the launch that a GPU would make is reported:

>>> place = paddle.set_device("gpu", simulate=True)
>>> x = paddle.to_tensor([-1., 2.])
>>> with kernels.launches() as seen:
...     _ = x.relu_()
>>> seen[0].grid, seen[0].bytes_read, seen[0].bytes_written
((1, 1, 1), 8, 8)
>>> place = paddle.set_device("cpu")

`kernels.run("relu_", x)` runs this source on the device of `x`. On the CPU and on the simulated GPU, g++ compiles it and it runs
thread by thread; on a real GPU, NVRTC compiles it. Either way it is an operation like any other: it checks leaves, raises versions
and is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from inplacelab import errors, observe
from inplacelab.devices.kernels.access_plan import form_of
from inplacelab.devices.kernels.launch import Launch
from inplacelab.devices.kernels.source import Source
from inplacelab.kernels.kernel import Elementwise, Kernel
from inplacelab.kernels.standalone import WHOLE
from inplacelab.language import Text
from inplacelab.listing import Group, Listing
from inplacelab.ops import ROWS
from inplacelab.ops.cuda.expressions import data_types
from inplacelab.ops.table.row import Row
from inplacelab.tensor import Tensor

__all__ = ["Kernel", "Launch", "Source", "available", "fuse", "get", "launches", "run", "source", "source_of"]


def available() -> Listing:
    """Lists all kernels with their expressions and dtypes; print the result to read it."""
    heads = (Text("operation", "操作"), Text("expression", "表达式"), Text("data types", "数据类型"))
    rows = [row for row in ROWS.values() if data_types(row)]
    elementwise = [
        (" ".join(f"`{name}`" for name in _names(row)), f"`{_written(row)}`", ", ".join(data_types(row)))
        for row in rows
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


def _written(row: Row) -> str:
    return row.cuda if isinstance(row.cuda, str) else next(iter(row.cuda.values()))


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
    >>> from inplacelab.devices.kernels.launch import Launch, Operand
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
        if not isinstance(each, Elementwise) or each.in_place != in_place:
            raise errors.cannot_fuse(name=name)
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
