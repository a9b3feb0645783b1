"""Trials of PyTorch programs run in forks of one process that has imported PyTorch: to import it takes longer than a trial."""

from __future__ import annotations

import json
import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from inplacelab.diagnosis import trials

FORKS = """
import json, os, sys
from pathlib import Path
import torch, inplacelab.frameworks.torch.trial, inplacelab.frameworks.torch.recorder
from inplacelab.diagnosis.trial_run import main
given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
ours = [each for each in sys.path[1:] if each not in given]
for line in sys.stdin:
    request, folder, environment = json.loads(line)
    if not (child := os.fork()):
        break
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    os._exit(0)
with open(os.devnull, "r+") as nothing:
    for number in range(3):
        os.dup2(nothing.fileno(), number)
os.setsid()
os.chdir(folder)
os.environ.clear()
os.environ.update(environment)
sys.path[:] = [folder, *environment["PYTHONPATH"].split(os.pathsep), *ours]
main(Path(request))
"""


@pytest.fixture(scope="session")
def _forks() -> Iterator[list[subprocess.Popen[bytes]]]:
    """The process, once it is needed."""
    started: list[subprocess.Popen[bytes]] = []
    yield started
    for process in started:
        process.communicate()  # it ends with its input


@pytest.fixture(autouse=True)
def _trials_are_forked(_forks: list[subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Has `Trials` use it, in this process; commands that tests start run each trial in a process of its own, as ever."""
    alone = trials._ended

    def ended(command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float) -> int | None:
        if pickle.loads(Path(command[-1]).read_bytes()).framework != "torch":
            return alone(command, folder, environment, seconds)
        if not _forks:
            paths = {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))), "PYTHONHASHSEED": "0"}
            _forks.append(
                subprocess.Popen(
                    [sys.executable, "-c", FORKS], env=os.environ | paths, bufsize=0,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                )
            )  # fmt: skip
        (process,) = _forks
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([command[-1], str(folder), dict(environment)]).encode() + b"\n")
        child = int(process.stdout.readline())
        in_time = bool(select.select([process.stdout], [], [], seconds)[0])
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        status = int(process.stdout.readline())
        return status if in_time else None

    if hasattr(os, "fork"):
        monkeypatch.setattr(trials, "_ended", ended)
