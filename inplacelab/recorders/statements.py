"""Reads in the text of a program what its statements say: what they bind and write, by which operation, and what they read.

For recorders of frameworks that tell nobody what they do. This is syntax only: what an expression refers to, and whether it is an array,
is for the recorder to find out.

>>> said = read("z = x + y")[1]
>>> [(each.label, each.by, [ast.unparse(path) for path in each.reads]) for each in said.bindings]
[('z', '+', ['x', 'y'])]
>>> [(each.by, ast.unparse(each.target)) for each in read("x[1:] = np.add(y, 1, out=z)")[1].writes]
[('setitem', 'x'), ('add', 'z')]
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

_SYMBOLS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.MatMult: "@",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Invert: "~", ast.USub: "-", ast.UAdd: "+",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip
_OPERATORS = frozenset({"abs", "divmod", "pow", "round"})
"""Built-in functions that are operators: what they do is up to their operands."""
_OWN_NAMES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
"""Expressions with names of their own, which are gone when the statement is over."""


class Binding(NamedTuple):
    """A name, or another place, and the expression whose value a statement binds to it.

    Attributes:
        label: the place as it stands in the text: `x`, `self.w`, `xs[0]`; "" for the caller, if the value is returned.
        by: the operation that is done last in the expression; None if that is none.
        call: the function that is called last; None if that is none.
        of: what a call, an item or an attribute is of: of `x.T[0]` `x.T` and `x`.
        reads: what may refer to an array in the expression, in order.
    """

    label: str
    by: str | None
    call: ast.expr | None
    of: tuple[ast.expr, ...]
    reads: tuple[ast.expr, ...]


class Write(NamedTuple):
    """An operation and what it writes, if that is an array."""

    by: str
    target: ast.expr


class Statement(NamedTuple):
    """What a statement says.

    Attributes:
        bindings: what it binds.
        writes: what it says that it writes: `x` in `x += 1`, `x[0] = 1`, `x.real = 1`, `f(y, out=x)`.
        hands: what it hands to calls, which may write it: `x` in `x.sort()`, `f(x)`.
        reads: what may refer to an array in it, in order.
        calls: the names of the functions and methods that it calls.
    """

    bindings: tuple[Binding, ...]
    writes: tuple[Write, ...]
    hands: tuple[Write, ...]
    reads: tuple[ast.expr, ...]
    calls: frozenset[str]


NOTHING = Statement((), (), (), (), frozenset())
"""A statement of which nothing is known."""


@dataclass(frozen=True, slots=True)
class Running(Generic[T]):
    """A statement that has begun.

    Attributes:
        line: its line.
        depth: how many frames run the program.
        function: the name of the function that runs it.
        says: what it says.
        arrays: what is known of the arrays to which its expressions refer.
        library: those of its expressions that refer to something of the framework's.
    """

    line: int
    depth: int
    function: str
    says: Statement
    arrays: Mapping[ast.expr, T]
    library: frozenset[ast.expr]

    def reads(self, places: Iterable[ast.expr]) -> tuple[T, ...]:
        """The arrays to which these of its expressions refer, each once."""
        return tuple(dict.fromkeys(self.arrays[place] for place in places if place in self.arrays))


def maker(over: Sequence[Running[T]], names: Iterable[str]) -> tuple[Running[T], Binding] | None:
    """Which statement made an array that has these names now, and bound it to one of them.

    Args:
        over: the statements that are over now: each but the first was run by a call in the one before it.
        names: the array's names, which may have a function's name before them.

    Returns:
        The statement with what it binds; of `z = f(x)` it is the one with which `f` has returned. None if no statement says so, or it
        names no operation of an array or of the framework.
    """
    said = ((k, each) for k, running in enumerate(over) for each in running.says.bindings if _names(names, each.label))
    depth, bound = next(said, (0, None))
    if bound is None:
        return None
    running = over[depth]
    for inner in over[depth + 1 :]:
        returned = next((each for each in inner.says.bindings if not each.label), None)
        if bound.call is None or bound.by != inner.function or returned is None:
            break
        running, bound = inner, returned
    of_array = bool(running.reads(bound.of or bound.reads))
    return (running, bound) if bound.by and (of_array or not running.library.isdisjoint(bound.of)) else None


def writers(over: Sequence[Running[T]]) -> Iterator[tuple[Running[T], Write, T]]:
    """Who may have written an array, the likeliest first: statements that say so come before those that hand the array to a call."""
    said = [(running, write) for running in over for write in running.says.writes]
    said += [(running, write) for running in reversed(over) for write in running.says.hands]
    return ((*pair, pair[0].arrays[pair[1].target]) for pair in said if pair[1].target in pair[0].arrays)


def _names(names: Iterable[str], label: str) -> bool:
    """Whether one of these names may be what a statement calls `label`; `net.w` may be the `self.w` of a function that is over."""
    attribute = label.partition(".")[2] or label
    return bool(label) and any(name == label or name.endswith(f".{attribute}") for name in names)


def read(text: str) -> dict[int, Statement]:
    """What the statements say that contain no others, by the line on which they begin. A line with several is left out: they share it.

    Nothing is found in a text that is not Python, such as a cell with a line of IPython's own.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    found: dict[int, list[ast.stmt]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            found.setdefault(node.lineno, []).append(node)
    return {line: _said(each[0]) for line, each in found.items() if len(each) == 1 and not hasattr(each[0], "body")}


def _said(statement: ast.stmt) -> Statement:
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    writes, hands = list(_written(statement)), []
    for call in calls:
        by, called = operation(call) or "call", call.func
        for out in [each.value for each in call.keywords if each.arg == "out"]:
            writes += [Write(by, place) for array in getattr(out, "elts", [out]) for place in _chain(array)]
        handed = [called.value] if isinstance(called, ast.Attribute) else []
        hands += [Write(by, place) for part in [*handed, *call.args] for place in _chain(part)]
    names = frozenset(name for call in calls if (name := operation(call)) is not None)
    return Statement(tuple(_bound(statement)), tuple(writes), tuple(hands), tuple(_paths(statement)), names)


# --- what is bound ------------------------------------------------------------------------------------------------------


def _bound(statement: ast.stmt) -> Iterator[Binding]:
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _pairs(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            yield from _pairs(target, value)
        case ast.Return(value=ast.expr() as value):
            yield _binding("", value)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[Binding]:
    """`a, b = x, y` binds each to its own, and `a, b = f(x)` both to what the call gives."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield _binding(ast.unparse(target), value)
        return
    values = value.elts if isinstance(value, ast.Tuple | ast.List) else [value] * len(target.elts)
    if len(values) == len(target.elts):
        for each, its_value in zip(target.elts, values, strict=True):
            yield from _pairs(each, its_value)


def _binding(label: str, value: ast.expr) -> Binding:
    call = value.func if isinstance(value, ast.Call) else None
    of = call or getattr(value, "value", None)
    if isinstance(call, ast.Name) and call.id in _OPERATORS:
        of = None
    chain = tuple(_chain(of)) if isinstance(of, ast.expr) else ()
    return Binding(label, operation(value), call, chain, tuple(_paths(value)))


def operation(value: ast.expr) -> str | None:
    """The operation that is done last in an expression: "+", "getitem", "reshape", "T"; None if that is none."""
    match value:
        case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.Compare(ops=[op]):
            return _SYMBOLS.get(type(op))
        case ast.Subscript():
            return "getitem"
        case ast.Attribute(attr="base"):  # what it gives was there before
            return None
        case ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return None


# --- what is written and read -------------------------------------------------------------------------------------------


def _written(statement: ast.stmt) -> Iterator[Write]:
    match statement:
        case ast.AugAssign(target=target, op=op):
            yield from (Write(f"{_SYMBOLS[type(op)]}=", each) for each in _chain(target))
        case ast.Assign(targets=targets):
            for place in [each for target in targets for each in getattr(target, "elts", [target])]:
                if isinstance(place, ast.Subscript | ast.Attribute):
                    by = place.attr if isinstance(place, ast.Attribute) else "setitem"
                    yield from (Write(by, each) for each in _chain(place.value))


def _chain(place: ast.expr) -> Iterator[ast.expr]:
    """What `x.T[1:]` may be reached through: itself, `x.T`, `x`."""
    yield place
    if isinstance(place, ast.Attribute | ast.Subscript):
        yield from _chain(place.value)
    elif isinstance(place, ast.Call):
        yield from _chain(place.func)


def _paths(node: ast.AST) -> Iterator[ast.expr]:
    """The names, attributes and items that are read: of `f(a.w[0])` `f`, `a.w[0]`, `a.w` and `a`."""
    if isinstance(node, _OWN_NAMES) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)):
        return
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        yield node
    for inside in ast.iter_child_nodes(node):
        yield from _paths(inside)
