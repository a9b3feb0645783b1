"""Defines the interface of a recorder, one class for each framework."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:  # a watch needs `Memory` only
    from inplacelab.errors import Refusal
    from inplacelab.recorders.bindings import Watched
    from inplacelab.recorders.guard import Guard, StepLimit
    from inplacelab.recorders.log import Log
    from inplacelab.recorders.program import Program, Scope


class Recorder(Protocol):
    """Observes a program of one framework and emits events. To record another framework, write another recorder.

    Attributes:
        framework, version: the framework's name and version.
        watched: the classes of its tensors, and of objects that hold tensors.
        guard: through which the program calls it.
        limit: counts the steps.
        waits: is called before each statement while the recording has not begun, if something must be done for that.
        live_before: the bytes that were live when the recording began.
        refusals: the framework's refusals so far, in order, as weak references, so that notes and fixes can be added to them.
    """

    framework: str
    version: str
    watched: Watched
    guard: Guard
    limit: StepLimit
    waits: Callable[[], None] | None
    live_before: int

    def __init__(
        self, program: Program, log: Log, *, limit: int | None = None, outermost: FrameType | None = None
    ) -> None: ...

    @property
    def refusals(self) -> Sequence[Callable[[], Refusal | None]]: ...

    @staticmethod
    def memory_of(tensor: Any, /) -> Memory:
        """Returns where the storage of a tensor is, without a change of the tensor.

        Raises:
            NoStorageError: if it has no storage of its own.
        """

    def look(self, tensors: dict[str, Any], /) -> None:
        """Describes existing tensors by their names, and the graph behind them, as they are now. Nothing is recorded: the recorder is not
        begun, changes no tensor, and refers to none afterwards. Of a large storage only the ends are read.
        """

    def begin(self) -> None:
        """Begins to record."""

    def is_idle(self) -> bool:
        """Whether it can end now, in the middle of the program: no call of the framework runs through it."""

    def end(self) -> None:
        """Ends that, whether or not it has begun. It may be called again if an interrupt arrives meanwhile."""

    def statement_begins(self, line: int, simple: bool, frame: FrameType, /) -> None:
        """Called when a statement of an instrumented program begins (see `instrument.StatementListener`)."""

    def failed(self, error: BaseException) -> None:
        """Called when the program ended with an exception."""

    def finish(self, scopes: Sequence[Scope]) -> None:
        """Called when the program has ended, with its names."""


class Memory(NamedTuple):
    """Where a tensor's storage is.

    Attributes:
        storage: what tells it from the framework's other storages while it lives; None if there is nothing to tell it by.
        start: its address; 0 if it has no memory.
        bytes: its size.
        framework: the framework that it belongs to.
    """

    storage: int | None
    start: int
    bytes: int
    framework: str

    def is_shared_with(self, other: Memory) -> bool:
        """Whether another storage is the same one, or has some of the same memory."""
        if self.storage is not None and (self.framework, self.storage) == (other.framework, other.storage):
            return True
        if not (self.start and other.start):
            return False
        return self.start < other.start + other.bytes and other.start < self.start + self.bytes


class NoStorageError(ValueError):
    """A tensor has no storage of its own, so nothing can be said of what it shares."""
