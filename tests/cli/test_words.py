"""Options of a command, and those of the script that it runs: whatever the order, each goes where it belongs, and where it was not obvious that is said."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.cli import main
from inplacelab.cli.arguments import Named, command_line, split
from tests.tiers import TIER, Tier

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
PROGRAM = """\
import json, sys
import inplacelab
x = inplacelab.ones([1])
with open("argv.json", "a") as file:
    print(json.dumps(sys.argv[1:]), file=file)
"""


class Done(NamedTuple):
    status: int
    err: str
    argv: list[list[str]]


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Carries out a command; its scripts write down what they get."""
    monkeypatch.chdir(tmp_path)
    for name in ("train.py", "other.py"):
        Path(name).write_text(PROGRAM, encoding="utf-8")

    def carry_out(*words: str) -> Done:
        Path("argv.json").write_text("", encoding="utf-8")
        try:
            status = main(words)
        except SystemExit as leaving:
            status = int(leaving.code or 0)
        lines = Path("argv.json").read_text(encoding="utf-8").splitlines()
        return Done(status, capsys.readouterr().err, [json.loads(each) for each in lines])

    return carry_out


COMMANDS = {
    "explain": ["train.py"],
    "record": ["train.py"],
    "share": ["train.py"],
    "compare": ["train.py", "other.py"],
}
QUIET = {
    "ours before it": (["-o", "a.md", *"S", "--epochs", "3"], ["--epochs", "3"]),
    "ours after it": ([*"S", "-o", "a.md"], []),
    "ours after it, with a sign of equality": ([*"S", "--output=a.md"], []),
    "after the dashes": (["-o", "a.md", *"S", "--", "-o", "b.md", "--", "x"], ["-o", "b.md", "--", "x"]),
    "ours after it, and theirs after the dashes": ([*"S", "-o", "a.md", "--", "-o", "b.md"], ["-o", "b.md"]),
    "it after the dashes": (["-o", "a.md", "--", *"S", "-o", "b.md"], ["-o", "b.md"]),
    "nothing after the dashes": (["-o", "a.md", *"S", "x", "--"], ["x"]),
    "no abbreviations": (["-o", "a.md", *"S", "--out", "b", "--lan", "-ob.md"], ["--out", "b", "--lan", "-ob.md"]),
}


def with_scripts(command: str, words: list[str]) -> list[str]:
    return [command, *(each for word in words for each in (COMMANDS[command] if word == "S" else [word]))]


@pytest.mark.parametrize(
    ("command", "name"),
    [(command, name) for command in COMMANDS for name in QUIET if command != "compare" or "theirs" in name],
)
def test_every_word_goes_where_it_belongs(run: Run, command: str, name: str) -> None:
    words, argv = QUIET[name]
    done = run(*with_scripts(command, words))
    assert done.status == 0
    assert done.argv == [argv] * len(COMMANDS[command])
    assert Path("a.md").exists()
    assert "is an option of" not in done.err


@pytest.mark.parametrize(("command", "gets"), [*dict.fromkeys(COMMANDS, "train.py").items()])
def test_what_could_be_meant_otherwise_is_said(run: Run, command: str, gets: str) -> None:
    done = run(*with_scripts(command, ["S", "--epochs", "3", "-o", "a.md"]))
    assert done.argv == [["--epochs", "3"]] * len(COMMANDS[command])
    who = gets if command != "compare" else "each of the two programs"
    said = f"`-o` is an option of inplacelab {command}; {who} gets: --epochs 3. To give it `-o` too, write it after `--`.\n"
    assert done.err.startswith(said)
    several = run(*with_scripts(command, ["S", "--lang", "zh", "x y", "-o", "a.md"]))
    assert several.err.startswith(f"`--lang`, `-o` 是 inplacelab {command} 的选项；")
    assert "：'x y'。" in several.err


def test_an_option_that_the_script_has_too(run: Run) -> None:
    Path("train.py").write_text(PROGRAM + "options = ['--output']\n", encoding="utf-8")
    done = run("explain", "train.py", "--output", "a.md")
    assert done.err.startswith("`--output` is an option of inplacelab explain; train.py gets: nothing. ")
    assert "is an option" not in run("explain", "train.py", "-o", "a.md").err
    assert "is an option" not in run("explain", "--output", "a.md", "train.py").err
    helped = run("explain", "train.py", "--help")
    assert helped.err.startswith("`--help` is an option of inplacelab explain; train.py gets: nothing. ")
    assert (helped.status, helped.argv) == (0, [])


def test_what_helps_against_a_wrong_suffix_is_an_option_of_the_command(run: Run) -> None:
    choose = ", or choose the format with --format"
    for command, way in {"record": choose, "explain": ""}.items():
        done = run(command, "train.py", "-o", "a.pdf")
        assert (done.status, done.argv) == (2, [])
        assert done.err.endswith(f"; use one of these{way}\n")


OPTIONS = {"-o": True, "--output": True, "--try": False, "--seconds": True}
WORDS = [
    "-o",
    "--output",
    "--try",
    "--seconds",
    "--seconds=3",
    "--try=1",
    "--tr",
    "-",
    "-5",
    "a.py",
    "--lr",
    "x",
    "-m",
]


@given(st.lists(st.sampled_from([*WORDS, "--"]), max_size=8), st.integers(1, 2))
def test_no_word_is_lost_and_none_comes_twice(words: list[str], count: int) -> None:
    try:
        found = split(words, OPTIONS, count)
    except ValueError:
        assert "-m" in words
        return
    named = [part for each in found.programs for part in each.words]
    unread = [] if found.after is None else ["--", *found.after]
    assert sorted([*found.options, *named, *found.given, *unread]) == sorted(words)
    behind = words[words.index("--") :] if "--" in words else []
    assert behind in (unread, [*unread[:1], *named, *unread[1:]])
    assert not OPTIONS.keys() & set(found.given)
    if len(found.programs) == count:  # in order
        rest = iter(words)
        assert all(each in rest for each in found.given)
    else:
        assert not found.given


def test_a_module_is_named_as_for_python() -> None:
    for words in (["-m", "pkg.train", "-m", "x"], ["-mpkg.train", "-m", "x"]):
        found = split(words, OPTIONS, 1)
        assert found.programs == [Named("pkg.train", is_module=True)]
        assert found.given == ["-m", "x"]


# --- advice ---------------------------------------------------------------------------------------------------------------

FAILS = """\
import sys, torch
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
h[0] = 5.0
assert sys.argv[1:] == ["--lr", "a b", "--try"]
h.sum().backward()
"""


@pytest.mark.oracle
@pytest.mark.skipif(os.name == "nt", reason="a shell of Unix")
def test_the_command_that_is_advised_can_be_pasted(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    (tmp_path / "my pkg").mkdir()
    (tmp_path / "my pkg" / "train.py").write_text(FAILS, encoding="utf-8")
    command = [sys.executable, "-m", "inplacelab", "explain", "my pkg/train.py", "--lr", "a b", "--", "--try"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=tmp_path)
    advised = re.search(r"^To find an edit that works: (.*)$", done.stderr, re.MULTILINE)
    assert advised is not None
    assert advised[1] == shlex.join([*command[:4], "--try", *command[4:]])
    if TIER == Tier.LONG:  # each trial is a process that imports PyTorch
        again = subprocess.run(
            advised[1], shell=True, capture_output=True, text=True, check=False, env=ENVIRONMENT, cwd=tmp_path
        )
        assert "To fix it (checked: it runs" in again.stderr


def test_a_command_is_quoted_as_it_was_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    words = ["explain", "--try", "-m", "pkg.train", "a b"]
    rest = "explain --try -m pkg.train 'a b'"
    script = tmp_path / "bin" / "inplacelab"
    script.parent.mkdir()
    script.write_text("", encoding="utf-8")
    script.chmod(0o700)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert command_line(words) == f"{script} {rest}"
    monkeypatch.setenv("PATH", str(script.parent))
    assert command_line(words) == f"inplacelab {rest}"
    monkeypatch.setattr(sys, "argv", ["/somewhere/inplacelab/__main__.py"])
    monkeypatch.setattr(sys, "orig_argv", ["python3", "-m", "inplacelab"])
    assert command_line(words) == f"python3 -m inplacelab {rest}"


def test_the_command_alone_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert [
        name for name in ("record", "explain", "compare", "show", "share", "lab") if f"\n    {name} " not in err
    ] == []


def test_what_cannot_be_run_or_shown_says_what_can(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text("import torch\n")
    assert main(["explain", str(tmp_path)]) == 2
    assert main(["show", str(tmp_path / "train.py")]) == 2
    folder, program = capsys.readouterr().err.splitlines()
    assert folder == f"inplacelab explain: {tmp_path} is a folder: name a script in it, or a package with -m"
    assert program.endswith(f"is a program, not a recording; to record it: inplacelab record {tmp_path / 'train.py'}")
