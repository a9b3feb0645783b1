"""`explain --check`: the gradients of PyTorch programs are compared with those of the engine, and with finite differences of the loss."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.cli.script import parsed_script, running
from inplacelab.diagnosis.recorded_failures import unnoticed
from inplacelab.diagnosis.report import report
from inplacelab.diagnosis.trial_run import Asked
from inplacelab.frameworks.torch import trial  # it imports PyTorch
from inplacelab.recorders.detection import framework_of_script
from inplacelab.recorders.main_module import Main, main_module
from inplacelab.recorders.part import Part
from inplacelab.recorders.trial_data import Slope, is_slope
from inplacelab.recorders.trial_end import End
from tests.diagnosis.test_report_document import strict

pytestmark = pytest.mark.oracle

HEAD = "import torch\na = torch.tensor([1.0, 2.0], requires_grad=True)\n"
DATA = HEAD + "b = a * 2\nloss = (b * b).sum()\nb.data.mul_(3)\nloss.backward()\n"


def slopes(folder: Path, text: str) -> dict[str, Slope]:
    """Returns finite differences of the loss of the first pass of a program."""
    main = Main(folder / "train.py")
    main.path.write_text(text)
    with main_module(main, []) as module:
        asked = Asked(end=End(passes=1), elements={}, seconds=60.0)
        return dict(trial.run(main, text, vars(module), asked).slopes_at)


@pytest.mark.parametrize(
    ("body", "right"),
    [
        pytest.param("(a * a).sum().backward()\n", {"a": True}, id="healthy"),
        pytest.param("w = torch.empty(2)\nw.data.fill_(3)\n(a * w.requires_grad_()).sum().backward()\n", {"a": True, "w": True}, id="initialised"),
        pytest.param("b = a * 2\nloss = (b * b).sum()\nloss.item()\nb.data.mul_(3)\nloss.backward()\n", {"a": False}, id="written after the loss"),
        pytest.param("x = (a * a).sum()\n(x * x.item()).backward()\n", {"a": True}, id="number read"),
        pytest.param("b = a * 2\n(b * b.detach()).sum().backward()\n", {}, id="detached"),
        pytest.param("b = a * 2\nb.data.mul_(3)\n(b * b).sum().backward()\n", {}, id="written before it is read"),
        pytest.param("b = a * 2\nc = torch.from_numpy(b.detach().numpy() + 1)\n(b * c).sum().backward()\n", {}, id="through NumPy"),
        pytest.param("b = a * 2\nb.register_hook(lambda g: g * 2)\nb.sum().backward()\n", {}, id="hook"),
        pytest.param(
            "c = torch.ones(2, requires_grad=True)\nc.register_hook(lambda g: g * 2)\n(a * c).sum().backward()\n", {"a": True}, id="hook of a leaf",
        ),
        pytest.param("torch.seed()\n(a * torch.rand(2)).sum().backward()\n", {}, id="another loss each time"),
        pytest.param(
            "class F(torch.autograd.Function):\n    def forward(ctx, x):\n        ctx.x = x.detach()\n        return x * x\n\n"
            "    def backward(ctx, g):\n        return g * 2 * ctx.x\n\nb = a * 1\nc = F.apply(b)\nb.mul_(5)\nc.sum().backward()\n",
            {"a": False}, id="custom function",
        ),
    ],
)  # fmt: skip
def test_finite_differences_of_the_loss(body: str, right: dict[str, bool], tmp_path: Path) -> None:
    found = slopes(tmp_path, HEAD + body)
    assert {name: is_slope(each.gradient, each.slope) for name, each in found.items()} == right


def checked(folder: Path, text: str, *options: str) -> subprocess.CompletedProcess[str]:
    (folder / "train.py").write_text(text)
    command = [sys.executable, "-m", "inplacelab", "explain", "--check", *options, "train.py"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_a_write_that_the_version_check_does_not_see(tmp_path: Path) -> None:
    ran = checked(tmp_path, DATA, "-o", "report.json")
    document = json.loads((tmp_path / "report.json").read_text())
    strict().validate(document)
    (failure,) = document["failures"]
    (gradient,) = failure["gradients"]
    assert (ran.returncode, gradient["found"], gradient["expected"], gradient["finite_difference"]) == (
        0, "[24, 48]", "[8, 16]", "16",
    )  # fmt: skip
    assert "5 | b.data.mul_(3)\n      | ~~~~~~~~~~~~~~ overwritten by `mul_`" in ran.stderr


def test_a_check_and_aliases_are_refused_together(tmp_path: Path) -> None:
    ran = checked(tmp_path, DATA, "--aliases")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "--check records the program, and --aliases watches it" in ran.stderr


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("b = a.exp()\nx = b.detach().numpy()\nc = b.sum()\nx += 1\nc.backward()\n", "x += 1"),
        ("x = numpy.ones(2, 'f')\nc = (a * torch.from_numpy(x)).sum()\nx[:] = 3\nc.backward()\n", "x[:] = 3"),
    ],
)
def test_a_write_by_numpy_has_its_line(body: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import numpy\n" + HEAD + body)
    tree = parsed_script(tmp_path / "train.py")[1]
    use = framework_of_script(Main(tmp_path / "train.py"), tree)
    with running(Main(tmp_path / "train.py"), [], title=None, part=Part(5000), use=use, judged=True) as ran:
        assert ran.recording is not None
        (found,) = unnoticed(ran.recording, str(tmp_path / "train.py"), ran.judgment)
    said = report(found)
    assert f"{line}\n" in said
    assert "overwritten by `numpy`, which raises no version here" in said
