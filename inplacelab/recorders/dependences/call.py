"""What a framework's call says about dependence, and what is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from inplacelab.dependence import MOST_PLACES, Dependence
from inplacelab.recorders.positions import At

Found = Dependence | tuple[Dependence | None, ...] | None
"""The dependence of the result, or of each of several results; None if it is not known."""
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a framework's function, as far as dependence is concerned.

    Attributes:
        name: the function's name.
        args, kwargs: its arguments.
        is_tensor: whether a value is a tensor of the framework.
        as_array: returns a tensor of indices or truth values as an array; None if it cannot be read.
        reads, writes: the framework's operations with an index or a mask.
        aliases: its other names of parameters.
        weight_has_rows: whether the weight of a linear layer has a row for each output, as in PyTorch, or a column.
        function: the function, as a recorder may call it beside the program; None if it may not.
        as_tensor: returns a tensor of the framework with the values of an array.
    """

    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    is_tensor: Callable[[Any], bool]
    as_array: Callable[[Any], Any]
    reads: Mapping[str, At]
    writes: Mapping[str, At]
    aliases: Mapping[str, str]
    weight_has_rows: bool
    function: Callable[..., Any] | None
    as_tensor: Callable[[Any], Any]

    def tensors(self) -> list[Any]:
        """Its tensors, also those in lists and tuples, in the order of its arguments."""
        values = (*self.args, *self.kwargs.values())
        flat = [each for value in values for each in (value if type(value) in (list, tuple) else (value,))]
        return [each for each in flat if self.is_tensor(each)]

    def told(self) -> str:
        """Its arguments that are no tensors, also those in lists and tuples."""

        def shown(value: Any) -> str:
            if type(value) in (list, tuple):
                return f"[{', '.join(map(shown, value))}]"
            return "-" if self.is_tensor(value) else repr(value)

        return shown([*self.args, *(each for pair in self.kwargs.items() for each in pair)])

    def on(self, arrays: Sequence[Any]) -> Any:
        """Runs the function again, with arrays in the places of its first tensors; returns its result, or each of several, as arrays."""
        waiting = list(arrays)

        def replaced(value: Any) -> Any:
            if self.is_tensor(value) and waiting:
                return self.as_tensor(waiting.pop(0))
            return type(value)([replaced(each) for each in value]) if type(value) in (list, tuple) else value

        if self.function is None:
            raise TypeError
        args = [replaced(each) for each in self.args]
        made = self.function(*args, **{name: replaced(each) for name, each in self.kwargs.items()})
        return tuple(map(self.as_array, made)) if isinstance(made, list | tuple) else self.as_array(made)

    def named(self, *parameters: str) -> dict[str, Any]:
        """The arguments by the names of the parameters."""
        given = {self.aliases.get(name, name): value for name, value in self.kwargs.items()}
        return {**dict(zip(parameters, self.args, strict=False)), **given}


Rules = Mapping[str, Callable[[Call, str, Sequence[Shape]], Found]]
"""By the name of an operation without the underscore of an in-place one: what finds the dependence, from the call, that name, and the shapes of its tensors."""


def numbered(shape: Shape) -> Any:
    """The numbers of the elements of a tensor, in its shape.

    Raises:
        ValueError: if they are too many to report.
    """
    if prod(shape) > MOST_PLACES:
        raise ValueError
    return np.arange(prod(shape)).reshape(shape)


def moved(numbers: Any, first: int = 0) -> Dependence | None:
    """The dependence of elements that are those with these numbers; None if they are too many to report."""
    if numbers.size > MOST_PLACES:
        return None
    return Dependence("moved", places=tuple(np.asarray(numbers).reshape(-1).tolist()), first=first)
