"""Reads in the text of a program what its statements say: what they bind and write, by which operation, and what they read.

For recorders of frameworks that tell nobody what they do. This is syntax only: what an expression refers to, and whether it is an array,
is for the recorder to find out.

>>> said = read("z = x + y")[1]
>>> [(each.label, each.by, [ast.unparse(place) for place in each.reads]) for each in said.bindings]
[('z', '+', ['x', 'y'])]
>>> [(each.by, ast.unparse(each.target)) for each in read("x[1:] = np.add(y, 1, out=z)")[1].writes if each.certain]
[('setitem', 'x'), ('add', 'z')]
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
    """A place and the expression whose value a statement binds to it.

    Attributes:
        label: the place as it stands in the text: `x`, `self.w`, `xs[0]`.
        by: the operation that is done last in the expression: "+", "getitem", "reshape", "T"; None if that is none.
        of: what a call, an item or an attribute is of: of `x.T[0]` `x.T` and `x`; nothing for an operator.
        reads: what may refer to an array in the expression, in order.
    """

    label: str
    by: str | None
    of: tuple[ast.expr, ...]
    reads: tuple[ast.expr, ...]

    def binds(self, names: Iterable[str]) -> bool:
        """Whether one of an array's names may be this place. `net.w` may be the `self.w`, and `f.x` the `x`, of a function."""
        end = "." + (self.label.partition(".")[2] or self.label)
        return any(name == self.label or name.endswith(end) for name in names)


class Write(NamedTuple):
    """An operation and what it may write, if that is an array.

    Attributes:
        by: the operation.
        target: what it writes.
        certain: whether the text says so: `x += 1`, `x[0] = 1`, `x.real = 1`, `f(y, out=x)`. Otherwise `x` is only handed to a call:
            `x.sort()`, `f(x)`.
    """

    by: str
    target: ast.expr
    certain: bool


class Statement(NamedTuple):
    """What a statement says: what it binds, what it may write, and what may refer to an array in it, in order."""

    bindings: tuple[Binding, ...] = ()
    writes: tuple[Write, ...] = ()
    reads: tuple[ast.expr, ...] = ()


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
    """`a, b = x, y` binds each to its own, and `a, b = f(x)` both to what the call gives."""
    if not isinstance(target, ast.Tuple | ast.List):
        yield Binding(ast.unparse(target), _operation(value), tuple(_chain(_operand(value))), tuple(_places(value)))
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
        case ast.Attribute(attr="base"):  # what it gives was there before
            return None
        case ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return None


def _operand(value: ast.expr) -> ast.expr | None:
    """What the last operation is of; None for an operator."""
    match value:
        case ast.Call(func=ast.Name(id=name)) if name in _OPERATORS:
            return None
        case ast.Call(func=inner) | ast.Attribute(value=inner) | ast.Subscript(value=inner):
            return inner
    return None


def _written(statement: ast.stmt) -> Iterator[Write]:
    if isinstance(statement, ast.AugAssign):
        yield from _writes(f"{_SYMBOLS[type(statement.op)]}=", [statement.target], certain=True)
    for target in statement.targets if isinstance(statement, ast.Assign) else ():
        for place in getattr(target, "elts", [target]):
            if isinstance(place, ast.Subscript | ast.Attribute):
                by = place.attr if isinstance(place, ast.Attribute) else "setitem"
                yield from _writes(by, [place.value], certain=True)
    for call in [node for node in ast.walk(statement) if isinstance(node, ast.Call)]:
        by, outs = _operation(call) or "call", [each.value for each in call.keywords if each.arg == "out"]
        yield from _writes(by, [array for out in outs for array in getattr(out, "elts", [out])], certain=True)
        yield from _writes(by, [call.func, *call.args], certain=False)


def _writes(by: str, places: Iterable[ast.expr], *, certain: bool) -> Iterator[Write]:
    return (Write(by, each, certain) for place in places for each in _chain(place))


def _chain(place: ast.expr | None) -> Iterator[ast.expr]:
    """What `x.T[1:]` may be reached through: itself, `x.T`, `x`."""
    while place is not None:
        yield place
        if isinstance(place, ast.Call):
            place = place.func
        else:
            place = place.value if isinstance(place, ast.Attribute | ast.Subscript) else None


def _places(node: ast.AST) -> Iterator[ast.expr]:
    """The names, attributes and items that are read: of `f(a.w[0])` `f`, `a.w[0]`, `a.w` and `a`."""
    if isinstance(node, _OWN_NAMES) or (isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)):
        return
    if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
        yield node
    for inside in ast.iter_child_nodes(node):
        yield from _places(inside)
