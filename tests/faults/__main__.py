"""`python -m tests.faults --programs 1000 --seed 0 --jobs 2`: judges random programs in which something fails."""

from __future__ import annotations

import argparse
import sys

from .campaign import counterexample, run, table
from .verdict import DEFECTS


def main(arguments: list[str] | None = None) -> int:
    """Prints the table of counts, and a shrunken program for every kind of defect; 1 if there is any."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first program")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--examples", type=int, default=2, help="how many programs to show for each kind of defect")
    given = parser.parse_args(arguments)
    counts = run(given.seed, given.programs, given.jobs)
    say = sys.stdout.write
    say(table(counts) + "\n")
    defects = {key: numbers for key, numbers in counts.defects.items() if key[0] in DEFECTS}
    for (verdict, kind), numbers in defects.items():
        say(f"\n{len(numbers)} x {verdict.value}: {kind}\n")
        for number in numbers[: given.examples]:
            say(f"\n{counterexample(number, verdict, kind)}\n")
    return int(bool(defects))


if __name__ == "__main__":
    sys.exit(main())
