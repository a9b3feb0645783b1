"""Follows the runs of loops from event to event, for the builder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from inplacelab.place import Place
from inplacelab.recorders import events as ev
from inplacelab.recording.facts import IterationFacts, Step


@dataclass(eq=False, slots=True)
class _Run:
    """A run of a loop.

    Attributes:
        head: the place of its head.
        last: the last line of its body.
        depth: how many functions of the program run.
        serial: which run it is, counted from 0.
        number: how many iterations have begun.
        in_body: whether its body runs now, and not its head.
        ended: whether it has ended.
    """

    head: Place
    last: int
    depth: int
    serial: int
    number: int = 0
    in_body: bool = False
    ended: bool = False

    def has(self, place: Place | None) -> bool:
        """Whether a place of its function is in its head or its body."""
        head = self.head
        return (
            place is not None
            and (place.source, place.function) == (head.source, head.function)
            and head.line <= place.line <= self.last
        )

    def is_in_body(self, place: Place | None) -> bool:
        """Whether an iteration runs, and a place of its function is in it."""
        of_head = place is not None and place.line == self.head.line < self.last
        return self.number > 0 and self.in_body and not of_head and self.has(place)


class LoopRuns:
    """The runs of loops. One that had begun before the recording is not there: nobody knows how many iterations it has had."""

    def __init__(self) -> None:
        self._all: list[_Run] = []
        self._running: list[_Run] = []  # outermost first; some may have ended without an event

    def statement_began(self, event: ev.StatementBegan) -> None:
        """Ends the runs that a statement is outside of."""
        place, depth = event.place, event.place.depth
        self._keep(run for run in self._running if run.depth < depth or (run.depth == depth and run.has(place)))
        for run in self._running:
            if run.depth == depth:
                run.in_body = event.simple or place.line != run.head.line

    def loop_began(self, event: ev.LoopBegan) -> None:
        """Begins a run."""
        depth = event.place.depth
        self._leave(event.place, depth)
        run = _Run(event.place, event.end_line, depth, len(self._all))
        self._all.append(run)
        self._running.append(run)

    def iteration_began(self, event: ev.IterationBegan) -> None:
        """Begins an iteration of a run."""
        run = self._leave(event.place, event.place.depth)
        if run is not None:
            run.number += 1
            run.in_body, run.ended = True, False
            self._running.append(run)

    def _leave(self, head: Place, depth: int) -> _Run | None:
        """Ends the run of a loop, if there is one, and those inside it. Returns it."""
        for k, run in enumerate(self._running):
            if run.depth == depth and run.has(head) and run.head.line == head.line:
                self._keep(self._running[:k])
                return run
        self._keep(run for run in self._running if run.depth <= depth)
        return None

    def _keep(self, kept: Iterable[_Run]) -> None:
        before, self._running = self._running, [*kept]
        for run in before:
            run.ended = run not in self._running

    def program_ended(self) -> None:
        """Ends all runs."""
        self._keep(())

    def around(self, place: Place | None) -> tuple[IterationFacts, ...]:
        """Returns the iterations that a place is in now, outermost first."""
        if place is None or not self._running:
            return ()
        functions, depth = dict[int, Place](), place.depth
        for each in place.calls:
            functions[depth] = each
            depth -= 1 + each.skipped
        return tuple(
            IterationFacts(run.head.source, run.head.line, run.serial, run.number)
            for run in self._running
            if run.is_in_body(functions.get(run.depth))
        )

    def counted(self, steps: Iterable[Step]) -> tuple[Step, ...]:
        """Returns the steps with the number of iterations of each run that has ended."""
        counts = [run.number if run.ended else None for run in self._all]

        @cache  # the steps of an iteration have the same
        def counted(loops: tuple[IterationFacts, ...]) -> tuple[IterationFacts, ...]:
            return tuple(replace(each, count=counts[each.run]) for each in loops)

        return tuple(replace(step, loops=counted(step.loops)) if step.loops else step for step in steps)
