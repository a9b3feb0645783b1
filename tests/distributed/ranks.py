"""Runs programs on several ranks, for tests."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MPIEXEC = shutil.which("mpiexec", path=sysconfig.get_path("scripts")) or shutil.which("mpiexec")
needs_mpi = pytest.mark.skipif(
    find_spec("mpi4py") is None or MPIEXEC is None, reason="needs mpi4py and mpiexec: pip install inplacelab[mpi]"
)
LONGEST = 240
"""After so many seconds a program is ended, and the test fails. No test waits for that."""

_BEGIN = """\
import json, os, sys
import numpy as np
import inplacelab as paddle
import inplacelab.distributed as dist

def tell(value):
    with open(os.path.join(os.environ["RANKS_TELL"], str(dist.get_rank())), "a") as file:
        file.write(json.dumps(value) + "\\n")

def refusal(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except Exception as error:
        return str(error).splitlines()[0]
    return None

dist.init_parallel_env()
rank, ranks = dist.get_rank(), dist.get_world_size()
with open(os.path.join(os.environ["RANKS_TELL"], f"{rank}.pid"), "w") as file:
    file.write(str(os.getpid()))
"""


@dataclass(frozen=True)
class Run:
    """What a program did.

    Attributes:
        status: mpiexec's exit status.
        told: what each rank told, in order.
        output, errors: what all ranks printed.
        survivors: process numbers of ranks that were still there afterwards.
    """

    status: int
    told: list[list[Any]]
    output: str
    errors: str
    survivors: list[int]


def run(program: str, ranks: int, folder: Path, *options: str) -> Run:
    """Runs a program on several ranks of this machine. It finds `paddle`, `dist`, `np`, `rank`, `ranks` and `tell(value)`."""
    where = folder / f"{len(list(folder.iterdir()))}"
    where.mkdir()
    script = where / "program.py"
    script.write_text(_BEGIN + dedent(program), encoding="utf-8")
    assert MPIEXEC is not None
    environment = os.environ | {"PYTHONPATH": str(ROOT), "RANKS_TELL": str(where), "OMP_NUM_THREADS": "1"}
    command = [MPIEXEC, *options, "-n", str(ranks), sys.executable, str(script)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            output, errors = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, errors = process.communicate()
            for each in _alive(where):
                os.kill(each, signal.SIGKILL)
            pytest.fail(f"the ranks did not end\n{output}\n{errors}")
    told = [_lines(where / str(rank)) for rank in range(ranks)]
    return Run(process.returncode, told, output, errors, _survivors(where))


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _survivors(where: Path) -> list[int]:
    """The ranks that are still alive, after a moment in which the launcher may end them."""
    for _ in range(100):
        if not _alive(where):
            return []
        time.sleep(0.1)
    return _alive(where)


def _alive(where: Path) -> list[int]:
    return [pid for path in where.glob("*.pid") if _is_alive(pid := int(path.read_text(encoding="utf-8")))]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        state = Path(f"/proc/{pid}/stat")
        return not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False
