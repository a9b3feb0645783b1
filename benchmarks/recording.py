"""What recording costs: statements recorded and not, in turns in one run.

    python -m benchmarks.recording [--quick]

The first table has tensors of a few elements, where the recorder's own work is all there is to see; the second has tensors of
the sizes that programs compute with, and a step of training. The figures are ratios to the same statements unrecorded:

- *stepped*: a program whose statements tell when they begin, as `%%stepper` and `inplacelab record` run it;
- *in a block*: under `record()`, which has to look at the names at every operation;
- *keeps*: the memory that the journal takes, each time round: what was written down, and copied;
- *reading*: making the recording out of the journal afterwards, in microseconds for each time round; nobody's operation waits
  for it.

Times are those of the processor, so that other programs do not count; each is the best of many short rounds taken in turns.

The goal: an operation that is recorded costs at most 2.5 times what it costs unrecorded.

What the journal keeps is memory that is used for the first time, and the machine has to provide it page by page. On most
machines that takes a tenth of a microsecond for a page of 4 kB; inside some sandboxes it takes thirty times as long, and then
it is the larger part of what recording costs. (Copies of whole storages lie in a memory that is kept from one recording to the
next: of the best of many rounds they are no part, of the first recording in a session they are.) So it is measured, and where a goal is missed that would be met if pages cost
nothing, the table says so.

What else is over the goal: operations that do little more than read and write each value of a storage too large to be kept whole, such
as `x.add_(y)` on 100 x 100 (about 3 times). The extremes of the result are part of the recording, and finding them takes NumPy two
passes over the values, which together take longer than the addition itself.
"""

from __future__ import annotations

import argparse
import ast
import gc
import linecache
import textwrap
import tracemalloc
from collections.abc import Callable
from mmap import mmap
from time import process_time_ns
from typing import Any, NamedTuple

from inplacelab.recorders.block import listening
from inplacelab.recorders.lab import LabRecorder

import inplacelab as paddle
from inplacelab.recorders import copies, marks, source

Clock = Callable[[], int]

GOAL = 2.5
ENOUGH = 100_000
"""More steps than any program here takes: none is left out."""

SMALL = "x = paddle.ones([2, 3]); y = paddle.zeros([2, 3])"
HISTORY = "a = paddle.ones([2, 3]); a.stop_gradient = False; y = paddle.zeros([2, 3]); x = a * 1."

TINY = {
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
}


def _square(size: int) -> str:
    return f"x = paddle.ones([{size}, {size}]); y = paddle.zeros([{size}, {size}]); v = x[3]"


_NET = """\
net1, net2 = paddle.nn.Linear(100, 100), paddle.nn.Linear(100, 10)
opt = paddle.optimizer.{}(learning_rate=0.001, parameters=[*net1.parameters(), *net2.parameters()])
x = paddle.ones([64, 100])"""
_STEP = """\
loss = net2(net1(x).tanh()).square().mean()
    loss.backward()
    opt.step()
    opt.clear_grad()"""
_LOOP = "for j in range(1000):\n        x.add_(y)"
_CHAIN = "z = (x * y).tanh().scale(0.5).exp()"

REAL = {
    "1,000 times round: x.add_(y)": (SMALL, _LOOP),
    "4,096 slots: x.add_(y)": ("x = paddle.ones([4096]); y = paddle.zeros([4096])", "x.add_(y)"),
    **{f"{size} x {size}: x.add_(y)": (_square(size), "x.add_(y)") for size in (10, 100, 1000)},
    **{
        f"{size} x {size}: {statement}": (_square(size), statement)
        for size in (100, 1000)
        for statement in ("z = x + y", "v.zero_()")
    },
    **{f"{size} x {size}: a chain of four": (_square(size), _CHAIN) for size in (10, 100)},
    "a step of training with SGD": (_NET.format("SGD"), _STEP),
    "a step of training with Adam": (_NET.format("Adam"), _STEP),
}
"""`v` is a row of `x`."""

CASES = TINY | REAL
_LONG = {"1000 x": 10, "training": 10, "backward": 10, "times round": 100}
"""What takes too long to be done as often as the others, and how many times less often it is done."""


PAGE = 4096


class Measured(NamedTuple):
    """Nanoseconds for one statement, each at its best; and the bytes that are kept of it."""

    plain: float
    stepped: float
    block: float
    reading: float
    keeps: float


def program(setup: str, statement: str, times: int) -> str:
    """The statement in a loop that takes the time."""
    return f"{setup}\nbegin = clock()\nfor k in range({times}):\n    {statement}\nend = clock()\n"


def taken(names: dict[str, Any], times: int) -> float:
    """Nanoseconds for one time round."""
    return float(names["end"] - names["begin"]) / times


def plain(text: str, times: int, clock: Clock = process_time_ns) -> float:
    """The program unrecorded."""
    names: dict[str, Any] = {"paddle": paddle, "clock": clock}
    exec(compile(text, "<program>", "exec"), names)
    return taken(names, times)


def stepped(text: str, times: int, clock: Clock = process_time_ns) -> tuple[float, float]:
    """The program recorded statement by statement; and reading the journal afterwards, for each time round."""
    tree = ast.parse(text)
    recorder = LabRecorder(source.Program.of(tree, text, "<program>"), limit=ENOUGH)
    names: dict[str, Any] = {"paddle": paddle, "clock": clock}
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


def kept(text: str, times: int) -> float:
    """The bytes by which the memory in use grows, each time round, more than it does unrecorded."""

    def in_use() -> int:
        return tracemalloc.get_traced_memory()[0]

    gc.collect()  # Python gives back what it holds ready for small objects: else some would seem to take no memory
    copies.forget_spare()
    tracemalloc.start()
    try:
        return stepped(text, times, in_use)[0] - plain(text, times, in_use)
    finally:
        tracemalloc.stop()


def fresh_page(pages: int = 2000) -> float:
    """Nanoseconds that the machine takes for a page of memory that is used for the first time."""
    found = []
    for _ in range(5):
        with mmap(-1, pages * PAGE) as memory:
            times = [process_time_ns()]
            for _again in range(2):
                for place in range(0, pages * PAGE, PAGE):
                    memory[place] = 1
                times.append(process_time_ns())
        first, second = times[1] - times[0], times[2] - times[1]
        found.append((first - second) / pages)
    return max(min(found), 0.0)


def measured(setup: str, statement: str, rounds: int, times: int) -> Measured:
    """All of it in turns, without the garbage collector's walks."""
    text = program(setup, statement, times)
    found = []
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        try:
            unrecorded, (recorded, reading), block = plain(text, times), stepped(text, times), in_a_block(text, times)
            found.append((unrecorded, recorded, block, reading))
        finally:
            gc.enable()
    best = [min(column) for column in zip(*found, strict=True)]
    return Measured(best[0], best[1], best[2], best[3], kept(text, times))


def show(cases: dict[str, tuple[str, str]], rounds: int, times: int, page: float) -> list[tuple[bool, bool]]:
    """Print a table. Returns, for each case, whether the goal is met stepped and in a block."""
    print(f"{'':30}{'plain':>11}  {'stepped':>8}  {'in a block':>10}  {'keeps':>9}  {'reading':>9}   the goal is")
    met = []
    for name, (setup, statement) in cases.items():
        less = max((less for long, less in _LONG.items() if long in name), default=1)
        found = measured(setup, statement, rounds, times // less)
        ratios = found.stepped / found.plain, found.block / found.plain
        met.append((ratios[0] <= GOAL, ratios[1] <= GOAL))
        print(
            f"{name:30}{found.plain / 1000:9.2f}us  {ratios[0]:7.1f}x  {ratios[1]:9.1f}x  {found.keeps / 1000:7.1f}kB"
            f"  {found.reading / 1000:7.0f}us   {verdict(found, page)}",
            flush=True,
        )
    return met


def verdict(found: Measured, page: float) -> str:
    """Whether the goal is met, and if not, whether that is due to what fresh pages cost on this machine."""
    ways = {"stepped": found.stepped, "in a block": found.block}
    missed = {way: taken for way, taken in ways.items() if taken > GOAL * found.plain}
    pages = page * found.keeps / PAGE
    by_pages = [way for way, taken in missed.items() if taken - pages <= GOAL * found.plain]
    excuse = f" (met {' and '.join(by_pages)} but for {pages / 1000:.1f}us of fresh pages)" if by_pages else ""
    return f"missed {' and '.join(missed)}{excuse}" if missed else "met"


def main() -> None:
    """Print two tables and what they come to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds: figures that are good for a first look")
    parser.add_argument("--only", default="", help="only the cases with this text in their names")
    asked = parser.parse_args()
    rounds, times = (3, 100) if asked.quick else (25, 300)
    page = fresh_page()
    print(f"A fresh page of memory takes this machine {page / 1000:.2f}us.\n")
    for title, cases in (("Tiny tensors: the recorder's own cost", TINY), ("Sizes that programs compute with", REAL)):
        some = {name: case for name, case in cases.items() if asked.only in name}
        if not some:
            continue
        print(f"{title} (goal: at most {GOAL} times)")
        met = show(some, rounds, times, page)
        stepped, block = (sum(column) for column in zip(*met, strict=True))
        print(f"The goal is met in {stepped} of {len(met)} cases stepped, and in {block} of {len(met)} in a block.\n")


if __name__ == "__main__":
    main()
