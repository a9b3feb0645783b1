"""Tells what the text of a program says about a position in it: the loops around it, the names in its expression, and to what its value is assigned."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any

from inplacelab.recorders.sources import PARSING
from inplacelab.recorders.static import attributes_of

Position = tuple[int | None, int | None, int | None, int | None]
"""A first and a last line, a first column and the one after the last, in bytes, as `co_positions` has them."""

MOST = 12
"""So many names of an expression are looked up."""
_COMPREHENSION = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = frozenset({"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"})


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop.

    Attributes:
        line: its line.
        names: its variables: those that a `for` assigns; of a `while`, those in its condition that are assigned inside.
    """

    line: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Key:
    """The key of a part of a list, a tuple or a dictionary."""

    key: str | int


@dataclass(frozen=True, slots=True)
class Label:
    """A name, or what is reached from it without a call: `self.w`, `xs[0]`.

    Attributes:
        text: as the program writes it.
        root: the name.
        path: the attributes, and the keys.
        is_called: whether it is a function that the expression calls.
    """

    text: str
    root: str
    path: tuple[str | Key, ...] = ()
    is_called: bool = False

    def value(self, names: Mapping[str, Any]) -> Any:
        """Returns its value; None if that needs running code."""
        found: Any = names.get(self.root)
        for each in self.path:
            if not isinstance(each, Key):
                found = attributes_of(found).get(each)
                continue
            key = each.key
            if type(found) is dict:
                found = found.get(key)
            elif (type(found) is list or type(found) is tuple) and type(key) is int and -len(found) <= key < len(found):
                found = found[key]
            else:
                return None
        return found


class Expressions:
    """A parsed text. Nothing is found in one that cannot be parsed."""

    def __init__(self, text: str) -> None:
        self._tree: ast.Module = ast.Module([], [])
        self._is_known = bool(text.strip())
        try:
            with PARSING:
                self._tree = ast.parse(text)
        except (SyntaxError, ValueError):
            pass  # it is not the text that ran
        except (RecursionError, MemoryError, SystemError):
            self._is_known = False

    def loops(self, position: Position, function: str) -> list[Loop]:
        """Returns the loops around a position in the code of one function, outermost first.

        Args:
            position: the position.
            function: the name of the code: before Python 3.12 a comprehension has code of its own.
        """
        found: list[Loop] = []
        around = [*self._around(position)]
        for inner, node in zip((None, *reversed(around)), reversed(around), strict=False):
            if isinstance(node, ast.For | ast.AsyncFor) and inner in node.body:
                found.append(Loop(node.lineno, _bound([node.target])))
            elif isinstance(node, ast.While) and inner not in node.orelse:
                tested = {each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)}
                found.append(Loop(node.lineno, tuple(each for each in _bound(node.body) if each in tested)))
            elif isinstance(node, _COMPREHENSION) and inner is not None and inner is not node.generators[0].iter:
                found.append(Loop(node.lineno, _bound([each.target for each in node.generators])))
                if function in _COMPREHENSIONS:
                    break
            elif (isinstance(node, _FUNCTION) and _is_body(inner, node)) or isinstance(node, ast.ClassDef):
                break
        return found[::-1]

    def fits(self, code: CodeType, position: Position) -> bool:
        """Whether code may be made of the text: it has a node that ends where an expression of the code does, in a function that begins where that does."""
        if not self._is_known or position[0] is None:
            return True
        around: list[Any] = [*self._around(position)]
        ends = any((each.end_lineno, each.end_col_offset) == (position[1], position[3]) for each in around)
        name, first = code.co_name, code.co_firstlineno
        kinds = _COMPREHENSION if name in _COMPREHENSIONS else _FUNCTION | ast.ClassDef
        return ends and (
            name == "<module>" or any(isinstance(each, kinds) and _first_line(each) == first for each in around)
        )

    def labels(self, position: Position) -> list[Label]:
        """Returns the names in the expression, or the statement, at a position, and what is reached from them without a call."""
        node = self._at(position)
        inside = [] if node is None else [*ast.walk(node)]
        called = {each.func for each in inside if isinstance(each, ast.Call)}
        found = (
            replace(label, is_called=each in called)
            for each in inside
            if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and (label := _label(each)) is not None
        )
        return [*dict.fromkeys(found)][:MOST]

    def target(self, position: Position) -> str | None:
        """Returns the name to which the value of the expression at a position is assigned; "" if it is returned, None if it is neither."""
        node = self._at(position)
        match next((each for each in reversed([*self._around(position)]) if isinstance(each, ast.stmt)), None):
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=value)
            ) if value is node:
                return name
            case ast.Return(value=value) if value is node and node is not None:
                return ""
        return None

    @property
    def module(self) -> ast.Module:
        """The syntax tree; an empty one if the text cannot be parsed."""
        return self._tree

    def around(self, position: Position) -> list[ast.AST]:
        """Returns the nodes that contain a position, from the outside in, down to the outermost that is exactly there and has a value."""
        nodes = [*self._around(position)]
        there = (k for k, each in enumerate(nodes) if _position(each) == position and not isinstance(each, ast.Expr))
        at = next(there, None)
        return nodes if at is None else nodes[: at + 1]

    def _at(self, position: Position) -> ast.AST | None:
        """Returns the outermost node exactly at a position."""
        return next((each for each in self._around(position) if _position(each) == position), None)

    def _around(self, position: Position) -> Iterator[ast.AST]:
        """Yields the nodes that contain a position, from the outside in."""
        node: ast.AST | None = self._tree
        line, _, column, _ = position
        if line is None:
            return
        begin = line, column or 0
        while node is not None:
            node = next((each for each in _children(node) if _contains(each, begin)), None)
            if node is not None:
                yield node


def _children(node: ast.AST) -> Iterator[Any]:
    """Yields the nodes right inside one, with those of parts that have no position."""
    for each in ast.iter_child_nodes(node):
        if hasattr(each, "lineno"):
            yield each
        elif not isinstance(each, ast.expr_context | ast.operator):
            yield from _children(each)


def _first_line(node: Any) -> int:
    """Returns the line on which a node begins, with its decorators."""
    return min((node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))))  # type: ignore[no-any-return]


def _contains(node: Any, begin: tuple[int, int]) -> bool:
    first = _first_line(node)
    return (first, node.col_offset if first == node.lineno else 0) <= begin < (node.end_lineno, node.end_col_offset)


def _position(node: Any) -> Position:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _is_body(inner: ast.AST | None, function: Any) -> bool:
    return inner is function.body if isinstance(function, ast.Lambda) else inner in function.body


def _bound(nodes: Sequence[ast.AST]) -> tuple[str, ...]:
    names = (
        each.id
        for node in nodes
        for each in ast.walk(node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    )
    return tuple(dict.fromkeys(names))


def _label(node: ast.expr) -> Label | None:
    match node:
        case ast.Name(id=name):
            return Label(name, name)
        case ast.Attribute(value=inner, attr=name) if (before := _label(inner)) is not None:
            return Label(f"{before.text}.{name}", before.root, (*before.path, name))
        case ast.Subscript(value=inner, slice=ast.Constant(value=str() | int() as key)) if (
            before := _label(inner)
        ) is not None:
            return Label(f"{before.text}[{key!r}]", before.root, (*before.path, Key(key)))
    return None
