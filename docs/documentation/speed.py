"""The page on speed: the measurements of `benchmarks/RESULTS.md` as plots and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from documentation.links import ROOT, Links
from documentation.tables import markdown, searchable
from inplacelab.language import Text, speak

RESULTS = ROOT / "benchmarks" / "RESULTS.md"
CONTESTANTS = {"ours/NumPy": "inplacelab", "torch/NumPy": "PyTorch", "paddle/NumPy": "PaddlePaddle"}
MARKS = {"inplacelab": "o", "PyTorch": "s", "PaddlePaddle": "^"}
INKS = {"light": ("#1a1a1a", ("#0550ae", "#b35900", "#1a7f37")), "dark": ("#e0e0e0", ("#79b8ff", "#ffab70", "#7ee787"))}
"""For each theme the color of text, and of the contestants. Their marks differ in shape, too."""

TITLES = {
    "Latency": Text("Small tensors: what one operation costs", "小张量：一次操作的开销"),
    "Programs": Text("Programs, forward and backward", "整段程序：前向与反向"),
    "Large": Text("Large tensors, in place", "大张量，原地操作"),
}
_TITLE = Text("Speed", "速度")
_ABOUT = Text(
    "Each figure is a multiple of what NumPy takes for the same numbers, measured in turn within one run: {0} Smaller is faster, and "
    "the scale of the plots is logarithmic. [The full results]({1}) have the goals that were set before, and say why some are missed. "
    "`make bench` measures again.",
    "每个数字都是 NumPy 完成同样计算所用时间的倍数，在同一次运行里交替测得：{0}数字越小越快，图的刻度为对数。[完整结果]({1})里有事先定下的"
    "目标，并说明有些目标为什么没有达到。`make bench` 会重新测量。",
)
_WRONG = Text(
    "*wrong*: the gradients are not those of NumPy; such a figure is not drawn.",
    "*wrong*：梯度与 NumPy 的不同，这样的数字不画在图里。",
)
_ALT = Text("Time as a multiple of NumPy's: {0}", "所用时间为 NumPy 的倍数：{0}")
_ROW = Text("measured", "测量对象")
_SECTION = re.compile(r"^## (?P<title>.+)\n\n(?P<table>(?:\|.*\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A table of the results.

    Attributes:
        key: the first word of its title.
        title: its title in the results.
        rows: for each line of the table its name, and the cells of the contestants.
    """

    key: str
    title: str
    rows: dict[str, dict[str, str]]

    def numbers(self) -> dict[str, dict[str, float]]:
        """The cells that are numbers, and those of right results."""
        return {
            name: {who: float(cell) for who, cell in cells.items() if re.fullmatch(r"[\d.]+", cell)}
            for name, cells in self.rows.items()
        }


def sections() -> Iterator[Section]:
    """Yields the tables of the results that compare with NumPy."""
    for found in _SECTION.finditer(RESULTS.read_text(encoding="utf-8")):
        head, _, *lines = (
            [cell.strip() for cell in line.strip("|").split("|")] for line in found["table"].splitlines()
        )
        key = re.split(r"\W", found["title"])[0]
        if key in TITLES:
            rows = {
                line[0]: {CONTESTANTS[name]: line[k] for k, name in enumerate(head) if name in CONTESTANTS}
                for line in lines
            }
            yield Section(key, found["title"], rows)


def page(language: str, links: Links) -> str:
    """Returns the page, with a plot and a table for each section."""
    machine = RESULTS.read_text(encoding="utf-8").split("\n\n")[2].strip()
    with speak(language):
        parts = [f"# {_TITLE}\n", f"{_ABOUT.format(machine + ' ' * (language == 'en'), links.outside(RESULTS))}\n"]
        for section in sections():
            title = TITLES[section.key]
            rows = [(name, *cells.values()) for name, cells in section.rows.items()]
            parts.append(f"## {title}\n")
            parts += [f"![{_ALT.format(title)}](pictures/{_file(section, theme)}){{.only-{theme}}}\n" for theme in INKS]
            parts.append(searchable(markdown((_ROW, *CONTESTANTS.values()), rows)))
        return "\n".join([*parts, f"{_WRONG}\n"])


def draw(folder: Path) -> None:
    """Draws the plots into a folder, for both themes."""
    folder.mkdir(exist_ok=True)
    for section in sections():
        for theme in INKS:
            _plot(section, theme, folder / _file(section, theme))


def _file(section: Section, theme: str) -> str:
    return f"speed_{section.key.lower()}_{theme}.svg"


def _plot(section: Section, theme: str, file: Path) -> None:
    """A line for each row: the marks of the contestants, on a logarithmic scale of multiples of NumPy's time."""
    ink, colors = INKS[theme]
    numbers = section.numbers()
    figure = Figure(figsize=(7.5, 1.1 + 0.26 * len(numbers)), layout="constrained")
    axes = figure.subplots()
    for who, color in zip(MARKS, colors, strict=True):
        points = [(row[who], k) for k, row in enumerate(numbers.values()) if who in row]
        axes.plot(*zip(*points, strict=True), MARKS[who], color=color, label=who, markersize=5, linestyle="none")
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.axvline(1, color=ink, linewidth=0.8)
    axes.set_yticks(range(len(numbers)), list(numbers))
    axes.set_ylim(len(numbers) - 0.5, -0.5)
    axes.grid(axis="y", alpha=0.2)
    axes.tick_params(colors=ink, labelsize=8)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False, labelcolor=ink, fontsize=8)
    for side, spine in axes.spines.items():
        spine.set_visible(side == "bottom")
        spine.set_color(ink)
    figure.savefig(file, transparent=True, metadata={"Date": None})
