"""The process that measures one contestant; `interleaved.py` starts it.

    python -m benchmarks.worker CONTESTANT

It reads commands, a line of JSON each, and answers each with a line of JSON: `{"prepare": [kind, name, graph, shape]}` makes the tensors
of a case, `{"measure": true}` runs it for a few milliseconds and answers with the seconds that one operation took.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import warnings
from typing import Any

import numpy as np

from benchmarks.contestants import FRAMEWORKS, Framework, framework
from benchmarks.tasks import CannotRunError, Case, Task, enough_calls, is_right, prepared


class Worker:
    """One framework, and the case that is ready to be measured."""

    def __init__(self, name: str) -> None:
        self._framework = framework(name)
        self._task: Task | None = None
        self._calls = 0
        gc.collect()
        gc.freeze()  # between measurements, only what a case left behind is looked at

    def answer(self, command: dict[str, Any]) -> dict[str, Any]:
        """Carry out a command."""
        if "prepare" in command:
            self._task = None  # large tensors, first
            try:
                return self._prepare(Case(*command["prepare"]))
            except Exception as error:  # noqa: BLE001  # a framework may fail as it likes
                self._task = None
                return {"cannot": f"{type(error).__name__}: {error}"}
        gc.collect()
        if self._task is None:
            raise CannotRunError("nothing is prepared")
        return {"seconds": self._task.run(self._calls) / self._calls / self._task.unit}

    def _prepare(self, case: Case) -> dict[str, Any]:
        case = case._replace(shape=tuple(case.shape))
        self._task = prepared(self._framework, case)
        right = is_right(self._task.results(), prepared(_by_hand(), case).results())
        self._calls = enough_calls(self._task)
        return {"right": right}


def _by_hand() -> Framework:
    return framework("numpy")


def main() -> None:
    """Answer until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("contestant", choices=FRAMEWORKS)
    name = parser.parse_args().contestant
    warnings.simplefilter("ignore")
    # What a framework prints must not get among the answers.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    worker = Worker(name)
    with np.errstate(all="ignore"):
        for line in sys.stdin:
            print(json.dumps(worker.answer(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
