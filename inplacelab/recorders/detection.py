"""Decides which framework a program uses, and so which recorder watches it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from inplacelab.language import Text
from inplacelab.recorders.bindings import package_of
from inplacelab.recorders.engine import EngineRecorder
from inplacelab.recorders.numpy import NumpyRecorder

if TYPE_CHECKING:
    from inplacelab.recorders.recorder import Recorder

_RECORDERS: dict[str, type[Recorder]] = {recorder.framework: recorder for recorder in (EngineRecorder, NumpyRecorder)}
FRAMEWORKS = tuple(_RECORDERS)
"""The frameworks whose programs can be recorded."""
DEFAULT = EngineRecorder.framework
"""What a program is taken for that uses several of them, or none."""

_UNKNOWN = Text("no program of {0!r} can be recorded; there are: {1}", "不能记录 {0!r} 的程序；可以记录的有：{1}")


def checked(framework: str) -> str:
    """The name of a framework.

    Raises:
        ValueError: if its programs cannot be recorded; the message lists `FRAMEWORKS`.
    """
    if framework not in _RECORDERS:
        raise ValueError(str(_UNKNOWN.format(framework, ", ".join(FRAMEWORKS))))
    return framework


def recorder_of(framework: str) -> type[Recorder]:
    """The class that watches programs of a framework.

    Raises:
        ValueError: if there is none.
    """
    return _RECORDERS[checked(framework)]


def framework_used(tree: ast.AST, names: Mapping[str, Any]) -> str:
    """Which framework a program uses: by what it imports, and by what the names in it refer to before it runs.

    Args:
        tree: the program.
        names: the names that it will find.

    Returns:
        The framework, if it uses one of `FRAMEWORKS` and no other; otherwise `DEFAULT`.
    """
    used = {*_imported(tree), *_referred(tree, names)}.intersection(FRAMEWORKS)
    return used.pop() if len(used) == 1 else DEFAULT


def _imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (_top(alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield _top(node.module)


def _referred(tree: ast.AST, names: Mapping[str, Any]) -> Iterator[str]:
    """The packages of what a program refers to; also through functions that are defined elsewhere, such as in an earlier cell."""
    waiting = [names.get(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    met: set[int] = set()
    while waiting:
        value = waiting.pop()
        yield package_of(value)
        if type(value) is FunctionType and id(value) not in met and package_of(value) not in FRAMEWORKS:
            met.add(id(value))
            waiting += [value.__globals__.get(name) for name in value.__code__.co_names]


def _top(module: Any) -> str:
    return str(module).partition(".")[0]
