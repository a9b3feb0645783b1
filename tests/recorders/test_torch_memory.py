"""Tests that PyTorch takes and frees the memory of tensors as in the unrecorded run: as much, in the same order, with the same peak."""

from __future__ import annotations

import gc
import textwrap
import weakref
from collections.abc import Callable
from itertools import accumulate

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from torch.profiler import ProfilerActivity, profile  # noqa: E402  # they need PyTorch

from tests.recorders.torch_runs import plain, run  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

TRAINING = """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.LayerNorm(32), torch.nn.GELU(), torch.nn.Dropout(0.1), torch.nn.Linear(32, 8))
opt = torch.optim.Adam(net.parameters())
data, goal = torch.randn(16, 8), torch.randn(16, 8)
for k in range(2):
    opt.zero_grad()
    loss = torch.nn.functional.mse_loss(net(data), goal)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    opt.step()
"""
STEPS = """
torch.manual_seed(0)
net = torch.nn.Sequential(*[torch.nn.Linear(4, 4) for _ in range(10)])
opts = torch.optim.AdamW(net.parameters()), torch.optim.SGD(net.parameters(), momentum=0.9, foreach=True)
for k in range(4):
    net(torch.ones(1, 4)).sum().backward()
    opts[k // 2].step()
    opts[k // 2].zero_grad()
"""
RECURRENT = """
torch.manual_seed(0)
rnn, h = torch.nn.GRU(4, 8), None
for k in range(3):
    out, h = rnn(torch.randn(5, 2, 4), h)
    h = h.detach()
    out.pow(2).mean().backward()
"""
FUNCTIONS = """
def forward(x, w):
    h = torch.relu(x @ w)
    h[:2].mul_(2)
    return h.sum()
w = torch.ones(8, 32, requires_grad=True)
for k in range(2):
    loss = forward(torch.ones(16, 8), w)
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad = None
"""
PASSES = """
from torch.utils.checkpoint import checkpoint
kept = []
def hook(g):
    kept.append(g * 2)
    return g + 1
x = torch.ones(100, requires_grad=True)
for k in range(2):
    y = x.exp()
    y.register_hook(hook)
    y.retain_grad()
    s = (y * y).sum()
    s.backward(retain_graph=True)
    s.backward()
    del y, s
    kept.clear()
    try:
        z = x.exp()
        z.add_(1)
        z.sum().backward()
    except RuntimeError:
        z = None
checkpoint(lambda t: (t.exp() * 2).sin(), x, use_reentrant=False).sum().backward()
g, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
g.sum().backward()
"""


@pytest.mark.parametrize(
    "text",
    [TRAINING, STEPS, RECURRENT, FUNCTIONS, PASSES],
    ids=["training", "steps", "recurrent", "functions", "passes"],
)
def test_memory_is_taken_and_freed_in_the_same_order(text: str) -> None:
    text = textwrap.dedent(text)
    plain(text)  # what PyTorch allocates once
    expected, found = _taken_and_freed(lambda: plain(text)), _taken_and_freed(lambda: run(text))
    assert max(accumulate(expected)) > 0
    assert found == expected


def _taken_and_freed(do: Callable[[], object]) -> list[int]:
    """The sizes of what is allocated, in order; negative where it is freed."""
    gc.collect()
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as profiler:
        kept = do()
    events = [each for each in profiler.profiler.kineto_results.events() if each.name() == "[memory]"]
    del kept
    return [each.nbytes() for each in sorted(events, key=lambda each: each.start_ns())]


def test_what_is_freed_between_two_operations_of_a_statement_is_not_in_the_peak() -> None:
    text = "x = torch.ones(100)\nw = torch.ones(10, 100)\nb = torch.nn.functional.linear(torch.relu(x * 2), w).sum()\n"
    recording = run(text).recording
    [start] = [step.live for step in recording.steps if step.place and step.place.line == 2 and step.op]
    # `x * 2` and its relu: the former is gone when `linear` allocates 40 bytes.
    assert recording.steps[-1].peak == start + 2 * 400


def test_what_a_call_was_given_is_freed_when_it_has_ended() -> None:
    freed: list[bool] = []
    seen: list[bool] = []

    def noted(tensor: object) -> object:
        weakref.finalize(tensor, freed.append, True)
        return tensor

    gc.disable()  # which would free it later
    try:
        run("x = torch.roll(noted(torch.ones(8)), 1)\nseen.extend(freed)\n", noted=noted, freed=freed, seen=seen)
    finally:
        gc.enable()
    assert seen == [True]


def test_what_tells_how_results_depend_on_operands_keeps_none_of_them() -> None:
    text = "x = torch.ones(1000)\ny = torch.flip(x, (0,))\nz = torch.fft.fft(y[:4])\ndel x, y, z\nn = torch.zeros(1)"
    gc.disable()
    try:
        recording = run(text).recording
    finally:
        gc.enable()
    assert recording.steps[-1].live == 4
