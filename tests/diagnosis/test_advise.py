"""Where a PyTorch program may write in place: modules, and what is tried in processes."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.diagnosis import advise  # noqa: E402
from inplacelab.diagnosis.advise import Advising  # noqa: E402
from inplacelab.diagnosis.trials import Trials  # noqa: E402
from inplacelab.recording.fixes.spots import changed  # noqa: E402
from inplacelab.recording.savings.advice import Advice, advice  # noqa: E402
from tests.recorders.runs import run  # noqa: E402

pytestmark = pytest.mark.oracle

_FIRST = """
import copy
import torch
from torch import nn
"""
_LOOP = """
opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(2):
    loss = net(torch.rand(2, 4, 8, 8)).square().sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
"""


def found_in(text: str, loop: str = _LOOP) -> Advice:
    """Returns where a program may write in place, as far as its recording tells."""
    ran = run(_FIRST + textwrap.dedent(text) + loop, "torch")
    assert ran.failure is None
    return advice(ran.recording, ends=True)


def after(found: Advice) -> str:
    """Returns the text with what is offered."""
    [(_, text)] = changed(found.edits, lambda _: found.recording.source).values()
    return text


def test_modules_of_several_classes_constructed_at_one_place() -> None:
    found = found_in(
        """
        def block(act, **more):
            return nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), act(**more))

        net = nn.Sequential(block(nn.ReLU, inplace=False), block(nn.LeakyReLU), block(nn.Hardswish, inplace=False))
        """
    )
    [site] = found.offered
    assert (site.code, len(site.calls)) == ("act(**more)", 6)
    assert 'act(**{**more, "inplace": True})' in after(found)


def test_one_place_of_which_one_module_must_not_write_in_place() -> None:
    found = found_in(
        """
        def block(act):
            return nn.Sequential(nn.Conv2d(4, 4, 1), act())

        net = nn.Sequential(block(nn.ReLU), block(nn.ReLU6))
        net[1][1].register_forward_hook(lambda module, given, result: result + given[0])
        """
    )
    [site] = [each for each in found.sites if each.code == "act()"]
    assert (site.may, len(site.calls)) == (False, 4)


def test_copy_of_a_module_is_constructed_where_its_original_is() -> None:
    found = found_in(
        """
        first = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU())
        net = nn.Sequential(first, copy.deepcopy(first))
        """
    )
    [site] = found.offered
    assert (site.code, len(site.calls)) == ("nn.ReLU()", 4)


def test_module_that_a_library_constructs_has_no_place() -> None:
    found = found_in("net = nn.TransformerEncoderLayer(8, 2, 8)", _LOOP.replace("2, 4, 8, 8", "2, 4, 8"))
    assert [each.node for each in found.sites if each.op == "dropout"] == [None]


def test_sum_that_overwrites_the_same_operand_with_and_without_gradients() -> None:
    found = found_in(
        """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4))

            def forward(self, x):
                return x + self.net(x)

        net = nn.Sequential(Block(), Block())
        """,
        _LOOP + "with torch.no_grad():\n    out = net(torch.rand(2, 4, 8, 8) + 1)\n",
    )
    [site] = [each for each in found.sites if each.code == "x + self.net(x)"]
    assert (site.may, len(site.calls)) == (True, 6)
    assert "self.net(x).add_(x)" in after(found)


def test_run_that_ends_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advise, "PASSES", 1)
    script = tmp_path / "train.py"
    script.write_text(f"{_FIRST}net = nn.Sequential(nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), nn.ReLU()){_LOOP}")
    found = Advising(Trials(script, [], framework="torch", seconds=120), 120).advice()
    assert [each.code for each in found.offered] == ["nn.ReLU()"]
    assert found.measured is not None
    assert found.measured.early


def test_one_of_many_that_changes_what_is_printed(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    layers = ", ".join(f"nn.Conv2d(4, 4, 1), nn.BatchNorm2d(4), {each}()" for each in ("nn.ReLU", "Shown", "nn.ReLU6"))
    shown = """
show = print  # which no fact tells

class Shown(nn.Module):
    def forward(self, x):
        y = nn.functional.relu(x)
        show(x)
        return y

"""
    script.write_text(f"{_FIRST}{shown}net = nn.Sequential({layers}, nn.Flatten(), nn.Linear(256, 1), nn.Sigmoid()){_LOOP}".replace(
        ".square().sum()", "; loss = nn.functional.binary_cross_entropy(loss, torch.ones(2, 1))",
    ))  # fmt: skip
    found = Advising(Trials(script, [], framework="torch", seconds=120), 120).advice()
    assert found.measured is not None
    assert [each.code for each in found.measured.differing] == ["nn.functional.relu(x)"]
    assert "nn.ReLU()" in [each.code for each in found.offered]
    assert found.measured.seeds == 3
