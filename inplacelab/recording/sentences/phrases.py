"""The small words of a sentence: lists, slots, bytes, shapes, values, in both languages."""

from __future__ import annotations

import re
from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import Values
from inplacelab.recording.naming import number_label
from inplacelab.recording.slots import Runs

MOST_ITEMS = 4
"""A sentence names no more things of one kind than this, and counts the rest."""
MOST_VALUES = 8

_BLANK = re.compile(r"(?<=）) |(?<=[一-鿿]) (?=[一-鿿])")

__all__ = ["MOST_ITEMS", "byte_count", "closed_up", "joined", "listing", "quoted", "shape", "slots", "values"]


def joined(parts: Sequence[Text]) -> Text:
    """Sentences, one after the other. A thing that one begins with ("the temporary `T5`") is written large in English."""
    return Text(" ".join(part.en[:1].upper() + part.en[1:] for part in parts), "".join(part.zh for part in parts))


def closed_up(said: Text) -> Text:
    """Without blanks between Chinese characters: the patterns set them for the code that usually stands there."""
    return Text(said.en, _BLANK.sub("", said.zh))


def listing(items: Sequence[Text]) -> Text:
    """`a`, `b` and `c`; a long list is cut short and says how many are missing."""
    shown = list(items)
    if len(shown) > MOST_ITEMS:
        shown[MOST_ITEMS - 1 :] = [Text("{0} others", "另外 {0} 个").format(len(shown) - MOST_ITEMS + 1)]
    *firsts, last = shown
    if not firsts:
        return last
    return Text(
        f"{', '.join(item.en for item in firsts)} and {last.en}",
        f"{'、'.join(item.zh for item in firsts)} 和 {last.zh}",
    )


def quoted(code: str) -> Text:
    """A word of the program."""
    return Text(f"`{code}`", f"`{code}`")


def byte_count(number: int) -> Text:
    """1 byte, 134,217,728 bytes."""
    return Text("{0:,} byte" if number == 1 else "{0:,} bytes", "{0:,} 字节").format(number)


def shape(sizes: Sequence[int]) -> str:
    """[2, 3], whatever sequence holds it."""
    return str(list(sizes))


def slots(runs: Runs) -> Text:
    """Slot 3, slots 0-7, slots 0-1 and 4-5; of many scattered slots their number and the range they lie in."""
    if len(runs) > MOST_ITEMS:
        count = sum(stop - start for start, stop in runs)
        pattern = Text("{0:,} slots between {1:,} and {2:,}", "第 {1:,} 到 {2:,} 号槽位中的 {0:,} 个")
        return pattern.format(count, runs[0][0], runs[-1][1] - 1)
    spans = [f"{start:,}" if stop - start == 1 else f"{start:,}-{stop - 1:,}" for start, stop in runs]
    which = listing([Text(span, span) for span in spans])
    single = len(runs) == 1 and runs[0][1] - runs[0][0] == 1
    return Text("slot {0}" if single else "slots {0}", "第 {0} 号槽位").format(which)


def values(numbers: Values) -> str:
    """[1, 0.5, ...]: four significant digits, the first few of many."""
    shown = [number_label(number) for number in numbers[:MOST_VALUES]]
    return f"[{', '.join([*shown, '...'] if len(numbers) > MOST_VALUES else shown)}]"
