"""Recordings of PyTorch programs. (`test_torch_random.py` compares random ones with what PyTorch itself says of the unrecorded run.)"""

from __future__ import annotations

import ast
import linecache
from dataclasses import replace
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import record
from inplacelab.recorders.detection import Use, framework_used
from inplacelab.recording import Recording, Summary, from_json, queries, to_json
from inplacelab.recording.sentences import sentence
from inplacelab_widgets import to_html

torch = pytest.importorskip("torch")

from inplacelab.frameworks.torch.recorder import TorchRecorder  # noqa: E402  # it needs PyTorch
from tests.recorders.torch_runs import needs_saved, remarks, run  # noqa: E402  # it needs PyTorch

pytestmark = pytest.mark.oracle


def done(recording: Recording) -> list[tuple[int | None, str | None, str | None]]:
    """Line, operation and category of every operation."""
    return [(step.line, step.op, step.category) for step in recording.steps if step.kind == "operation"]


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
def test_the_number_that_a_write_multiplies_by_is_no_copy_of_what_it_overwrites() -> None:
    recording = run("""\
        a = torch.tensor([1.0, 2.0], requires_grad=True)
        b = a * 1
        b.mul_(3)
        b.sin_()
    """).recording
    of_mul, of_sin = (step for step in recording.steps if step.writes)
    state = recording.state(of_mul.index)
    node = state.tensor("b").node
    assert node is not None
    (saved,) = queries.kept_by(state, node)
    assert not saved.copy
    assert "copied first" not in sentence(recording, of_mul.index).en
    assert "copied first (8 bytes)" in sentence(recording, of_sin.index).en


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
        ("t = 1\nu = t + 1", Use("inplacelab")), ("t = t + 1", Use("torch")), ("t += 1", Use("torch")),
        ("if 0:\n    t = 1\nt + 1", Use("torch")), ("def f(): return t\nt = 1", Use("torch")),
    ],
)  # fmt: skip
def test_a_program_is_known_by_its_framework(text: str, use: Use) -> None:
    assert framework_used(ast.parse(text), {"t": torch.ones(1)}) == use


def test_names_that_earlier_cells_left_do_not_decide() -> None:
    text = "import torch\nx = torch.ones(2)\ny = x\nx += 1"
    left = {"x": paddle.ones([2]), "y": paddle.ones([2]), "paddle": paddle}
    assert framework_used(ast.parse(text), left) == Use("torch")


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
    assert (len(recording), recording.truncated) == (10, 1)


def test_tensors_die_when_the_program_drops_them() -> None:
    recording = run("x = torch.ones(1000)\ny = x * 2\ndel x\nz = y + 1\n").recording
    assert len(recording.state().storages) == 2
    assert recording.steps[-1].live == 8000


def test_a_write_that_does_not_raise_the_version_says_so() -> None:
    recording = run("""\
        x, mean, variance = torch.tensor([[1.0], [3.0]]), torch.zeros(1), torch.ones(1)
        torch.nn.functional.batch_norm(x, mean, variance, training=True)
        """).recording
    wrote = next(step for step in recording.steps if step.writes)
    assert f"The version of S{wrote.writes[0].storage} stays 0." in sentence(recording, wrote.index).en


def test_gradients_that_share_a_storage_are_written_one_after_the_other() -> None:
    recording = run("""\
        a, b = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
        v = torch.cat([a, b])
        v[1:].sum().backward(retain_graph=True)
        v.sum().backward()
        """).recording
    writes = [write for step in recording.on_line(4) for write in step.writes]
    assert [(write.slots, write.before, write.after) for write in writes] == [(((0, 2),), 0, 1), (((2, 4),), 1, 2)]
    assert recording.state().storage_of("a.grad").values == (1.0, 2.0, 2.0, 2.0)
    values = [[facts.values for _, facts in step.storages if facts] for step in recording.on_line(4) if step.writes]
    assert values == [[(1.0, 2.0, 1.0, 1.0)], [(1.0, 2.0, 2.0, 2.0)]]


def test_views_of_one_storage_in_a_list_are_written_one_after_the_other() -> None:
    ran = run("""\
        flat = torch.zeros(5)
        a, b = flat[:2], flat[2:]
        torch._foreach_add_([a, b], 1.0)
        torch._foreach_add_([a], [b[:2]])
        """)
    writes = [
        (write.tensor, write.slots, write.before, write.after) for step in ran.recording.steps for write in step.writes
    ]
    state = ran.recording.state()
    a, b = state.tensor("a").id, state.tensor("b").id
    assert writes == [(a, ((0, 2),), 0, 1), (b, ((2, 5),), 1, 2), (a, ((0, 2),), 2, 3)]
    values = [facts.values for step in ran.recording.on_line(3) for _, facts in step.storages if facts]
    assert values == [(1.0, 1.0, 0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 1.0, 1.0)]
    assert state.version("flat") == ran.names["flat"]._version


@pytest.mark.parametrize("many", [3, 5000])
def test_writes_of_fused_optimizers_are_found_whatever_they_write(many: int) -> None:
    recording = run(f"""\
        w = torch.zeros({many}, requires_grad=True)
        optimizer = torch.optim.SGD([w], lr=1.0, fused=True)
        w.sum().backward()
        optimizer.step()
        """).recording
    (wrote,) = [step for step in recording.on_line(4) if step.writes]
    assert wrote.op == "_fused_sgd_"
    values = recording.state().storage_of("w").values
    held = values.head if isinstance(values, Summary) else values
    assert held is not None
    assert held[:3] == (-1.0, -1.0, -1.0)


def test_statistics_that_are_written_again_in_a_pass_are_found() -> None:
    recording = run("""\
        from torch.utils.checkpoint import checkpoint
        norm = torch.nn.BatchNorm1d(1)
        x = torch.ones(2, 1, requires_grad=True)
        checkpoint(norm, x, use_reentrant=False).sum().backward()
        done = 1
        """).recording
    assert recording.state().storage_of("norm.running_mean").values == pytest.approx((0.19,))


NAMES = """
net, more = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2)), torch.nn.ModuleList()
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
xs, known = [torch.ones(1)], {}
"""
CHANGES = (
    "net[0].weight = torch.nn.Parameter(torch.ones(2, 2))",
    "net[0].weight, net[0].bias = torch.nn.Parameter(torch.ones(2, 2)), None",
    "net[0] = torch.nn.Linear(2, 2)",
    "net.add_module('last', net[0])",
    "net[0].register_buffer('b', torch.ones(1))",
    "net[0]._parameters['v'] = net[0]._parameters.pop('weight')",
    "net.held = torch.ones(1)",
    "more.append(torch.nn.Linear(1, 1))",
    "net(torch.ones(3, 2)).sum().backward(); opt.step()",
    "opt.state[net[0].bias]['seen'] = torch.ones(1)",
    "xs.append(torch.ones(1))",
    "xs[0] = torch.zeros(1)",
    "known['x'] = xs[0]",
    "known['y'] = known.pop('x')",
    "net[0].bias = None",
    "del net[1]",
)


@pytest.mark.parametrize("change", CHANGES)
def test_names_are_those_that_a_scan_of_everything_finds(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{NAMES}known['x'] = xs[0]\nn = 0\n{change}\nm = 1\n{change}\nk = 1\n"
    quick = run(text)
    monkeypatch.setattr(TorchRecorder, "watched", replace(TorchRecorder.watched, marks=None))
    assert _names(quick.recording) == _names(run(text).recording)
    assert quick.recording.on_line(9), "nothing happens there"


def _names(recording: Recording) -> list[list[tuple[int, tuple[str, ...]]]]:
    """The tensors that each step has changed, with their names."""
    return [[(number, each.names) for number, each in step.tensors if each is not None] for step in recording.steps]


@pytest.mark.parametrize("read", ["x.dim()", "x.grad", "x.item()", "x.numel()"])
def test_a_write_that_was_not_seen_is_told_when_the_tensor_is_read(read: str) -> None:
    text = f"x = torch.ones(())\nwith torch._C.DisableTorchFunction(): x.add_(1)\n{read}\n"
    assert len(remarks(run(text).recording)) == 1


@pytest.mark.filterwarnings("error")
def test_nothing_warns_of_gradients_that_the_program_does_not_read() -> None:
    ran = run(
        "x = torch.ones(2, requires_grad=True)\ny = x * 2\nn = y.size()\nv = y[:1]\nn = v.dim(), x.split(1)[0].dim()"
    )
    assert ran.failure is None
    assert [note.en for note in ran.recording.notes] == []
