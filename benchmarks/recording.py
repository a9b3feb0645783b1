"""Measures what it costs to look at a program: recorded, watched, as a page, and from the command line; now, and at an earlier commit.

    python -m benchmarks.recording [--quick] [--only TEXT ...] [--against COMMIT]

- *recorded*: a step of training with PyTorch under a recorder (`inplacelab record`), as a multiple of the plain step;
- *after the limit*: the same once the recording is full, when the program should run at its own speed;
- *watched*: under `inplacelab explain`; beside it *anomaly mode*, PyTorch's own way to find an operation, which has no goal;
- *add_*: one `x.add_(y)` of this package's engine on a tiny tensor, recorded: *stepped*, in a program whose statements report when they
  begin, and *in a block*, under `record()`, which reads the names at every operation;
- *page*: from the end of a program to the finished file, its size, and the time until Chromium has painted it, if there is one;
- *explain*: `inplacelab explain` of a script of ten lines, as a multiple of `import torch`; beside it the same with an optimizer, the first of
  which has PyTorch import its compiler, and both run plainly, which have no goal;
- *memory*: by how much the resident set grows in 8,000 steps of a program that is watched, after its first 2,000; and plainly.

The models are tiny ones written here, and a sample of those in `tests/zoo` whose packages are installed. Each figure comes from processes of its
own, of both commits in turns; in one, the ways take turns too, and the best step of each counts. Times are those of the processor, so that
other programs do not count, and include the garbage collector.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import linecache
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

from benchmarks.contestants import BEFORE, OURS
from benchmarks.drawing import PAINT, browser_page
from benchmarks.interleaved import ONE_THREAD, ROOT, unpack
from benchmarks.tables import Table, factor, markdown

ENOUGH = 1_000_000
"""More steps than any program here takes: none is left out."""
FEW = 30
"""A limit that every model reaches in its first step."""
PAGES = {2000: 2.0, 20_000: 10.0}
"""The steps of a recording, and the seconds that its page may take."""
MEGABYTES = 1.0
"""By how much a process may grow in thousands of steps: what an allocator does of itself."""
PAGE_BYTES, PICTURE_SECONDS = 1.0, 0.3
"""Megabytes of a page, and seconds until it is painted."""

# ---- the programs: each appends the time to `clock` before a step, and after the last one ------------------------------------------------

BEGIN = """\
import time
import torch
torch.set_num_threads(1)
torch.manual_seed(0)
clock = []
"""
LOOP = """\
opt = torch.optim.{optimizer}(net.parameters(), lr=0.01)
for step in range({steps}):
    clock.append(time.process_time())
    loss = net(x).square().mean()
    loss.backward()
    opt.step()
    opt.zero_grad()
clock.append(time.process_time())
"""
RESIDUAL = """\
class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv1, self.conv2 = (torch.nn.Conv2d(width, width, 3, padding=1, bias=False) for _ in range(2))
        self.norm1, self.norm2 = torch.nn.BatchNorm2d(width), torch.nn.BatchNorm2d(width)
    def forward(self, x):
        h = torch.nn.functional.relu_(self.norm1(self.conv1(x)))
        return torch.nn.functional.relu(self.norm2(self.conv2(h)) + x)
net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), *[Block(8) for _ in range(4)], torch.nn.Flatten(), torch.nn.LazyLinear(10))
x = torch.randn(2, 3, 16, 16)
net(x)
"""
ENCODER = """\
layer = torch.nn.TransformerEncoderLayer(32, 4, 64, batch_first=True)
net = torch.nn.TransformerEncoder(layer, 3)
x = torch.randn(2, 12, 32)
"""
LSTM = """\
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.head = torch.nn.LSTM(16, 32, 2, batch_first=True), torch.nn.Linear(32, 4)
    def forward(self, x):
        return self.head(self.lstm(x)[0][:, -1])
net = Net()
x = torch.randn(4, 20, 16)
"""
PERCEPTRON = """\
net = torch.nn.Sequential(*[each for _ in range(6) for each in (torch.nn.Linear(512, 512), torch.nn.LayerNorm(512), torch.nn.GELU())])
x = torch.randn(8, 512)
"""
MODELS = {
    "residual, SGD": (RESIDUAL, "SGD"), "transformer, Adam": (ENCODER, "Adam"), "LSTM, Adam": (LSTM, "Adam"), "perceptron, SGD": (PERCEPTRON, "SGD"),
}  # fmt: skip
SMALL = """\
import time
import inplacelab as paddle
x, y = paddle.ones([2, 3]), paddle.zeros([2, 3])
begin = time.process_time()
for k in range(2000):
    x.add_(y)
end = time.process_time()
clock = [begin, begin, end]
"""
"""No name refers to a list while it runs: the contents of lists are looked at before each statement."""
PAGE = """\
import torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
opt = torch.optim.Adam(net.parameters(), 0.01, foreach=False)
for step in range({0} // 60):
    opt.zero_grad()
    loss = net(torch.randn(4, 8)).square().mean()
    loss.backward()
    opt.step()
"""
LONG = """\
import os
import torch
torch.set_num_threads(1)
net = torch.nn.Sequential(*[each for _ in range(8) for each in (torch.nn.Linear(4, 4), torch.nn.Tanh())])
opt = torch.optim.SGD(net.parameters(), 0.01)
sizes = []
for step in range(10_000):
    if step in (2000, 9999):
        with open("/proc/self/statm") as file:
            sizes.append(int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6)
    opt.zero_grad()
    net(torch.randn(2, 4)).square().mean().backward()
    opt.step()
"""
TEN_LINES = """\
import torch

w = torch.ones(4, 2, requires_grad=True)
x = torch.ones(3, 4)
h = (x @ w).exp()
loss = h.sum()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
print(loss.item())
"""
WITH_OPTIMIZER = """\
import torch

model = torch.nn.Linear(4, 2)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(3, 4)
h = model(x).exp()
loss = h.sum()
loss.backward()
opt.step()
print(loss.item())
"""


def models(sample: int) -> dict[str, str]:
    """The programs of the models, and of every n-th architecture of the zoo that can be built here, so that they are `sample`."""
    found = {
        name: f"{BEGIN}{net}{LOOP.format(optimizer=optimizer, steps=4)}" for name, (net, optimizer) in MODELS.items()
    }
    try:
        entries: Any = import_module("tests.zoo.entries").ENTRIES
    except ModuleNotFoundError:
        return found
    trained = [
        each for each in entries if find_spec(each.package) and each.train and not each.program and not each.compiled
    ]
    some = trained[:: max(1, len(trained) // max(sample, 1))][:sample]
    return found | {each.name: replace(each, steps=4).program_text() for each in some}


# ---- one measurement, in a process of its own --------------------------------------------------------------------------------------------


def plain(text: str, file: str) -> list[float]:
    """The seconds of each step of a program but the first."""
    return _steps(exec, compile(text, file, "exec"), {"__name__": "__main__"})


def _steps(run: Callable[..., Any], code: Any, names: dict[str, Any]) -> list[float]:
    gc.collect()
    run(code, names)
    return [after - before for before, after in pairwise(names["clock"])][1:]


def session_of(text: str, file: str, limit: int) -> tuple[Any, Any]:
    """A session that records a program, and the program's code."""
    from inplacelab.recorders import instrument  # noqa: PLC0415  # which is of the commit that this process measures
    from inplacelab.recorders.detection import Use  # noqa: PLC0415
    from inplacelab.recorders.part import Part  # noqa: PLC0415
    from inplacelab.recorders.program import Program  # noqa: PLC0415
    from inplacelab.recorders.run import Session  # noqa: PLC0415

    tree = ast.parse(text)
    use = Use("inplacelab" if "import inplacelab" in text else "torch")
    session = Session(Program.of(tree, text, file), part=Part(limit), use=use)
    return session, compile(instrument.instrumented(tree), file, "exec")


def recorded(text: str, file: str, limit: int = ENOUGH) -> list[float]:
    """The same, recorded."""
    session, code = session_of(text, file, limit)
    return _steps(lambda code, names: session.run([code], names), code, {"__name__": "__main__"})


def in_a_block(text: str, file: str) -> list[float]:
    """The same, inside `with record():`."""
    block = f"import inplacelab\nwith inplacelab.record(limit={ENOUGH}):\n{textwrap.indent(text, '    ')}"
    linecache.cache[file] = (len(block), None, block.splitlines(keepends=True), file)
    return plain(block, file)


def watched(text: str, file: str) -> list[float]:
    """The same, watched as by `inplacelab explain`."""
    return watching(lambda: plain(text, file))


def watching(run: Callable[[], Any]) -> Any:
    """Runs a program watched; returns what it returns."""
    from inplacelab.frameworks.torch.watch import TorchWatch  # noqa: PLC0415

    watch = TorchWatch()
    watch.begin()
    try:
        return run()
    finally:
        watch.end()


def in_anomaly_mode(text: str, file: str) -> list[float]:
    """The same, in PyTorch's anomaly mode."""
    begin = "import torch\nwith torch.autograd.set_detect_anomaly(True, check_nan=False):\n"
    return plain(begin + textwrap.indent(text, "    "), file)


WAYS: dict[str, Callable[[str, str], list[float]]] = {
    "recorded": recorded,
    "after the limit": lambda text, file: recorded(text, file, FEW),
    "watched": watched,
    "anomaly mode": in_anomaly_mode,
}
OWN_WAYS: dict[str, Callable[[str, str], list[float]]] = {"stepped": recorded, "in a block": in_a_block}


def slower(
    text: str, ways: Mapping[str, Callable[[str, str], list[float]]], folder: Path, rounds: int
) -> dict[str, float]:
    """How many times as long the best step takes in each way as plainly."""
    file = folder / "program.py"
    file.write_text(text, encoding="utf-8")
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, way in {"plain": plain, **ways}.items():
            best[name] = min(best.get(name, float("inf")), *way(text, str(file)))
    return {name: best[name] / best["plain"] for name in ways}


def page(steps: int, folder: Path) -> dict[str, float]:
    """The seconds from the end of a program to its page, and the page's megabytes."""
    from inplacelab_widgets import to_html  # noqa: PLC0415

    file, text = folder / f"page_{steps}.html", PAGE.format(steps * 2)
    session, code = session_of(text, str(folder / "program.py"), steps)
    session.run([code], {"__name__": "__main__"})
    begin = process_time()
    to_html(session.recording(), file)
    return {"seconds": process_time() - begin, "MB": file.stat().st_size / 1e6}


def grown(way: str, folder: Path) -> dict[str, float]:
    """By how many megabytes the process of a long program grows between its first steps and its last ones."""
    names: dict[str, Any] = {}
    text, file = LONG, str(folder / "program.py")
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    run = partial(exec, compile(text, file, "exec"), names)
    run() if way == "plain" else watching(run)
    before, after = names["sizes"]
    return {way: after - before}


def measure(kind: str, name: str, folder: Path, rounds: int, sample: int) -> dict[str, float]:
    """One measurement."""
    if kind == "memory":
        return grown(name, folder)
    if kind == "model":
        return slower(models(sample)[name], WAYS, folder, rounds)
    return slower(SMALL, OWN_WAYS, folder, rounds) if kind == "add_" else page(int(name), folder)


# ---- both commits in turns ---------------------------------------------------------------------------------------------------------------


class Package(NamedTuple):
    """A commit: where its package is, and a folder for what it writes."""

    package: Path
    folder: Path

    def run(self, *command: str) -> tuple[str, float]:
        """Runs Python with this package; returns what it prints, and the seconds of the processor."""
        path = os.pathsep.join(map(str, (self.package, self.package / "widgets", ROOT)))
        before = os.times()
        done = subprocess.run(
            [sys.executable, "-P", *command], capture_output=True, text=True, cwd=self.folder, check=False,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": path},
        )  # fmt: skip
        after = os.times()
        taken = after.children_user + after.children_system - before.children_user - before.children_system
        return done.stdout, taken


class Effort(NamedTuple):
    """How often a process measures, how many processes there are of a kind, and how many architectures of the zoo."""

    rounds: int
    processes: int
    sample: int


Found = dict[str, dict[str, list[float]]]
"""What was measured, by figure and commit."""


def measured(kind: str, name: str, packages: Mapping[str, Package], effort: Effort) -> Found:
    """What a measurement finds, in processes of all commits in turns. One that fails is left out."""
    found: Found = {}
    for _ in range(effort.processes):
        for commit, each in packages.items():
            asked = ("--measure", kind, name, str(each.folder), str(effort.rounds), str(effort.sample))
            text, _ = each.run("-m", "benchmarks.recording", *asked)
            for figure, value in (json.loads(text.splitlines()[-1]) if text else {}).items():
                found.setdefault(figure, {}).setdefault(commit, []).append(value)
    return found


def started(packages: Mapping[str, Package], effort: Effort) -> Found:
    """How many times as long `inplacelab explain` takes as `import torch`; and Python, with the same script."""
    found: Found = {}
    scripts = {"ten_lines.py": TEN_LINES, "with_optimizer.py": WITH_OPTIMIZER}
    for _ in range(-1, effort.processes):  # the first one reads from the disk
        for commit, each in packages.items():
            _, imports = each.run("-c", "import torch")
            for name, text in scripts.items():
                (each.folder / name).write_text(text, encoding="utf-8")
                for way, before in {"python": (), "inplacelab explain": ("-m", "inplacelab", "explain")}.items():
                    _, taken = each.run(*before, name)
                    found.setdefault(f"{way} {name}", {}).setdefault(commit, []).append(taken / imports)
    return {name: {commit: values[1:] for commit, values in by.items()} for name, by in found.items()}


def painted(packages: Mapping[str, Package], steps: int, effort: Effort) -> Found:
    """The seconds until Chromium has painted the pages; nothing without it."""
    found: Found = {}
    with browser_page() as browser:
        for _ in range(effort.processes if browser else 0):
            for commit, each in packages.items():
                file = each.folder / f"page_{steps}.html"
                if file.exists():
                    browser.goto(file.as_uri())
                    browser.wait_for_selector(".ipl-toolbar")
                    found.setdefault("first picture", {}).setdefault(commit, []).append(browser.evaluate(PAINT) / 1000)
    return found


def row(name: str, by_commit: Mapping[str, Sequence[float]], goal: float | None, unit: str = "") -> list[str]:
    """A line of a table: the medians, the goal, and whether it is met."""
    now = median(by_commit[OURS]) if by_commit.get(OURS) else None
    before = median(by_commit[BEFORE]) if by_commit.get(BEFORE) else None
    verdict = "" if goal is None or now is None else "met" if now <= goal else "missed"
    return [name, factor(now) + unit, factor(before) + unit, "" if goal is None else factor(goal) + unit, verdict]


HEADER = ["", "now", "before", "goal", ""]
GOALS = {"recorded": (3.0, 6.0), "after the limit": (1.2, 1.2), "watched": (1.3, 2.0), "anomaly mode": (None, None)}
"""How many times as long a step may take: in the median of the models, and at the worst."""


def tables(packages: Mapping[str, Package], effort: Effort, only: Sequence[str]) -> Iterator[Table]:
    """Everything, measured when it is asked for."""
    if "models" in only:
        all_found = {name: measured("model", name, packages, effort) for name in models(effort.sample)}
        for way, (typical, worst) in GOALS.items():
            by_model = {name: found.get(way, {}) for name, found in all_found.items()}
            medians = {
                commit: [median(by[commit]) for by in by_model.values() if by.get(commit)] for commit in packages
            }
            rows = [row(name, by, worst) for name, by in by_model.items()]
            rows += [row("median", medians, typical)]
            yield Table(f"A step of training with PyTorch, {way}: times the plain step", HEADER, rows)
    if "add_" in only:
        found = measured("add_", "", packages, effort)
        third = {way: median(by[BEFORE]) / 3 if by.get(BEFORE) else None for way, by in found.items()}
        rows = [row(way, by, third[way]) for way, by in found.items()]
        yield Table("`x.add_(y)` of the engine, recorded: times the plain call (goal: a third of before)", HEADER, rows)
    if "page" in only:
        rows = []
        for steps, seconds in PAGES.items():
            goals = {"seconds": (seconds, " s"), "MB": (PAGE_BYTES, " MB"), "first picture": (PICTURE_SECONDS, " s")}
            found = measured("page", str(steps), packages, effort) | painted(packages, steps, effort)
            rows += [row(f"{steps:,} steps: {name}", by, *goals[name]) for name, by in found.items()]
        yield Table("A page, from the end of the program to the finished file", HEADER, rows)
    if "explain" in only:
        found = started(packages, effort)
        rows = [row(name, by, 1.2 if name == "inplacelab explain ten_lines.py" else None) for name, by in found.items()]
        yield Table("`inplacelab explain` of ten lines: times `import torch`", HEADER, rows)

    if "memory" in only:
        ways = {way: measured("memory", way, packages, effort)[way] for way in ("plain", "watched")}
        rows = [row(way, by, MEGABYTES if way == "watched" else None, " MB") for way, by in ways.items()]
        yield Table("10,000 steps: growth of the process after the first 2,000", HEADER, rows)


SECTIONS = ("models", "add_", "page", "explain", "memory")


def main() -> None:
    """Print the tables; or measure, if it is a process that was started for that."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds: figures that are good for a first look")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS, help="some tables only")
    parser.add_argument("--against", metavar="COMMIT", help="measure the package at this commit as well")
    parser.add_argument("--measure", nargs=5, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        kind, name, folder, rounds, sample = asked.measure
        print(json.dumps(measure(kind, name, Path(folder), int(rounds), int(sample))))
        return
    effort = Effort(2, 1, 2) if asked.quick else Effort(3, 2, 10)
    with ExitStack() as stack:
        folders = [Path(stack.enter_context(TemporaryDirectory())) for _ in range(3)]
        packages = {OURS: Package(ROOT, folders[0])}
        if asked.against:
            unpack(asked.against, folders[2])
            packages[BEFORE] = Package(folders[2], folders[1])
        for table in tables(packages, effort, asked.only):
            print(markdown(table), flush=True)


if __name__ == "__main__":
    main()
