"""Finds the names of a tensor after a step, including those that the running line has yet to bind.

A name is bound when its line is done: in `y = (x * 2.).relu_()` the product has no name while `relu_` runs. Calling it `T5` until
then would give one tensor two names; calling it `y` would be wrong. And in `x = (x * 2.).relu_()` the name `x` means the old
tensor until the line is done. So a pending name is written with an arrow, `→y`. A recording is complete when it is read, so a name
is pending only if it was bound later: a line that failed before it bound the name has left a temporary.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from inplacelab.recording.facts import Step

Span = tuple[int, Step, tuple[str, ...]]
"""(first step, the step that binds them, names): from the one until before the other these names are coming."""


# Made for every card, row and sentence: a tuple takes half the time of a dataclass.
class Called(NamedTuple):
    """What a tensor is called after one step.

    Attributes:
        tensor: its number.
        names: the learner's names for it; empty for a temporary.
        line: the line that has yet to bind the names; None if they are bound, or there are none.
    """

    tensor: int
    names: tuple[str, ...]
    line: int | None = None

    @property
    def coming(self) -> bool:
        """Whether the names are bound to it only when the running line is done."""
        return self.line is not None

    @property
    def bound(self) -> bool:
        """Whether it has a name now."""
        return bool(self.names) and not self.coming

    @property
    def shown(self) -> tuple[str, ...]:
        """The names as shown: `y`, `→y` for a pending name, `T5` for a temporary.

        >>> Called(5, ("y",)).shown, Called(5, ("y",), line=3).shown, Called(5, ()).shown
        (('y',), ('→y',), ('T5',))
        """
        if not self.names:
            return (f"T{self.tensor}",)
        return tuple(map(coming, self.names)) if self.coming else self.names

    @property
    def first(self) -> str:
        """The first name as shown."""
        return self.shown[0]

    def awaits(self, name: str) -> bool:
        """Whether this name is pending."""
        return self.coming and name in self.names


def coming(name: str) -> str:
    """Returns how a pending name is written: `→y`."""
    return f"→{name}"


def called_at(step: int, tensor: int, names: tuple[str, ...], spans: Mapping[int, Sequence[Span]]) -> Called:
    """Returns what a tensor is called after a step at which it has these names."""
    if not names:
        for first, binds, soon in spans.get(tensor, ()):
            if first <= step < binds.index:
                return Called(tensor, soon, binds.line)
    return Called(tensor, names)


def coming_names(steps: Sequence[Step]) -> dict[int, list[Span]]:
    """Returns the steps in which a name is pending, for each tensor that its line names after making or using it."""
    found: dict[int, list[Span]] = {}
    nameless: dict[int, Step] = {}  # the step since which a live tensor has no name
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
    """Yields for each step the indices of the steps that began its line and its statement, as far as the recording shows."""
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
    """Whether a step belongs to the statement that called the function of the step before it: in `y = f(x).relu_()` the caller
    names the result of `f`, in the turn of the function's last statement.
    """
    return step.line is not None and step.turn == before.turn > 0
