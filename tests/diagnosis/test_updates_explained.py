"""Programs whose parameters are updated between forward and backward: which optimizer did it, and which fixes are honest."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.diagnosis.explain import explain  # noqa: E402
from inplacelab.diagnosis.findings import Finding, completed  # noqa: E402
from inplacelab.diagnosis.report import report_of_trials  # noqa: E402
from inplacelab.diagnosis.trials import Trials, Tried  # noqa: E402
from inplacelab.language import Text  # noqa: E402
from inplacelab.recorders.fix_search import Outcome  # noqa: E402
from inplacelab.recording.facts import EditFacts  # noqa: E402
from inplacelab.recording.sentences.failures import advice_for, headline, marks  # noqa: E402
from inplacelab.recording.trace import trail_of  # noqa: E402

pytestmark = pytest.mark.oracle

NETS = """\
import torch
from torch import nn

torch.manual_seed(0)
gen, disc = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
opt_g = torch.optim.Adam(gen.parameters())
opt_d = torch.optim.{0}(disc.parameters(), lr=0.01, {1})
"""
STEPS = """\
for step in range(2):
    fake = gen(torch.rand(5, 2))
    score = disc(fake)
    loss_d = (disc(torch.rand(5, 3)) - 1).square().mean() + score.square().mean()
    loss_g = (score - 1).square().mean()
    opt_d.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_d.step()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
"""
GAN = NETS.format("Adam", "") + STEPS


def finding(tmp_path: Path, text: str) -> Finding:
    script = tmp_path / "script.py"
    script.write_text(text)
    code = compile(text, str(script), "exec")
    watching = explain("torch", str(script))
    with watching, suppress(RuntimeError):
        exec(code, {"__name__": "__main__"})
    return completed(watching.failures[0])


def overwritten(found: Finding) -> Text:
    return next(each.says for each in marks(found.facts) if each.role == "overwritten")


@pytest.mark.parametrize(
    ("optimizer", "options"), [("Adam", ""), ("AdamW", "foreach=True"), ("SGD", "momentum=0.9"), ("RMSprop", "")]
)
def test_the_optimizer_and_the_parameter_are_named(tmp_path: Path, optimizer: str, options: str) -> None:
    found = finding(tmp_path, NETS.format(optimizer, options) + STEPS)
    assert headline(found.facts).en == "An optimizer changed a parameter that backward still needed"
    said = overwritten(found)
    assert said.en.startswith("`opt_d.step()` changed `disc.2.weight` after line 10 used it: version ")
    assert said.zh.startswith("`opt_d.step()` 在第 10 行使用之后修改了 `disc.2.weight`：版本 ")


def test_a_fused_step_which_raises_no_version_is_named(tmp_path: Path) -> None:
    found = finding(tmp_path, NETS.format("Adam", "fused=True") + STEPS)
    assert found.facts.kind == "silent"
    assert (
        overwritten(found).en
        == "`opt_d.step()` changed `disc.2.weight` after line 10 used it, which raises no version here"
    )
    assert found.advice is not None
    assert found.advice == advice_for(found.facts)
    assert "clone" not in found.advice.en


HELPER = (
    NETS.format("Adam", "")
    + """\
class Trainer:
    def update(self, optim, loss, clip=None):
        optim.zero_grad()
        loss.backward()
        optim.step()

    def run(self, optimizers):
        fake = gen(torch.rand(5, 2))
        loss_d = (disc(torch.rand(5, 3)) - 1).square().mean() + disc(fake.detach()).square().mean()
        loss_g = (disc(fake) - 1).square().mean()
        self.update(optimizers["d"], loss_d)
        self.update(loss=loss_g, optim=optimizers["g"])

for step in range(2):
    Trainer().run({"d": opt_d, "g": opt_g})
"""
)


def test_an_optimizer_in_a_helper_has_the_name_that_the_caller_gives_it_too(tmp_path: Path) -> None:
    said = overwritten(finding(tmp_path, HELPER))
    assert said.en.startswith(
        "`optim.step()`, here `optimizers['d'].step()`, changed `disc.2.weight` after line 17 used it"
    )
    assert said.zh.startswith(
        "`optim.step()`（这里是 `optimizers['d'].step()`）在第 17 行使用之后修改了 `disc.2.weight`"
    )


OWN = """\
import torch
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)

def sgd(params, lr=0.1):
    with torch.no_grad():
        for p in params:
            {0}

loss = (w * v).sum()
other = (w * w * v).sum()
loss.backward()
sgd([w])
other.backward()
"""


@pytest.mark.parametrize("line", ["p -= lr * p.grad", "p.sub_(lr * p.grad)", "p.clamp_(-0.1, 0.1)"])
def test_an_update_that_a_program_writes_out_is_one(tmp_path: Path, line: str) -> None:
    found = finding(tmp_path, OWN.format(line))
    assert headline(found.facts).en == "An update changed a parameter that backward still needed"
    assert overwritten(found).en.startswith("this update changed `w` after line 11 used it: version 0 → 1")


NORMALIZED = """\
import torch
from torch import nn

class Cosine(nn.Module):
    def __init__(self):
        super().__init__()
        self.v = nn.Parameter(torch.ones(3, 3))

    def unit(self):
        with torch.no_grad():
            self.v /= self.v.norm()

    def forward(self, x):
        y = (x @ self.v) @ self.v
        self.unit()
        return y.sum()

Cosine()(torch.rand(2, 3)).backward()
"""


def test_a_normalization_in_forward_is_no_update(tmp_path: Path) -> None:
    found = finding(tmp_path, NORMALIZED)
    assert "overwritten" in headline(found.facts).en
    assert overwritten(found).en.startswith("overwritten by ")


def test_no_advice_to_copy_is_given(tmp_path: Path) -> None:
    found = finding(tmp_path, "for step in range(1):\n    pass\n" + GAN)
    advice = [each.says.en for each in found.fixes] + ([found.advice.en] if found.advice else [])
    assert advice
    assert not [each for each in advice if "clone" in each or "out of place" in each]
    assert "saved_tensors_hooks" not in report_of_trials(Tried((), 5, None), "torch")


# --- tried ---------------------------------------------------------------------------------------------------------------


def trials(tmp_path: Path, text: str) -> tuple[Trials, Finding]:
    found = finding(tmp_path, text)
    return Trials(tmp_path / "script.py", [], framework="torch", seconds=60), found


def moved(text: str, line: str, below: str) -> tuple[EditFacts, ...]:
    """Returns the edits that move a line below another one."""
    lines = text.splitlines()
    source, target = (next(k for k, each in enumerate(lines, 1) if each.strip() == code) for code in (line, below))
    return EditFacts(source, 0, source + 1, 0, ""), EditFacts(target + 1, 0, target + 1, 0, lines[source - 1] + "\n")


def own(edits: Sequence[EditFacts], file: Path) -> list[EditFacts]:
    return [EditFacts(each.line, each.column, each.end_line, each.end_column, each.text, str(file)) for each in edits]


def test_a_step_below_a_pass_that_adds_to_its_gradients_is_rejected(tmp_path: Path) -> None:
    these, _ = trials(tmp_path, GAN)
    with these:
        reference = these.run((), reference=True)
        polluted = these.run(own(moved(GAN, "opt_d.step()", "loss_g.backward()"), tmp_path / "script.py"))
    assert not polluted.error
    assert len(polluted.updates) == len(reference.updates) == 4
    assert not polluted.gives(reference)
    assert not polluted.reorders(reference)


def test_both_ways_are_found_and_each_says_what_it_changes(tmp_path: Path) -> None:
    these, found = trials(tmp_path, GAN)
    tried = these.find([trail_of(found.facts)])
    assert [each.checked for each in tried.fixes] == ["reordered", "renewed"]
    assert tried.copies is None
    said = report_of_trials(tried, "torch")
    assert "each update used the same gradients and left the same parameters" in said
    assert "it is another training" in said


def test_an_outcome_of_another_training_is_not_that_of_another_order(tmp_path: Path) -> None:
    these, found = trials(tmp_path, GAN)
    tried = these.find([trail_of(found.facts)])
    renewed = next(each for each in tried.fixes if each.checked == "renewed")
    with these:
        outcome: Outcome = these.run(renewed.edits)
        assert not outcome.error
        assert not outcome.reorders(these.run((), reference=True))


CARRIED = """\
import torch
from torch import nn
torch.manual_seed(0)
rnn, head = nn.LSTM(2, 3), nn.Linear(3, 1)
opt = torch.optim.SGD([*rnn.parameters(), *head.parameters()], 0.1)
state = (torch.zeros(1, 1, 3), torch.zeros(1, 1, 3))
for batch in range(3):
    out, state = rnn(torch.rand(4, 1, 2), state)
    loss = head(out).square().mean()
    opt.zero_grad()
    loss.backward(retain_graph=True)
    opt.step()
"""
"""The second pass goes back into the first iteration, whose parameters have been updated."""


def test_a_state_that_a_loop_carries_past_an_update_is_detached(tmp_path: Path) -> None:
    these, found = trials(tmp_path, CARRIED)
    (fix, *_) = these.find([trail_of(found.facts)]).fixes
    assert fix.checked == "runs"
    assert "`state = tuple(each.detach() for each in state)` after line 11" in fix.says.en
    assert "whose parameters have been updated since" in fix.reason.en


def test_copies_are_no_fix_of_a_second_pass(tmp_path: Path) -> None:
    text = (
        CARRIED.replace("retain_graph=True", "")
        .replace("out, state = ", "out, kept[0] = ")
        .replace("0.1)", "0.1)\nkept = [None]")
    )
    these, found = trials(tmp_path, text.replace("1, 2), state)", "1, 2), kept[0])"))
    tried = these.find([trail_of(found.facts)])
    assert found.facts.kind == "again"
    assert tried.copies is None
    assert "saved_tensors_hooks" not in report_of_trials(tried, "torch")


AVERAGE = """\
import torch

w, v = (torch.nn.Parameter(torch.ones(3)) for _ in range(2))
opt = torch.optim.Adam([w], 0.1)
w.square().sum().backward()
opt.step()
loss = (opt.state[w]["exp_avg"] * v).sum()
opt.step()
loss.backward()
"""


def test_a_step_that_overwrites_a_saved_average_is_named(tmp_path: Path) -> None:
    (value,) = finding(tmp_path, AVERAGE).facts.values
    assert [each.op for each in value.writes] == ["step"]
