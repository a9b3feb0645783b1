"""Infers which statement made or wrote an array, and by which operation, from the text of the program.

For recorders of frameworks that report nothing: they find a new array, or changed values, when the next statement
begins. Several statements may have ended by then, since each but the first was run by a call in the one before it.

What each statement binds, writes and reads is syntax only (`read`): the recorder finds out what an expression refers to, and whether it is an array.

>>> statement = read("z = x + y")[1]
>>> [(each.label, each.by, [ast.unparse(place) for place in each.reads]) for each in statement.bindings]
[('z', '+', ['x', 'y'])]
>>> [(each.by, ast.unparse(each.target)) for each in read("x[1:] = np.add(y, 1, out=z)")[1].writes if each.certain]
[('setitem', 'x'), ('add', 'z')]
"""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from inplacelab.dependence import Dependence, Given
from inplacelab.place import Place
from inplacelab.recorders.bindings import value_of
from inplacelab.recorders.program import Scope
from inplacelab.recorders.sources import parsed
from inplacelab.recorders.static import names_in, package_of

if TYPE_CHECKING:
    from inplacelab.recording.facts import Category


_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Invert: "~", ast.USub: "-", ast.UAdd: "+",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_OPERATORS = frozenset({"abs", "divmod", "pow", "round"})
"""Built-in functions that are operators: what they do is up to their operands."""
_OWN_NAMES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
"""Expressions with their own scope, whose names are gone after the statement."""


class Binding(NamedTuple):
    """A place to which a statement binds a value, and the expression of the value.

    Attributes:
        label: the place as in the text: `x`, `self.w`, `xs[0]`.
        by: the last operation of the expression: "+", "getitem", "reshape", "T"; None if it has none.
        of: the objects of a call, an item or an attribute: `x.T` and `x` for `x.T[0]`; empty for an operator.
        reads: the parts of the expression that may refer to arrays, in order.
        operands: those of an expression that is one operation, element by element, on two names, or on a name and a number.
    """

    label: str
    by: str | None
    of: tuple[ast.expr, ...]
    reads: tuple[ast.expr, ...]
    operands: tuple[ast.expr, ...] = ()

    def binds(self, names: Iterable[str]) -> bool:
        """Whether one of an array's names may be this place. `net.w` may be the `self.w`, and `f: x` the `x`, of a function."""
        end = "." + (self.label.partition(".")[2] or self.label)
        return any(name == self.label or name.endswith((end, f": {self.label}")) for name in names)


class Write(NamedTuple):
    """An operation and what it may write, if that is an array.

    Attributes:
        by: the operation.
        target: what it writes.
        certain: whether the syntax shows the write: `x += 1`, `x[0] = 1`, `x.real = 1`, `f(y, out=x)`. Otherwise `x` is only passed to
            a call: `x.sort()`, `f(x)`.
        operands: as of a `Binding`, for `x += y`.
    """

    by: str
    target: ast.expr
    certain: bool
    operands: tuple[ast.expr, ...] = ()


class Statement(NamedTuple):
    """The bindings and possible writes of a statement, and its expressions that may refer to arrays, in order."""

    bindings: tuple[Binding, ...] = ()
    writes: tuple[Write, ...] = ()
    reads: tuple[ast.expr, ...] = ()


def read(text: str) -> dict[int, Statement]:
    """Parses the simple statements of a program.

    Returns:
        The statements by the line on which they begin. Lines with several statements are left out. Empty if the text is not Python,
        such as a cell with an IPython magic.
    """
    tree = parsed(text)
    found: dict[int, list[ast.stmt]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            found.setdefault(node.lineno, []).append(node)
    alone = {line: each[0] for line, each in found.items() if len(each) == 1 and not hasattr(each[0], "body")}
    return {
        line: Statement(tuple(_bound(each)), tuple(_written(each)), tuple(_places(each)))
        for line, each in alone.items()
    }


def _bound(statement: ast.stmt) -> Iterator[Binding]:
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _pairs(target, value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[Binding]:
    """Yields targets with their values: `a, b = x, y` binds each to its own, `a, b = f(x)` both to the call."""
    if not isinstance(target, ast.Tuple | ast.List):
        operands = _elementwise(value.left, value.op, value.right) if isinstance(value, ast.BinOp) else ()
        of, reads = tuple(_chain(_operand(value))), tuple(_places(value))
        yield Binding(ast.unparse(target), _operation(value), of, reads, operands)
        return
    values = value.elts if isinstance(value, ast.Tuple | ast.List) else [value] * len(target.elts)
    if len(values) == len(target.elts):
        for each, its_value in zip(target.elts, values, strict=True):
            yield from _pairs(each, its_value)


def _operation(value: ast.expr) -> str | None:
    match value:
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]):
            return _SYMBOLS.get(type(op))
        case ast.Subscript():
            return "getitem"
        case ast.Attribute(attr="base"):  # it yields objects that existed before
            return None
        case ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return None


def _operand(value: ast.expr) -> ast.expr | None:
    """Returns the object of the last operation; None for an operator."""
    match value:
        case ast.Call(func=ast.Name(id=name)) if name in _OPERATORS:
            return None
        case ast.Call(func=inner) | ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return inner
    return None


def _written(statement: ast.stmt) -> Iterator[Write]:
    if isinstance(statement, ast.AugAssign):
        operands = _elementwise(statement.target, statement.op, statement.value)
        writes = _writes(f"{_SYMBOLS[type(statement.op)]}=", [statement.target], certain=True)
        yield from (write._replace(operands=operands) for write in writes)
    for target in statement.targets if isinstance(statement, ast.Assign) else ():
        for place in getattr(target, "elts", [target]):
            if isinstance(place, ast.Subscript | ast.Attribute):
                by = place.attr if isinstance(place, ast.Attribute) else "setitem"
                yield from _writes(by, [place.value], certain=True)
    for call in [node for node in ast.walk(statement) if isinstance(node, ast.Call)]:
        by, outs = _operation(call) or "call", [each.value for each in call.keywords if each.arg == "out"]
        yield from _writes(by, [array for out in outs for array in getattr(out, "elts", [out])], certain=True)
        yield from _writes(by, [call.func, *call.args], certain=False)


def _elementwise(left: ast.expr, op: ast.operator, right: ast.expr) -> tuple[ast.expr, ...]:
    """The operands of one operation, element by element; none if it is another one, or has parts of its own."""
    if not isinstance(op, ast.Add | ast.Sub | ast.Mult | ast.Div | ast.Pow) or not isinstance(left, ast.Name):
        return ()
    is_number = isinstance(right, ast.Constant) and type(right.value) in (int, float)
    return (left, right) if is_number or isinstance(right, ast.Name) else ()


def _writes(by: str, places: Iterable[ast.expr], *, certain: bool) -> Iterator[Write]:
    return (Write(by, each, certain) for place in places for each in _chain(place))


def _chain(place: ast.expr | None) -> Iterator[ast.expr]:
    """Returns an expression and the objects that it is reached through: `x.T[1:]`, `x.T`, `x`."""
    while place is not None:
        yield place
        if isinstance(place, ast.Call):
            place = place.func
        else:
            place = place.value if isinstance(place, ast.Attribute | ast.Subscript) else None


def _places(node: ast.AST) -> Iterator[ast.expr]:
    """Yields the names, attributes and items that are read: for `f(a.w[0])`, `f`, `a.w[0]`, `a.w` and `a`."""
    if isinstance(node, _OWN_NAMES) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)):
        return
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        yield node
    for inside in ast.iter_child_nodes(node):
        yield from _places(inside)


T = TypeVar("T")


class Did(NamedTuple, Generic[T]):
    """What a statement did.

    Attributes:
        by: the operation: "+", "setitem".
        category: how it treats memory.
        inputs: the known arrays that it read.
        place: where the statement is.
        through: the array that it wrote, if the text shows one.
        depends: how the elements depend on those of the inputs, if it was one operation, element by element; None if that is not known.
    """

    by: str
    category: Category
    inputs: tuple[T, ...]
    place: Place | None
    through: T | None = None
    depends: Dependence | None = None


@dataclass(frozen=True, slots=True)
class _Running(Generic[T]):
    """A statement that has begun: its place, its syntax, and which of its expressions refer to arrays or to the framework."""

    place: Place
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
        text_of: returns the text of a source of the program, by number.
        kind: the class of the arrays; functions of its package make them.
        find: returns what is known about an array; None for any other object, and for an unknown array.
    """

    def __init__(self, text_of: Callable[[int], str], kind: type, find: Callable[[Any], T | None]) -> None:
        self._text_of, self._kind, self._find = text_of, kind, find
        self._says: dict[int, dict[int, Statement]] = {}  # by source
        self._running: list[_Running[T]] = []  # at most one per frame of the program
        self._over: list[_Running[T]] = []

    def begins(self, place: Place, depth: int, scope: Scope, frame: FrameType) -> frozenset[str]:
        """Begins a statement, in a frame of this depth with these names. Returns its operations that may write."""
        names = ChainMap(dict(scope.names), names_in(frame.f_globals))
        if place.source not in self._says:
            self._says[place.source] = read(self._text_of(place.source))
        says = self._says[place.source].get(place.line, Statement())
        values = {place: value_of(place, names) for place in (*says.reads, *(each.target for each in says.writes))}
        arrays = {place: known for place, value in values.items() if (known := self._find(value)) is not None}
        others = [place for place, value in values.items() if not issubclass(type(value), self._kind)]
        library = frozenset(place for place in others if package_of(values[place]) == package_of(self._kind))
        self._running.append(_Running(place, depth, says, arrays, library))
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
        return Did(bound.by, category, inputs, statement.place, depends=depends)

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
                return Did(write.by, category, reads, statement.place, array, depends)
        return None

    def unknown(self) -> Did[T]:
        """Returns the description of a write that the text does not show."""
        return Did("write", "in-place", (), self._over[-1].place if self._over else None)
