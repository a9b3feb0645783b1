"""Sees what functions of the program receive and return in a backward pass: hooks, and the `backward` of custom functions.

They are not called again, since they may do whatever a program does. Python tells a profiler of each call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

from inplacelab.recorders.judging.twins import is_near
from inplacelab.recorders.program import code_of


@dataclass(eq=False)
class Seen:
    """A call of a function.

    Attributes:
        tensors: the tensors that it was given; none after the call.
        received: their values.
        left: their values when it returned.
        returned: the values that it returned; None for what is no tensor.
    """

    tensors: Sequence[Any]
    received: Sequence[Any]
    left: Sequence[Any] = ()
    returned: Sequence[Any] = ()


@dataclass(frozen=True)
class Observed:
    """What functions have received and returned in a pass.

    Attributes:
        calls: the calls, by the code of the function; None if they could not be seen.
    """

    calls: Mapping[CodeType, list[Seen]] | None = None

    def never_ran(self, code: CodeType | None) -> bool:
        """Whether it is certain that a function was not called."""
        return code is not None and self.calls is not None and code not in self.calls

    def of(self, code: CodeType | None, given: Sequence[Any]) -> Seen | None:
        """Returns the call of a function that received such values; None if none is known."""
        for each in () if self.calls is None or code is None else self.calls.get(code, ()):
            pairs = zip(each.received, given, strict=False)
            if len(each.received) == len(given) and all(is_near(a, b, str(b.dtype)) for a, b in pairs):
                return each
        return None


@dataclass
class Observing:
    """Sees calls while passes run.

    Args:
        array_of: returns the values of a tensor as a new array; None for what is no tensor.
    """

    array_of: Callable[[Any], Any]
    _codes: set[CodeType] = field(default_factory=set)
    _open: list[dict[CodeType, list[Seen]] | None] = field(default_factory=list)
    _entered: dict[FrameType, Seen] = field(default_factory=dict)

    def watch(self, function: Any) -> CodeType | None:
        """Has the calls of a function seen from now on. Returns its code; None if it has none."""
        code = code_of(function)
        if code is not None:
            self._codes.add(code)
        return code

    def begins(self) -> None:
        """Called when a pass begins."""
        mine = sys.getprofile() == self._profile
        if self._codes and sys.getprofile() is None:
            sys.setprofile(self._profile)
            mine = True
        self._open.append({} if mine or not self._codes else None)

    def ends(self) -> Observed:
        """Called when a pass has ended, or failed. Returns what was seen in it."""
        found = self._open.pop()
        if not self._open:
            self._entered.clear()
            if sys.getprofile() == self._profile:
                sys.setprofile(None)
        return Observed(found)

    def _profile(self, frame: FrameType, event: str, value: Any) -> None:
        if frame.f_code not in self._codes or event not in ("call", "return") or not self._open:
            return
        try:
            (self._enters if event == "call" else self._leaves)(frame, value)
        except Exception:  # noqa: BLE001  # it must not reach the program
            self._open[-1] = None

    def _enters(self, frame: FrameType, _: Any) -> None:
        pairs = [(each, values) for each in _given(frame) if (values := self.array_of(each)) is not None]
        self._entered[frame] = Seen([each for each, _ in pairs], [values for _, values in pairs])

    def _leaves(self, frame: FrameType, value: Any) -> None:
        seen, calls = self._entered.pop(frame, None), self._open[-1]
        if seen is not None and calls is not None:
            seen.left = [self.array_of(each) for each in seen.tensors]
            seen.returned = [self.array_of(each) for each in (value if isinstance(value, list | tuple) else (value,))]
            seen.tensors = ()
            calls.setdefault(frame.f_code, []).append(seen)


def _given(frame: FrameType) -> Iterator[Any]:
    """Yields the arguments of a function that begins."""
    code, names = frame.f_code, frame.f_locals
    count = code.co_argcount + code.co_kwonlyargcount
    for name in code.co_varnames[: count + bool(code.co_flags & 0x04)]:
        value = names.get(name)
        yield from value if isinstance(value, tuple) else (value,)
