"""Tracebacks as they would be if no recorder ran between a program and its framework."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

from inplacelab.errors import Refusal
from inplacelab.recorders.stand_in import without_stand_ins
from inplacelab.recorders.static import traceback_of

_PACKAGE = Path(__file__).parents[1]
_ENGINE = (f"{_PACKAGE}{os.sep}", "<inplacelab ")
"""The beginnings of the engine's file names: files of the package, and generated operations."""
_RECORDERS = tuple(f"{_PACKAGE / each}{os.sep}" for each in ("recorders", "diagnosis", "frameworks"))
"""The beginnings of the file names of recorders and watches, whose frames are between a program and its framework."""
_error: Any = BaseException
_cause_of: Callable[[BaseException], BaseException | None] = _error.__cause__.__get__
_context_of: Callable[[BaseException], BaseException | None] = _error.__context__.__get__
_set_traceback: Callable[[BaseException, TracebackType | None], None] = _error.__traceback__.__set__


def as_unrecorded(error: BaseException) -> None:
    """Takes the frames of recorders out of the traceback of an error, and out of those of the errors that led to it."""
    waiting, seen = [error], set()
    while waiting:
        each = waiting.pop()
        seen.add(id(each))
        trace = traceback_of(each)
        if any(_is_of(_RECORDERS, walk) for walk in _frames(trace)):
            _set_traceback(each, _without(_RECORDERS, trace))
        led_to = _cause_of(each), _context_of(each)
        waiting += [other for other in led_to if other is not None and id(other) not in seen]


def learners_traceback(error: BaseException, filename: str) -> TracebackType | None:
    """Returns an error's traceback from the program's first frame on, as if no recorder ran; for a refusal, without the engine's frames."""
    walk = traceback_of(error)
    while walk is not None and walk.tb_frame.f_code.co_filename != filename:
        walk = walk.tb_next
    return without_engine(walk) if issubclass(type(error), Refusal) else _without(_RECORDERS, walk)


def without_engine(trace: TracebackType | None) -> TracebackType | None:
    """Returns a refusal's traceback without the engine's frames, because the mistake is in the program."""
    return _without(_ENGINE, trace)


def _without(hidden: tuple[str, ...], trace: TracebackType | None) -> TracebackType | None:
    kept: TracebackType | None = None
    for each in reversed(without_stand_ins(list(_frames(trace)))):
        if not _is_of(hidden, each):
            kept = TracebackType(kept, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return kept


def _frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _is_of(files: tuple[str, ...], trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith(files)
