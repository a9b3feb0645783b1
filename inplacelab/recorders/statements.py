"""What the journal says of where the program is: statements that begin and are over; and the steps that come of what it says."""

from __future__ import annotations

from types import CodeType
from typing import Any

from inplacelab.devices.kernels.launch import Launch
from inplacelab.recorders import plain
from inplacelab.recorders.steps import Changes
from inplacelab.recorders.things import Things

Where = tuple[CodeType, int] | int | None
"""A place in the program: a code object and the offset of an instruction, the latter alone in the outermost frame; None where
the program is not on the stack."""


class Statements(Things):
    """Reads those entries of a journal that are about statements, and knows to which step what is read belongs. Each method named
    like a kind of entry reads one.

    Args:
        limit: the most steps to keep.
        first_line: the line of the file at which the program's text begins.
    """

    def __init__(self, limit: int, first_line: int) -> None:
        super().__init__(limit)
        self._first_line = first_line
        self._line: int | None = None
        self._turn = 0
        self._marked = False  # the program tells of its statements
        self._outermost: CodeType | None = None
        self._place_before = (0, 0)  # the line and the instruction of the outermost frame when something last happened
        self._fell = False  # a backward pass was stopped, and nothing has happened since
        self._quiet = self._simple = False  # a statement has begun and nothing happened in it; it holds no others
        self._launches: list[tuple[Launch, list[int | None]]] = []  # since the last step, with their storages

    @property
    def _phase(self) -> str:
        """What the program does: "forward" or "backward"."""
        return "forward"

    def outermost(self, code: CodeType) -> None:
        """What the program's outermost frame runs from now on."""
        self._outermost = code

    def statement(self, line: int, simple: bool, depth: int, live: int, peak: int, inherited: int) -> None:
        """A statement begins, and so the one before it is over."""
        self._marked = True
        self.over(depth, live, peak, inherited)
        self._turn += 1
        self._line, self._quiet, self._simple = line - self._first_line + 1, True, simple

    def over(self, depth: int, live: int, peak: int, inherited: int) -> None:
        """A statement is over: it is a step of its own if nothing was heard in it."""
        live, peak = live - inherited, peak - inherited
        changes, self._now = self._now, Changes()
        changes.take(self._late)
        self._late = Changes()
        if self._quiet and self._line is not None:
            if changes or (self._simple and depth < 2):
                self._step("line", changes, live, peak)
        else:  # what it needed for a moment may be gone, and the journal never have heard of it
            self.build.amend(changes, live=live)
        self._quiet = self._fell = False

    def _begin(self, where: Where, *, forget: bool = True) -> None:
        """Something happens: find its line, and leave what was late to the step before.

        What has died since died before this, unless this itself let go of it (`forget` is then False), or the statement in which
        it died has only begun: the step before is not of this statement, and was over then.
        """
        if type(where) is int and self._outermost is not None:
            self._arrive(plain.line_of(self._outermost, where), where)
        elif type(where) is tuple:
            self._line = self._line_at(where)
        if self._quiet:
            self._late.take(self._now)
            self._now, self._late = self._late, Changes()
        elif not forget:
            self._now.take_deaths(self._late)
        if self._late:
            self.build.amend(self._late)
            self._late = Changes()
        self._quiet = self._fell = False

    def _line_at(self, where: tuple[CodeType, int]) -> int:
        return plain.line_of(*where) - self._first_line + 1

    def _arrive(self, line: int, instruction: int) -> None:
        """Something happens in the outermost frame. If the program does not tell of its statements, another line, or going
        back, means that it goes on to another statement, or to the same one again.
        """
        self._line = line - self._first_line + 1
        line_before, instruction_before = self._place_before
        self._place_before = line, instruction
        if not self._marked and (line != line_before or instruction <= instruction_before):
            self._turn += 1

    def _step(self, kind: str, changes: Changes, live: int, peak: int, **facts: Any) -> None:
        where: dict[str, Any] = {
            "phase": self._phase,
            "line": self._line,
            "turn": self._turn,
        }
        if (
            self._launches and getattr(facts.get("backward"), "action", "") != "unpack"
        ):  # a node unpacks, and then computes
            known = self.build.tensors | changes.tensors
            given = [
                None if (t := known.get(n)) is None else t.storage
                for n in (*facts.get("inputs", ()), facts.get("output"))
            ]
            # Of which of them is it the result? Of none, if it is no operation's step.
            if kind != "operation" or len(self._launches) > 1 or facts.get("category") == "reallocated":
                given = [None]
            where["launches"] = tuple(plain.launch(*each, given[:-1], given[-1]) for each in self._launches)
            self._launches.clear()
        self.build.add(changes, kind=kind, live=live, peak=peak, **where, **facts)

    def _tell(self, kind: str, live: int, peak: int, **facts: Any) -> None:
        changes, self._now = self._now, Changes()
        self._step(kind, changes, live, peak, **facts)
