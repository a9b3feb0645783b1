"""Prints tensors as PyTorch does: four digits, one width for all elements, and what is not usual behind them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from inplacelab import dtypes


@dataclass
class Options:
    """How tensors are printed: see `torch.set_printoptions`."""

    precision: int = 4
    threshold: float = 1000
    edge: int = 3
    width: int = 80
    scientific: bool | None = None


OPTIONS = Options()
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {},
    "short": {"precision": 2, "edge": 2},
    "full": {"threshold": math.inf},
}
_USUAL = ("int64", "bool")


def choose(profile: str | None, given: Mapping[str, Any]) -> None:
    """Changes the options: to those of a profile, if there is one, and then the given ones."""
    chosen = {} if profile is None else {**vars(Options()), **_PROFILES[profile]}
    for name, value in {**chosen, **given}.items():
        setattr(OPTIONS, name, value)


def repr_of(tensor: Any) -> str:
    """Returns `tensor([1., 2.], requires_grad=True)`."""
    array, prefix = tensor._tensor.numpy(), "tensor("
    suffixes = list(_suffixes(tensor, array))
    body = (
        "[]" if not array.size else _nested(array, len(prefix), _Column(_shown(array)), array.size > OPTIONS.threshold)
    )
    return _joined(prefix + body, suffixes, len(prefix))


def _suffixes(tensor: Any, array: np.ndarray[Any, Any]) -> Iterator[str]:
    name, usual = array.dtype.name, (dtypes.get_default_dtype(),)
    if not array.size and array.ndim != 1:
        yield f"size={tuple(array.shape)}"
    if name not in (usual if not array.size else (*usual, *_USUAL)):
        yield f"dtype=torch.{name}"
    made_by = tensor.grad_fn
    if made_by is not None:
        yield f"grad_fn=<{made_by.name().rpartition('::')[2]}>"
    elif tensor.requires_grad:
        yield "requires_grad=True"


def _joined(text: str, suffixes: list[str], indent: int) -> str:
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > OPTIONS.width:
            text, last = f"{text},\n{' ' * indent}{suffix}", indent + len(suffix)
        else:
            text, last = f"{text}, {suffix}", last + len(suffix) + 2
    return text + ")"


def _shown(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The elements that are printed, which determine the width."""
    if array.size <= OPTIONS.threshold:
        return array
    for axis, size in enumerate(array.shape):
        if size > 2 * OPTIONS.edge:
            array = np.take(array, [*range(OPTIONS.edge), *range(size - OPTIONS.edge, size)], axis)
    return array


class _Column:
    """How every element is printed."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.width, self.whole, self.scientific = 1, True, False
        self.floating = array.dtype.kind in "fc"
        if array.dtype.kind == "c":
            self.real, self.imaginary = _Column(array.real), _Column(array.imag)
            self.width = self.real.width + self.imaginary.width + 1
            self.complex = True
            return
        self.complex = False
        values = [each.item() for each in array.ravel()]
        if self.floating:
            finite = [abs(each) for each in values if math.isfinite(each) and each != 0]
            if finite:
                self._choose([each for each in values if math.isfinite(each) and each != 0], min(finite), max(finite))
        self.width = max((len(self.word(each)) for each in values), default=1)

    def _choose(self, values: list[float], least: float, most: float) -> None:
        self.whole = all(each == math.ceil(each) for each in values)
        if OPTIONS.scientific is not None:
            self.scientific = OPTIONS.scientific
            return
        self.scientific = most / least > 1000.0 or most > 1.0e8 or (not self.whole and least < 1.0e-4)

    def word(self, value: Any) -> str:
        if not self.floating:
            return str(value)
        if self.scientific:
            return f"{value:.{OPTIONS.precision}e}"
        if self.whole:
            return f"{value:.0f}" + "." * math.isfinite(value)
        return f"{value:.{OPTIONS.precision}f}"

    def fit(self, element: Any) -> str:
        value = element.item()
        if self.complex:
            imaginary = self.imaginary.word(value.imag)
            sign = "" if imaginary.startswith("-") else "+"
            return f"{self.real.word(value.real).rjust(self.real.width)}{sign}{imaginary}j"
        return self.word(value).rjust(self.width)


def _nested(array: Any, indent: int, column: _Column, summary: bool) -> str:
    if array.ndim == 0:
        return column.fit(array)
    size = len(array)
    shown: list[int | None] = list(range(size))
    if summary and size > 2 * OPTIONS.edge:
        shown = [*range(OPTIONS.edge), None, *range(size - OPTIONS.edge, size)]
    if array.ndim == 1:
        per_line = max(1, (OPTIONS.width - indent) // (column.width + 2))
        words = [" ..." if at is None else column.fit(array[at]) for at in shown]
        lines = [", ".join(words[start : start + per_line]) for start in range(0, len(words), per_line)]
        return f"[{(',' + chr(10) + ' ' * (indent + 1)).join(lines)}]"
    parts = ["..." if at is None else _nested(array[at], indent + 1, column, summary) for at in shown]
    return f"[{(',' + chr(10) * (array.ndim - 1) + ' ' * (indent + 1)).join(parts)}]"
