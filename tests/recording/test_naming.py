"""A tensor that the line under way will name is called by that name, marked as coming; and only if the line did name it."""

from __future__ import annotations

import pytest

from inplacelab.place import Place
from inplacelab.recording import Recording, sentence
from inplacelab.recording.naming import edge_names, kept_values, naming, namings
from inplacelab.recording.quiz.memory import on_storage
from inplacelab.recording.recording import Called, coming_names
from inplacelab.recording.sentences.phrases import StepContext
from inplacelab.recording.statements import by_statement
from tests.recorders.golden.renew import PROGRAMS, run
from tests.recorders.runs import run as run_with
from tests.subtests import for_each

START = "x = paddle.to_tensor([1., 2.], stop_gradient=False)\n"


def names_used(text: str) -> list[tuple[str, ...]]:
    """What the tensors are called after each step that follows the first line, those that are only coming with an arrow."""
    return called(run(START + text).recording)[1:]


def called(recording: Recording) -> list[tuple[str, ...]]:
    return [tuple(name for key in state.tensors for name in state.called(key).shown) for state in recording.states()]


CASES: dict[str, tuple[str, list[tuple[str, ...]]]] = {
    "one operation": ("y = x * 2.\n", [("x", "y")]),
    "a chain in place": ("y = (x * 2.).relu_()\n", [("x", "→y"), ("x", "y")]),
    "a temporary of a chain": ("y = (x * 2.).exp()\n", [("x", "T1"), ("x", "y")]),
    "a name bound again": (
        "x = (x * 2.).scale_(2.).relu_()\n",
        [("x", "→x"), ("x", "→x"), ("T0", "x")],
    ),
    "a name bound again, the old one kept": (
        "y = x\nx = (x * 2.).relu_()\n",
        [("x", "y"), ("x", "y", "→x"), ("y", "x")],
    ),
    "several names": ("a = b = (x * 2.).relu_()\n", [("x", "→a", "→b"), ("x", "a", "b")]),
    "only shown": ("(x * 2.).relu_()\n", [("x", "T1"), ("x",)]),
    "a line that fails": (
        "y = (x * 2.).relu_().reshape([5])\n",
        [("x", "T1"), ("x", "T1"), ("x", "T1")],
    ),
    "a name deleted on its line": (
        "y = (x * 2.).relu_(); z = y.exp(); del y\n",
        [("x", "→y"), ("x", "y"), ("x", "y", "z"), ("x", "z")],
    ),
    "each turn of a loop": (
        "y = x\nfor k in range(2):\n    y = (y * 2.).relu_()\n",
        [("x", "y"), ("x", "y", "→y"), ("x", "y"), ("x", "y", "→y"), ("x", "y")],
    ),
    "each turn of a loop of one line": (
        "y = x.detach()\nfor k in range(2): y = (y * 2.).relu_()\n",
        [("x", "y"), ("x", "y", "→y"), ("x", "y"), ("x", "y", "→y"), ("x", "y")],
    ),
    "places of a list": ("ys = [x * k for k in (1., 2.)]\n", [("x", "→ys[0]"), ("x", "ys[0]", "ys[1]")]),
    "an attribute": (
        "class Box: pass\nbox = Box()\nbox.full = (x * 2.).relu_()\n",
        [("x",), ("x", "→box.full"), ("x", "box.full")],
    ),
    "a name of a function": (
        "def f(t):\n    u = (t * 2.).relu_()\n    return u.exp()\ny = f(x)\n",
        [("x", "t"), ("x", "t", "→u"), ("x", "t", "u"), ("x", "y")],
    ),
    "the result of a function": (
        "def f(t):\n    return (t * 2.).relu_()\ny = f(x).scale_(3.)\n",
        [("x", "t"), ("x", "t", "→y"), ("x", "t", "→y"), ("x", "y")],
    ),
    "what waits for a function": (
        "def f():\n    return x.exp()\ny = (x * 2.).add_(f())\n",
        [("x", "→y"), ("x", "→y", "T2"), ("x", "y")],
    ),
    "what was out of sight": (
        "get = (lambda t: lambda: t)(x * 3.)\ny = get().scale_(2.).relu_()\n",
        [("x", "T1"), ("x", "→y"), ("x", "y")],
    ),
}


@for_each(("text", "expected"), CASES.values(), ids=lambda case: case[0])
def test_what_tensors_are_called(text: str, expected: list[tuple[str, ...]]) -> None:
    assert names_used(text) == expected


def test_what_an_optimizer_remembers_is_called_so_while_its_first_step_runs() -> None:
    recording = run(
        START + "opt = paddle.optimizer.Adam(0.1, parameters=[x])\n(x * x).sum().backward()\nopt.step()\n"
    ).recording
    shown = {name for names in called(recording)[:-1] for name in names if name.startswith("→")}
    assert "→opt.moment1[0]" in shown
    assert "opt.moment1[0]" in called(recording)[-1]


def test_it_says_which_line_will_bind_the_name() -> None:
    recording = run(START + "def f(t):\n    return (t * 2.).relu_()\ny = f(x).scale_(3.)\n").recording
    state = next(state for state in recording.states() if state.step.line == 3)
    assert state.called(1) == Called(1, ("y",), Place(4))
    assert sentence(recording, state.step.index).en.count("`→y` will be named `y` when line 4 is done.") == 1


def test_a_tensor_that_was_out_of_sight_is_called_otherwise_though_nothing_of_it_changes() -> None:
    text = "get = (lambda t: lambda: t)(x.detach() * 3.)\nz = 1.\ny = get().scale_(2.).relu_()\n"
    recording = run(START + text).recording
    begun = [(step.line, state.awaited) for state in recording.states() for step in [state.step] if state.awaited]
    (key,) = coming_names(recording.steps)
    assert begun == [(4, (key,))]
    assert key not in dict(next(step for step in recording.steps if step.line == 4).tensors)


def test_sentences_tell_the_new_x_from_the_old_one() -> None:
    recording = run(START + "y = x\nx = (x * 2.).relu_()\n").recording
    making, binding = (sentence(recording, index) for index in (2, 3))
    assert "read `x` (also called `y`) and put its result, `→x`, into a new storage S1" in making.en
    assert "`→x` will be named `x` when the line is done; until then `x` is still the tensor in S0." in making.en
    assert "`→x` 要到这一行执行完才得名 `x`，在此之前 `x` 仍是 S0 上的张量。" in making.zh
    assert "From now on" not in making.en
    assert "through `x`." in binding.en
    assert "From now on `x` is the name of the result; `y` is as it was." in binding.en
    assert "→`" not in binding.en.replace("→ ", "")


def test_what_backward_keeps_and_passes_on_is_coming_as_well() -> None:
    recording = run(START + "x = (x * 2.).relu_().scale_(2.)\n").recording
    shown = []
    for state in recording.states()[2:]:
        relu = next(node for node in state.nodes.values() if node.name == "ReluGradNode")
        passed = edge_names(recording)[relu.id, relu.edges[0].to]
        shown.append(
            (str(naming(recording, state, relu.id, relu.saved[0]).brief), passed.name, passed.is_coming(state))
        )
    assert shown == [("`→x`", "x", True), ("`x`", "x", False)]


def test_a_question_calls_it_as_the_picture_does_that_it_is_asked_beside() -> None:
    recording = run(START + "y = (x * 2.).relu_()\n").recording
    assert str(on_storage(StepContext(recording, 2), 1)) == "S1 (`→y`)"
    assert str(StepContext(recording, 2).called_until_now(1)) == "`→y`"
    assert str(StepContext(recording, 2).called_before(1)) == "`y`"


@for_each("name", sorted(PROGRAMS))
def test_no_name_is_said_to_come_that_does_not(name: str) -> None:
    recording = run(PROGRAMS[name]).recording
    for key, spans in recording.coming.items():
        for first, binds, names in spans:
            between = [recording.state(step) for step in range(first, binds.index)]
            assert between
            assert {state.tensors[key].names for state in between} == {()}
            assert {state.called(key) for state in between} == {Called(key, names, binds.place)}
            assert recording.state(binds.index).called(key) == Called(key, names)


LINEAR = """\
net = torch.nn.Linear(2, 3)
x = torch.ones([4, 2], requires_grad=True)
y = net(x[1:] * 2)
z = (x[:2] @ x[2:]) * 2
p = torch.nn.functional.max_pool2d((x * 1)[None, None], 2)
"""


def test_operands_have_the_names_of_the_documentation_and_not_those_of_derivatives() -> None:
    """A `Linear` is computed by `addmm`, whose derivative calls what it keeps `mat1` and `mat2`."""
    pytest.importorskip("torch")
    recording = run_with(LINEAR, "torch").recording
    said = {
        node.name: [each.short.en for each in namings(recording, state, key, node.saved)]
        for state in recording.states()
        for key, node in state.step.nodes
        if node is not None and node.saved
    }
    assert said["AddmmBackward0"] == ["`x[1:] * 2` (operand `input`)", "`net.weight`"]
    assert sorted(said["MmBackward0"]) == ["`x[2:]` (operand 2)", "`x[:2]` (operand 1)"]
    assert "self" not in str(said)
    assert "result1" not in str(said)


def test_a_statement_has_the_names_of_its_events() -> None:
    pytest.importorskip("torch")
    recording = run_with(LINEAR, "torch").recording
    whole = by_statement(recording)
    assert len(whole) < len(recording)
    for key, node in whole.state().nodes.items():
        names = [[each.short for each in namings(each, each.state(), key, node.saved)] for each in (recording, whole)]
        assert names[0] == names[1]
    assert {kept.step for kept in kept_values(whole).values()} <= {None, *range(len(whole))}
