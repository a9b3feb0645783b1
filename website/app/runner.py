"""Runs a program of the playground, in the page's Python: records it, and hands out its output, its error and its picture.

The worker (`worker.js`) loads this file into Pyodide. It uses nothing of a browser, so the tests run it in any Python.
"""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import inplacelab
from inplacelab.diagnosis import recorded_failures
from inplacelab.errors.classes import MissingLibraryError
from inplacelab.language import Text, set_language
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import framework_used
from inplacelab.recorders.part import Part
from inplacelab.recorders.program import Program, learners_traceback
from inplacelab.recorders.run import Session
from inplacelab.recording.recording import Recording
from inplacelab_widgets.exports import questions_for
from inplacelab_widgets.page import packed_json
from inplacelab_widgets.scene import Scene, opening_step, scene_of
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.still_pictures import frame

FILENAME = "program.py"
MOST_STEPS = 1000
"""The most steps that are recorded: drawing them takes a browser's Python some seconds."""
FEW_STEPS = 40
"""A recording of more steps is shown in two parts: first the picture of one step, then all of them."""
MOST_OUTPUT = 50_000
"""The most characters of output that are shown."""
BETWEEN_MESSAGES = 0.1
"""Seconds of output that are sent in one message, so that a program that prints without end does not flood the page."""

_CUT = Text(
    "… The output is cut here: {0:,} characters are shown at most.",
    "……输出在此截断：最多显示 {0:,} 个字符。",
)
_NO_STATEMENT = Text("The program has no statement to show.", "程序里没有可以展示的语句。")


class Output(io.TextIOBase):
    """What a program prints: sent in few messages, and cut after a limit.

    Args:
        say: receives the text.
        most: the most characters.
    """

    def __init__(self, say: Callable[[str], None], most: int = MOST_OUTPUT) -> None:
        self._say, self._room = say, most
        self._most = most
        self._waiting: list[str] = []
        self._sent = time.monotonic()

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._room > 0:
            kept = text[: self._room]
            self._room -= len(kept)
            self._waiting.append(kept)
            if not self._room:
                self._waiting.append(f"\n{_CUT.format(self._most)}\n")
            if not self._room or time.monotonic() - self._sent > BETWEEN_MESSAGES:
                self.flush()
        return len(text)

    def flush(self) -> None:
        if self._waiting:
            self._say("".join(self._waiting))
            self._waiting.clear()
        self._sent = time.monotonic()


_scene: Scene | None = None


def run(source: str, language: str, say: Callable[[str], None], show: Callable[[str, int], None]) -> dict[str, Any]:
    """Runs a program and records it.

    Args:
        source: the program.
        language: "en" or "zh".
        say: receives the text that it prints, in pieces, and the error that ends it.
        show: receives a picture as the player reads it, compressed, and the step at which it opens; for a long recording twice: the first
            picture, then all steps.

    Returns:
        What the page needs to know besides: `steps`, the number of steps; `line`, that of a syntax error or 0; and `needs`, a package
        without which the program failed, or "".
    """
    set_language(language)
    output = Output(say)
    try:
        tree = ast.parse(source, FILENAME)
        code = compile(instrument.instrumented(tree), FILENAME, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        output.write("".join(traceback.format_exception_only(error)))
        output.flush()
        return {"steps": 0, "line": getattr(error, "lineno", None) or 0, "needs": ""}
    program = Program.of(ast.parse(source, FILENAME), source.rstrip("\n"), FILENAME)
    linecache.cache[FILENAME] = len(source), None, source.splitlines(keepends=True), FILENAME
    with _main() as names, contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        session = Session(program, title="", part=Part(MOST_STEPS), use=framework_used(tree, {}))
        raised = session.run([code], names)
        recording = session.recording()
        needs = "scipy" if isinstance(raised, MissingLibraryError) and "scipy" not in sys.modules else ""
        if raised is not None and not needs and not issubclass(type(raised), SystemExit):
            output.write(_said(raised, recording))
    output.flush()
    if len(recording) and not needs:
        _show(recording, show)
    elif not needs and raised is None:
        say(f"{_NO_STATEMENT}\n")
    return {"steps": len(recording), "line": 0, "needs": needs}


def picture(step: int, language: str) -> str:
    """Returns the picture of a step of the last program, as SVG in a small frame; "" if there is none."""
    if _scene is None or not 0 <= step < len(_scene.recording):
        return ""
    return frame(_scene, step, language)


def _show(recording: Recording, show: Callable[[str, int], None]) -> None:
    global _scene
    _scene = scene_of(recording)
    step = opening_step(recording, None)
    if len(recording) > FEW_STEPS:
        show(packed_json(payload(_scene, only=step)), step)
    show(packed_json(payload(_scene, questions_for(recording, False))), step)


def _said(raised: BaseException, recording: Recording) -> str:
    """The error as Python shows it; a refusal with the lines that led to it, and how to fix them."""
    trace = learners_traceback(raised, FILENAME)
    shown = recorded_failures.error_report(raised.with_traceback(trace), recording, FILENAME)
    return (shown or "".join(traceback.format_exception(raised))).rstrip("\n") + "\n"


@contextlib.contextmanager
def _main() -> Iterator[dict[str, Any]]:
    """A new main module, in which `torch` and `paddle` are ours: the real ones do not run in a browser."""
    module = ModuleType("__main__")
    module.__file__ = str(Path(FILENAME))
    ours = {"__main__": module, "paddle": inplacelab, "torch": import_module("inplacelab.torch")}
    before = {name: sys.modules.get(name) for name in ours}
    sys.modules.update(ours)
    try:
        yield vars(module)
    finally:
        for name, old in before.items():
            if old is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = old
