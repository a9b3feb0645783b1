"""`record()`: record what a `with` block does."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from inplacelab import devices, errors, observe
from inplacelab.recorders import source
from inplacelab.recorders.lab import LIMIT, LabRecorder
from inplacelab.recording.recording import Recording


@contextmanager
def listening(recorder: LabRecorder) -> Iterator[None]:
    """Have a recorder hear the engine and its refusals."""
    errors.watchers.append(recorder.refused)
    for device in devices.ALL:
        device.ledger.begin_episode()
    recorder.begin()
    try:
        with observe.listening(recorder):
            yield
    finally:
        for device in devices.ALL:
            device.ledger.end_episode()
        errors.watchers.remove(recorder.refused)
        recorder.end()


class record:
    """Record what a `with` block does.

    Names show as they were bound when the next operation began; a line that only binds a name (`y = x`) is no step here.
    (`%%stepper` runs the program itself and sees every line.) The recording can be had also when the block raises.

    Args:
        title: a name for the picture.
        limit: the most steps to keep; a recording that was cut says so.

    Attributes:
        recording: what was recorded, once the block is over.

    >>> import inplacelab as paddle
    >>> with paddle.record(title="half") as rec:
    ...     x = paddle.ones([2])
    ...     y = x.scale_(0.5)
    >>> [step.op for step in rec.recording.steps]
    ['ones', 'scale_']
    """

    def __init__(self, title: str = "", limit: int = LIMIT) -> None:
        self._title, self._limit = title, limit
        self.recording: Recording | None = None

    def __enter__(self) -> Self:
        frame = sys._getframe(1)
        filename = frame.f_code.co_filename
        block = source.with_block(filename, frame.f_lineno)
        program = source.Program.of(ast.parse(block.text), block.text, filename, block.first_line)
        if not block.text:  # the file cannot be read: any of its names may be of interest, and be bound
            names = frozenset(frame.f_code.co_names)
            program = program._replace(wanted=names, stored=names)
        self._recorder = LabRecorder(program, title=self._title, limit=self._limit, outermost=frame)
        self._open = listening(self._recorder)
        self._open.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        frame = sys._getframe(1)
        if error is not None:
            self._recorder.failed(error)
        self._recorder.finish(*source.scopes_of([frame]))
        self._open.__exit__(None, None, None)
        self.recording = self._recorder.recording()
