"""Says where a program may write in place, and what that saves: finds it in a recording (`recording.savings`), and tries it.

The program runs only in copies of its folder, in processes of their own. An operation is offered if with it, and with all others that are
offered, everything that the program computes is equal to the bit: losses, gradients, updates, named tensors and what it prints, also on other data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from inplacelab.diagnosis.trial_run import Asked
from inplacelab.diagnosis.trials import NotTriedError, Trials
from inplacelab.language import Text
from inplacelab.recorders.fix_search import Outcome
from inplacelab.recorders.trial_data import OWN
from inplacelab.recorders.trial_end import End
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.savings.advice import Advice, Measured, advice, overwritten_names
from inplacelab.recording.savings.sites import Site, edits

PASSES = 16
"""A run ends after this many backward passes."""
FEWER = 3
"""A run of a slow program ends after this many."""
SLOWDOWN = 8
"""A recorded run takes about this many times as long as an ordinary one."""
OTHERS = (1, 2)
"""The numbers of the other sets of data."""
MOST_RUNS = 40
"""The largest number of runs of a program."""
MEASURED = 2
"""The last runs, this many, measure memory."""

_RANDOM = Text(
    "the program does not give the same results when it runs again, with the same seeds: so nothing can be compared",
    "用同样的随机种子再次运行，程序给出的结果不同，所以无法比较",
)
_FAILS = Text(
    "in a copy of its folder, and with nothing on the standard input, the program fails: {0}",
    "在所在文件夹的副本中运行，标准输入为空，程序出错：{0}",
)
_SLOW = Text(
    "the program was ended after {0} seconds, before {1} backward passes had ended: `--seconds` gives it more time",
    "{0} 秒后仍未完成 {1} 次反向传播，程序被结束：可用 `--seconds` 给它更多时间",
)
_RUNNING = Text("running the program", "正在运行程序")
_RECORDING = Text("recording the program", "正在记录程序")
_TRYING = Text("trying {0} operations in place", "正在尝试把 {0} 个操作改为原地操作")
_MEASURING = Text("measuring memory", "正在测量内存")


@dataclass
class Advising:
    """Finds out where a script may write in place, by runs of it.

    Args:
        trials: runs it.
        seconds: how long one run may take.
        tell: called with what is done next.

    Attributes:
        runs: the number of runs so far.
    """

    trials: Trials
    seconds: float
    tell: Callable[[Text], None] = lambda _: None
    runs: int = 0
    _end: End = field(default_factory=lambda: End(passes=PASSES))
    _meant: dict[int, Outcome] = field(default_factory=dict)
    _untried: list[Site] = field(default_factory=list)

    def advice(self, *, ends: bool = True) -> Advice:
        """Returns what may be written in place, and what trials of that have shown.

        Args:
            ends: whether the program ends where its text does. Of the cells of a notebook, more may follow.

        Raises:
            NotTriedError: if the program fails, takes too long, or is random.
        """
        with self.trials:
            self.tell(_RUNNING)
            self._meant[OWN] = self._first()
            self.tell(_RECORDING)
            recorded = self._recorded()
            if not recorded.is_equal(self._meant[OWN]) and not self._run(()).is_equal(self._meant[OWN]):
                raise NotTriedError(_RANDOM)
            if recorded.recording is None:
                raise NotTriedError(_SLOW.format(f"{self.seconds:.0f}", self._end.passes))
            found = advice(recorded.recording, ends=ends)
            return self._tried(found) if found.offered else found

    def _recorded(self) -> Outcome:
        found = self._run((), recorded=True)
        is_whole = found.recording is not None and not found.recording.truncated
        if not is_whole and self._end.passes > FEWER:
            self._end = End(passes=FEWER)
            self._meant[OWN] = self._run(())
            found = self._run((), recorded=True)
        return found

    def _first(self) -> Outcome:
        found = self._run(())
        if found.late or found.seconds * SLOWDOWN > self.seconds:
            self._end = End(passes=FEWER)
            found = self._run(())
        if found.late:
            raise NotTriedError(_SLOW.format(f"{self.seconds:.0f}", FEWER))
        if found.error:
            raise NotTriedError(_FAILS.format(found.error.splitlines()[0]))
        return found

    def _tried(self, found: Advice) -> Advice:
        data = [OWN, *self._other_data()]
        works, before = list(found.offered), list[Site]()
        while works != before:  # all of those that are left have been tried together on all data
            before = works
            for number in data:
                works = self._working(found, works, number)
        left_out = [each for each in found.offered if each not in works]
        self.tell(_MEASURING)
        now, then = (self._run(each, measured=True).memory for each in ((), edits(found.recording, works)))
        if now is None or then is None:
            raise NotTriedError(_SLOW.format(f"{self.seconds:.0f}", self._end.passes))
        shown = Measured(
            len(data), self.runs, tuple(each for each in left_out if each not in self._untried), now.peak, then.peak, now.held, then.held,
            self._meant[OWN].early, tuple(each for each in left_out if each in self._untried),
        )  # fmt: skip
        return replace(found, offered=tuple(each for each in found.offered if each in works), measured=shown)

    def _working(self, found: Advice, some: list[Site], number: int) -> list[Site]:
        """Returns the largest part of some operations, as far as that can be found by halving, with which all results on some data are equal."""
        if self.runs >= MOST_RUNS - MEASURED:
            self._untried += some
            return []
        if not some or self._is_equal(found, some, number):
            return some
        if len(some) == 1:
            return []
        half = len(some) // 2
        first, second = (self._working(found, part, number) for part in (some[:half], some[half:]))
        if not first or not second or self._is_equal(found, [*first, *second], number):
            return [*first, *second]
        return max(first, second, key=lambda part: sum(each.bytes for each in part))

    def _is_equal(self, found: Advice, some: Sequence[Site], number: int) -> bool:
        self.tell(_TRYING.format(len(some)))
        changed, but = edits(found.recording, some), overwritten_names(found.recording, some)
        return self._run(changed, number=number).is_equal(self._meant[number], but=but)

    def _other_data(self) -> Iterator[int]:
        """Yields the numbers of the other sets of data on which the program runs: where it fails on other values, those of other seeds."""
        for each in OTHERS:
            for number in (each, -each):
                self._meant[number] = found = self._run((), number=number)
                if not found.late and not found.error:
                    yield number
                    break

    def _run(
        self, changed: Sequence[EditFacts], *, number: int = OWN, recorded: bool = False, measured: bool = False
    ) -> Outcome:
        self.runs += 1
        return self.trials.outcome(
            self.trials.in_files(changed), Asked(number=number, end=self._end, recorded=recorded, measured=measured)
        )
