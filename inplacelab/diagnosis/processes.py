"""Runs processes of which nothing is left: not if they take too long, if Ctrl-C is pressed, or if they have started others."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path


def run_apart(command: Sequence[str], *, folder: Path, environment: Mapping[str, str], seconds: float) -> bool:
    """Runs a command with no input, whose output nobody reads. Returns whether it has ended in time; if not, it is ended."""
    nothing = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
    ) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        finally:  # also if it has ended: what it has started may not have
            _end_all(process)
    return True


def _end_all(process: subprocess.Popen[bytes]) -> None:
    """Ends a process that leads a session, and all that it has started there."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
