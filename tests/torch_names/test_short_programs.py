"""Short programs, each run under these names and with PyTorch: they find the same numbers, versions and flags, or end with the same error."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import pytest

names: Any = import_module("inplacelab.torch")

FUNCTIONS = """
class Times(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)
    @staticmethod
    def backward(ctx, g):
        return g * 3

class Sigmoid(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.mark_dirty(x)
        return x.sigmoid_()
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * (1 - ctx.saved_tensors[0])

class Marked(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 5

class Kept(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2) * 1
    @staticmethod
    def backward(ctx, g):
        return g
"""
STARTED = "w = torch.tensor([1., 2., 3.], dtype=torch.float64, requires_grad=True)\nb = w * w\n"

RETAINED = {
    "twice": "b.retain_grad()\nloss = (b * b).sum()\nloss.backward(retain_graph=True)\nloss.backward()",
    "grad after backward": "b.retain_grad()\nloss = (b * b).sum()\nloss.backward(retain_graph=True)\ntorch.autograd.grad(loss, [w])",
    "grad of itself": "b.retain_grad()\nloss = (b * b).sum()\ntorch.autograd.grad(loss, [b], retain_graph=True)\ntorch.autograd.grad(loss, [b])",
    "second derivative": "b.retain_grad()\n(b * b).sum().backward(create_graph=True)\ntorch.autograd.grad(w.grad.sum(), [w])",
    "second derivative of what was retained": "b.retain_grad()\n(b * b * b).sum().backward(create_graph=True)\nb.grad.sum().backward()",
    "inputs": "b.retain_grad()\nloss = (b * b).sum()\nloss.backward(retain_graph=True)\nloss.backward(inputs=[w], retain_graph=True)\nloss.backward(inputs=[b])",
    "written": "b.retain_grad()\nb.mul_(3)\n(b * b).sum().backward()",
    "old value used": "b.retain_grad()\nc = b * 2\nb.mul_(3)\nc.sum().backward()",
    "written through a view": "b.retain_grad()\nv = b[:2]\nv.mul_(3)\n(b * b).sum().backward()",
    "view of a written base": "v = b[:2]\nv.retain_grad()\nb.retain_grad()\nb.mul_(3)\n(v * v).sum().backward()",
    "written view": "v = b[:2]\nv.retain_grad()\nb.retain_grad()\nv.mul_(3)\n(v * v).sum().backward()",
    "marked dirty": "b.retain_grad()\nTimes.apply(b)\n(b * b).sum().backward()",
    "view marked dirty": "b.retain_grad()\nv = b[:2]\nv.retain_grad()\nTimes.apply(v)\n(b * b).sum().backward()",
    "hook before": "b.register_hook(lambda g: g * 2)\nb.retain_grad()\nb.mul_(3)\n(b * b).sum().backward()",
    "hook before a dirty mark": "b.register_hook(lambda g: seen.append(g.tolist()))\nb.retain_grad()\nTimes.apply(b)\n(b * b).sum().backward()",
}
ADDED = {
    "to a plain gradient": "(w * w).sum().backward()\n(w * w * w).sum().backward(create_graph=True)",
    "a plain gradient": "(w * w * w).sum().backward(create_graph=True)\n(w * w).sum().backward()",
    "after autograd.grad": "t, = torch.autograd.grad((w * w * w).sum(), [w], create_graph=True)\n(t * w).sum().backward(retain_graph=True)\n(w * w).sum().backward(create_graph=True)",
    "recorded twice": "(w * w * w).sum().backward(create_graph=True)\n(w * w * w).sum().backward(create_graph=True)\nsecond, = torch.autograd.grad(w.grad.sum(), [w])\nseen.append(second.tolist())",
    "inputs": "(w * w).sum().backward()\nbefore = w.grad\n(w * w).sum().backward(inputs=[w])\nseen.append(before is w.grad)",
    "inputs, recorded": "(w * w).sum().backward()\n(w * w * w).sum().backward(inputs=[w], create_graph=True)",
}
MARKED = {
    "written": "r = Times.apply(b)\nseen.append(r is b)\n(b * b).sum().backward()",
    "not written": "r = Marked.apply(b)\nseen.append(r is b)\n(b * b).sum().backward()",
    "without history": "c = torch.ones(3)\nr = Times.apply(c)\nseen.append((r is c, c._version))",
    "saved before it is written": "r = Sigmoid.apply(b)\n(r * r).sum().backward()",
    "written after it was saved": "r = Sigmoid.apply(b)\nr.add_(1)\nr.sum().backward()",
    "needed before": "c = b.exp()\nd = c * c\nTimes.apply(c)\nd.sum().backward()",
    "not returned": "Kept.apply(b)",
    "a leaf": "Times.apply(w)",
}
VIEWED = {
    "as_strided of a view": "v = b[1:]\ns = v.as_strided((2,), (1,))\nseen.append((s.tolist(), s.storage_offset()))\ns.mul_(3)\n(b * b).sum().backward()",
    "the function": "s = torch.as_strided(b[2:], (1, 1), (1, 1))\nseen.append((s.tolist(), s.storage_offset()))",
    "as_strided of as_strided": "s = b.as_strided((2,), (1,), 1).as_strided((1,), (1,))\nseen.append((s.tolist(), s.storage_offset()))",
    "an offset of its own": "s = b[2:].as_strided((2,), (1,), 0)\nseen.append(s.tolist())",
}
NUMBERS = {
    name: f"y = {name}"
    for name in (
        "b.copy_(2)", "b.copy_(0.5)", "b.copy_(True)", "b.fill_(torch.tensor(2.0))", "b.clamp(2, 1)", "b.clamp_(1, 0.5)", "b.lerp(w, torch.tensor(0.9))",
        "torch.tensor([True, False]) + torch.tensor([True, True])", "torch.tensor([True, False]) * True", "torch.equal(torch.ones(2), torch.ones(2).double())",
        "b.argmax(keepdim=True)", "b.index_fill(0, torch.tensor([1]), torch.tensor(2.0))", "torch.full((2,), 1j)", "b.reshape(3, 1).norm(2, (0, 1))",
        "torch.tensor([1, 2]).addcmul(torch.tensor([1.0]), torch.tensor([2, 3]))", "torch.ones(2).addcmul_(torch.ones(2).double(), torch.ones(2))",
        "torch.ones(2, dtype=torch.int64).addcdiv_(torch.ones(2), torch.ones(2))", "torch.cat([torch.ones(1), torch.tensor([2])])",
        "torch.tensor([1, 2]).exp_()", "torch.tensor([1, 2]).clamp_(0.5)", "2 & torch.tensor([1, 2])", "True ^ torch.tensor([True])",
        "F.mse_loss(torch.ones(2), torch.tensor([1, 2]))", "F.binary_cross_entropy(torch.tensor([0.5, float('nan')]), torch.ones(2))",
    )
}  # fmt: skip
SPELLED = {
    name: f"y = {name}"
    for name in (
        "b.sum(axis=0)", "b.sum(axis=0, keepdims=True)", "torch.sum(x=b, axis=0)", "torch.sum(a=b, axis=-1)", "b.mean(axis=0)", "b.prod(axis=0)", "b.max(axis=0)",
        "b.var(axis=0, keepdims=True)", "b.std(axis=0)", "b.argmax(axis=0)", "b.cumsum(axis=0)", "b.cumprod(axis=0)", "torch.cat([b, w], axis=0)",
        "torch.stack([b, w], axis=1)", "b.softmax(axis=0)", "b.unsqueeze(axis=0)", "b.sort(axis=0)", "torch.add(x1=b, x2=w)", "b.mul(x2=w)", "b.index_select(axis=0, index=torch.tensor([1]))",
        "b.amax(axis=0)", "b.all(axis=0)", "b.logsumexp(axis=0)", "b.flip(0)", "torch.relu(x=b)", "b.unbind(axis=0)",
        "b[::-1]", "b[2:0:-1]", "b[None, ::-2]", "b[::0]", "b[::2]", "b[[[0, 1]]]", "b.reshape(1, 3)[[[0], [1]]]", "b[1.0]", "b[torch.tensor([1.0])]", "b[torch.tensor(True)]",
        "b[[None]]", "b[object]", "b[torch.tensor([1]), ...]",
    )
} | {"assigned backwards": "b[::-1] = 1", "assigned by a nested list": "b.reshape(1, 3)[[[0], [1]]] = 5"}  # fmt: skip
SPECIAL = {
    "relu_": "x = torch.tensor([float('nan'), -1., 2.])\nx.relu_()", "relu module": "y = torch.nn.ReLU()(b * float('nan'))", "sign": "y = (b * float('nan')).sign()",
}  # fmt: skip
PROGRAMS = {
    f"{kind}: {name}": program
    for kind, table in (
        ("retained", RETAINED),
        ("added", ADDED),
        ("marked", MARKED),
        ("viewed", VIEWED),
        ("numbers", NUMBERS),
        ("spelled", SPELLED),
        ("special", SPECIAL),
    )
    for name, program in table.items()
}


def outcome(torch: Any, program: str) -> dict[str, Any]:
    """What a program leaves: the tensors under its names, what it put into `seen`, and its error."""
    space: dict[str, Any] = {"torch": torch, "F": torch.nn.functional, "seen": []}
    exec(FUNCTIONS + STARTED, space)
    error = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(program, space)
        except Exception as raised:  # noqa: BLE001  # any: it is compared
            error = f"{type(raised).__name__}: {str(raised).splitlines()[0].strip()}"
        tensors = {name: described(each) for name, each in space.items() if isinstance(each, torch.Tensor)}
    return {"error": error, "seen": space["seen"], **tensors}


def described(x: Any) -> tuple[Any, ...]:
    """A tensor: its values, version, place in the history, and gradient."""
    gradient = x.grad
    kept = None if gradient is None else (str(gradient.tolist()), gradient.requires_grad, gradient.is_leaf)
    return str(x.tolist()), str(x.dtype), x._version, x.requires_grad, x.is_leaf, kept


@pytest.mark.oracle
@pytest.mark.parametrize("program", PROGRAMS)
def test_it_fares_as_in_pytorch(program: str) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    assert outcome(names, PROGRAMS[program]) == outcome(torch, PROGRAMS[program])
