"""Compares this package with NumPy by hand, PyTorch, PaddlePaddle, MyGrad and HIPS autograd, and with itself at an earlier commit.

    python -m benchmarks.compare [--quick] [--only SECTION ...] [--against COMMIT] [--markdown FILE] [--plots FOLDER]

All figures are ratios, measured in turns (`interleaved.py`); a framework that is not installed is left out. The column *noise* is
NumPy in a second process, measured like a framework: what it differs from 1 is chance. Below the table stands how much it varies.

The sections:

- *latency*: operations on 2 x 3 numbers, without and with a graph;
- *programs*: four programs, forward and backward, in each framework and by hand;
- *large*: operations in place on 64 MiB;
- *import*: `import inplacelab`, which includes NumPy's;
- *growth*: what an operation costs as views and history grow;
- *pages*: what in-place operations save in time, and why: page faults.

"ours/torch" is how many times as long we take as PyTorch: less is better. "-": not installed, or it has no such operation.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks import fresh_pages, goals, growth, imports, operations, tables
from benchmarks.contestants import BEFORE, FRAMEWORKS, NUMPY, OURS, TWIN, installed
from benchmarks.interleaved import Measured, measured, processes, unpack
from benchmarks.programs import PROGRAMS
from benchmarks.tables import Curve, Table
from benchmarks.tasks import Case

OTHERS = ("torch", "paddle", "mygrad", "autograd")
COLUMNS = (
    (TWIN, NUMPY),
    (OURS, NUMPY),
    (OURS, "torch"),
    (OURS, "paddle"),
    (OURS, BEFORE),
    *((other, NUMPY) for other in OTHERS),
)
"""The columns of ratios."""


class Effort(NamedTuple):
    """How much is measured, and where it is written.

    Attributes:
        rounds: of each case.
        quick: whether everything is smaller.
        earlier: a commit to compare with, or None.
        plots: where pictures are written, or None.
    """

    rounds: int
    quick: bool
    earlier: str | None
    plots: Path | None


class Row(NamedTuple):
    """A row of a table of ratios: its name, what was measured, and its goal."""

    name: str
    found: Measured
    limits: goals.Limits


# ---- tables of ratios ---------------------------------------------------------------------------------------------------


def noise(rows: Sequence[Row]) -> str:
    """What NumPy differs from itself by, over all rounds of a table."""
    ratios = [ratio for row in rows for ratio in row.found.ratios(TWIN, NUMPY)]
    low, _, high = quantiles(ratios, n=4)
    return f"Noise: NumPy in a second process takes {median(ratios):.2f} times as long; half of the rounds lie within {low:.2f} and {high:.2f}."


def shown(row: Row, one: str, other: str) -> str:
    """A ratio as text. What computes something wrong is marked."""
    text = tables.factor(row.found.ratio(one, other))
    return text + " (wrong)" * bool(text != tables.NOTHING and {one, other} & row.found.wrong)


def heading(one: str, other: str) -> str:
    """The name of a column."""
    return "noise" if one == TWIN else f"{one}/{'NumPy' if other == NUMPY else other}"


def ratio_of(row: Row, one: str, other: str) -> float | None:
    """A ratio; None if one of the two was not measured or computes something wrong."""
    return None if {one, other} & row.found.wrong else row.found.ratio(one, other)


def verdict(row: Row) -> str:
    """Whether the row meets its goal."""
    if OURS in row.found.wrong:
        return "missed: ours is wrong"
    return goals.verdict(row.name, {other: ratio_of(row, OURS, other) for other in row.limits}, row.limits)


def ratios(title: str, rows: Sequence[Row], effort: Effort, on_average: goals.Limits | None = None) -> Table:
    """A table of ratios, with the geometric means below the rows."""
    columns = [(one, other) for one, other in COLUMNS if any(row.found.ratio(one, other) for row in rows)]
    header = ["", "NumPy", *(heading(*column) for column in columns), "goal"]
    lines = [
        [row.name, tables.duration(median(row.found.seconds[NUMPY])), *(shown(row, *column) for column in columns), verdict(row)]
        for row in rows
    ]  # fmt: skip
    means = {column: tables.mean([ratio_of(row, *column) for row in rows]) for column in columns}
    reached = {other: means.get((OURS, other)) for other in FRAMEWORKS}
    judged = goals.verdict("geometric mean", reached, on_average) if on_average else ""
    lines.append(["geometric mean", "", *(tables.factor(means[column]) for column in columns), judged])
    notes = [noise(rows)]
    if any(row.found.wrong for row in rows):
        notes.append(
            "(wrong): its values or gradients are not those of NumPy. Such a figure has no part in the mean or in a verdict."
        )
    table = Table(title, header, lines, notes)
    if effort.plots:
        ours = [(one, other) for one, other in columns if one == OURS]
        found = {row.name: {f"ours/{other}": ratio_of(row, one, other) for one, other in ours} for row in rows}
        tables.plot_ratios(
            title, found, effort.plots / f"{title.split(':', maxsplit=1)[0].lower().replace(' ', '_')}.svg"
        )
    return table


def _rows(cases: Mapping[str, Case], limits: Callable[[Case], goals.Limits], effort: Effort) -> list[Row]:
    with processes(earlier=effort.earlier) as workers:
        return [Row(name, measured(workers, case, effort.rounds), limits(case)) for name, case in cases.items()]


def _small(names: Sequence[str]) -> dict[str, Case]:
    return {name + ", graph" * graph: Case("operation", name, graph=graph) for name in names for graph in (False, True)}


# ---- sections ------------------------------------------------------------------------------------------------------------


def latency(effort: Effort) -> Table:
    """Operations on small tensors."""
    rows = _rows(_small(tuple(operations.OPERATIONS)), lambda _: goals.FASTER, effort)
    return ratios("Latency: 2 x 3 numbers", rows, effort, goals.ON_AVERAGE)


def programs(effort: Effort) -> Table:
    """The four programs."""
    cases = {f"{name}: {program.shapes}": Case("program", name) for name, program in PROGRAMS.items()}
    rows = _rows(cases, lambda case: {NUMPY: PROGRAMS[case.name].goal}, effort)
    return ratios("Programs: forward and backward, against NumPy by hand", rows, effort)


def large(effort: Effort) -> Table:
    """Operations in place on a large tensor."""
    cases = {name: Case("operation", name, shape=operations.LARGE) for name in operations.IN_PLACE_LARGE}
    return ratios("Large: in place on 64 MiB", _rows(cases, lambda _: goals.LARGE, effort), effort)


def imported(effort: Effort) -> Table:
    """The import."""
    with TemporaryDirectory() as folder:
        if effort.earlier:
            unpack(effort.earlier, Path(folder))
        found = imports.measured(effort.rounds, Path(folder) if effort.earlier else None)
    return ratios("Import: in a new interpreter", [Row("import inplacelab", found, goals.IMPORT)], effort)


def grown(effort: Effort) -> Table:
    """What an operation costs as something grows."""
    curves: list[Curve] = growth.curves(effort.quick)
    if effort.plots:
        tables.plot_curves(curves, effort.plots / "growth.svg")
    return tables.table_of("Growth: time of one operation, in additions of NumPy", curves, goals.LEVEL)


def fresh(effort: Effort) -> Table:
    """What in place saves in time, and why."""
    return fresh_pages.table(fresh_pages.SIZES[:3] if effort.quick else fresh_pages.SIZES, effort.rounds)


SECTIONS: dict[str, Callable[[Effort], Table]] = {
    "latency": latency,
    "programs": programs,
    "large": large,
    "import": imported,
    "growth": grown,
    "pages": fresh,
}


# ---- the command ---------------------------------------------------------------------------------------------------------


def about(effort: Effort) -> str:
    """What was measured: versions, and the commits that are compared."""
    packages = {"torch": "torch", "paddle": "paddlepaddle", "mygrad": "mygrad", "autograd": "autograd"}
    versions = [f"{name} {version(packages[name])}" for name in installed() if name in packages]
    against = f", against {effort.earlier}" if effort.earlier else ""
    return (
        f"# Speed of inplacelab{against}\n\nPython {platform.python_version()}, NumPy {version('numpy')}, "
        f"{', '.join(versions)}; one thread; medians of {effort.rounds} rounds.\n"
    )


def _texts(sections: Sequence[str], effort: Effort) -> Iterator[str]:
    yield about(effort)
    for name in sections:
        yield tables.markdown(SECTIONS[name](effort))


def main() -> None:
    """Measure, and print the tables as Markdown."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes, for a first look")
    parser.add_argument(
        "--only", nargs="+", choices=SECTIONS, default=list(SECTIONS), metavar="SECTION", help="some sections only"
    )
    parser.add_argument("--against", metavar="COMMIT", help="measure the package at this commit as well")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="also write the tables there")
    parser.add_argument("--plots", type=Path, metavar="FOLDER", help="draw the tables there, with matplotlib")
    options = parser.parse_args()
    effort = Effort(7 if options.quick else 31, options.quick, options.against, options.plots)
    if effort.plots:
        effort.plots.mkdir(parents=True, exist_ok=True)
    texts = []
    for text in _texts(options.only, effort):
        print(text, flush=True)
        texts.append(text)
    if options.markdown:
        options.markdown.write_text("\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
