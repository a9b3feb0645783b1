"""Describes the collectives of a step."""

from __future__ import annotations

from collections.abc import Sequence

from inplacelab.language import Text
from inplacelab.recording.facts import CollectiveFacts
from inplacelab.recording.sentences.phrases import quoted

__all__ = ["communicated"]

_SAYS = Text(
    "Collective {0} of the program: {1} on all {2} ranks at once.", "程序的第 {0} 次集合通信：{2} 个进程同时做 {1}。"
)


def communicated(collectives: Sequence[CollectiveFacts | None]) -> list[Text]:
    """Describes which collectives they were; nothing if there was none. They are counted from 1, as steps are for a reader.

    >>> print(communicated([CollectiveFacts("all_reduce", 2, 0, 4)])[0].en)
    Collective 2 of the program: `all_reduce` on all 4 ranks at once.
    """
    return [_SAYS.format(each.number, quoted(each.name), each.ranks) for each in collectives if each is not None]
