"""Tests that recording has no effect on values, gradients, versions, errors and memory."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, device, errors, modes
from inplacelab.backends import CPU

Runner = Callable[..., Any]

MORE = [
    "a = paddle.to_tensor([1., 2.], stop_gradient=False)\nx = (a * 2).sin_()\n(g,) = paddle.grad(x.sum(), a, create_graph=True)\n"
    "(h,) = paddle.grad(g.sum(), a)\n",
    "a = paddle.rand([3]); a.stop_gradient = False\nx = a * 2\nx.retain_grads()\nx.register_hook(lambda g: g * 3)\n(x * x).sum().backward()\n",
    "class Half(paddle.nn.Layer):\n    def forward(self, x):\n        return paddle.nn.functional.relu_(x.scale(0.5))\n"
    "y = Half()(paddle.to_tensor([-2., 2.]))\n",
    "x = paddle.zeros([0, 3])\ny = x[0:0].t().exp_()\nz = paddle.to_tensor(2.).square_()\n",
    "c = paddle.to_tensor([1j, 2.])\nc.multiply_(c)\nb = paddle.to_tensor([True, False])\nn = paddle.to_tensor([float('nan')]) + 1\n",
    "x = paddle.ones([2])\nx.add_(paddle.ones([3]))\n",
]


def plain(text: str) -> tuple[dict[str, Any], BaseException | None]:
    """Runs the program without a recorder."""
    names: dict[str, Any] = {"paddle": paddle}
    try:
        exec(compile(text, "<program>", "exec"), names)
    except Exception as error:  # noqa: BLE001  # compared with that of the recorded run
        return names, error
    return names, None


def facts(value: Any) -> Any:
    """Returns the properties of a variable that are compared."""
    if not isinstance(value, Tensor):
        return value if isinstance(value, int | float | str) else type(value).__name__
    grad = None if value.grad is None else facts(value.grad)
    history = None if value.grad_fn is None else value.grad_fn.name()
    return (
        value.numpy().tobytes(), value.shape, value.strides, value.offset, value.dtype, value.stop_gradient, value.is_leaf,
        value.inplace_version, history, grad,
    )  # fmt: skip


def compared(run: Runner, text: str) -> None:
    paddle.seed(0)
    names, error = plain(text)
    paddle.seed(0)
    recorded = run(text)
    assert type(recorded.error) is type(error)
    assert str(recorded.error) == str(error)
    shown = {n: facts(v) for n, v in names.items() if not n.startswith("__")}
    assert {n: facts(recorded.names[n]) for n in shown} == shown


def test_the_golden_programs(run: Runner, program: str) -> None:
    compared(run, program)


@pytest.mark.parametrize("text", MORE)
def test_more_programs(run: Runner, text: str) -> None:
    compared(run, text)


MEASURED = """\
start = paddle.device.memory_allocated()
paddle.device.reset_max_memory_allocated()
a = paddle.ones([1000])
a.stop_gradient = False
b = a * 2
b.sin_()
row = b[:10]
row.exp_()
b.sum().backward()
peak = paddle.device.max_memory_allocated() - start
end = paddle.device.memory_allocated() - start
"""


def test_the_program_measures_the_same_peak(run: Runner) -> None:
    gc.collect()  # nothing of an earlier test may be freed while this one measures
    names, _ = plain(MEASURED)
    recorded = run(MEASURED)
    assert (recorded.names["peak"], recorded.names["end"]) == (names["peak"], names["end"])
    assert names["peak"] > 0


def test_the_session_keeps_its_own_peak(run: Runner) -> None:
    device.reset_max_memory_allocated()
    big = paddle.ones([10_000])
    del big
    peak = device.max_memory_allocated()
    recording = run("x = paddle.ones([10])\n").recording
    assert device.max_memory_allocated() == peak
    assert recording.steps[-1].peak < peak


def test_nothing_is_kept_alive(run: Runner, program: str) -> None:
    gc.collect()
    before = CPU.ledger.live
    recorded = run(program)
    tensors = [weakref.ref(v) for v in recorded.names.values() if isinstance(v, Tensor)]
    recording = recorded.recording
    del recorded
    gc.collect()  # a function and its globals hold each other, and so do an exception and its traceback
    assert [t for t in tensors if t() is not None] == []
    assert CPU.ledger.live == before
    assert len(recording) > 0


LOOP = """\
{head}
    x = paddle.ones([1000])
    paddle.device.reset_max_memory_allocated()
    start = paddle.device.memory_allocated()
    for _ in range(4):
        x = x.scale(0.5).relu_()
    peak = paddle.device.max_memory_allocated() - start
    end = paddle.device.memory_allocated() - start
{tail}
"""


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("if True:", ""),
        ("def f():", "    return peak, end\npeak, end = f()"),
        ("class C:", "peak, end = C.peak, C.end"),
        ("def f():\n  def g():\n   return x\n  if True:", "  return peak, end\npeak, end = f()"),
    ],
    ids=["module", "function", "class", "closure"],
)
def test_nothing_lives_longer_while_it_is_recorded(run: Runner, head: str, tail: str) -> None:
    gc.collect()
    recorded = run(LOOP.format(head=head, tail=tail))
    assert recorded.error is None
    assert (recorded.names["peak"], recorded.names["end"]) == (4000, 0)


def test_no_observer_is_left(run: Runner) -> None:
    run("x = paddle.ones([2])\nx.add_(1)\n")
    assert modes.current().listeners == ()
    assert errors.watchers == []


def test_two_recorders_hear_the_same(run: Runner) -> None:
    with paddle.record() as outer:
        inner = run("x = paddle.ones([2])\ny = x.scale_(2.)\n").recording
    assert outer.recording is not None
    assert [s.op for s in outer.recording.steps if s.op] == [s.op for s in inner.steps if s.op] == ["ones", "scale_"]


def test_recordings_that_overlap_change_neither_results_nor_peaks() -> None:
    def program() -> list[Any]:
        device.reset_max_memory_allocated()
        before = device.memory_allocated()
        x = paddle.ones([100])
        x.stop_gradient = False
        y = x.exp()
        z = y * y
        z.sum().backward()
        del y
        grad = x.grad
        assert grad is not None
        return [grad.tolist(), device.max_memory_allocated() - before]

    plain = program()
    first, second = paddle.record(), paddle.record()
    with first:
        once = program()
        second.__enter__()
        twice = program()
    again = program()
    second.__exit__(None, None, None)
    assert plain == once == twice == again == program()


def test_the_recording_is_not_touched_by_what_happens_later(run: Runner) -> None:
    recorded = run("x = paddle.ones([2])\n")
    before = repr(recorded.recording.steps)
    recorded.names["x"].zero_()
    assert repr(recorded.recording.steps) == before
    assert np.array_equal(recorded.recording.state().storage_of("x").values, [1.0, 1.0])


def test_a_program_that_is_run_again_counts_what_it_did_the_first_time() -> None:
    """Its names release the objects of the first run, as in a notebook."""
    names: dict[str, Any] = {}
    counts = []
    for _ in range(2):
        with paddle.record() as block:
            names["x"] = paddle.ones([100])
            names["y"] = names["x"] * 2
            names["y"].relu_()
        assert block.recording is not None
        counts.append([(step.live, step.peak) for step in block.recording.steps])
    assert counts[0] == counts[1] == [(400, 400), (800, 800), (800, 800)]


def test_one_recording_inside_another() -> None:
    old = paddle.ones([1000])
    with paddle.record() as outer:
        x = paddle.ones([100])
        with paddle.record() as inner:
            y = paddle.ones([10])
            del x
        del old
        z = paddle.ones([1])
    assert outer.recording is not None
    assert inner.recording is not None
    assert [(s.live, s.peak) for s in inner.recording.steps][-1] == (40, 40)
    assert [(s.op, s.live, s.peak) for s in outer.recording.steps if s.op] == [
        ("ones", 400, 400), ("ones", 440, 440), ("ones", 44, 440),
    ]  # fmt: skip
    assert (y.size, z.size) == (10, 1)
