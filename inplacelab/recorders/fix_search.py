"""Finds fixes for a program by trying them: only those are returned that make it run, with the losses and gradients that were meant.

These are those of the reference: the original program, in which everything that backward needs is copied, and kept by every pass. A fix is compared
with it on the program's own data, and then on other data (`trial_data.py`). A program whose inputs are known runs in this process (`replay.py`), any
other in a process of its own (`diagnosis/trials.py`); all else is the same.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from inplacelab.language import Text
from inplacelab.recorders.bindings import Bindings, Watched
from inplacelab.recorders.program import Scope
from inplacelab.recorders.sources import identifiers, parsed
from inplacelab.recorders.trial_data import OWN, Compared, Slope
from inplacelab.recorders.trial_end import Reached
from inplacelab.recorders.updates import Update, checksum, close, equal, in_some_order
from inplacelab.recording.facts import EditFacts, Evidence, FixFacts
from inplacelab.recording.fixes import SHOWN
from inplacelab.recording.fixes.order import moves
from inplacelab.recording.fixes.proposals import proposals
from inplacelab.recording.fixes.spots import UNREADABLE, Lines, Proposal, Spot, Trail, changed, together
from inplacelab.recording.recording import Recording

__all__ = ["LOSS", "Budget", "Outcome", "Runner", "WrongGradient", "named", "search"]

OTHERS = (1, 2)
"""The numbers of the other sets of data."""
LOSS = "loss {0}"
"""What the value is called with which a pass begins."""
DEEPEST = 3
"""So many edits are tried together."""
ROUNDS = 6
"""So often, copies are added for values that were not overwritten before."""
MOST = 1 << 22
"""So many elements of values are kept."""

REORDER = "reorder"
"""The way of proposals that change the order of updates (see `Proposal.way`)."""
RENEW = "again"
"""The way of proposals after which a loss is computed from the new parameters."""
_OF_UPDATES = {REORDER, RENEW}

_TRYING = Text("trying fix {0}", "正在尝试第 {0} 种改法")


@dataclass(frozen=True)
class WrongGradient:
    """An element of a gradient that the framework gets wrong.

    Attributes:
        name: the name of the leaf; "" if it has none.
        found, meant: what the framework and what this package's engine computes.
        spot: the operation that is to blame; None if that is not known.
        line: its line.
        own_gradient: whether the gradient of this operation itself is wrong; else backward does not know of its write.
    """

    name: str
    found: float
    meant: float
    spot: Spot | None
    line: str
    own_gradient: bool

    def renamed(self, rename: Callable[[str], str]) -> WrongGradient:
        """Returns the same with another name of its file."""
        return (
            self if self.spot is None else replace(self, spot=replace(self.spot, filename=rename(self.spot.filename)))
        )


@dataclass(frozen=True)
class Memory:
    """The memory that a run needed, as its framework counts it, in bytes.

    Attributes:
        peak: the most that was allocated at one time.
        held: the most that was allocated when a backward pass began; 0 if none did.
    """

    peak: int
    held: int


@dataclass
class Outcome:
    """How a run of a program ended.

    Attributes:
        error: the exception's class and text; "" if the program ran to its end.
        passes: for each backward pass, in order, the losses and the gradients, by names; None for no gradient.
        values: the values of the tensors that have names at the end.
        copies: the bytes of the copies of what backward needs, in the reference.
        trails: what the failed pass found overwritten or released, if that was watched.
        unnoticed: the lines of the writes that a backward pass did not know of, so that its gradients are wrong.
        wrong: the number of the first such pass, from 1 on; 0 if there is none.
        keeps_order: whether the edits asked about do (see `Runner.keeps_order`).
        errors: the gradients that the framework gets wrong although all that backward needs is copied, by this package's engine (`judging`).
        is_judged: whether all gradients were compared with the engine's.
        is_corrected: whether the engine's gradients replaced all that are wrong.
        slopes: how the first pass compares with finite differences, for a framework whose own backward may be wrong.
        slopes_at: finite differences at one element of each leaf, if they were asked for.
        updates: what each update of parameters used and left, in order.
        has_all_updates: whether these are all of them.
        reached: how far it came; None if that is not known.
        seconds: how long it ran, if that was measured.
        late: whether it was ended because it took too long.
        libraries: the modules of libraries that it imported.
        printed: what it printed.
        checksum: of all losses, gradients and updates, to the bit.
        memory: what memory it needed, if that was measured.
        recording: its recording, if that was asked for.
    """

    error: str = ""
    passes: list[dict[str, Any]] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)
    copies: int = 0
    trails: tuple[Trail, ...] = ()
    unnoticed: tuple[int, ...] = ()
    wrong: int = 0
    keeps_order: bool = True
    errors: tuple[WrongGradient, ...] = ()
    is_judged: bool = False
    is_corrected: bool = True
    slopes: Compared | None = None
    slopes_at: Mapping[str, Slope] = field(default_factory=dict)
    updates: Sequence[Update] = ()
    has_all_updates: bool = True
    reached: Reached | None = None
    seconds: float = 0.0
    late: bool = False
    libraries: tuple[str, ...] = ()
    printed: str = ""
    checksum: int = 0
    memory: Memory | None = None
    recording: Recording | None = None

    def until(self, reached: Reached) -> Outcome:
        """Returns the same of a run that came so far. What ended it early was no error."""
        if reached.early:
            return replace(self, error="", trails=(), reached=reached)
        return replace(self, reached=reached)

    def gives(self, meant: Outcome) -> bool:
        """Whether the program ran, all passes gave the losses and gradients that were meant, and updates used these.

        Where it is not sure that these are right, backward has to have known of every write, too.
        """
        return (
            not self.error
            and (meant.is_judged or not self.unnoticed)
            and _same(self.passes, meant.passes)
            and in_some_order(self.updates, meant.updates)
        )

    def reorders(self, meant: Outcome) -> bool:
        """Whether the program ran, backward knew of every write (see `gives`), and each loss and each update was as it was meant, in whatever order."""
        return (
            not self.error
            and (meant.is_judged or not self.unnoticed)
            and bool(meant.updates)
            and self.has_all_updates
            and meant.has_all_updates
            and in_some_order(self._losses, meant._losses)
            and in_some_order(self.updates, meant.updates)
        )

    def renews(self, meant: Outcome) -> bool:
        """Whether the program ran, and the first update was as it was meant: before that, nothing has changed."""
        first = zip(self.updates[:1], meant.updates[:1], strict=False)
        return not self.error and not self.unnoticed and all(equal(one, other) for one, other in first)

    @property
    def _losses(self) -> list[dict[str, Any]]:
        """The losses of the passes."""
        word = LOSS.format("")
        return [{name: value for name, value in each.items() if name.startswith(word)} for each in self.passes]

    def differing(self, meant: Outcome) -> list[str]:
        """Returns the names that both have at the end, and that stand for different values."""
        mine = ((name, value) for name, value in self.values.items() if name in meant.values)
        return [name for name, value in mine if not close(value, meant.values[name])]

    def is_equal(self, meant: Outcome, *, but: Collection[str] = ()) -> bool:
        """Whether all that is known of two runs is equal, to the bit.

        Args:
            meant: the other run.
            but: names that may stand for other values at the end.
        """
        mine, theirs = (
            {name: each for name, each in sorted(run.values.items()) if name not in but} for run in (self, meant)
        )
        ran = [(run.error, run.printed, run.checksum, len(run.passes), len(run.updates)) for run in (self, meant)]
        return ran[0] == ran[1] and checksum(mine) == checksum(theirs)

    @property
    def early(self) -> bool:
        """Whether it was ended before the program would have."""
        return self.reached is not None and self.reached.early

    @property
    def tells(self) -> bool:
        """Whether it can be compared with: it ran, and all losses and gradients are finite numbers."""
        numbers = (each for one in self.passes for each in one.values() if each is not None)
        return not self.error and all(np.isfinite(each).all() for each in numbers)


def _same(found: Sequence[Mapping[str, Any]], meant: Sequence[Mapping[str, Any]]) -> bool:
    return len(found) == len(meant) and all(
        name in ours and close(ours[name], value)
        for ours, theirs in zip(found, meant, strict=True)
        for name, value in theirs.items()
    )


def named(names: dict[str, Any], text: str, watched: Watched, array: Callable[[Any], Any]) -> dict[str, Any]:
    """Returns the values of a program's tensors, by their names.

    Args:
        names: the names of its main module.
        text: its text.
        watched: the classes that hold tensors.
        array: returns the values of a tensor.
    """
    room, found = MOST, dict[str, Any]()
    for tensor, of_tensor in Bindings(identifiers(parsed(text)), watched).look([Scope(names, "")], done=True) or ():
        room -= tensor.numel() if callable(tensor.numel) else tensor.size
        if room >= 0:
            found |= dict.fromkeys(of_tensor, array(tensor))
    return found


@dataclass
class Budget:
    """How much a search may take.

    Attributes:
        enough: so many fixes are looked for.
        trials: so many edits are tried; FEWER if there is one already, after which the gradients are right.
        seconds: so long, by `clock`, from the first trial on.
        varied: whether one fix of each kind is enough.
        tell: called with what is done next.
        count: how many edits were tried.
    """

    enough: int = SHOWN
    trials: int = 24
    seconds: float = 60.0
    clock: Callable[[], float] = time.monotonic
    varied: bool = True
    tell: Callable[[Text], None] = lambda _: None
    count: int = 0
    _until: float | None = None

    @property
    def has_time(self) -> bool:
        """Whether there is time for another run."""
        self._until = self._until or self.clock() + self.seconds
        return self.clock() < self._until

    def spend(self) -> bool:
        """Takes one trial; False if there is none left."""
        if self.count >= self.trials or not self.has_time:
            return False
        self.count += 1
        self.tell(_TRYING.format(self.count))
        return True


class Runner(Protocol):
    """Runs variants of one program.

    Attributes:
        lines: names lines of the program.
    """

    @property
    def lines(self) -> Lines: ...

    def read(self, filename: str) -> str:
        """Returns the text of a file of the program that may be edited; raises `OSError` for any other."""

    def run(self, edits: Sequence[EditFacts], *, reference: bool = False, number: int = OWN) -> Outcome:
        """Runs the program.

        Args:
            edits: edits of it.
            reference: whether what backward needs is copied, and kept.
            number: on which data (see `OtherData`).
        """

    def trails(self, edits: Sequence[EditFacts], outcome: Outcome) -> Sequence[Trail]:
        """Returns what the failed pass of a run found overwritten or released, or would have found."""

    def keeps_order(self, edits: Sequence[EditFacts]) -> bool:
        """Whether edits move no statement across one that depends on it, or on which it depends."""


def search(
    found: Iterable[Proposal], trails: Sequence[Trail], runner: Runner, budget: Budget, reference: Outcome | None
) -> tuple[FixFacts, ...]:
    """Returns the fixes that work: first those that change nothing else.

    Args:
        found: proposals that are tried before those that the trails lead to.
        trails: what the failed pass found overwritten or released, or would have found.
        runner: runs variants of the program.
        budget: how much that may take.
        reference: the outcome of the reference; None if there is none, so that a fix can only be found to run.
    """
    return _Search(runner, budget, reference).found([*found, *proposals(trails, runner.read, runner.lines)])


class _Search:
    def __init__(self, runner: Runner, budget: Budget, reference: Outcome | None) -> None:
        self._runner, self._budget, self._reference = runner, budget, reference
        self._references: dict[int, Outcome] = {} if reference is None else {OWN: reference}
        self._seen: set[frozenset[EditFacts]] = set()
        self._right: dict[Proposal, FixFacts] = {}
        self._others: list[FixFacts] = []  # the gradients are right, but a name stands for other values in the end
        self._meant_otherwise: list[FixFacts] = []  # the program runs, and computes something else on purpose

    def found(self, candidates: Sequence[Proposal]) -> tuple[FixFacts, ...]:
        budget = self._budget
        # An update may come later, or the loss after it: the reader has to choose.
        ways = {each.way for each in candidates}
        budget.enough = max(budget.enough, len(ways & _OF_UPDATES))
        for depth in range(DEEPEST):
            failed = self._each_tried(candidates, is_first=not depth)
            if len(self._right) >= budget.enough:
                return self._result()
            if not depth:
                self._with_more_copies(failed)
            if self._right or self._others or self._meant_otherwise or depth == DEEPEST - 1:
                break
            candidates = self._deeper(failed)
        return self._result()

    def _each_tried(self, candidates: Sequence[Proposal], *, is_first: bool) -> list[tuple[Proposal, Outcome]]:
        """Tries proposals until enough of them are right. Returns those that failed, each with how."""
        failed = []
        for each in candidates:
            if self._has_like(each):
                continue
            outcome = self._tried(each)
            if each.way == "elsewhere" and is_first:
                self._with_more(each, outcome)
            if outcome is not None and outcome.error:
                failed.append((each, outcome))
            if len(self._right) >= self._budget.enough:
                break
        return failed

    def _has_like(self, proposal: Proposal) -> bool:
        """Whether one fix of a kind is enough, and there is one."""
        if proposal.other and self._meant_otherwise:
            return True
        return (
            self._budget.varied
            and proposal.way != "refused"
            and any(proposal.way == other.way for other in self._right)
        )

    def _result(self) -> tuple[FixFacts, ...]:
        return tuple((*(self._right.values() or self._others), *self._meant_otherwise)[: self._budget.enough])

    def _more(self, tried: Proposal, outcome: Outcome) -> list[Proposal]:
        """Returns what may fix an edited program that failed, in terms of the original."""
        if not self._budget.has_time:
            return []
        trails = (each.before(tried.edits) for each in self._runner.trails(tried.edits, outcome))
        return proposals([each for each in trails if each is not None], self._runner.read, self._runner.lines)

    def _tried(self, proposal: Proposal) -> Outcome | None:
        """Runs an edited program, and notes what is right; None if it was not run."""
        edits = frozenset(proposal.edits)
        if not edits or edits in self._seen:
            return None
        self._seen.add(edits)
        try:
            changed(proposal.edits, self._runner.read)
        except UNREADABLE:
            return None
        if not self._budget.spend():
            return None
        outcome = self._runner.run(proposal.edits)
        if outcome.error:
            return outcome
        self._judge(proposal, outcome)
        return outcome

    def _judge(self, proposal: Proposal, outcome: Outcome) -> None:
        """Notes an edited program that ran to its end, if it is right."""
        reference = self._reference
        if proposal.other:
            if reference is None or proposal.way != RENEW or outcome.renews(reference):
                evidence: Evidence = "renewed" if proposal.way == RENEW else "runs"
                self._meant_otherwise.append(proposal.facts(evidence, early=outcome.early))
        elif proposal.way == REORDER:
            if reference is not None and self._is_reordered(proposal, outcome):
                self._right[proposal] = proposal.facts("reordered", early=outcome.early)
        elif (reference is None or outcome.gives(reference)) and self._keeps_order(proposal):
            # Where a statement was moved, and the run ended early, it may have run once more, or once less.
            moved = proposal.way == "order" and outcome.early
            differs = [] if reference is None or moved else outcome.differing(reference)
            self._note(proposal if differs else self._with_fewer(proposal), differs, early=outcome.early)

    def _keeps_order(self, proposal: Proposal) -> bool:
        files = dict.fromkeys(each.file for each in proposal.edits)
        mine = {file: [each for each in proposal.edits if each.file == file] for file in files}
        return all(
            self._runner.keeps_order(edits) for file, edits in mine.items() if moves(self._runner.read(file), edits)
        )

    def _with_fewer(self, works: Proposal) -> Proposal:
        """Leaves out parts, as long as the rest works."""
        for each in works.parts:
            rest = [other for other in works.parts if other is not each]
            fewer = together(rest) if rest else works
            edits = frozenset(fewer.edits)
            if not rest or edits in self._seen or not self._budget.spend():
                continue
            self._seen.add(edits)
            outcome = self._runner.run(fewer.edits)
            known = self._reference
            if (
                not outcome.error
                and (known is None or (outcome.gives(known) and not outcome.differing(known)))
                and self._keeps_order(fewer)
            ):
                works = fewer
        return works

    def _deeper(self, failed: Sequence[tuple[Proposal, Outcome]]) -> list[Proposal]:
        """Returns failed proposals, each with one that may fix what then failed."""
        return [together((each, more)) for each, outcome in failed for more in self._more(each, outcome)]

    def _with_more_copies(self, failed: Sequence[tuple[Proposal, Outcome]]) -> None:
        """Adds copies to those of all values."""
        copies = [each for each in failed if each[0].way == "copy"]
        self._with_more(*max(copies, key=lambda each: len(each[0].edits), default=(None, None)))

    def _with_more(self, tried: Proposal | None, outcome: Outcome | None) -> None:
        """Adds edits of the same kind to one that fails, as long as other values are found overwritten: a block that is written in place twice
        needs both writes out of place, and that costs less than a copy in a block that the whole program shares.
        """
        for _ in range(ROUNDS):
            if tried is None or outcome is None or not outcome.error or self._right or self._others:
                return
            more = [each for each in self._more(tried, outcome) if each.way == tried.way]
            # Of the writes one at a time, for each leads to the next; of the copies all that are known.
            more.sort(key=lambda each: 0 if each.way == "elsewhere" else -len(each.edits))
            if not more:
                return
            tried = together((tried, more[0]))
            outcome = self._tried(tried)

    # --- on other data -----------------------------------------------------------------------------------------------------

    def _note(self, proposal: Proposal, differs: Sequence[str], *, early: bool) -> None:
        """Notes a fix that is right on the program's own data, with what other data show of it."""
        checked: Evidence = "runs"
        slopes: list[Compared] = []
        if self._reference is not None:
            checked, others = self._compared(proposal)
            differs = [*dict.fromkeys((*differs, *others))]
            slopes = [each.slopes for each in self._references.values() if each.slopes is not None and not each.error]
            is_judged = all(each.is_judged for each in self._references.values() if not each.error)
            if slopes and checked and not is_judged and not any(each.all_leaves for each in slopes):
                checked = "same"
        if not checked:
            return
        fix = proposal.facts(checked, differs, sum(each.count for each in slopes) if slopes else None, early=early)
        if differs:
            self._others.append(fix)
            self._budget.trials = min(self._budget.trials, self._budget.count + FEWER)
        else:
            self._right[proposal] = fix

    def _is_reordered(self, proposal: Proposal, outcome: Outcome) -> bool:
        """Whether a fix gives the updates of the reference in another order, on other data, too."""
        reference, count = self._references[OWN], 0
        if not outcome.reorders(reference) or _differ_wrongly(outcome.differing(reference), proposal):
            return False
        for number in OTHERS:
            other = self._reference_on(number)
            if other is None or not other.tells or not self._budget.has_time:
                continue
            found = self._runner.run(proposal.edits, number=number)
            if not found.reorders(other) or _differ_wrongly(found.differing(other), proposal):
                return False
            count += 1
        return count > 0

    def _reference_on(self, number: int) -> Outcome | None:
        """Returns the reference on other data; None if there is no time for it."""
        if number not in self._references and self._budget.has_time:
            self._references[number] = self._runner.run((), reference=True, number=number)
        return self._references.get(number)

    def _compared(self, proposal: Proposal) -> tuple[Evidence, tuple[str, ...]]:
        """Compares a fix with the reference on other data.

        Returns:
            What that has shown: "" if they differ, "same" if there was nothing to compare on other data, else "gradients". And the names that
            stand for different values at the end.
        """
        count, differs = 0, dict[str, None]()
        for number in OTHERS:
            reference = self._reference_on(number)
            if reference is None or not reference.tells or not self._budget.has_time:
                continue
            found = self._runner.run(proposal.edits, number=number)
            if not found.gives(reference):
                return "", ()
            if not (proposal.way == "order" and found.early):
                differs |= dict.fromkeys(found.differing(reference))
            count += 1
        return "gradients" if count else "same", tuple(differs)


def _differ_wrongly(names: Sequence[str], proposal: Proposal) -> list[str]:
    """Returns the names whose values should not differ in the end because updates are in another order: not those of gradients, which the next pass
    may replace, nor those that the moved statements bind.
    """
    bound = {each for edit in proposal.edits for each in _BINDS.findall(edit.text)}
    return [
        each for each in names if not each.endswith(".grad") and re.split(r"[.\[]", each, maxsplit=1)[0] not in bound
    ]


_BINDS = re.compile(r"^\s*(\w+)\s*=[^=]", re.MULTILINE)

FEWER = 8
"""So many edits more are tried after one with which the gradients are right, but other values are not."""
