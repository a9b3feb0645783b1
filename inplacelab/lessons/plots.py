"""Draws plots in the style of the lessons: as wide as a page, with markers as well as colors, and as text.

The text can be read aloud, and tests that execute a lesson compare its numbers, since pixels depend on the version of
Matplotlib and on fonts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from inplacelab.language import Text

_WIDTH = 8.0
_DOTS_PER_INCH = 106  # times the width: 848 pixels, a page in JupyterLab
_STYLE = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.axisbelow": True,
    "figure.dpi": _DOTS_PER_INCH,
    "figure.constrained_layout.use": True,
    "font.size": 10.0,
    "grid.color": "#d8dbe0",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.hashsalt": "inplacelab",
}
# Okabe and Ito's colors, and markers for readers who do not see colors.
_COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#000000")
_DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))

_OVER = Text("{0} over {1}", "纵轴 {0}，横轴 {1}")
_IMAGE = Text("image, {0} pixels, mean {1}", "图像，{0} 像素，均值 {1}")
_POINTS = Text("  {0}: {1} points, from {2} to {3}", "  {0}：{1} 个点，从 {2} 到 {3}")
_NO_POINTS = Text("  {0}: no points", "  {0}：没有点")
_NAMED_BARS = Text("  {0}: {1}", "  {0}：{1}")

_GIVEN_NAMES = {"StrCategoryFormatter", "FixedFormatter"}
"""Matplotlib's formatter for named ticks, as opposed to ticks that it chose along an axis of numbers."""


@contextmanager
def figure(columns: int = 1, *, height: float = 3.0) -> Iterator[Any]:
    """Draws a plot with Matplotlib, and shows it at the end of the `with` block.

    Args:
        columns: the number of plots side by side.
        height: of the figure, in inches; it is 8 wide.

    Yields:
        The `Axes`; a list of them if there are several columns.

    Raises:
        ImportError: if Matplotlib is not installed (it is part of the extra `lab`).

    >>> with figure() as axes:  # doctest: +SKIP
    ...     axes.plot([0, 1, 2], [4.0, 2.0, 1.0], label="loss")
    """
    import matplotlib as mpl  # noqa: PLC0415  # only who draws needs it
    from IPython.display import display  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    with mpl.rc_context({**_STYLE, "axes.prop_cycle": _cycle(mpl)}):
        drawn = Figure(figsize=(_WIDTH, height))
        axes = list(drawn.subplots(1, columns, squeeze=False)[0])
        yield axes[0] if columns == 1 else axes
        for each in axes:
            if each.get_legend_handles_labels()[1] and each.get_legend() is None:
                each.legend()
        picture = BytesIO()
        drawn.savefig(picture, format="png", metadata={"Software": None})
    display({"image/png": picture.getvalue(), "text/plain": "\n".join(_described(axes))}, raw=True)


def _cycle(mpl: Any) -> Any:
    return mpl.cycler(color=_COLORS) + mpl.cycler(linestyle=_DASHES)


def _described(all_axes: Iterable[Any]) -> Iterator[str]:
    for axes in all_axes:
        lying = any(bars.orientation == "horizontal" for bars in axes.containers)
        across, up = axes.get_xlabel(), axes.get_ylabel()
        pictures = axes.get_images()
        if axes.get_title() or not pictures:
            yield axes.get_title() or (across if lying else str(_OVER.format(up or "y", across or "x")))
        for picture in pictures:
            size = " × ".join(map(str, picture.get_size()))
            yield str(_IMAGE.format(size, f"{picture.get_array().mean():.2f}"))
        yield from (_bars(bars, axes) for bars in axes.containers)
        for line in axes.get_lines():
            heights = line.get_ydata()
            ends = [_number(heights[k]) for k in (0, -1)] if len(heights) else []
            yield str((_POINTS if ends else _NO_POINTS).format(line.get_label(), len(heights), *ends))


def _bars(bars: Any, axes: Any) -> str:
    """Formats the numbers of bars, each with its tick label if every bar has one."""
    lying = bars.orientation == "horizontal"
    lengths = [_number(bar.get_width() if lying else bar.get_height()) for bar in bars]
    axis = axes.yaxis if lying else axes.xaxis
    names = [tick.get_text() for tick in axis.get_ticklabels()]
    given = type(axis.get_major_formatter()).__name__ in _GIVEN_NAMES
    named = given and len(names) == len(lengths) and all(names)
    numbers = (
        ", ".join(f"{name} {length}" for name, length in zip(names, lengths, strict=True))
        if named
        else ", ".join(lengths)
    )
    label = bars.get_label()
    if label.startswith("_"):  # Matplotlib's automatic label
        return f"  {numbers}"
    return str(_NAMED_BARS.format(label, numbers))


def _number(value: float) -> str:
    """Formats a value: integers in full, floats to the digits that are the same on all machines."""
    return str(int(value)) if float(value).is_integer() else f"{value:.4g}"
