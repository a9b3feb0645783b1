"""Tables as Markdown, and curves as tables and plots: what the sections of `compare.py` return, and how it is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import geometric_mean
from typing import NamedTuple

NOTHING = "-"
"""What stands where nothing was measured."""


class Table(NamedTuple):
    """A table.

    Attributes:
        title: its heading.
        header: the names of its columns. The first column is text; in the others, too, everything is text already.
        rows: as many texts each.
        notes: sentences below it.
    """

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()


class Curve(NamedTuple):
    """What something costs as something else grows.

    Attributes:
        title: what is measured, "time of one write to a base".
        size: what grows, "live views".
        points: sizes in ascending order, with the time of one operation, as a multiple of an addition of NumPy's.
    """

    title: str
    size: str
    points: Sequence[tuple[int, float]]

    @property
    def growth(self) -> float:
        """How many times as long one operation takes at the largest size as at the smallest."""
        return self.points[-1][1] / self.points[0][1]


def factor(number: float | None) -> str:
    """A ratio as text, with two digits after the point while it is small."""
    if number is None:
        return NOTHING
    return f"{number:.2f}" if number < 100 else f"{number:.0f}"


def duration(seconds: float) -> str:
    """Seconds as text, in the unit that makes them easy to read."""
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds * 1e9:.0f} ns"


def mean(ratios: Sequence[float | None]) -> float | None:
    """The geometric mean of those that there are."""
    there = [ratio for ratio in ratios if ratio is not None]
    return geometric_mean(there) if there else None


def markdown(table: Table) -> str:
    """The table in Markdown, with columns that are also aligned as plain text."""
    cells = [list(table.header), *map(list, table.rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(table.header))]

    def line(row: Sequence[str]) -> str:
        texts = [
            text.rjust(width) if i else text.ljust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        return "| " + " | ".join(texts) + " |"

    rule = (
        "|"
        + "|".join((":" if not i else "-") + "-" * width + ("-" if not i else ":") for i, width in enumerate(widths))
        + "|"
    )
    lines = [f"## {table.title}", "", line(table.header), rule, *map(line, table.rows)]
    return "\n".join([*lines, *(f"\n{note}" for note in table.notes)]) + "\n"


def table_of(title: str, curves: Sequence[Curve], limit: float) -> Table:
    """The curves as one table: smallest and largest size, and what an operation costs there.

    Args:
        title: its heading.
        curves: as measured.
        limit: how many times as long it may take at the largest size. Measurements differ by chance, so it is more than 1.
    """
    rows = []
    for curve in curves:
        (small, low), (large, high) = curve.points[0], curve.points[-1]
        steepest = max(b[1] / a[1] for a, b in pairwise(curve.points))
        verdict = "met" if curve.growth <= limit else f"missed: over {limit:g}"
        rows.append([
            curve.title, f"{small:,} to {large:,} {curve.size}", factor(low), factor(high), factor(curve.growth), factor(steepest), verdict,
        ])  # fmt: skip
    header = ("time of one", "as there are", "smallest", "largest", "factor", "largest step", "goal")
    return Table(title, header, rows)


def plot_curves(curves: Sequence[Curve], file: Path) -> None:
    """Draw the curves into one picture with logarithmic axes; a level line is time that does not depend on the size."""
    from matplotlib.figure import Figure  # noqa: PLC0415  # only where plots are asked for

    figure = Figure(figsize=(9, 5.5), layout="constrained")
    axes = figure.add_subplot()
    for curve in curves:
        sizes, times = zip(*curve.points, strict=True)
        axes.plot(sizes, times, marker="o", label=f"{curve.title}: {curve.size}")
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="size",
        ylabel="time of one, in additions of NumPy",
        ylim=(0.1, 100),
        title="How the cost grows",
    )
    axes.legend(fontsize="small")
    axes.grid(visible=True, which="both", alpha=0.3)
    figure.savefig(file)


def plot_ratios(title: str, ratios: Mapping[str, Mapping[str, float | None]], file: Path) -> None:
    """Draw the ratios of a table as bars that begin at 1: to the left we are faster.

    Args:
        title: the table's.
        ratios: for each row, by column, how many times as long we take; None where nothing was measured.
        file: where the picture is written.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415  # only where plots are asked for

    names = list(ratios)
    columns = list(dict.fromkeys(column for row in ratios.values() for column in row))
    figure = Figure(figsize=(9, 1.5 + 0.14 * len(names) * max(len(columns), 1)), layout="constrained")
    axes = figure.add_subplot()
    height = 0.8 / max(len(columns), 1)
    for number, column in enumerate(columns):
        places = [i + number * height for i in range(len(names))]
        beyond = [(ratios[name].get(column) or 1.0) - 1.0 for name in names]
        axes.barh(places, beyond, height, left=1.0, label=column)
    axes.axvline(1.0, color="black", linewidth=0.8)
    axes.set(xscale="log", title=title, xlabel="times as long")
    axes.set_yticks([i + 0.4 - height / 2 for i in range(len(names))], names)
    axes.invert_yaxis()
    axes.legend(fontsize="small")
    figure.savefig(file)
