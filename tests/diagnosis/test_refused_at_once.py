"""What a framework refuses at once: which tensor, made where, by which rule, and the fix; in PyTorch, in Paddle, and in recordings of both."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from inplacelab.cli.script import run_script
from inplacelab.diagnosis.document import Names, to_json
from inplacelab.diagnosis.explain import explain
from inplacelab.diagnosis.findings import Finding, Report, completed
from inplacelab.diagnosis.recorded_failures import finding
from inplacelab.diagnosis.report import report
from inplacelab.diagnosis.trials import Trials
from inplacelab.language import get_language, set_language
from inplacelab.recording import sentence
from inplacelab.recording.facts import FailureFacts
from inplacelab.recording.sentences import headline
from inplacelab.recording.trace import ending_trails, trace, trail_of

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


@dataclass(frozen=True)
class Case:
    """A program that is refused at once.

    Attributes:
        name: what it is called here.
        text: its text, without the import.
        rule, tensor: the rule, and the name of the tensor.
        made: the line where that was made; None if it is not shown.
        fails: the line that fails.
        fix: what the fixed program has.
        base, whole: the tensor of which it is a view, and its name in the model.
        never: what it must not have.
    """

    name: str
    text: str
    rule: str
    tensor: str
    made: int | None
    fails: int
    fix: str
    base: str = ""
    whole: str = ""
    never: str = ".data"

    @property
    def program(self) -> str:
        framework = "paddle" if self.name.startswith("paddle") else "torch"
        return f"import {framework}\nfrom {framework} import nn\n{self.text}"

    def __str__(self) -> str:
        return self.name


TORCH = [
    Case(
        "update of a leaf",
        "w = torch.ones(3, requires_grad=True)\n(w * 2).sum().backward()\nw -= 0.1 * w.grad\n",
        "leaf", "w", 3, 5, "with torch.no_grad():\n    w -= 0.1 * w.grad\n",
    ),
    Case(
        "leaf that is computed with",
        "x = torch.ones(3, requires_grad=True)\nx *= 2\n(x * x).sum().backward()\n",
        "leaf", "x", 3, 4, "\nx = x * 2\n",
    ),
    Case(
        "weights clipped in a loop over parameters",
        "critic = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))\nfor p in critic.parameters():\n    p.clamp_(-0.1, 0.1)\n",
        "leaf", "p", None, 5, "    with torch.no_grad():\n        p.clamp_(-0.1, 0.1)\n", whole="critic.0.weight", never="p = ",
    ),
    Case(
        "view of a parameter of a model",
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.model = nn.ModuleList([nn.Conv2d(2, 6, 1)])\n"
        "        self.init_biases()\n"
        "    def init_biases(self):\n"
        "        for head in self.model:\n"
        "            b = head.bias.view(3, 2)\n"
        "            b[:, 0] += 1\n"
        "            b[:, 1] += 2\n"
        "net = Net()\n",
        "view", "b", 10, 11,
        "            with torch.no_grad():\n                b[:, 0] += 1\n                b[:, 1] += 2\n",
        base="head.bias", whole="model.0.bias",
    ),
    Case(
        "weight normalized in forward",
        "class Head(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.weight = nn.Parameter(torch.ones(2, 3))\n"
        "    def forward(self, x):\n"
        "        self.weight /= self.weight.norm()\n"
        "        return x @ self.weight.t()\n"
        "Head()(torch.ones(1, 3)).sum().backward()\n",
        "leaf", "self.weight", 6, 8, "        weight = self.weight / self.weight.norm()\n        return x @ weight.t()\n", never="no_grad",
    ),
    Case(
        "helper of forward",
        "def unit(v):\n    v /= v.norm()\n    return v\n"
        "class Head(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.v = nn.Parameter(torch.ones(3))\n"
        "    def forward(self, x):\n"
        "        return x @ unit(self.v)\n"
        "Head()(torch.ones(1, 3)).sum().backward()\n",
        "leaf", "v", None, 4, "    v = v / v.norm()\n", whole="v", never="no_grad",
    ),
    Case(
        "helper of forward that is called like an update",
        "def project(v):\n    v /= v.norm()\n    return v\n"
        "class Head(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.v = nn.Parameter(torch.ones(3))\n"
        "    def forward(self, x):\n"
        "        return x @ project(self.v)\n"
        "Head()(torch.ones(1, 3)).sum().backward()\n",
        "leaf", "v", None, 4, "    v = v / v.norm()\n", whole="v", never="no_grad",
    ),
    Case(
        "one of several views",
        "pose = torch.ones(2, 2, requires_grad=True) * 1\nx, angle = torch.split(pose, 1, -1)\nangle *= 6\n(angle * x).sum().backward()\n",
        "several", "angle", 4, 5, "angle = angle * 6\n", base="pose",
    ),
    Case(
        "part of one of several views",
        "pose = torch.ones(2, 4, requires_grad=True) * 1\nxy, wh = pose.chunk(2, -1)\nwh[:, 0] *= 6\n(wh * xy).sum().backward()\n",
        "several", "wh", 4, 5, "wh = wh.clone()\nwh[:, 0] *= 6\n", base="pose",
    ),
    Case(
        "each of several views",
        "gates = torch.ones(2, 4, requires_grad=True) * 1\ni, f = gates.chunk(2, 1)\ni.sigmoid_()\nf.sigmoid_()\n(i * f).sum().backward()\n",
        "several", "i", 4, 5, "i = i.sigmoid()\nf = f.sigmoid()\n", base="gates",
    ),
    Case(
        "view without history",
        "w = torch.ones(3, requires_grad=True)\nwith torch.no_grad():\n    v = w[:2]\nv.mul_(2)\n(w * 2).sum().backward()\n",
        "no_grad", "v", 5, 6, "with torch.no_grad():\n    v.mul_(2)\n", base="w",
    ),
    Case(
        "inference tensor written",
        "with torch.inference_mode():\n    x = torch.ones(3)\nx -= 1\nw = torch.ones(3, requires_grad=True)\n(w * x).sum().backward()\n",
        "inference", "x", 4, 5, "with torch.no_grad():\n    x = torch.ones(3)\n",
    ),
    Case(
        "inference tensor saved",
        "@torch.inference_mode()\ndef features():\n    return torch.ones(3)\n"
        "x = features()\nw = torch.ones(3, requires_grad=True)\n(w * x).sum().backward()\n",
        "saved", "x", 6, 8, "@torch.no_grad()\ndef features():\n",
    ),
    Case(
        "name bound to a new tensor",
        "w = torch.ones(3, requires_grad=True)\nfor step in range(2):\n    (w * w).sum().backward()\n    w = w - 0.1 * w.grad\n",
        "no_gradient", "w", 6, 6, "    with torch.no_grad():\n        w -= 0.1 * w.grad\n        w.grad = None\n",
    ),
    Case(
        "gradient of a result",
        "x = torch.ones(3, requires_grad=True)\ny = x * 2\ny.sum().backward()\nprint(y.grad.norm())\n",
        "no_gradient", "y", 4, 6, "y = x * 2\ny.retain_grad()\n",
    ),
    Case(
        "parameter that no pass has reached",
        "a, b = nn.Linear(2, 2), nn.Linear(2, 2)\na(torch.ones(1, 2)).sum().backward()\n"
        "for p in [*a.parameters(), *b.parameters()]:\n    print(p.grad.norm())\n",
        "no_gradient", "p", None, 6, "    if p.grad is None:\n        continue\n", whole="b.weight",
    ),
]  # fmt: skip

PADDLE = [
    Case(
        "paddle: update of a leaf",
        "w = paddle.create_parameter([2], 'float32')\n(w * 2).sum().backward()\nw.subtract_(0.1 * w.grad)\n",
        "leaf", "w", 3, 5, "with paddle.no_grad():\n    w.subtract_(0.1 * w.grad)\n",
    ),
    Case(
        "paddle: weight normalized in forward",
        "class Head(nn.Layer):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.weight = self.create_parameter([3, 2])\n"
        "    def forward(self, x):\n"
        "        self.weight.divide_(self.weight.norm())\n"
        "        return x @ self.weight\n"
        "head = Head()\nhead(paddle.ones([1, 3])).sum().backward()\n",
        "leaf", "self.weight", None, 8, "        weight = self.weight.divide(self.weight.norm())\n        return x @ weight\n",
        whole="head.weight", never="no_grad",
    ),
    Case(
        "paddle: gradient clipped by hand",
        "net = nn.Linear(2, 2)\nnet(paddle.ones([1, 2])).sum().backward()\nfor p in net.parameters():\n    p.grad.scale_(0.5)\n",
        "gradient", "p.grad", None, 6, "    with paddle.no_grad():\n        p.grad.scale_(0.5)\n", whole="net.weight.grad",
    ),
    Case(
        "paddle: augmented assignment makes a new tensor",
        "def train(w):\n    for step in range(2):\n        (w * w).sum().backward()\n        with paddle.no_grad():\n            w -= 0.1 * w.grad\n"
        "            w.clear_gradient()\n"
        "train(paddle.to_tensor([1., 2.], stop_gradient=False))\n",
        "no_gradient", "w", 7, 7, "            w.subtract_(0.1 * w.grad)\n",
    ),
]  # fmt: skip


def explained(case: Case, script: Path) -> Finding:
    """What is found out about a program: by the watch of PyTorch, or in a recording of Paddle."""
    script.write_text(case.program)
    if case in PADDLE:
        recording, raised = run_script(script, [], title=None, limit=5000, framework="paddle")
        assert raised is not None
        found = finding(raised, recording, str(script))
        assert found is not None
        return found
    watching = explain()
    names = {"__name__": "__main__", "__file__": str(script)}
    with pytest.raises(Exception), watching:  # noqa: B017, PT011  # of several kinds
        exec(compile(case.program, str(script), "exec"), names)
    return completed(watching.failures[-1])


def check_facts(case: Case, facts: FailureFacts) -> None:
    refusal = facts.refusal
    assert refusal is not None
    assert (refusal.rule, refusal.name, refusal.base) == (case.rule, case.tensor, case.base)
    assert (refusal.made[0].line if refusal.made else None) == case.made
    assert facts.needed[0].line == case.fails


@pytest.mark.parametrize("case", [*TORCH, *PADDLE], ids=str)
def test_the_tensor_its_line_and_the_fix(case: Case, tmp_path: Path) -> None:
    pytest.importorskip(case.program.split()[1])
    found = explained(case, tmp_path / "program.py")
    check_facts(case, found.facts)
    assert found.facts.refusal is not None
    assert found.facts.refusal.whole in (case.whole, "")
    assert next(iter(found.changes(found.fixes[0]).values()))[1].count(case.fix) == 1
    assert case.never not in "".join(edit.text for fix in found.fixes for edit in fix.edits)
    assert found.fixes[0].checked == ""  # it was not tried yet


@pytest.mark.parametrize("case", [*TORCH, *PADDLE[-1:]], ids=str)
def test_the_fix_is_tried(case: Case, tmp_path: Path) -> None:
    pytest.importorskip(case.program.split()[1])
    script = tmp_path / "program.py"
    found = explained(case, script)
    framework = "paddle" if case in PADDLE else "torch"
    tried = Trials(script, [], framework=framework, seconds=60).find([trail_of(found.facts)])
    assert [each.checked for each in tried.fixes] == ["runs"] * len(
        tried.fixes
    )  # the original has no gradients to compare with
    assert tried.fixes
    assert tried.fixes[0].edits == found.fixes[0].edits


def _named(name: str) -> Case:
    """Returns the case of this name."""
    return next(each for each in (*TORCH, *PADDLE) if each.name == name)


def test_both_readings_of_a_write_to_a_leaf_are_shown(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    found = explained(_named("leaf that is computed with"), tmp_path / "program.py")
    assert [each.says.en.partition(",")[0] for each in found.fixes] == [
        "to compute with the changed values",
        "to change `x` itself",
    ]
    assert "its value changes for good" in found.fixes[1].reason.en


@pytest.mark.parametrize("case", TORCH[:10], ids=str)
def test_a_recording_of_pytorch_tells_the_same(case: Case, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "program.py"
    script.write_text(case.program)
    recording, raised = run_script(script, [], title=None, limit=5000, framework="torch")
    assert raised is not None
    (trail,) = ending_trails(recording, str(script))
    assert trail.refusal is not None
    assert trail.refusal.rule == case.rule
    last = len(recording) - 1
    assert [mark.line for mark in trace(recording, last) if mark.role == "refused"] == [case.fails]
    for said in (sentence(recording, last).en, sentence(recording, last).zh):
        assert f"`{case.tensor}`" in said
    assert "was refused" in sentence(recording, last).en or "cannot be used" in sentence(recording, last).en
    code = case.program.splitlines()[case.fails - 1].strip()
    assert headline(recording, last).clause.en == f"`{code}` was refused"


@pytest.mark.parametrize(("case", "en", "zh"), [
    (_named("update of a leaf"), "The write to `w` was refused: `w` is a leaf that requires a gradient:", "对 `w` 的写入被拒绝：`w` 是需要梯度的叶子张量："),
    (
        _named("view of a parameter of a model"),
        "The write to `b` was refused: `b` is a view of `head.bias` (`model.0.bias`), a leaf that requires a gradient:",
        "对 `b` 的写入被拒绝：`b` 是 `head.bias`（`model.0.bias`）的视图，而 `head.bias`（`model.0.bias`）是需要梯度的叶子张量：",
    ),
    (_named("one of several views"), "The write to `angle` was refused: `angle` is one of several views that `split` returned:", "对 `angle` 的写入被拒绝：`angle` 是 `split` 返回的多个视图之一："),
    (_named("gradient of a result"), "`y.grad` is None: `y` was computed, and only leaves keep their gradients:", "`y.grad` 是 None：`y` 是计算出来的，只有叶子张量会保留梯度："),
    (_named("paddle: gradient clipped by hand"), "The write to `p.grad` (`net.weight.grad`) was refused: in Paddle, a gradient is a leaf that requires a gradient, too:", "对 `p.grad`（`net.weight.grad`）的写入被拒绝：在 Paddle 中，梯度本身也是需要梯度的叶子张量："),
], ids=lambda each: str(each) if isinstance(each, Case) else "")  # fmt: skip
def test_the_report_names_the_tensor(case: Case, en: str, zh: str, tmp_path: Path) -> None:
    pytest.importorskip(case.program.split()[1])
    found = explained(case, tmp_path / "program.py")
    before = get_language()
    try:
        for language, said in (("en", en), ("zh", zh)):
            set_language(language)
            assert report(found).splitlines()[0] == said
    finally:
        set_language(before)


def test_the_document_has_the_refusal(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "program.py"
    found = explained(_named("view of a parameter of a model"), script)
    document = json.loads(to_json(Report(script, 1, "torch", findings=[found]), Names(tmp_path, tmp_path)))
    (failure,) = document["failures"]
    assert failure["kind"] == "leaf"
    assert failure["refusal"] == {
        "rule": "view", "tensor": "b", "in_model": "model.0.bias", "view_of": "head.bias", "operation": failure["refusal"]["operation"],
        "missing": None,
    }  # fmt: skip
    assert [(each["role"], each["line"]) for each in failure["places"]] == [("origin", 10), ("refused", 11)]


def test_an_error_that_the_program_handles_is_no_failure(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    w = torch.ones(2, requires_grad=True)
    with explain() as watching:
        try:
            w.mul_(2)
        except RuntimeError:
            w = w * 2
    assert not watching.failures


def test_an_error_with_none_that_is_no_gradient_is_not_explained() -> None:
    torch = pytest.importorskip("torch")
    w, nothing = torch.ones(2, requires_grad=True), None
    watching = explain()
    with pytest.raises(TypeError), watching:
        w * nothing
    assert not watching.failures


def test_try_and_fix_in_the_terminal(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "program.py"
    script.write_text(_named("update of a leaf").program)
    for option in ("--try", "--fix"):
        command = [sys.executable, "-m", "inplacelab", "explain", option, str(script)]
        said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stderr
        assert "the program then runs; what it computes was not checked" in said
        assert "+with torch.no_grad():\n+    w -= 0.1 * w.grad" in said
        assert script.read_text() == _named("update of a leaf").program  # what was not compared is not written


# --- a second pass through a state that a loop carries on ----------------------------------------------------------------

_STATES = {
    "hidden state": (
        "cell = nn.RNNCell(2, 2)\nh = torch.zeros(1, 2)\nfor step in range(2):\n    h = cell(torch.ones(1, 2), h)\n    h.sum().backward()\n",
        "    h.sum().backward()\n    h = h.detach()\n",
    ),
    "state of an LSTM": (
        "lstm = nn.LSTM(2, 2)\nstate = None\nfor step in range(2):\n    out, state = lstm(torch.ones(1, 2), state)\n    out.sum().backward()\n",
        "    state = tuple(each.detach() for each in state)\n",
    ),
    "state that a module keeps": (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.mix = nn.Linear(2, 2)\n"
        "        self.h = torch.zeros(2)\n"
        "    def forward(self, x):\n"
        "        self.h = torch.tanh(self.mix(x + self.h))\n"
        "        return self.h\n"
        "net = Net()\n"
        "for step in range(2):\n    net(torch.ones(2)).sum().backward()\n",
        "        self.h = self.h.detach()\n        self.h = torch.tanh(",
    ),
    "state of an LSTM that a module keeps": (
        "class Net(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.lstm = nn.LSTMCell(2, 2)\n"
        "        self.state = None\n"
        "    def forward(self, xs):\n"
        "        for x in xs:\n"
        "            self.state = self.lstm(x, self.state)\n"
        "        return self.state[0]\n"
        "net = Net()\n"
        "for step in range(2):\n    net(torch.ones(3, 1, 2)).sum().backward()\n",
        "        if self.state is not None:\n            self.state = tuple(each.detach() for each in self.state)\n        for x in xs:\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", _STATES)
def test_a_state_is_cut_between_iterations(name: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    text, expected = _STATES[name]
    case = Case(name, text, "", "", None, 0, expected)
    script = tmp_path / "program.py"
    found = explained(case, script)
    assert next(iter(found.changes(found.fixes[0]).values()))[1].count(expected) == 1
    assert "retain_graph" not in "".join(edit.text for fix in found.fixes for edit in fix.edits)
    tried = Trials(script, [], framework="torch", seconds=60).find([trail_of(found.facts)])
    assert [each.checked for each in tried.fixes] == ["runs"]


def test_the_graph_is_kept_where_two_losses_share_it(tmp_path: Path) -> None:
    # The second pass runs nodes of its own, which were made before the first, and releases them: `h` was released before.
    pytest.importorskip("torch")
    text = "a = torch.ones(3, requires_grad=True)\nh = a.exp()\none = h.sum()\ntwo = (h * h).mean()\none.backward()\ntwo.backward()\n"
    found = explained(Case("two losses", text, "", "", None, 0, ""), tmp_path / "program.py")
    assert found.facts.values[0].node == "ExpBackward0"
    assert found.facts.released[0].line == 7
    assert next(iter(found.changes(found.fixes[0]).values()))[1].count("one.backward(retain_graph=True)\n") == 1
