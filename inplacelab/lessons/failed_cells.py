"""Knows which names a cell would have assigned had it not raised an error, so that no exercise is judged by the answer of an earlier run."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from types import TracebackType
from typing import Any

_FAILED = "_failed_to_assign"
"""The name, among those of the notebook, of the set of names that are not assigned: it is gone when they are, after `%reset`."""
_NAMED = re.compile(r"--name\s+(\w+)")
_ASSIGNS = re.compile(r"^\s*(?:def\s+)?(\w+)\s*(?:,[\w\s,]*)?(?:=(?!=)|\()", re.MULTILINE)
"""What seems to be assigned in a cell that is not Python."""
_BLOCKS = ("body", "orelse", "handlers", "finalbody")


def not_assigned(names: Mapping[str, Any]) -> Collection[str]:
    """Returns which names of a notebook a cell was about to assign when it raised, and no cell has assigned since.

    Args:
        names: the notebook's names with their values.
    """
    failed: set[str] = names.get(_FAILED, set())
    return failed


def cell_ended(shell: Any, result: Any) -> None:
    """Notes what a cell has assigned, and what it would have. Called by IPython after each cell.

    Args:
        shell: the shell.
        result: what IPython says of the run.
    """
    head, body = _parted(result.info.raw_cell or "")
    error = result.error_before_exec or result.error_in_exec
    reached = None if error is None else _line_reached(error.__traceback__, shell.user_ns, inner=bool(head))
    failed = shell.user_ns.setdefault(_FAILED, set())
    for name, line in _assigned(shell, head, body):
        done = error is None or (reached is not None and line < reached)
        (failed.discard if done else failed.add)(name)


def _parted(cell: str) -> tuple[str, str]:
    """The first line, if it is magic for the whole cell, and the program."""
    head, _, body = cell.partition("\n")
    return (head, body) if head.startswith("%%") else ("", cell)


def _assigned(shell: Any, head: str, body: str) -> Iterator[tuple[str, int]]:
    """The names that a cell assigns at its top level, each with the line at whose end it has done so; the recording's as soon as the program runs."""
    yield from ((name, 0) for name in _NAMED.findall(head))
    try:
        tree = ast.parse(shell.transform_cell(body))
    except SyntaxError:
        yield from ((name, 1) for name in _ASSIGNS.findall(body))
    else:
        yield from _bound(tree.body)


def _bound(statements: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    for statement in statements:
        inner = [inside for name in _BLOCKS for inside in getattr(statement, name, ())]
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield statement.name, statement.lineno
        elif inner:
            blocks = [inside.body if isinstance(inside, ast.ExceptHandler) else [inside] for inside in inner]
            yield from ((name, statement.lineno) for name in _stored(getattr(statement, "target", None)))
            yield from _bound([each for block in blocks for each in block])
        else:
            yield from ((name, statement.end_lineno or statement.lineno) for name in _stored(statement))


def _stored(node: ast.AST | None) -> Iterator[str]:
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)] if node is not None else []
    yield from (name.id for name in names if isinstance(name.ctx, ast.Store))


def _line_reached(trace: TracebackType | None, names: dict[str, Any], *, inner: bool) -> int | None:
    """The line of the program that raised; None if nothing of it ran. Of a cell with magic, the first frame is the call of the magic."""
    lines = []
    while trace is not None:
        if trace.tb_frame.f_globals is names and trace.tb_frame.f_code.co_name == "<module>":
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return lines[-1] if len(lines) > inner else None
