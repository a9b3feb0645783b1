"""Records the launches of a real GPU, so that they can be viewed on a machine without one.

    python benchmarks/record_gpu.py FOLDER [--simulate]

Writes a recording for each of a few short programs (`views.json`, ...), and `about.json`: the command, the device, driver and
versions, and for each recording what was launched. Every launch in a recording names its hardware, and pictures show that
name. On another machine:

    from inplacelab.recording import load
    from inplacelab_widgets import KernelView

    KernelView(load("FOLDER/views.json"))

Without a GPU it prints what is missing, and records nothing. With `--simulate` it records the launches of the simulated GPU,
and marks them so.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.backends import cuda
from inplacelab.recording import Recording, save


def in_place() -> None:
    """In place and out of place: the same bytes, and one storage more."""
    x = paddle.arange(-500.0, 500.0)
    y = paddle.nn.functional.relu(x)
    x.relu_()
    x.add_(y)


def views() -> None:
    """One matrix, with several access patterns."""
    m = paddle.ones([64, 64])
    m[:, :32].relu_()
    m[:, ::2].relu_()
    m[:, 0].relu_()
    m.t().relu_()


def chain() -> None:
    """Three operations one by one, and fused."""
    x, y = paddle.ones([4096]), paddle.ones([4096])
    x.scale_(2.0).add_(y).relu_()
    kernels.fuse("scale_", "add_", "relu_")(x, y, scale=2.0)


def tiles() -> None:
    """Threads that wait for each other: a transpose out of place and in place, rows normalized."""
    m = paddle.arange(0.0, 64.0 * 64.0).reshape([64, 64])
    kernels.run("transpose_tiled", m)
    kernels.run("transpose_square_", m)
    kernels.run("normalize_", m)


def backward() -> None:
    """Derivatives are operations, too."""
    w = paddle.ones([256])
    w.stop_gradient = False
    y = (w * 2).exp_()
    y.sum().backward()


PROGRAMS: dict[str, Callable[[], None]] = {each.__name__: each for each in (in_place, views, chain, tiles, backward)}


def recorded(program: Callable[[], None]) -> Recording:
    """Run a program and keep what happened."""
    with paddle.record() as lab:
        program()
    assert lab.recording is not None
    return lab.recording


def launches(recording: Recording) -> list[dict[str, Any]]:
    """The launches, in order: a summary, or a comparison with another run."""
    return [
        {
            "kernel": each.kernel, "kind": each.kind, "grid": each.grid, "block": each.block, "width": each.width,
            "bytes read": each.bytes_read, "bytes written": each.bytes_written, "device": each.device or "simulated",
        }
        for step in recording.steps for each in step.launches
    ]  # fmt: skip


def machine(*, simulate: bool) -> dict[str, str]:
    """The device and the versions."""
    if simulate:
        return {"device": "simulated", "inplacelab": paddle.__version__}
    import gpu_versions as real  # noqa: PLC0415  # it needs CuPy

    return real.machine() | {"inplacelab": paddle.__version__}


def main(arguments: list[str]) -> int:
    """Record and write; 1 if there is no GPU."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path, help="where the recordings go")
    options.add_argument("--simulate", action="store_true", help="record what a GPU would launch")
    given = options.parse_args(arguments)
    refusal = None if given.simulate else cuda.missing()
    if refusal is not None:
        print(refusal())
        return 1
    paddle.set_device("gpu", simulate=given.simulate)
    given.folder.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {}
    for name, program in PROGRAMS.items():
        recording = recorded(program)
        save(recording, given.folder / f"{name}.json")
        found[name] = launches(recording)
        print(f"{name}.json: {len(found[name])} launches")
    about = {
        "command": " ".join(["python", "benchmarks/record_gpu.py", *arguments]),
        "machine": machine(simulate=given.simulate),
        "recordings": found,
    }
    (given.folder / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
