"""`python -m tests.oracle --programs 1000 --seed 0 --torch --paddle --second 100 --jobs 2`: judges random programs."""

from __future__ import annotations

import argparse
import sys

from .campaign import Plan, counterexample, run, table


def main(arguments: list[str] | None = None) -> int:
    """Print the table of counts, and a shrunken program for every kind of defect; 1 if there is any."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description=__doc__)
    parser.add_argument("--programs", type=int, default=1000, help="how many programs")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first program")
    parser.add_argument("--torch", action="store_true", help="compare refusals and escapes with PyTorch")
    parser.add_argument("--paddle", action="store_true", help="count how often PaddlePaddle is silently wrong")
    parser.add_argument("--second", type=int, default=0, help="for how many programs to compare second derivatives")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--examples", type=int, default=2, help="how many programs to show for each kind of defect")
    given = parser.parse_args(arguments)
    plan = Plan(given.torch, given.paddle, given.second)
    counts = run(given.seed, given.programs, plan, given.jobs)
    say = sys.stdout.write
    say(table(counts) + "\n")
    for (verdict, kind), numbers in counts.defects.items():
        say(f"\n{len(numbers)} x {verdict.value}: {kind}\n")
        for number in numbers[: given.examples]:
            second = number - given.seed < given.second
            say(f"\n{counterexample(number, verdict, kind, plan, second=second)}\n")
    return int(bool(counts.defects))


if __name__ == "__main__":
    sys.exit(main())
