"""Says line by line where two programs begin to differ, as text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from inplacelab.language import Text
from inplacelab.recording.alignment import Alignment
from inplacelab.recording.differences import differences, verdict
from inplacelab.recording.file_text import visible
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.phrases import byte_count

__all__ = ["report"]

_ENDS = Text("{0}: {1} (peak {2})", "{0}：{1}（峰值 {2}）")
_SIDES = (Text("left: ", "左侧："), Text("right: ", "右侧："))
_NO_PAIRS = Text(
    "No line of one has anything in common with a line of the other: nothing was aligned.",
    "两个程序没有任何相近的行：无法对齐。",
)
_ALIKE = Text("No step differs in values, versions or sharing.", "各步的值、版本号和共享关系均无不同。")
_BYTES = ("live", "peak")
"""Differ at almost every step once they differ: the heading says what they come to."""


def report(alignment: Alignment) -> Iterator[str]:
    """Yields the lines of a report: how both programs end, and where they begin to differ. All characters are visible."""
    for side, recording in zip(_SIDES, (alignment.left, alignment.right), strict=True):
        end = verdict(recording)
        yield f"{side}{_ENDS.format(visible(recording.title), visible(str(end.says)), byte_count(end.peak))}"
        yield from (f"  {note}" for note in recording.notes)
    if not alignment.pairs:
        yield f"\n{_NO_PAIRS}"
        return
    found = list(_steps(alignment))
    yield from found or [f"\n{_ALIKE}"]


def _steps(alignment: Alignment) -> Iterator[str]:
    """Yields the lines of both sides at each position with a new difference, and below them what is new."""
    before: set[Text] = set()
    for index, position in enumerate(alignment.positions):
        here = [each.says for each in differences(alignment, index) if each.kind not in _BYTES]
        if new := [says for says in here if says not in before]:
            yield ""
            for side, recording, step in zip(_SIDES, (alignment.left, alignment.right), position, strict=True):
                if step is not None:
                    yield f"{side}{_line(recording, step)}"
            yield from (f"  {visible(str(says))}" for says in new)
        before = set(here)


def _line(recording: Recording, step: int) -> str:
    line = recording.steps[step].line
    lines = recording.source.splitlines()
    return "?" if line is None or line > len(lines) else f"{line}  {visible(lines[line - 1].strip())}"
