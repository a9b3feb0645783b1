"""Calls functions for another frame, so that they see it as the one that calls them.

A recorder that calls a framework's functions for the program stands between the two. But C++ warns at the line of the frame that called
it, once for each line, and Python does so for `stacklevel=2`. A stand-in is a function of one line that has the file, the line and the
globals of the frame that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

STAND_IN = "<stand-in>"
"""The name of the code of stand-ins."""
_CALL = (lambda function, args, kwargs: function(*args, **kwargs)).__code__


def call_for(frame: FrameType, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Calls a function as if a frame did."""
    where = frame.f_code, frame.f_lasti  # cheaper than the line, which Python has to look up
    code = _codes.get(where)
    if code is None:
        if len(_codes) >= KEPT:
            _codes.clear()
        code = _codes[where] = _code(frame.f_code.co_filename, frame.f_lineno)
    return FunctionType(code, frame.f_globals)(function, args, kwargs)


KEPT = 4096
"""So many places are kept."""
_codes: dict[tuple[CodeType, int], CodeType] = {}


@lru_cache(maxsize=4096)
def _code(filename: str, line: int) -> CodeType:
    return _CALL.replace(co_filename=filename, co_firstlineno=line, co_name=STAND_IN, co_qualname=STAND_IN)


def is_stand_in(code: CodeType) -> bool:
    """Whether a frame with this code stands for another one."""
    return code.co_name == STAND_IN


def without_stand_ins(frames: Sequence[TracebackType]) -> list[TracebackType]:
    """Returns the frames of a traceback without stand-ins, and without those between them and the frames that they stand for."""
    kept: list[TracebackType] = []
    for each in frames:
        if is_stand_in(each.tb_frame.f_code):
            place = next((k for k in range(len(kept), 0, -1) if _same_place(kept[k - 1], each)), len(kept))
            del kept[place:]
        else:
            kept.append(each)
    return kept


def _same_place(one: TracebackType, other: TracebackType) -> bool:
    same_file = one.tb_frame.f_code.co_filename == other.tb_frame.f_code.co_filename
    return same_file and one.tb_lineno == other.tb_lineno
