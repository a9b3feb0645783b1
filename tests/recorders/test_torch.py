"""Recordings of PyTorch programs, compared with what PyTorch itself says of the unrecorded run."""

from __future__ import annotations

import ast
import linecache
import re
import warnings
from typing import Any

import pytest

from inplacelab import record
from inplacelab.recorders.detection import Use, framework_used
from inplacelab.recording import Recording, from_json, queries, to_json
from inplacelab_widgets import to_html
from tests.tiers import examples

torch = pytest.importorskip("torch")

from tests.recorders.torch_programs import program, results_in, run_plainly  # noqa: E402  # they need PyTorch
from tests.recorders.torch_runs import needs_saved, remarks, run  # noqa: E402

pytestmark = pytest.mark.oracle
BATCH = 25


def done(recording: Recording) -> list[tuple[int | None, str | None, str | None]]:
    """Line, operation and category of every operation."""
    return [(step.line, step.op, step.category) for step in recording.steps if step.kind == "operation"]


# ---- random programs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", range(0, examples(200), BATCH))
def test_a_recording_says_what_pytorch_says(first: int) -> None:
    for seed in range(first, first + BATCH):
        lines = program(seed)
        truth, recorded = run_plainly(lines), run("\n".join(lines))
        error = "" if recorded.failure is None else f"{type(recorded.failure).__name__}: {recorded.failure}"
        assert error == truth.error, seed
        assert results_in(recorded.names) == truth.results, seed
        assert all("CopySlices" in each for each in remarks(recorded.recording)), seed
        for number, tensors in enumerate(truth.after, 1):
            _agrees(recorded.recording, number, tensors, f"program {seed}, line {number}: {lines[number - 1]}")
        if not error:
            _leads_to_the_same_nodes(recorded.recording, lines, f"program {seed}")


def _agrees(recording: Recording, line: int, tensors: dict[str, Any], where: str) -> None:
    state = recording.after_line(line)
    for name, said in tensors.items():
        tensor = state.tensor(name)
        assert state.version(name) == said.version, (where, name)
        assert (tensor.shape, tensor.strides, tensor.offset) == said.layout, (where, name)
        assert tensor.needs_gradient == said.needs, (where, name)
        assert said.leaf in (None, tensor.leaf), (where, name)
        assert queries.visible_values(state, name) == pytest.approx(said.values, nan_ok=True), (where, name)
        for other, another in tensors.items():
            assert queries.shares_storage(state, name, other) == (said.storage == another.storage), (where, name, other)


def _leads_to_the_same_nodes(recording: Recording, lines: list[str], where: str) -> None:
    state, names = recording.state(), {"torch": torch}
    exec("\n".join(lines), names)
    for name, tensor in names.items():
        if not isinstance(tensor, torch.Tensor) or tensor._base is not None:
            continue
        node = state.tensor(name).node
        assert (tensor.grad_fn is None) == (node is None), (where, name)
        if node is not None:
            assert state.nodes[node].name == _named(tensor.grad_fn), (where, name)
            after = [_named(each) for each, _ in tensor.grad_fn.next_functions if each is not None]
            assert [state.nodes[edge.to].name for edge in state.nodes[node].edges] == after, (where, name)
        elif tensor.grad is not None:
            found = queries.visible_values(state, state.tensors[state.tensor(name).grad or 0])
            assert found == pytest.approx(tensor.grad.reshape(-1).tolist(), nan_ok=True), (where, name)


def _named(node: Any) -> str:
    return str(node.name().rpartition("::")[2])


@needs_saved
@pytest.mark.parametrize("first", range(0, examples(1200), 300))
def test_the_node_that_fails_is_the_one_that_anomaly_mode_names(first: int) -> None:
    found = unseen = 0
    for seed in range(first, first + 300):
        lines = program(seed)
        error = run_plainly(lines).error
        if "modified by an inplace" not in error:
            continue
        last = run("\n".join(lines)).recording
        fact = last.steps[-1].error
        assert fact is not None
        if fact.node is None:  # the operation inside a CopySlices, which Python cannot see
            unseen += 1
            continue
        node = last.state().nodes[fact.node]
        assert (node.name, node.line) == _anomaly(lines), (seed, lines)
        assert error.partition("version ")[2].startswith(str(last.steps[-2].backward.found_at)), seed  # type: ignore[union-attr]
        found += 1
    assert found > 10
    assert unseen < found / 5


def _anomaly(lines: list[str]) -> tuple[str, int]:
    """The node that fails, and the line that made it."""
    with warnings.catch_warnings(record=True) as said, torch.autograd.set_detect_anomaly(True, check_nan=False):
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError):
            exec(compile("\n".join(lines), "<anomaly>", "exec"), {"torch": torch})
    text = "".join(str(each.message) for each in said)
    name = re.search(r"Error detected in (\w+)", text)
    assert name is not None
    return name[1], int(re.findall(r'File "<anomaly>", line (\d+)', text)[-1])


# ---- kinds of operation ---------------------------------------------------------------------------------------------------------


def test_one_write_changes_three_tensors() -> None:
    recording = run("""\
        x = torch.zeros(2, 3)
        row = x[0]
        column = x[:, 0]
        row += 1
        x[1] = 5.
        """).recording
    assert done(recording) == [
        (1, "zeros", "create"), (2, "getitem", "view"), (3, "getitem", "view"), (4, "add_", "in-place"), (5, "setitem", "in-place"),
    ]  # fmt: skip
    assert [write.slots for step in recording.steps for write in step.writes] == [((0, 3),), ((3, 6),)]
    state = recording.state()
    assert [state.version(name) for name in ("x", "row", "column")] == [2, 2, 2]
    assert queries.visible_values(state, "column") == (1.0, 5.0)


def test_data_counts_apart_and_detach_does_not() -> None:
    state = run("""\
        x = torch.ones(3)
        a, b = x.data, x.detach()
        a.add_(1)
        b.add_(1)
        """).recording.state()
    assert [state.version(name) for name in ("x", "a", "b")] == [1, 1, 1]
    assert state.tensor("a").counter != state.tensor("b").counter == state.tensor("x").counter
    assert queries.visible_values(state, "x") == (3.0, 3.0, 3.0)


def test_other_memory() -> None:
    recording = run("""\
        x = torch.ones(2)
        x.data = torch.zeros(4)
        y = torch.empty(2)
        y.set_(x)
        y.add_(1)
        """).recording
    state = recording.state()
    assert queries.shares_storage(state, "x", "y")
    assert state.tensor("x").shape == (4,)
    assert queries.visible_values(state, "x") == (1.0, 1.0, 1.0, 1.0)


def test_a_training_loop() -> None:
    run_ = run("""\
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(inplace=True), torch.nn.Linear(4, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, foreach=True)
        x, t = torch.randn(2, 3), torch.randn(2, 1)
        for step in range(3):
            opt.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                y = net(x)
            y.register_hook(lambda g: g * 1)
            loss = torch.nn.functional.mse_loss(y.float(), t)
            loss.backward()
            opt.step()
        """)
    assert run_.failure is None
    recording = run_.recording
    assert remarks(recording) == []
    state = recording.state()
    weight = run_.names["net"][0].weight
    assert state.version("net.0.weight") == weight._version == 4
    assert queries.visible_values(state, "net.0.weight") == pytest.approx(weight.reshape(-1).tolist())
    passes = [step for step in recording.steps if step.backward and step.backward.action == "begin"]
    assert [step.line for step in passes] == [11, 11, 11]
    hooks = [step for step in recording.steps if step.op == "mul" and step.phase == "backward"]
    assert [step.line for step in hooks] == [9, 9, 9]
    assert state.tensor("net.0.weight").grad is not None
    assert "</html>" in to_html(recording)
    assert to_json(from_json(to_json(recording))) == to_json(recording)


def test_leaves_are_filled_in_the_pass() -> None:
    recorded = run("""\
        w = torch.ones(2, requires_grad=True)
        (w * w).sum().backward()
        (w * 3).sum().backward()
        """)
    recording = recorded.recording
    ran = [step for step in recording.steps if step.backward and step.backward.action == "run"]
    names = [
        recording.before(recording.steps.index(step)).nodes[step.backward.node or 0].name
        for step in ran
        if step.backward
    ]
    assert names == ["SumBackward0", "MulBackward0", "AccumulateGrad"] * 2
    assert queries.visible_values(recording.state(), "w.grad") == (5.0, 5.0)
    assert recording.state().version("w.grad") == recorded.names["w"].grad._version


@needs_saved
def test_the_error_names_the_saved_value() -> None:
    ran = run("""\
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        z = y * y
        y.add_(1)
        z.sum().backward()
        """)
    assert isinstance(ran.failure, RuntimeError)
    last = ran.recording.steps[-1]
    assert last.error is not None
    assert last.error.message == str(ran.failure)
    state = ran.recording.state()
    assert last.error.node is not None
    assert (state.nodes[last.error.node].name, state.nodes[last.error.node].line) == ("MulBackward0", 3)
    assert last.error.storage == state.tensor("y").storage


def test_an_error_that_is_not_about_versions_is_shown() -> None:
    ran = run("x = torch.ones(3)\nx.add_(torch.ones(2))\n")
    assert ran.recording.steps[-1].error is not None
    assert ran.recording.steps[-1].line == 2


# ---- the ways in, and out -------------------------------------------------------------------------------------------------------


def test_a_block() -> None:
    text = "with record() as rec:\n    x = torch.ones(2)\n    v = x[1:]\n    v += 2\n    del v\n"
    linecache.cache["<torch block>"] = (len(text), None, text.splitlines(keepends=True), "<torch block>")
    names: dict[str, Any] = {"record": record, "torch": torch}
    exec(compile(text, "<torch block>", "exec"), names)
    recording = names["rec"].recording
    assert recording.framework == "torch"
    assert done(recording) == [(1, "ones", "create"), (2, "getitem", "view"), (3, "add_", "in-place")]


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("import torch", Use("torch")), ("import torch\nimport numpy as np", Use("torch")), ("t + 1", Use("torch")),
        ("import inplacelab\nimport torch", Use("inplacelab", ("torch",))),
    ],
)  # fmt: skip
def test_a_program_is_known_by_its_framework(text: str, use: Use) -> None:
    assert framework_used(ast.parse(text), {"t": torch.ones(1)}) == use


def test_nothing_is_left_behind() -> None:
    before = torch.autograd._engine_run_backward
    ran = run("x = torch.ones(2, requires_grad=True)\n(x * x).sum().backward()\nraise KeyError(1)\n")
    assert isinstance(ran.failure, KeyError)
    assert torch.autograd._engine_run_backward is before
    assert not torch.overrides._get_current_function_mode_stack()


def test_the_program_s_own_mode_stays_in_force() -> None:
    ran = run("""\
        from torch.overrides import TorchFunctionMode
        seen = []
        class Own(TorchFunctionMode):
            def __torch_function__(self, func, types, args=(), kwargs=None):
                seen.append(func.__name__)
                return func(*args, **(kwargs or {}))
        own = Own()
        own.__enter__()
        x = torch.ones(2)
        x.add_(1)
        """)
    assert ran.names["own"] in torch.overrides._get_current_function_mode_stack()
    ran.names["own"].__exit__(None, None, None)
    assert ran.names["seen"][:2] == ["ones", "add_"]
    assert done(ran.recording) == [(6, "ones", "create"), (6, "add_", "in-place")]


def test_the_limit_is_kept() -> None:
    recording = run("x = torch.ones(2)\nfor k in range(50):\n    x.add_(1)\n", limit=10).recording
    assert len(recording) <= 10
    assert recording.truncated > 30


def test_tensors_die_when_the_program_drops_them() -> None:
    recording = run("x = torch.ones(1000)\ny = x * 2\ndel x\nz = y + 1\n").recording
    assert len(recording.state().storages) == 2
    assert recording.steps[-1].live == 8000
