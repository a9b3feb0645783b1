"""Runs a program on several ranks from a notebook, and records it on each: on engines of ipyparallel, which MPI starts.

The engines are started when a notebook first asks for so many ranks, and end with it: also if its kernel is killed, which a process beside it
notices (`_WATCH`).
"""

from __future__ import annotations

import ast
import atexit
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from typing import Any

from inplacelab.distributed import environment
from inplacelab.language import Text
from inplacelab.recorders import instrument
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recording.codec import from_json, to_json
from inplacelab.recording.recording import Recording

LONGEST_START = 90
"""How many seconds the engines may take to start."""
LONGEST_RUN = 240
"""How many seconds a program may take."""
WAITING = 60.0
"""How many seconds a rank of a notebook waits for the others, unless the program says otherwise."""

_TITLE = "<ranks>"


class EnginesError(RuntimeError):
    """The engines could not be started, or did not answer."""


_NO_ENGINES = Text(
    "The engines of {0} ranks did not start: {1}. Is another program using all processors?",
    "{0} 个进程的引擎没有启动：{1}。是否有其他程序占用了全部处理器？",
)
_NO_ANSWER = Text(
    "The program did not end on all ranks within {0} seconds; the engines are ended.",
    "程序没有在 {0} 秒内在所有进程上结束；引擎已关闭。",
)


def can_run() -> bool:
    """Whether mpi4py, ipyparallel and a launcher of MPI are installed."""
    return all(find_spec(name) for name in ("mpi4py", "ipyparallel")) and _launcher() is not None


def record_on_ranks(source: str, ranks: int, title: str = "") -> list[Recording]:
    """Runs a program on new or waiting engines, and records it on each. An error that ends it is the last step of its recording.

    Args:
        source: the program; each rank runs it from its first line.
        ranks: how many ranks.
        title: a name for the picture.

    Raises:
        EnginesError: if the engines cannot be started, or do not answer.
    """
    answers = _engines(ranks).apply_async(_record_here, source, title)
    try:
        told = answers.get(timeout=LONGEST_RUN)
    except TimeoutError:
        _stop(ranks)
        raise EnginesError(str(_NO_ANSWER.format(LONGEST_RUN))) from None
    in_order = sorted(told)  # engines are numbered as they answered, ranks as MPI has numbered them
    return [from_json(text) for _, text in in_order]


def _record_here(source: str, title: str) -> tuple[int, str]:
    """Runs on an engine: returns the rank and its recording."""
    environment.start_again()
    environment.set_timeout(WAITING)
    tree = ast.parse(source)
    session = Session(Program.of(tree, source, _TITLE), title=title)
    session.run([compile(instrument.instrumented(tree), _TITLE, "exec")], {"__name__": "__main__"})
    return environment.get_rank(), to_json(session.recording())


# ---- engines --------------------------------------------------------------------------------------------------------------

_running: dict[int, tuple[Any, Any, str]] = {}
"""For each number of ranks the cluster, a view on its engines, and its folder."""

_WATCH = """
import os, shutil, signal, sys, time
sys.stdin.read()
for pid in map(int, sys.argv[2:]):
    try:
        (os.killpg if hasattr(os, "killpg") else os.kill)(pid, signal.SIGTERM)
    except OSError:
        pass
for _ in range(20):  # they still write there while they end
    time.sleep(0.5)
    shutil.rmtree(sys.argv[1], ignore_errors=True)
"""
"""Waits until the process that started it is gone, which ends its input, and then ends the engines and their controller."""


def _launcher() -> str | None:
    return shutil.which("mpiexec", path=sysconfig.get_path("scripts")) or shutil.which("mpiexec")


def _engines(ranks: int) -> Any:
    if ranks not in _running:
        _running[ranks] = _started(ranks)
    return _running[ranks][1]


def _started(ranks: int) -> tuple[Any, Any, str]:
    import ipyparallel

    launcher = _launcher()
    folder = tempfile.mkdtemp(prefix="inplacelab-ranks-")
    path = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join(filter(None, (os.path.dirname(launcher or ""), path)))
    cluster = ipyparallel.Cluster(engines="mpi", n=ranks, profile_dir=folder, log_level=50, shutdown_atexit=False)
    atexit.register(_stop, ranks)
    try:
        cluster.start_cluster_sync()
        client = cluster.connect_client_sync()
        client.wait_for_engines(ranks, timeout=LONGEST_START, interactive=False)
    except Exception as error:
        _end(cluster, folder)
        raise EnginesError(str(_NO_ENGINES.format(ranks, error))) from error
    finally:
        os.environ["PATH"] = path
    _watch(cluster, folder)
    return cluster, client[:], folder


def _watch(cluster: Any, folder: str) -> None:
    launchers = [cluster.controller, *cluster.engines.values()]
    numbers = [str(each.pid) for each in launchers if getattr(each, "pid", None)]
    command = [sys.executable, "-c", _WATCH, folder, *numbers]
    # Kept by this process alone: when it is gone, the input ends.
    _watching.append(subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True))


_watching: list[subprocess.Popen[bytes]] = []


def _stop(ranks: int) -> None:
    found = _running.pop(ranks, None)
    if found is not None:
        found[1].client.close()
        _end(found[0], found[2])


def _end(cluster: Any, folder: str) -> None:
    """Stops a cluster whose engines may have ended by themselves."""
    cluster.stop_cluster_sync()
    shutil.rmtree(folder, ignore_errors=True)
