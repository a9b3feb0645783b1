"""Measures our kernels on a real GPU, each as a fraction of the bandwidth of a copy on the device in the same run.

    python benchmarks/gpu.py [--gigabytes 4] [--rounds 50] [--json FILE]

It also measures CuPy's ufuncs and, if it is installed with CUDA, PyTorch's eager operators. Times are the device's events, the
median of many rounds. A memory-bound kernel cannot be faster than the copy: the goal for element-wise kernels in place and for
the fused chain is 90 % of it. `relu_` is measured with several grids, too: if another one than the default is clearly faster,
change `geometry.MOST_BLOCKS`.

Last, what a launch costs the program: microseconds of the host for an operation on a small tensor, which is all of its time.

Without a GPU it prints what is missing.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from gpu_versions import machine

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.kernels import geometry, launching, on_gpu
from inplacelab.kernels import sources as texts
from inplacelab.kernels.kernel import Elementwise
from inplacelab.kernels.launch import Memory
from inplacelab.kernels.sources import Form, Source
from inplacelab.language import Text
from inplacelab.layout import Layout
from inplacelab.ops import ROWS

WARM_UP = 5
GOAL = 0.9
FLOAT = 4

NO_CUPY = Text(
    "Nothing measured: CuPy is not installed. On a machine with an NVIDIA GPU: python -m pip install -e '.[gpu13]'",
    "未测量：没有安装 CuPy。在有 NVIDIA GPU 的机器上执行：python -m pip install -e '.[gpu13]'",
)
NO_GPU = Text(
    "Nothing measured: CuPy is installed, but it finds no GPU here (no device, or no driver).",
    "未测量：已安装 CuPy，但它在这里找不到 GPU（没有设备，或没有驱动程序）。",
)


class Case(NamedTuple):
    """Something to measure.

    Attributes:
        who: "ours", "CuPy" or "PyTorch".
        what: a description.
        run: runs it once.
        moved: the bytes that it reads and writes.
        goal: whether its goal is 90 % of the copy.
    """

    who: str
    what: str
    run: Callable[[], object]
    moved: int
    goal: bool = False


class Answer(NamedTuple):
    """What was measured."""

    who: str
    what: str
    milliseconds: float
    gigabytes_per_second: float
    of_copy: float
    goal: bool


# ---- measuring --------------------------------------------------------------------------------------------------------------


def milliseconds(cupy: Any, run: Callable[[], object], rounds: int) -> float:
    """The median time of one call on the device, between two events in its stream."""
    for _ in range(WARM_UP):
        run()
    pairs = [(cupy.cuda.Event(), cupy.cuda.Event()) for _ in range(rounds)]
    for before, after in pairs:
        before.record()
        run()
        after.record()
    pairs[-1][1].synchronize()
    return float(median(cupy.cuda.get_elapsed_time(before, after) for before, after in pairs))


def address(array: Any) -> Memory:
    """A whole CuPy array as an operand of our kernels."""
    return Memory(array.data.ptr, array.data.ptr, array.nbytes)


def elementwise(
    source: Source, n: int, *operands: Any, numbers: tuple[Any, ...] = (), blocks: int = 0
) -> Callable[[], None]:
    """One launch of an element-wise kernel over packed arrays, in the default grid or with a number of blocks."""
    grid = geometry.elementwise(n, source.width)
    if blocks:
        grid = grid._replace(blocks=(blocks, 1, 1))
    arguments = [*map(address, operands), *numbers, n]
    return lambda: on_gpu.run(source, *grid, arguments)


def through(name: str, dtype: str, layout: Layout, x: Any) -> Callable[[], None]:
    """One launch of a kernel in place on a view of `x`, planned as in the engine."""
    kernel, way = (
        Elementwise((ROWS[name.removesuffix("_")],), in_place=True),
        launching.plan((layout,), (dtype,), 0, aligned=True),
    )
    source = kernel.source_for(dtype, way.form)
    arguments = [address(x), *way.passed, way.turns]
    return lambda: on_gpu.run(source, *way.grid, arguments)


def several(*calls: Callable[[], object]) -> Callable[[], None]:
    """One call after the other."""

    def run() -> None:
        for call in calls:
            call()

    return run


# ---- the cases --------------------------------------------------------------------------------------------------------------


def ours(n: int, x: Any, y: Any) -> Iterator[Case]:
    """Our kernels: in place, out of place, one after the other, fused; and those that are more than an expression."""
    once = 2 * FLOAT * n
    scale, relu, absolute = (kernels.source(name) for name in ("scale_", "relu_", "abs_"))
    factor = (np.float32(1.0), np.float32(0.0), True)  # the values do not change
    one_by_one = [elementwise(scale, n, x, numbers=factor), elementwise(absolute, n, x), elementwise(relu, n, x)]
    fused = kernels.fuse("scale_", "abs_", "relu_").source()
    yield Case("ours", "relu_ in place", one_by_one[2], once, goal=True)
    yield Case("ours", "relu out of place", elementwise(kernels.source("relu"), n, x, y), once)
    yield Case("ours", "scale_ abs_ relu_, one by one", several(*one_by_one), 3 * once)
    yield Case("ours", "scale_ abs_ relu_, fused", elementwise(fused, n, x, numbers=factor), once, goal=True)
    together = x.device.attributes["MultiProcessorCount"] * 8  # as many blocks of 256 threads as the GPU holds at once
    for blocks in (together, 2 * together, 16384, geometry.parts(n, 4 * geometry.THREADS)):
        run = elementwise(kernels.source("relu_"), n, x, blocks=blocks)
        yield Case("ours", f"relu_ in place, {blocks} blocks", run, once)
    yield from on_views(n, x)
    yield from of_types(n, x, y)
    side = int(n**0.5) // 32 * 32
    square = [address(x), side]
    tiles, half = geometry.tiles(side, side), 2 * FLOAT * side * side
    turn, turned = texts.transpose_square("float32"), texts.transpose("float32")
    yield Case("ours", "transpose_square_ in place", lambda: on_gpu.run(turn, *tiles, square), half)
    yield Case(
        "ours", "transpose_tiled", lambda: on_gpu.run(turned, *tiles, [address(x), address(y), side, side]), half
    )
    columns, norm = 4096, texts.normalize("float32")
    rows = n // columns
    arguments = [address(x), np.float32(1e-5), rows, columns]
    yield Case(
        "ours",
        "normalize_ in place",
        lambda: on_gpu.run(norm, *geometry.rows(rows), arguments),
        2 * FLOAT * rows * columns,
    )


def on_views(n: int, x: Any) -> Iterator[Case]:
    """Views of a matrix with rows of 4096, in place. Only requested bytes are counted: gaps between them cost extra."""
    rows, half = n // 4096, 2 * FLOAT * (n // 2)
    wide = Layout((rows, 2048), (4096, 1), 0)
    yield Case("ours", "relu_ of half of each row, in packs", through("relu_", "float32", wide, x), half, goal=True)
    yield Case(
        "ours", "relu_ of half of each row, one by one", through("relu_", "float32", wide._replace(offset=1), x), half
    )
    yield Case("ours", "relu_ of every second", through("relu_", "float32", Layout((n // 2,), (2,), 0), x), half)
    turned = Layout((4096, rows), (1, 4096), 0)
    yield Case(
        "ours", "relu_ of the transposed matrix", through("relu_", "float32", turned, x), 2 * FLOAT * rows * 4096
    )
    small = x.view(np.int8)
    run = through("abs_", "int8", Layout((small.size,), (1,), 0), small)
    yield Case("ours", "abs_ of int8", run, 2 * small.size, goal=True)


def of_types(n: int, x: Any, y: Any) -> Iterator[Case]:
    """Other data types: half precision in place, a cast to it, and a fill, which reads nothing."""
    half = y.view(np.float16)
    cast = Elementwise((ROWS["cast"],), in_place=False).source_for(("float32", "float16"), Form())
    fill = elementwise(kernels.source("fill_"), n, y, numbers=(np.float32(1.0),))
    relu = elementwise(kernels.source("relu_", "float16"), half.size, half)
    yield Case("ours", "fill_ (writes only)", fill, FLOAT * n)
    yield Case("ours", "relu_ of float16", relu, 2 * half.nbytes, goal=True)
    yield Case("ours", "cast float32 to float16", elementwise(cast, n, x, half), (FLOAT + 2) * n, goal=True)


def of_cupy(cupy: Any, n: int, x: Any, y: Any) -> Iterator[Case]:
    """CuPy's ufuncs for the same."""
    once, zero, one = 2 * FLOAT * n, np.float32(0), np.float32(1)
    yield Case("CuPy", "maximum in place", lambda: cupy.maximum(x, zero, out=x), once)
    yield Case("CuPy", "maximum out of place", lambda: cupy.maximum(x, zero, out=y), once)
    steps = (
        (lambda: cupy.multiply(x, one, out=x)),
        (lambda: cupy.absolute(x, out=x)),
        (lambda: cupy.maximum(x, zero, out=x)),
    )
    yield Case("CuPy", "multiply, absolute, maximum, one by one", several(*steps), 3 * once)


def of_torch(torch: Any, n: int, x: Any) -> Iterator[Case]:
    """PyTorch's eager operators on the same memory, in the same stream."""
    shared, once = torch.from_dlpack(x), 2 * FLOAT * n
    yield Case("PyTorch", "relu_ in place", shared.relu_, once)
    yield Case("PyTorch", "relu out of place", lambda: torch.relu(shared), once)
    steps = (lambda: shared.mul_(1.0)), shared.abs_, shared.relu_
    yield Case("PyTorch", "mul_ abs_ relu_, one by one", several(*steps), 3 * once)


def measured(cupy: Any, torch: Any, gigabytes: float, rounds: int) -> Iterator[Answer]:
    """The copy first; then everything else, compared with it."""
    n = int(gigabytes * 1e9) // (2 * FLOAT) // 4096 * 4096
    x, y = cupy.random.standard_normal(n, dtype=np.float32), cupy.empty(n, np.float32)
    stream = cupy.cuda.get_current_stream()
    kind = cupy.cuda.runtime.memcpyDeviceToDevice

    def copy() -> None:
        cupy.cuda.runtime.memcpyAsync(y.data.ptr, x.data.ptr, x.nbytes, kind, stream.ptr)

    moved = 2 * FLOAT * n
    taken = milliseconds(cupy, copy, rounds)
    best = moved / taken / 1e6
    yield Answer("driver", "copy on the device", taken, best, 1.0, goal=False)
    cases = [*ours(n, x, y), *of_cupy(cupy, n, x, y)]
    if torch is not None:
        cases += of_torch(torch, n, x)
    for case in cases:
        taken = milliseconds(cupy, case.run, rounds)
        rate = case.moved / taken / 1e6
        yield Answer(case.who, case.what, taken, rate, rate / best, case.goal)


# ---- what a launch costs the program ------------------------------------------------------------------------------------------


def host_costs(cupy: Any, torch: Any, rounds: int) -> Iterator[tuple[str, float]]:
    """Microseconds of the host for an operation on 1024 numbers: the median of rounds of 200 calls without synchronization."""
    paddle.set_device("gpu")
    x, y = paddle.ones([1024]), paddle.ones([1024])
    view, held = x[::2], cupy.ones(1024, np.float32)
    works: dict[str, Callable[[], object]] = {
        "x.relu_()": x.relu_,
        "x.add_(y)": lambda: x.add_(y),
        "view.relu_(), view = x[::2]": view.relu_,
        "kernels.run('relu_', x)": lambda: kernels.run("relu_", x),
        "CuPy: maximum": lambda: cupy.maximum(held, np.float32(0), out=held),
    }
    if torch is not None:
        works["PyTorch: relu_"] = torch.from_dlpack(held).relu_
    for name, work in works.items():
        times = []
        for _ in range(rounds + WARM_UP):
            cupy.cuda.get_current_stream().synchronize()
            before = perf_counter()
            for _ in range(200):
                work()
            times.append((perf_counter() - before) / 200 * 1e6)
        yield name, median(times[WARM_UP:])


# ---- the machine ------------------------------------------------------------------------------------------------------------


def found(name: str) -> Any:
    """A library, or None."""
    try:
        return import_module(name)
    except ImportError:
        return None


def with_cuda(torch: Any) -> Any:
    """PyTorch, if it can use the GPU. Both PyTorch and CuPy use the default stream here."""
    return torch if torch is not None and torch.cuda.is_available() else None


def main() -> None:
    """Measures, and prints the results."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--gigabytes", type=float, default=4.0, help="read and written by one element-wise kernel")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--json", type=Path, help="write the results into this file, too")
    chosen = parser.parse_args()
    cupy = found("cupy")
    if cupy is None or not cupy.cuda.is_available():
        print(NO_CUPY if cupy is None else NO_GPU)
        return
    torch = with_cuda(found("torch"))
    about, answers = machine() | {"PyTorch": "" if torch is None else str(torch.__version__)}, []
    print(*(f"{key} {value or '-'}" for key, value in about.items()), sep=" · ")
    print(f"{'':8}{'':42}{'ms':>10}{'GB/s':>10}{'of copy':>10}")
    for answer in measured(cupy, torch, chosen.gigabytes, chosen.rounds):
        answers.append(answer)
        mark = "" if not answer.goal else "  ok" if answer.of_copy >= GOAL else f"  below {GOAL:.0%}"
        print(
            f"{answer.who:8}{answer.what:42}{answer.milliseconds:10.3f}{answer.gigabytes_per_second:10.1f}{answer.of_copy:10.1%}{mark}"
        )
    print("\nOne operation on 1024 numbers, microseconds of the host:")
    costs = dict(host_costs(cupy, torch, chosen.rounds))
    for name, cost in costs.items():
        print(f"  {name:32}{cost:8.1f}")
    if chosen.json is not None:
        figures = {
            "command": " ".join(["python", "benchmarks/gpu.py", *sys.argv[1:]]),
            "machine": about,
            "rounds": chosen.rounds,
            "answers": [answer._asdict() for answer in answers],
            "host microseconds": costs,
        }
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
