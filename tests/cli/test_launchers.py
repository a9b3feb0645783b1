"""A launcher starts a command several times: each rank says its own, writes its own files, and none tries fixes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from inplacelab.cli import main, output
from inplacelab.cli.output import say
from inplacelab.cli.script import held
from inplacelab_widgets.page import payload_of

ENVIRONMENT = os.environ | {
    "PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path))), "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo",  # a machine may not find itself by its name
}  # fmt: skip
FAILS = """\
h = net(torch.ones(2, 3)).exp()
assert sys.argv[1:] == ["--lr", "1"]
h.mul_(2)
h.sum().backward()
"""
ALONE = "import sys, torch\nnet = torch.nn.Linear(3, 3)\n" + FAILS
IN_PARALLEL = (
    """\
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("gloo")
net = DistributedDataParallel(torch.nn.Linear(3, 3))
"""
    + FAILS
)
PROGRAM = "import inplacelab\nx = inplacelab.ones([2])\nx.scale_(2.)\n"


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(PROGRAM, encoding="utf-8")


@pytest.fixture
def as_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")


def launched(*words: str) -> str:
    """What a launcher and its ranks print."""
    command = [sys.executable, "-m", *words, "-m", "inplacelab", "explain", "train.py", "-o", "page.html", "--lr", "1"]
    done = subprocess.run(
        command, text=True, env=ENVIRONMENT, check=False, timeout=300, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert done.returncode == 1, done.stdout
    return done.stdout


@pytest.mark.oracle
@pytest.mark.skipif(sys.platform != "linux", reason="gloo finds the machine's own address")
def test_each_rank_of_torchrun_explains_its_own_failure() -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    Path("train.py").write_text(IN_PARALLEL, encoding="utf-8")
    # `torchrun` is this module
    lines = launched(
        "torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1", "--nproc-per-node", "2"
    ).splitlines()
    for rank in (0, 1):
        mark = f"[rank{rank}]: "
        mine = [k for k, line in enumerate(lines) if line.startswith(mark)]
        begins = lines.index(f"{mark}Traceback (most recent call last):")
        report = "\n".join(line.removeprefix(mark) for line in lines[begins:] if line.startswith(mark))
        kept, overwritten = report.index("kept: `ExpBackward0`"), report.index("  10 | h.mul_(2)")
        ends = next(k for k in mine if k > begins and "To fix it" in lines[k])
        assert kept < overwritten
        assert set(range(begins, ends)) <= {*mine}  # in one piece
        assert f"{mark}wrote page-rank{rank}.html: " in "\n".join(lines)
        page = Path(f"page-rank{rank}.html").read_text(encoding="utf-8")
        assert "h.mul_(2)" in payload_of(page)["source"]
    assert not Path("page.html").exists()
    assert "To find an edit that works" not in "\n".join(lines)
    assert "[rank0]: `-o` is an option of inplacelab explain; train.py gets: --lr 1. " in "\n".join(lines)


@pytest.mark.oracle
def test_accelerate_launches_the_command() -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    pytest.importorskip("accelerate", reason="needs Accelerate: python -m pip install --group launchers")
    Path("train.py").write_text(ALONE, encoding="utf-8")
    said = launched("accelerate.commands.launch", "--cpu", "--num_processes", "1")
    assert "kept: `ExpBackward0`" in said
    assert "wrote page.html: " in said


@pytest.mark.usefixtures("as_rank")
def test_what_a_rank_prints_and_writes_has_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "program.py", "-o", "page.md"]) == 0
    assert capsys.readouterr().err == "[rank1]: wrote page-rank1.md: 2 steps\n"
    assert main(["share", "program.py", "--html", "steps.html"]) == 0
    assert "[rank1]: the link to the step: steps-rank1.html#step=2\n" in capsys.readouterr().err
    assert {each.name for each in Path().iterdir()} == {"program.py", "page-rank1.md", "steps-rank1.html"}
    assert main(["record", "program.py", "--format", "md", "-o", "-"]) == 0
    assert capsys.readouterr().out == Path("page-rank1.md").read_text(encoding="utf-8")
    Path("program.py").write_text(f"import os\nos.environ['WORLD_SIZE'] = '1'\n{PROGRAM}", encoding="utf-8")
    assert main(["record", "program.py", "-o", "page.md"]) == 0
    assert capsys.readouterr().err == "[rank1]: wrote page-rank1.md: 3 steps\n"
    os.environ["WORLD_SIZE"] = "2"
    say("one\n\ntwo", sys.stderr)
    assert capsys.readouterr().err == "[rank1]: one\n[rank1]: \n[rank1]: two\n"


@pytest.mark.usefixtures("as_rank")
@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("explain", "--try"), "one process"),
        (("explain", "--fix"), "one process"),
        (("compare", "program.py"), "one process"),
        (("explain", "--format", "json"), "one standard output; .* -o report.json"),
    ],
)
def test_what_several_ranks_cannot_do_is_refused(
    words: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("program.py").write_text("open('ran', 'w')\n", encoding="utf-8")
    assert main([*words, "program.py"]) == 2
    said = capsys.readouterr().err
    assert re.match(rf"\[rank1\]: inplacelab {words[0]}: .* {why}", said)
    assert said.count("\n") == 1
    assert not Path("ran").exists()


@pytest.mark.parametrize(
    ("rank", "world"),
    [
        ({"RANK": "0", "WORLD_SIZE": "1"}, 1),
        ({"WORLD_SIZE": "4"}, 0),
        ({"RANK": "0"}, 0),
        ({"RANK": "x", "WORLD_SIZE": "2"}, 0),
    ],
)
def test_one_process_is_no_rank(
    rank: dict[str, str], world: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in rank.items():
        monkeypatch.setenv(name, value)
    assert output.ranks() == world
    assert main(["record", "program.py", "-o", "page.md"]) == 0
    assert capsys.readouterr().err == "wrote page.md: 2 steps\n"


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_a_report_is_written_before_the_launcher_stops_the_rank() -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        with held():
            os.kill(os.getpid(), signal.SIGTERM)
            assert came == []
        assert came == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)
