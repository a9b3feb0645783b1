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

A kernel is a `.cu` file in this folder. Most are templates for the expression of a row (`cuda="x > 0 ? x : 0"`), or of several rows
for a fused chain; others are complete (normalize, transpose, scatter). A kernel includes no headers, so NVRTC needs nothing else to
compile it, and a lesson can show all of it. **One source, three uses**:

    row's expression --> sources.py --> text --> on_gpu.py    NVRTC compiles it (for sm_75, sm_80, sm_90 no GPU is needed), CuPy launches it
      (.cu files)                           --> on_cpu.py    g++ compiles it with `cuda_on_cpu.h`: runs thread by thread, traced

    launch       one launch as plain data, for observers and pictures
    geometry     the slots that each thread accesses, as pure functions
    traffic      the memory traffic: sectors of 32 bytes for each warp, bytes for a launch
    launching    how a launch walks through memory: merges axes, orders them by the operand that is written, packs 16 bytes, loads a
                 broadcast operand once for a pack, uses 32-bit indices where they suffice; each is a form of the source
    own_kernels  makes a step of a kernel from a row, and plans its launch
    kernel       kernels as operations, and chains of them; by_name finds them for learners

On the CPU the kernel's parameters are traced pointers and its threads are fibers (contexts on Linux, system threads elsewhere). A
run reports an access outside its memory and a barrier that not all threads reach. Tests compare `geometry` and `traffic` with the
trace, access by access.

There are two ways to run what `own_kernels` plans:

    x.relu_()                   the generated function calls `LAUNCHED(...)` first if the device `launches`:
                                  on a GPU       the kernel is launched; CuPy computes what it cannot
                                  simulated      the launch is reported if there is an observer; NumPy computes
                                  on the CPU     `launches` is False: one test
    kernels.run("relu_", x)     the same row with this kernel in place of NumPy's

So the simulated GPU reports the launches of a real one; tests compare the two for every row, variant and dtype. A kernel computes in
the dtype in which NumPy computes; operands of other dtypes are converted when read and written. It is not used for complex
operands, for attributes that it does not take, or for empty tensors.

It is compiled with `--fmad=false`: a product and a sum are rounded separately, as in NumPy. Half precision is 16 bits in memory and a
`float` in every computation, rounded once when stored (`half.cu`, because CUDA's own type needs a header). Floats outside the range
of an integer type are converted as on x86, on every device (`whole_number.cu`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplacelab.kernels.by_name import (
        Kernel,
        Launch,
        Source,
        available,
        fuse,
        get,
        launches,
        run,
        source,
        source_of,
    )

__all__ = ["Kernel", "Launch", "Source", "available", "fuse", "get", "launches", "run", "source", "source_of"]


def __getattr__(name: str) -> Any:
    """What learners use is imported with all operations; most modules of this package are used below them, or without any."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return getattr(import_module("inplacelab.kernels.by_name"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
