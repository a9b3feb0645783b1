"""Runs functions in children of this process, each with what this process has imported."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any


class ChildError(Exception):
    """Raised if a child has raised, with its traceback as the message, or was ended."""


def forked(do: Callable[[], Any], folder: Path, *, seconds: float = 600) -> tuple[Any, str]:
    """Runs a function in a child process, in a folder.

    Args:
        do: the function. Its result can be pickled.
        folder: where the result and the output are written.
        seconds: how long it may take.

    Returns:
        Its result, and what the child has printed.

    Raises:
        ChildError: if it has raised, was ended by a signal, or took too long.
    """
    result, out, err = (folder / name for name in ("result", "out", "err"))
    result.unlink(missing_ok=True)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if not child:
        _run(do, folder, (result, out, err))
    until = time.monotonic() + seconds
    while not (ended := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise ChildError(f"took more than {seconds:.0f} seconds")
        time.sleep(0.01)
    if not result.exists():
        said = err.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise ChildError(f"ended with {os.waitstatus_to_exitcode(ended[1])}: {said}")
    found, raised = pickle.loads(result.read_bytes())
    if raised:
        raise ChildError(raised)
    return found, out.read_text(encoding="utf-8", errors="replace")


def _run(do: Callable[[], Any], folder: Path, to: tuple[Path, Path, Path]) -> None:
    """Runs a function in the child, and ends the child."""
    status = 1
    try:
        result, out, err = to
        os.chdir(folder)
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115  # for as long as the child runs
        try:
            answer = do(), ""
        except BaseException:  # noqa: BLE001  # the parent raises it
            answer = None, traceback.format_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        result.write_bytes(pickle.dumps(answer))
        status = 0
    finally:
        os._exit(status)
