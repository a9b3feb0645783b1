"""Runs a program of the gallery: plainly, or watching every value that is kept for backward."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tests.gallery.programs import Program


def run(program: Program, text: str) -> dict[str, Any]:
    """Runs a text as if it were the file of a program. Returns its names."""
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(program.path)}
    exec(compile(text, str(program.path), "exec"), names)
    return names


def lines_of(error: BaseException, program: Program) -> list[int]:
    """The lines of a program that an error came through, from the outermost to the innermost."""
    lines, traceback = [], error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == str(program.path):
            lines.append(traceback.tb_lineno)
        traceback = traceback.tb_next
    return lines


@dataclass
class Kept:
    """A value that an operation kept for backward."""

    tensor: Any
    line: int
    version: int
    seen: int
    """The version at the latest look."""
    writes: list[int] = field(default_factory=list)
    """The lines that have raised the version since."""


@dataclass(frozen=True)
class Stale:
    """A kept value that backward asks for, and that has been written to since."""

    kept: int
    writes: frozenset[int]
    needed: tuple[int, ...]
    """The lines that were running, from the outermost to the innermost."""


def _laid_out_alike(tensor: Any) -> Any:
    """A copy of a tensor of PaddlePaddle, with its strides and offset: backward reads what a hook returns as if it had those."""
    import paddle  # noqa: PLC0415  # not installed everywhere

    start = tensor.offset // tensor.element_size()
    reach = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))
    copy = paddle.as_strided(
        paddle.zeros([start + reach + 1], tensor.dtype), tensor.shape, tensor.strides, tensor.offset
    )
    copy.copy_(tensor, True)
    return copy


ACCESS: dict[str, tuple[Callable[[Any], int], Callable[[Any], Any]]] = {
    "torch": (lambda tensor: tensor._version, lambda tensor: tensor.clone()),
    "paddle": (lambda tensor: tensor.inplace_version, _laid_out_alike),
}
"""How the version of a tensor is read, and how it is copied."""


class Watch:
    """Follows a program line by line, with every kept value replaced by a copy, so that its backward does not fail.

    Whenever a line of the program begins or ends, and whenever a value is kept or asked for, it reads the version of all
    values kept so far. A version that has been raised was raised by the innermost line of the program that was running.
    """

    def __init__(self, program: Program, framework: Any) -> None:
        self._path = str(program.path)
        self._version, self._copy = ACCESS[program.framework]
        self._hooks = framework.autograd.graph if program.framework == "torch" else framework.autograd
        self._running: list[int] = []
        self._kept: list[Kept] = []
        self.stale: list[Stale] = []

    def pack(self, tensor: Any) -> tuple[Kept, Any]:
        """What stands for a value that is being kept."""
        self._look()
        version = self._version(tensor)
        kept = Kept(tensor, self._running[-1], version, version)
        self._kept.append(kept)
        return kept, self._copy(tensor)

    def unpack(self, packed: tuple[Kept, Any]) -> Any:
        """The value again, as it was when it was kept."""
        self._look()
        kept, copy = packed
        if kept.seen == kept.version:
            return kept.tensor  # not the copy: the gradient's own graph may keep it again
        self.stale.append(Stale(kept.line, frozenset(kept.writes), tuple(self._running)))
        return copy

    def _look(self) -> None:
        for kept in self._kept:
            now = self._version(kept.tensor)
            if now != kept.seen:
                kept.seen = now
                kept.writes.append(self._running[-1])

    def _trace(self, frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != self._path:
            return None
        if self._running:
            self._look()
        if event == "call":
            self._running.append(frame.f_lineno)
        elif event == "line":
            self._running[-1] = frame.f_lineno
        elif event == "return":
            self._running.pop()
        return self._trace

    @contextmanager
    def following(self) -> Iterator[None]:
        """Follows what runs in this block."""
        before = sys.gettrace()
        with self._hooks.saved_tensors_hooks(self.pack, self.unpack):
            sys.settrace(self._trace)
            try:
                yield
            finally:
                sys.settrace(before)
