"""The data on which a program runs again to try a fix (`replay.py`): what it was given, other data, and moved elements.

- `InitialValues`: copies of what it was given, so that it runs again as it ran at first.
- `OtherData`: other seeds, and other values of the tensors that it makes of numbers.
- `compare`: gradients against finite differences of the loss, for frameworks whose own backward may be wrong. Of each leaf some elements are
  moved up and down, each in a run of its own that ends where the first backward pass would begin. An element at which the loss is not smooth
  tells nothing: where the slopes to both sides differ, or those of two step sizes.

A fix may agree with the original by accident: with one seed a ReLU passes nothing on, a parameter is zero. So it is compared on other data, too.
The values are derived from the values that the program gives, so they are the same in the original and in the edited program.
"""

from __future__ import annotations

import random
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from inplacelab import backends, dtypes
from inplacelab.installing import NAME
from inplacelab.layout import Layout
from inplacelab.storage import Storage
from inplacelab.tensor import Parameter, Tensor, adopt, over

__all__ = ["OWN", "Compared", "Leaf", "OtherData", "Shift", "compare"]


OWN = 0
"""The number of the program's own data."""
NEAR = 1
"""Up to this number, values are near the program's own, so that logarithms and the like still take them. Others have any sign."""
NEAREST, FARTHEST = 0.05, 0.25
"""How far a near value is from the program's own: relative to that if it is larger than 1."""
SMALLEST = 0.01
"""The smallest magnitude of another value: none is zero."""
_APART = 7919
"""How far the seeds of one set of data are from those of the next."""


class OtherData:
    """One set of data.

    Args:
        number: which: `OWN`, or another one; that of a negative number has other seeds only.
    """

    def __init__(self, number: int = OWN) -> None:
        self.number = number
        self._made: Counter[tuple[int, ...]] = Counter()

    def seed(self, seed: Any) -> Any:
        """Returns the seed that takes the place of the program's own; what is no integer stays as it is."""
        return (seed + self.number * _APART) % (1 << 32) if self.number and type(seed) is int else seed

    def values(self, own: Any) -> Any:
        """Returns an array of floating-point values in place of the program's own, none of them zero.

        Args:
            own: the array; it is not changed.
        """
        if self.number <= 0:
            return own
        key = (zlib.crc32(np.ascontiguousarray(own).tobytes()), *own.shape)
        self._made[key] += 1
        draw = np.random.default_rng([self.number, self._made[key], *key])
        size, signs = np.maximum(np.abs(own), 1), draw.choice([-1.0, 1.0], own.shape)
        if self.number > NEAR:
            found = draw.uniform(FARTHEST, 1.5, own.shape) * size * signs
        else:
            found = own + draw.uniform(NEAREST, FARTHEST, own.shape) * size * signs
        return np.where(np.abs(found) < SMALLEST, SMALLEST, found).astype(own.dtype)

    @contextmanager
    def seeded(self) -> Iterator[None]:
        """Seeds Python's and NumPy's generators inside a `with` block, and changes the seeds that the program gives them."""
        with self.reseeding((random, "seed"), (np.random, "seed"), (np.random, "default_rng")):
            random.seed(0)
            np.random.seed(0)  # noqa: NPY002  # the program may draw from it
            yield

    @contextmanager
    def reseeding(self, *places: tuple[Any, str]) -> Iterator[None]:
        """Changes, inside a `with` block, the seeds that the program gives to functions.

        Args:
            *places: the module or class of each function, and its name.
        """
        before = [(owner, name, getattr(owner, name)) for owner, name in places if hasattr(owner, name)]
        try:
            for owner, name, function in before:
                setattr(owner, name, self._reseeded(function))
            yield
        finally:
            for owner, name, function in before:
                setattr(owner, name, function)

    def _reseeded(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def reseeded(*args: Any, **kwargs: Any) -> Any:
            return function(*map(self.seed, args), **{name: self.seed(each) for name, each in kwargs.items()})

        return reseeded


LARGEST = 1 << 20
"""Tensors are copied up to so many elements in all."""


class NotWholeError(Exception):
    """Raised for an object that cannot be copied so that the program finds it as it was."""


@dataclass(frozen=True)
class _Form:
    """A tensor as plain data."""

    kind: type[Tensor]
    storage: int
    layout: Layout
    dtype: np.dtype[Any]
    stop_gradient: bool
    name: str | None
    gradient: _Form | None


class InitialValues:
    """What a program's names referred to when it began: whole copies, which the run does not change.

    Args:
        names: the program's names, with their objects.
        used: the names that occur in its text.
    """

    def __init__(self, names: Mapping[str, Any], used: Iterable[str]) -> None:
        self._buffers: dict[int, Any] = {}
        self._forms: dict[int, _Form] = {}
        self._room = LARGEST
        self._values: dict[str, Any] = {}
        self._alive: list[Any] = []  # their ids are keys
        for name in used:
            if name in names:
                try:
                    self._values[name] = self._kept(names[name])
                except NotWholeError:
                    continue
        self._alive.clear()

    @property
    def outside(self) -> list[str]:
        """The names of modules, classes and functions."""
        return [name for name, value in self._values.items() if _is_ours(value)]

    def names(self, values: Callable[[Any], Any]) -> dict[str, Any]:
        """Returns these names, with new copies of the objects.

        Args:
            values: returns the values that take the place of those in an array of floating-point numbers.
        """
        floating = {key: np.issubdtype(buffer.dtype, np.floating) for key, buffer in self._buffers.items()}
        storages = {
            key: Storage((values(buffer) if floating[key] else buffer).copy(), backends.CPU)
            for key, buffer in self._buffers.items()
        }
        made: dict[int, Tensor] = {}
        return {name: _thawed(value, storages, made) for name, value in self._values.items()}

    def _kept(self, value: Any) -> Any:
        kind = type(value)
        if kind in _IMMUTABLE or _is_ours(value):
            return value
        if kind in (list, tuple):
            return kind(map(self._kept, value))
        if kind is dict and all(type(key) in _IMMUTABLE for key in value):
            return {key: self._kept(each) for key, each in value.items()}
        if kind in (Tensor, Parameter):
            return self._frozen(value)
        raise NotWholeError

    def _frozen(self, tensor: Tensor) -> _Form:
        if id(tensor) in self._forms:
            return self._forms[id(tensor)]
        storage = tensor.storage
        leads_elsewhere = tensor.node is not None or tensor.base is not None or tensor._hooks or tensor.untracked
        if leads_elsewhere or storage.device is not backends.CPU:
            raise NotWholeError
        if id(storage) not in self._buffers:
            self._room -= storage.slots
            if self._room < 0:
                raise NotWholeError
            self._buffers[id(storage)] = storage.buffer.copy()
            self._alive.append(storage)
        gradient = None if tensor._grad is None else self._frozen(tensor._grad)
        form = _Form(
            type(tensor), id(storage), tensor.layout, tensor.array.dtype, tensor.stop_gradient, tensor._name, gradient
        )
        self._forms[id(tensor)] = form
        self._alive.append(tensor)
        return form


_IMMUTABLE = frozenset({int, float, complex, bool, str, bytes, type(None), type(...), range, slice, dtypes.DType})


def _is_ours(value: Any) -> bool:
    """Whether a value is a module, a class or a function of this package, or of `math`."""
    if isinstance(value, ModuleType):
        name = value.__name__
    elif isinstance(value, FunctionType | BuiltinFunctionType | type):
        name = str(value.__module__)
    else:
        return False
    return name.partition(".")[0] in (NAME, "math")


def _thawed(value: Any, storages: Mapping[int, Storage], made: dict[int, Tensor]) -> Any:
    if isinstance(value, _Form):
        if id(value) not in made:
            storage = storages[value.storage]
            made[id(value)] = tensor = object.__new__(value.kind)
            tensor._grad = tensor._hooks = None
            adopt(tensor, over(storage.device.window(storage.buffer, value.layout, value.dtype), storage))
            tensor._stop, tensor._name = value.stop_gradient, value.name
            if value.gradient is not None:
                tensor._grad = _thawed(value.gradient, storages, made)
        return made[id(value)]
    if type(value) in (list, tuple):
        return type(value)(_thawed(each, storages, made) for each in value)
    if type(value) is dict:
        return {key: _thawed(each, storages, made) for key, each in value.items()}
    return value


ELEMENTS = 3
"""So many elements of each leaf are moved."""
LEAVES = 32
"""The gradients of so many leaves are compared."""
ACCURACY = 0.03
"""How far a gradient may be from the finite difference, relative to the larger of the two."""
SMOOTH = 0.1
"""How far the slopes to both sides may be from each other."""


class Shift(NamedTuple):
    """Moves one element of a leaf: of the leaf with this number, the element at this position, by this much."""

    leaf: int
    element: int
    step: float


@dataclass(frozen=True)
class Leaf:
    """A leaf, and the gradient that the first pass gave it.

    Attributes:
        number: the position in the order in which the program made its tensors.
        name: its name in the program; "" if it has none.
        values: its values.
        gradient: its gradient; None if it got none.
    """

    number: int
    name: str
    values: Any
    gradient: Any


@dataclass(frozen=True)
class Compared:
    """What that has shown.

    Attributes:
        count: how many elements of gradients agree.
        all_leaves: whether there is such an element in the gradient of each leaf.
        wrong: the name of a leaf whose gradient disagrees, its gradient and the finite difference; None if there is none.
    """

    count: int = 0
    all_leaves: bool = False
    wrong: tuple[str, float, float] | None = None


def compare(leaves: Sequence[Leaf], loss: float, run: Callable[[Shift], float | None], *, seconds: float) -> Compared:
    """Compares gradients with finite differences.

    Args:
        leaves: the leaves.
        loss: the loss with which the pass began.
        run: returns the loss of the program with a moved element; None if that does not run.
        seconds: how long that may take.
    """
    until = time.monotonic() + seconds
    count, met = 0, 0
    for leaf in leaves[:LEAVES]:
        agree = 0
        for element in _elements(leaf):
            if time.monotonic() > until:
                return Compared(count)
            found = _slope(leaf, element, loss, run)
            if found is None:
                continue
            slope, error = found
            gradient = 0.0 if leaf.gradient is None else float(leaf.gradient.flat[element])
            if not abs(slope - gradient) <= ACCURACY * max(abs(slope), abs(gradient)) + error:
                return Compared(count, wrong=(leaf.name, gradient, slope))
            agree += 1
        count += agree
        met += bool(agree)
    return Compared(count, all_leaves=bool(leaves) and met == len(leaves))


class Slope(NamedTuple):
    """What finite differences give for an element of a gradient: its position, what the framework gave for it, and the slope of the loss."""

    element: int
    gradient: float
    slope: float


def slopes_at(
    leaves: Sequence[Leaf], elements: Mapping[str, int], loss: float, run: Callable[[Shift], float | None], *, seconds: float
) -> dict[str, Slope]:  # fmt: skip
    """Returns the slope of the loss at one element of each leaf, by the names of the leaves, where it is smooth.

    Args:
        leaves: the leaves.
        elements: which element, by the names of leaves; the one with the largest gradient for others.
        loss: the loss with which the pass began.
        run: returns the loss of the program with a moved element; None if that does not run.
        seconds: how long that may take.
    """
    until, found = time.monotonic() + seconds, {}
    for leaf in sorted(leaves, key=lambda each: each.name not in elements)[:LEAVES]:
        element = elements.get(leaf.name, next(iter(_elements(leaf)), None))
        if element is None or element >= leaf.values.size or time.monotonic() > until:
            continue
        slope = _slope(leaf, element, loss, run)
        if slope is not None:
            gradient = 0.0 if leaf.gradient is None else float(leaf.gradient.flat[element])
            found[leaf.name] = Slope(element, gradient, slope[0])
    return found


def is_slope(gradient: float, slope: float) -> bool:
    """Whether an element of a gradient is what finite differences give, as accurately as they are."""
    return abs(slope - gradient) <= ACCURACY * max(abs(slope), abs(gradient)) + 1e-3


def _elements(leaf: Leaf) -> Iterable[int]:
    """Returns positions: where the gradient is largest, where it is zero, and one more."""
    if not leaf.values.size:
        return ()
    gradient = np.zeros(leaf.values.size) if leaf.gradient is None else np.abs(leaf.gradient).ravel()
    zeros = np.flatnonzero(gradient == 0)
    chosen: Iterator[int] = iter(
        [int(np.argmax(gradient)), *map(int, zeros[:1]), gradient.size // 2, 0, gradient.size - 1]
    )
    return list(dict.fromkeys(chosen))[:ELEMENTS]


def _slope(leaf: Leaf, element: int, loss: float, run: Callable[[Shift], float | None]) -> tuple[float, float] | None:
    """Returns the slope of the loss, and how inaccurate rounding makes it; None if it is not smooth there, or not known."""
    value, precision = float(leaf.values.flat[element]), float(np.finfo(leaf.values.dtype).eps)
    step = precision ** (1 / 3) * max(1.0, abs(value))
    losses = [run(Shift(leaf.number, element, each * step)) for each in (1.0, -1.0, 0.5, -0.5)]
    if not np.isfinite(loss) or any(each is None or not np.isfinite(each) for each in losses):
        return None
    up, down, nearer_up, nearer_down = (float(each or 0.0) for each in losses)
    error = 8 * precision * max(map(abs, (up, down, loss))) / step + 1e-4
    wide, narrow = (up - down) / (2 * step), (nearer_up - nearer_down) / step
    right, left = (up - loss) / step, (loss - down) / step
    allowed = SMOOTH * max(abs(wide), abs(narrow), 1e-2) + 2 * error
    if abs(right - left) > allowed or abs(wide - narrow) > allowed or error > max(abs(wide), 1.0) * SMOOTH:
        return None
    return wide, error
