"""How fast our kernels are on a real GPU: each as a fraction of the bandwidth of a copy on the device, measured in the same run.

    python benchmarks/gpu.py [--gigabytes 4] [--rounds 50] [--json FILE]

Beside our kernels stand CuPy's ufuncs and, where it is installed with CUDA, PyTorch's eager operators. Time is taken by the
device's own events; of many rounds the median counts. A kernel that waits for memory cannot be faster than the copy: the goal
for element-wise kernels in place and for the fused chain is 90 % of it.

Without a GPU it says what is missing, and that is all.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from inplacelab import kernels
from inplacelab.devices.kernels import geometry, on_gpu
from inplacelab.devices.kernels import source as texts
from inplacelab.devices.kernels.launch import Memory
from inplacelab.devices.kernels.source import Source
from inplacelab.language import Text

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
        what: in words.
        run: does it once.
        moved: the bytes that it reads and writes.
        goal: whether it is to reach 90 % of the copy.
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
    return median(cupy.cuda.get_elapsed_time(before, after) for before, after in pairs)


def address(array: Any) -> Memory:
    """A whole CuPy array, as our kernels take it."""
    return Memory(array.data.ptr, array.data.ptr, array.nbytes)


def elementwise(source: Source, n: int, *operands: Any, numbers: tuple[Any, ...] = ()) -> Callable[[], None]:
    """One launch of an element-wise kernel over packed arrays."""
    grid = geometry.elementwise(n, source.width)
    arguments = [*map(address, operands), *numbers, n]
    return lambda: on_gpu.run(source, *grid, arguments)


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
    factor = (np.float32(1.0), np.float32(0.0), True)  # the values stay what they are, however many rounds there are
    one_by_one = [elementwise(scale, n, x, numbers=factor), elementwise(absolute, n, x), elementwise(relu, n, x)]
    fused = kernels.fuse("scale_", "abs_", "relu_").source()
    yield Case("ours", "relu_ in place", one_by_one[2], once, goal=True)
    yield Case("ours", "relu out of place", elementwise(kernels.source("relu"), n, x, y), once)
    yield Case("ours", "scale_ abs_ relu_, one by one", several(*one_by_one), 3 * once)
    yield Case("ours", "scale_ abs_ relu_, fused", elementwise(fused, n, x, numbers=factor), once, goal=True)
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


# ---- the machine ------------------------------------------------------------------------------------------------------------


def found(name: str) -> Any:
    """A library, or None."""
    try:
        return import_module(name)
    except ImportError:
        return None


def with_cuda(torch: Any) -> Any:
    """PyTorch, if it can use the GPU, in CuPy's stream."""
    return torch if torch is not None and torch.cuda.is_available() else None


def machine(cupy: Any, torch: Any) -> dict[str, str]:
    """The device and the versions: figures mean nothing without them."""
    runtime = cupy.cuda.runtime
    return {
        "device": on_gpu.device_name(),
        "driver": str(runtime.driverGetVersion()),
        "runtime": str(runtime.runtimeGetVersion()),
        "cupy": cupy.__version__,
        "torch": "" if torch is None else str(torch.__version__),
    }


def main() -> None:
    """Measure, and say what came out."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--gigabytes", type=float, default=4.0, help="read and written by one element-wise kernel")
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--json", type=Path, help="write the figures into this file, too")
    chosen = parser.parse_args()
    cupy = found("cupy")
    if cupy is None or not cupy.cuda.is_available():
        print(NO_CUPY if cupy is None else NO_GPU)
        return
    torch = with_cuda(found("torch"))
    about, answers = machine(cupy, torch), []
    print(*(f"{key} {value or '-'}" for key, value in about.items()), sep=" · ")
    print(f"{'':8}{'':42}{'ms':>10}{'GB/s':>10}{'of copy':>10}")
    for answer in measured(cupy, torch, chosen.gigabytes, chosen.rounds):
        answers.append(answer)
        mark = "" if not answer.goal else "  ok" if answer.of_copy >= GOAL else f"  below {GOAL:.0%}"
        print(
            f"{answer.who:8}{answer.what:42}{answer.milliseconds:10.3f}{answer.gigabytes_per_second:10.1f}{answer.of_copy:10.1%}{mark}"
        )
    if chosen.json is not None:
        figures = {"machine": about, "rounds": chosen.rounds, "answers": [answer._asdict() for answer in answers]}
        chosen.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
