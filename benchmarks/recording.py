"""What recording costs: each operation on small tensors, recorded and not, in turns in one run.

    python -m benchmarks.recording [--quick]

Small tensors show the price of the recorder itself. The figures are ratios to the same statements unrecorded:

- *stepped*: a program whose statements tell when they begin, as `%%stepper` and `inplacelab record` run it;
- *in a block*: under `record()`, which has to look at the names at every operation;
- *reading*: making the recording out of the journal afterwards, in microseconds for each step; it grows with the steps.

Times are those of the processor, so that other programs do not count.

The goal: an operation that is recorded costs at most 2.5 times what it costs unrecorded.
"""

from __future__ import annotations

import ast
import gc
import linecache
import sys
import textwrap
from time import process_time_ns
from typing import Any, NamedTuple

import inplacelab as paddle
from inplacelab.recorders import marks, source
from inplacelab.recorders.block import listening
from inplacelab.recorders.lab import LabRecorder

GOAL = 2.5
ENOUGH = 100_000
"""More steps than any program here takes: none is left out."""

SMALL = "x = paddle.ones([2, 3]); y = paddle.zeros([2, 3])"
HISTORY = "a = paddle.ones([2, 3]); a.stop_gradient = False; y = paddle.zeros([2, 3]); x = a * 1."

CASES = {
    "x.add_(y)": (SMALL, "x.add_(y)"),
    "x.scale_(1.)": (SMALL, "x.scale_(1.)"),
    "x + y": (SMALL, "x + y"),
    "z = x + y": (SMALL, "z = x + y"),
    "x[0]": (SMALL, "x[0]"),
    "x[0] = 2.": (SMALL, "x[0] = 2."),
    "v.zero_(), v = x[0]": (SMALL + "; v = x[0]", "v.zero_()"),
    "x.add_(y), with history": (HISTORY, "x.add_(y)"),
    "a * y, with history": (HISTORY, "a * y"),
    "(a * a).sum().backward()": (HISTORY, "(a * a).sum().backward()"),
    "4,096 slots: x.add_(y)": ("x = paddle.ones([4096]); y = paddle.zeros([4096])", "x.add_(y)"),
    "1 MiB: x.add_(y)": ("x = paddle.ones([512, 512]); y = paddle.zeros([512, 512])", "x.add_(y)"),
    "1 MiB: a row of it": ("x = paddle.ones([512, 512]); v = x[3]", "v.zero_()"),
}


class Measured(NamedTuple):
    """Nanoseconds for one statement, each at its best."""

    plain: float
    stepped: float
    block: float
    reading: float


def program(setup: str, statement: str, times: int) -> str:
    """The statement in a loop that takes the time."""
    return f"{setup}\nbegin = clock()\nfor k in range({times}):\n    {statement}\nend = clock()\n"


def taken(names: dict[str, Any], times: int) -> float:
    """Nanoseconds for one time round."""
    return float(names["end"] - names["begin"]) / times


def plain(text: str, times: int) -> float:
    """The program unrecorded."""
    names: dict[str, Any] = {"paddle": paddle, "clock": process_time_ns}
    exec(compile(text, "<program>", "exec"), names)
    return taken(names, times)


def stepped(text: str, times: int) -> tuple[float, float]:
    """The program recorded statement by statement; and reading the journal afterwards, for each time round."""
    tree = ast.parse(text)
    recorder = LabRecorder(source.Program.of(tree, text, "<program>"), limit=ENOUGH)
    names: dict[str, Any] = {"paddle": paddle, "clock": process_time_ns}
    with listening(recorder), marks.marking(recorder.mark):
        exec(compile(marks.marked(tree), "<program>", "exec"), names)
        recorder.finish(source.Scope(names, ""))
    begin = process_time_ns()
    recorder.recording()
    return taken(names, times), (process_time_ns() - begin) / times


def in_a_block(text: str, times: int) -> float:
    """The program inside `with record():`."""
    block = f"with paddle.record(limit={ENOUGH}):\n{textwrap.indent(text, '    ')}"
    linecache.cache["<block>"] = (len(block), None, block.splitlines(keepends=True), "<block>")
    names: dict[str, Any] = {"paddle": paddle, "clock": process_time_ns}
    exec(compile(block, "<block>", "exec"), names)
    return taken(names, times)


def measured(setup: str, statement: str, rounds: int, times: int) -> Measured:
    """All of it in turns, without the garbage collector's walks."""
    text = program(setup, statement, times)
    found = []
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        try:
            found.append(Measured(plain(text, times), *_swapped(stepped(text, times), in_a_block(text, times))))
        finally:
            gc.enable()
    return Measured(*(min(column) for column in zip(*found, strict=True)))


def _swapped(of_steps: tuple[float, float], block: float) -> tuple[float, float, float]:
    return of_steps[0], block, of_steps[1]


def main() -> None:
    """Print a table."""
    rounds, times = (2, 200) if "--quick" in sys.argv else (7, 1000)
    print(f"{'':28}{'plain':>9}  {'stepped':>8}  {'in a block':>10}  {'reading':>9}")
    for name, (setup, statement) in CASES.items():
        found = measured(setup, statement, rounds, 100 if "1 MiB" in name or "backward" in name else times)
        ratios = [found.stepped / found.plain, found.block / found.plain]
        marks = ["" if ratio <= GOAL else " over" for ratio in ratios]
        print(
            f"{name:28}{found.plain / 1000:7.2f}us  {ratios[0]:7.1f}x  {ratios[1]:9.1f}x  {found.reading / 1000:7.0f}us"
            f"{'   over the goal: ' + ', '.join(n for n, m in zip(('stepped', 'in a block'), marks, strict=True) if m) if any(marks) else ''}"
        )


if __name__ == "__main__":
    main()
