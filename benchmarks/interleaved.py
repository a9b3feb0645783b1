"""Measures a case in all contestants, in turns. `compare.py` calls it.

Each contestant is a process of its own with one thread (`worker.py`), so no framework disturbs another. In each round, every
contestant runs the case for a few milliseconds. Ratios are made within a round, so a machine that gets slower for a while slows
down both sides; of the ratios of all rounds the median is reported.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.contestants import BEFORE, installed
from benchmarks.tasks import Case

ROOT = Path(__file__).parents[1]
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)


class Measured(NamedTuple):
    """What one case took.

    Attributes:
        seconds: of each contestant that ran it, for one operation or program: a number for each round.
        wrong: the contestants whose values or gradients are not those of NumPy.
    """

    seconds: Mapping[str, Sequence[float]]
    wrong: frozenset[str]

    def ratios(self, one: str, other: str) -> list[float]:
        """How many times as long `one` took as `other`, in each round; empty if one of them did not run."""
        return [a / b for a, b in zip(self.seconds.get(one, ()), self.seconds.get(other, ()), strict=False)]

    def ratio(self, one: str, other: str) -> float | None:
        """The median of `ratios`."""
        found = self.ratios(one, other)
        return median(found) if found else None


class Process:
    """A worker, from outside."""

    def __init__(self, contestant: str, package: Path) -> None:
        # `-P` leaves the current folder out of the path: an earlier `inplacelab` is found in its own folder, before today's.
        path = os.pathsep.join([str(package), str(ROOT), str(ROOT / "widgets")])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "benchmarks.worker", contestant],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": path},
        )  # fmt: skip

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        """Send a command, and wait for the answer. A process that has ended cannot run anything."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(command) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        answer: dict[str, Any] = json.loads(line) if line else {"cannot": "the process has ended"}
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def processes(names: Sequence[str] = (), earlier: str | None = None) -> Iterator[dict[str, Process]]:
    """Start a worker for each contestant.

    Args:
        names: the contestants; all that are installed if none are given.
        earlier: a commit whose package is measured as well.
    """
    with ExitStack() as stack:
        packages = dict.fromkeys(names or installed(), ROOT)
        if earlier:
            packages[BEFORE] = Path(stack.enter_context(TemporaryDirectory()))
            unpack(earlier, packages[BEFORE])
        started = {name: Process(name, package) for name, package in packages.items()}
        for process in started.values():
            stack.callback(process.close)
        yield started


def unpack(commit: str, folder: Path) -> None:
    """Write the package as it was at a commit into a folder.

    Raises:
        subprocess.CalledProcessError: Git does not know the commit.
    """
    command = ["git", "-C", str(ROOT), "archive", "--format=tar", commit, "inplacelab", "widgets"]
    archive = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as opened:
        opened.extractall(folder, filter="data")


def measured(workers: Mapping[str, Process], case: Case, rounds: int) -> Measured:
    """Measure a case in every worker that can run it."""
    answers = {name: worker.ask({"prepare": case}) for name, worker in workers.items()}
    running = [name for name, answer in answers.items() if "cannot" not in answer]
    seconds: dict[str, list[float]] = {name: [] for name in running}
    for number in range(rounds):
        first = number % max(len(running), 1)
        for name in running[first:] + running[:first]:
            seconds[name].append(workers[name].ask({"measure": True}).get("seconds", float("nan")))
    return Measured(seconds, frozenset(name for name in running if not answers[name]["right"]))
