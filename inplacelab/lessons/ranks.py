"""Programs for several ranks in lessons: run where MPI is installed, and otherwise shown as they were recorded.

The recordings come with the lessons, one for each rank: `NAME-rank0`, `NAME-rank1`, ...
"""

from __future__ import annotations

from inplacelab.distributed.on_ranks import can_run, record_on_ranks
from inplacelab.installing import spelled
from inplacelab.language import Text
from inplacelab.lessons.recorded import FOLDER, recorded
from inplacelab.recording import Recording

_CANNOT_RUN = Text(
    "This program was not recorded beforehand, and to run it on several ranks, MPI is needed: pip install 'inplacelab[mpi]'",
    "这个程序没有事先的记录，而在多个进程上运行它需要 MPI：pip install 'inplacelab[mpi]'",
)


def name_of(name: str, rank: int) -> str:
    """Returns the name of a rank's recording among those of the lessons."""
    return f"{name}-rank{rank}"


def recordings_of(source: str, ranks: int, name: str, title: str = "") -> list[Recording]:
    """Runs a program on several ranks; without MPI, returns what came with the lesson, if it is the same program.

    Args:
        source: the program.
        ranks: how many ranks.
        name: under which name the lesson has recordings of it.
        title: a name for the picture.

    Raises:
        LookupError: if there is no MPI, and the program is not that of the lesson.
        EnginesError: if MPI is there but its processes do not start.
    """
    if can_run():
        return record_on_ranks(source, ranks, title)
    names = [name_of(name, rank) for rank in range(ranks)]
    if all((FOLDER / f"{each}.json").is_file() for each in names):
        found = [recorded(each) for each in names]
        if all(each.source.strip() == source.strip() for each in found):
            return found
    raise LookupError(str(spelled(_CANNOT_RUN)))
