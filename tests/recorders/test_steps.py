"""Tests the steps of recordings: their lines, the bindings of names, and what was written, saved and freed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from inplacelab.language import LANGUAGES
from inplacelab.recording import Recording, Summary, queries, sentence

Runner = Callable[..., Any]


def steps(recording: Recording) -> list[tuple[int | None, str | None]]:
    """Returns line and operation of every step outside backward."""
    return [(s.line, s.op if s.kind == "operation" else s.kind) for s in recording.steps if s.kind != "backward"]


def names(recording: Recording, step: int = -1) -> set[tuple[str, ...]]:
    return {t.names for t in recording.state(step).tensors.values() if t.names}


# ---- lines and operations -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = paddle.ones([2])\ny = x\n", [(1, "ones"), (2, "line")]),
        ("x = paddle.ones([2]).scale_(2.).add_(paddle.zeros([2]))\n", [(1, "ones"), (1, "scale_"), (1, "zeros"), (1, "add_")]),
        ("x = paddle.ones([2])\nfor k in range(2):\n    x.scale_(k)\n", [(1, "ones"), (3, "scale_"), (3, "scale_")]),
        ("def f(x):\n    return x * 2\n\ny = f(\n    paddle.ones([2]))\n", [(5, "ones"), (2, "scale")]),
        ("x = paddle.ones([2])\nx[0] = 3.\nv = x[0]\nw = x[[1]]\n", [(1, "ones"), (2, "setitem"), (3, "getitem"), (4, "getitem")]),
        ("x = paddle.ones([2, 2])\nx.set_value([[1., 2.], [3., 4.]])\n", [(1, "ones"), (2, "set_value")]),
        ("x = paddle.ones([2])\nif float(x[0]) > 0:\n    x.zero_()\n", [(1, "ones"), (2, "getitem"), (3, "zero_")]),
        ("x = paddle.ones([2]) + 1 - 1\nx += 1\n", [(1, "ones"), (1, "scale"), (1, "scale"), (2, "scale")]),
        ("with paddle.no_grad():\n    x = paddle.ones([1])\nimport math\ny = math.pi\n", [(2, "ones"), (4, "line")]),
        ("xs = [paddle.ones([1]) for _ in range(2)]\n", [(1, "ones"), (1, "ones")]),
    ],
)  # fmt: skip
def test_lines_and_operations(run: Runner, text: str, expected: list[tuple[int, str]]) -> None:
    found = steps(run(text).recording)
    assert [each for each in found if each[1] != "line" or each in expected] == expected


def test_the_sign_of_a_zero_is_recorded(run: Runner) -> None:
    written, *_ = run("x = paddle.zeros([2])\nx.scale_(-1.)\n").recording.state().storages.values()
    assert repr(written.values) == "(-0.0, -0.0)"


@pytest.mark.parametrize(
    ("write", "category"),
    [
        ("x.scale_(2.)", "in-place"), ("x * 2", "ordinary"), ("x[0]", "view"), ("x.detach()", "view"), ("x.t_()", "relayout"),
        ("x.cast_('float64')", "reallocated"), ("x.t().reshape([4])", "ordinary"), ("paddle.zeros([1])", "create"),
        ("x.__setitem__(0, 1.)", "in-place"), ("x.set_value(x * 1)", "in-place"), ("x.add_(x.cast('float64'))", "reallocated"),
    ],
)  # fmt: skip
def test_categories(run: Runner, write: str, category: str) -> None:
    recording = run(f"x = paddle.ones([2, 2])\n{write}\n").recording
    last = [s for s in recording.steps if s.kind == "operation"][-1]
    assert (last.line, last.category) == (2, category)


def test_what_was_written_through_whom(run: Runner) -> None:
    recording = run("b = paddle.zeros([2, 3])\ncolumn = b[:, 1]\ncolumn.fill_(4.)\nb[1] = 5.\nb.t_()\n").recording
    fill, item, turn = (recording.on_line(line)[0] for line in (3, 4, 5))
    state = recording.state()
    assert [(w.before, w.after, w.slots) for w in fill.writes] == [(0, 1, ((1, 2), (4, 5)))]
    assert fill.writes[0].tensor == state.tensor("column").id
    assert [(w.before, w.after, w.slots) for w in item.writes] == [(1, 2, ((3, 6),))]
    assert [(w.before, w.after, w.slots) for w in turn.writes] == [(2, 3, ())]
    assert queries.visible_values(recording.after_line(3), "b") == (0.0, 4.0, 0.0, 0.0, 4.0, 0.0)
    assert state.tensor("b").strides == (1, 3)
    assert queries.shares_storage(state, "b", "column")


def test_versions_and_who_raised_them(run: Runner) -> None:
    recording = run("x = paddle.ones([2])\nx.zero_()\nv = x[:1]\nv.add_(v)\n").recording
    state = recording.state()
    storage = state.storage_of("x").id
    assert state.version("x") == state.version("v") == 2
    assert state.versions(storage) == (2,)
    assert [step.line for step, _ in queries.who_raised(recording, storage)] == [2, 4]


# ---- names ------------------------------------------------------------------------------------------------------------


def test_two_names_are_one_tensor(run: Runner) -> None:
    recording = run("x = paddle.ones([2])\ny = x\ndel x\ny = None\n").recording
    assert [names(recording, k) for k in range(4)] == [{("x",)}, {("x", "y")}, {("y",)}, set()]
    assert recording.state().tensors == {}
    assert recording.state().storages == {}


def test_names_of_functions_lists_layers_and_gradients(run: Runner) -> None:
    text = (
        "def double(x):\n    y = x * 2\n    z = y + 1\n    return z\nx = paddle.ones([2])\nx.stop_gradient = False\nout = double(x)\n"
        "pair = [out, out * 2]\nnet = paddle.nn.Linear(2, 1)\nout.sum().backward()\n"
    )
    recording = run(text).recording
    inside = next(s.index for s in recording.steps if s.line == 3 and s.kind == "operation")
    assert {("x",), ("y",)} <= names(recording, inside)
    assert {("x",), ("x.grad",), ("out", "pair[0]"), ("pair[1]",), ("net.weight",), ("net.bias",)} <= names(recording)


def test_a_local_name_that_hides_a_global(run: Runner) -> None:
    recording = run("def f(t):\n    x = t * 2\n    return x + 1\nx = paddle.ones([1])\ny = f(x)\n").recording
    inside = next(s.index for s in recording.steps if s.line == 2 and s.kind == "operation")
    assert {("x", "t"), ("f: x",)} <= names(recording, inside)


def test_flags_that_a_line_sets(run: Runner) -> None:
    recording = run("x = paddle.ones([2])\nx.stop_gradient = False\n").recording
    assert [recording.state(k).tensor("x").needs_gradient for k in range(2)] == [False, True]


# ---- the history --------------------------------------------------------------------------------------------------------


def test_kept_rewired_and_backward(run: Runner) -> None:
    text = "a = paddle.to_tensor([1., 2.], stop_gradient=False)\nb = a * 2\nv = b[0]\nv.sin_()\nloss = b.sum()\nloss.backward()\n"
    recording = run(text).recording
    (write,) = recording.on_line(4)
    state = recording.after_line(4)
    assert {r.tensor for r in write.rewired} == {state.tensor("b").id, state.tensor("v").id}
    (kept,) = [s for node in state.nodes.values() for s in node.saved]
    assert (kept.name, kept.copy, kept.version) == ("x", True, 0)
    actions = [(s.backward.action, s.phase) for s in recording.on_line(6) if s.backward is not None]
    assert actions[0] == ("begin", "backward")
    assert actions[-1][0] == "end"
    assert ("unpack", "backward") in actions
    final = recording.state()
    assert queries.visible_values(final, "a.grad") == pytest.approx((2 * -0.41614683654, 2.0))
    assert all(node.released or not node.saved for node in final.nodes.values())


def test_memory_is_recorded_at_every_step(run: Runner) -> None:
    recording = run("x = paddle.ones([100])\ny = x * 2\ndel x\nz = y[:10]\n").recording
    assert [(s.live - recording.steps[0].live + 400, s.peak - recording.steps[0].peak + 400) for s in recording.steps] == [
        (400, 400), (800, 800), (400, 800), (400, 800),
    ]  # fmt: skip


def test_large_storages_are_summarized(run: Runner) -> None:
    recording = run("x = paddle.arange(5000)\nx[4999] = -3\ne = paddle.empty([3])\n").recording
    values = recording.after_line(2).storage_of("x").values
    assert isinstance(values, Summary)
    assert (values.minimum, values.maximum) == (None, None)  # not worth looking at 5000 slots for
    assert values.runs == ((4999, (-3,)),)
    assert values.tail[-1] == -3
    before = recording.after_line(1).storage_of("x").values
    assert isinstance(before, Summary)
    assert (before.minimum, before.maximum) == (0, 4999)
    assert recording.state().storage_of("e").values is None


def test_simulated_devices_are_labeled(run: Runner) -> None:
    recording = run("paddle.set_device('gpu', simulate=True)\nx = paddle.ones([2])\n").recording
    assert recording.simulated
    assert recording.state().tensor("x").device == "gpu:0 simulated"
    assert not run("paddle.set_device('cpu')\nx = paddle.ones([2])\n").recording.simulated


# ---- errors -------------------------------------------------------------------------------------------------------------


def test_a_stale_value_is_explained_by_the_recording(run: Runner) -> None:
    text = "a = paddle.to_tensor([1.], stop_gradient=False)\nb = a * 2\nc = b * b\nv = b[:]\nv.zero_()\nc.backward()\n"
    recorded = run(text)
    last = recorded.recording.steps[-1]
    assert (last.kind, last.line, last.error.type) == ("error", 6, "RuntimeError")
    *notes, fix = recorded.error.__notes__
    assert notes == [str(note) for note in last.error.notes]
    assert notes == [
        "Line 3: kept: `MultiplyGradNode` keeps `b`, its first and second operands (float32 [1]) at version 0.",
        "Line 5: overwritten by `zero_` through `v`, a view of `b` (`b[:]`, line 4): version 0 → 1.",
        "Line 6: needed here: it finds version 1.",
    ]
    assert fix == f"In this program: {last.error.fix}"
    assert "call `c.backward()` before line 5; or put `b = b.clone()` before line 4" in fix
    assert "Line 5" not in str(recorded.error)


def test_a_value_that_is_overwritten_twice(run: Runner) -> None:
    text = (
        "a = paddle.to_tensor([1.], stop_gradient=False)\nb = a * 2\nc = b * b\nb.zero_()\nb.scale_(3.)\nc.backward()\n"
    )
    _, first, second, *_ = run(text).error.__notes__
    assert first == "Line 4: overwritten by `zero_`: version 0 → 1."
    assert second == "Line 5: overwritten by `scale_`: version 1 → 2."


def test_an_error_that_the_program_catches_is_a_step(run: Runner) -> None:
    text = (
        "w = paddle.ones([1])\nw.stop_gradient = False\ntry:\n    w.zero_()\nexcept ValueError:\n    pass\nx = w * 2\n"
    )
    recorded = run(text)
    assert recorded.error is None
    assert [(s.line, s.error.type) for s in recorded.recording.steps if s.error] == [(4, "ValueError")]
    assert recorded.recording.steps[-1].op == "scale"


@pytest.mark.parametrize(
    ("text", "line", "error"),
    [
        ("x = paddle.ones([2])\n1 / 0\n", 2, "ZeroDivisionError"),
        ("def f():\n    raise KeyError('k')\nf()\n", 2, "KeyError"),
        ("x = paddle.ones([2])\nx.nothing\n", 2, "AttributeError"),
        ("import json\njson.loads('{')\n", 2, "JSONDecodeError"),
        ("x = paddle.ones([2])\nx + paddle.ones([3])\n", 2, "ValueError"),
        ("x = paddle.ones([2])\nx.backward()\n", 2, "ValueError"),
    ],
)
def test_a_program_that_raises_is_recorded_up_to_there(run: Runner, text: str, line: int, error: str) -> None:
    recorded = run(text)
    last = recorded.recording.steps[-1]
    assert (last.kind, last.line, last.error.type) == ("error", line, error)
    assert type(recorded.error).__name__ == error
    assert last.error.message == str(recorded.error)


def test_after_an_error_in_backward_the_program_goes_on(run: Runner) -> None:
    text = (
        "a = paddle.to_tensor([1.], stop_gradient=False)\nb = a * 2\nc = b * b\nb.zero_()\ntry:\n    c.backward()\nexcept RuntimeError:\n"
        "    pass\nd = (a * 3).sum()\nd.backward()\n"
    )
    recording = run(text).recording
    assert queries.visible_values(recording.state(), "a.grad") == (3.0,)
    assert [s.phase for s in recording.on_line(9)] == ["forward", "forward"]


def test_an_error_in_a_backward_of_the_learners_own_is_the_last_step(run: Runner) -> None:
    text = (
        "class Own(paddle.autograd.PyLayer):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        (x,) = ctx.saved_tensor()\n        return g * x\n"
        "a = paddle.ones([2])\na.stop_gradient = False\nx = a * 1\ny = Own.apply(x)\nx.zero_()\ny.sum().backward()\n"
    )
    recorded = run(text)
    assert isinstance(recorded.error, RuntimeError)
    assert recorded.recording.steps[-1].error is not None


# ---- limits -------------------------------------------------------------------------------------------------------------


def test_a_recording_that_was_cut_says_so(run: Runner) -> None:
    recorded = run("x = paddle.ones([1])\nfor k in range(50):\n    x.scale_(1.)\n", limit=10)
    assert len(recorded.recording) == 10
    assert recorded.recording.truncated == 1  # at least: it ended there
    assert recorded.names["x"].inplace_version == 50


@pytest.mark.parametrize("limit", [1, 4, 9, 20])
def test_as_many_steps_are_kept_as_the_limit_says(run: Runner, limit: int) -> None:
    text = """\
x = paddle.ones([2])
x.stop_gradient = False
for k in range(3):
    y = x * 2 + 1
    z = y
    (y * x).sum().backward()
    del y
"""
    whole, cut = run(text).recording, run(text, limit=limit).recording
    # How many iterations there would have been is not known then. The last step may still have been amended.
    uncounted = [
        replace(step, loops=tuple(replace(each, count=None) for each in step.loops))
        for step in whole.steps[: limit - 1]
    ]
    assert [*cut.steps[: limit - 1]] == uncounted
    assert len(cut) == limit
    assert 0 < cut.truncated <= len(whole) - limit


def test_an_error_after_the_limit(run: Runner) -> None:
    recorded = run(
        "a = paddle.ones([1])\na.stop_gradient = False\nb = a * 2\nc = b * b\nb.zero_()\nc.backward()\n", limit=3
    )
    assert isinstance(recorded.error, RuntimeError)
    assert recorded.recording.truncated > 0


def test_every_step_has_a_sentence_in_both_languages(run: Runner, program: str) -> None:
    recording = run(program).recording
    for step in recording.steps:
        words = sentence(recording, step.index)
        for language in LANGUAGES:
            said = words.in_language(language)
            assert said.rstrip(")）")[-1] in ".。:："
            assert "0x" not in said


def test_a_gradient_has_its_name_as_soon_as_it_is_there(run: Runner) -> None:
    recording = run("a = paddle.ones([2])\na.stop_gradient = False\na.scale(3.0).backward()\n").recording
    *_, filled, end = (step for step in recording.steps if step.backward)
    assert (filled.backward.action, end.backward.action) == ("run", "end")
    assert recording.state(filled.index).storage_of("a.grad").values == (3.0, 3.0)
