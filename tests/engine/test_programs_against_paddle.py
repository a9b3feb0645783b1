"""Short programs, and their answers here and in PaddlePaddle 3.3.1: hooks, gradients of some tensors, PyLayers, packed tensors.

A program sets `answer`. It runs with `paddle` as this package, and again as the real one; where the two answers differ on
purpose, the program says why.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Iterator
from textwrap import dedent
from typing import Any, NamedTuple

import pytest

import inplacelab


class Program(NamedTuple):
    """A program, and its answers."""

    name: str
    text: str
    answer: Any
    in_paddle: Any = None
    """The answer there; None for the same."""
    why: str = ""
    """Why the two differ."""


RELAYOUT = """
x = paddle.ones([1, 4])
x.stop_gradient = False
a = x * 1.0
v, w, calls = a[0:1], a[0:1], []
v.register_hook(lambda g: calls.append(list(g.shape)))
{change}
(v * 2.0).sum().backward()
answer = calls, x.grad.tolist()
"""
CALLED = [[1, 4]], [[2.0] * 4]

LAYER = """
ran = []
class Own(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, {arguments}):
{forward}
    @staticmethod
    def backward(ctx, g):
        ran.append(1)
{backward}
"""


def layer(arguments: str, forward: str, backward: str, then: str) -> str:
    """A program with a `PyLayer`, named `Own`, whose `backward` notes that it runs."""
    indented = {"forward": forward, "backward": backward}
    bodies = {
        name: "\n".join(" " * 8 + line for line in dedent(text).strip().split("\n")) for name, text in indented.items()
    }
    return LAYER.format(arguments=arguments, **bodies) + dedent(then)


PROGRAMS = [
    *(
        Program(f"a hook on a view stays through {change}", RELAYOUT.format(change=change), CALLED)
        for change in (
            "v.squeeze_()", "v.unsqueeze_(0)", "v.reshape_([2, 2])", "v.transpose_([1, 0])", "v.flatten_()", "w.squeeze_()", "a.squeeze_()",
        )
    ),
    Program("a view of a view under no_grad, after a write, is a constant", """
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        y = x * 1.0
        with paddle.no_grad():
            v = y[0:1]
        y.add_(paddle.ones([2]))
        with paddle.no_grad():
            w = v[0:1]
        answer = (w * 2.0).stop_gradient
     """, True),
    Program("recompute on a tensor of the context", layer("x", """
        ctx.a = x.detach()
        ctx.a.stop_gradient = False
        ctx.save_for_backward(x)
        return x * x
     """, """
        same = ctx.a is ctx.a and ctx.saved_tensor()[0] is ctx.saved_tensor()[0]
        with paddle.enable_grad():
            paddle.autograd.backward([ctx.a * ctx.a], [g])
        ran.append(same)
        return ctx.a.grad
     """, """
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        Own.apply(x).sum().backward()
        answer = ran, x.grad.tolist()
     """), ([1, True], [2.0, 4.0])),
    Program("a list argument takes its gradients one by one", layer("xs", "return xs[0] + xs[1] * 2.0", "return [g, g * 2.0]", """
        a, b = paddle.to_tensor([1.0], stop_gradient=False), paddle.to_tensor([1.0], stop_gradient=False)
        Own.apply([a, b]).backward()
        answer = a.grad.tolist(), b.grad.tolist()
     """), ([1.0], [2.0])),
    Program("a PyLayer whose gradient nobody wants does not run", layer("x", "return x * 2.0", "return g * 2.0", """
        x = paddle.to_tensor([1.0], stop_gradient=False)
        y = Own.apply(x)
        answer = [g.tolist() for g in paddle.grad(y * 3.0, [y])], ran
     """), ([[3.0]], [])),
    Program("a negative real base and a complex exponent", """
        x = paddle.to_tensor([-0.5, 0.0, 3.0], stop_gradient=False)
        y = paddle.to_tensor([0.3 + 0.2j, 1.0 + 0j, 0.3 + 0.2j], stop_gradient=False)
        paddle.real(x ** y).sum().backward()
        answer = [round(float(part), 4) for g in y.grad.numpy()[[0, 2]] for part in (g.real, g.imag)]
     """, [-1.1886, -0.7284, 1.4908, -0.3329]),
    Program("set_ raises the version", """
        x, s = paddle.zeros([2]), paddle.zeros([4])
        x.set_(s, [2], [1], 0)
        x.set_(s, [2], [1], 0)
        answer = x.inplace_version, s.inplace_version
     """, (2, 2), (2, 0), "one counter for one storage: a write to the source is a write to what `x` shows"),
    Program("retain_grads before a hook", """
        x = paddle.to_tensor(1.0, stop_gradient=False)
        y = x * 1.0
        y.retain_grads()
        y.register_hook(lambda g: g * 2.0)
        (y * 3.0).backward()
        answer = y.grad.item(), x.grad.item()
     """, (6.0, 6.0), (3.0, 6.0), "the kept gradient is the one that is passed on, whatever the order, as in PyTorch"),
    Program("no gradient goes through no_grad_vars", """
        x = paddle.to_tensor(2.0, stop_gradient=False)
        y = x * x
        z = y * x
        several = dict(retain_graph=True, create_graph=False)
        answer = [
            paddle.grad(z, x, no_grad_vars=y, **several)[0].item(),
            paddle.grad(z, x, no_grad_vars={y}, **several)[0].item(),
            paddle.grad(z, x, no_grad_vars=[z], **several)[0].item(),
            paddle.grad(z, x, no_grad_vars=[x], allow_unused=True, **several)[0],
            paddle.grad(z, x, no_grad_vars=[], **several)[0].item(),
        ]
     """, [4.0, 4.0, 12.0, None, 12.0]),
    Program("hooks after accumulation", """
        x, seen = paddle.to_tensor([1.0, 2.0], stop_gradient=False), []
        x._register_backward_hook(lambda: seen.append(x.grad.tolist()))
        (x * 2.0).sum().backward()
        (x * 3.0).sum().backward()
        paddle.grad((x * 3.0).sum(), x)
        x._zero_grads()
        answer = seen, x._grad_ivar().tolist()
     """, ([[2.0, 2.0], [5.0, 5.0]], [0.0, 0.0])),
    Program("packed tensors", """
        x, packed = paddle.to_tensor([1.0, 2.0], stop_gradient=False), []
        def pack(t):
            packed.append(list(t.shape))
            return t.numpy()
        with paddle.autograd.saved_tensors_hooks(pack, paddle.to_tensor):
            y = (x * x).exp()
        y.sum().backward()
        answer = packed, [round(g, 3) for g in x.grad.tolist()]
     """, ([[2], [2], [2]], [5.437, 218.393])),
    Program("a buffer is shared", """
        x = paddle.ones([2])
        answer = [x._is_shared_buffer_with(y) for y in (x, x[0:1], x.detach(), x * 1.0)]
     """, [True, True, True, False]),
    Program("a range selects as a list does", """
        x = paddle.arange(12).reshape([4, 3])
        x[range(1)] = 0
        answer = x[range(3)].tolist(), x[range(0, 4, 2), range(2)].tolist(), x[range(0)].shape == [0, 3]
     """, ([[0, 0, 0], [3, 4, 5], [6, 7, 8]], [0, 7], True)),
    Program("no pairs are pairs", "answer = list(paddle.zeros([0, 2])[:, 0:2].as_complex().shape)", [0]),
    Program("copies of a result are leaves", """
        x = paddle.to_tensor([1.0, 2.0], stop_gradient=False) * 2.0
        copies = copy.deepcopy(x), pickle.loads(pickle.dumps(x))
        answer = [(c.tolist(), c.is_leaf, c.stop_gradient) for c in copies]
     """, [([2.0, 4.0], True, False)] * 2),
    Program("dtypes by NumPy's other names", "answer = [str(paddle.ones([1]).astype(n).dtype) for n in ('int', 'double', 'half', 'short')]",
            ["paddle.int64", "paddle.float64", "paddle.float16", "paddle.int16"]),
]  # fmt: skip


def run(program: Program, module: Any) -> Any:
    names: dict[str, Any] = {"paddle": module, "copy": copy, "pickle": pickle}
    exec(dedent(program.text), names)
    return names["answer"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_answer_here(program: Program) -> None:
    assert run(program, inplacelab) == program.answer


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install -e '.[oracle]'")


@pytest.mark.oracle
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_answer_in_paddle(program: Program, paddle: Any) -> None:
    assert (program.in_paddle is None) == (program.why == "")
    assert run(program, paddle) == (program.answer if program.in_paddle is None else program.in_paddle)
