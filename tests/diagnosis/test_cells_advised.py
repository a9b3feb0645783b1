"""Tests `%advise`: where the last cell may write in place; and what trials of all cells say, in terms of the cells."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.diagnosis.cells import AdvisedCells, advise_last_cell
from inplacelab.ipython import load_ipython_extension
from inplacelab.language import speak
from inplacelab.recording.places import source_label
from inplacelab.recording.recording import Recording

pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
pytestmark = pytest.mark.oracle

IMPORTS = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"
BLOCK = "def block(x):\n    h = F.relu(net[0](x))\n    return F.dropout(net[1](h), 0.2)\n"
TRAINING = """\
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 32), nn.Linear(32, 32))
for k in range(2):
    x = torch.randn(64, 32)
    kept = x * 2
    loss = block(x).sigmoid().mean()
    loss.backward()
"""
OFFERED = {("F.relu(net[0](x))", 2), ("F.dropout(net[1](h), 0.2)", 3), ("block(x).sigmoid()", 6)}


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    load_ipython_extension(made)
    with speak("en"):
        yield made
    InteractiveShell.clear_instance()


def ran(shell: InteractiveShell, *cells: str) -> str:
    with capture_output() as captured:
        for cell in cells:
            shell.run_cell(cell, store_history=True)
    return str(captured.stdout)


def advised(shell: InteractiveShell, *, tries: bool) -> AdvisedCells:
    with capture_output():
        found = advise_last_cell(shell, asks=False, tries=tries)
    assert found is not None
    return found


def test_the_last_cell_is_recorded(shell: InteractiveShell) -> None:
    ran(shell, IMPORTS, BLOCK, TRAINING)
    found = advised(shell, tries=False)
    assert {(each.code, each.line) for each in found.advice.offered} == OFFERED
    assert found.advice.measured is None
    assert not found.diff
    said = ran(shell, "%advise -y")
    assert "block(x).sigmoid()" in said
    assert "not tried" in said.lower()
    assert "`%advise --try` tries it." in said


def cells_of(recording: Recording) -> list[str]:
    return [source_label(recording.sources, number).en for number in range(len(recording.sources))]


def test_all_cells_are_tried_and_named(shell: InteractiveShell) -> None:
    ran(shell, IMPORTS, "1 / 0", BLOCK, TRAINING)
    found = advised(shell, tries=True)
    recording, measured = found.advice.recording, found.advice.measured
    assert {(each.code, each.line) for each in found.advice.offered} == OFFERED
    assert cells_of(recording) == ["cell [1]", "cell [3]", "cell [4]"]
    named = {(each.code, recording.sources[each.source].name) for each in found.advice.sites}
    assert ("F.relu(net[0](x))", "In [3]") in named
    assert ("block(x).sigmoid()", "In [4]") in named
    assert measured is not None
    assert measured.seeds == 3
    places = {
        (each.place.source, each.place.line) for each in recording.steps if each.place is not None and each.op == "relu"
    }
    assert places == {(1, 2)}
    assert [
        each.place.called_from.source
        for each in recording.steps
        if each.op == "relu" and each.place and each.place.called_from
    ] == [2, 2]
    assert "--- In [3]" in found.diff
    assert "+    return F.dropout(net[1](h), 0.2, inplace=True)" in found.diff
    assert "+    loss = block(x).sigmoid_().mean()" in found.diff


def test_cells_that_fail_where_they_are_tried_are_not_tried(shell: InteractiveShell) -> None:
    said = ran(shell, IMPORTS, "x = torch.ones(2)\n1 / 0", "%advise -y --try")
    assert "Nothing was tried:" in said
    assert "ZeroDivisionError" in said


@pytest.mark.parametrize(("answer", "runs"), [("y", True), ("", False)])
def test_it_asks_first(shell: InteractiveShell, answer: str, runs: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builtins.input", lambda _: answer)
    said = ran(shell, IMPORTS, "print('ran')\ny = (torch.ones(4) * 2).relu()", "%advise")
    assert said.count("ran\n") == 1 + runs
    assert ("The cell was not run." in said) is not runs


def test_an_unknown_option(shell: InteractiveShell) -> None:
    said = ran(shell, IMPORTS, "%advise -y --all")
    assert "%advise has no option --all." in said
    assert "Usage: %advise" in said
