"""`python -m tests.zoo`: tries the architectures of the zoo, and says what differs. What was found is kept, so a run can be resumed."""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from zlib import crc32

from . import table
from .entries import ENTRIES
from .entry import Entry

BUILD = Path(__file__).parents[2] / "build" / "zoo"
AT_ONCE = 10
"""So many entries of a package are tried by a process that has imported it."""


def file_of(entry: Entry, folder: Path) -> Path:
    """Returns the file that has what was found of an entry."""
    return folder / f"{re.sub(r'[^A-Za-z0-9]+', '_', entry.name)}.json"


def main(arguments: Sequence[str] | None = None) -> int:
    """Tries entries; 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.zoo", description=__doc__)
    parser.add_argument("--only", default="", help="try only entries whose name, package or family has this text")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--again", action="store_true", help="also try what was tried before")
    parser.add_argument("--build", type=Path, default=BUILD, help="where what was found is kept")
    parser.add_argument("--sample", type=int, default=0, help="try only so many, the same in every run")
    parser.add_argument(
        "--write", action="store_true", help="write the page of the documentation, of all that was tried"
    )
    given = parser.parse_args(arguments)
    given.build.mkdir(parents=True, exist_ok=True)
    chosen = [each for each in ENTRIES if given.only in f"{each.name} {each.package} {each.family}"]
    if given.sample:
        chosen = sorted(chosen, key=lambda each: crc32(each.name.encode()))[: given.sample]
    here = [each for each in chosen if is_installed("torch") and is_installed(each.package)]
    run([each for each in here if given.again or not file_of(each, given.build).exists()], given.build, given.jobs)
    if given.write:
        table.write(ENTRIES, {each.name: table.load(file_of(each, given.build)) for each in ENTRIES})
    faults = [each for entry in here for each in _faults(entry, given.build)]
    sys.stdout.write(f"{len(here)} entries, {len(faults)} faults\n" + "".join(f"{each}\n" for each in faults))
    if absent := sorted({each.package for each in chosen} - {each.package for each in here}):
        sys.stdout.write(f"Skipped: {', '.join(absent)}: not installed here (python -m pip install --group zoo)\n")
    return int(bool(faults))


def is_installed(package: str) -> bool:
    """Whether a package can be imported here."""
    return find_spec(package) is not None


def _faults(entry: Entry, folder: Path) -> Iterator[str]:
    found = table.load(file_of(entry, folder))
    yield from (
        f"{entry.name}: {each}" for each in (["was not tried to its end"] if found is None else found["faults"])
    )


def run(entries: Sequence[Entry], folder: Path, jobs: int) -> None:
    """Tries entries in processes that have imported their packages, several at a time."""
    by_package: dict[str, list[Entry]] = {}
    for each in entries:
        by_package.setdefault(each.package, []).append(each)
    waiting = [some[k : k + AT_ONCE] for some in by_package.values() for k in range(0, len(some), AT_ONCE)]
    running = 0
    while waiting or running:
        if waiting and running < jobs:
            _start(waiting.pop(0), folder)
            running += 1
        else:
            os.wait()
            running -= 1


def _start(entries: Sequence[Entry], folder: Path) -> None:
    if os.fork():
        return
    status = 1
    # Products of matrices depend in their last bits on where the matrices lie in memory, unless MKL is asked for the same everywhere
    # before it is loaded.
    os.environ["MKL_CBWR"] = "COMPATIBLE"
    try:
        from . import trial  # noqa: PLC0415  # PyTorch is imported in the processes that need it

        trial.import_for(entries)
        for each in entries:
            found = trial.tried(each, folder / "programs" / file_of(each, folder).stem)
            trial.write(found, file_of(each, folder))
            _say(found)
        status = 0
    except BaseException:  # noqa: BLE001  # the process ends here
        traceback.print_exc()
    finally:
        os._exit(status)


def _say(found: dict[str, Any]) -> None:
    seconds = found.get("seconds", {})
    plain = seconds.get("plain") or 1
    ratios = ", ".join(f"{name} {each / plain:.1f}" for name, each in seconds.items() if name != "plain")
    sys.stdout.write(f"{found['name']}: {ratios}\n" + "".join(f"    {each[:300]}\n" for each in found["faults"]))
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
