"""Tests what is said of a statement of many steps in one clause: many names by what they belong to."""

from __future__ import annotations

import pytest

from inplacelab.language import Text
from inplacelab.recording import Recording
from inplacelab.recording.sentences import Headline, headline, line_headline
from inplacelab.recording.sentences.clauses import PARAMETERS, owners_of, told
from inplacelab.recording.statements import statements
from tests.recorders import runs
from tests.recorders.golden.renew import run

TRAINING = """paddle.seed(0)
net = paddle.nn.Sequential(
    paddle.nn.Linear(2, 3, bias_attr=False),
    paddle.nn.BatchNorm1D(3),
    paddle.nn.Linear(3, 2),
)
head = paddle.nn.Linear(2, 1)
opt = paddle.optimizer.Adam(parameters=[*net.parameters(), *head.parameters()])
x = paddle.arange(8.).reshape([4, 2]).exp()
for epoch in range(2):
    out = head(net(x))
    loss = (out * out).sum()
    loss.backward()
    opt.step()
    opt.clear_grad(set_to_zero=False)
loss = (head(net(x)) * 2.).sum()
loss.backward()
loss = (head(net(x)) * 2.).sum()
loss.backward()
"""


def headlines(recording: Recording) -> list[Headline]:
    return [line_headline(recording, steps[-1]) for steps in statements(recording)]


def clauses(program: str) -> list[tuple[str, str]]:
    return [(each.clause.en, each.clause.zh) for each in headlines(run(program).recording)]


def test_a_step_of_training_counts_what_belongs_together() -> None:
    said = clauses(TRAINING)
    for clause in (
        (
            "`paddle.nn.BatchNorm1D(3)` made 2 parameters and 2 buffers",
            "`paddle.nn.BatchNorm1D(3)` 创建了 2 个参数和 2 个缓冲区",
        ),
        (
            "`loss.backward()` filled 7 gradients of `net` and `head`",
            "`loss.backward()` 写入了 `net` 和 `head` 的 7 个梯度",
        ),
        ("`opt.step()` updated 7 parameters of `net` and `head`", "`opt.step()` 更新了 `net` 和 `head` 的 7 个参数"),
        (
            "`loss.backward()` added to 7 gradients of `net` and `head`",
            "`loss.backward()` 累加到 `net` 和 `head` 的 7 个梯度",
        ),
    ):
        assert clause in said, said


def test_a_cleared_gradient_is_counted_whether_it_is_gone_or_zero() -> None:
    program = TRAINING.partition("loss = (head")[0]
    assert any(
        en.startswith("`opt.clear_grad(") and "7 gradients of `net` and `head`" in en for en, _ in clauses(program)
    )
    kept = program.replace("=False)", "=True)")
    said = next(en for en, _ in clauses(kept) if en.startswith("`opt.clear_grad("))
    assert said == "`opt.clear_grad(set_to_zero=True)` set 7 gradients of `head` and `net` to zero"


def test_what_an_optimizer_keeps_is_not_counted_but_told() -> None:
    recording = run(TRAINING).recording
    told_of = [each for each in headlines(recording) if each.clause.en.startswith("`opt.step()`")]
    assert all("opt.state" not in each.clause.en for each in told_of)
    assert all("of the state of `opt`" in each.detail.en for each in told_of), [each.detail.en for each in told_of]


@pytest.mark.parametrize(
    ("program", "clause"),
    [
        ("m = paddle.arange(12.).reshape([3, 4])\n", "`m = paddle.arange(12.).reshape([3, 4])` made `m`"),
        ("m = paddle.ones([4]).reshape([2, 2]).t()\n", "`m = paddle.ones([4]).reshape([2, 2]).t()` made `m`"),
        ("q, k = (paddle.ones([4]) * 2.).unbind(0)[:2]\n", "`q` and `k` share one storage"),
        ("x = paddle.ones([4])\nx = (x * 2.).exp()\n", "`x = (x * 2.).exp()` made a new `x`"),
        ("x = paddle.ones([4])\nv = x.reshape([2, 2])[0]\n", "`v` shares its storage with `x`"),
        ("x = paddle.ones([4])\ny = x.add_(x * 2.).exp()\n", "`y = x.add_(x * 2.).exp()` changed `x`, and made `y`"),
        (
            "x = paddle.ones([4])\ny = (x * 2.).exp_()\n",
            "`y = (x * 2.).exp_()` made `y`, and overwrote the result of `scale` in place (`exp_`)",
        ),
        (
            "x = paddle.ones([4])\nx.stop_gradient = False\nh = x * 1.\ny = h * h\nh.add_(paddle.ones([4]) * 2.)\n",
            "`h.add_(paddle.ones([4]) * 2.)` changed `h`, and backward needs the old `h`",
        ),
        (
            "x = paddle.ones([4])\nlonger = paddle.nn.functional.relu(x * 2. + 1. - paddle.ones([4]))\n",
            "`longer = ….relu(…)` made `longer`",
        ),
    ],
)
def test_a_statement_reads_at_a_glance(program: str, clause: str) -> None:
    assert clauses(program)[-1][0] == clause


def test_an_alias_of_a_parameter_that_is_updated_is_named() -> None:
    program = TRAINING.replace("for epoch", "seen = net[0].weight.detach()\nfor epoch")
    assert any(
        en == "`opt.step()` updated 7 parameters of `net` and `head`, and changed `seen` too"
        for en, _ in clauses(program)
    ), clauses(program)


def test_few_names_are_listed_and_names_without_an_owner_are_counted() -> None:
    assert told(["a", "b", "c", "d"], PARAMETERS).en == "`a`, `b`, `c` and `d`"
    assert told([f"weight_{k}" for k in range(6)], PARAMETERS) == Text(
        "`weight_0` and 5 more parameters", "`weight_0` 等 6 个参数"
    )
    assert owners_of(["Net.forward: self.fc.weight", "Net.forward: self.fc.bias"]) == ["Net.forward: self.fc"]
    assert owners_of(["params[0]", "params[1]"]) == ["params"]


NETWORKS = """\
import torch
from torch import nn
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.steps = nn.ModuleList([nn.Linear(2, 2), nn.ReLU(inplace=True)])
    def forward(self, x):
        for step in self.steps:
            x = step(x)
        return x
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
    def forward(self, x):
        return self.block(x).sigmoid_()
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
deep = nn.Sequential(*[each for _ in range(6) for each in (nn.Linear(2, 2), nn.ReLU(inplace=True))])
own = Net()
x = torch.ones(1, 2)
y = net(x)
z = deep(x)
out = own(x)
u = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))(x)
v = net(x) * 2
"""


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_a_statement_that_did_nothing_else_ran_the_module_that_overwrites() -> None:
    pytest.importorskip("torch")
    program = NETWORKS.partition("y = net(x)")[0] + "def f(x):\n    return net(x)\ny = f(x) * 2\n"
    said = {each.clause for each in headlines(runs.run(program, framework="torch").recording)}
    assert (
        Text(
            "`return net(x)` ran `net.1` (`relu`), which overwrote the result of `net.0`",
            "`return net(x)` 运行了 `net.1`（`relu`），它原地覆盖了 `net.0` 的结果",
        )
        in said
    ), said


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_the_module_that_overwrites_a_result_is_named() -> None:
    pytest.importorskip("torch")
    recording = runs.run(NETWORKS, framework="torch").recording
    said = {each.clause for each in headlines(recording)}
    assert (
        Text(
            "`y = net(x)` made `y`, and `net.1` (`relu`) overwrote the result of `net.0`",
            "`y = net(x)` 得到 `y`，`net.1`（`relu`）原地覆盖了 `net.0` 的结果",
        )
        in said
    )
    assert (
        Text(
            "`z = deep(x)` made `z`, and 6 modules of `deep` (`relu`) overwrote 6 results",
            "`z = deep(x)` 得到 `z`，`deep` 的 6 个模块（`relu`）原地覆盖了 6 个结果",
        )
        in said
    )
    # What the program writes itself needs no module, and one without a name has none.
    modules = [step.module for step in recording.steps if step.writes and step.op in ("relu", "relu_", "sigmoid_")]
    assert modules == ["net.1", *(f"deep.{k}" for k in range(1, 12, 2)), "own.block.steps.1", "", "", "net.1"]
    events = [headline(recording, step.index).clause for step in recording.steps if step.module == "net.1"]
    assert events[-1] == Text(
        "`net.1` (`relu`) overwrites the result of `net.0`", "`net.1`（`relu`）原地覆盖 `net.0` 的结果"
    )


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_a_layer_that_writes_its_statistics_is_named_in_paddle() -> None:
    pytest.importorskip("paddle")
    recording = runs.run(
        "import paddle\nfrom paddle import nn\n"
        "net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1D(2))\nx = paddle.ones([2, 2])\ny = net(x)\nx.add_(y)\n",
        framework="paddle",
    ).recording
    assert {step.module for step in recording.steps if step.writes and step.line == 5} == {"net.1"}
    assert {step.module for step in recording.steps if step.writes and step.line == 6} == {""}


def test_a_layer_of_the_engine_that_writes_is_named() -> None:
    recording = run("net = paddle.nn.Sequential(paddle.nn.BatchNorm1D(2))\ny = net(paddle.ones([2, 2]))\n").recording
    assert {step.module for step in recording.steps if step.writes and step.line == 2} == {"net.0"}
