"""Finds fixes for a recorded program by trying them: only those are returned that make it run, with the losses and gradients that were meant.

These are those of the original program while everything that backward needs is copied before it is overwritten (see `checking.py`). An edit after
which another value is overwritten is tried together with edits for that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial

from inplacelab.language import Text, enumerated
from inplacelab.recorders.checking import compared
from inplacelab.recorders.replay import Outcome, Replay
from inplacelab.recording.facts import EditFacts, Evidence, FixFacts
from inplacelab.recording.fixes import fixes
from inplacelab.recording.fixes.difference import fix_between
from inplacelab.recording.fixes.kept_copies import copies_of_all
from inplacelab.recording.fixes.located import Proposal, edited
from inplacelab.recording.fixes.proposals import proposals
from inplacelab.recording.fixes.stale_values import trails
from inplacelab.recording.recording import Recording
from inplacelab.recording.source_tree import Program, applied, package_of, program_of
from inplacelab.supported import framework_of

ENOUGH = 2
"""So many fixes are shown."""
TRIALS = 40
"""So many edited programs are run."""
DEEPEST = 3
"""So many edits are tried together."""
ROUNDS = 6
"""So often, copies are added for values that were not overwritten before."""
NAMED = 3
"""So many names are said to have other values."""

_OTHER_VALUES = Text(" (then {0} has other values in the end)", "（此时 {0} 最后的值不同）")


_COPY = Text(
    "run it inside `with {0}.autograd.copy_saved_before_write():`, which copies what backward needs before it is overwritten: {1} bytes here",
    "把它放进 `with {0}.autograd.copy_saved_before_write():` 中运行：反向传播需要的内容在被覆盖之前先复制，这里共 {1} 字节",
)


def checked_fixes(
    recording: Recording, replay: Replay, has_ordinary: Callable[[str], bool]
) -> tuple[FixFacts, ...] | None:
    """Tries fixes for a program that ended with an error.

    Args:
        recording: the recording, up to the error.
        replay: runs its variants.
        has_ordinary: whether a name is an ordinary operation.

    Returns:
        Those that work, the best first. If no edit does: the mode that copies what backward needs, with its price. None if the program
        cannot run again, does not fail in the same way, or fails in a later line, too, so that there are no gradients to compare with.
    """
    error = recording.steps[-1].error
    if error is None:
        return None
    failure = f"{error.type}: {error.message}"
    if replay.run(recording.source).error != failure:
        return None
    reference, keeping = replay.run(recording.source, copying=True), False
    if reference.error not in (
        "",
        failure,
    ):  # a pass that comes later may have lost its graph to one that fails without copies
        reference, keeping = replay.run(recording.source, copying=True, keeping=True), True
        if reference.error:
            return None
    meant = None if reference.error else reference
    found = _Search(recording.source, replay, meant, keeping, has_ordinary).found(recording)
    if found or meant is None:
        return found
    program = program_of(recording)
    alias = framework_of(recording).alias
    package = None if program is None else package_of(program, alias)
    return (FixFacts(_COPY.format(package or alias, meant.copied), (), "same"),)


@dataclass
class _Search:
    original: str
    replay: Replay
    meant: Outcome | None
    keeping: bool
    """Whether the passes of the reference keep their graphs."""
    has_ordinary: Callable[[str], bool]
    _right: list[FixFacts] = field(default_factory=list)
    _other_values: list[FixFacts] = field(default_factory=list)
    """Those after which the gradients are right, but a name stands for other values in the end. They are returned only if nothing else works."""
    _seen: set[str] = field(default_factory=set)
    _references: dict[int, Outcome] = field(default_factory=dict)

    def found(self, recording: Recording) -> tuple[FixFacts, ...]:
        """Returns the fixes that work, in terms of the recorded program."""
        failing: list[Recording | None] = [recording]
        for depth in range(DEEPEST):
            failed: list[str] = []
            for each in failing:
                for candidate in self._candidates(each):
                    if not self._try(candidate, depth):
                        failed.append(candidate.text)
                    if len(self._right) == ENOUGH:
                        return tuple(self._right)
            if not depth and not self._right and (copying := self._with_copies(recording)) is not None:
                self._note(copying, fix_between(self.original, copying))
            if self._right or self._other_values:
                break
            failing = [self.replay.recording(text) for text in failed]
        return tuple((self._right or self._other_values)[:ENOUGH])

    def _with_copies(self, recording: Recording) -> str | None:
        """Returns the program with a copy kept of each value that would be overwritten, and with no copy that it does not need."""
        failing: Recording | None = recording
        for _ in range(ROUNDS):
            program = None if failing is None or not failing.steps else program_of(failing)
            if failing is None or program is None:
                return None
            source = failing.source
            copies = copies_of_all(trails(failing, program), partial(_text, source))
            if not copies:  # it fails otherwise: an earlier pass has released the graph
                found = (each for each in fixes(failing, self.has_ordinary) if each.edits)
                copies = [Proposal(each.says, "", each.edits) for each in found][:1]
            text = _edited(source, copies) if copies else None
            if text is None:
                return None
            if self._is_right(text):
                return self._with_fewer(source, copies)
            failing = self.replay.recording(text)
        return None

    def _with_fewer(self, source: str, copies: Sequence[Proposal]) -> str:
        """Leaves out copies, as long as the program is still right."""
        needed = list(copies)
        for each in copies:
            fewer = [other for other in needed if other is not each]
            if fewer and (text := _edited(source, fewer)) is not None and self._is_right(text):
                needed = fewer
        return edited(source, needed)

    def _is_right(self, text: str) -> bool:
        outcome, meant = self.replay.run(text), self.meant
        return meant is not None and outcome.gives(meant) and not outcome.differing(meant)

    def _try(self, candidate: _Candidate, depth: int) -> bool:
        """Runs an edited program; what is right is noted. Returns False if it failed, so that more edits may help."""
        outcome, meant = self.replay.run(candidate.text), self.meant
        if not self.replay.keeps_order(candidate.before, candidate.edits):
            return True  # nor is it a step on the way to a fix
        if outcome.error:
            return False
        if meant is None or outcome.gives(meant):
            fix = None if depth else candidate.fix
            differs = () if meant is None else outcome.differing(meant)
            self._note(candidate.text, fix or fix_between(self.original, candidate.text), differs)
        return True

    def _note(self, text: str, fix: FixFacts, differs: Sequence[str] = ()) -> None:
        """Notes a fix that is right on the program's own data, with what other data show of it."""
        checked: Evidence = "runs"
        if self.meant is not None:
            checked, others = compared(lambda number: self._on(text, number), self._meant_on)
            differs = [*dict.fromkeys((*differs, *others))]
        if not checked:
            return
        fix = replace(fix, checked=checked)
        if differs:
            names = enumerated(f"`{each}`" for each in differs[:NAMED])
            self._other_values.append(replace(fix, says=fix.says + _OTHER_VALUES.format(names)))
        else:
            self._right.append(fix)

    def _on(self, text: str, number: int) -> Outcome | None:
        return self.replay.run(text, number=number) if self.replay.has_time else None

    def _meant_on(self, number: int) -> Outcome | None:
        """Runs the reference on other data, once."""
        if number not in self._references and self.replay.has_time:
            self._references[number] = self.replay.run(self.original, copying=True, keeping=self.keeping, number=number)
        return self._references.get(number)

    def _candidates(self, recording: Recording | None) -> Iterator[_Candidate]:
        """Yields edited programs, with the fix where there is a text for it."""
        program = None if recording is None or not recording.steps else program_of(recording)
        if recording is None or program is None:
            return
        source = recording.source
        found = [(each.edits, each) for each in fixes(recording, self.has_ordinary) if each.edits]
        for edits, fix in [*found, *((edits, None) for edits in _proposed(recording, program))]:
            text = None
            with suppress(IndexError):
                text = applied(source, edits)
            if text is None or text in self._seen or len(self._seen) > TRIALS or not self.replay.has_time:
                continue
            self._seen.add(text)
            yield _Candidate(text, source, edits, fix)


@dataclass(frozen=True)
class _Candidate:
    """An edited program.

    Attributes:
        text: the program.
        before: the program before the edits: the original, or an edited one that failed, too.
        edits: the edits.
        fix: the fix of which they are a part, if there is a text for it.
    """

    text: str
    before: str
    edits: tuple[EditFacts, ...]
    fix: FixFacts | None


def _edited(source: str, copies: Sequence[Proposal]) -> str | None:
    """Returns a program with several edits; None if they do not go together."""
    try:
        return edited(source, copies)
    except (SyntaxError, IndexError):
        return None


def _text(source: str, _: str) -> str:
    return source


def _proposed(recording: Recording, program: Program) -> Iterator[tuple[EditFacts, ...]]:
    """Yields general edits."""
    for trail in trails(recording, program):
        for proposal in proposals(trail, partial(_text, recording.source)):
            yield proposal.edits
