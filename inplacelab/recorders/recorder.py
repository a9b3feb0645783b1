"""What a recorder is: one class for each framework."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import FrameType
from typing import Protocol

from inplacelab.errors import Refusal
from inplacelab.recorders.log import Log
from inplacelab.recorders.program import Program, Scope


class Recorder(Protocol):
    """Watches a program of one framework and emits events. To record another framework is to write another of these.

    Attributes:
        framework, version: what it watches.
        live_before: the bytes that were live when the recording began.
        missed: how many events were not recorded because of the limit.
        refusals: the framework's refusals so far, in order, held weakly, so that they can be told what the recording knows of them.
    """

    framework: str
    version: str
    live_before: int

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None: ...

    @property
    def missed(self) -> int: ...

    @property
    def refusals(self) -> Sequence[Callable[[], Refusal | None]]: ...

    def listening(self) -> AbstractContextManager[object]:
        """Hear what happens inside a `with` block."""

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """A statement of an instrumented program begins (see `instrument.StatementListener`)."""

    def failed(self, error: BaseException) -> None:
        """The program ended with an exception."""

    def finish(self, scope: Scope) -> None:
        """The program is over, and these are its names."""
