"""Detects which framework a program uses, and chooses the recorder for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import TYPE_CHECKING, Any

from inplacelab.language import Text
from inplacelab.recorders.engine import EngineRecorder
from inplacelab.recorders.numpy import NumpyRecorder
from inplacelab.recorders.static import names_in, package_of

if TYPE_CHECKING:
    from inplacelab.recorders.recorder import Recorder

_RECORDERS: dict[str, type[Recorder]] = {recorder.framework: recorder for recorder in (EngineRecorder, NumpyRecorder)}
FRAMEWORKS = tuple(_RECORDERS)
"""The frameworks whose programs can be recorded."""
DEFAULT = EngineRecorder.framework
"""What a program is taken for that uses several of them, or none."""

_UNKNOWN = Text("no program of {0!r} can be recorded; there are: {1}", "不能记录 {0!r} 的程序；可以记录的有：{1}")


def checked(framework: str) -> str:
    """Checks the name of a framework and returns it.

    Raises:
        ValueError: if there is no recorder for it; the message lists `FRAMEWORKS`.
    """
    if framework not in _RECORDERS:
        raise ValueError(str(_UNKNOWN.format(framework, ", ".join(FRAMEWORKS))))
    return framework


def recorder_of(framework: str) -> type[Recorder]:
    """Returns the recorder class of a framework.

    Raises:
        ValueError: if there is none.
    """
    return _RECORDERS[checked(framework)]


def framework_used(tree: ast.AST, names: Mapping[str, Any]) -> str:
    """Detects which framework a program uses, from its imports and from what its names refer to before it runs.

    Args:
        tree: the program.
        names: the names that are bound when it starts.

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
    """Yields the packages that a program refers to, also through functions defined elsewhere, such as in an earlier cell."""
    waiting = [names.get(node.id) for node in ast.walk(tree) if isinstance(node, ast.Name)]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        yield package_of(value)
        if type(value) is FunctionType and id(value) not in seen and package_of(value) not in FRAMEWORKS:
            seen.add(id(value))
            waiting += [names_in(value.__globals__).get(name) for name in value.__code__.co_names]


def _top(module: Any) -> str:
    return str(module).partition(".")[0]
