"""Finds the other ranks of a program, and leaves them in an orderly way."""

from __future__ import annotations

import atexit
import os
import sys
import time
import warnings
from types import TracebackType
from typing import Any

from inplacelab import errors
from inplacelab.distributed.world import World
from inplacelab.language import Text

TIMEOUT = 300.0
"""How many seconds a rank waits for the others in a collective, unless `set_timeout` says otherwise."""
GRACE = 10.0
"""How many seconds a rank that has failed waits for the others to end, before it ends them."""

_ALONE = Text(
    "There is only one rank. To start several: mpiexec -n 2 python program.py",
    "只有一个进程。要启动多个进程，请用：mpiexec -n 2 python program.py",
)
_FINISHED = Text("it has finished the program", "它已经运行完程序")
_FAILED = Text("it ended with {0}", "它以 {0} 结束")
_ENDED = Text(
    "Rank {0} has failed, and rank {1} was still running {2:g} seconds later: all ranks are ended.",
    "进程 {0} 已失败，而 {2:g} 秒后进程 {1} 仍在运行：结束所有进程。",
)


class _Program:
    """What this process knows of the program's ranks."""

    world: World | None = None
    timeout = TIMEOUT
    failure: BaseException | None = None


def init_parallel_env(nccl_config: Any = None) -> None:
    """Finds the other ranks of this program. Call it once, before the first collective.

    The program is started with `mpiexec -n 4 python program.py`, and the same program runs on every rank. Started as `python program.py` it has
    one rank, and a warning says how to start several.

    Args:
        nccl_config: accepted for compatibility with Paddle; ignored.

    Raises:
        MissingLibraryError: if mpi4py or MPI is not installed.
        CommunicationError: if the other ranks do not call it.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/init_parallel_env_en.html
    """
    if _Program.world is None or _Program.world.broken is not None:
        start_again()


def start_again() -> None:
    """Finds the other ranks, also if that has been done: collectives are counted from 1 again. All ranks must call it."""
    everyone = _mpi().COMM_WORLD
    if _Program.world is None:
        atexit.register(_leave)
        sys.excepthook = _noting(sys.excepthook)
    _Program.world = World(_copy(everyone), _copy(everyone), _Program.timeout)
    if everyone.Get_size() == 1:
        warnings.warn(str(_ALONE), stacklevel=3)


def is_initialized() -> bool:
    """Whether `init_parallel_env()` has been called."""
    return _Program.world is not None


def is_available() -> bool:
    """Whether mpi4py and MPI are installed."""
    try:
        _mpi()
    except errors.MissingLibraryError:
        return False
    return True


def get_rank(group: Any = None) -> int:
    """Returns the number of this rank, from 0; 0 before `init_parallel_env()`.

    Args:
        group: None for all ranks; no other group is supported.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/get_rank_en.html
    """
    check_group("get_rank", group)
    return 0 if _Program.world is None else _Program.world.rank


def get_world_size(group: Any = None) -> int:
    """Returns how many ranks there are; 1 before `init_parallel_env()`.

    Args:
        group: None for all ranks; no other group is supported.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/distributed/get_world_size_en.html
    """
    check_group("get_world_size", group)
    return 1 if _Program.world is None else _Program.world.size


def set_timeout(seconds: Any) -> None:
    """Sets how long a rank waits for the others in a collective before it gives up: 300 seconds, if it is not called.

    Args:
        seconds: a positive number.

    Raises:
        ArgumentError: if it is not positive.
    """
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 < seconds < float("inf"):
        raise errors.timeout_not_positive(seconds=seconds)
    _Program.timeout = float(seconds)
    if _Program.world is not None:
        _Program.world.timeout = float(seconds)


def world_for(op: str) -> World:
    """Returns the ranks, for a collective.

    Raises:
        CommunicationError: if `init_parallel_env()` has not been called.
    """
    if _Program.world is None:
        raise errors.not_started(op=op)
    return _Program.world


def check_group(op: str, group: Any) -> None:
    """Refuses a group of some ranks."""
    if group is not None:
        raise errors.group_is_everyone(op=op, group=group)


# ---- MPI --------------------------------------------------------------------------------------------------------------------


def _mpi() -> Any:
    try:
        import mpi4py  # noqa: F401
    except ModuleNotFoundError as error:
        raise errors.mpi_missing() from error
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise errors.mpi_does_not_load(reason=str(error).strip().splitlines()[0]) from error
    return MPI


def _copy(everyone: Any) -> Any:
    """Returns a communicator among the same ranks, on which nobody else sends."""
    made, request = everyone.Idup()
    deadline = time.monotonic() + _Program.timeout
    while not request.Test():
        if time.monotonic() > deadline:
            raise errors.ranks_do_not_come(
                ranks="?", op="init_parallel_env", number=0, where=os.path.basename(sys.argv[0]) or "?",
                seconds=f"{_Program.timeout:g}",
            )  # fmt: skip
        time.sleep(0.001)
    return made


# ---- the end of the program ---------------------------------------------------------------------------------------------


def _noting(hook: Any) -> Any:
    """Returns an excepthook that remembers the error, so that the other ranks can be told."""

    def noted(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        _Program.failure = error
        hook(kind, error, trace)

    return noted


def _leave() -> None:
    """Called when the program ends: tells the other ranks. MPI waits for all ranks then, so one that fails does not wait without end."""
    world, failure = _Program.world, _Program.failure
    if world is None:
        return
    failed = failure is not None or world.broken is not None
    world.leave(_FAILED.format(_named(failure)) if failure is not None else _FINISHED)
    if not failed:
        return
    sys.stdout.flush()
    staying = world.all_leave(GRACE)
    if staying:
        sys.stderr.write(f"{_ENDED.format(world.rank, ', '.join(map(str, staying)), GRACE)}\n")
        sys.stderr.flush()
        world.messages.Abort(1)


def _named(error: BaseException) -> str:
    first = str(error).strip().splitlines()
    return f"{type(error).__name__}: {first[0]}" if first else type(error).__name__
