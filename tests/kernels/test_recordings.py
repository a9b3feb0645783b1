"""The script that records launches on a real GPU, run on the simulated one."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

from inplacelab.recording import load
from inplacelab_widgets import KernelView

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "record_gpu.py"


@pytest.fixture
def main() -> Callable[[list[str]], int]:
    run: Callable[[list[str]], int] = runpy.run_path(str(SCRIPT))["main"]
    return run


@pytest.mark.standard
@pytest.mark.usefixtures("compiler")
def test_what_is_recorded_can_be_looked_at_elsewhere(main: Callable[[list[str]], int], tmp_path: Path) -> None:
    assert main([str(tmp_path), "--simulate"]) == 0
    about = json.loads((tmp_path / "about.json").read_text(encoding="utf-8"))
    assert about["command"] == f"python benchmarks/record_gpu.py {tmp_path} --simulate"
    assert about["machine"]["device"] == "simulated"
    assert {path.stem for path in tmp_path.glob("*.json")} == {"about", *about["recordings"]}
    for name, listed in about["recordings"].items():
        recording = load(tmp_path / f"{name}.json")
        seen = [launch for step in recording.steps for launch in step.launches]
        assert [(each.kernel, list(each.grid)) for each in seen] == [(each["kernel"], each["grid"]) for each in listed]
        assert seen[0].kernel in KernelView(recording).to_svg()
    launched = [(each["kernel"], each["width"]) for each in about["recordings"]["views"]]
    assert launched == [("fill_", 4), ("relu_", 4), ("relu_", 1), ("relu_", 1), ("relu_", 4)]


@pytest.mark.standard
def test_without_a_gpu_nothing_is_written(
    main: Callable[[list[str]], int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("inplacelab.backends.cuda.missing", lambda: lambda: "There is no GPU.")
    assert main([str(tmp_path / "new")]) == 1
    assert capsys.readouterr().out == "There is no GPU.\n"
    assert not (tmp_path / "new").exists()
