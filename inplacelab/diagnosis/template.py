"""Processes for trials. Importing a framework takes seconds, so it is done once: in a template, which forks one process for each trial.

The template (`python -m inplacelab.diagnosis.template FRAMEWORK`) reads requests from its standard input and writes to its standard output how they
ended. It forks on Linux only, and only as long as it has one thread and has not begun to use a GPU. It ends, and the trial that runs with it, when
its input does: so nothing is left of a search that is interrupted, or killed.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from inplacelab.supported import frameworks, loaded

FORKS = sys.platform == "linux"
"""Whether there are templates. Elsewhere, what was loaded may not work in a forked process."""
POLL = 0.01
"""The seconds between two looks at a process."""
_ONE_THREAD = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What has NumPy start no threads when it is imported."""


@dataclass(frozen=True)
class Job:
    """What a process is to do.

    Attributes:
        request: the file of the request (see `trial_run.py`).
        folder: where it runs.
        path: where it looks for modules.
        environment: its environment.
        seconds: how long that may take.
        libraries: what the template imports before, if it can.
    """

    request: Path
    folder: Path
    path: tuple[str, ...]
    environment: dict[str, str]
    seconds: float
    libraries: tuple[str, ...] = ()


class NoTemplateError(Exception):
    """Raised if a template cannot fork, or has ended."""


class Template:
    """A process that has loaded a framework. It starts with the first trial.

    Args:
        framework: the name of the framework.
    """

    def __init__(self, framework: str) -> None:
        self._framework = framework
        self._process: subprocess.Popen[bytes] | None = None
        self._running = 0  # the process of the trial that runs

    def run(self, job: Job, begun: Mapping[str, str]) -> int | None:
        """Runs a trial, and returns the exit status of its process; None if it did not end in time.

        Args:
            job: the trial.
            begun: the environment in which the template starts.

        Raises:
            NoTemplateError: if there is no template, or it has ended.
        """
        if self._process is None:
            self._process = self._started(begun)
        process = self._process
        assert process.stdin is not None
        try:
            pickle.dump(job, process.stdin)
            process.stdin.flush()
            self._running = self._said()
            status = self._said()
            self._running = 0
        except (OSError, EOFError, pickle.UnpicklingError, ValueError):
            self.close()
            raise NoTemplateError from None
        if status == _CANNOT:
            self.close()
            raise NoTemplateError
        return None if status == _LATE else status

    def _started(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        if not FORKS:
            raise NoTemplateError
        command = [sys.executable, "-m", "inplacelab.diagnosis.template", self._framework]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env={**environment, **dict.fromkeys(_ONE_THREAD, "1")}, stdin=pipe, stdout=pipe,
            stderr=subprocess.DEVNULL, start_new_session=True, cwd=str(Path(__file__).parents[2]),
        )  # fmt: skip

    def _said(self) -> int:
        """Returns what the template says next. It is waited for in short turns, so that an interruption is noticed (see `cells.py`)."""
        assert self._process is not None
        out = self._process.stdout
        assert out is not None
        while not select.select([out], [], [], POLL)[0]:
            pass
        line = out.readline()  # it writes whole lines
        if not line:
            raise EOFError
        return int(line)

    def close(self) -> None:
        """Ends the template, and the trial that runs."""
        process, running = self._process, self._running
        self._process, self._running = None, 0
        if process is None:
            return
        for each in (process.pid, running):
            _kill(each)
        for stream in (process.stdin, process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        process.wait()


_CANNOT, _LATE = 1000, 1001
"""What a template says in place of an exit status."""


def _kill(group: int) -> None:
    """Ends a group of processes."""
    with suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(group, signal.SIGKILL)


# ---- in the template -------------------------------------------------------------------------------------------------


def main(framework: str) -> None:
    """Runs trials until there is no more input."""
    source, sink = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb", buffering=0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for each in (0, 1):  # not what a script reads and prints
        os.dup2(nowhere, each)
    folder = os.getcwd()
    sys.path[:] = [each for each in sys.path if os.path.abspath(each or folder) != folder]
    loaded(frameworks()[framework].trial)
    importlib.import_module("inplacelab.diagnosis.trial_run")
    gc.collect()
    gc.freeze()  # what is shared with the forked processes stays so
    with suppress(BrokenPipeError, EOFError):
        while True:
            job: Job = pickle.load(source)
            _load(job.libraries)
            if not _may_fork():
                _say(sink, 0)
                _say(sink, _CANNOT)
                continue
            child = os.fork()
            if not child:
                _run(job, (source, sink))
            with suppress(PermissionError, ProcessLookupError):
                os.setpgid(child, child)  # here, too: it may be killed before it has done so itself
            try:
                _say(sink, child)
                status = _ended(child, job.seconds, source)
            finally:
                _kill(child)
                with suppress(ChildProcessError):
                    os.waitpid(child, 0)
            if status is None:
                return
            _say(sink, status)


def _load(libraries: Sequence[str]) -> None:
    """Imports modules that the trials would import one after the other."""
    missing = [each for each in libraries if each not in sys.modules]
    for each in missing:
        with suppress(Exception):
            importlib.import_module(each)
    if missing:
        gc.collect()
        gc.freeze()


def _say(sink: Any, number: int) -> None:
    sink.write(f"{number}\n".encode())


def _may_fork() -> bool:
    """Whether this process has one thread, and has not begun to use a GPU."""
    loaded_ones = (sys.modules.get(name) for name in frameworks())
    begun = (getattr(getattr(each, "cuda", None), "is_initialized", None) for each in loaded_ones)
    return len(os.listdir("/proc/self/task")) == 1 and not any(each is not None and each() for each in begun)


def _ended(child: int, seconds: float, source: BinaryIO | Any) -> int | None:
    """Waits for a process, and returns its exit status, or `_LATE`; None if the input has ended before."""
    until, pause = time.monotonic() + seconds, POLL / 10
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            return _LATE
        if select.select([source], [], [], pause)[0]:
            return None  # there is nothing to read but its end
        pause = min(pause * 2, POLL)


def _run(job: Job, protocol: Sequence[Any]) -> None:
    """Runs a trial in a forked process."""
    status = 1
    try:
        os.setpgid(0, 0)
        for each in protocol:
            each.close()
        os.chdir(job.folder)
        os.environ.clear()
        os.environ.update(job.environment)
        sys.path[:] = dict.fromkeys((str(job.folder), *job.path, *sys.path))
        sys.path_importer_cache.clear()
        importlib.invalidate_caches()
        importlib.import_module("inplacelab.diagnosis.trial_run").main(job.request)
        status = 0
    finally:
        os._exit(status)  # whatever was raised: the caller's code must not run here


if __name__ == "__main__":
    # Under its own name, by which the other process knows what is pickled.
    importlib.import_module("inplacelab.diagnosis.template").main(sys.argv[1])
