"""The memory ledger: the bytes of the live storages on one device, and their peak.

In-place operations save memory and allocation, not arithmetic. The ledger makes that visible: it counts every byte of
every storage from allocation to release, on the real devices and on the simulated one alike. Temporary memory of a kernel
(`scratch`) is counted separately, because no tensor owns it.

Storages count themselves when they are made and released. Python may raise an interrupt at the first instruction of any function,
also of `Storage.__del__`, where the exception is lost. So the ledger checks itself: each storage refers to a `Mark`, whose reference
count is the number of storages that exist. If it differs from the number of those that were counted, all are counted again.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable

from inplacelab.locking import CallLock


class Episode:
    """The memory of the storages made since some moment: since a recording began. All numbers are bytes.

    The picture of a recording must not be dwarfed by earlier storages, and a cell that runs again, which releases what its first
    run made, must show the same numbers. So only storages made in the episode count.

    Attributes:
        number: the number that storages made in it note, or a larger one.
        live: the bytes of those that exist now.
        peak: the largest `live`, since it began or the last `reset_peak`.
        shared: whether some of them were made by code that the episode is not about.
    """

    __slots__ = ("_others_run", "live", "number", "peak", "shared")

    def __init__(self, number: int, others_run: Callable[[], bool]) -> None:
        self.number, self._others_run, self.live, self.peak, self.shared = number, others_run, 0, 0, False

    def hold(self, nbytes: int) -> None:
        """Counts a new storage."""
        if self._others_run():
            self.shared = True
        self.live = live = self.live + nbytes
        if live > self.peak:
            self.peak = live


class Mark:
    """What the storages of an account refer to, and nothing else except the ledger."""

    __slots__ = ("ledger",)

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger


_changing_episodes = CallLock()
"""In it an episode begins or ends: several threads may record at once."""


class Ledger:
    """The memory account of one device. All numbers are bytes.

    Attributes:
        counted: the bytes of the storages that were counted and not released; `live` has checked them.
        storages: the number of those storages.
        mark: every live storage of this account refers to it.
        peak: the largest `live` since the start or the last `reset_peak`.
        episode: the number of the last episode; each storage notes in which one it was made.
        episodes: the episodes that have begun and not ended.
        scratch: the most temporary memory that a kernel needed, since the last `reset_peak`.
        lent: the temporary memory of the operation that is running.
    """

    __slots__ = ("counted", "episode", "episodes", "lent", "mark", "peak", "scratch", "storages")

    def __init__(self) -> None:
        self.counted = self.storages = self.peak = self.scratch = self.lent = self.episode = 0
        self.mark = Mark(self)
        self.episodes: tuple[Episode, ...] = ()

    @property
    def live(self) -> int:
        """The bytes of the storages that exist now."""
        self.check()
        return self.counted

    def check(self) -> None:
        """Counts all storages again if one was not counted, because an interrupt arrived while it was made or released."""
        if self.storages != sys.getrefcount(self.mark) - _REFERENCES:
            self._count_again()

    def _count_again(self) -> None:
        gc.unfreeze()  # frozen objects are not found
        referrers = [each for each in gc.get_referrers(self.mark) if each is not self]
        found = [each for each in referrers if hasattr(type(each), "mark")]  # not a list of all objects, or the like
        self.counted = sum(each.nbytes for each in found)
        for episode in self.episodes:
            episode.live = sum(each.nbytes for each in found if each.episode >= episode.number)
        self.storages = len(found)

    def raise_peak(self) -> None:
        """Called when more bytes are counted than ever before."""
        self.check()
        self.peak = max(self.peak, self.counted)

    def borrow(self, nbytes: int) -> None:
        """Counts `nbytes` of temporary memory that a kernel needs until it ends."""
        if self.lent + nbytes > self.scratch:
            self.scratch = self.lent + nbytes

    def lend(self, nbytes: int) -> None:
        """Counts `nbytes` that an operation needs until it ends, in addition to what its kernel borrows."""
        self.borrow(nbytes)
        self.lent += nbytes

    def reset_peak(self) -> None:
        """Restarts the peaks, also those of the episodes, from what is live now."""
        self.peak, self.scratch = self.live, 0
        for each in self.episodes:
            each.peak = each.live

    def begin_episode(self, others_run: Callable[[], bool] = lambda: False) -> Episode:
        """Begins an episode. Episodes may overlap in any way.

        Args:
            others_run: tells whether the code that runs now, such as another thread, is not what the episode is about.
        """
        return _changing_episodes.run(self._begin, others_run)

    def _begin(self, others_run: Callable[[], bool]) -> Episode:
        self.episode += 1
        episode = Episode(self.episode, others_run)
        self.episodes = (*self.episodes, episode)
        return episode

    def end_episode(self, episode: Episode) -> None:
        """Ends an episode: its numbers do not change any more."""
        _changing_episodes.run(self._end, episode)

    def _end(self, episode: Episode) -> None:
        self.episodes = tuple(each for each in self.episodes if each is not episode)


_REFERENCES = 2
"""The references to a ledger's mark that are not from storages: its own, and the argument of `sys.getrefcount`."""
