"""Defines what a watch finds out about a backward pass that failed: the facts, and of which exception they are."""

from __future__ import annotations

from dataclasses import dataclass

from inplacelab.recording.facts import FailureFacts, FixFacts


@dataclass(frozen=True)
class Failure:
    """A backward pass that failed, or whose gradients are wrong.

    Attributes:
        facts: what led to it.
        error: the exception's address and message; (0, "") if there was none.
        raised: the exception's class, by name; "" if there was none.
        fixes: ways to fix the program, from a recording, which knows more; None to find them for the facts.
    """

    facts: FailureFacts
    error: tuple[int, str] = (0, "")
    raised: str = ""
    fixes: tuple[FixFacts, ...] | None = None
