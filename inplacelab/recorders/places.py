"""Where the program is, and what its names lead to: the part of the recorder that listens to the program itself.

When are names bound? After the last operation of a line, and no operation says so. A program that is marked tells when a
statement begins; of others the names are looked at when the *next* thing happens. Either way they go into the step before.
"""

from __future__ import annotations

from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR
from sys import _getframe as _frame
from types import CodeType, FrameType

from inplacelab import devices, observe
from inplacelab.recorders import plain
from inplacelab.recorders import source as learner
from inplacelab.recorders.between import Between
from inplacelab.recorders.journal import Journal
from inplacelab.recorders.marks import Bound
from inplacelab.recorders.names import Names
from inplacelab.recorders.statements import Where


class Places(observe.Observer):
    """Knows where the program is and writes down its statements and names.

    Args:
        program: the learner's program.
        limit: the most events to write down.
        outermost: the frame that runs the program, if it runs already.
    """

    def __init__(self, program: learner.Program, limit: int, outermost: FrameType | None) -> None:
        self._program, self._filename, self._limit = program, program.filename, limit
        self._journal = journal = Journal()
        self._entries = journal.entries
        self._append = journal.entries.append
        self._names = Names(program, journal)
        self._heard = 0
        self._marked = False  # the program tells of its statements
        self._due: Bound = None  # the names that may have been bound since the names were looked at
        self._root: FrameType | None = None
        self._instruction_before = 0  # of the program's outermost frame, at the last event
        # If nobody tells of statements: what may have been bound between two instructions of that frame. Looked up only
        # while names cannot change otherwise. Else there are lists, layers or the like, and it is sure only that two instructions are of one
        # statement, before the end of which nothing needs to be looked at.
        self._text: Between | None = None
        self._between: dict[tuple[int, int], Bound] = {}
        self._inside: dict[tuple[int, int], Bound] = {}
        self._sure = _NOT_SURE
        self._stretch = 0  # that of the engine's own (see `observe.by_itself`) in which the names were looked at
        self._ended = False
        self._began = 0  # the ledgers' number of the episode that is this recording
        if outermost is not None:
            self._start(outermost)

    def begin(self) -> None:
        """The ledgers have begun an episode for this recording: all of them together, so all with the same number."""
        self._began = devices.chosen.ledger.began

    def end(self) -> None:
        """Nothing more will be heard."""
        self._journal.forget()
        self._ended = True

    def _start(self, root: FrameType) -> None:
        """The program runs in this frame from now on."""
        if root is not self._root:
            self._root = root
            self._names.own = root.f_globals.get(
                "__name__", "builtins"
            )  # what a class statement there puts into `__module__`
            self._append(("outermost", root.f_code))

    def mark(self, line: int, simple: bool, bound: Bound, outermost: bool, frame: FrameType | None = None, /) -> None:
        """A statement of a marked program begins: the one before it is over (see `marks.Hearer`)."""
        due = self._due
        if due is not None and outermost and frame is None and (not due or self._names.look_at(due)):
            # what all but a few statements take: no frame has to be found, and nothing looked at but what has changed
            self._due, depth = bound, 1
        else:
            depth = self._enter(frame or _frame(1), bound)
            if not depth:
                return
        ledger = devices.chosen.ledger  # `self._account()`
        if ledger.began == self._began:
            self._append(("statement", line, simple, depth, ledger.live, ledger.peak, ledger.inherited))
        else:
            self._append(("statement", line, simple, depth, *self._account()))

    def _enter(self, frame: FrameType, bound: Bound) -> int:
        """A statement begins in this frame: look at all names. Returns how many frames run the program; 0 if it is another
        program's statement, which is ignored.
        """
        if frame.f_code.co_filename != self._program.filename:
            self._due = None  # it may have bound global names
            return 0
        self._marked = True
        frames = self._program.frames(frame, self._root)
        self._start(frames[-1])
        self._names.look(frames, done=True)
        self._due = bound if len(frames) == 1 and not self._names.deep else None
        return len(frames)

    def finish(self, scope: learner.Scope) -> None:
        """The program is over, and these are its names: its last statement gets them."""
        self._names.deep = True  # look at everything once more
        self._names.look_into([scope], done=True)
        self._names.forget()
        self._append(("over", 1, *self._account()))
        self._root = None

    def _where(self, frame: FrameType | None) -> Where:
        """At an event: the innermost place of the program, from this frame outwards. If nobody tells of its statements, bring
        the names up to date.
        """
        filename = self._filename
        while frame is not None and frame.f_code.co_filename != filename:
            frame = frame.f_back
        if frame is None:
            return None
        instruction = frame.f_lasti
        if not self._marked:
            self._look_from(frame, instruction)
        return instruction if frame is self._root else (frame.f_code, instruction)

    def _look_from(self, frame: FrameType, instruction: int) -> None:
        """Look at the names in the middle of a program that is not marked. On another line of its outermost frame, or if that
        has gone back, the statement before is surely over.
        """
        if frame is not self._root:
            self._names.look(self._program.frames(frame, self._root), done=False)
            self._sure = _NOT_SURE
            return
        before, self._instruction_before = self._instruction_before, instruction
        if observe.stretch and observe.stretch == self._stretch:
            return
        step = before, instruction
        if step not in self._between:
            self._between[step] = self._names_between(frame.f_code, *step)
            if self._of_one_statement(frame.f_code, *step):
                self._inside[step] = ()
        names = self._between[step]
        known = self._names.certain and names is not None and self._names.look_in(frame, names)
        if not known and not self._names.still(frame):
            over = _over(frame.f_code, *step)
            self._names.look([frame], done=over)
            self._stretch = observe.stretch if over else 0
        self._sure = self._between if self._names.certain else self._inside

    def _of_one_statement(self, code: CodeType, before: int, now: int) -> bool:
        """Whether two instructions of the outermost frame are surely of one statement."""
        return (
            self._text is not None
            and not _over(code, before, now)
            and self._text.one_statement(plain.line_of(code, before), plain.line_of(code, now))
        )

    def _names_between(self, code: CodeType, before: int, now: int) -> Bound:
        """The names that may have been bound between two instructions of the outermost frame; None if that is not known."""
        if code.co_flags & _SUSPENDS:
            return None
        if self._text is None:
            self._text = Between(self._program.text, self._program.first_line)
        bound = self._text.names(plain.line_of(code, before), plain.line_of(code, now))
        if bound and not _over(code, before, now):  # perhaps they are those of another round of a loop
            return () if self._of_one_statement(code, before, now) else None
        return None if bound is None else self._names.worth(bound)

    def _account(self) -> tuple[int, int, int]:
        """Bytes on the current device that are live now and their peak, both with the third figure in them: those that were
        made before this recording, and are not its own.
        """
        ledger = devices.chosen.ledger
        if ledger.began == self._began:
            return ledger.live, ledger.peak, ledger.inherited
        return *ledger.own(self._began), 0

    def _own_account(self) -> tuple[int, int]:
        """The recording's own live bytes and their peak."""
        live, peak, inherited = self._account()
        return live - inherited, peak - inherited

    def _full(self) -> bool:
        """Whether there are as many events as there may be steps; what comes after is only counted."""
        self._heard += 1
        return self._heard > self._limit


_SUSPENDS = CO_GENERATOR | CO_COROUTINE | CO_ASYNC_GENERATOR
"""The flags of code in the midst of which other code runs."""
_NOT_SURE: dict[tuple[int, int], Bound] = {}


def _over(code: CodeType, before: int, now: int) -> bool:
    """Whether the statement of the first of two instructions is surely over at the second."""
    return now <= before or plain.line_of(code, now) != plain.line_of(code, before)
