"""Tests the options of `record` and `share` that choose which part of a program is recorded."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from inplacelab.cli import main
from inplacelab.language import speak
from inplacelab.recording import codec

LOOP = """\
import inplacelab as paddle
x = paddle.ones([2])
for epoch in range(40):
    x *= 2
    z = x + 1
print("end", epoch)
"""


class Done(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Carries out a command in a folder with the program loop.py."""
    monkeypatch.chdir(tmp_path)
    Path("loop.py").write_text(LOOP, encoding="utf-8")

    def carry_out(*words: str) -> Done:
        try:
            status = main(words)
        except SystemExit as leaving:  # argparse's own way out
            status = int(leaving.code or 0)
        return Done(status, *capsys.readouterr())

    return carry_out


def lines() -> list[int | None]:
    return [step.line for step in codec.load("page.json").steps]


def test_a_recording_goes_on_where_another_one_ended(run: Run) -> None:
    whole = run("record", "loop.py", "-o", "page.json"), lines()
    first = run("record", "loop.py", "--limit", "11", "-o", "page.json"), lines()
    assert "--from-step 12 goes on there" in first[0].err
    second = run("record", "loop.py", "--from-step", "12", "-o", "page.json"), lines()
    assert second[0].err.splitlines()[1] == "11 earlier steps were not recorded: so many statements had begun before."
    assert first[1][:-1] + second[1] == whole[1]
    assert {done.out for done, _ in (whole, first, second)} == {"end 39\n"}


def test_a_recording_begins_where_a_condition_is_true(run: Run) -> None:
    done = run("record", "--from", "epoch == 38", "loop.py", "-o", "page.json")
    assert (done.status, lines()) == (0, [4, 5, 4, 5, 6])
    assert "78 earlier steps were not recorded" in done.err
    assert codec.load("page.json").notes


def test_a_program_is_stopped(run: Run) -> None:
    Path("stopped.py").write_text(
        LOOP.replace("for", "import atexit\natexit.register(print, 'bye')\nfor"), encoding="utf-8"
    )
    command = [sys.executable, "-m", "inplacelab", "record", "stopped.py", "--stop-after", "5", "-o", "page.json"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "bye\n")
    assert "wrote page.json: 5 steps\nThe program was stopped here, after step 5" in ended.stderr
    assert len(lines()) == 5


def test_more_steps_than_the_usual_limit_are_kept_before_a_program_is_stopped(run: Run) -> None:
    Path("long.py").write_text(LOOP.replace("40", "4000"), encoding="utf-8")
    done = run("record", "long.py", "--stop-after", "2100", "-o", "page.json")
    assert (done.status, done.out, len(lines())) == (0, "", 2100)


def test_what_is_shared_may_be_a_part(run: Run) -> None:
    done = run("share", "loop.py", "--from", "epoch == 39", "--markdown", "--stop-after", "1", "--lang", "en")
    assert done.status == 0
    assert "x *= 2" in done.out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--from-step", "1000000"), "step 1,000,000 does not exist, because the program ended after 83"),
        (("--from", "epoch == 400"), "`epoch == 400` was never true before any of the 83 statements"),
        (("--from", "epoc == 4"), "`epoc` was never a name"),
        (("--from", "epoch / 0"), "before line 4 of loop.py it raised ZeroDivisionError: division by zero"),
    ],
)
def test_a_part_that_never_began_leaves_nothing_and_the_program_runs(
    run: Run, words: tuple[str, ...], says: str
) -> None:
    done = run("record", "loop.py", *words, "-o", "page.json")
    assert (done.status, done.out) == (1, "end 39\n")
    assert says in done.err
    assert done.err.startswith("inplacelab record: nothing was recorded")
    assert len(done.err.splitlines()) == 1
    assert not Path("page.json").exists()


@pytest.mark.parametrize(("leaves", "status"), [("import sys; sys.exit(3)", 3), ("1 / 0", 1)])
def test_the_status_is_that_of_the_program_if_nothing_was_recorded(run: Run, leaves: str, status: int) -> None:
    Path("loop.py").write_text(LOOP + leaves, encoding="utf-8")
    done = run("record", "loop.py", "--from", "nowhere", "-o", "page.json")
    assert (done.status, done.out) == (status, "end 39\n")
    assert "ZeroDivisionError" in done.err or status == 3
    assert "`nowhere` was never a name" in done.err


@pytest.mark.parametrize(
    ("words", "says", "in_chinese"),
    [
        (("--from-step", "0"), "--from-step: 0 is not above 0", "0 不是正数"),
        (("--from-step", "-4"), "--from-step: -4 is not above 0", "-4 不是正数"),
        (("--from-step", "x"), "--from-step cannot be 'x'", "不能是 'x'"),
        (("--stop-after", "0"), "--stop-after: 0 is not above 0", "0 不是正数"),
        (("--stop-after", "1e3"), "--stop-after cannot be '1e3'", "不能是 '1e3'"),
        (("--limit", "-1"), "--limit: -1 is not above 0", "-1 不是正数"),
        (("--limit", "3", "--stop-after", "5"), "--limit 3 ends the recording before the 5 steps", "达不到"),
        (("--from-step", "3", "--from", "x"), "leave one of them out", "请去掉其中之一"),
        (("--from",), "--from needs a value", "后面要有一个值"),
        (("--from", ""), "--from: the condition is empty", "条件是空的"),
        (("--from", "epoch = 3"), "`epoch = 3` is an assignment, not a condition: compare with ==", "是赋值"),
        (("--from", "epoch =="), "`epoch ==` is not a Python expression", "不是 Python 表达式"),
        (("--from", "(x := 3)"), "contains `:=`", "含有 `:=`"),
        (("--from", "epoch", "==", "3"), "'==' follows it: write the whole condition in quotes", "放在引号中"),
    ],
)
def test_what_chooses_no_part_is_refused_before_the_program_runs(
    run: Run, words: tuple[str, ...], says: str, in_chinese: str
) -> None:
    for language, expected in (("en", says), ("zh", in_chinese)):
        with speak(language):
            done = run("record", "loop.py", *words)
        assert (done.status, done.out) == (2, "")
        assert expected in done.err.splitlines()[-1]
    before = run("record", *words, "loop.py")
    assert (before.status, before.out) == (2, "")


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_a_failure_after_the_limit_is_reported_as_python_reports_it(run: Run) -> None:
    Path("fails.py").write_text(
        "import torch\na = torch.ones(2, requires_grad=True)\nb = a.exp()\nfor k in range(20):\n    c = a + 1\n"
        "b.detach().zero_()\nb.sum().backward()\n",
        encoding="utf-8",
    )
    done = run("record", "fails.py", "--limit", "5", "-o", "page.json")
    assert done.status == 1
    assert "RuntimeError: one of the variables needed for gradient computation" in done.err
    assert "After the recording had ended, the program failed with RuntimeError" in done.err
    assert "inplacelab/recorders" not in done.err
