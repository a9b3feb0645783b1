"""The recorder of inplacelab's own programs: listens to the engine, keeps a journal, and has it read into a `Recording`.

It keeps nothing alive, copies at once what in-place operations will destroy, and computes nothing that the program computes:
gradients, errors and memory peaks are those of the unrecorded run. What it writes down during the run is as little as will do
(`journal`); what that means is worked out when the recording is asked for (`reader`).

It is made of what it listens to: the program (`places`), operations, backward passes; and here, errors.
"""

from __future__ import annotations

import sys
import weakref
from types import FrameType

import inplacelab
from inplacelab import devices, errors
from inplacelab.language import Text
from inplacelab.ops.table import ROWS
from inplacelab.recorders import source as learner
from inplacelab.recorders.passes import Passes
from inplacelab.recorders.reader import Reader
from inplacelab.recording.explain.errors import stale_story
from inplacelab.recording.explain.moment import Moment
from inplacelab.recording.explain.words import closed_up
from inplacelab.recording.facts import ErrorFacts
from inplacelab.recording.mending import in_one_sentence, mends
from inplacelab.recording.recording import Recording
from inplacelab.tensor import Tensor

LIMIT = 2000
"""Steps kept by default; a recording that was cut says so."""

_ADVISED = 20
"""To mend a program, all of it is looked at: of one that goes on after more refusals than this, only so many are looked into."""


class LabRecorder(Passes):
    """Records what happens while it listens (see `record` and `%%stepper`).

    Args:
        program: the learner's program.
        title: a name for the picture.
        limit: the most steps to keep.
        outermost: the frame that runs the program, if it runs already.
        mend: whether to say how a program that is refused is mended. Where to find that is an exercise, it is not said.
    """

    def __init__(
        self, program: learner.Program, *, title: str = "", limit: int = LIMIT, outermost: FrameType | None = None,
        mend: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(program, limit, outermost)
        self._title, self._mend = title, mend
        self._reader = Reader(limit, self._journal.outer, program.first_line)
        self._reported: weakref.ref[errors.Refusal] | None = None
        self._live_before = self._refusals = 0

    def begin(self) -> None:
        """The recording begins: what is live now was made before."""
        super().begin()
        self._live_before = devices.current().ledger.live

    def refused(self, error: errors.Refusal) -> None:
        """The engine refuses: explain it, and tell the exception which lines are concerned."""
        where = self._where_refused(sys._getframe(1))
        self._reported = weakref.ref(error)
        journal = self._journal
        node, saved, tensor = (error.facts.get(name) for name in ("node", "saved", "tensor"))
        found = ErrorFacts(
            type=type(error).__name__, message=str(error), explanation=_begun(error.why), mend=error.mend, notes=()
        )
        known = None if tensor is None else journal.known(tensor)
        self._append((
            "refusal", found, None if node is None else journal.outer.get(node.serial, node.serial),
            None if saved is None else journal.storage(saved.storage).serial, None if known is None else known.serial,
            where, *self._own_account(),
        ))  # fmt: skip
        self._add_notes(error)

    def _add_notes(self, error: errors.Refusal) -> None:
        so_far = self.recording()
        if so_far.truncated:
            return
        notes = stale_story(Moment(so_far, len(so_far) - 1))
        self._refusals += 1
        mend = self._mended(so_far)
        self._reader.note(notes, mend)
        for note in (*notes, *([_MEND.format(mend)] if mend else ())):
            error.add_note(str(closed_up(note)))

    def _mended(self, so_far: Recording) -> Text | None:
        """How this very program is mended; None if nothing better is known than the refusal's own advice."""
        if not self._mend:
            return _TO_BE_FOUND
        found = mends(so_far, has_ordinary) if self._refusals <= _ADVISED else ()
        return in_one_sentence(found) if found else None

    def failed(self, error: BaseException) -> None:
        """The program ended with an exception."""
        if self._reported is not None and error is self._reported():
            return
        found = ErrorFacts(type=type(error).__name__, message=str(error), explanation=None, notes=())
        self._append(("failure", found, self._program.line_of(error), *self._own_account()))

    def recording(self) -> Recording:
        """What was recorded so far."""
        reader = self._reader
        reader.read(self._entries, self._journal.memory)
        if self._ended:
            self._journal.memory.give_back()
        kept = len(reader.build.steps)
        lost = max(self._heard - self._limit, 0) if kept >= self._limit else 0
        return Recording(
            framework="inplacelab", framework_version=inplacelab.__version__, title=self._title,
            source=self._program.text, steps=tuple(reader.build.steps), truncated=reader.build.dropped + lost,
            simulated=reader.simulated, live_before=self._live_before,
        )  # fmt: skip


def has_ordinary(name: str) -> bool:
    """Whether there is an ordinary operation of a name: "relu", but not "zero"."""
    row = ROWS.get(name)
    return hasattr(Tensor, name) if row is None else row.ordinary


_MEND = Text("In this program: {0}", "在本程序中：{0}")
_TO_BE_FOUND = Text(
    "… (yours to find; without `--no-mend` it would stand here)",
    "……（请自己找出来；去掉 `--no-mend`，这里就会写出改法）",
)


def _begun(text: Text) -> Text:
    """A reason as a sentence of its own."""
    return Text(text.en[:1].upper() + text.en[1:], text.zh)
