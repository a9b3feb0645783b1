"""The names of a tensor after a step, also those that the line under way has yet to bind.

A name is bound when its line is done: in `y = (x * 2.).relu_()` the product has no name yet while `relu_` runs. To call it `T5` until
then would give one thing two names; to call it `y` would say what is not so. And in `x = (x * 2.).relu_()` the name `x` leads to the old
tensor until the line is done. So a coming name is written with an arrow, `→y`. A recording is complete when it is read, so a name is
said to come only if it came: a line that failed before it bound the name has left a temporary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inplacelab.recording.facts import Step

Span = tuple[int, Step, tuple[str, ...]]
"""(first step, the step that binds them, names): from the one until before the other these names are coming."""


# Every card, row and sentence asks for some: tuples are made twice as fast as dataclasses.
class Called(NamedTuple):
    """What a tensor is called after one step.

    Attributes:
        tensor: its number.
        names: the learner's names for it; empty for a temporary.
        line: the line that has yet to bind them; None if they are bound, or there are none.
    """

    tensor: int
    names: tuple[str, ...]
    line: int | None = None

    @property
    def coming(self) -> bool:
        """Whether they lead to it only when the line under way is done."""
        return self.line is not None

    @property
    def bound(self) -> bool:
        """Whether it has a name now."""
        return bool(self.names) and not self.coming

    @property
    def shown(self) -> tuple[str, ...]:
        """The names as they are written: `y`, `→y` if the name is coming, `T5` for a temporary.

        >>> Called(5, ("y",)).shown, Called(5, ("y",), line=3).shown, Called(5, ()).shown
        (('y',), ('→y',), ('T5',))
        """
        if not self.names:
            return (f"T{self.tensor}",)
        return tuple(map(coming, self.names)) if self.coming else self.names

    @property
    def first(self) -> str:
        """The first of them."""
        return self.shown[0]

    def awaits(self, name: str) -> bool:
        """Whether this name is one of those that are coming."""
        return self.coming and name in self.names


def coming(name: str) -> str:
    """How a name is written that its line has yet to bind."""
    return f"→{name}"


def called_at(step: int, tensor: int, names: tuple[str, ...], spans: Mapping[int, Sequence[Span]]) -> Called:
    """What a tensor is called after a step at which it has these names."""
    if not names:
        for first, binds, soon in spans.get(tensor, ()):
            if first <= step < binds.index:
                return Called(tensor, soon, binds.line)
    return Called(tensor, names)


def coming_names(steps: Sequence[Step]) -> dict[int, list[Span]]:
    """For each tensor that has no name at first and is given one by the line that runs, from when until when that name is coming."""
    found: dict[int, list[Span]] = {}
    nameless: dict[int, Step] = {}  # since when a living tensor has no name
    for step, (line, statement) in zip(steps, _beginnings(steps), strict=True):
        for key, facts in step.tensors:
            if facts is not None and not facts.names:
                nameless.setdefault(key, step)
                continue
            since = nameless.pop(key, None)
            if facts is None or since is None or step.line is None:
                continue
            made_here = since.index >= statement or since.line == step.line
            first = since.index if made_here else line
            if first < step.index:
                found.setdefault(key, []).append((first, step, facts.names))
    return found


def _beginnings(steps: Sequence[Step]) -> Iterator[tuple[int, int]]:
    """For each step the one at which its line began, and that at which its statement did, as far as that can be told."""
    line = statement = 0
    before: Step | None = None
    for step in steps:
        if before is None or step.line is None or step.line != before.line:
            line = step.index
            if before is None or not _is_called_by(before, step):
                statement = step.index
        before = step
        yield line, statement


def _is_called_by(before: Step, step: Step) -> bool:
    """Whether a step is of the statement that had called the function of the step before it: in `y = f(x).relu_()` the result of `f`
    is given its name by the caller, in the turn of the function's last statement.
    """
    return step.line is not None and step.turn == before.turn > 0
