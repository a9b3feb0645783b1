"""Looks for fixes of cells in a process of its own, so that a notebook's kernel goes on meanwhile, and can end it: `python -m inplacelab.diagnosis.search_run`.

The kernel and this process send each other pickled data. When the kernel closes its end, or is gone, this process ends, and the trial that runs.
"""

from __future__ import annotations

import _thread
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from inplacelab.diagnosis.trials import NotTriedError, Trials
from inplacelab.language import Text, get_language
from inplacelab.recording.facts import FixFacts
from inplacelab.recording.fixes import of_program
from inplacelab.recording.fixes.spots import Lines, Spot, Trail

SECONDS = 60
"""How long a trial may take."""
PATIENCE = 10
"""So many seconds after it was told to end, the process is ended."""

_DOES_NOT_FAIL = Text(
    "in a process of their own, the cells do not fail in backward", "在单独的进程中，这些单元格的反向传播没有失败"
)
_FAILS_BEFORE = Text(
    "in a process of their own, in an empty folder and without input, the cells fail elsewhere: {0}",
    "在单独的进程和空文件夹中、没有输入时，这些单元格在别处失败：{0}",
)
_ENDED = Text("the search has ended unexpectedly", "搜索意外结束")


@dataclass(frozen=True)
class Searched:
    """What came out of a search.

    Attributes:
        fixes: the fixes that work, of the cells as one text.
        count: how many edits were tried.
        copies: the bytes of the copies of everything that grad nodes save.
        elsewhere: the first line that would have to change, if it is in another file, which was not edited.
    """

    fixes: tuple[FixFacts, ...]
    count: int
    copies: int
    elsewhere: Spot | None = None


def search(
    text: str, framework: str, lines: Lines, *, tell: Callable[[Text], None] = lambda _: None, stop: Event | None = None
) -> Searched:
    """Looks for fixes of a program without a file, in other processes and an empty folder.

    Args:
        text: the program.
        framework: its framework.
        lines: names its lines in what fixes say; it can be pickled.
        tell: is told what is done next.
        stop: ends the search when it is set.

    Raises:
        NotTriedError: if no fix can be tried.
    """
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([*map(os.path.abspath, sys.path), package])
    environment = {**os.environ, "PYTHONPATH": path, "INPLACELAB_LANGUAGE": get_language()}
    command = [sys.executable, "-m", "inplacelab.diagnosis.search_run"]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment, start_new_session=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            pickle.dump((text, framework, lines), process.stdin)
            process.stdin.flush()
            if stop is not None:
                Thread(target=_end, args=(process, stop), daemon=True).start()
            while isinstance(said := pickle.load(process.stdout), Text):
                tell(said)
        except (EOFError, OSError, pickle.UnpicklingError):
            raise NotTriedError(_ENDED) from None
        finally:
            _end(process)
    if isinstance(said, Exception):
        raise said
    found: Searched = said
    return found


def _end(process: subprocess.Popen[bytes], stop: Event | None = None) -> None:
    """Ends a search: at once, or when it is told to, unless it has ended."""
    while stop is not None and process.poll() is None and not stop.wait(0.2):
        pass
    with suppress(OSError, ValueError):
        if process.stdin is not None:
            process.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        process.wait(PATIENCE)
    process.kill()


def main() -> None:
    """Runs a search."""
    text, framework, lines = pickle.load(sys.stdin.buffer)
    out = os.fdopen(os.dup(1), "wb")

    def say(found: object) -> None:
        pickle.dump(found, out)
        out.flush()

    Thread(target=_wait_for_end, daemon=True).start()
    with suppress(KeyboardInterrupt, BrokenPipeError):
        try:
            with TemporaryDirectory(prefix="inplacelab-") as folder:
                script = Path(folder).resolve() / "cells.py"
                script.write_text(text, encoding="utf-8")
                found: Searched | Exception = _searched(script, framework, lines, say)
        except NotTriedError as reason:
            found = reason
        say(found)


def _wait_for_end() -> None:
    sys.stdin.buffer.read()
    _thread.interrupt_main()


def _searched(script: Path, framework: str, lines: Lines, tell: Callable[[Text], None]) -> Searched:
    trials = Trials(script, [], framework=framework, seconds=SECONDS, tell=tell, lines=lines)
    trails, error = trials.failing()
    if not trails:
        raise NotTriedError(_FAILS_BEFORE.format(error.splitlines()[0]) if error else _DOES_NOT_FAIL)
    tried = trials.find(trails)
    return Searched(of_program(tried.fixes, script), tried.count, tried.copies, _elsewhere(trails[-1], script))


def _elsewhere(trail: Trail, script: Path) -> Spot | None:
    """Returns the first line that would have to change, if none of them is in the cells."""
    responsible = [each[0] for each in (*trail.writes, trail.released, trail.kept) if each]
    changed = responsible[: len(trail.writes) or 1]
    return changed[0] if changed and all(each.filename != str(script) for each in changed) else None


if __name__ == "__main__":
    # Under its own name, by which the kernel knows what is pickled.
    import_module("inplacelab.diagnosis.search_run").main()
