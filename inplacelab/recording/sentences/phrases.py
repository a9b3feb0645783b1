"""Formats the parts of a sentence: lists, slots, bytes, shapes, values, in both languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import Values
from inplacelab.recording.naming import listing, number_label
from inplacelab.recording.slots import Runs

MOST_ITEMS = 4
"""A sentence names at most this many runs of slots or kernels, and counts the rest."""
MOST_VALUES = 8

_BLANK = re.compile(r"(?<=）) |(?<=[一-鿿]) (?=[一-鿿])")

__all__ = ["MOST_ITEMS", "byte_count", "closed_up", "joined", "listing", "quoted", "shape", "slots", "values"]


def joined(parts: Sequence[Text]) -> Text:
    """Joins sentences. In English, each begins with a capital letter ("The temporary `T5`")."""
    return Text(" ".join(part.en[:1].upper() + part.en[1:] for part in parts), "".join(part.zh for part in parts))


def closed_up(said: Text) -> Text:
    """Removes blanks between Chinese characters: patterns have them around placeholders, which are usually code."""
    return Text(said.en, _BLANK.sub("", said.zh))


def quoted(code: str) -> Text:
    """Puts a name of the program in backticks."""
    return Text(f"`{code}`", f"`{code}`")


def byte_count(number: int) -> Text:
    """Formats a number of bytes: "1 byte", "134,217,728 bytes"."""
    return Text("{0:,} byte" if number == 1 else "{0:,} bytes", "{0:,} 字节").format(number)


def shape(sizes: Sequence[int]) -> str:
    """Formats a shape or strides: "[2, 3]"."""
    return str(list(sizes))


def slots(runs: Runs) -> Text:
    """Formats runs of slots: "slot 3", "slots 0-1 and 4-5"; many scattered slots by their number and range."""
    if len(runs) > MOST_ITEMS:
        count = sum(stop - start for start, stop in runs)
        pattern = Text("{0:,} slots between {1:,} and {2:,}", "第 {1:,} 到 {2:,} 号槽位中的 {0:,} 个")
        return pattern.format(count, runs[0][0], runs[-1][1] - 1)
    spans = [f"{start:,}" if stop - start == 1 else f"{start:,}-{stop - 1:,}" for start, stop in runs]
    which = listing([Text(span, span) for span in spans])
    single = len(runs) == 1 and runs[0][1] - runs[0][0] == 1
    return Text("slot {0}" if single else "slots {0}", "第 {0} 号槽位").format(which)


def values(numbers: Values) -> str:
    """Formats values: "[1, 0.5, ...]", in four significant digits, at most `MOST_VALUES` of them."""
    shown = [number_label(number) for number in numbers[:MOST_VALUES]]
    return f"[{', '.join([*shown, '...'] if len(numbers) > MOST_VALUES else shown)}]"
