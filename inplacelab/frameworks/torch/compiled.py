"""Tells when the program enters code compiled by `torch.compile`, and when it leaves it.

The compiler traces whatever is in force while it compiles: a mode, hooks of modules, the calls that an instrumented program has before
its statements. It would fail there, or compile something else. So a recorder takes these away before compiled code begins.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from types import FrameType
from typing import Any

import torch

from inplacelab.frameworks.torch.patch import Patch

_COMPILER = "torch._dynamo.eval_frame"
_SWITCH = "_maybe_set_eval_frame"
"""The function of the compiler by which compiled code begins, with what compiles frames, and ends, with what was there before."""


class CompilerPatch:
    """Takes the place of the compiler's switch while a recording runs.

    Args:
        enters: called before compiled code begins.
        left: called after the outermost compiled code has ended.
    """

    def __init__(self, enters: Callable[[], None], left: Callable[[], None]) -> None:
        self._enters, self._left = enters, left
        self._patch: Patch | None = None
        self._outermost: FrameType | None = None  # the frame that runs compiled code

    def begin(self, text: str) -> None:
        """Takes its place once the compiler is there.

        Args:
            text: the lines that run next. If they may compile something, the compiler is imported now, and not by them.
        """
        if self._patch is None and (_COMPILER in sys.modules or "compile" in text):
            self._patch = Patch(import_module(_COMPILER), _SWITCH, self._switch)
            self._patch.begin()

    def end(self) -> None:
        """Puts the function back."""
        if self._patch is not None:
            self._patch.end()

    def _switch(self, switch: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        caller = sys._getframe(2)  # beyond the patch
        compiles = any(map(callable, (*args, *kwargs.values())))
        if compiles and self._outermost is None:
            self._outermost = caller
            self._enters()
        before = switch(*args, **kwargs)
        if self._outermost is caller and not compiles:  # and not code that is compiled, or the compiler
            self._outermost = None
            self._left()
        return before


@cache
def leave_out_of_graphs(listener: Callable[[int, bool], None]) -> None:
    """Has the compiler leave out the calls of a listener that an instrumented program has before its statements."""
    substitute = getattr(torch.compiler, "substitute_in_graph", None)
    if substitute is not None:
        substitute(listener)(_nothing)


def _nothing(line: int, simple: bool) -> None:
    """Stands for a listener."""
