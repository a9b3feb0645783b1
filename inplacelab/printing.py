"""Prints tensors in the format of PaddlePaddle 3.3.1, character for character.

A header line with the metadata is followed by the data, indented under the opening bracket. The elements are padded on
the right to one width. Two habits of Paddle are kept because programs compare printed text: the width is measured at the
edges of the tensor only, even when all of it is shown, and a sign column appears as soon as one of the measured elements
is negative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from inplacelab.language import Text

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PrintOptions", "format_data", "format_tensor", "get_printoptions", "set_printoptions"]


class PrintOptions(NamedTuple):
    """The options that `set_printoptions` sets."""

    precision: int = 8
    """Digits after the point."""
    threshold: int = 1000
    """A tensor with more elements than this is summarized."""
    edgeitems: int = 3
    """The number of elements that a summary shows at each end of an axis."""
    sci_mode: bool = False
    """Print every float in scientific notation."""
    linewidth: int = 80
    """Characters in a line."""


_options = PrintOptions()


def get_printoptions() -> PrintOptions:
    """Returns the current print options."""
    return _options


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    sci_mode: bool | None = None,
    linewidth: int | None = None,
) -> None:
    """Sets how tensors are printed. Options that are not given keep their values.

    Args:
        precision: digits after the point; 8 by default.
        threshold: a tensor with more elements is summarized; 1000 by default.
        edgeitems: elements that a summary shows at each end of an axis; 3 by default.
        sci_mode: whether floats are printed in scientific notation; False by default.
        linewidth: characters in a line; 80 by default.

    Raises:
        TypeError: if `sci_mode` is not a bool or another option is not an int. Nothing is changed then.
        ValueError: if a number is negative. Nothing is changed then.
    """
    global _options
    counts = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen: dict[str, Any] = {name: _checked_count(name, count) for name, count in counts.items() if count is not None}
    if sci_mode is not None:
        chosen["sci_mode"] = _checked_switch("sci_mode", sci_mode)
    _options = _options._replace(**chosen)


def format_tensor(
    array: NDArray[Any],
    *,
    shape: Sequence[int],
    dtype_name: str,
    place: str,
    stop_gradient: bool,
    prefix: str = "Tensor",
) -> str:
    """Returns the repr of a tensor.

    Args:
        array: its elements.
        shape: its shape, as the header shows it.
        dtype_name: its dtype, without the name of the package: "float32".
        place: its device: "Place(cpu)".
        stop_gradient: True if it needs no gradient.
        prefix: the word before the bracket; the data is indented by its length.

    >>> elements = np.array([[0.5, -1.5], [2.25, 3.0]])
    >>> print(format_tensor(elements, shape=[2, 2], dtype_name="float64", place="Place(cpu)", stop_gradient=True))
    Tensor(shape=[2, 2], dtype=float64, place=Place(cpu), stop_gradient=True,
           [[ 0.50000000, -1.50000000],
            [ 2.25000000,  3.        ]])
    """
    indent = len(prefix) + 1
    header = f"shape={list(shape)}, dtype={dtype_name}, place={place}, stop_gradient={stop_gradient}"
    return f"{prefix}({header},\n{' ' * indent}{format_data(array, indent)})"


def format_data(array: NDArray[Any], indent: int) -> str:
    """Returns the elements of a tensor in nested brackets; the outermost bracket is in column `indent`.

    >>> print(format_data(np.array([[1, 20], [300, 4]]), indent=0))
    [[1  , 20 ],
     [300, 4  ]]
    """
    column = _measured(array)
    return _nested(array, indent, column, summary=array.size > _options.threshold)


# --- elements ------------------------------------------------------------------------------------------------------


class _Column(NamedTuple):
    """The width of every element, and whether there is a sign column."""

    width: int
    signed: bool

    def fit(self, element: Any) -> str:
        word = _word(element)
        # An element that fills the width gets no blank for its sign: it then begins one place to the left.
        blank = " " if self.signed and len(word) < self.width and not _is_negative(element) else ""
        return (blank + word).ljust(self.width)


def _measured(array: NDArray[Any]) -> _Column:
    edges = array[np.ix_(*map(_edge, array.shape))] if array.ndim else array
    elements = list(edges.flat)
    return _Column(max((len(_word(e)) for e in elements), default=0), any(_is_negative(e) for e in elements))


def _edge(size: int) -> list[int]:
    """The positions along an axis that are measured. With no edge items Paddle measures them all."""
    return [at for at in _shown(size, summary=True) if at is not None] or list(range(size))


def _word(element: Any) -> str:
    """One element, before padding."""
    value = element.item()
    if isinstance(value, complex):
        plus = "+" if value.imag >= 0 else ""
        return f"({_digits(value.real)}{plus}{_digits(value.imag)}j)"
    if not isinstance(value, float):
        return str(value)
    is_whole = value.is_integer() or math.isinf(value)
    return f"{value:.0f}." if is_whole and not _options.sci_mode else _digits(value)


def _digits(value: float) -> str:
    return f"{value:.{_options.precision}{'e' if _options.sci_mode else 'f'}}"


def _is_negative(element: Any) -> bool:
    """NumPy's order: -0.0 and nan are not negative; complex numbers go by the real part, then the imaginary one."""
    return bool(element < 0)


# --- brackets ------------------------------------------------------------------------------------------------------


def _nested(array: Any, indent: int, column: _Column, *, summary: bool) -> str:
    if array.ndim == 0:
        return column.fit(array)
    shown = _shown(len(array), summary=summary)
    inner = ["..." if at is None else _nested(array[at], indent + 1, column, summary=summary) for at in shown]
    next_line = "\n" * max(array.ndim - 1, 1) + " " * (indent + 1)
    per_line = max(1, (_options.linewidth - indent) // (column.width + 2)) if array.ndim == 1 else 1
    lines = [", ".join(inner[start : start + per_line]) for start in range(0, len(inner), per_line)]
    return f"[{f',{next_line}'.join(lines)}]"


def _shown(size: int, *, summary: bool) -> list[int | None]:
    """The positions along an axis that are printed; None for those left out."""
    count = _options.edgeitems
    if summary and size > 2 * count:
        return [*range(count), None, *range(size - count, size)]
    return list(range(size))


# --- checks --------------------------------------------------------------------------------------------------------


def _checked_count(name: str, count: Any) -> int:
    if not isinstance(count, int) or isinstance(count, bool):
        pattern = Text("`{0}` must be an int, not {1!r}.", "`{0}` 必须是 int，而不是 {1!r}。")
        raise TypeError(str(pattern.format(name, count)))
    if count < 0:
        pattern = Text("`{0}` must be 0 or more, not {1}.", "`{0}` 不能是负数：{1}。")
        raise ValueError(str(pattern.format(name, count)))
    return count


def _checked_switch(name: str, switch: Any) -> bool:
    if not isinstance(switch, bool):
        pattern = Text("`{0}` must be True or False, not {1!r}.", "`{0}` 必须是 True 或 False，而不是 {1!r}。")
        raise TypeError(str(pattern.format(name, switch)))
    return switch
