"""Says what an entry of the zoo is: a published architecture, and the program that trains or runs it on tiny inputs."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass

BEGIN = """\
import random
import time
import warnings

import numpy
import torch
from torch import nn
from torch.nn import functional as F

torch.set_num_threads(1)
random.seed(0)
numpy.random.seed(0)
torch.manual_seed(0)
clock = []
"""
"""How every program begins. `clock` has the time at which each step began, and the last one ended."""


@dataclass(frozen=True)
class Entry:
    """A published architecture, built from its configuration without weights, on tiny inputs.

    Attributes:
        name: its name, which no other entry has: "timm resnet10t".
        package: what is imported for it: "timm".
        family: "convolutional", "residual", "dense", "attention", "state-space", "recurrent", "detection", "segmentation", "diffusion",
            "graph", "gan", "vae", "reinforcement", ...
        setup: lines that import the package, construct `model` and its inputs.
        loss: an expression for the loss of one step, or lines that compute `loss`; without training, for `output`.
        optimizer: an expression.
        train: whether it is trained; else it is evaluated without gradients.
        autocast: whether the loss is computed under `torch.autocast` with bfloat16.
        compiled: whether the model is compiled. The back end is the one that needs no compiler for C++.
        steps: how many steps.
        program: lines that stand for all of that, from the setup on: of a pair of networks, or of an agent. They append `time.process_time()`
            to `clock` when a step begins, and when the last one has ended.
    """

    name: str
    package: str
    family: str
    setup: str = ""
    loss: str = ""
    optimizer: str = "torch.optim.SGD(model.parameters(), lr=0.01)"
    train: bool = True
    autocast: bool = False
    compiled: bool = False
    steps: int = 2
    program: str = ""

    def program_text(self, planted: str = "") -> str:
        """Returns its program.

        Args:
            planted: lines that stand before the setup.
        """
        return f"{BEGIN}{_lines(planted)}{_lines(self.program) or self._trained_or_run()}"

    def _trained_or_run(self) -> str:
        compiled = 'model = torch.compile(model, backend="aot_eager")\n' if self.compiled else ""
        begin = f"{_lines(self.setup)}{compiled}model.{'train' if self.train else 'eval'}()\n"
        loop = f"for step in range({self.steps}):\n    clock.append(time.process_time())\n"
        end = "clock.append(time.process_time())\n"
        if not self.train:
            computed = _indented(self._cast(f"with torch.no_grad():\n{_indented(_assigned('output', self.loss))}"))
            return f"{begin}{loop}{computed}{end}"
        computed = _indented(self._cast(_assigned("loss", self.loss)))
        rest = "    loss.backward()\n    optimizer.step()\n    print(step, loss.item())\n"
        return f"{begin}optimizer = {self.optimizer}\n{loop}    optimizer.zero_grad()\n{computed}{rest}{end}"

    def _cast(self, lines: str) -> str:
        return f'with torch.autocast("cpu", dtype=torch.bfloat16):\n{_indented(lines)}' if self.autocast else lines


def _lines(text: str) -> str:
    """Returns lines without a common margin, the last with an end."""
    dedented = textwrap.dedent(text).strip("\n")
    return f"{dedented}\n" if dedented else ""


def _indented(lines: str) -> str:
    return textwrap.indent(lines, "    ")


def _assigned(name: str, text: str) -> str:
    """Returns lines that bind a name: the text, or an assignment if it is an expression."""
    lines = _lines(text)
    try:
        ast.parse(lines.strip(), mode="eval")
    except SyntaxError:
        return lines
    return f"{name} = {lines}"
