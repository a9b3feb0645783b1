"""Reads, in the source of the line that runs, what the program wrote as the arguments of a call: `show(x, net.weight)`."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Collection, Sequence
from itertools import count, islice
from types import FrameType
from typing import Any

from inplacelab.recorders.bindings import value_of
from inplacelab.recorders.program import PARSING, scopes_of
from inplacelab.recorders.static import names_in

LONGEST = 40
"""A longer argument is no name for what it gives."""


def names_of(frame: FrameType, given: Sequence[Any], keywords: Collection[str]) -> list[str]:
    """Returns a name for each positional argument of the call that a frame is at: its text in the source, or else `x0`, `x1`, or the
    next of these that nothing else in the call is called.

    Args:
        frame: the frame of the program that calls.
        given: the positional arguments.
        keywords: the names of the others.
    """
    written = _arguments(frame, given, keywords) or [""] * len(given)
    named: dict[str, int] = {}
    names = [
        text
        if text and len(text) <= LONGEST and text not in keywords and named.setdefault(text, id(value)) == id(value)
        else ""
        for text, value in zip(written, given, strict=True)
    ]
    taken = {*names, *keywords}
    for place, name in enumerate(names):
        if not name:
            names[place] = next(free for k in count(place) if (free := f"x{k}") not in taken)
            taken.add(names[place])
    return names


def _arguments(frame: FrameType, given: Sequence[Any], keywords: Collection[str]) -> list[str] | None:
    """Returns the texts of the arguments; None if the source cannot be read, or is not that of the call."""
    call = _call(frame)
    if call is None or len(call.args) != len(given) or {each.arg for each in call.keywords} != {*keywords}:
        return None
    names = {**names_in(frame.f_globals), **scopes_of([frame])[0].names}
    for written, value in zip(call.args, given, strict=True):
        found = value_of(written, names)
        if isinstance(written, ast.Starred) or (found is not None and found is not value):  # the file was edited since
            return None
    return [ast.unparse(each) for each in call.args]


def _call(frame: FrameType) -> ast.Call | None:
    place = next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    line, end_line, column, end_column = place
    if line is None or end_line is None or column is None or end_column is None:
        return None
    lines = [
        each.encode() for each in linecache.getlines(frame.f_code.co_filename, frame.f_globals)[line - 1 : end_line]
    ]
    if len(lines) != end_line - line + 1:
        return None
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    try:
        with PARSING:
            found = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return found if isinstance(found, ast.Call) else None
