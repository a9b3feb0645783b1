"""Events about the program: its statements, its end, and its errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from inplacelab.recorders.events.event import Event

if TYPE_CHECKING:
    from inplacelab.language import Text


@dataclass(slots=True)
class StatementBegan(Event):
    """A statement begins; the one before it has ended.

    Attributes:
        line: its line.
        simple: whether it contains no other statements.
        depth: how many frames run the program: 1 outside its functions.
        live, peak: live bytes and their peak so far.
    """

    line: int
    simple: bool
    depth: int
    live: int
    peak: int


@dataclass(slots=True)
class ProgramEnded(Event):
    """The program has ended."""

    live: int
    peak: int


@dataclass(slots=True)
class LookedAt(Event):
    """The objects were described as they are, without a program."""


@dataclass(slots=True)
class Missed(Event):
    """Something happened that would be a step. It was not recorded, because the recording has reached its limit."""


@dataclass(slots=True)
class Stopped(Event):
    """The recorder failed, and recorded nothing further. What was emitted since the last step is incomplete."""


@dataclass(slots=True)
class Raised(Event):
    """The program ended with an exception that is not a refusal of the framework.

    Attributes:
        type: the name of its class.
        message: its text.
        line: the program's line; None outside the program.
        inputs: the tensors that the call was given which raised it.
    """

    type: str
    message: str
    line: int | None
    live: int
    peak: int
    inputs: tuple[int, ...] = ()


@dataclass(slots=True)
class Refused(Event):
    """The framework refused something.

    Attributes:
        type: the name of the exception's class.
        message: its text.
        why: the reason, as a sentence.
        fix: what to do.
        node, storage, tensor: what it is about, as far as known.
        line: the program's line; None in the framework's part of a backward pass.
        inputs: the tensors that the refused call was given.
        kind: what happened (see `facts.FailureKind`).
    """

    type: str
    message: str
    why: Text
    fix: Text
    node: int | None
    storage: int | None
    tensor: int | None
    line: int | None
    live: int
    peak: int
    inputs: tuple[int, ...] = ()
    kind: Literal["stale", "again", "leaf", "refused"] = "refused"
