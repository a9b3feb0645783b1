"""What `inplacelab explain` has seen of a program, and how it says that: needed whether or not the program fails."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from inplacelab.cli import output
from inplacelab.diagnosis.findings import Finding
from inplacelab.language import Text

if TYPE_CHECKING:
    from inplacelab.recording.facts import FixFacts
    from inplacelab.recording.fixes.spots import Trail

TRY = Text("To find an edit that works: {0}", "要找到可行的改法：{0}")


@dataclass(frozen=True)
class Seen:
    """What was seen of a program.

    Attributes:
        said: what is printed below the error that ended it.
        operations, storages: how many were watched.
        remarks: what was not.
        handled: the failures that did not end it.
        ended: the failure that did.
        error: the type and the message of the error that did; None if there was none.
        trails: the values that its pass found overwritten, or would have found.
        checked: the fixes that were checked when the recording was made.
    """

    said: list[str]
    operations: int
    storages: int
    remarks: Sequence[Text]
    handled: Sequence[Finding]
    ended: Finding | None
    error: tuple[str, str] | None
    trails: Sequence[Trail]
    checked: Sequence[FixFacts] = ()


def tries(options: argparse.Namespace) -> bool:
    """Whether fixes are tried."""
    return bool(options.tries or options.fix)


def say(options: argparse.Namespace, text: object) -> None:
    """Says something below what the program has printed."""
    if options.format != "json":
        output.say(text, sys.stderr)
