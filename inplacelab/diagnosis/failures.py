"""Defines what a watch finds out about a backward pass that failed: the facts, and of which exception they are."""

from __future__ import annotations

from dataclasses import dataclass

from inplacelab.recording.facts import FailureFacts
from inplacelab.recording.fixes.spots import Trail
from inplacelab.recording.trace import trail_of as _trail_of


@dataclass(frozen=True)
class Failure:
    """A backward pass that failed, or whose gradients are wrong.

    Attributes:
        facts: what led to it.
        error: the exception's address and message; (0, "") if there was none.
        raised: the exception's class, by name; "" if there was none.
    """

    facts: FailureFacts
    error: tuple[int, str] = (0, "")
    raised: str = ""


def trail_of(failure: Failure) -> Trail:
    """Returns the spots of a failure, for the first of what it may have been."""
    return _trail_of(failure.facts)
