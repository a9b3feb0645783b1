"""Tests of programs that a notebook runs on several ranks, and of `%%ranks`."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

from inplacelab.distributed import on_ranks
from inplacelab.installing import command, requirement
from inplacelab.language import speak
from inplacelab.lessons import ranks, recorded
from inplacelab.recording import to_json

needs_engines = pytest.mark.skipif(
    not on_ranks.can_run(), reason="needs mpi4py, ipyparallel and mpiexec: pip install inplacelab[mpi]"
)


@needs_engines
@pytest.mark.standard
def test_a_program_is_recorded_on_each_rank_again_and_again_and_no_process_outlives_a_killed_kernel(
    tmp_path: Path,
) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(
        "import sys, time\n"
        "from inplacelab.distributed import on_ranks\n"
        "program = 'import inplacelab as paddle\\nimport inplacelab.distributed as dist\\ndist.init_parallel_env()\\n'\n"
        "program += 'x = paddle.ones([2])\\ndist.all_reduce(x)\\n'\n"
        "for _ in range(2):\n"
        "    made = on_ranks.record_on_ranks(program, 2)\n"
        "    numbers = [(s.collective.number, s.collective.rank) for r in made for s in r.steps if s.collective]\n"
        "    print(numbers, [r.state().version('x') for r in made], flush=True)\n"
        "cluster = on_ranks._running[2][0]\n"
        "print(*(each.pid for each in (cluster.controller, *cluster.engines.values())), flush=True)\n"
        "time.sleep(600)\n",
        encoding="utf-8",
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline().strip() for _ in range(3)]
        process.send_signal(signal.SIGKILL)
    assert lines[:2] == ["[(1, 0), (1, 1)] [1, 1]"] * 2
    numbers = [int(each) for each in lines[2].split()]
    assert len(numbers) == 2
    for _ in range(300):
        if not any(map(_is_alive, numbers)):
            return
        time.sleep(0.1)
    pytest.fail(f"still alive: {[each for each in numbers if _is_alive(each)]}")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"


def test_without_mpi_a_lessons_program_shows_its_recordings_and_another_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranks, "can_run", lambda: False)
    stored = [recorded("shared-rank0"), recorded("shared-rank1")]
    shown = ranks.recordings_of(stored[0].source, 2, "shared")
    assert [to_json(each) for each in shown] == [to_json(each) for each in stored]
    for source, count, name in (
        (stored[0].source + "\nx = 1", 2, "shared"),
        (stored[0].source, 4, "shared"),
        ("x = 1", 2, ""),
    ):
        with pytest.raises(LookupError, match=re.escape(command(requirement("mpi")))):
            ranks.recordings_of(source, count, name)


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    made.run_line_magic("load_ext", "inplacelab")
    yield made
    made.reset()
    InteractiveShell.clear_instance()


def test_the_magic_names_the_recordings_and_prints_the_errors_of_ranks(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ranks, "can_run", lambda: False)
    shell.run_cell_magic("ranks", "2 --name uneven", recorded("uneven-rank0").source)
    assert len(shell.user_ns["uneven"]) == 2
    printed = capsys.readouterr().out
    assert "RanksView('uneven', ranks=2" in printed
    assert printed.count("RuntimeError: Collective 1 is not the same on all ranks") == 2
    assert (
        printed.count("  Why: Every rank must make the same collectives")
        == printed.count("  Instead: look at the lines above")
        == 1
    )


def test_the_errors_of_ranks_are_explained_in_the_current_language(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ranks, "can_run", lambda: False)
    with speak("zh"):
        shell.run_cell_magic("ranks", "2 --name uneven", recorded("uneven-rank0").source)
    printed = capsys.readouterr().out
    assert "进程 1：RuntimeError: Collective 1 is not the same on all ranks" in printed
    assert "  原因：每个进程都必须" in printed
    assert "  改法：对照上面列出的各行" in printed


def test_from_the_start_the_errors_of_ranks_are_not_told_before_the_picture_reaches_them(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ranks, "can_run", lambda: False)
    shell.run_cell_magic("ranks", "2 --name uneven --from-start", recorded("uneven-rank0").source)
    assert "RuntimeError" not in capsys.readouterr().out
    assert all(recording.steps[-1].error for recording in shell.user_ns["uneven"])


@pytest.mark.parametrize("line", ["", "two", "0", "2 --name 1x", "2 --what"])
def test_a_magic_that_cannot_be_read_says_how_to_write_it(shell: InteractiveShell, line: str) -> None:
    with pytest.raises(UsageError, match="Usage: %%ranks N"):
        shell.run_cell_magic("ranks", line, "x = 1")
