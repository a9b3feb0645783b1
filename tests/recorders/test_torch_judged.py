"""PyTorch programs whose gradients are compared with those of the engine: right ones show no difference, silently wrong ones do."""

from __future__ import annotations

import linecache
import warnings
from typing import Any

import numpy as np
import pytest

from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.judging.judgment import Judgment
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recorders.sources import parsed
from tests.tiers import examples

pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from tests.recorders.torch_programs import further_program, program  # it needs PyTorch

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]
BEFORE = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\ntorch.manual_seed(0)\n"
FLIP = """\
class Flip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return -g
"""
DIRTY = """\
class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)
    @staticmethod
    def backward(ctx, g):
        return 3 * g
"""


def judged(text: str) -> tuple[Judgment, BaseException | None]:
    """Runs a program, and returns what the comparison of its gradients has shown, and its error."""
    name = "<judged>"
    tree = parsed(text)
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    session = Session(Program.of(tree, text.rstrip("\n"), name), fix=False, use=Use("torch")).compares_gradients()
    code = compile(instrument.instrumented(tree), name, "exec", dont_inherit=True)
    error = session.run([code], {"__name__": "__main__"})
    assert session.judgment is not None
    return session.judgment, error


TRAINS = "\nopt = torch.optim.{}(net.parameters(), lr=0.01)\nfor _ in range(2):\n    opt.zero_grad()\n    loss().backward()\n    opt.step()\n"
IMAGES = "x, y = torch.randn(4, 3, 8, 8), torch.tensor([0, 1, 2, 1])\n"
WORDS = "x, y = torch.randint(0, 9, (2, 5)), torch.randint(0, 9, (2, 5))\n"
NETS = {
    "mlp": "net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(inplace=True), nn.Dropout(0.5), nn.Linear(8, 2))\nx = torch.randn(6, 4)\nloss = lambda: net(x).square().mean()",
    "cnn": IMAGES
    + "net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Dropout2d(0.3), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 3))\nloss = lambda: F.cross_entropy(net(x), y, label_smoothing=0.1)",
    "twice": IMAGES
    + "net = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.BatchNorm2d(4), nn.LeakyReLU(0.2, inplace=True), nn.Flatten(), nn.Linear(36, 1))\nloss = lambda: F.softplus(-net(x)).mean() + F.softplus(net(x * 0.5)).mean()",
    "resnet": IMAGES
    + """\
class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.Conv2d(c, c, 3, padding=1, bias=False)
        self.n, self.m = nn.BatchNorm2d(c), nn.GroupNorm(2, c)
    def forward(self, x):
        h = F.relu_(self.n(self.a(x)))
        h = self.m(self.b(h))
        h += x
        return F.relu(h, inplace=True)
net = nn.Sequential(nn.Conv2d(3, 4, 1), Block(4), Block(4), nn.AvgPool2d(2))
loss = lambda: F.nll_loss(F.log_softmax(net(x).mean((2, 3))[:, :3], 1), y)""",
    "recurrent": """\
net = nn.ModuleList([nn.Linear(3, 16), nn.Linear(4, 16), nn.Linear(4, 1)])
x = torch.randn(5, 2, 3)
def loss():
    h, c, out = torch.zeros(2, 4), torch.zeros(2, 4), torch.zeros(5, 2, 1)
    for t in range(5):
        i, f, g, o = (net[0](x[t]) + net[1](h)).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        out[t] = net[2](h)
    return (out - 1).pow(2).mean()""",
    "transformer": WORDS
    + """\
net = nn.ModuleDict({"e": nn.Embedding(9, 8), "t": nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), "o": nn.Linear(8, 9)})
mask = nn.Transformer.generate_square_subsequent_mask(5)
loss = lambda: F.cross_entropy(net["o"](net["t"](net["e"](x), src_mask=mask)).transpose(1, 2), y)""",
    "attention": WORDS
    + """\
net = nn.ModuleDict({"e": nn.Embedding(9, 8), "p": nn.Linear(8, 24), "o": nn.Linear(8, 9), "n": nn.LayerNorm(8)})
def loss():
    h = net["e"](x)
    q, k, v = (each.view(2, 5, 2, 4).transpose(1, 2) for each in net["p"](net["n"](h)).split(8, dim=-1))
    scores = q @ k.transpose(-2, -1) / 2
    scores.masked_fill_(torch.triu(torch.ones(5, 5, dtype=torch.bool), 1), float("-inf"))
    h = h + (scores.softmax(-1) @ v).transpose(1, 2).reshape(2, 5, 8)
    h = h + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(2, 5, 8)
    return F.cross_entropy(net["o"](F.gelu(h)).view(-1, 9), y.view(-1))""",
    "vae": """\
net = nn.ModuleList([nn.Linear(6, 8), nn.Linear(4, 6)])
x = torch.rand(5, 6)
def loss():
    mean, logvar = net[0](x).chunk(2, 1)
    z = mean + torch.randn_like(mean) * (0.5 * logvar).exp()
    return F.binary_cross_entropy_with_logits(net[1](z), x) - 0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).mean()""",
    "penalty": """\
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(6, 4)
def loss():
    z = x.clone().requires_grad_()
    slope = torch.autograd.grad(net(z).sum(), z, create_graph=True)[0]
    return ((slope.norm(2, dim=1) - 1) ** 2).mean() + net(x).mean()""",
    "indexed": """\
net = nn.Linear(4, 4)
x = torch.randn(6, 4)
def loss():
    h = net(x)
    h[h < 0] *= 0.1
    h[:, 0] = h[:, 1] * 2
    h[torch.tensor([0, 2])] = 1.0
    h.index_add_(0, torch.tensor([1, 1]), h[:2].clone())
    return torch.where(h > 0.5, h, h.sin()).std(0).sum() + h.gather(1, h.argmax(1, keepdim=True)).sum() + torch.einsum("ij,ij->", h, h) + F.pad(h, (1, 1)).logsumexp(1).sum()""",
}
"""Nets, each with a function that computes its loss."""
OTHERS = {
    "gan": """\
g, d = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.LeakyReLU(0.2, True), nn.Linear(4, 1))
for _ in range(2):
    fake = g(torch.randn(5, 2))
    d.zero_grad()
    (F.softplus(-d(torch.randn(5, 3))) + F.softplus(d(fake.detach()))).mean().backward()
    g.zero_grad()
    F.softplus(-d(fake)).mean().backward()""",
    "ema": """\
import copy
net = nn.Linear(3, 2)
slow, opt = copy.deepcopy(net), torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
for _ in range(3):
    x = torch.randn(4, 3)
    (net(x) - slow(x).detach()).pow(2).sum().backward()
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    opt.step()
    opt.zero_grad()
    for mine, its in zip(slow.parameters(), net.parameters()):
        mine.data.mul_(0.9).add_(its.data, alpha=0.1)""",
    "foreach": "w = [torch.randn(3, requires_grad=True) for _ in range(2)]\nopt = torch.optim.AdamW(w, foreach=True)\nfor _ in range(2):\n    (w[0] * w[1]).sum().backward()\n    opt.step()\n    opt.zero_grad()",
    "fused": "w = [torch.randn(3, requires_grad=True) for _ in range(2)]\nopt = torch.optim.Adam(w, fused=True)\nfor _ in range(2):\n    (w[0] * w[1]).sum().backward()\n    opt.step()",
    "by hand": "w = torch.randn(3, requires_grad=True)\nfor _ in range(2):\n    (w * w).sum().backward()\n    with torch.no_grad():\n        w -= 0.1 * w.grad\n        w[0] = 1.0\n        w.view(3)[1:].mul_(2)\n    w.grad.zero_()",
    "swapped": "a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)\ntorch.utils.swap_tensors(a, b)\n(b * b * a).sum().backward()\nb.grad = None\na.set_(torch.zeros(2))\n(b * a + b).sum().backward()",
    "inputs": "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\nc = a * b\nc.retain_grad()\n(c * c).sum().backward(inputs=[a], retain_graph=True)\n(c * c).sum().backward()",
    "detached": "a = torch.ones(3, requires_grad=True)\nb = a * 2\nb.detach_()\nc = b * a\nb.requires_grad_()\n(b * b * c.detach() + a).sum().backward()\nwith torch.no_grad():\n    v = a[:2]\n(v * a[:2]).sum().backward()",
    "second": "a = torch.ones(2, requires_grad=True)\n(a ** 3).sum().backward(create_graph=True)\ng = a.grad\na.grad = None\n(g * g).sum().backward()",
    "chosen": "a = torch.tensor([1., 1., 0., 1.], requires_grad=True)\n(a.topk(2)[0] * torch.tensor([1., 2.])).sum().backward()\n(a.sort()[0] * torch.arange(4.)).sum().backward()\n(F.celu(a - 1) + a.abs().clamp(max=1)).sum().backward()",
    "cancelled": "a = torch.randn(4, requires_grad=True)\na.softmax(0).sum().backward()",
    "leaf roots": "a = torch.ones(2, requires_grad=True)\na.backward(torch.ones(2))\ntorch.autograd.backward([a.sum(), a], [None, torch.ones(2)])",
}
LEFT_OUT = {
    "custom": FLIP + "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\n(Flip.apply(a * 2) * a + b * 3).sum().backward()",
    "dirty": DIRTY + "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\nx = a * a\nTriple.apply(x)\n(x + b * b).sum().backward()",
    "dirty view": DIRTY + "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\nx = a * a\nTriple.apply(x[:1])\n(x + b * b).sum().backward()",
    "hook": "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\nx = a * 2\nx.register_hook(lambda g: g * 5)\n(x * x + b * b).sum().backward()",
    "node hook": "a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)\nx = a * 2\nx.grad_fn.register_hook(lambda i, o: tuple(None if each is None else each * 5 for each in i))\n(x * x + b * b).sum().backward()",
    "lstm": "net, o, x = nn.LSTM(3, 4), nn.Linear(4, 1), torch.randn(5, 2, 3)\no(net(x)[0]).sum().backward()",
    "autocast": "net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))\nwith torch.autocast('cpu', torch.bfloat16):\n    out = net(torch.randn(5, 3))\nout.float().sum().backward()",
    "module hook": "net = nn.Linear(2, 2)\nnet.register_full_backward_hook(lambda m, i, o: tuple(each * 2 for each in i))\nx = torch.ones(1, 2, requires_grad=True)\nnet(x * 1.0).sum().backward()",
    "complex": "a = torch.ones(2, 2, requires_grad=True)\nx = a * 2\ntorch.view_as_complex(x).mul_(2)\nx.sum().backward()",
    "thread": "import threading\na = torch.ones(2, requires_grad=True)\nx = a * 2\nt = threading.Thread(target=lambda: x.mul_(3))\nt.start()\nt.join()\nx.sum().backward()",
    "root": "a = torch.ones(1, 1, 2, 2, requires_grad=True)\ntorch.autograd.grad(F.fractional_max_pool2d(a, 1, output_size=2), a, torch.ones(1, 1, 2, 2))",
    "zeros added": "a, b = torch.ones(1, 1, 2, 2, requires_grad=True), torch.zeros(2, requires_grad=True)\nx = F.fractional_max_pool2d(a, 1, output_size=2)\nx.add_(b)\n(x * x).sum().backward()",
    **{f"checkpoint {each}": f"from torch.utils.checkpoint import checkpoint\nnet = nn.Linear(2, 2)\nx = torch.ones(1, 2, requires_grad=True)\ncheckpoint(lambda x: net(x).relu_() * 2, x, use_reentrant={each}).sum().backward()" for each in (True, False)},
}  # fmt: skip
"""Programs with functions of their own, or of which something is left out."""


@pytest.mark.parametrize("optimizer", ["SGD", "Adam"])
@pytest.mark.parametrize("name", NETS)
def test_nets_are_compared_completely(name: str, optimizer: str) -> None:
    found, error = judged(BEFORE + NETS[name] + TRAINS.format(optimizer))
    assert error is None
    assert (found.differences, found.left_out, found.failure) == ([], {}, "")
    assert found.compared >= 4


@pytest.mark.parametrize("name", OTHERS)
def test_right_programs_are_compared_completely(name: str) -> None:
    found, error = judged(BEFORE + OTHERS[name])
    assert error is None
    assert (found.differences, found.failure) == ([], "")
    assert name == "second" or (found.compared and not found.left_out)


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_the_engine_does_not_know_is_no_difference(name: str) -> None:
    found, error = judged(BEFORE + LEFT_OUT[name])
    assert error is None
    assert (found.differences, found.failure) == ([], "")
    assert found.left_out or found.skipped or name in ("checkpoint False", "custom", "hook")


@pytest.mark.parametrize(
    ("text", "names", "got", "meant"),
    [
        ("a = torch.tensor([1., 2.], requires_grad=True)\nh = a * 2\ny = h * h\nh.data.zero_()\ny.sum().backward()", "a", [0, 0], [8, 16]),
        ("a = torch.tensor([1., 2.], requires_grad=True)\ny = a.exp()\ny.data.fill_(5)\n(y * 1).sum().backward()", "a", [5, 5], np.exp([1, 2])),
        ("w = torch.tensor([3.], requires_grad=True)\na = torch.tensor([2.], requires_grad=True)\ny = w * a\nw.data -= 1\ny.backward()", "a", [2], [3]),
        ("import numpy as np\nm = np.array([1., 2.])\nx = torch.from_numpy(m)\na = torch.ones(2, dtype=torch.float64, requires_grad=True)\ny = a * x\nm *= 10\ny.sum().backward()", "a", [10, 20], [1, 2]),
        ("a = torch.tensor([1., 2.], requires_grad=True)\nh = a * 2\ny = h.sin() * h\nh.detach().numpy()[0] = 0\ny.sum().backward()", "a", [2 * np.sin(2), None], [2 * (np.sin(2) + 2 * np.cos(2)), None]),
        ("lin = nn.Linear(2, 2, bias=False)\nwith torch.no_grad(): lin.weight.fill_(1)\nx = torch.ones(1, 2, requires_grad=True)\ny = lin(x)\nlin.weight.data.zero_()\ny.sum().backward()", "x", [[0, 0]], [[2, 2]]),
    ],
)  # fmt: skip
def test_silently_wrong_gradients_are_found(text: str, names: str, got: Any, meant: Any) -> None:
    found, error = judged(BEFORE + text)
    assert error is None
    (difference,) = found.differences
    assert names in difference.names
    for array, expected in ((difference.found, got), (difference.expected, meant)):
        wanted = np.array(expected, dtype=float)
        np.testing.assert_allclose(np.where(np.isnan(wanted), np.nan, array), wanted, rtol=1e-5)


@pytest.mark.parametrize("first", range(0, examples(20), 10))
def test_random_programs_show_no_difference_where_pytorch_is_right(first: int) -> None:
    texts = [each(seed) for seed in range(first, first + 10) for each in (program, further_program)]
    found = [judged("import torch\n" + text)[0] for text in texts if ".data" not in text]
    assert [each.differences for each in found if each.differences or each.failure] == []
    assert sum(each.compared for each in found) > 10


def test_the_engine_shows_no_warnings_of_its_own() -> None:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        found, _ = judged(
            BEFORE + "a = torch.full((2,), 3e38, requires_grad=True)\n((a + 3e38).clamp(max=1) * a).sum().backward()"
        )
    assert (heard, found.compared, found.differences) == ([], 1, [])
