"""Runs `python -m inplacelab` many times at the price of one: a process that has imported it forks for each run.

A run begins like a new process: in its folder, with its own words, output and session, and it ends as Python ends. What differs is that
the modules of the command are there already. Where that could matter, a test starts Python itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

FORKS = """
import json, os, runpy, signal, sys
import inplacelab.cli
for name in sys.argv[1:]:
    __import__(name)
for line in sys.stdin:
    words, folder, out, err = json.loads(line)
    child = os.fork()
    if not child:
        break
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
else:
    os._exit(0)
os.setsid()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a process that a shell starts in the background ignores it
os.chdir(folder)
for number, path, mode in ((0, os.devnull, os.O_RDONLY), (1, out, os.O_WRONLY | os.O_CREAT), (2, err, os.O_WRONLY | os.O_CREAT)):
    os.dup2(os.open(path, mode), number)
sys.stdin = open(0, closefd=False)
sys.path[0] = folder
sys.argv[:] = ["inplacelab", *words]
del line, words, out, err, child, number, path, mode
runpy.run_module("inplacelab", run_name="__main__", alter_sys=True)
"""


class Forks:
    """Runs commands, one after the other."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process, self._folder, self._runs = process, folder, 0

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Carries out `inplacelab WORDS` in the present folder."""
        self._runs += 1
        out, err = (self._folder / f"{self._runs}.{name}" for name in ("out", "err"))
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([words, os.getcwd(), str(out), str(err)]), file=self._process.stdin, flush=True)
        status = int(self._process.stdout.readline())
        said = (path.read_text(encoding="utf-8", errors="replace") for path in (out, err))
        return subprocess.CompletedProcess(["inplacelab", *words], status, *said)


@contextmanager
def forks(*modules: str) -> Iterator[Forks]:
    """A process that runs commands, and has imported these modules, too."""
    paths = os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(
            [sys.executable, "-c", FORKS, *modules],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths},
        ) as process,
    ):  # fmt: skip
        yield Forks(process, Path(folder))
