"""The memory ledger: bytes of live storages on one device, and the most there ever were.

In-place operations save memory and allocation, not arithmetic. The ledger is how a learner sees it: it counts every byte
of every storage from allocation to release, on the real devices and on the simulated one alike. What a kernel needs for a
moment besides (`scratch`) is kept apart, because no tensor owns it.
"""

from __future__ import annotations


class Ledger:
    """The account of one device. All figures are bytes.

    Attributes:
        live: bytes of the storages that exist now.
        peak: the largest `live` in this episode. A recording is an episode of its own: its picture should not be dwarfed by
            what was there before, and the program that it records should not notice.
        earlier: the largest `live` before this episode, since the start or the last `reset_peak`.
        scratch: the most that a kernel needed besides, for a moment, since then.
        lent: what the operation that is running has borrowed for as long as it runs.
    """

    __slots__ = ("earlier", "lent", "live", "peak", "scratch")

    def __init__(self) -> None:
        self.live = self.peak = self.earlier = self.scratch = self.lent = 0

    @property
    def highest(self) -> int:
        """The largest `live` since the start or the last `reset_peak`: what a program is told."""
        return max(self.peak, self.earlier)

    def hold(self, nbytes: int) -> None:
        """A storage of `nbytes` came to be."""
        self.live += nbytes
        if self.live > self.peak:
            self.peak = self.live

    def release(self, nbytes: int) -> None:
        """A storage of `nbytes` is gone."""
        self.live -= nbytes

    def borrow(self, nbytes: int) -> None:
        """A kernel needs `nbytes` besides its result until it is done."""
        if self.lent + nbytes > self.scratch:
            self.scratch = self.lent + nbytes

    def lend(self, nbytes: int) -> None:
        """An operation needs `nbytes` until it is done, whatever its kernel borrows besides."""
        self.borrow(nbytes)
        self.lent += nbytes

    def reset_peak(self) -> None:
        """Count the peak anew, from what is live now."""
        self.peak, self.earlier, self.scratch = self.live, 0, 0

    def begin_episode(self) -> None:
        """Count `peak` anew, without forgetting the highest."""
        self.peak, self.earlier = self.live, self.highest

    def end_episode(self) -> None:
        """Go on counting as if there had been no episode."""
        self.peak, self.earlier = self.highest, 0
