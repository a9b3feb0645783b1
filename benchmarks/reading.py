"""Counts the files and functions that run while a small program is recorded, read and drawn: how much a reader must follow.

    python benchmarks/reading.py

Counted with `sys.setprofile`, over this package's files only. *Returns* are changes back to a file that was left before, where a
reader has to turn back. The numbers do not depend on the machine.
"""

from __future__ import annotations

import argparse
import ast
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import inplacelab
import inplacelab_widgets
from inplacelab.recorders import instrument
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab_widgets import to_html

PACKAGES = tuple(str(Path(package.__file__).parent) for package in (inplacelab, inplacelab_widgets))
FOLDERS = {"recorders": f"{PACKAGES[0]}/recorders/", "recording": f"{PACKAGES[0]}/recording/"}

PROGRAM = """\
x = paddle.ones([2, 3])
y = paddle.zeros([2, 3])
x.add_(y)
"""


@dataclass
class Walk:
    """The files and functions that were entered.

    Attributes:
        files: the files, in the order in which each was first entered.
        functions: the functions, by file and name.
        returns: the number of returns to a file that was left before.
    """

    files: dict[str, None] = field(default_factory=dict)
    functions: set[tuple[str, str]] = field(default_factory=set)
    returns: int = 0
    last: str = ""

    def enter(self, frame: FrameType) -> None:
        """A function is called."""
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGES):
            return
        self.functions.add((code.co_filename, code.co_qualname))
        if code.co_filename != self.last:
            self.returns += code.co_filename in self.files
            self.files[code.co_filename] = None
            self.last = code.co_filename

    def within(self, folder: str) -> tuple[int, int]:
        """The files and functions in one folder."""
        files = [file for file in self.files if file.startswith(folder)]
        return len(files), sum(file.startswith(folder) for file, _ in self.functions)


@contextmanager
def walked() -> Iterator[Walk]:
    """Counts the functions that are entered inside a `with` block."""
    walk = Walk()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            walk.enter(frame)

    gc.collect()
    sys.setprofile(count)
    try:
        yield walk
    finally:
        sys.setprofile(None)


def session(text: str) -> tuple[Session, Callable[[], None]]:
    """A program ready to be recorded, and the function that runs it."""
    tree = ast.parse(text)
    made = Session(Program.of(tree, text, "<program>"))
    code = compile(instrument.instrumented(tree), "<program>", "exec")
    return made, lambda: made.run([code], {"paddle": inplacelab}) and None


def one_operation() -> Walk:
    """Counts from the beginning of the statement `x.add_(y)` to that of the next one."""
    walks: list[Walk] = []

    @contextmanager
    def here() -> Iterator[None]:
        with walked() as walk:
            yield
        walks.append(walk)

    text = "x = paddle.ones([2, 3])\ny = paddle.zeros([2, 3])\nx.add_(y)\nwith here():\n    x.add_(y)\n"
    tree = ast.parse(text)
    made = Session(Program.of(tree, text, "<program>"))
    made.run([compile(instrument.instrumented(tree), "<program>", "exec")], {"paddle": inplacelab, "here": here})
    return walks[0]


def show(what: str, walk: Walk) -> None:
    """Print one line of the table."""
    parts = "  ".join("{}: {:2} files, {:3} functions".format(name, *walk.within(at)) for name, at in FOLDERS.items())
    print(f"{what:34}{len(walk.files):5} files  {len(walk.functions):4} functions  {walk.returns:6,} returns   {parts}")


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    warm, run = session(PROGRAM)  # caches, like the functions of a row, are filled before
    run()
    to_html(warm.recording())
    made, run = session(PROGRAM)
    with walked() as recording:
        run()
    with walked() as building:
        found = made.recording()
    with walked() as drawing:
        to_html(found)
    print(PROGRAM)
    show("recording the program", recording)
    show("recording x.add_(y) in it", one_operation())
    show("building its recording", building)
    show("drawing it", drawing)


if __name__ == "__main__":
    main()
