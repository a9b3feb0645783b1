"""Describes the kernels that a step launched, in one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from inplacelab.language import Text
from inplacelab.recording.facts import LaunchFacts
from inplacelab.recording.sentences.phrases import MOST_ITEMS, listing, quoted

__all__ = ["launched"]


def launched(launches: Sequence[LaunchFacts]) -> list[Text]:
    """Describes which kernels ran, where, with how many threads, and the bytes that these requested; nothing if none ran.

    >>> print(launched([LaunchFacts("relu_", "contiguous", (2, 1, 1), (256, 1, 1), 4, "float32", (), 4000, 4000, "", True)])[0].en)
    Kernel `relu_` (simulated): 2 blocks × 256 threads, 4,000 bytes read and 4,000 written.
    """
    if not launches:
        return []
    return [_one(launches[0]) if len(launches) == 1 else _several(launches)]


def _one(launch: LaunchFacts) -> Text:
    blocks = prod(launch.grid)
    pattern = Text(
        f"Kernel {{0}} ({{1}}): {{2:,}} block{'s' * (blocks != 1)} × {{3:,}} threads, {{4:,}} bytes read and {{5:,}} written.",
        "核函数 {0}（{1}）：{2:,} 个线程块 × {3:,} 个线程，读 {4:,} 字节，写 {5:,} 字节。",
    )
    return pattern.format(
        quoted(launch.kernel), _where(launch), blocks, prod(launch.block), launch.bytes_read, launch.bytes_written
    )


def _several(launches: Sequence[LaunchFacts]) -> Text:
    pattern = Text(
        "{0} kernels ({1}): {2}; together {3:,} bytes read and {4:,} written.",
        "{0} 个核函数（{1}）：{2}；共读 {3:,} 字节，写 {4:,} 字节。",
    )
    return pattern.format(
        len(launches), _where(launches[0]), _kernels(launches),
        sum(each.bytes_read for each in launches), sum(each.bytes_written for each in launches),
    )  # fmt: skip


def _kernels(launches: Sequence[LaunchFacts]) -> Text:
    """Names the first kernels, and counts the others."""
    shown = [quoted(each.kernel) for each in launches]
    if len(shown) > MOST_ITEMS:
        shown[MOST_ITEMS - 1 :] = [Text("{0} others", "另外 {0} 个").format(len(shown) - MOST_ITEMS + 1)]
    return listing(shown)


def _where(launch: LaunchFacts) -> Text:
    """Returns the name of the GPU, or "simulated"."""
    return Text(launch.device, launch.device) if launch.device else Text("simulated", "模拟")
