"""The processes of trials: they end, and start from a template; nothing is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.diagnosis import cells, template, trials  # noqa: E402
from inplacelab.diagnosis.trials import NotTriedError, Trials, Tried  # noqa: E402
from inplacelab.recording.facts import EditFacts  # noqa: E402

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not template.FORKS, reason="there are templates on Linux only"),
]

TRAINS = """\
import torch
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
opt = torch.optim.SGD(net.parameters(), 0.1)
for step in range(10_000_000):
    h = net(torch.rand(8, 4))
    h += 1
    loss = h.square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""
"""Once its bug is fixed, it would run for hours."""
LATER = TRAINS.replace("    h += 1", "    h = h + 1 if step < 3 else h.add_(1)")
"""It fails in the fourth step."""
BLOCKS = """\
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.skip = nn.Sequential(nn.Linear(4, 4), nn.ReLU()), nn.Linear(4, 4)
    def forward(self, x):
        return self.body(x)

class Down(Block):
    def forward(self, x):
        y = super().forward(x)
        y += self.skip(x)
        return y

class Up(Block):
    def forward(self, x):
        y = super().forward(x)
        y += self.skip(x)
        return y

torch.manual_seed(0)
net = nn.Sequential(Block(), Down(), Block(), Up(), Block())
net(torch.rand(2, 4)).sum().backward()
"""
WAITS = """\
import os, time
import torch
with open({pids!r}, "a") as file:
    file.write(f"{{os.getpid()}}\\n")
if os.fork() == 0:
    with open({pids!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    time.sleep(300)
time.sleep(300)
"""
"""It starts another process, and waits."""


def tried(folder: Path, text: str) -> Tried:
    script = folder / "program.py"
    script.write_text(text)
    trials = Trials(script, [], framework="torch", seconds=60)
    trails, _ = trials.failing()
    return trials.find(trails)


def until(done: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.05)


def is_gone(pid: int) -> bool:
    try:
        return "\nState:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return True


def pids_in(file: Path) -> list[int]:
    return [*map(int, file.read_text().split())] if file.exists() else []


def test_a_program_that_trains_for_hours_has_a_checked_fix(tmp_path: Path) -> None:
    for text in (TRAINS, LATER):
        begun = time.monotonic()
        found = tried(tmp_path, text)
        assert [(each.checked, each.early) for each in found.fixes] == [("gradients", True)]
        assert time.monotonic() - begun < 60


def test_two_writes_out_of_place_are_offered_before_a_copy_in_a_shared_block(tmp_path: Path) -> None:
    (fix,) = tried(tmp_path, BLOCKS).fixes
    assert fix.checked == "gradients"
    assert [(each.line, each.text) for each in sorted(fix.edits)] == [
        (14, "y = y + self.skip(x)"),
        (20, "y = y + self.skip(x)"),
    ]
    assert not fix.early


def test_two_searches_find_the_same(tmp_path: Path) -> None:
    assert tried(tmp_path, BLOCKS) == tried(tmp_path, BLOCKS)


def test_all_trials_start_from_one_template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = list[object]()
    begin = subprocess.Popen.__init__

    def noted(self: subprocess.Popen[bytes], *args: object, **kwargs: object) -> None:
        started.append(args)
        begin(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(subprocess.Popen, "__init__", noted)
    assert tried(tmp_path, BLOCKS).fixes
    assert len(started) == 1


def test_without_a_template_the_same_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "TOGETHER", 300)
    found = tried(tmp_path, TRAINS)
    monkeypatch.setattr(template, "FORKS", False)
    assert tried(tmp_path, TRAINS) == found


def test_nothing_is_left_after_an_interruption(tmp_path: Path) -> None:
    pids, scratch, script = tmp_path / "pids", tmp_path / "scratch", tmp_path / "program" / "program.py"
    scratch.mkdir()
    script.parent.mkdir()
    script.write_text(WAITS.format(pids=str(pids)))
    code = (
        "import sys\nfrom pathlib import Path\nfrom inplacelab.diagnosis.trials import Trials\n"
        "Trials(Path(sys.argv[1]), [], framework='torch', seconds=200).find([])\n"
    )
    environment = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen([sys.executable, "-c", code, str(script)], env=environment, stderr=subprocess.DEVNULL)
    until(lambda: len(pids_in(pids)) == 2)
    process.send_signal(signal.SIGINT)
    process.wait(30)
    until(lambda: all(map(is_gone, pids_in(pids))), 10)
    assert not list(scratch.glob("inplacelab-*"))


def test_nothing_is_left_after_the_search_is_killed(tmp_path: Path) -> None:
    pids, script = tmp_path / "pids", tmp_path / "program" / "program.py"
    script.parent.mkdir()
    script.write_text(WAITS.format(pids=str(pids)))
    code = (
        "import sys\nfrom pathlib import Path\nfrom inplacelab.diagnosis.trials import Trials\n"
        "Trials(Path(sys.argv[1]), [], framework='torch', seconds=200).find([])\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(script)], env={**os.environ, "TMPDIR": str(tmp_path)})
    until(lambda: len(pids_in(pids)) == 2)
    process.kill()
    process.wait()
    until(lambda: all(map(is_gone, pids_in(pids))), 10)


def test_a_search_in_cells_is_canceled_at_once(tmp_path: Path) -> None:
    pids, stop = tmp_path / "pids", Event()
    why = list[NotTriedError]()

    def search() -> None:
        with pytest.raises(NotTriedError) as raised:
            cells.search(WAITS.format(pids=str(pids)), "torch", cells.CellLines(((1, 1, None),)), stop=stop)
        why.append(raised.value)

    thread = Thread(target=search)
    thread.start()
    until(lambda: len(pids_in(pids)) == 2)
    stop.set()
    thread.join(8)  # before it would be killed (`cells.PATIENCE`)
    assert why
    until(lambda: all(map(is_gone, pids_in(pids))), 10)


def test_after_a_crash_of_the_template_trials_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said, kept = template.Template._said, list[int]()

    def crashing(self: template.Template) -> int:
        found = said(self)
        if self._running == 0 and not kept:  # the trial has begun
            kept.append(found)
            assert self._process is not None
            os.kill(self._process.pid, signal.SIGKILL)
        return found

    monkeypatch.setattr(template.Template, "_said", crashing)
    monkeypatch.setattr(trials, "TOGETHER", 300)
    found = tried(tmp_path, TRAINS)
    assert [each.checked for each in found.fixes] == ["gradients"]
    assert kept
    assert all(map(is_gone, kept))


def test_gradients_of_large_parameters_are_compared(tmp_path: Path) -> None:
    program = tmp_path / "large.py"
    program.write_text(
        "import torch\nw = torch.randn(2500, 2000, requires_grad=True)\ny = torch.sigmoid(w @ torch.randn(2000) / 50)\n"
        "y.mul_(2)\ny.sum().backward()\n",
        encoding="utf-8",
    )
    with Trials(program, [], framework="torch", seconds=30) as trials:
        trials.failing()
        meant = trials.run((), reference=True)
        right, wrong = (
            trials.run([EditFacts(4, 0, 5, 0, line, str(program))]) for line in ("y = y * 2\n", "y = y * 3\n")
        )
    assert right.gives(meant)
    assert not wrong.gives(meant)


def test_what_does_not_fail_in_the_copy_is_not_called_checked(tmp_path: Path) -> None:
    program = tmp_path / "healthy.py"
    program.write_text("import torch\ntorch.rand(3, requires_grad=True).sum().backward()\n", encoding="utf-8")
    with pytest.raises(NotTriedError, match="does not fail"):
        Trials(program, [], framework="torch", seconds=60).find(())
