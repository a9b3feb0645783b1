"""Lists items in a sentence: all of them, but many successive items of one list of the program, or storages, by the first and the last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from inplacelab.language import Text

__all__ = ["listing"]

LEAST_RANGE = 9
"""So many successive items of one list of the program, or storages, are named by the first and the last: "`xs[0]` to `xs[9]`"."""


def listing(items: Sequence[Text]) -> Text:
    """Joins items as "`a`, `b` and `c`", all of them; of many successive items of a list, or storages, only the first and the last are written.

    >>> print(listing([Text(name, name) for name in ("`a`", *(f"`xs[{k}]`" for k in range(12)))]).en)
    `a` and `xs[0]` to `xs[11]`
    >>> print(listing([Text(f"S{k}", f"S{k}") for k in (1, *range(3, 15))]).zh)
    S1 和 S3 至 S14
    """
    return _joined_up(_in_ranges(items))


def _joined_up(items: Sequence[Text]) -> Text:
    *firsts, last = items
    if not firsts:
        return last
    return Text(
        f"{', '.join(item.en for item in firsts)} and {last.en}",
        f"{'、'.join(item.zh for item in firsts)} 和 {last.zh}",
    )


def _in_ranges(items: Sequence[Text]) -> list[Text]:
    """Returns the items with many successive ones of a list as one."""
    shown: list[Text] = []
    runs = groupby(enumerate(items), key=lambda each: _family(each[1], each[0]))
    for family, run in runs:
        members = [item for _, item in run]
        if family is None or len(members) < LEAST_RANGE:
            shown += members
        else:
            shown.append(Text("{0} to {1}", "{0} 至 {1}").format(members[0], members[-1]))
    return shown


_NUMBERED = re.compile(r"(`[^`]+\[|S)(\d+)(\]`|)")


def _family(item: Text, place: int) -> tuple[str, ...] | None:
    """Returns what successive items of a list have in common; None for an item of no list."""
    found = _NUMBERED.fullmatch(item.en) if item.en == item.zh else None
    return None if found is None else (found[1], str(int(found[2]) - place))
