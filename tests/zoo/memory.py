"""Compares the live bytes that a recorder counts with those that PyTorch has allocated, whenever a statement begins.

PyTorch's profiler lists what is allocated and freed, in order. At each statement a tensor of a size of its own is allocated and freed at once:
so the list tells what was allocated when the statement began.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

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

    _profiler: Any = None
    lines: list[int] = field(default_factory=list)
    live: list[int] = field(default_factory=list)
    allocated: list[int] = field(default_factory=list)

    def differences(self) -> list[tuple[int, int]]:
        """Returns the statements at which both differ: the line, and how many more bytes were allocated than counted."""
        found = zip(self.lines, self.live, self.allocated, strict=True)
        return [(line, there - (live - self.live[0])) for line, live, there in found if there != live - self.live[0]]

    def begin(self) -> None:
        """Begins to list what is allocated."""
        self._profiler = profile(activities=[ProfilerActivity.CPU], profile_memory=True)
        self._profiler.__enter__()

    def mark(self, line: int, live: int) -> None:
        """Notes what a recorder counts when a statement begins."""
        self.lines.append(line)
        self.live.append(live)
        torch.empty(MARK, dtype=torch.uint8)

    def end(self) -> None:
        """Ends that, the first time it is called."""
        if self._profiler is not None:
            profiler, self._profiler = self._profiler, None
            profiler.__exit__(None, None, None)
            self.allocated = _allocated(profiler)


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
