"""Run a learner's marked program under a recorder, and say of its error only what is the learner's."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from pathlib import Path
from types import CodeType, TracebackType
from typing import Any

import inplacelab
from inplacelab.errors import Refusal
from inplacelab.recorders import marks, source
from inplacelab.recorders.block import listening
from inplacelab.recorders.lab import LabRecorder

_ENGINE = (str(Path(inplacelab.__file__).parent), "<inplacelab ")
"""How the names of the engine's files begin: those in the package, and those of operations that were written out."""


def run(recorder: LabRecorder, parts: Iterable[CodeType], names: dict[str, Any]) -> BaseException | None:
    """Run the compiled parts of a marked program (`marks.marked`) one after another, in `names`.

    Returns:
        What the program raised, which is then the recording's last step; None if it came to its end. `SystemExit` is an
        end and no step.
    """
    raised: BaseException | None = None
    gc.collect()  # what earlier programs have left would otherwise be counted or not, as the collector happens to run
    with listening(recorder), marks.marking(recorder.mark):
        try:
            for code in parts:
                exec(code, names)
        except BaseException as error:  # noqa: BLE001  # the caller shows it once the recording is there
            raised = error
        if raised is not None and not isinstance(raised, SystemExit):
            recorder.failed(raised)
        recorder.finish(source.Scope(names, ""))
    return raised


def learners_traceback(error: BaseException, filename: str) -> TracebackType | None:
    """The traceback from the program's own first frame on. Of a refusal, without the engine's frames."""
    walk = error.__traceback__
    while walk is not None and walk.tb_frame.f_code.co_filename != filename:
        walk = walk.tb_next
    return without_engine(walk) if isinstance(error, Refusal) else walk


def without_engine(trace: TracebackType | None) -> TracebackType | None:
    """A refusal's traceback without the engine's frames: what the engine was doing inside is not where the mistake is."""
    frames: list[TracebackType] = []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    for each in reversed(frames):
        if not each.tb_frame.f_code.co_filename.startswith(_ENGINE):
            trace = TracebackType(trace, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return trace
