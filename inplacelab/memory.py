"""The memory ledger: the bytes of the live storages on one device, and their peak.

In-place operations save memory and allocation, not arithmetic. The ledger makes that visible: it counts every byte of
every storage from allocation to release, on the real devices and on the simulated one alike. Temporary memory of a kernel
(`scratch`) is counted separately, because no tensor owns it.
"""

from __future__ import annotations


class Ledger:
    """The memory account of one device. All numbers are bytes.

    Attributes:
        live: bytes of the storages that exist now.
        peak: the largest `live` in the current episode. Each recording is an episode: its picture must not be dwarfed by
            earlier storages, and the recorded program must not notice the recording.
        episode: the number of the last episode; each storage notes in which one it was made.
        began: the number of the current episode; 0 if there is none.
        inherited: the part of `live` that was made before this episode. The rest was made in it.
        earlier: the largest `live` before this episode, since the start or the last `reset_peak`.
        scratch: the most temporary memory that a kernel needed, since then.
        lent: the temporary memory of the operation that is running.
    """

    __slots__ = ("_outer", "began", "earlier", "episode", "inherited", "lent", "live", "peak", "scratch")

    def __init__(self) -> None:
        self.live = self.peak = self.earlier = self.scratch = self.lent = 0
        self.episode = self.began = self.inherited = 0
        self._outer: list[tuple[int, int, int]] = []  # `began`, `inherited` and `peak` of the episodes around this one

    @property
    def highest(self) -> int:
        """The largest `live` since the start or the last `reset_peak`: what a program gets when it asks for the peak."""
        return max(self.peak, self.earlier)

    def hold(self, nbytes: int) -> None:
        """Counts a new storage of `nbytes`."""
        self.live += nbytes
        if self.live > self.peak:
            self.peak = self.live

    def release(self, nbytes: int) -> None:
        """Counts a storage of `nbytes` as released."""
        self.live -= nbytes

    def release_inherited(self, nbytes: int, made_in: int) -> None:
        """Counts a storage as released that was made before this episode, in the one numbered `made_in`.

        It does not count for the episode itself, so the peak goes down with `live`, after the highest was noted.
        (A cell that runs again releases what its first run made, and must show the same numbers.)
        """
        self.earlier, reached = self.highest, self.peak
        self.live, self.peak, self.inherited = self.live - nbytes, self.peak - nbytes, self.inherited - nbytes
        for level, (began, inherited, peak) in enumerate(self._outer):
            less = nbytes if made_in < began else 0
            self._outer[level] = began, inherited - less, max(peak, reached) - less

    def borrow(self, nbytes: int) -> None:
        """Counts `nbytes` of temporary memory that a kernel needs until it ends."""
        if self.lent + nbytes > self.scratch:
            self.scratch = self.lent + nbytes

    def lend(self, nbytes: int) -> None:
        """Counts `nbytes` that an operation needs until it ends, in addition to what its kernel borrows."""
        self.borrow(nbytes)
        self.lent += nbytes

    def reset_peak(self) -> None:
        """Restarts the peak from what is live now."""
        self.peak, self.earlier, self.scratch = self.live, 0, 0

    def own(self, began: int) -> tuple[int, int]:
        """Returns the bytes of storages made in the episode numbered `began` (this one or one around it): those live now, and
        their peak.
        """
        if began == self.began:
            return self.live - self.inherited, self.peak - self.inherited
        inherited, peak = next((i, p) for number, i, p in self._outer if number == began)
        return self.live - inherited, max(peak, self.peak) - inherited

    def begin_episode(self) -> None:
        """Begins an episode: restarts `peak`, without forgetting the highest."""
        self._outer.append((self.began, self.inherited, self.peak))
        self.earlier, self.episode = self.highest, self.episode + 1
        self.began, self.inherited, self.peak = self.episode, self.live, self.live

    def end_episode(self) -> None:
        """Ends the episode: goes on counting as if there had been none."""
        highest, reached = self.highest, self.peak
        self.began, self.inherited, peak = self._outer.pop()
        self.peak, self.earlier = (max(peak, reached), highest) if self.began else (highest, 0)
