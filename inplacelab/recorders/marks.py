"""A program that tells when each of its statements begins: what no operation says, `y = x` for one, is found then.

A program that we run ourselves gets a call before each of its statements (`marked`), which changes neither its lines nor what
it does. The call says, too, what can be known of the statement without running it: above all which names it can bind, so that
only these need to be looked at when it is over.
"""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import takewhile
from types import FrameType
from typing import Any, Protocol, TypeGuard

from inplacelab.recorders.source import counters, runs_text, stored, stored_here

MARK = "__inplacelab_mark__"
"""The name of the built-in function that a marked program calls before each statement."""

Bound = tuple[str, ...] | None
"""The names that may lead elsewhere once a statement is over; None if that cannot be known beforehand."""


class Hearer(Protocol):
    """Hears that a statement begins."""

    def __call__(
        self, line: int, simple: bool, bound: Bound, outermost: bool, frame: FrameType | None = None, /
    ) -> None:
        """A statement begins.

        Args:
            line: its line.
            simple: whether it holds no others.
            bound: the names that may have been bound when the next statement begins.
            outermost: whether it stands in no function or class.
            frame: what runs it; None if it is the caller, and nobody else hears of it.
        """


_hearers: list[Hearer] = []


def _tell_everyone(line: int, simple: bool, bound: Bound, outermost: bool) -> None:
    frame = sys._getframe(1)
    for hear in _hearers:
        hear(line, simple, bound, outermost, frame)


def _connect() -> None:
    """With one hearer, the usual case, `MARK` *is* that hearer: a call less for each statement."""
    builtins.__dict__[MARK] = _hearers[0] if len(_hearers) == 1 else _tell_everyone


@contextmanager
def marking(hear: Hearer) -> Iterator[None]:
    """Have `hear` called before each statement of a marked program.

    The function behind `MARK` stays when the program is over: what it has defined may still be called.
    """
    _hearers.append(hear)
    _connect()
    try:
        yield
    finally:
        _hearers.remove(hear)
        _connect()


_BODIES = ("body", "orelse", "finalbody")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SILENT = (ast.Import, ast.ImportFrom, *_SCOPES, ast.Pass, ast.Global, ast.Nonlocal)
"""Statements that do nothing to tensors. (`from __future__` must also stay the first.)"""
HARMLESS = frozenset({
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min", "print", "range",
    "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "type", "zip",
})  # fmt: skip
"""Functions that bind no name of the program."""


def marked(tree: ast.Module) -> ast.Module:
    """The program with a call of `MARK` before each statement that may do something (`Hearer`); lines stay as they are."""
    _Marker(HARMLESS - stored(tree), counters(tree)).visit(tree, (), True)
    return ast.fix_missing_locations(tree)


class _Marker:
    """Puts marks before statements.

    Args:
        harmless: the functions that are known to bind no name of the program.
        counters: names that need not be looked at again (`source.counters`).
    """

    def __init__(self, harmless: frozenset[str], counters: frozenset[str]) -> None:
        self._harmless, self._counters = harmless, counters

    def visit(self, node: ast.AST, around: Bound, outermost: bool) -> None:
        """Mark the statements inside. `around`: what the statements around them may bind between any two of them, as `for`
        binds its names.
        """
        for field, parts in list(ast.iter_fields(node)):
            if not isinstance(parts, list):
                continue
            for part in parts:
                if isinstance(part, _SCOPES):
                    self.visit(part, (), False)
                elif isinstance(part, ast.stmt) and _parts(part):
                    self._visit_compound(part, around, outermost)
                elif isinstance(part, ast.ExceptHandler | ast.match_case):
                    self.visit(part, around, outermost)
            if field in _BODIES and parts and isinstance(parts[0], ast.stmt):
                docstring = field == "body" and isinstance(node, (ast.Module, *_SCOPES))
                setattr(node, field, list(self._with_marks(parts, docstring, around, outermost)))

    def _visit_compound(self, statement: ast.stmt, around: Bound, outermost: bool) -> None:
        again = both(around, self._binds(statement, again=True))
        self.visit(statement, again, outermost)
        if self._goes_round(statement):
            mark = _mark(statement, again, outermost)
            for body in _with_continue(statement.body):
                body.insert(len(body) - 1, mark)
            statement.body.append(mark)

    def _with_marks(self, body: list[ast.stmt], docstring: bool, around: Bound, outermost: bool) -> Iterator[ast.stmt]:
        for k, statement in enumerate(body):
            first_string = (
                docstring and k == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            )
            if not (first_string or isinstance(statement, _SILENT)):
                silent = {name for each in takewhile(_is_silent, body[k + 1 :]) for name in stored(each)}
                bound = both(both(around, self._binds(statement)), tuple(silent))
                yield _mark(statement, bound, outermost)
            yield statement

    def _goes_round(self, statement: ast.stmt) -> TypeGuard[ast.For | ast.AsyncFor | ast.While]:
        """Whether the head of a loop does something each time round: it binds a name, or computes whether to go on. The last
        statement of its body is over then.
        """
        if isinstance(statement, ast.While):
            return not isinstance(statement.test, ast.Constant | ast.Name)
        return isinstance(statement, ast.For | ast.AsyncFor) and self._binds(statement, again=True) != ()

    def _binds(self, statement: ast.stmt, *, again: bool = False) -> Bound:
        """What a statement itself may bind, apart from the statements that it holds; `again`: what it may bind between two
        of these.
        """
        nodes = list(_own(statement))
        if isinstance(statement, ast.Expr) and not any(
            isinstance(each, ast.NamedExpr) or runs_text(each) for each in nodes
        ):
            return ()  # after a plain call such as `x.add_(y)` every name leads where it led before
        if any(isinstance(each, ast.Call) and may_bind(each.func, self._harmless) for each in nodes):
            return None
        return tuple(
            sorted({name for each in nodes for name in stored_here(each)} - (self._counters if again else set()))
        )


def _with_continue(body: list[Any]) -> Iterator[list[Any]]:
    """The lists of statements in a loop's body that end with its `continue`: not with that of a loop inside."""
    if isinstance(body[-1], ast.Continue):
        yield body
    for part in body:
        if isinstance(part, _SCOPES):
            continue
        fields = (
            ("orelse",) if isinstance(part, ast.For | ast.AsyncFor | ast.While) else (*_BODIES, "handlers", "cases")
        )
        for inside in (getattr(part, field, []) for field in fields):
            if isinstance(inside, list) and inside:
                yield from _with_continue(inside)


def may_bind(function: ast.expr, harmless: frozenset[str]) -> bool:
    """Whether a function may declare names of the program as global and bind them. A method is not suspected."""
    if isinstance(function, ast.Name):
        return function.id not in harmless
    return not isinstance(function, ast.Attribute)


def _is_silent(statement: ast.stmt) -> bool:
    return isinstance(statement, _SILENT)


def _parts(statement: ast.stmt) -> bool:
    """Whether a statement holds others."""
    return hasattr(statement, "body") or hasattr(statement, "cases")


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """A statement's nodes, without the statements that it holds."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.stmt):
            yield from _own(child)


def both(some: Bound, others: Bound) -> Bound:
    """The names in one or the other."""
    return None if some is None or others is None else tuple(sorted({*some, *others}))


def _mark(statement: ast.stmt, bound: Bound, outermost: bool) -> ast.stmt:
    simple = not hasattr(statement, "body")
    known: tuple[Any, ...] = (statement.lineno, simple, bound, outermost)  # (a constant may be a tuple, too)
    facts: list[ast.expr] = [ast.Constant(fact) for fact in known]
    return ast.copy_location(ast.Expr(ast.Call(ast.Name(MARK, ast.Load()), facts, [])), statement)
