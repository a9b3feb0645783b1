"""The search for fixes gives the same in this process and in others, word for word."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplacelab.cli.script import run_script
from inplacelab.diagnosis.trials import NotTriedError, Trials
from inplacelab.recording.fixes import SHOWN, block
from inplacelab.recording.fixes.recorded import trails_of
from tests.recorders.failing_programs import failing_programs
from tests.tiers import choose, sample

ENGINE = "import inplacelab as paddle\nx = paddle.to_tensor([1., 2., 3.], stop_gradient=False)\n"
TORCH = "import inplacelab.torch as torch\nx = torch.tensor([1., 2., 3.], requires_grad=True)\n"
PROGRAMS = {
    "through a view": ENGINE + "h = paddle.nn.functional.sigmoid(x)\nrow = h[:2]\nrow.scale_(2.)\nh.sum().backward()\n",
    "under PyTorch's names": TORCH + "h = torch.sigmoid(x)\nrow = h[:2]\nrow.mul_(2)\nh.sum().backward()\n",
    "+=": TORCH + "h = torch.exp(x)\nh += 1\nh.sum().backward()\n",
    "inplace=True": TORCH
    + "net = torch.nn.Sequential(torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True))\nnet(x).sum().backward()\n",
    "two values": ENGINE + "u = x.exp()\nv = x.tanh()\nu.scale_(2.)\nv.exp_()\n(u * v).sum().backward()\n",
    "a loop": ENGINE
    + "a = x * 2.\ntotal = 0.\nfor k in range(3):\n    total = total + a * a\n    a.add_(x)\ntotal.sum().backward()\n",
    "a second pass": ENGINE + "loss = (x * x).sum()\nloss.backward()\nloss.backward()\n",
    "backward by itself": ENGINE + "a = x * 2.\nloss = (a * a).sum()\na.sin_()\nloss.backward()\n",
    "a step": (
        ENGINE
        + "sgd = paddle.optimizer.SGD(0.1, parameters=[x])\nloss = (x * x).sum()\nloss.backward(retain_graph=True)\n"
        "sgd.step()\nloss.backward()\n"
    ),
    **{f"random {number}": text for number, text in enumerate(failing_programs(7, choose(1, 3, 40)))},
}


@pytest.mark.parametrize("name", sample(PROGRAMS, one_in=choose(5, 3, 1)))
def test_both_give_the_same(name: str, tmp_path: Path) -> None:
    text = PROGRAMS[name]
    script = tmp_path / "program.py"
    script.write_text(text)
    framework = "inplacelab.torch" if "inplacelab.torch" in text else "inplacelab"
    recording, _ = run_script(script, [], title=None, limit=5000, framework=framework)
    error = recording.steps[-1].error
    assert error is not None
    here = [each for each in error.fixes if each.edits]
    assert here
    trials = Trials(script, [], framework=framework, seconds=60)
    if not any(each.checked for each in here):  # with copies, too, the program fails
        with pytest.raises(NotTriedError):
            trials.find(trails_of(recording, str(script)))
        return
    found = trials.find(trails_of(recording, str(script)), enough=SHOWN).fixes
    assert [str(each) for each in block(found)] == [str(each) for each in block(here)]
    assert [each.says.zh for each in found] == [each.says.zh for each in here]
