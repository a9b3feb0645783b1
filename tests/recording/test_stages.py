"""The stage of each statement: forward, backward, or an update of what is trained, also where the program makes it by hand."""

from __future__ import annotations

import pytest

import inplacelab
from inplacelab.recording import Recording
from inplacelab.recording.relations import stages
from inplacelab.recording.source_tree import line_text
from inplacelab.recording.statements import by_statement, statements
from tests.recorders import runs

SETUP = """\
import copy
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
x = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
"""
PASS = "net(x).pow(2).sum().backward()\n"

TORCH = {
    # An optimizer of the program: the velocity is written without the parameter.
    "own optimizer": """\
class Ball:
    def __init__(self, params):
        self.params = list(params)
        self.velocity = [torch.zeros(p.shape) for p in self.params]
    @torch.no_grad()
    def step(self):
        for p, v in zip(self.params, self.velocity):
            v.mul_(0.9)  # update
            v.add_(p.grad)  # update
            rate = v * 0.1  # update
            p.sub_(rate)  # update
opt = Ball(net.parameters())
for epoch in range(2):
    loss = net(x).pow(2).sum()  # forward
    loss.backward()
    opt.step()
    print(loss.item())  # forward
""",
    "merged adapter": """\
for p in net[0].parameters():
    p.requires_grad_(False)
up, down = nn.Parameter(torch.ones(2, 1)), nn.Parameter(torch.ones(1, 2))
(net(x) + x @ up @ down).sum().backward()
with torch.no_grad():
    net[0].weight += up @ down * 0.5  # update
""",
    "frozen weight set to a constant": "net[0].requires_grad_(False)\n"
    + PASS
    + "with torch.no_grad():\n    net[0].weight[0] = 0  # update\n",
    "through data": "def reset():\n    net[0].weight.data[0] = 0  # forward, update\nreset()\n" + PASS + "reset()\n",
    "through detach": PASS + "net[0].weight.detach().clamp_(-1, 1)  # update\n",
    "average of weights": """\
shadow = [p.detach().clone() for p in net.parameters()]
for epoch in range(2):
    net(x).pow(2).sum().backward()
    with torch.no_grad():
        for s, p in zip(shadow, net.parameters()):
            s.mul_(0.9).add_(p, alpha=0.1)  # update
""",
    "copied model": """\
ema = copy.deepcopy(net).requires_grad_(False)
net(x).pow(2).sum().backward()
with torch.no_grad():
    for s, p in zip(ema.parameters(), net.parameters()):
        s.lerp_(p, 0.1)  # update
    for s, b in zip(ema.buffers(), net.buffers()):
        s.copy_(b)  # update
""",
    # What only computes.
    "running statistics": PASS + "out = net(x)  # forward\n",
    "own running statistics": """\
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(2))
        self.mean = torch.zeros(2)
        self.largest = torch.zeros(2)
    def forward(self, x):
        with torch.no_grad():
            self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)  # forward
            self.largest.copy_(self.scale)  # forward
        return self.scale * (x - self.mean)  # forward
norm = Norm()
norm(x).sum().backward()
norm(x).sum().backward()
""",
    "evaluation": """\
scores = torch.zeros(2, 2)
def evaluate():
    net.eval()
    with torch.no_grad():
        out = net(x)  # forward
        out.relu_()  # forward
        scores.copy_(out)  # forward
    net.train()
"""
    + PASS
    + "evaluate()\n",
    "swapped weights": """\
kept = net[0].weight.detach().clone()
def evaluate():
    with torch.no_grad():
        net[0].weight.copy_(kept)  # update
        out = net(x)  # forward
"""
    + PASS
    + "evaluate()\n",
    "initialization": "nn.init.kaiming_uniform_(net[0].weight)  # forward\n" + PASS,
    "later model": PASS
    + "head = nn.Linear(2, 1)  # forward\nnn.init.zeros_(head.weight)  # forward\nhead(x).sum().backward()\n",
    "augmentation": "for epoch in range(2):\n    x.mul_(2).add_(torch.rand(2, 2))  # forward\n    net(x).sum().backward()\n",
    "whole step in a function": """\
def train():
    loss = net(x).pow(2).sum()  # forward
    loss.backward()
    with torch.no_grad():
        for p in net.parameters():
            p -= 0.1 * p.grad  # update
            p.grad = None  # update
for epoch in range(2):
    train()
""",
}

PADDLE = """\
w = paddle.to_tensor([1., 2.], stop_gradient=False)
frozen = paddle.to_tensor([1., 2.])
velocity = paddle.zeros([2])
mean = paddle.zeros([2])
x = paddle.to_tensor([[1., 2.], [3., 4.]])
def step():
    with paddle.no_grad():
        velocity.scale_(0.9)  # update
        velocity.add_(w.grad)  # update
        w.subtract_(velocity * 0.1)  # update
for epoch in range(2):
    x.scale_(0.5)  # forward
    mean.add_(x.mean(0))  # forward
    (w * x).sum().backward()
    step()
    frozen.add_(w.detach())  # update
    w.detach().clip_(-1., 1.)  # update
    w.clear_grad()  # update
"""


def _wrong(recording: Recording) -> list[str]:
    """The statements whose stage is not one of those that their line says; each line that says some must have run with all of them."""
    wrong: list[str] = []
    missing: dict[str, set[str]] = {}
    found, joined = stages(recording), stages(by_statement(recording))
    for number, run in enumerate(statements(recording)):
        line = line_text(recording, recording.steps[run.start].place)
        _, marked, said = line.partition("  # ")
        expected = set(said.split(", ")) if marked else set()
        events = {found[index] for index in run}
        if "backward" not in events and events != {joined[number]}:
            wrong.append(f"{line}: {joined[number]}, but its events {events}")
        if expected:
            missing.setdefault(line, expected).discard(joined[number])
            if joined[number] not in said.split(", "):
                wrong.append(f"{line}: {joined[number]}")
    assert missing, "no line says its stage"
    return wrong + [f"{line}: never {left}" for line, left in missing.items() if left]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", TORCH)
def test_the_stage_of_statements(name: str) -> None:
    pytest.importorskip("torch")
    ran = runs.run(SETUP + TORCH[name], framework="torch")
    assert ran.failure is None
    assert _wrong(ran.recording) == []


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_the_stage_of_statements_in_paddle() -> None:
    pytest.importorskip("paddle")
    ran = runs.run("import paddle\n" + PADDLE, framework="paddle")
    assert ran.failure is None
    assert _wrong(ran.recording) == []


def test_the_stage_of_statements_of_the_engine() -> None:
    ran = runs.run(PADDLE, framework="inplacelab", paddle=inplacelab)
    assert ran.failure is None
    assert _wrong(ran.recording) == []
