"""Colors of the reports: on a terminal, and nowhere else."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inplacelab.diagnosis.findings import Paint, paint_for, plain
from inplacelab.diagnosis.report import painted_diff, quoted
from inplacelab.language import Text
from inplacelab.recording.facts import SiteFacts
from inplacelab.recording.sentences.failures import Mark, Role
from tests.diagnosis.test_report_document import STALE

CODE = re.compile(r"\x1b\[\d*m")
UNSET = {"NO_COLOR": None, "FORCE_COLOR": None, "TERM": "xterm"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "on_terminal", "in_pipe"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"FORCE_COLOR": "1"}, True, False),  # as in a kernel of Jupyter
    ],
)
def test_when_a_stream_gets_colors(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], on_terminal: bool, in_pipe: bool
) -> None:
    for name, value in {**UNSET, **environment}.items():
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    assert [paint_for(each) is not plain for each in (Terminal(), io.StringIO())] == [on_terminal, in_pipe]
    closed = Terminal()
    closed.close()
    assert [paint_for(each) is plain for each in (closed, None)] == [True, True]


@pytest.fixture
def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Paint:
    """What colors texts on a terminal."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return paint_for(Terminal())


def test_colors_change_nothing_but_the_look(on_terminal: Paint) -> None:
    says = Text("said", "")
    roles: list[Role] = ["kept", "overwritten", "needed"]
    text = "损失 = x"
    sites = [SiteFacts("", line, line, len(text.encode()) - 1, len(text.encode()), text) for line in range(8, 11)]
    marks = [Mark(role, (at,), says, says) for role, at in zip(roles, sites, strict=True)]
    colored = [*quoted(marks, paint=on_terminal)]
    assert [CODE.sub("", line) for line in colored] == [*quoted(marks)]
    assert [line for line in colored if "said" not in line] == [line for line in quoted(marks) if "said" not in line]
    codes = [tuple(CODE.findall(line)) for line in colored if "said" in line]
    assert len({*codes}) == 3
    assert codes[1] == ("\x1b[31m", "\x1b[0m")


def test_lines_of_a_diff(on_terminal: Paint) -> None:
    diff = "--- a.py\n+++ a.py\n@@ -1,2 +1,2 @@\n x\n-y\n+z\n"
    painted = painted_diff(diff, on_terminal)
    assert CODE.sub("", painted) == diff == painted_diff(diff, plain)
    assert painted.splitlines()[3:] == [" x", "\x1b[31m-y\x1b[0m", "\x1b[32m+z\x1b[0m"]


def printed(folder: Path, command: str, *, terminal: bool, **more: str) -> str:
    """What a command prints to the standard error."""
    (folder / "train.py").write_text(STALE)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "xterm"} | more
    for name in UNSET.keys() - more.keys() - {"TERM"}:
        environment.pop(name, None)
    words = [sys.executable, "-m", "inplacelab", command, "train.py"]
    if not terminal:
        return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False).stderr
    pty = pytest.importorskip("pty", reason="needs pseudo-terminals")
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=theirs):
        os.close(theirs)
        parts = []
        while True:
            try:
                part = os.read(ours, 1 << 12)
            except OSError:  # how Linux says that the other end is closed
                part = b""
            if not part:
                break
            parts.append(part)
    os.close(ours)
    return b"".join(parts).decode().replace("\r\n", "\n")


@pytest.mark.parametrize("command", ["explain", "record"])
def test_a_terminal_shows_colors_and_a_pipe_does_not(tmp_path: Path, command: str) -> None:
    colored, piped = (printed(tmp_path, command, terminal=each) for each in (True, False))
    marks = [line for line in colored.splitlines() if line.lstrip().startswith("| ")]
    assert [CODE.findall(line) for line in marks] == [
        ["\x1b[36m", "\x1b[0m"], ["\x1b[31m", "\x1b[0m"], ["\x1b[35m", "\x1b[0m"]
    ]  # fmt: skip
    assert "\x1b" not in piped
    assert piped in CODE.sub("", colored)


def test_the_environment_has_the_last_word(tmp_path: Path) -> None:
    assert "\x1b" not in printed(tmp_path, "explain", terminal=True, NO_COLOR="1")


@pytest.mark.oracle
def test_notes_of_errors_have_no_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    from inplacelab import explain  # noqa: PLC0415

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stderr", Terminal())
    h = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError) as caught, explain() as found:
        h.exp().add_(1).sum().backward()
    assert "overwritten by `add_`" in "\n".join([str(found), *caught.value.__notes__])
    assert "\x1b" not in "\n".join([str(found), *caught.value.__notes__])
