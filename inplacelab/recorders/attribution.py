"""Infers which statement made or wrote an array, and by which operation, from the text of the program.

For recorders of frameworks that report nothing: they find a new array, or changed values, when the next statement
begins. Several statements may have ended by then, since each but the first was run by a call in the one before it.
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from inplacelab.dependence import Dependence, Given
from inplacelab.recorders.bindings import value_of
from inplacelab.recorders.program import Scope
from inplacelab.recorders.statements import Statement, read
from inplacelab.recorders.static import names_in, package_of

if TYPE_CHECKING:
    from inplacelab.recording.facts import Category

T = TypeVar("T")


class Did(NamedTuple, Generic[T]):
    """What a statement did.

    Attributes:
        by: the operation: "+", "setitem".
        category: how it treats memory.
        inputs: the known arrays that it read.
        line: the line of the statement.
        through: the array that it wrote, if the text shows one.
        depends: how the elements depend on those of the inputs, if it was one operation, element by element; None if that is not known.
    """

    by: str
    category: Category
    inputs: tuple[T, ...]
    line: int | None
    through: T | None = None
    depends: Dependence | None = None


@dataclass(frozen=True, slots=True)
class _Running(Generic[T]):
    """A statement that has begun: its place, its syntax, and which of its expressions refer to arrays or to the framework."""

    line: int
    depth: int
    says: Statement
    arrays: Mapping[ast.expr, T]
    library: frozenset[ast.expr]

    def reads(self, places: Iterable[ast.expr]) -> tuple[T, ...]:
        return tuple(dict.fromkeys(self.arrays[place] for place in places if place in self.arrays))


def _dependence(statement: _Running[T], operands: tuple[ast.expr, ...]) -> Dependence | None:
    """The dependence of one operation, element by element: its operands are known arrays, and numbers in the text."""
    numbers = [each.value for each in operands if isinstance(each, ast.Constant)]
    arrays = [each for each in operands if each in statement.arrays]
    if not operands or len(arrays) + len(numbers) < len(operands) or len(set(map(ast.dump, arrays))) < len(arrays):
        return None
    given = tuple(Given("other", value) for value in numbers if isinstance(value, int | float))
    return Dependence("pointwise", given=given)


class Attribution(Generic[T]):
    """Follows the statements of a program.

    Args:
        text: the program.
        kind: the class of the arrays; functions of its package make them.
        find: returns what is known about an array; None for any other object, and for an unknown array.
    """

    def __init__(self, text: str, kind: type, find: Callable[[Any], T | None]) -> None:
        self._says, self._kind, self._find = read(text), kind, find
        self._running: list[_Running[T]] = []  # at most one per frame of the program
        self._over: list[_Running[T]] = []

    def begins(self, line: int, depth: int, scope: Scope, frame: FrameType) -> frozenset[str]:
        """Begins a statement on a line, in a frame of this depth with these names. Returns its operations that may write."""
        names = ChainMap(dict(scope.names), names_in(frame.f_globals))
        says = self._says.get(line, Statement())
        values = {place: value_of(place, names) for place in (*says.reads, *(each.target for each in says.writes))}
        arrays = {place: known for place, value in values.items() if (known := self._find(value)) is not None}
        others = [place for place, value in values.items() if not issubclass(type(value), self._kind)]
        library = frozenset(place for place in others if package_of(values[place]) == package_of(self._kind))
        self._running.append(_Running(line, depth, says, arrays, library))
        return frozenset(write.by for write in says.writes)

    def goes_on(self, depth: int) -> None:
        """Ends the current statement of the frame of this depth, and those of deeper frames."""
        self._over = [each for each in self._running if each.depth >= depth]
        self._running = self._running[: len(self._running) - len(self._over)]

    def maker(self, names: Iterable[str], *, is_view: bool) -> Did[T] | None:
        """Returns the operation that made an array with these names; None if the text does not show it."""
        said = ((each, bound) for each in self._over for bound in each.says.bindings if bound.binds(names))
        statement, bound = next(said, (None, None))
        if statement is None or bound is None or bound.by is None:
            return None
        inputs = statement.reads(bound.reads)
        if not (statement.reads(bound.of) or not statement.library.isdisjoint(bound.of) or (inputs and not bound.of)):
            return None
        category: Category = "view" if is_view else "ordinary" if inputs else "create"
        depends = _dependence(statement, bound.operands) if category == "ordinary" else None
        return Did(bound.by, category, inputs, statement.line, depends=depends)

    def writer(self, wrote: Callable[[T], bool], category: Category) -> Did[T] | None:
        """Returns the operation that wrote an array for which `wrote` is true; None if the text does not show it.

        A statement that certainly writes such an array takes precedence over one that only passes it to a call.
        """
        said = [(statement, write) for statement in reversed(self._over) for write in statement.says.writes]
        for statement, write in sorted(said, key=lambda each: not each[1].certain):
            array = statement.arrays.get(write.target)
            if array is not None and wrote(array):
                reads = statement.reads([write.target, *statement.says.reads])
                depends = _dependence(statement, write.operands) if category == "in-place" else None
                return Did(write.by, category, reads, statement.line, array, depends)
        return None

    def unknown(self) -> Did[T]:
        """Returns the description of a write that the text does not show."""
        return Did("write", "in-place", (), self._over[-1].line if self._over else None)
