"""Finds the statements that call functions compiled by `torch.compile`.

Its compiler traces every `TorchFunctionMode`, also a recorder's, and fails there. So the mode is off while such a statement runs.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from inplacelab.recorders.bindings import value_of
from inplacelab.recorders.program import parsed
from inplacelab.recorders.static import attributes_of, class_name


class CompiledCalls:
    """The calls in the statements of a program.

    Args:
        text: the program.
    """

    def __init__(self, text: str) -> None:
        self._called: dict[int, list[ast.expr]] = {}
        for node in ast.walk(parsed(text)):
            if isinstance(node, ast.stmt):
                found = [each.func for each in _own_parts(node) if isinstance(each, ast.Call)]
                self._called.setdefault(node.lineno, []).extend(found)

    def on(self, line: int, scopes: Iterable[Mapping[str, Any]]) -> bool:
        """Whether the statement on a line of the text calls a compiled function, given the names that it sees."""
        called = self._called.get(line, ())
        return any(_compiles(each) or any(_is_compiled(value_of(each, names)) for names in scopes) for each in called)


def _own_parts(statement: ast.AST) -> Iterator[ast.AST]:
    """Yields the parts of a statement, without the statements inside it."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case):
            yield child
            yield from _own_parts(child)


def _compiles(called: ast.expr) -> bool:
    """Whether an expression that is called compiles a function, as in `torch.compile(f)(x)`."""
    return isinstance(called, ast.Call) and isinstance(called.func, ast.Attribute) and called.func.attr == "compile"


def _is_compiled(value: Any) -> bool:
    """Whether a function or a module is compiled."""
    inside = attributes_of(value)
    made = "_torchdynamo_orig_callable" in inside or inside.get("_compiled_call_impl") is not None
    return made or class_name(type(value)) == "OptimizedModule"
