"""Records the results of PaddlePaddle for all calls in `calls.py`: `python -m tests.reference.record`.

Each name has a separate process, because some calls hang or crash.
Needs `pip install --group oracle`.
"""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.reference.outcomes import answer, questions

SECONDS = 20
"""The time limit of a call, in seconds."""
ANSWERS = Path(__file__).with_name("answers.json.gz")


def recorded() -> dict[str, Any]:
    """The answers by key, and under "paddle" the version that gave them."""
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as stream:
        found: dict[str, Any] = json.load(stream)
    return found


def ask(name: str, skip: int) -> None:
    """Write out the answers for one name, a line of JSON each, without the first ones."""
    import paddle  # noqa: PLC0415  # only the child process needs it

    for question in [q for q in questions() if q.call.name == name][skip:]:
        signal.alarm(SECONDS)  # not handled: the process of a kernel that hangs is killed
        sys.stdout.write(json.dumps([question.key, answer(paddle, question)]) + "\n")
        sys.stdout.flush()


def ask_in_processes(name: str) -> dict[str, Any]:
    """The answers for one name. If a process died, that is the result, and the next process continues after it."""
    asked = [q.key for q in questions() if q.call.name == name]
    found: dict[str, Any] = {}
    while len(found) < len(asked):
        command = [sys.executable, "-m", "tests.reference.record", name, str(len(found))]
        child = subprocess.run(command, capture_output=True, text=True, check=False)
        found.update(json.loads(line) for line in child.stdout.splitlines() if line.startswith("["))
        if len(found) < len(asked):
            found[asked[len(found)]] = {"error": "died", "says": "the process hung, or crashed"}
    return found


def main(arguments: list[str]) -> None:
    if arguments:
        ask(arguments[0], int(arguments[1]))
        return
    import paddle  # noqa: PLC0415

    answers: dict[str, Any] = {"paddle": paddle.__version__}
    for name in dict.fromkeys(q.call.name for q in questions()):
        answers.update(ask_in_processes(name))
        sys.stderr.write(f"{name}\n")
    data = json.dumps(answers, indent=0).encode()
    ANSWERS.write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1:])
