"""Measures operations in place on a GPU, as a fraction of the speed of a copy in its memory.

    python benchmarks/device.py [--megabytes 4096] [--rounds 50] [--write results.json]

An element-wise operation does so little arithmetic that it is memory-bound. So each
is measured in bytes moved a second, beside a copy from device memory to device memory in the same run; times are those of events
on the device's own stream, the median of many rounds. In place and out of place move the same bytes: what in place saves is
memory (the peaks stand beside it). PyTorch's operations are measured too where it is installed and sees the GPU.

Without a GPU it prints what is missing, and measures nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from gpu_versions import machine

import inplacelab as paddle
from inplacelab.backends import GPU, cuda

Work = Callable[[], object]


def milliseconds(work: Work, rounds: int) -> float:
    """The median time of `work` on the device, after three rounds to warm up."""
    library = GPU.cupy.library
    for _ in range(3):
        work()
    times = []
    for _ in range(rounds):
        start, stop = library.cuda.Event(), library.cuda.Event()
        start.record()
        work()
        stop.record()
        stop.synchronize()
        times.append(library.cuda.get_elapsed_time(start, stop))
    return float(statistics.median(times))


def operations(x: Any, y: Any) -> dict[str, tuple[Work, int]]:
    """What is measured, with how many times the bytes of `x` it moves."""
    held, other, library = x.array.held, y.array.held, GPU.cupy.library
    return {
        "copy, device to device": (lambda: library.copyto(held, other), 2),
        "x.relu_()": (x.relu_, 2),
        "x.scale_(1.5, 0.5)": (lambda: x.scale_(1.5, 0.5), 2),
        "x.add_(y)": (lambda: x.add_(y), 3),
        "x.add(y)": (lambda: x.add(y), 3),
        "CuPy: add(x, y, x)": (lambda: library.add(held, other, held), 3),
    }


def of_pytorch(elements: int) -> dict[str, tuple[Work, int]]:
    """The same in PyTorch, if it is there and sees the GPU."""
    try:
        torch = import_module("torch")
    except ImportError:
        return {}
    if not torch.cuda.is_available():
        return {}
    # PyTorch and CuPy both work on the default stream, so the same events time both. (Wrapping that one in an `ExternalStream` would
    # make another: the number 0 stands for "none given" there.)
    x, y = torch.ones(elements, device="cuda"), torch.ones(elements, device="cuda")
    return {"PyTorch: x.relu_()": (x.relu_, 2), "PyTorch: x.add_(y)": (lambda: x.add_(y), 3)}


def measure(megabytes: int, rounds: int) -> dict[str, Any]:
    """Time every operation on tensors of so many megabytes."""
    paddle.set_device("gpu")
    elements = megabytes * (1 << 20) // 4
    rows: dict[str, dict[str, float]] = {}
    for made in (lambda: operations(paddle.ones([elements]), paddle.ones([elements])), lambda: of_pytorch(elements)):
        for name, (work, moved) in made().items():
            paddle.device.reset_max_memory_allocated()
            time = milliseconds(work, rounds)
            speed = moved * elements * 4 / time / 1e6
            rows[name] = {"ms": time, "GB/s": speed, "peak": paddle.device.max_memory_allocated()}
    copied = rows["copy, device to device"]["GB/s"]
    for row in rows.values():
        row["share of copying"] = row["GB/s"] / copied
    return {"machine": machine(), "rows": rows}


def main() -> int:
    """Measure and print; 1 if there is no GPU."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--megabytes", type=int, default=4096, help="of each operand")
    options.add_argument("--rounds", type=int, default=50)
    options.add_argument("--write", type=Path, help="a file for the figures, with device, versions and command")
    given = options.parse_args()
    refusal = cuda.missing()
    if refusal is not None:
        print(refusal())
        return 1
    found = {
        "command": f"python benchmarks/device.py {' '.join(sys.argv[1:])}".strip(),
        **measure(given.megabytes, given.rounds),
    }
    print(*(f"{key} {value or '-'}" for key, value in found["machine"].items()), sep=" · ")
    print(f"{given.megabytes} MiB an operand, median of {given.rounds} rounds")
    for name, row in found["rows"].items():
        print(f"  {name:24} {row['ms']:9.3f} ms {row['GB/s']:8.0f} GB/s {row['share of copying']:6.1%} of copying")
    if given.write:
        given.write.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
