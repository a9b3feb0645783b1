"""A program whose gradients are right gets one line, whatever its optimizer or its normalization writes without a new version."""

from __future__ import annotations

import linecache
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from inplacelab.language import speak

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

PADDLE = "import paddle\nfrom paddle import nn\nimport paddle.nn.functional as F\npaddle.seed(0)\n"
TORCH = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
OWN = "import inplacelab as paddle\nfrom inplacelab import nn\nimport inplacelab.nn.functional as F\npaddle.seed(0)\n"

NET = "net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))\n"
LOOP = "for step in range(3):\n    loss = (net(paddle.rand([5, 3])) - 1).square().mean()\n    loss.backward()\n    opt.step()\n    opt.clear_grad()\n"
TORCH_LOOP = "for step in range(3):\n    opt.zero_grad()\n    (net(torch.rand(5, 3)) - 1).square().mean().backward()\n    opt.step()\n"
TWICE = (
    "bn = nn.{norm}(3)\nhead = nn.Linear(3, 1)\nfor step in range(2):\n    one, two = head(bn({rand})), head(bn({rand}))\n"
    "    (one * two).sum().backward()\n"
)
GAN = (
    "gen, disc = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1))\n"
    "opt_d, opt_g = (paddle.optimizer.Adam(0.1, parameters=each.parameters()) for each in (disc, gen))\n"
    "for step in range(2):\n"
    "    fake = gen(paddle.rand([5, 2]))\n"
    "    (disc(fake.detach()).mean() - disc(paddle.rand([5, 3])).mean()).backward()\n"
    "    opt_d.step()\n    opt_d.clear_grad()\n"
    "    (-disc(fake).mean()).backward()\n"
    "    opt_g.step()\n    opt_g.clear_grad()\n    opt_d.clear_grad()\n"
)
STEP_AFTER_FORWARD = (
    "lin = nn.Linear(3, 1)\nopt = paddle.optimizer.SGD(0.1, parameters=lin.parameters())\nx = paddle.rand([5, 3])\n"
    "one, two = lin(x).mean(), lin(x).square().mean()\none.backward()\nopt.step()\nopt.clear_grad()\ntwo.backward()\n"
)
"""The layer's weight is overwritten, but only the gradient of its input would be computed from it."""

HEALTHY = {
    "paddle: Adam": ("paddle", PADDLE + NET + "opt = paddle.optimizer.Adam(0.1, parameters=net.parameters())\n" + LOOP),
    "paddle: Momentum and BatchNorm": (
        "paddle",
        PADDLE + "net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1D(4), nn.Linear(4, 1))\n"
        "opt = paddle.optimizer.Momentum(0.1, parameters=net.parameters())\n" + LOOP,
    ),
    "paddle: BatchNorm twice": ("paddle", PADDLE + TWICE.format(norm="BatchNorm1D", rand="paddle.rand([5, 3])")),
    "paddle: GAN": ("paddle", PADDLE + GAN),
    "paddle: a step that no gradient needs": ("paddle", PADDLE + STEP_AFTER_FORWARD),
    "paddle: a moving average by set_value": (
        "paddle",
        PADDLE + NET + "mean = [each.clone().detach() for each in net.parameters()]\n"
        "opt = paddle.optimizer.AdamW(0.1, parameters=net.parameters())\n" + LOOP
        + "    for one, each in zip(mean, net.parameters()):\n        one.set_value(one * 0.9 + each.detach() * 0.1)\n",
    ),
    "torch: fused Adam": ("torch", TORCH + NET + "opt = torch.optim.Adam(net.parameters(), 0.1, fused=True)\n" + TORCH_LOOP),
    "torch: BatchNorm twice": ("torch", TORCH + TWICE.format(norm="BatchNorm1d", rand="torch.rand(5, 3)")),
    "torch: the weights are clipped after the step": (
        "torch",
        TORCH + NET + "opt = torch.optim.SGD(net.parameters(), 0.1)\n" + TORCH_LOOP
        + "    for each in net.parameters():\n        each.data.clamp_(-0.1, 0.1)\n",
    ),
    "torch: a write that no gradient needs": (
        "torch", TORCH + "lin = nn.Linear(3, 1)\nloss = lin(torch.rand(5, 3)).square().mean()\nlin.weight.data.mul_(2)\nloss.backward()\n",
    ),
    "own engine: Adam": ("inplacelab", OWN + NET + "opt = paddle.optimizer.Adam(0.1, parameters=net.parameters())\n" + LOOP),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name, (framework, _) in HEALTHY.items() if framework != "inplacelab"])
def test_a_healthy_program_gets_one_line_in_the_block(name: str, tmp_path: Path) -> None:
    framework, program = HEALTHY[name]
    pytest.importorskip(framework)
    file = tmp_path / "program.py"
    file.write_text(
        f"import inplacelab\nwith inplacelab.explain({framework!r}) as seen:\n{textwrap.indent(program, '    ')}"
    )
    linecache.checkcache(str(file))
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(file.read_text(), str(file), "exec"), names)
    for language in ("en", "zh"):
        with speak(language):
            said = str(names["seen"])
            assert len(said.splitlines()) == 1, said
    assert not names["seen"].failures


@pytest.mark.parametrize("name", ["paddle: GAN", "torch: fused Adam", "own engine: Adam"])
def test_a_healthy_program_gets_one_line_of_the_command(name: str, tmp_path: Path) -> None:
    framework, program = HEALTHY[name]
    pytest.importorskip(framework)
    file = tmp_path / "program.py"
    file.write_text(program)
    command = [sys.executable, "-W", "ignore", "-m", "inplacelab", "explain", str(file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert len([line for line in done.stderr.splitlines() if line]) == 1, done.stderr
