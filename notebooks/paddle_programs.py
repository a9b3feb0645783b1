"""Runs the programs of `claims.py` in PaddlePaddle, and keeps what each version answers in `lessons/claims.json`.

    python notebooks/paddle_programs.py                   # with the PaddlePaddle that is installed
    python notebooks/paddle_programs.py OTHER/bin/python  # with that of another Python, which needs nothing of this package

An answer is what the program prints, and the first line of the error with which it ends, if it ends with one.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from claims import CLAIMS

ANSWERS = Path(__file__).parent / "lessons" / "claims.json"
_SECONDS = 300
_RUN = r"""
import contextlib, io, json, sys
import paddle

def answer(program):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, "<program>", "exec"), {"paddle": paddle})
        except Exception as error:
            first = next(line for line in str(error).splitlines() if line.strip())
            print(f"{type(error).__name__}: {first.strip()}")
    return printed.getvalue().splitlines()

programs = json.load(sys.stdin)
print(json.dumps([paddle.__version__, {key: answer(program) for key, program in programs.items()}]))
"""


def run(python: str = sys.executable) -> tuple[str, dict[str, list[str]]]:
    """Runs all programs in one process.

    Args:
        python: an interpreter that has PaddlePaddle.

    Returns:
        The version of PaddlePaddle, and the lines of each answer, by the key of the claim.

    Raises:
        subprocess.CalledProcessError: if PaddlePaddle cannot be imported.
    """
    programs = {claim.key: claim.program for claim in CLAIMS if claim.program}
    done = subprocess.run(
        [python, "-c", _RUN],
        input=json.dumps(programs),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=_SECONDS,
    )
    version, answers = json.loads(done.stdout.splitlines()[-1])
    return version, answers


def recorded() -> dict[str, dict[str, list[str]]]:
    """Returns the answers of each version, oldest first."""
    answers: dict[str, dict[str, list[str]]] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return answers


def main() -> None:
    """Runs the programs and keeps the answers."""
    known = recorded() if ANSWERS.exists() else {}
    version, answers = run(*sys.argv[1:2])
    known[version] = answers
    ANSWERS.write_text(json.dumps(dict(sorted(known.items())), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"kept what PaddlePaddle {version} answers to {len(answers)} programs")


if __name__ == "__main__":
    main()
