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
        episode: the number of the last episode; storages note in which one they were made.
        began: the number of the episode that is going on; 0 if none is.
        inherited: those of the `live` bytes that were made before this episode. What it has made itself is the difference.
        earlier: the largest `live` before this episode, since the start or the last `reset_peak`.
        scratch: the most that a kernel needed besides, for a moment, since then.
        lent: what the operation that is running has borrowed for as long as it runs.
    """

    __slots__ = ("_outer", "began", "earlier", "episode", "inherited", "lent", "live", "peak", "scratch")

    def __init__(self) -> None:
        self.live = self.peak = self.earlier = self.scratch = self.lent = 0
        self.episode = self.began = self.inherited = 0
        self._outer: list[tuple[int, int, int]] = []  # `began`, `inherited` and `peak` of the episodes around this one

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

    def release_inherited(self, nbytes: int, made_in: int) -> None:
        """A storage is gone that was made before this episode, in the one numbered `made_in`.

        It counts in nothing that the episode says of itself: so the peak goes down with `live`, after the highest was noted.
        (A cell that is run again lets go of what its first run has made, and must read as it did then.)
        """
        self.earlier, reached = self.highest, self.peak
        self.live, self.peak, self.inherited = self.live - nbytes, self.peak - nbytes, self.inherited - nbytes
        for level, (began, inherited, peak) in enumerate(self._outer):
            less = nbytes if made_in < began else 0
            self._outer[level] = began, inherited - less, max(peak, reached) - less

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

    def own(self, began: int) -> tuple[int, int]:
        """The bytes that the episode numbered `began`, this one or one around it, has made itself: those live now, and the
        largest number of them.
        """
        if began == self.began:
            return self.live - self.inherited, self.peak - self.inherited
        inherited, peak = next((i, p) for number, i, p in self._outer if number == began)
        return self.live - inherited, max(peak, self.peak) - inherited

    def begin_episode(self) -> None:
        """Count `peak` anew, without forgetting the highest."""
        self._outer.append((self.began, self.inherited, self.peak))
        self.earlier, self.episode = self.highest, self.episode + 1
        self.began, self.inherited, self.peak = self.episode, self.live, self.live

    def end_episode(self) -> None:
        """Go on counting as if there had been no episode."""
        highest, reached = self.highest, self.peak
        self.began, self.inherited, peak = self._outer.pop()
        self.peak, self.earlier = (max(peak, reached), highest) if self.began else (highest, 0)
