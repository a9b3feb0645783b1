"""Answers to the exercises of lessons 12 to 18: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.lessons.checks import (
    batch_norm_across_workers,
    debug,
    own_pytorch_program,
    two_replicas,
    what_a_gpu_does,
    who_moves_how_many_bytes,
    your_own_operation,
)
from inplacelab.ops.table import elementwise
from inplacelab.ops.table.row import Row
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recording import Recording


def ran(text: str, **names: Any) -> tuple[Recording, dict[str, Any]]:
    """Records a program as `%%stepper` does. Returns the recording, and the program's names afterwards."""
    session = Session(Program.of(ast.parse(text), text, "<answer>"))
    names |= {"paddle": paddle}
    session.run([compile(text, "<answer>", "exec")], names)
    return session.recording(), names


# ---- lesson 13 ------------------------------------------------------------------------------------------------------

HELPER = """
def centred(t):
{body}

w = paddle.to_tensor([1., 2., 6.], stop_gradient=False)
x = paddle.to_tensor([3., 4., 8.])
loss = {loss}
loss.backward()
"""
CALLS = "(centred(w) * centred(x)).sum()"


@pytest.mark.parametrize(
    ("body", "loss", "solved"),
    [
        ("return t - t.mean()", CALLS, True),
        ("t = t.clone()\n    t.subtract_(t.mean())\n    return t", CALLS, True),
        ("return t.subtract(paddle.mean(t).expand_as(t))", CALLS, True),
        ("return t + t.mean().scale(-1.)", CALLS, True),
        ("t.subtract_(t.mean())\n    return t", CALLS, False),
        ("with paddle.no_grad():\n        t.subtract_(t.mean())\n    return t", CALLS, False),
        ("t.subtract_(t.mean())\n    return t", "(centred(w.clone()) * centred(x)).sum()", False),
        ("t = t.detach()\n    t.subtract_(t.mean())\n    return t", CALLS, False),
        ("return t.detach() - t.detach().mean()", CALLS, False),
        ("return t.clone()", CALLS, False),
        ("return t", CALLS, False),
        ("return (t - t.mean()) * 1.5", CALLS, False),
    ],
)
def test_a_helper_that_leaves_its_argument_alone(body: str, loss: str, *, solved: bool) -> None:
    recording, _ = ran(HELPER.format(body=f"    {body}", loss=loss))
    verdict = debug.helper(helped=recording)
    assert verdict.solved == solved, verdict


def test_without_history_is_not_called_refused() -> None:
    recording, _ = ran(HELPER.format(body="    return t.detach() - t.detach().mean()", loss=CALLS))
    assert "no gradient history" in debug.helper(helped=recording).words.en


LIST = """
a = paddle.to_tensor([1., 2.], stop_gradient=False)
h = a * 2
history = []
for _ in range(3):
    {body}
loss = paddle.stack(history).sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("body", "solved"),
    [
        ("h.scale_(2.); history.append(h.clone())", True),
        ("h = h.scale(2.); history.append(h)", True),
        ("h = h + h; history = [*history, h]", True),
        ("h.scale_(2.); history += [h * 1.]", True),
        ("h.scale_(2.); history.append(h)", False),
        ("h.scale_(2.); history.append(h[0:2])", False),
        ("h.scale_(2.); history.append(h.detach())", False),
        ("h.scale_(2.); history.append(h.detach().clone())", False),
        ("history.append(h.clone()); h.scale_(2.)", False),
        ("h.scale_(2.); history = [h.clone()]", False),
        ("h.scale_(2.); history.append(a * 28. / 3.)", False),
        ("history.append(h.scale(2.))", False),
    ],
)
def test_a_list_of_three_states(body: str, *, solved: bool) -> None:
    recording, names = ran(LIST.format(body=body))
    verdict = debug.states(history=names["history"], stacked=recording)
    assert verdict.solved == solved, verdict


NORMALISED = """
w = paddle.to_tensor([[0.5, -1.], [1., 0.25]], stop_gradient=False)
x = paddle.to_tensor([[1., 2.], [3., -1.]])
h = paddle.matmul(x, w)
{made}
{centred}
{divided}
loss = (y * x).sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("made", "centred", "divided", "solved"),
    [
        ("y = h.tanh().clone()", "y.subtract_(y.mean())", "y.divide_(y.clone().square().mean().sqrt())", True),
        ("y = h.tanh() + 0.", "y.subtract_(y.mean())", "s = y.scale(1.)\ny.divide_((s * s).mean().sqrt())", True),
        (
            "t = h.tanh()\ny = paddle.assign(t)",
            "y.subtract_(t.mean())",
            "y = y * 1\ny = y.clone().divide_(y.square().mean().sqrt())",
            True,
        ),
        (
            "y = h.tanh()",
            "y = y.clone()\ny.subtract_(y.mean())",
            "z = y.clone()\nz.divide_(y.square().mean().sqrt())\ny = z",
            True,
        ),
        ("y = h.tanh()", "y.subtract_(y.mean())", "y.divide_(y.square().mean().sqrt())", False),
        ("y = h.tanh().clone()", "y.subtract_(y.mean())", "y.divide_(y.square().mean().sqrt())", False),
        ("y = h.tanh()", "y.subtract_(y.mean())", "y.divide_(y.clone().square().mean().sqrt())", False),
        ("y = h.tanh()", "y = y - y.mean()", "y = y / y.square().mean().sqrt()", False),
        ("y = h.tanh()", "y = y - y.mean()", "y.divide_(y.clone().square().mean().sqrt())", False),
        (
            "y = h.tanh().clone()",
            "y.subtract_(y.mean().detach())",
            "y.divide_(y.clone().square().mean().sqrt())",
            False,
        ),
        (
            "y = h.tanh().clone()",
            "y.subtract_(y.mean())",
            "y.divide_(y.detach().clone().square().mean().sqrt())",
            False,
        ),
        ("y = h.tanh().clone()", "y.subtract_(y.mean())", "", False),
        ("y = h.clone()", "y.subtract_(y.mean())", "y.divide_(y.clone().square().mean().sqrt())", False),
    ],
)
def test_two_writes_that_destroy_nothing(made: str, centred: str, divided: str, *, solved: bool) -> None:
    recording, _ = ran(NORMALISED.format(made=made, centred=centred, divided=divided))
    verdict = debug.normalised(norm=recording)
    assert verdict.solved == solved, verdict


DESCENT = """
x = paddle.to_tensor([1., 2., 3.])
target = x * 2
w = paddle.to_tensor([0.], stop_gradient=False)
sgd = paddle.optimizer.SGD(learning_rate=0.05, parameters=[w])
losses = []
for _ in range(5):
    loss = (x * w - target).square().mean()
    loss.backward()
    sgd.step()
{rest}
    losses.append(loss.item())
"""


@pytest.mark.parametrize(
    ("rest", "solved"),
    [
        ("sgd.clear_grad()|with paddle.no_grad():|    w.clip_(-5., 5.)", True),
        ("w.detach().clip_(-5., 5.)|sgd.clear_grad()", True),
        ("with paddle.no_grad():|    w[:] = w.clip(-5., 5.)|w.clear_gradient()", True),
        ("sgd.clear_grad()|w.set_value(w.clip(-5., 5.))", True),
        ("sgd.clear_grad()|w = w.clip(-5., 5.).detach()|w.stop_gradient = False", False),
        ("sgd.clear_grad()|w = w.clip(-5., 5.)", False),
        ("sgd.clear_grad()|w.clip_(-5., 5.)", False),
        ("sgd.clear_grad()", False),
        ("w.detach().clip_(-5., 5.)", False),
        ("sgd.clear_grad()|w.clip(-5., 5.)|w.detach().scale_(1.1)", False),
        ("sgd.clear_grad()|w.detach().clone().clip_(-5., 5.)", False),
    ],
)
def test_a_loss_that_falls(rest: str, *, solved: bool) -> None:
    body = "\n".join(f"    {line}" for line in rest.split("|"))
    recording, names = ran(DESCENT.format(rest=body))
    verdict = debug.descent(losses=names["losses"], fitted=recording)
    assert verdict.solved == solved, verdict


PAIR = """
w = paddle.to_tensor([1., 2.], stop_gradient=False)
sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=[w])
first = (w * w).sum()
"""
SECOND, STEP, CLEAR = "second = (w * w * w).sum()", "sgd.step()", "sgd.clear_grad()"


@pytest.mark.parametrize(
    ("rest", "solved"),
    [
        (("first.backward()", STEP, CLEAR, SECOND, "second.backward()", STEP), True),
        (("first.backward()", STEP, "w.clear_gradient()", SECOND, "second.backward()", STEP), True),
        (
            (
                SECOND,
                "second.backward()",
                "g = w.grad.clone()",
                CLEAR,
                "first.backward()",
                STEP,
                "w.grad.set_value(g)",
                STEP,
            ),
            True,
        ),
        (
            ("v = w.clone()", "second = (v * v * v).sum()", "first.backward()", STEP, CLEAR, "second.backward()", STEP),
            True,
        ),
        ((SECOND, "first.backward()", STEP, CLEAR, "second.backward()", STEP), False),
        ((SECOND, "first.backward()", "second.backward()", STEP), False),
        (("first.backward()", STEP, SECOND, "second.backward()", STEP), False),
        (("first.backward()", STEP), False),
        ((SECOND, "second.backward()", STEP), False),
        (("first.backward()", CLEAR, STEP, SECOND, "second.backward()", STEP), False),
        (("first.backward()", STEP, CLEAR, "second = (w.detach() ** 3).sum()", "second.backward()", STEP), False),
        ((SECOND, "(first + second).backward()", STEP, STEP), False),
    ],
)
def test_two_steps_with_a_loss_each(rest: tuple[str, ...], *, solved: bool) -> None:
    verdict = debug.two_losses(pair=ran(PAIR + "\n".join(rest))[0])
    assert verdict.solved == solved, verdict


# ---- lesson 12 ------------------------------------------------------------------------------------------------------

CUBE = """
from inplacelab.autograd import PyLayer
class Cube_(PyLayer):
    @staticmethod
    def forward(ctx, x):
        {forward}

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensor()
        return {slope}

a = paddle.to_tensor([1., -2., 3.], stop_gradient=False)
h = {h}
y = Cube_.apply(h)
y.sum().backward()
"""
RULE = "g * 3. * x * x"


@pytest.mark.parametrize(
    ("forward", "slope", "h", "solved"),
    [
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", RULE, "a * 1", True),
        ("k = x * 1.; x.multiply_(k); x.multiply_(k); ctx.save_for_backward(k); return x", RULE, "a * 1", True),
        ("x.pow_(3.); ctx.save_for_backward(x); return x", "g * 3. * x.abs().pow(2. / 3.)", "a * 1", True),
        ("k = x.square() * 3.; x.pow_(3.); ctx.save_for_backward(k); return x", "g * x", "a * 1", True),
        ("ctx.save_for_backward(x); x.pow_(3.); return x", RULE, "a * 1", False),
        ("x.pow_(3.); ctx.save_for_backward(x); return x", RULE, "a * 1", False),
        ("ctx.save_for_backward(x); return x.pow(3.)", RULE, "a * 1", False),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", "g * 3. * x", "a * 1", False),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", RULE, "a", False),
        ("ctx.save_for_backward(x.clone()); x.pow_(3.); return x", RULE, "a.detach() * 1", False),
        ("k = x.detach(); x.pow_(3.); ctx.save_for_backward(k); return x", RULE, "a * 1", False),
        ("ctx.save_for_backward(x.clone()); x.square_(); return x", RULE, "a * 1", False),
    ],
)
def test_a_cube_in_place(forward: str, slope: str, h: str, *, solved: bool) -> None:
    recording, _ = ran(CUBE.format(forward=forward, slope=slope, h=h))
    verdict = your_own_operation.cubed(mine=recording)
    assert verdict.solved == solved, verdict


def row(name: str, kernel: Callable[..., None], slope: Callable[..., Any]) -> Row:
    return elementwise(name, "x", ("",) * 2, kernel=kernel, accepts="f", d_x=slope)


def buffered(out: Any, x: Any) -> None:
    np.multiply(x + np.sqrt(x * x + 4), 0.5, out)


def from_behind(out: Any, x: Any) -> None:
    root = np.hypot(x, 2)
    np.add(root, x, out=out)
    out /= 2


def by_itself(out: Any, x: Any) -> None:
    np.multiply(x, x, out)
    np.add(out, 4, out)
    np.sqrt(out, out)
    np.add(x, out, out)
    np.multiply(out, 0.5, out)


def without_half(out: Any, x: Any) -> None:
    np.add(x, np.sqrt(x * x + 4), out)


@pytest.mark.parametrize(
    ("name", "kernel", "slope", "solved"),
    [
        ("squareplus", buffered, lambda g, out: g * out.square() / (out.square() + 1.0), True),
        ("squareplus", from_behind, lambda g, out: g * (1.0 - 1.0 / (out * out + 1.0)), True),
        ("squareplus", buffered, lambda g, out: g / (out.pow(-2.0) + 1.0), True),
        ("squareplus", by_itself, lambda g, out: g * out.square() / (out.square() + 1.0), False),
        ("squareplus", without_half, lambda g, out: g * out.square() / (out.square() + 1.0), False),
        ("squareplus", buffered, lambda g, out: g * out / (out + 1.0), False),
        ("squareplus", buffered, lambda g, x: g * (x / (x * x + 4.0).sqrt() + 1.0) * 0.5, False),
        ("squareplus", buffered, lambda g, x, out: g * out.square() / (out.square() + 1.0) + 0.0 * x, False),
        ("squareplus", buffered, lambda g: g, False),
        ("square_plus", buffered, lambda g, out: g * out.square() / (out.square() + 1.0), False),
    ],
)
def test_a_row_for_squareplus(
    name: str, kernel: Callable[..., None], slope: Callable[..., Any], *, solved: bool
) -> None:
    verdict = your_own_operation.squareplus(row=row(name, kernel, slope))
    assert verdict.solved == solved, verdict


def third_power(out: Any, x: Any) -> None:
    np.power(x, 3, out)


def third_power_by_product(out: Any, x: Any) -> None:
    np.multiply(x * x, x, out)


def square_first(out: Any, x: Any) -> None:
    np.multiply(x, x, out)
    np.multiply(out, x, out)


@pytest.mark.parametrize(
    ("name", "kernel", "slope", "solved"),
    [
        ("cubed", third_power, lambda g, out: g * 3.0 * out.abs().pow(2.0 / 3.0), True),
        ("cubed", third_power_by_product, lambda g, out: g * 3.0 * out.square().pow(1.0 / 3.0), True),
        ("cubed", third_power, lambda g, out: (out.abs().log() * (2.0 / 3.0)).exp() * 3.0 * g, True),
        ("cubed", third_power, lambda g, x: g * 3.0 * x * x, False),
        ("cubed", third_power, lambda g, out: g * 3.0 * out.pow(2.0 / 3.0), False),
        ("cubed", third_power, lambda g, out: g * 3.0 * out * out, False),
        ("cubed", third_power, lambda g, out: g * out.abs().pow(2.0 / 3.0), False),
        ("cubed", third_power, lambda g, x, out: g * 3.0 * out.abs().pow(2.0 / 3.0) + 0.0 * x, False),
        ("cubed", square_first, lambda g, out: g * 3.0 * out.abs().pow(2.0 / 3.0), False),
        ("cube", third_power, lambda g, out: g * 3.0 * out.abs().pow(2.0 / 3.0), False),
    ],
)
def test_a_cube_that_keeps_its_result(
    name: str, kernel: Callable[..., None], slope: Callable[..., Any], *, solved: bool
) -> None:
    verdict = your_own_operation.cubed_by_result(row=row(name, kernel, slope))
    assert verdict.solved == solved, verdict


# ---- lesson 14 ------------------------------------------------------------------------------------------------------


@pytest.fixture
def _simulated_gpu() -> Iterator[None]:
    paddle.set_device("gpu", simulate=True)
    yield
    paddle.set_device("cpu")


@pytest.mark.parametrize(
    ("n", "solved"),
    [
        (2049, True),
        (3000, True),
        (3071, True),
        (3000.0, True),
        (3, False),
        (700, False),
        (767, False),
        (2048, False),
        (3072, False),
        (3073, False),
        (12000, False),
    ],
)
def test_three_blocks(n: float, *, solved: bool) -> None:
    assert what_a_gpu_does.three_blocks(n=n).solved == solved


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("view", "solved"),
    [
        (lambda m: m[:, ::4], True),
        (lambda m: m[3:, 2::4], True),
        (lambda m: m.reshape([4096])[::4], True),
        (lambda m: m, False),
        (lambda m: m[:, :16], False),
        (lambda m: m[:, ::2], False),
        (lambda m: m[:, ::8], False),
        (lambda m: m[:, 0], False),
        (lambda m: m[::4], False),
        (lambda m: m[:, ::4].clone(), False),
        (lambda _: paddle.ones([64])[::4], False),
    ],
)
def test_a_quarter(view: Callable[[Any], Any], *, solved: bool) -> None:
    m = paddle.ones([64, 64])
    assert what_a_gpu_does.a_quarter(m=m, view=view(m)).solved == solved


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("view", "solved"),
    [
        (lambda line: line[1:33], True),
        (lambda line: line[4:36], True),
        (lambda line: line[67:99], True),
        (lambda line: line, False),
        (lambda line: line[:32], False),
        (lambda line: line[8:40], False),
        (lambda line: line[1:34], False),
        (lambda line: line[0:64:2], False),
        (lambda line: line[1:33].clone(), False),
        (lambda _: paddle.ones([100])[1:33], False),
    ],
)
def test_five_sectors(view: Callable[[Any], Any], *, solved: bool) -> None:
    line = paddle.ones([100])
    assert what_a_gpu_does.five_sectors(line=line, view=view(line)).solved == solved


@pytest.mark.parametrize(
    ("rest", "solved"),
    [
        ("x[1:].add_(x[:-1].clone())", True),
        ("x[1:] += x[:-1]", True),
        ("x[1:] = x[1:] + x[:-1]", True),
        ("old = x.clone()\nx[1:].add_(old[:-1])", True),
        ("x[1:].add_(x[:-1])", False),
        ("x.add_(x)", False),
        ("x = paddle.concat([x[:1], x[1:] + x[:-1]])", False),
        ("x[1:] = paddle.to_tensor([4., 5., 5.])", False),
        ("x = paddle.to_tensor([3., 4., 5., 5.])\nx.add_(0. * x)", False),
        ("x[1] += x[0]\nx[2] += x[1]\nx[3] += x[2]", False),
        ("x[:-1] += x[1:]", False),
        ("y = x.clone()\ny[1:].add_(x[:-1])", False),
    ],
)
def test_neighbours_in_any_order(rest: str, *, solved: bool) -> None:
    recording, _ = ran(f"x = paddle.to_tensor([3., 1., 4., 1.])\n{rest}")
    verdict = what_a_gpu_does.any_order(mine=recording)
    assert verdict.solved == solved, verdict


# ---- lesson 15 ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("one_by_one", "together", "solved"),
    [
        ((6, 4), (3, 1), True),
        ([6, 4], [3.0, 1.0], True),
        ((6, 4), (2, 1), True),
        ((4, 4), (3, 1), False),
        ((4, 6), (3, 1), False),
        ((6, 4), (1, 1), False),
        ((6, 4), (1, 3), False),
        ((6, 4), (3, 4), False),
        ((6, 4), (6, 1), False),
        ((10, 10), (4, 4), False),
        (10, 4, False),
    ],
)
def test_trips(one_by_one: Any, together: Any, *, solved: bool) -> None:
    assert who_moves_how_many_bytes.trips(one_by_one=one_by_one, together=together).solved == solved


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("made", "solved"),
    [
        (lambda: kernels.fuse("add_", "relu_"), True),
        (lambda: kernels.fuse("add_", "scale_", "relu_"), True),
        (lambda: kernels.fuse("add_", "relu_", "relu_"), True),
        (lambda: kernels.fuse("add", "relu"), False),
        (lambda: kernels.fuse("relu_", "add_"), False),
        (lambda: kernels.fuse("add_", "abs_"), False),
        (lambda: kernels.fuse("subtract_", "relu_"), False),
        (lambda: lambda x, y: x.add_(y).relu_(), False),
        (lambda: "add_, relu_", False),
    ],
)
def test_one_launch(made: Callable[[], Any], *, solved: bool) -> None:
    assert who_moves_how_many_bytes.one_launch(mine=made()).solved == solved


@pytest.mark.usefixtures("_simulated_gpu")
@pytest.mark.parametrize(
    ("mine", "solved"),
    [
        (lambda x, y: y.add_(x, alpha=2.0).relu_(), True),
        (lambda x, y: y.subtract_(x, alpha=-2.0).relu_(), True),
        (lambda x, y: paddle.nn.functional.relu_(paddle.add_(y, x, alpha=2)), True),
        (lambda x, y: x.scale_(2.0).add_(y).relu_(), False),
        (lambda x, y: x.add_(y, alpha=2.0).relu_(), False),
        (lambda x, y: y.add(x, alpha=2.0).relu(), False),
        (lambda x, y: y.add(x, alpha=2.0).relu_(), False),
        (lambda x, y: y.add_(x).add_(x).relu_(), False),
        (lambda x, y: y.add_(x, alpha=2.0), False),
        (lambda x, y: y.relu_().add_(x, alpha=2.0), False),
        (lambda x, y: kernels.fuse("scale_", "add_", "relu_")(x, y, scale=2.0), False),
    ],
)
def test_five_tensors(mine: Callable[[Any, Any], Any], *, solved: bool) -> None:
    verdict = who_moves_how_many_bytes.five_tensors(mine=mine)
    assert verdict.solved == solved, verdict


# ---- lesson 16 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("after_three", "solved"),
    [
        (4, True),
        (4.0, True),
        (np.int64(4), True),
        (0, False),
        (1, False),
        (3, False),
        (5, False),
        (6, False),
        ("4", False),
    ],
)
def test_the_version_after_three_epochs(after_three: Any, *, solved: bool) -> None:
    assert own_pytorch_program.weight_versions(after_three=after_three).solved == solved


@pytest.mark.parametrize(
    ("edits", "solved"),
    [
        (["swap", "again"], True),
        (("again", "swap"), True),
        ({"again", "swap"}, True),
        ([], False),
        (["swap"], False),
        (["again"], False),
        (["swap", "again", "quiet"], False),
        (["swap", "again", "detach"], False),
        (["quiet"], False),
        (["swap", "again", "quiet", "detach"], False),
        ("swap", False),
    ],
)
def test_edits_that_work(edits: Any, *, solved: bool) -> None:
    assert own_pytorch_program.edits_that_work(edits=edits).solved == solved


@pytest.mark.parametrize(
    ("epochs", "solved"),
    [
        (5, True),
        (5.0, True),
        (10 / 2, True),
        (4, False),
        (5.5, False),
        (6, False),
        (10, False),
        (11, False),
        (12, False),
    ],
)
def test_epochs_counted(epochs: float, *, solved: bool) -> None:
    assert own_pytorch_program.epochs_counted(epochs=epochs).solved == solved


TRAINED = """
import torch
layer = torch.nn.Linear(2, 1)
torch.nn.init.zeros_(layer.weight)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
for epoch in range(5):
    loss = layer(torch.ones(1, 2)).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        layer.weight.clamp_(-1, 1)
"""


@pytest.mark.oracle
def test_what_lesson_16_asks_about_is_so_in_pytorch() -> None:
    pytest.importorskip("torch")
    names: dict[str, Any] = {}
    exec(TRAINED, names)
    assert names["layer"].weight._version == 12


# ---- lessons 17 and 18 ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("collectives", "solved"),
    [(12, True), (12.0, True), (2 + 5 * 2, True)] + [(wrong, False) for wrong in (0, 2, 5, 6, 7, 10, 11, 15, 24, "12")],
)
def test_collectives_counted(collectives: Any, *, solved: bool) -> None:
    assert two_replicas.collectives_counted(collectives=collectives).solved == solved


@pytest.mark.parametrize(
    ("blamed", "solved"),
    [(12, True), (12.0, True), (np.int64(12), True)] + [(wrong, False) for wrong in (5, 8, 9, 10, 11, 13, "12")],
)
def test_the_blamed_line(blamed: Any, *, solved: bool) -> None:
    assert two_replicas.blamed_line(blamed=blamed).solved == solved


@pytest.mark.parametrize(
    ("pair", "solved"),
    [((6, 3), True), ((6.0, 3.0), True), ((2 * 3, 3), True)]
    + [(wrong, False) for wrong in ((2, 1), (3, 3), (3, 6), (6, 6), (6, 1), (9, 3), (6, 0))],
)
def test_collectives_of_a_network(pair: tuple[float, float], *, solved: bool) -> None:
    found = batch_norm_across_workers.collectives_of_a_network(in_forward=pair[0], in_backward=pair[1])
    assert found.solved == solved


@pytest.mark.parametrize(
    ("allowed", "solved"),
    [
        (["scale", "add", "matmul"], True),
        (("matmul", "add", "scale"), True),
        ({"matmul", "add", "scale"}, True),
        ([], False),
        (["scale"], False),
        (["scale", "add"], False),
        (["scale", "matmul"], False),
        (["scale", "add", "matmul", "tanh"], False),
        (["exp", "tanh", "sigmoid"], False),
        (["exp", "scale", "tanh", "add", "sigmoid", "matmul"], False),
        ("scale, add, matmul", False),
    ],
)
def test_what_may_come_before(allowed: Any, *, solved: bool) -> None:
    assert batch_norm_across_workers.allowed_before(allowed=allowed).solved == solved
