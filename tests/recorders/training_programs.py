"""Writes random programs that train, and whose backward fails: loops over slices whose ReLUs may pass nothing on, two losses of the same tensors,
optimizers whose steps come between. And judges a fix of one by finite differences, for which no backward pass is needed.

All losses are computed before the first step, from the values that the leaves began with, so they are differentiated at these.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

import inplacelab as paddle
from inplacelab import autograd, observe
from inplacelab.tensor import Tensor

SIZE = 4
LEAVES = ("w", "v")
SEED = "paddle.seed(0)\n"
SEEDS = (0, 1, 2, 3)
STEP = 1e-6
"""How far an element is moved, in double precision."""

_HEAD = f"import inplacelab as paddle\npaddle.set_default_dtype('float64')\n{SEED}x = paddle.randn([{SIZE}])\n"


def training_programs(first: int, count: int) -> Iterator[str]:
    """Programs of the seeds from `first` on, whose backward fails, but does not if what it needs is copied."""
    found, seed = 0, first
    while found < count:
        text = _written(Random(seed))
        seed += 1
        if "modified by an inplace operation" in (run(text).error or "") and not reference(text).error:
            found += 1
            yield text


def _written(random: Random) -> str:
    some = random.choice
    text = _HEAD + "".join(f"{name} = paddle.randn([{SIZE}])\n{name}.stop_gradient = False\n" for name in LEAVES)
    shared = random.random() < 0.3
    for name, leaves in (("one", "w, v" if shared else "w"), ("two", "v")):
        kind = some(("SGD(0.1, ", "Adam(0.1, ", "Momentum(0.1, 0.9, "))
        text += f"{name} = paddle.optimizer.{kind}parameters=[{leaves}])\n"
    text += f"h = {some(('w * x', '(w * x).tanh()', '(w * v).exp()'))}\n"
    kind = some(("gates", "passes", "passes", "all"))
    if kind == "gates":  # one loss, which they may feed or not
        writes = "".join(_gate(random) for _ in range(some((1, 1, 2))))
        return f"{text}c = h * w\n{writes}a = {_loss(random)}\na.backward()\n{some(('', 'one.step()'))}\n"
    most = 0 if kind == "passes" else 2
    text += "".join(_write(random) for _ in range(random.randrange(0, most + 1)))
    text += f"a = {_loss(random)}\n"
    text += "".join(_write(random) for _ in range(random.randrange(0, max(most, 1))))
    text += f"b = {_loss(random)}\n"
    text += "".join(_write(random) for _ in range(random.randrange(0, max(most, 1))))
    return text + _tail(random)


def _gate(random: Random) -> str:
    bias = random.choice((0.0, 0.5, 9.0, 9.0))  # nothing passes a ReLU below a large one
    gate = f"paddle.nn.functional.relu(h * {random.choice(('v', 'w'))} - {bias})"
    return random.choice((f"h.add_({gate})\n", f"for i in range(2):\n    h.add_({gate})\n", f"h += {gate}\n"))


def _write(random: Random) -> str:
    some = random.choice
    bias = some((0.0, 0.5, 3.0, 9.0))
    gate = f"paddle.nn.functional.relu({some(('v', 'w', 'x'))}[i:i + 1] * h[{{}}] - {bias})"
    return some((
        f"for i in range(1, {SIZE}):\n    h[i:i + 1].add_({gate.format('i - 1:i')})\n",
        f"for i in range({SIZE - 2}, -1, -1):\n    h[i:i + 1].add_({gate.format('i + 1:i + 2')})\n",
        f"h.{some(('tanh_()', 'multiply_(x)', 'exp_()'))}\n",
        "h[0] = 0.5\n",
        f"g = paddle.nn.functional.relu(h * v - {bias})\nh.add_(g)\n",
        f"h.scale_({some((1.0, 0.5))})\n",
    ))  # fmt: skip


def _loss(random: Random) -> str:
    return random.choice(
        (
            "(h * h).sum()",
            "(h * v).sum()",
            "h.sum()",
            "h.sum() + (w * w * v).sum()",
            "(w * w * w).sum()",
            "(v * h * h).mean()",
        )
    )


def _tail(random: Random) -> str:
    some = random.choice
    steps = [f"{name}.{what}()" for name in ("one", "two") for what in ("step", "clear_grad") if random.random() < 0.6]
    random.shuffle(steps)
    between = [*steps, *(["h.detach().zero_()"] if random.random() < 0.2 else [])]
    passes = some(
        (
            ["a.backward(retain_graph=True)", "b.backward()"],
            ["b.backward(retain_graph=True)", "a.backward()"],
            ["(a + b).backward()"],
        )
    )
    if len(passes) == 1:
        return "\n".join([*between, *passes, "one.step()", "two.step()"]) + "\n"
    return "\n".join([passes[0], *between, passes[1], some(("two.step()", "one.step()"))]) + "\n"


@dataclass
class Run:
    """How a program ran.

    Attributes:
        error: what it raised, if anything.
        losses: the value with which each pass began.
        gradients: what each pass added to the gradients of the leaves.
        values: the values of all names at the end.
    """

    error: str | None = None
    losses: list[float] = field(default_factory=list)
    gradients: list[dict[str, Any]] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)


class _Passes(observe.Observer):
    """Notes the losses, and what is added to the gradients of the leaves."""

    def __init__(self, names: dict[str, Any], into: Run) -> None:
        self._names, self._run, self._before = names, into, dict[str, Any]()

    def backward_begins(self, roots: Sequence[tuple[Any, Any]]) -> None:
        named = {name: each for name, each in self._names.items() if isinstance(each, Tensor) and each.node is not None}
        loss = next((float(each.numpy()) for each in named.values() if each.node is roots[0][0]), None)
        both = [float(named[name].numpy()) for name in ("a", "b") if loss is None]
        self._run.losses.append(sum(both) if loss is None else loss)
        self._before = self._gradients()

    def backward_ends(self) -> None:
        after = self._gradients()
        self._run.gradients.append({name: after[name] - self._before[name] for name in after})

    def _gradients(self) -> dict[str, Any]:
        leaves = {name: self._names[name] for name in LEAVES}
        return {name: np.zeros(SIZE) if each.grad is None else each.grad.numpy() for name, each in leaves.items()}


def run(text: str, *, copying: bool = False) -> Run:
    """Runs a program."""
    found = Run()
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        with (
            warnings.catch_warnings(),
            autograd.copy_saved_before_write() if copying else nullcontext(),
            observe.listening(_Passes(names, found)),
        ):
            warnings.simplefilter("ignore")
            exec(compile(text, "<program>", "exec"), names)
    except Exception as error:  # noqa: BLE001  # a random program may raise anything
        found.error = str(error)
    finally:
        paddle.set_grad_enabled(True)
        paddle.set_default_dtype("float32")
    found.values = {name: each.numpy() for name, each in names.items() if isinstance(each, Tensor)}
    return found


def reference(text: str) -> Run:
    """Runs a program in which everything that backward needs is copied, and kept."""
    tree = ast.parse(text)
    for each in ast.walk(tree):
        if isinstance(each, ast.Call) and ast.unparse(each.func).endswith(".backward"):
            each.keywords = [ast.keyword("retain_graph", ast.Constant(True))]
    return run(ast.unparse(tree), copying=True)


def seeded(text: str, seed: int) -> str:
    """The same program with another seed."""
    assert SEED in text
    return text.replace(SEED, f"paddle.seed({seed})\n")


def slopes(text: str) -> list[dict[str, Any]]:
    """The finite differences of the loss of each pass; NaN for an element at which it is not smooth."""
    base = reference(text)
    found = [{name: np.full(SIZE, np.nan) for name in LEAVES} for _ in base.losses]
    for name in LEAVES:
        for element in range(SIZE):
            up, down = (reference(_moved(text, name, element, each)) for each in (STEP, -STEP))
            for number, loss in enumerate(base.losses):
                right, left = (up.losses[number] - loss) / STEP, (loss - down.losses[number]) / STEP
                if abs(right - left) < 1e-3 * max(1, abs(right)):
                    found[number][name][element] = (right + left) / 2
    return found


def _moved(text: str, name: str, element: int, step: float) -> str:
    made = f"{name} = paddle.randn([{SIZE}])\n"
    assert made in text
    away = [step if k == element else 0.0 for k in range(SIZE)]
    return text.replace(made, f"{made}{name} = {name} + paddle.to_tensor({away})\n")


def judge(text: str, fixed: str) -> None:
    """Checks on several sets of data that a fixed program has the gradients that finite differences of the original's losses give."""
    for seed in SEEDS:
        original, other = seeded(text, seed), run(seeded(fixed, seed))
        says = f"seed {seed}\n{text}\n--- fixed:\n{fixed}"
        meant = reference(original)
        if meant.error:
            continue
        assert other.error is None, (other.error, says)
        np.testing.assert_allclose(other.losses, meant.losses, rtol=1e-6, err_msg=says)
        for gradient, slope in zip(other.gradients, slopes(original), strict=True):
            for name in LEAVES:
                known = ~np.isnan(slope[name])
                np.testing.assert_allclose(
                    gradient[name][known], slope[name][known], rtol=1e-3, atol=1e-4, err_msg=says
                )
        for name in LEAVES:
            np.testing.assert_allclose(other.values[name], meant.values[name], rtol=1e-6, atol=1e-9, err_msg=says)
