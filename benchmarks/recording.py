"""Measures the cost of recording: statements recorded and not, and PyTorch's `add_`, alternately in one run.

    python -m benchmarks.recording [--quick] [--only TEXT]

The goals: `x.add_(y)` on a tiny tensor, recorded, takes at most 5 times as long as PyTorch's takes unrecorded; and a step costs the same
in a long recording as in a short one, while the program runs and when the recording is built. Once a recording has reached its limit, the
program costs at most 1.1 times what it costs unrecorded. An operation of a PyTorch program that
is watched (`inplacelab explain`) costs at most 1.5 times what PyTorch's own way to find an operation adds, `set_detect_anomaly(True)`. A
recorded one stands beside them, without a goal.

The first table compares each statement with itself, unrecorded:

- *stepped*: a program whose statements report when they begin, as under `%%stepper` and `inplacelab record`;
- *in a block*: under `record()`, which reads the names at every operation;
- *keeps*: the memory that the events take, each time round;
- *building*: making the recording of the events afterwards, in microseconds for each time round.

Times are those of the processor, so that other programs do not count; each is the best of many short rounds taken in turns, without
the garbage collector's walks.
"""

from __future__ import annotations

import argparse
import ast
import gc
import linecache
import textwrap
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from time import process_time_ns
from typing import Any, NamedTuple

import inplacelab as paddle
from inplacelab.diagnosis.recorded_failures import EVENTS
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.part import FromCondition, FromStep, Part
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session

try:
    import torch

    from inplacelab.frameworks.torch.storages import TorchStorages
    from inplacelab.frameworks.torch.watch import TorchWatch
except ModuleNotFoundError:
    torch = None

Clock = Callable[[], int]

GOAL = 5.0
WATCHED = 1.5
"""How much more than anomaly mode a watch may cost."""
LINEAR = 1.5
"""How much more a step may cost in the longest recording than in the shortest."""
REST = 1.1
"""How much more a program may cost once its recording has reached the limit."""
LENGTHS = (500, 2000, 8000, 32000)
ENOUGH = 1_000_000
"""More steps than any program here takes: none is left out."""

SMALL = "x = paddle.ones([2, 3]); y = paddle.zeros([2, 3])"
HISTORY = "a = paddle.ones([2, 3]); a.stop_gradient = False; y = paddle.zeros([2, 3]); x = a * 1."
NET = """\
net1, net2 = paddle.nn.Linear(100, 100), paddle.nn.Linear(100, 10)
opt = paddle.optimizer.Adam(learning_rate=0.001, parameters=[*net1.parameters(), *net2.parameters()])
x = paddle.ones([64, 100])"""
STEP = """\
loss = net2(net1(x).tanh()).square().mean()
    loss.backward()
    opt.step()
    opt.clear_grad()"""


def _square(size: int) -> str:
    return f"x = paddle.ones([{size}, {size}]); y = paddle.zeros([{size}, {size}]); v = x[3]"


ADD = "x.add_(y)"
CASES = {
    ADD: (SMALL, ADD),
    "z = x + y": (SMALL, "z = x + y"),
    "x[0] = 2.": (SMALL, "x[0] = 2."),
    "x[[0]]": (SMALL, "x[[0]]"),
    "v.zero_(), v = x[0]": (SMALL + "; v = x[0]", "v.zero_()"),
    "x.add_(y), with history": (HISTORY, ADD),
    "(a * a).sum().backward()": (HISTORY, "(a * a).sum().backward()"),
    "100 x 100: x.add_(y)": (_square(100), ADD),
    "1000 x 1000: x.add_(y)": (_square(1000), ADD),
    "1000 x 1000: v.zero_()": (_square(1000), "v.zero_()"),
    "a step of training with Adam": (NET, STEP),
}
"""`v` is a row of `x`."""
SELDOM = {"1000 x": 10, "training": 10, "backward": 10}
"""Cases that are too slow for the usual number of rounds, and the factor by which it is reduced."""


class Measured(NamedTuple):
    """The best time of one statement, in nanoseconds, and the bytes that are kept for it."""

    plain: float
    stepped: float
    block: float
    building: float
    keeps: float


def program(setup: str, statement: str, times: int) -> str:
    """The statement in a loop that takes the time."""
    return f"{setup}\nbegin = clock()\nfor k in range({times}):\n    {statement}\nend = clock()\n"


def taken(names: dict[str, Any], times: int) -> float:
    """Nanoseconds for one time round."""
    return float(names["end"] - names["begin"]) / times


def plain(text: str, times: int, framework: Any = paddle, clock: Clock = process_time_ns) -> float:
    """The program unrecorded."""
    names: dict[str, Any] = {"paddle": framework, "clock": clock}
    exec(compile(text, "<program>", "exec"), names)
    return taken(names, times)


def stepped(text: str, times: int, clock: Clock = process_time_ns) -> tuple[float, float]:
    """The program recorded statement by statement; and building the recording afterwards, for each time round."""
    tree = ast.parse(text)
    session = Session(Program.of(tree, text, "<program>"), part=Part(ENOUGH))
    names: dict[str, Any] = {"paddle": paddle, "clock": clock}
    session.run([compile(instrument.instrumented(tree), "<program>", "exec")], names)
    begin = process_time_ns()
    session.recording()
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

    gc.collect()  # Python releases its free lists of small objects: otherwise some would seem to take no memory
    tracemalloc.start()
    try:
        return stepped(text, times, in_use)[0] - plain(text, times, clock=in_use)
    finally:
        tracemalloc.stop()


def best_of(rounds: int, *measure: Callable[[], tuple[float, ...]]) -> list[float]:
    """The best of each measurement, made alternately."""
    found = []
    for _ in range(rounds):
        gc.collect()
        gc.disable()
        try:
            found.append([figure for each in measure for figure in each()])
        finally:
            gc.enable()
    return [min(column) for column in zip(*found, strict=True)]


def measured(setup: str, statement: str, rounds: int, times: int) -> Measured:
    """One case."""
    text = program(setup, statement, times)
    unrecorded, recorded, building, block = best_of(
        rounds,
        lambda: (plain(text, times),),
        lambda: stepped(text, times),
        lambda: (in_a_block(text, times),),
    )
    return Measured(unrecorded, recorded, block, building, kept(text, times))


def show_cases(cases: dict[str, tuple[str, str]], rounds: int, times: int) -> None:
    """Print what each statement costs."""
    print(f"{'':30}{'plain':>11}  {'stepped':>8}  {'in a block':>10}  {'keeps':>9}  {'building':>9}")
    for name, (setup, statement) in cases.items():
        less = max((less for long, less in SELDOM.items() if long in name), default=1)
        found = measured(setup, statement, rounds, times // less)
        print(
            f"{name:30}{found.plain / 1000:9.2f}us  {found.stepped / found.plain:7.1f}x  {found.block / found.plain:9.1f}x"
            f"  {found.keeps / 1000:7.1f}kB  {found.building / 1000:7.0f}us",
            flush=True,
        )


def show_torch(rounds: int, times: int) -> None:
    """Print how `add_`, recorded, compares with PyTorch's, unrecorded."""
    if torch is None:
        print('PyTorch is not installed (pip install "torch==2.13.0"): the comparison with it is left out.')
        return
    text = program(SMALL, ADD, times)
    theirs, recorded, _, block = best_of(
        rounds,
        lambda: (plain(text, times, torch),),
        lambda: stepped(text, times),
        lambda: (in_a_block(text, times),),
    )
    for way, ours in (("stepped", recorded), ("in a block", block)):
        verdict = "met" if ours <= GOAL * theirs else "missed"
        print(
            f"{ADD}, recorded, {way}: {ours / 1000:.2f}us, {ours / theirs:.1f} times PyTorch's {theirs / 1000:.2f}us: {verdict}"
        )


TORCH_NET = """\
net = torch.nn.Sequential(*[layer for _ in range(6) for layer in (torch.nn.Linear({0}, {0}), torch.nn.LayerNorm({0}), torch.nn.GELU())])
opt = torch.optim.Adam(net.parameters(), lr=0.001, foreach=False)
x = torch.ones([8, {0}])
torch.set_num_threads(1)"""
TORCH_STEP = """\
net(x).square().mean().backward()
    opt.step()
    opt.zero_grad()"""
WIDTHS = (16, 512)


def show_torch_programs(rounds: int, times: int) -> None:
    """Print what a step of training costs in PyTorch: plain, in anomaly mode, watched, and recorded; and what that is for an operation."""
    if torch is None:
        return
    print(f"{'':22}{'plain':>9}  {'anomaly':>8}  {'watched':>8}  {'stepped':>8}  {'no values':>9}  {'operations':>10}")
    for width in WIDTHS:
        text = program(TORCH_NET.format(width), TORCH_STEP, times)
        anomaly = "with torch.autograd.set_detect_anomaly(True, check_nan=False):\n" + textwrap.indent(text, "    ")
        steps = len(_recorded_torch(program(TORCH_NET.format(width), TORCH_STEP, 2), values=True)[1].steps)
        fewer = len(_recorded_torch(program(TORCH_NET.format(width), TORCH_STEP, 1), values=True)[1].steps)
        figures = best_of(
            rounds,
            lambda text=text: (_torch(text, times),),
            lambda text=anomaly: (_torch(text, times),),
            lambda text=text: (_watched(text, times),),
            lambda text=text: (_recorded_torch(text, values=True)[0],),
            lambda text=text: (_recorded_torch(text, values=False)[0],),
        )
        least, *others = figures
        print(f"{f'width {width}':22}{least / 1e6:7.2f}ms  " + "  ".join(f"{each / least:7.2f}x" for each in others)
              + f"  {steps - fewer:10}")  # fmt: skip
        per = "  ".join(f"{(each - least) / 1000 / (steps - fewer):+7.2f}us" for each in others)
        print(f"{'  for each operation':22}{'':9}  {per}", flush=True)
        ratio = (others[1] - least) / (others[0] - least)
        print(
            f"  watched: {ratio:.2f} times what anomaly mode adds: {'met' if ratio <= WATCHED else 'missed'}",
            flush=True,
        )


def _torch(text: str, times: int) -> float:
    names: dict[str, Any] = {"torch": torch, "clock": process_time_ns}
    exec(compile(text, "<program>", "exec"), names)
    return taken(names, times)


def _watched(text: str, times: int) -> float:
    watch = TorchWatch()
    watch.begin()
    try:
        return _torch(text, times)
    finally:
        watch.end()


def _recorded_torch(text: str, *, values: bool) -> tuple[float, Any]:
    """The nanoseconds for one time round of a PyTorch program, recorded; and the recording."""
    with _without_values() if not values else nullcontext():
        return _recorded(text, torch)


@contextmanager
def _without_values() -> Iterator[None]:
    """Has the recorder copy no values, so that their cost is seen."""
    before = TorchStorages._copy
    TorchStorages._copy = lambda *_: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        TorchStorages._copy = before  # type: ignore[method-assign]


PADDLE_NET = """\
net = paddle.nn.Sequential(*[layer for _ in range(6) for layer in (paddle.nn.Linear({0}, {0}), paddle.nn.LayerNorm({0}), paddle.nn.GELU())])
opt = paddle.optimizer.Adam(parameters=net.parameters(), learning_rate=0.001)
x = paddle.ones([8, {0}])"""
PADDLE_STEP = """\
net(x).square().mean().backward()
    opt.step()
    opt.clear_grad()"""


def show_paddle_programs(rounds: int, times: int) -> None:
    """Print what a step of training costs in PaddlePaddle, plain and recorded, and what that is for an operation."""
    if find_spec("paddle") is None:
        print('PaddlePaddle is not installed (pip install "paddlepaddle==3.3.1"): its table is left out.')
        return
    framework = import_module("paddle")
    print(f"{'':22}{'plain':>9}  {'stepped':>8}  {'watched':>8}  {'operations':>10}")
    for width in WIDTHS:
        text = program(PADDLE_NET.format(width), PADDLE_STEP, times)
        steps, fewer = (
            len(_recorded(program(PADDLE_NET.format(width), PADDLE_STEP, count), framework)[1].steps)
            for count in (2, 1)
        )
        least, recorded, watched = best_of(
            rounds,
            lambda text=text: (plain(text, times, framework),),
            lambda text=text: (_recorded(text, framework)[0],),
            lambda text=text: (_recorded(text, framework, last=EVENTS)[0],),
        )
        per, seen = ((each - least) / 1000 / (steps - fewer) for each in (recorded, watched))
        ratios = f"{recorded / least:7.2f}x  {watched / least:7.2f}x"
        print(f"{f'width {width}':22}{least / 1e6:7.2f}ms  {ratios}  {steps - fewer:10}")
        print(f"{'  for each operation':22}{'':9}  {per:+7.2f}us {seen:+7.2f}us", flush=True)


def _recorded(text: str, framework: Any, *, last: int | None = None) -> tuple[float, Any]:
    """The nanoseconds for one time round of a program of another framework, recorded; and the recording."""
    tree, name = ast.parse(text), framework.__name__
    session = Session(Program.of(tree, text, "<program>"), part=Part(ENOUGH), use=Use(name), last=last)
    names: dict[str, Any] = {name: framework, "clock": process_time_ns}
    session.run([compile(instrument.instrumented(tree), "<program>", "exec")], names)
    times = int(text.rpartition("range(")[2].partition(")")[0])
    return taken(names, times), session.recording()


def show_lengths(rounds: int, lengths: tuple[int, ...]) -> None:
    """Print what a step costs in recordings of different lengths."""
    costs = []
    for length in lengths:
        text = program(SMALL, ADD, length)
        recorded, building = best_of(rounds, lambda text=text, length=length: stepped(text, length))
        costs.append((recorded, building))
        print(
            f"{length:6} steps: {recorded / 1000:6.2f}us a step while the program runs, {building / 1000:6.2f}us to build it"
        )
    for what, column in zip(("recording", "building"), zip(*costs, strict=True), strict=True):
        growth = column[-1] / column[0]
        print(f"{what}: {growth:.2f} times as much a step: {'linear' if growth <= LINEAR else 'more than linear'}")


SETUPS = {
    "inplacelab": "x, y = inplacelab.ones([2, 3]), inplacelab.ones([2, 3])",
    "torch": "x, y = torch.ones(2, 3), torch.ones(2, 3)",
    "paddle": "x, y = paddle.ones([2, 3]), paddle.ones([2, 3])",
    "numpy": "x, y = numpy.ones([2, 3]), numpy.ones([2, 3])",
}
LOOP = """\
{0}
for k in range(2000):
    z = x + y
    x *= y
begin = clock()
for k in range({1}):
    z = x + y
    x *= y
end = clock()
"""


def show_rest(rounds: int, times: int) -> None:
    """Print what a program costs once its recording has reached the limit, and before its recording begins."""
    for name, setup in SETUPS.items():
        if find_spec(name) is None:
            print(f"{name} is not installed: its line is left out.")
            continue
        framework, text = import_module(name), LOOP.format(setup, times)
        parts = {
            "after the limit": lambda: Part(2000),
            "before --from-step": lambda: Part(1, FromStep(10**9)),
            "before --from": lambda: Part(1, FromCondition("k == -1")),
        }
        least, *others = best_of(
            rounds,
            lambda text=text, framework=framework, name=name: (_plainly(text, times, framework, name),),
            *(
                lambda text=text, framework=framework, part=part: (_in_part(text, times, framework, part()),)
                for part in parts.values()
            ),
        )
        ratios = ", ".join(f"{each / least:.2f}x {what}" for what, each in zip(parts, others, strict=True))
        print(
            f"{name:12}{least / 1000:6.2f}us a time round; {ratios}: {'met' if others[0] <= REST * least else 'missed'}"
        )


def _plainly(text: str, times: int, framework: Any, name: str) -> float:
    names: dict[str, Any] = {name: framework, "clock": process_time_ns}
    exec(compile(text, "<program>", "exec"), names)
    return taken(names, times)


def _in_part(text: str, times: int, framework: Any, part: Part) -> float:
    """The nanoseconds for one time round of a program of which a part is recorded."""
    tree, name = ast.parse(text), framework.__name__
    session = Session(Program.of(tree, text, "<program>"), use=Use(name), part=part)
    names: dict[str, Any] = {name: framework, "clock": process_time_ns}
    session.run([compile(instrument.instrumented(tree), "<program>", "exec")], names)
    return taken(names, times)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds: figures that are good for a first look")
    parser.add_argument("--only", default="", help="only the statements with this text in their names")
    asked = parser.parse_args()
    rounds, times = (5, 200) if asked.quick else (25, 500)
    print(f"Against PyTorch (goal: at most {GOAL:g} times)")
    show_torch(rounds, times)
    print("\nPyTorch programs: a step of training, beside anomaly mode")
    show_torch_programs(3 if asked.quick else 10, 10 if asked.quick else 20)
    print("\nPaddlePaddle programs: a step of training")
    show_paddle_programs(3 if asked.quick else 10, 10 if asked.quick else 20)
    print(f"\nBy the length of the recording (goal: at most {LINEAR:g} times as much a step)")
    show_lengths(3, LENGTHS[:-1] if asked.quick else LENGTHS)
    print(f"\nThe rest of a program of which a part is recorded (goal: at most {REST:g} times after the limit)")
    show_rest(3 if asked.quick else 7, 20_000)
    print("\nStatement by statement")
    show_cases({name: case for name, case in CASES.items() if asked.only in name}, rounds, times)


if __name__ == "__main__":
    main()
