"""Records the cells of lessons that need a framework which not every learner has.

Such a cell has the tag `recorded-NAME`. It is not run when the notebook is built or compared. What it records is kept in the package, in
`inplacelab/lessons/recordings/NAME.json`, and the lesson shows that with `recorded("NAME")`.

A cell `%%ranks N --name NAME` is run where MPI is installed, and otherwise shows `NAME-rank0.json`, `NAME-rank1.json`, ..., which are recorded here, too.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from inplacelab.distributed.on_ranks import can_run, record_on_ranks
from inplacelab.lessons.ranks import name_of
from inplacelab.lessons.recorded import FOLDER
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import framework_used, not_installed, not_installed_of
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recording import Recording, save
from lesson_source import Block, Code

TAG = "recorded-"
SKIPPED = ("nbval-skip", "skip-execution")
"""The tags by which nbval and nbclient know that they need not run a cell."""


def cells(blocks: Iterable[Block]) -> Iterator[tuple[str, str]]:
    """Yields the name of each recording, and its program."""
    yield from ((name, program(text)) for name, text in _whole_cells(blocks))


def _whole_cells(blocks: Iterable[Block]) -> Iterator[tuple[str, str]]:
    for block in blocks:
        if isinstance(block, Code):
            names = (tag.removeprefix(TAG) for tag in block.tags if tag.startswith(TAG))
            yield from ((name, block.text) for name in names)


_RANKS = re.compile(r"%%ranks (?P<count>\d+) --name (?P<name>\w+)\n")


@dataclass(frozen=True)
class RanksCell:
    """A program for several ranks.

    Attributes:
        name: what the lesson calls the recordings.
        count: how many ranks there are.
        text: the program.
    """

    name: str
    count: int
    text: str

    @property
    def names(self) -> list[str]:
        """The names of its recordings, one for each rank."""
        return [name_of(self.name, rank) for rank in range(self.count)]


def ranks_cells(blocks: Iterable[Block]) -> Iterator[RanksCell]:
    """Yields the programs for several ranks."""
    for block in blocks:
        if isinstance(block, Code) and (found := _RANKS.match(block.text)):
            yield RanksCell(found["name"], int(found["count"]), program(block.text))


def program(text: str) -> str:
    """Returns a cell without its first line, which is magic."""
    return text.partition("\n")[2] + "\n"


def recording(text: str, *, fix: bool = True) -> Recording:
    """Records a program, as `%%stepper` does; without `fix`, as `%%stepper --no-fix` does."""
    tree = ast.parse(text)
    lines = text.splitlines(keepends=True)
    linecache.cache["<lesson>"] = len(text), None, lines, "<lesson>"  # where the watch reads what was written
    session = Session(Program.of(tree, text, "<lesson>"), fix=fix, use=framework_used(tree, {}))
    session.run([compile(instrument.instrumented(tree), "<lesson>", "exec")], {"__name__": "__main__"})
    return session.recording()


def record_again(blocks: Sequence[Block]) -> None:
    """Records the programs of a lesson, if their framework is installed."""
    for name, whole in _whole_cells(blocks):
        text, magic = program(whole), whole.partition("\n")[0]
        needs = missing(text)
        if needs is not None:
            print(f"{name} was not recorded again: {not_installed(needs)}")
        else:
            save(recording(text, fix="--no-fix" not in magic), FOLDER / f"{name}.json")
    for cell in ranks_cells(blocks):
        if not can_run():
            print(f"{cell.name} was not recorded again: MPI is not installed")
            continue
        for name, made in zip(cell.names, record_on_ranks(cell.text, cell.count, cell.name), strict=True):
            save(made, FOLDER / f"{name}.json")


def missing(text: str) -> str | None:
    """Returns a framework that a program imports and that is not installed; None if there is none."""
    return not_installed_of(ast.parse(text))
