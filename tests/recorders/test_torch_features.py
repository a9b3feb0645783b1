"""Recordings of PyTorch programs, one feature each. (`test_torch_random.py` compares random programs with what PyTorch reports.)"""

from __future__ import annotations

import gc
import linecache
import subprocess
import sys
import textwrap
import weakref
from pathlib import Path
from typing import Any

import pytest

from inplacelab import record
from inplacelab.language import LANGUAGES, speak
from inplacelab.recording import Recording, from_json, sentence, to_json
from inplacelab_widgets import to_html, to_svg, to_text
from tests.recorders.runs import done, written

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.frameworks.torch.recorder import TorchRecorder  # noqa: E402  # they import PyTorch
from tests.recorders.torch_runs import bits, needs_saved, plain, remarks, run  # noqa: E402

pytestmark = pytest.mark.oracle

BEFORE = """
import torch.nn.functional as F
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
m = torch.arange(6.0).reshape(2, 3)
w = torch.tensor([0.5, -1.0], requires_grad=True)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x[1:]", ("getitem", "view")),
        ("y = x[[0, 1]]", ("getitem", "ordinary")),
        ("y = m.T", ("T", "view")),
        ("y = m.t().reshape(6)[:0]", ("reshape", "ordinary")),
        ("y = m.reshape(6)", ("reshape", "view")),
        ("y = x + 1", ("add", "ordinary")),
        ("y = 2 - x", ("rsub", "ordinary")),
        ("y = torch.zeros(2)", ("zeros", "create")),
        ("x += 1", ("add_", "in-place")),
        ("x[0] = 7", ("setitem", "in-place")),
        ("torch.add(x, 1, out=x)", ("add", "in-place")),
        ("F.relu(x, inplace=True)", ("relu", "in-place")),
        ("m.t_()", ("t_", "relayout")),
        ("m.resize_(8)", ("resize_", "relayout")),
        ("x.data = torch.zeros(2)", ("data", "reallocated")),
        ("y = x.data", ("data", "view")),
        ("y = x.detach()", ("detach", "view")),
        ("a, b = m", ("unbind", "view")),
        ("y = x", (None, None)),
        ("y = x.contiguous()", (None, None)),
        ("n = x.sum().item()", ("sum", "ordinary")),
        ("w.requires_grad_(False)", (None, None)),
    ],
)  # fmt: skip
def test_what_a_statement_does(text: str, expected: tuple[str | None, str | None]) -> None:
    ran = run(BEFORE + text)
    assert ran.failure is None
    assert expected in done(ran.recording, BEFORE.count("\n") + 1)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("x[1:3] = 0", [1, 2]),
        ("m[:, 1] = 0", [1, 4]),
        ("m.T[0] = 7", [0, 3]),
        ("x[[0, 2]] = 7", [0, 2]),
        ("x[x > 2] = 7", [2, 3]),
        ("m[torch.tensor([1]), 1:] = 7", [4, 5]),
        ("x.masked_fill_(x > 3, 0)", [3]),
        ("m.index_fill_(1, torch.tensor([2]), 0)", [2, 5]),
        ("x.scatter_(0, torch.tensor([1]), 5.0)", [1]),
        ("x.index_add_(0, torch.tensor([3]), torch.ones(1))", [3]),
        ("m[1].mul_(2)", [3, 4, 5]),
        ("x[None, ..., -1] = 3", [3]),
        ("torch._foreach_add_([x[:2]], 1.0)", [0, 1]),
        ("m.view(torch.int32)[0, 0] = 3", [0]),
    ],
)
def test_slots_written(text: str, slots: list[int]) -> None:
    assert written(run(BEFORE + text).recording, BEFORE.count("\n") + 1) == [slots]


def test_data_counts_its_writes_apart_and_detach_does_not() -> None:
    ran = run("x = torch.ones(2)\nd = x.data\ne = x.detach()\nd.add_(1)\ne.add_(1)\nx.add_(1)")
    state = ran.recording.state()
    by_name = {facts.names[0]: facts for facts in state.tensors.values()}
    assert by_name["x"].storage == by_name["d"].storage == by_name["e"].storage
    assert by_name["x"].counter == by_name["e"].counter != by_name["d"].counter
    versions = {name: state.counters[facts.counter].version for name, facts in by_name.items()}
    assert versions == {name: ran.names[name]._version for name in "xde"} == {"x": 2, "d": 1, "e": 2}


@needs_saved
def test_a_stale_value_is_explained_with_the_lines() -> None:
    ran = run("x = torch.ones(2, requires_grad=True)\ny = x * 2\nz = y * y\ny.add_(1)\nz.sum().backward()")
    step = ran.recording.steps[-1]
    assert step.error is not None
    assert step.error.message == str(ran.failure)
    state = ran.recording.state()
    assert state.nodes[step.error.node or 0].name == "MulBackward0"
    assert state.nodes[step.error.node or 0].status == "failed"
    said = sentence(ran.recording, step.index)
    assert "Line 3: kept: `MulBackward0` keeps" in said.en
    assert "Line 4: overwritten by `add_`" in said.en
    unpacked = [each.backward for each in ran.recording.steps if each.backward and each.backward.action == "unpack"]
    assert (unpacked[-1].kept_at, unpacked[-1].found_at) == (0, 1)


def test_a_second_pass_names_the_node_that_was_released() -> None:
    ran = run("x = torch.ones(2, requires_grad=True)\ny = (x * x).sum()\ny.backward()\ny.backward()")
    error = ran.recording.steps[-1].error
    assert error is not None
    assert "retain_graph=True" in str(error.fix)
    assert ran.recording.state().nodes[error.node or 0].name == "MulBackward0"


def test_an_error_that_the_program_handles_does_not_end_the_recording() -> None:
    text = """
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.add_(1)
    try:
        y.sum().backward()
    except RuntimeError:
        z = x * 3
    z.sum().backward()
    """
    ran = run(textwrap.dedent(text))
    assert ran.failure is None
    assert [step.kind for step in ran.recording.steps].count("error") == 1
    grads = [facts for facts in ran.recording.state().tensors.values() if facts.names == ("x.grad",)]
    assert [ran.recording.state().storages[facts.storage].values for facts in grads] == [(3.0, 3.0)]


def test_operations_of_hooks_belong_to_backward() -> None:
    text = """
    def double(g):
        return g * 2
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.register_hook(double)
    y.sum().backward()
    """
    ran = run(textwrap.dedent(text))
    kinds = [(step.op, step.phase) for step in ran.recording.steps]
    assert ("mul", "backward") in kinds
    assert kinds.count(("mul", "forward")) == 0
    assert torch.equal(ran.names["x"].grad, 2 * torch.ones(2).exp())


@needs_saved
def test_an_operation_whose_result_a_hook_packs_is_recorded() -> None:
    text = """
    def pack(value):
        return value.clone()
    x = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda value: value):
        y = x.exp()
    """
    recording = run(textwrap.dedent(text)).recording
    assert ("exp", "ordinary") in done(recording, 6)
    node = recording.state().nodes[recording.state().tensor("y").node or 0]
    assert (node.op, [saved.name for saved in node.saved]) == ("exp", ["out"])


def test_an_operation_that_the_program_defines_writes_what_it_says() -> None:
    text = """
    @torch.library.custom_op("inplacelab_test::fill", mutates_args=("x",))
    def fill(x: torch.Tensor) -> None:
        inside = x.detach()
        inside.fill_(3)
        inside.add_(1)
    a = torch.ones(2)
    fill(a)
    """
    recording = run(textwrap.dedent(text)).recording
    assert remarks(recording) == []
    assert [op for op, category in done(recording, 8) if category == "in-place"] == ["fill.default"]


def test_a_function_of_the_program_is_a_node() -> None:
    text = """
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a * a
        @staticmethod
        def backward(ctx, g):
            a, = ctx.saved_tensors
            return 3 * a * a * g
    x = torch.tensor([2.0], requires_grad=True)
    c = Cube.apply(x)
    c.backward()
    """
    ran = run(textwrap.dedent(text))
    state = ran.recording.state()
    (made,) = [facts for facts in state.tensors.values() if facts.names == ("c",)]
    assert state.nodes[made.node or 0].name == "CubeBackward"
    assert ran.names["x"].grad.item() == 12
    assert ("mul", "backward") in [(step.op, step.phase) for step in ran.recording.steps]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("with torch.inference_mode():\n    i = torch.ones(2) * 2", "Inference tensors"),
        ("s = torch.eye(3).to_sparse()", "such as sparse"),
        ("n = torch.ones(2).numpy()", "`numpy`"),
        ("p = [torch.ones(2)]\ntorch._fused_sgd_(p, [torch.ones(2)], [], lr=0.1, momentum=0.0, weight_decay=0.0, dampening=0.0, "
         "nesterov=False, maximize=False, is_first_step=False)", "without raising their versions"),
    ],
)  # fmt: skip
def test_what_cannot_be_seen_is_said(text: str, said: str) -> None:
    ran = run(text)
    assert ran.failure is None
    assert any(said in note.en for note in ran.recording.notes)


def test_another_version_than_tested_is_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert remarks(run("x = torch.ones(2)").recording) == []
    monkeypatch.setattr(torch, "__version__", "2.6.0")
    assert [note.en for note in run("x = torch.ones(2)").recording.notes if "2.6.0" in note.en] != []


def test_a_failing_recorder_stops_the_recording_and_not_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(TorchRecorder, "_report_result", fails)
    ran = run("x = torch.ones(2)\ny = x + 1\ny.requires_grad_()\n(y * 2).sum().backward()")
    assert ran.failure is None
    assert ran.names["y"].grad.tolist() == [2, 2]
    assert any("ValueError" in note.en for note in ran.recording.notes)
    assert torch.overrides._get_current_function_mode_stack() == []


def test_nothing_is_kept_alive() -> None:
    text = "x = torch.ones(1000, requires_grad=True)\ny = x * x\nkeep(y)\nl = y.sum()\nl.backward()\ndel y, l\ngone()"
    seen: list[Any] = []

    def keep(tensor: Any) -> None:
        seen.append((weakref.ref(tensor), tensor.untyped_storage()._weak_ref()))

    def gone() -> None:
        assert seen[0][0]() is None
        assert torch.UntypedStorage._expired(seen[0][1])

    ran = run(text, keep=keep, gone=gone)
    assert ran.failure is None
    live = ran.recording.steps[-1].live
    assert live == 2 * 4000  # `x` and its gradient
    gc.collect()


MODELS = """
torch.manual_seed(0)
net = torch.nn.Sequential({layers})
opt = torch.optim.{optimizer}
data, goal = torch.randn(8, 4), torch.randn(8, 2)
for k in range(3):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled={autocast}):
        loss = torch.nn.functional.mse_loss(net(data).float(), goal)
    loss.backward()
    opt.step()
a, b, c, d = [*net.parameters()][:4]
"""


@pytest.mark.parametrize("autocast", [False, True])
@pytest.mark.parametrize(
    ("layers", "optimizer"),
    [
        ("torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2)", "SGD(net.parameters(), lr=0.1, momentum=0.9, foreach=True)"),
        ("torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2)", "Adam(net.parameters(), foreach=True)"),
        ("torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.LayerNorm(8), torch.nn.Linear(8, 2)", "AdamW(net.parameters())"),
        ("torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 2)", "SGD(net.parameters(), lr=0.1, fused=True)"),
    ],
)  # fmt: skip
def test_training_gives_the_same_bits(layers: str, optimizer: str, autocast: bool) -> None:
    text = MODELS.format(layers=layers, optimizer=optimizer, autocast=autocast)
    ran, (names, error) = run(text), plain(text)
    assert ran.failure is error is None
    assert bits(ran.names) == bits(names)
    state = ran.recording.state()
    by_name = {name: facts for facts in state.tensors.values() for name in facts.names}
    for name, parameter in names["net"].named_parameters():
        facts = by_name.get(f"net.{name}") or by_name["abcd"[[*dict(names["net"].named_parameters())].index(name)]]
        assert state.storages[facts.storage].values == tuple(parameter.detach().reshape(-1).tolist())
        assert state.counters[facts.counter].version == parameter._version


def test_a_transformer_keeps_its_fast_path() -> None:
    text = """
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
    x = torch.randn(2, 3, 8)
    with torch.no_grad():
        y = layer(x)
    z = y + 1
    """
    text = textwrap.dedent(text)
    ran, (names, _) = run(text), plain(text)
    assert bits(ran.names) == bits(names)
    assert any("fast path" in note.en for note in ran.recording.notes)
    assert ("add", "ordinary") in done(ran.recording, 7)


@pytest.mark.filterwarnings("ignore")  # the compiler warns of its own code
def test_a_compiled_function_runs_compiled_and_is_not_recorded() -> None:
    text = """
    f = torch.compile(lambda t: t * 2 + 1, backend=backend, fullgraph=True)
    x = torch.ones(3, requires_grad=True)
    y = f(x)
    z = y * 3
    z.sum().backward()
    """
    graphs: list[Any] = []

    def backend(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    ran = run(textwrap.dedent(text), backend=backend)
    assert ran.failure is None
    assert len(graphs) == 1
    assert ran.names["x"].grad.tolist() == [6, 6, 6]
    assert any("torch.compile" in note.en for note in ran.recording.notes)
    assert done(ran.recording, 5) == [("mul", "ordinary")]
    (y,) = [facts for facts in ran.recording.state().tensors.values() if facts.names == ("y",)]
    assert ran.recording.state().nodes[y.node or 0].name == type(ran.names["y"].grad_fn).__name__


def in_block(text: str) -> Recording:
    """Runs a program inside `with record():`, as a script would."""
    script = f"with record() as block:\n{textwrap.indent(text, '    ')}"
    filename = "<block of a torch test>"
    linecache.cache[filename] = (len(script), None, script.splitlines(keepends=True), filename)
    names: dict[str, Any] = {"torch": torch, "record": record}
    exec(compile(script, filename, "exec"), names)
    recording: Recording = names["block"].recording
    return recording


def test_a_block_is_recorded() -> None:
    recording = in_block("x = torch.ones(2, requires_grad=True)\ny = x * 2\nv = y[0]\nv.add_(1)\ny.sum().backward()")
    assert recording.framework == "torch"
    assert [(step.line, step.op) for step in recording.steps if step.kind == "operation"] == [
        (1, "ones"), (2, "mul"), (3, "getitem"), (4, "add_"), (5, "sum"),
    ]  # fmt: skip
    assert torch.overrides._get_current_function_mode_stack() == []


def test_overlapping_blocks_end_in_any_order() -> None:
    engine = torch.autograd._engine_run_backward
    first, second = record(framework="torch"), record(framework="torch")
    first.__enter__()
    x = torch.ones(2)
    second.__enter__()
    x.add_(1)
    first.__exit__(None, None, None)
    x.mul_(2)
    second.__exit__(None, None, None)
    assert torch.overrides._get_current_function_mode_stack() == []
    assert torch.autograd._engine_run_backward is engine
    assert "set_" not in vars(torch.Tensor)
    assert first.recording is not None
    assert second.recording is not None
    assert [step.op for step in first.recording.steps if step.op] == ["ones", "add_"]
    assert [step.op for step in second.recording.steps if step.op] == ["add_", "mul_"]
    assert sys.gettrace() is None


def test_it_is_drawn_in_the_words_of_pytorch() -> None:
    text = "x = torch.ones(2, requires_grad=True)\ny = x * 2\nz = y * y\ny[0] = 1\nz.sum().backward()"
    recording = run(text).recording
    assert to_json(from_json(to_json(recording))) == to_json(recording)
    for language in LANGUAGES:
        with speak(language):
            said = [str(sentence(recording, step.index)) for step in recording.steps]
            shown = "\n".join([*said, *(to_text(recording, step=step.index) for step in recording.steps)])
            assert "requires_grad" in shown
            assert "stop_gradient" not in shown
            assert "addle" not in shown
            assert to_svg(recording).startswith("<svg")
            assert "</html>" in to_html(recording)


def test_the_limit_counts_what_is_left_out() -> None:
    recording = run("x = torch.ones(2)\nfor k in range(10):\n    x.add_(1)", limit=4).recording
    assert len(recording) == 4
    assert recording.truncated > 0


def test_a_parameter_counts_once_after_it_was_initialized() -> None:
    recording = run("net = torch.nn.Linear(2, 1)\nwith torch.no_grad():\n    net.bias.add_(1)").recording
    bias = recording.state().tensor("net.bias")
    assert recording.state().versions(bias.storage) == (2,)


WARNS = """
import torch, warnings
import torch.nn.functional as F
warnings.simplefilter("default")
for k in range(2):
    turned = torch.zeros(2, 3, 4).T
turned = torch.zeros(2, 3, 4).T
leaf = torch.zeros(2, requires_grad=True)
(leaf * 2).grad
F.mse_loss(torch.zeros(2, 1), torch.zeros(2))
torch.add(torch.zeros(2), 1, out=torch.zeros(3))
"""
FAILS = """
import torch
import torch.nn.functional as F
def inner(x):
    return F.linear(x, torch.zeros(3, 3)) if x.dim() == 2 else F.cross_entropy(x, torch.zeros(2))
inner(torch.zeros({}))
"""

RECORD = ("-m", "inplacelab", "record", "--format", "txt", "-o", "-")


def test_warnings_name_the_line_of_the_program(tmp_path: Path) -> None:
    script = tmp_path / "warns.py"
    script.write_text(WARNS)
    recorded, unrecorded = _process(*RECORD, str(script)), _process(str(script))
    assert unrecorded.count("UserWarning") == 4  # that of `.T` comes once
    assert recorded == unrecorded


@pytest.mark.parametrize("shape", ["(2, 4)", "4"])
def test_tracebacks_are_those_of_the_unrecorded_run(shape: str, tmp_path: Path) -> None:
    script = tmp_path / "fails.py"
    script.write_text(FAILS.format(shape))
    recorded, unrecorded = _process(*RECORD, str(script)), _process(str(script))
    assert "in inner" in unrecorded
    assert recorded == unrecorded


def _process(*arguments: str) -> str:
    """What a process of Python prints to its error output, without the remarks of `inplacelab record`."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False).stderr
