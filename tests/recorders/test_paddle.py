"""Recordings of PaddlePaddle programs, one feature each. (`test_paddle_random.py` compares random programs with what Paddle reports.)"""

from __future__ import annotations

import ast
import gc
import linecache
import textwrap
import threading
import weakref
from typing import Any

import pytest

from inplacelab import record
from inplacelab.language import LANGUAGES, speak
from inplacelab.recorders.detection import Use, framework_used
from inplacelab.recording import from_json, queries, sentence, to_json
from inplacelab_widgets import to_html, to_svg, to_text
from tests.recorders.runs import done, written

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

from tests.recorders.paddle_runs import bits, flat, plain, remarks, run  # noqa: E402  # it needs PaddlePaddle

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

BEFORE = """
import paddle.nn.functional as F
x = paddle.to_tensor([1.0, 2.0, 3.0, 4.0])
m = paddle.arange(6.0).reshape([2, 3])
w = paddle.to_tensor([0.5, -1.0], stop_gradient=False)
"""


# ---- statements -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x[1:]", ("getitem", "view")),
        ("y = x[[0, 1]]", ("getitem", "ordinary")),
        ("y = m.T", ("transpose", "view")),
        ("y = m.reshape([6])", ("reshape", "view")),
        ("y = m.T.reshape([6])", ("reshape", "ordinary")),
        ("y = x + 1", ("add", "ordinary")),
        ("y = 2 - x", ("rsub", "ordinary")),
        ("y = x * x", ("multiply", "ordinary")),
        ("y = paddle.exp(x)", ("exp", "ordinary")),
        ("y = paddle.to_tensor([2.0])", ("to_tensor", "create")),
        ("x.add_(x)", ("add_", "in-place")),
        ("x[0] = 7.0", ("setitem", "in-place")),
        ("F.relu_(x)", ("relu_", "in-place")),
        ("paddle.add(x, x, out=x)", ("add", "in-place")),
        ("x.set_value(x + 1)", ("set_value", "in-place")),
        ("x.copy_(x + 1, True)", ("copy_", "in-place")),
        ("m.unsqueeze_(0)", ("unsqueeze_", "relayout")),
        ("m.cast_('float64')", ("cast_", "reallocated")),
        ("x.data = paddle.zeros([2])", ("data", "reallocated")),
        ("y = x.data", ("data", "view")),
        ("y = x.detach()", ("detach", "view")),
        ("a, b = m.unbind()", ("unbind", "view")),
        ("a, b = x.split(2)", ("split_with_num", "ordinary")),
        ("y = x", (None, None)),
        ("y = w.clone()", ("clone", "ordinary")),
        ("w.stop_gradient = True", (None, None)),
    ],
)
def test_what_a_statement_does(text: str, expected: tuple[str | None, str | None]) -> None:
    ran = run(BEFORE + text)
    assert ran.failure is None
    assert expected in done(ran.recording, BEFORE.count("\n") + 1)


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("x[1:3] = 0.0", [1, 2]),
        ("m[:, 1] = 0.0", [1, 4]),
        ("m.T[0] = 7.0", [0, 3]),
        ("x[[0, 2]] = 7.0", [0, 2]),
        ("x[x > 2] = 7.0", [2, 3]),
        ("m[paddle.to_tensor([1]), 1:] = 7.0", [4, 5]),
        ("m[1].add_(m[1])", [3, 4, 5]),
        ("x[None, ..., -1] = 3.0", [3]),
        ("x[-1] = 3.0", [3]),
        ("x[:0] = 3.0", []),
    ],
)
def test_slots_written(text: str, slots: list[int]) -> None:
    assert written(run(BEFORE + text).recording, BEFORE.count("\n") + 1) == [slots]


def test_a_method_that_calls_another_is_one_step() -> None:
    recording = run("x, y = paddle.zeros([3]), paddle.ones([3])\nx.set_value(y)\n").recording
    assert [(step.op, step.kind) for step in recording.on_line(2)] == [("set_value", "operation")]
    (read,) = recording.on_line(2)[0].reads
    assert read.copied
    assert read.tensor == recording.state().bound("y")


def test_one_counter_for_base_views_and_aliases() -> None:
    ran = run("x = paddle.ones([2])\nd = x.data\ne = x.detach()\nv = x[1:]\nd.add_(d)\ne.add_(e)\nv.add_(v)")
    state = ran.recording.state()
    assert len({state.tensor(name).counter for name in "xdev"}) == 1
    assert state.version("x") == ran.names["x"].inplace_version == 3


def test_a_write_through_a_view_leaves_the_base_its_node() -> None:
    text = """
    a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    x = a * 2
    v = x[1:]
    v.multiply_(a[:1])
    """
    state = run(text).recording.state()
    names = {name: state.nodes[state.tensor(name).node or 0].name for name in ("x", "v")}
    assert names == {"x": "ScaleGradNode", "v": "MultiplyGradNode"}


def test_flags_that_the_program_sets() -> None:
    text = """
    x = paddle.ones([2])
    x.stop_gradient = False
    (x * x).sum().backward()
    x.clear_gradient(False)
    """
    recording = run(text).recording
    flags = [recording.after_line(line).tensor("x") for line in (2, 3, 4, 5)]
    assert [each.needs_gradient for each in flags] == [False, True, True, True]
    assert [each.grad is None for each in flags] == [True, True, False, True]


def test_a_write_under_no_grad_of_a_value_that_needs_a_gradient_clears_stop_gradient() -> None:
    names, _ = plain(
        text := """
        a = paddle.to_tensor([1., 2.], stop_gradient=False)
        b = a * 2
        c = b[:1]
        d = b.detach()
        with paddle.no_grad():
            d[:1] = c
        e = b.detach()
        with paddle.no_grad():
            e[:0] = c
        f = b.detach()
        with paddle.no_grad():
            f[:1] = 1.
    """.replace("        ", "")
    )
    state = run(text).recording.after_line(13)
    for name in "def":
        assert state.tensor(name).needs_gradient is not names[name].stop_gradient, name
    assert not names["d"].stop_gradient


def test_a_copy_of_another_shape_changes_the_shape_of_the_aliases() -> None:
    recording = run("a = paddle.ones([2])\nd = a.detach()\na.copy_(paddle.ones([1]), True)").recording
    assert [recording.after_line(3).tensor(name).shape for name in "ad"] == [(1,), (1,)]


def test_a_gradient_is_one_tensor_however_often_it_is_asked_for() -> None:
    text = """
    x = paddle.ones([2])
    x.stop_gradient = False
    (x * x).sum().backward()
    g = x.grad
    y = x.grad + g
    x.clear_grad()
    """
    recording = run(text).recording
    state = recording.after_line(6)
    assert state.tensor("g").id == state.tensor("x").grad
    assert recording.after_line(7).tensor("g").id == state.tensor("x").grad
    assert queries.visible_values(recording.state(), "g") == (0.0, 0.0)
    assert done(recording, 7) == [("clear_gradient", "in-place")]


# ---- backward -------------------------------------------------------------------------------------------------------------------


def test_what_nodes_have_saved_is_marked_as_inferred() -> None:
    recording = run("x = paddle.to_tensor([2.0], stop_gradient=False)\ny = x.exp()\nz = y * x").recording
    state = recording.state()
    saved = {
        state.nodes[state.tensor(name).node or 0].name: state.nodes[state.tensor(name).node or 0].saved
        for name in ("y", "z")
    }
    assert [each.name for each in saved["ExpGradNode"]] == ["out"]
    assert [each.name for each in saved["MultiplyGradNode"]] == ["x", "y"]
    assert all(each.inferred for many in saved.values() for each in many)
    assert any("is marked as inferred" in note.en for note in recording.notes)
    assert "inferred" in to_text(recording)


def test_leaves_are_filled_in_the_pass() -> None:
    recorded = run("""\
        w = paddle.ones([2])
        w.stop_gradient = False
        (w * w).sum().backward()
        (w * 3).sum().backward()
        """)
    recording = recorded.recording
    ran = [step for step in recording.steps if step.backward and step.backward.action == "run"]
    names = [recording.before(step.index).nodes[step.backward.node or 0].name for step in ran if step.backward]
    assert names == [
        "SumGradNode", "MultiplyGradNode", "GradNodeAccumulation", "SumGradNode", "ScaleGradNode", "GradNodeAccumulation",
    ]  # fmt: skip
    assert queries.visible_values(recording.state(), "w.grad") == (5.0, 5.0)


def test_a_gradient_in_memory_that_the_pass_has_freed_has_its_own_values() -> None:
    text = (
        "x = paddle.ones([3])\nx.stop_gradient = False\nz = paddle.exp(x * 2) * paddle.full([3], 5.0)\nz.backward()\n"
    )
    for _ in range(12):  # where memory lies differs from run to run
        ran = run(text)
        found = queries.visible_values(ran.recording.state(), "x.grad")
        assert found == flat(ran.names["x"].grad)


def test_a_stale_value_is_explained_with_the_lines() -> None:
    ran = run(
        "x = paddle.to_tensor([1.0], stop_gradient=False)\ny = x * 2\nz = y * y\ny.scale_(3.0)\nz.sum().backward()"
    )
    step = ran.recording.steps[-1]
    assert step.error is not None
    assert step.error.message == str(ran.failure)
    state = ran.recording.state()
    assert state.nodes[step.error.node or 0].name == "MultiplyGradNode"
    assert state.nodes[step.error.node or 0].status == "failed"
    assert step.error.storage == state.tensor("y").storage
    said = sentence(ran.recording, step.index)
    assert "Line 3: kept: `MultiplyGradNode` keeps `y`" in said.en
    assert "Line 4: overwritten by `scale_`" in said.en
    unpacked = [each.backward for each in ran.recording.steps if each.backward and each.backward.action == "unpack"]
    assert (unpacked[-1].kept_at, unpacked[-1].found_at) == (0, 1)


def test_of_several_stale_values_the_first_that_backward_reaches_is_taken() -> None:
    text = """
    x = paddle.to_tensor([1.0], stop_gradient=False)
    y = x * 2
    z = y * y
    z = z * y.sin()
    y.scale_(3.0)
    z.sum().backward()
    """
    ran = run(text)
    error = ran.recording.steps[-1].error
    assert error is not None
    node = ran.recording.state().nodes[error.node or 0]
    assert (node.name, node.line) == ("MultiplyGradNode", 4)
    assert any("Several nodes had saved" in each for each in remarks(ran.recording))


def test_a_second_pass_names_the_node_that_was_released() -> None:
    ran = run("x = paddle.to_tensor([1.0], stop_gradient=False)\ny = (x * x).sum()\ny.backward()\ny.backward()")
    error = ran.recording.steps[-1].error
    assert error is not None
    assert "retain_graph=True" in str(error.fix)
    assert ran.recording.state().nodes[error.node or 0].name == "SumGradNode"


def test_grad_releases_nothing_and_fills_nothing() -> None:
    text = """
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    u = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = (x * u).sum()
    (g,) = paddle.grad(y, x)
    """
    recording = run(text).recording
    state = recording.state()
    assert state.tensor("x").grad is None
    assert queries.visible_values(state, "g") == (1.0, 2.0)
    assert not any(node.released for node in state.nodes.values())
    ran = [step.backward for step in recording.steps if step.backward and step.backward.action == "run"]
    assert [state.nodes[each.node or 0].name for each in ran] == ["SumGradNode", "MultiplyGradNode"]


def test_an_error_that_the_program_handles_does_not_end_the_recording() -> None:
    text = """
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x.exp()
    k = y * y
    y.scale_(2.0)
    try:
        k.sum().backward()
    except RuntimeError:
        z = x * 3
    z.sum().backward()
    """
    ran = run(text)
    assert ran.failure is None
    assert [step.kind for step in ran.recording.steps].count("error") == 1
    assert queries.visible_values(ran.recording.state(), "x.grad") == (3.0, 3.0)


def test_operations_of_hooks_belong_to_backward() -> None:
    text = """
    def double(g):
        return g * 2
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x.exp()
    y.register_hook(double)
    y.sum().backward()
    """
    ran = run(text)
    kinds = [
        (step.op if step.backward is None else step.backward.action, step.phase)
        for step in ran.recording.steps
        if step.phase == "backward"
    ]
    at = kinds.index(("multiply", "backward"))
    assert kinds[at - 1][0] == "run"  # of the sum, and the exponential has not run
    assert ("unpack", "backward") in kinds[at:]
    assert ran.names["x"].grad.tolist() == pytest.approx((2 * paddle.to_tensor([1.0, 2.0]).exp()).tolist())


def test_a_layer_of_the_program_is_one_operation_and_one_node() -> None:
    text = """
    class Cube(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            b = a * a
            return b * a
        @staticmethod
        def backward(ctx, g):
            a, = ctx.saved_tensor()
            return 3 * a * a * g
    x = paddle.to_tensor([2.0], stop_gradient=False)
    c = Cube.apply(x)
    c.backward()
    """
    ran = run(text)
    state = ran.recording.state()
    assert state.nodes[state.tensor("c").node or 0].name == "GradNodePyLayer_Cube"
    assert ran.names["x"].grad.item() == 12
    forward = [step.op for step in ran.recording.steps if step.kind == "operation" and step.phase == "forward"]
    assert forward == ["to_tensor", "Cube"]
    assert [step.op for step in ran.recording.steps if step.kind == "operation" and step.phase == "backward"] == [
        "multiply"
    ] * 3
    assert not any("`GradNodePyLayer_Cube`" in each for each in remarks(ran.recording))


def test_what_the_forward_of_a_layer_has_saved_is_told() -> None:
    """Paddle gives `saved_tensor()` back without comparing versions."""
    text = """
    class Product(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, {0})
            return a * b
        @staticmethod
        def backward(ctx, g):
            return g, g
    x, y = paddle.ones([2]) * 2, paddle.ones([2])
    x.stop_gradient = False
    z = Product.apply(x, y)
    """
    ran = run(text.replace("{0}", "b"))
    state = ran.recording.state()
    saved = state.nodes[state.tensor("z").node or 0].saved
    assert [(each.name, each.storage) for each in saved] == [
        ("saved_tensor()[0]", state.tensor("x").storage), ("saved_tensor()[1]", state.tensor("y").storage)
    ]  # fmt: skip
    part = run(text.replace("{0}", "a + b")).recording
    assert any("`GradNodePyLayer_Product`" in each for each in remarks(part))


# ---- training -------------------------------------------------------------------------------------------------------------------

TRAINING = """
import numpy as np
paddle.seed(0)
class Data(paddle.io.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, k):
        return np.array([k, k + 1], "float32"), np.array([k], "float32")
net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.BatchNorm1D(3), paddle.nn.ReLU(), paddle.nn.Linear(3, 1))
opt = paddle.optimizer.Adam(0.1, parameters=net.parameters())
for x, t in paddle.io.DataLoader(Data(), batch_size=2):
    with paddle.amp.auto_cast(dtype="bfloat16"):
        y = net(x)
    y.register_hook(lambda g: g * 1)
    loss = paddle.nn.functional.mse_loss(y.astype("float32"), t)
    loss.backward()
    opt.step()
    opt.clear_grad()
"""


def test_training() -> None:
    ran = run(TRAINING)
    assert ran.failure is None
    recording, state = ran.recording, ran.recording.state()
    layer = ran.names["net"][0]
    assert state.version("net.0.weight") == layer.weight.inplace_version
    assert queries.visible_values(state, "net.0.weight") == pytest.approx(layer.weight.numpy().reshape(-1).tolist())
    assert queries.visible_values(state, "net.1._mean") == pytest.approx(ran.names["net"][1]._mean.tolist())
    said = "".join(remarks(recording))
    assert "`adam_` writes tensors without raising their versions" in said
    assert "`batch_norm` writes tensors" in said
    passes = [step for step in recording.steps if step.backward and step.backward.action == "begin"]
    assert len(passes) == 2
    hooks = [step for step in recording.steps if step.op == "multiply" and step.phase == "backward"]
    assert len(hooks) == 2
    assert "</html>" in to_html(recording)
    assert to_svg(recording)
    assert to_text(recording)
    for language in LANGUAGES:
        with speak(language):
            assert all(sentence(recording, step.index) for step in recording.steps)
    assert to_json(from_json(to_json(recording))) == to_json(recording)


@pytest.mark.parametrize("optimizer", ["SGD", "Momentum", "Adam", "AdamW", "RMSProp", "Adagrad"])
def test_what_an_optimizer_writes_is_recorded_though_it_raises_no_version(optimizer: str) -> None:
    ran = run(f"""\
        w = paddle.create_parameter([3], "float32", default_initializer=paddle.nn.initializer.Constant(1.0))
        opt = paddle.optimizer.{optimizer}(learning_rate=0.5, parameters=[w])
        (w * w).sum().backward()
        opt.step()
        """)
    state = ran.recording.state()
    assert state.version("w") == ran.names["w"].inplace_version
    assert queries.visible_values(state, "w") == pytest.approx(ran.names["w"].tolist())
    assert any("without raising their versions" in each for each in remarks(ran.recording))


@pytest.mark.parametrize(
    "text",
    [
        "layer = paddle.nn.LSTM(4, 3)\ny, _ = layer(x.unsqueeze(0))",
        "layer = paddle.nn.Conv2D(1, 2, 2)\ny = layer(paddle.ones([1, 1, 3, 3]))",
        "layer = paddle.nn.Embedding(5, 2)\ny = layer(paddle.to_tensor([1, 2]))",
        "layer = paddle.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)\ny = layer(x.unsqueeze(0))",
        "layer = paddle.nn.Linear(4, 2)\nlayer.set_state_dict(paddle.nn.Linear(4, 2).state_dict())\ny = layer(x)",
    ],
)
def test_layers(text: str) -> None:
    program = f"paddle.seed(1)\nx = paddle.randn([3, 4])\n{text}\ny.sum().backward()\n"
    ran, (names, error) = run(program), plain(program)
    assert error is None
    assert ran.failure is None
    assert bits(ran.names) == bits(names)
    gradients = [[each.grad.numpy().tobytes() for each in which["layer"].parameters()] for which in (ran.names, names)]
    assert gradients[0] == gradients[1]
    assert to_json(from_json(to_json(ran.recording))) == to_json(ran.recording)
    assert not any("stopped" in each for each in remarks(ran.recording))


def test_weights_of_a_recurrent_layer_lie_on_one_storage_and_count_their_writes_apart() -> None:
    """They are moved there by a function of `_legacy_C_ops`, without a new version."""
    ran = run("""
    lstm = paddle.nn.LSTM(2, 3)
    with paddle.no_grad():
        lstm.weight_hh_l0.add_(paddle.ones([1]))
    opt = paddle.optimizer.SGD(0.1, parameters=lstm.parameters())
    lstm(paddle.ones([1, 4, 2]))[0].sum().backward()
    opt.step()
    """)
    state = ran.recording.state()
    names = ["weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"]
    weights = {name: getattr(ran.names["lstm"], name) for name in names}
    assert {name: queries.visible_values(state, f"lstm.{name}") for name in names} == {
        name: flat(each) for name, each in weights.items()
    }
    assert {name: state.version(f"lstm.{name}") for name in names} == {
        name: each.inplace_version for name, each in weights.items()
    }
    assert len({state.tensor(f"lstm.{name}").storage for name in names}) == 1
    assert [write.slots for step in ran.recording.steps for write in step.writes if step.op == "sgd_"] == [
        ((0, 24),), ((24, 60),), ((60, 72),), ((72, 84),),
    ]  # fmt: skip
    assert [each for each in remarks(ran.recording) if "were also written" in each] == []


def test_a_layer_of_another_type_has_other_memory() -> None:
    text = """
    net = paddle.nn.Linear(2, 1)
    net(paddle.ones([1, 2])).backward()
    net.to(dtype="float64")
    done = True
    """
    ran = run(text)
    state, weight = ran.recording.state(), ran.names["net"].weight
    found = {name: state.tensor(name) for name in ("net.weight", "net.weight.grad")}
    assert {name: facts.dtype for name, facts in found.items()} == dict.fromkeys(found, "float64")
    assert queries.visible_values(state, "net.weight") == flat(weight)
    assert queries.visible_values(state, "net.weight.grad") == flat(weight.grad)


def test_the_functions_of_a_scaler_are_recorded() -> None:
    """`GradScaler` calls them on a GPU only."""
    ran = run("""
    g, scale, found = paddle.ones([2]), paddle.to_tensor([4.0]), paddle.to_tensor([False])
    paddle._legacy_C_ops.check_finite_and_unscale([g], scale, [g], found)
    """)
    assert ("check_finite_and_unscale", "in-place") in done(ran.recording, 3)
    assert queries.visible_values(ran.recording.state(), "g") == flat(ran.names["g"]) == (0.25, 0.25)


def test_a_result_without_memory_is_left_out() -> None:
    """An operation in place may leave one of its results out: that tensor has not even a place."""
    ran = run("""
    w = paddle.full([4, 3], 5.0)
    paddle.nn.functional.embedding_renorm_(paddle.to_tensor([0, 2]), w, 1.0)
    y = w * 2
    """)
    assert not any("stopped" in each for each in remarks(ran.recording))
    assert queries.visible_values(ran.recording.state(), "y") == tuple(ran.names["y"].flatten().tolist())


def test_a_scaler_and_second_derivatives() -> None:
    text = """
    net = paddle.nn.Linear(2, 1)
    opt = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0)
    scaler.scale(net(paddle.ones([1, 2])).sum()).backward()
    scaler.step(opt)
    scaler.update()
    x = paddle.to_tensor([2.0], stop_gradient=False)
    (g,) = paddle.grad(x**3, x, create_graph=True)
    (h,) = paddle.grad(g, x)
    """
    ran = run(text)
    assert ran.failure is None
    state = ran.recording.state()
    assert queries.visible_values(state, "net.weight") == pytest.approx(
        ran.names["net"].weight.numpy().reshape(-1).tolist()
    )
    assert [queries.visible_values(state, name) for name in "gh"] == [(12.0,), (12.0,)]


# ---- recording changes nothing ----------------------------------------------------------------------------------------------------


def test_recording_changes_no_bit() -> None:
    program = textwrap.dedent(TRAINING)
    ran, (names, error) = run(program), plain(program)
    assert error is None
    assert ran.failure is None
    assert bits(ran.names) == bits(names)
    trained = [[each.numpy().tobytes() for each in which["net"].state_dict().values()] for which in (ran.names, names)]
    assert trained[0] == trained[1]


@pytest.mark.parametrize("make", ["paddle.empty([2])", "x.data", "x * 1", "x.detach()", "x[1:]"])
@pytest.mark.parametrize(
    "use", ["paddle.grad(y, a)", "paddle.grad(a.sum(), y)", "y.clear_gradient()", "y._grad_name()", "y.backward()"]
)
def test_errors_of_tensors_without_a_history_stay_the_same(make: str, use: str) -> None:
    text = f"a = paddle.ones([2])\na.stop_gradient = False\nx = paddle.ones([2])\ny = {make}\nz = y\n{use}\n"
    _, error = plain(text)
    ran = run(text)
    assert (type(ran.failure), str(ran.failure)) == (type(error), str(error))


def test_memory_is_freed_when_it_would_be() -> None:
    text = """
    allocated = lambda: paddle.base.core.host_memory_stat_current_value("Allocated", 0)
    first = allocated()
    x = paddle.ones([1000])
    x.stop_gradient = False
    y = (x * x).sum()
    y.backward()
    held = [allocated() - first]
    x.clear_gradient(False)
    held.append(allocated() - first)
    del x, y
    held.append(allocated() - first)
    """
    assert run(text).names["held"] == plain(textwrap.dedent(text))[0]["held"]


@pytest.mark.parametrize(
    "end",
    ["pass", "y.sum().backward()", "y.add_(y); y.sum().backward()", "paddle.grad(y.sum(), x)"],
    ids=["no pass", "a pass", "a pass that fails", "a pass that asks for gradients"],
)
def test_as_much_memory_is_live_after_each_statement(end: str) -> None:
    """A graph that no pass has run is freed with the tensors that lead to it."""
    text = f"""
    from paddle.base import core
    x = paddle.ones([1000])
    x.stop_gradient = False
    core.host_memory_stat_reset_peak_value("Allocated", 0)
    first, live = core.host_memory_stat_current_value("Allocated", 0), []
    for _ in range(3):
        try:
            y = x.exp()
            z = paddle.sin(y * x)
            live.append(core.host_memory_stat_current_value("Allocated", 0) - first)
            {end}
        except Exception:
            pass
        live.append(core.host_memory_stat_current_value("Allocated", 0) - first)
        del y, z
        live.append(core.host_memory_stat_current_value("Allocated", 0) - first)
        x.clear_gradient(False)
    live.append(core.host_memory_stat_peak_value("Allocated", 0) - first)
    """
    gc.collect()
    expected = plain(text)[0]["live"]
    gc.collect()
    assert run(text).names["live"] == expected


def test_nothing_is_kept_alive() -> None:
    gone: list[Any] = []
    ran = run(
        "x = paddle.ones([1000])\nwatch(x)\ny = x * 2\ndel x\nz = y + 1\n", watch=lambda x: gone.append(weakref.ref(x))
    )
    assert gone[0]() is None
    assert len(ran.recording.state().storages) == 2
    assert ran.recording.steps[-1].live == 8000


def places() -> dict[str, Any]:
    """What is in all places that a recording takes."""
    found = {f"Tensor.{name}": value for name, value in vars(paddle.Tensor).items()}
    found |= {f"_C_ops.{name}": value for name, value in vars(paddle._C_ops).items()}
    found |= {f"math.{name}": value for name, value in vars(paddle.tensor.math).items()}
    found |= {f"creation.{name}": value for name, value in vars(paddle.tensor.creation).items()}
    found |= {f"eager.{name}": value for name, value in vars(paddle.base.core.eager).items()}
    return found | {f"PyLayer.{name}": value for name, value in vars(paddle.autograd.PyLayer).items()}


def same(before: dict[str, Any], after: dict[str, Any]) -> bool:
    return list(before) == list(after) and all(before[name] is after[name] for name in before)


def test_nothing_is_left_behind() -> None:
    before = places()
    ran = run("x = paddle.ones([2])\nraise KeyError(1)\n")
    assert isinstance(ran.failure, KeyError)
    assert same(before, places())


def test_recordings_may_overlap_and_end_in_any_order() -> None:
    before = places()
    one, other = record(framework="paddle"), record(framework="paddle")
    x = paddle.ones([2])
    with one:
        other.__enter__()
        x.add_(x)
    x.add_(x)
    other.__exit__(None, None, None)
    assert same(before, places())
    assert [[step.op for step in each.recording.steps if step.op] for each in (one, other) if each.recording] == [
        ["add_"], ["add_", "add_"],
    ]  # fmt: skip


def test_a_function_that_was_kept_from_a_recording_still_works() -> None:
    names = run("kept = paddle._C_ops.exp\nx = kept(paddle.zeros([1]))").names
    assert names["kept"](paddle.zeros([1])).item() == 1.0


def test_other_threads_are_left_out() -> None:
    def work(go: threading.Event) -> None:
        go.wait()
        paddle.ones([2]).add_(paddle.ones([2]))

    go = threading.Event()
    thread = threading.Thread(target=work, args=(go,))
    thread.start()
    ran = run("x = paddle.ones([2])\ngo.set()\nthread.join()\nx.add_(x)", go=go, thread=thread)
    assert [step.op for step in ran.recording.steps if step.kind == "operation"] == ["full", "add_"]
    assert any("other threads" in each for each in remarks(ran.recording))


# ---- the ways in, and out -------------------------------------------------------------------------------------------------------


def test_a_block() -> None:
    text = "with record() as rec:\n    x = paddle.ones([2])\n    v = x[1:]\n    v.add_(v)\n    del v\n"
    linecache.cache["<paddle block>"] = (len(text), None, text.splitlines(keepends=True), "<paddle block>")
    names: dict[str, Any] = {"record": record, "paddle": paddle}
    exec(compile(text, "<paddle block>", "exec"), names)
    recording = names["rec"].recording
    assert recording.framework == "paddle"
    assert [(step.line, step.op, step.category) for step in recording.steps if step.kind == "operation"] == [
        (1, "full", "create"), (2, "getitem", "view"), (3, "add_", "in-place"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "use"),
    [
        ("import paddle", Use("paddle")), ("import paddle\nimport numpy as np", Use("paddle")), ("t + 1", Use("paddle")),
        ("import inplacelab\nimport paddle", Use("inplacelab", ("paddle",))), ("import inplacelab as paddle", Use("inplacelab")),
    ],
)  # fmt: skip
def test_a_program_is_known_by_its_framework(text: str, use: Use) -> None:
    assert framework_used(ast.parse(text), {"t": paddle.ones([1])}) == use


def test_the_limit_is_kept() -> None:
    recording = run("x = paddle.ones([2])\nfor k in range(50):\n    x.add_(x)\n", limit=10).recording
    assert (len(recording), recording.truncated) == (10, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("s = paddle.sparse.sparse_coo_tensor([[0, 1]], [1.0, 2.0], [3])", "such as sparse"),
        ("paddle.ones([2]).get_tensor()", "`get_tensor`"),
        ("x = paddle.ones([2])\nx.set_value(x * 2)", "`set_value` writes tensors"),
        ("x = paddle.ones([2, 3]).T.reshape([6])", "`reshape` made a copy"),
        ("a = paddle.ones([2])\na.stop_gradient = False\ntry:\n    a.scale_(2.0)\nexcept Exception:\n    pass", "refused `scale_`"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_said(text: str, said: str) -> None:
    assert any(said in each for each in remarks(run(text).recording)), remarks(run(text).recording)


@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("h.sum().backward()", True), ("row.sum().backward()", False), ("h[2].sum().backward()", True), ("pass", False),
        ("with paddle.no_grad(): h.sum()", False), ("other.sum().backward()", False),
        ("other.unsqueeze_(0); other.sum().backward()", False),
    ],
)  # fmt: skip
def test_a_write_through_a_view_is_said_where_its_gradient_gets_lost(last: str, said: bool) -> None:
    text = (
        f"a = paddle.ones([3])\na.stop_gradient = False\nh = a * 2\nrow, other = h[:2], h[2:]\nrow.scale_(3.)\n{last}\n"
    )
    notes = [note.en for note in run(text).recording.notes]
    assert any("Line 5 wrote `h` through another tensor" in note for note in notes) is said, notes


def test_what_a_node_keeps_of_numbers_of_another_type_can_be_read_again() -> None:
    text = "z = paddle.to_tensor([1 + 2j], stop_gradient=False)\nloss = (paddle.as_real(z * 2) ** 2).sum()"
    recording = run(text).recording
    assert to_json(from_json(to_json(recording))) == to_json(recording)


def test_a_gradient_is_written_in_place_by_a_second_pass() -> None:
    """Paddle does not raise its version."""
    recording = run("""
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    """).recording
    (write,) = [write for step in recording.steps for write in step.writes]
    assert (write.tensor, write.slots, write.before, write.after) == (
        recording.state().tensor("x").grad, ((0, 2),), 0, 0,
    )  # fmt: skip
