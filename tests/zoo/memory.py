"""Compares the live bytes that a recorder counts with those that PyTorch has allocated, whenever a statement begins.

PyTorch's profiler lists what is allocated and freed, in order. At each statement a tensor of a size of its own is allocated and freed at once:
so the list tells what was allocated when the statement began.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from inplacelab.frameworks.torch.readings import Unseen
from inplacelab.frameworks.torch.recorder import TorchRecorder
from inplacelab.recorders import run

MARK = 7_340_033
"""The bytes of the tensor that marks a statement."""


@dataclass
class Counted:
    """What was counted when statements began.

    Attributes:
        lines: the lines of the statements.
        live: the live bytes that the recorder has counted.
        allocated: those that PyTorch had allocated since the first one.
    """

    lines: list[int] = field(default_factory=list)
    live: list[int] = field(default_factory=list)
    allocated: list[int] = field(default_factory=list)

    def differences(self) -> list[tuple[int, int]]:
        """Returns the statements at which both differ: the line, and how many more bytes were allocated than counted."""
        found = zip(self.lines, self.live, self.allocated, strict=True)
        return [(line, there - (live - self.live[0])) for line, live, there in found if there != live - self.live[0]]


@contextmanager
def counting() -> Iterator[Counted]:
    """Has the memory counted of what is recorded in a `with` block. The recording is not built."""
    counted = Counted()

    class Recorder(TorchRecorder):
        def statement_begins(self, line: int, simple: bool, frame: Any, /) -> None:
            super().statement_begins(line, simple, frame)
            with Unseen():
                counted.lines.append(line)
                counted.live.append(self.live_and_peak()[0])
                torch.empty(MARK, dtype=torch.uint8)

    recorder_of = run.recorder_of
    run.recorder_of = lambda _: Recorder  # type: ignore[assignment]
    try:
        with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
            yield counted
        counted.allocated = _allocated(profiler)
    finally:
        run.recorder_of = recorder_of


def _allocated(profiler: Any) -> list[int]:
    events = [each for each in profiler.profiler.kineto_results.events() if each.name() == "[memory]"]
    found: list[int] = []
    allocated = 0
    for each in sorted(events, key=lambda each: each.start_ns()):
        if each.nbytes() == MARK:
            found.append(allocated)
        elif each.nbytes() != -MARK:
            allocated += each.nbytes()
    return [each - found[0] for each in found]
