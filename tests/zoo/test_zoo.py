"""Tests the zoo itself, on tiny models and with recorders that are broken on purpose: each kind of fault is found."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.zoo import __main__ as zoo
from tests.zoo.entries import ENTRIES
from tests.zoo.entry import Entry

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.frameworks.torch.recorder import TorchRecorder  # noqa: E402  # they need PyTorch
from inplacelab.frameworks.torch.storages import TorchStorages  # noqa: E402
from inplacelab.frameworks.torch.watch import TorchWatch  # noqa: E402
from inplacelab.recorders.snapshots import Whole  # noqa: E402
from tests.zoo import planting, running, trial  # noqa: E402
from tests.zoo.forking import ChildError, forked  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]  # of processes with threads that fork

SETUP = """
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear, self.norm, self.act = nn.Linear(width, width), nn.LayerNorm(width), nn.Sigmoid()

    def forward(self, x):
        y = self.norm(self.linear(x))
        y += x
        return self.act(y)

model = nn.Sequential(nn.Linear(4, 8), Block(8), nn.Dropout(0.1), nn.Linear(8, 3))
x, y = torch.randn(2, 4), torch.tensor([0, 2])
"""
TINY = Entry("tiny", "torch", "residual", SETUP, "F.cross_entropy(model(x), y)")
RECURRENT = Entry(
    "tiny recurrent", "torch", "recurrent",
    "model = nn.GRU(3, 4, batch_first=True)\nx = torch.randn(2, 5, 3)\n",
    "out, _ = model(x)\nloss = out[:, -1].pow(2).mean()", "torch.optim.Adam(model.parameters(), fused=True)",
)  # fmt: skip
VIEWED = Entry(
    "tiny evaluated", "torch", "convolutional",
    "model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True))\nx = torch.randn(1, 3, 8, 8)\n", "model(x)", train=False,
)  # fmt: skip
PAIR = Entry(
    "tiny pair", "torch", "gan",
    program="""
    maker, judge = nn.Linear(2, 3), nn.Linear(3, 1)
    optimizers = [torch.optim.SGD(each.parameters(), lr=0.1) for each in (maker, judge)]
    for step in range(2):
        clock.append(time.process_time())
        made = maker(torch.randn(4, 2))
        for sign, optimizer in zip((1, -1), optimizers):
            optimizer.zero_grad()
            loss = F.softplus(sign * judge(made)).mean()
            loss.backward(retain_graph=True)
        for optimizer in optimizers:
            optimizer.step()
        print(loss.item())
    clock.append(time.process_time())
    """,
)  # fmt: skip
CAST = Entry("tiny cast", "torch", "residual", SETUP, "F.cross_entropy(model(x), y)", autocast=True)


@pytest.fixture(autouse=True, scope="module")
def _imported() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(zoo.BUILD.parents[1])
        trial.import_for([TINY])
        yield


@pytest.mark.parametrize("entry", [TINY, RECURRENT, VIEWED, PAIR, CAST], ids=lambda each: each.name)
def test_nothing_is_found_where_nothing_is_wrong(entry: Entry, tmp_path: Path) -> None:
    found = trial.tried(entry, tmp_path)
    assert found["faults"] == []
    replayed = found["replayed"]
    assert replayed["replayed"] > replayed["steps"] / 2
    assert replayed["replayed"] + sum(replayed["left_out"].values()) == replayed["steps"]
    assert (found["compared"] > 5, found["recorded"]["events"] > 20) == (True, True)
    memory = replayed["memory"]  # inside `autocast` PyTorch keeps copies of weights, which no function returns
    assert (memory["statements"] > 10, memory["differing"] > 0) == (True, entry.autocast)
    assert ("planted" in found, replayed["gradients"] > 0) == (entry.train, entry.train)
    json.dumps(found)


def test_a_planted_write_is_found(tmp_path: Path) -> None:
    planted = planting.planted(TINY, tmp_path)
    assert (planted.fails, planted.found, planted.said) == (True, True, "")


def faults(ways: str, entry: Entry = TINY) -> Callable[[Path], list[str]]:
    """Returns what finds the faults of some ways to run an entry."""

    def found(folder: Path) -> list[str]:
        said = trial.tried(entry, folder, ways=ways.split())
        return [*said["faults"], *(["memory"] if said.get("replayed", {}).get("memory", {}).get("differing") else [])]

    return found


def draws(self: Any, *_: Any) -> None:
    torch.rand(1)


def before(patched: pytest.MonkeyPatch, kind: type, name: str, do: Callable[..., Any]) -> None:
    """Has something done before each call of a method."""
    method = getattr(kind, name)

    def both(self: Any, *args: Any, **kwargs: Any) -> Any:
        do(self, *args)
        return method(self, *args, **kwargs)

    patched.setattr(kind, name, both)


@pytest.mark.parametrize(("way", "kind"), [("recorded", TorchRecorder), ("explained", TorchWatch)])
def test_drawing_a_random_number_is_a_fault(
    way: str, kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before(monkeypatch, kind, "called", draws)
    assert any(each.startswith(f"{way}: differs: ") for each in faults(way)(tmp_path))


@pytest.mark.parametrize(
    ("does", "named"),
    [
        (lambda *_: sys.stdout.write("recording"), "what it prints"),
        (lambda *_: __import__("warnings").warn("recording", stacklevel=1), "warnings"),
        (lambda recorder, *_: recorder.tensors_raised(), "AttributeError"),
    ],
    ids=["printing", "warning", "raising"],
)
def test_what_is_seen_of_a_recorder_is_a_fault(
    does: Callable[..., Any], named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before(monkeypatch, TorchRecorder, "called", does)
    assert any(named in each for each in faults("recorded")(tmp_path))


def test_a_wrong_value_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = TorchStorages._copy

    def wrong(self: Any, known: Any, slots: Any = None) -> Any:
        found = copy(self, known, slots)
        if known.bytes == 64 and isinstance(found, Whole):
            found.data = bytes(len(found.data))
        return found

    monkeypatch.setattr(TorchStorages, "_copy", wrong)
    assert any("gives other values" in each or "leaves other values" in each for each in faults("replayed")(tmp_path))


def test_a_write_that_is_left_out_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = TorchRecorder._report_write

    def without_sums(self: Any, call: Any, *args: Any, **kwargs: Any) -> None:
        if call.kind.name != "add_":
            report(self, call, *args, **kwargs)

    monkeypatch.setattr(TorchRecorder, "_report_write", without_sums)
    assert "replayed: add_ wrote, and is no step" in faults("replayed")(tmp_path)


def test_a_wrong_version_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrote = TorchStorages.wrote

    def twice(self: Any, known: Any, tensor: Any, slots: Any, *, version: int | None = None) -> None:
        wrote(self, known, tensor, slots, version=known.counter.version + 2)

    monkeypatch.setattr(TorchStorages, "wrote", twice)
    assert any("raises a version" in each for each in faults("replayed")(tmp_path))


def test_wrong_live_bytes_are_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = TorchStorages._count

    def more(self: Any, storage: Any, by: int) -> None:
        count(self, storage, by + 4 * (by > 0))

    monkeypatch.setattr(TorchStorages, "_count", more)
    assert "memory" in faults("replayed")(tmp_path)


def test_a_gradient_that_is_not_shown_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inplacelab.recorders import builder_facts  # noqa: PLC0415

    monkeypatch.setattr(builder_facts.Objects, "gradient_set", lambda *_: None)
    assert any("gradients of" in each for each in faults("replayed")(tmp_path))


def test_a_line_that_is_not_named_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "explained", lambda path: (running.plain(path), running.Explained([], [], 0)))
    planted = planting.planted(TINY, tmp_path)
    assert (planted.fails, planted.found) == (True, False)


def test_a_child_that_raises_ends_or_hangs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ChildError, match="ZeroDivisionError"):
        forked(lambda: 1 // 0, tmp_path)
    with pytest.raises(ChildError, match="ended with 3"):
        forked(lambda: __import__("os")._exit(3), tmp_path)
    with pytest.raises(ChildError, match="took more than"):
        forked(lambda: __import__("time").sleep(60), tmp_path, seconds=0.1)


def test_each_entry_is_a_program_with_a_name_of_its_own() -> None:
    assert len({zoo.file_of(each, Path()) for each in ENTRIES}) == len(ENTRIES) >= 150
    for each in ENTRIES:
        text = each.program_text()
        ast.parse(text)
        assert text.count("clock.append") >= 2, each.name
        assert each.package in text, each.name
