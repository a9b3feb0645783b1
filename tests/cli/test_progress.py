"""What takes long is shown on a terminal, in one line, and nowhere else."""

from __future__ import annotations

import io
import re
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplacelab.cli import main, output
from inplacelab.language import Text, columns, speak


class Terminal(io.StringIO):
    """A terminal that does not say how wide it is."""

    def isatty(self) -> bool:
        return True


def shown(written: str) -> list[str]:
    """What a terminal shows in its last line after each piece that is written."""
    line, rest, states = "", "", [""]
    for piece in re.split("(\r)", written):
        if piece == "\r":
            rest, line = line, ""
        elif piece:
            line = piece
            states.append((line + rest[len(line) :]).rstrip())
    return states


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    stream = Terminal()
    monkeypatch.setattr(sys, "__stderr__", stream)
    monkeypatch.setattr(output, "SLOW", 0.05)
    yield stream
    assert not any(isinstance(each, threading.Timer) for each in threading.enumerate())


def until(terminal: Terminal, text: str) -> None:
    deadline = time.monotonic() + 20
    while text not in terminal.getvalue():
        assert time.monotonic() < deadline, terminal.getvalue()
        time.sleep(0.01)


def test_the_line_is_written_again_and_erased(terminal: Terminal) -> None:
    with speak("zh"), output.progress(Text("drawing a page", "正在绘制网页")) as tell:
        until(terminal, "正在绘制网页 ...")
        tell(Text("two", "二"))
    assert shown(terminal.getvalue()) == ["", "正在绘制网页 ...", "", "二 ...", ""]
    assert "\n" not in terminal.getvalue()


def test_what_is_quick_shows_nothing(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "SLOW", 60)
    with output.progress(Text("one", "一")) as tell:
        tell(Text("two", "二"))
    assert terminal.getvalue() == ""


def test_no_terminal_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(output, "SLOW", 0)
    for each in (stream, None):
        monkeypatch.setattr(sys, "__stderr__", each)
        with output.progress(Text("one", "一")) as tell:
            tell(Text("two", "二"))
            assert not any(isinstance(thread, threading.Timer) for thread in threading.enumerate())
    assert stream.getvalue() == ""


def test_a_long_line_is_cut(terminal: Terminal) -> None:
    long = "绘制" * 60
    with output.progress(Text(long, long)):
        until(terminal, "绘")
    assert max(map(columns, shown(terminal.getvalue()))) in (78, 79)


def test_drawing_is_shown(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text("import inplacelab\nx = inplacelab.ones([2])\n", encoding="utf-8")

    def slow(_: object) -> str:
        until(terminal, "drawing page.txt ...")
        return "drawn"

    monkeypatch.setitem(output.FORMATS, "txt", slow)
    assert main(["record", "program.py", "-o", "page.txt"]) == 0
    assert shown(terminal.getvalue())[-1] == ""
    assert capsys.readouterr().err == "wrote page.txt: 1 steps\n"
