"""`python -m tests.witness --programs 1000 --seed 0`: try random programs, and show the shortest ones for what does not agree."""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from .random_programs import write
from .shrink import shrink
from .trial import differences


def kinds(text: str, folder: Path) -> dict[str, str]:
    """What does not agree, by kind: the differences without names and numbers."""
    try:
        found = differences(text, folder)
    except Exception:  # noqa: BLE001  # a recorder that raises is what is looked for
        found = [traceback.format_exc()]
    return {
        re.sub(r"\(.*?\)|[\w.]*\d[\w.]*|\b[a-z]\w?\b", "", each.partition(": recorded")[0])[:160]: each
        for each in found[:1]
    }


def shortest(text: str, kind: str, difference: str, folder: Path) -> tuple[str, str]:
    """The shortest program that differs in this way, and its difference. One that does not differ at every run stays as it is."""

    def still(each: str) -> bool:
        nonlocal difference
        found = kinds(each, folder).get(kind)
        difference = found or difference
        return found is not None

    return shrink(text, still), difference


def main(arguments: list[str] | None = None) -> int:
    """Try programs; 1 if anything does not agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.witness", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the number of the first program")
    parser.add_argument("--statements", type=int, default=16)
    parser.add_argument("--examples", type=int, default=2, help="how many programs to show for each kind of difference")
    given = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    say = sys.stdout.write
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(given.seed, given.seed + given.programs):
            text = write(Random(number), given.statements)
            for kind, difference in kinds(text, folder).items():
                counts[kind] += 1
                if counts[kind] <= given.examples:
                    small, shown = shortest(text, kind, difference, folder)
                    say(f"\n# program {number}\n{small}\n{shown[:3000]}\n")
                    sys.stdout.flush()
    say(f"\n{given.programs} programs\n" + "".join(f"{count:6} {kind}\n" for kind, count in counts.most_common()))
    return int(bool(counts))


if __name__ == "__main__":
    sys.exit(main())
