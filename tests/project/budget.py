"""How large the project may be, and how far a reader must walk: `budget.toml` beside this module, and what is there now.

    python -m tests.project.budget                     print both, and write what has become smaller
    python -m tests.project.budget --why "a sentence"  also write what has become larger, with the reason

What is counted, and how, is in `benchmarks/reading.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.reading import sizes, walks

FILE = Path(__file__).with_name("budget.toml")
TOLERANCE = 0.02
"""A figure may be so much larger or smaller than the file says: not each commit has to change the file."""
HEAD = """\
# How large each package may be, and how many functions and files run: tests/project/test_budget.py compares.
#
#     python -m tests.project.budget --why "what the project gets for it"
#
# writes this file. `why` says why a figure last rose. Lines are those that are neither blank, nor a comment, nor a docstring;
# generated files are not counted.
"""

Table = dict[str, dict[str, int | str]]
"""Figures by their names, and `why`; by package, and by what is walked through."""


def measured() -> Table:
    """What is there now."""
    found: Table = {name: {"lines": size.lines, "modules": size.modules} for name, size in sizes().items()}
    for name, walk in walks().items():
        walked = walk()
        found[name] = {"functions": len(walked.functions), "files": len(walked.files)}
    return found


def allowed(file: Path = FILE) -> Table:
    """What the file says."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def larger(now: Mapping[str, Mapping[str, Any]], then: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The figures that have risen: "recording: lines 11058 -> 11400"."""
    return [
        f"{name}: {what} {then.get(name, {}).get(what, 0)} -> {figure}"
        for name, figures in now.items()
        for what, figure in figures.items()
        if figure > _most(then.get(name, {}).get(what, 0))
    ]


def smaller(now: Mapping[str, Mapping[str, Any]], then: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The figures that have fallen, and the packages that are gone."""
    return [
        f"{name}: {what} {figure} -> {now[name][what] if name in now else 'gone'}"
        for name, figures in then.items()
        for what, figure in figures.items()
        if what != "why" and (name not in now or figure > _most(now[name][what]))
    ]


def _most(figure: int) -> int:
    return max(round(figure * (1 + TOLERANCE)), figure + 1)


def written(now: Table, then: Table, why: str) -> str:
    """The text of the file: what is there now, with the new reason where a figure has risen, and the old one elsewhere."""
    parts = [HEAD]
    for name, figures in now.items():
        reason = why if larger({name: figures}, then) else then[name]["why"]
        lines = [f"[{name if name.isidentifier() else json.dumps(name)}]", *(f"{k} = {v}" for k, v in figures.items())]
        parts.append("\n".join([*lines, f"why = {json.dumps(reason, ensure_ascii=False)}", ""]))
    return "\n".join(parts)


def main(words: Sequence[str] | None = None, file: Path = FILE) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--why", default="", help="why a figure has risen, in a sentence")
    why: str = parser.parse_args(words).why
    then, now = allowed(file) if file.exists() else {}, measured()
    risen, fallen = larger(now, then), smaller(now, then)
    print("\n".join([*(f"larger   {each}" for each in risen), *(f"smaller  {each}" for each in fallen)]))
    if risen and not why:
        print(
            'Nothing was written. Say why these are larger: python -m tests.project.budget --why "..."', file=sys.stderr
        )
        return 1
    file.write_text(written(now, then, why), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
