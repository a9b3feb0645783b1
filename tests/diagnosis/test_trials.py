"""Fixes that are offered as checked: each is applied here and run again, beside the program with copies of all saved values."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.diagnosis.explain import explain  # noqa: E402
from inplacelab.diagnosis.findings import Finding  # noqa: E402
from inplacelab.diagnosis.report import report_of_trials  # noqa: E402
from inplacelab.diagnosis.trials import NotTriedError, Trials, Tried, text_of, write  # noqa: E402  # noqa: E402
from inplacelab.recorders import fix_search  # noqa: E402
from inplacelab.recorders.fix_search import Outcome  # noqa: E402
from inplacelab.recording.facts import FixFacts  # noqa: E402
from inplacelab.recording.fixes.proposals import proposals  # noqa: E402
from inplacelab.recording.fixes.spots import (  # noqa: E402
    Proposal,
    Trail,
    changed,
    lines_of,
)
from inplacelab.recording.source_tree import applied  # noqa: E402
from inplacelab.recording.trace import trail_of  # noqa: E402
from tests.tiers import choose, sample  # noqa: E402

pytestmark = pytest.mark.oracle

BEGIN = "import torch\ntorch.manual_seed(0)\n"
PROGRAMS = {
    "a view": """\
a = torch.ones(3, requires_grad=True)
h = torch.sigmoid(a)
row = h[:2]
row.mul_(2)
h.sum().backward()
""",
    "an assignment to an item": """\
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
h[0] = 5.0
h.sum().backward()
""",
    "an augmented assignment": """\
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
h += h
h.sum().backward()
""",
    "a module with inplace=True": """\
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Sigmoid(), torch.nn.ReLU(inplace=True))
net(torch.ones(2, 3)).sum().backward()
""",
    "a function with inplace=True": """\
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
y = torch.nn.functional.relu(h, inplace=True)
y.sum().backward()
""",
    "two stale values": """\
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
k = torch.sigmoid(a)
h.add_(1)
k.mul_(3)
(h * k).sum().backward()
""",
    "a value kept by the library": """\
a = torch.ones(3, 3, requires_grad=True)
x = a * 2
y = torch.nn.functional.linear(x, a)
x.zero_()
y.sum().backward()
""",
}
"""Programs that fail in backward, all of which can be fixed."""
FILES = list(product(("utf-8", "utf-8-sig", "gbk"), ("\n", "\r\n")))


def failure_of(watch: explain) -> Finding:
    """The last failure that was found."""
    found = watch.failures[-1]
    assert isinstance(found, Finding)
    return found


def failing(script: Path) -> Trail:
    """Runs a script that fails in backward."""
    watch = explain()
    with pytest.raises(RuntimeError), watch:
        exec(compile(script.read_text(), str(script), "exec"), {"__name__": "__main__", "__file__": str(script)})
    return trail_of(failure_of(watch).facts)


def fixed(fix: FixFacts) -> str:
    """The text of the only file that a fix changes."""
    ((_, after),) = changed(fix.edits, text_of).values()
    return after


def find(script: Path, *, enough: int = 1) -> Tried:
    return Trials(script, [], framework="torch", seconds=60).find([failing(script)], enough=enough)


def gradients(text: str, *, copies: bool) -> list[Any]:
    """The gradients of all leaves of a program that runs to its end."""
    names: dict[str, Any] = {}
    clone = torch.autograd.graph.saved_tensors_hooks(lambda saved: saved.detach().clone(), lambda saved: saved)
    if copies:
        with clone:
            exec(text, names)
    else:
        exec(text, names)
    leaves = [names["a"]] if "a" in names else list(names["net"].parameters())
    return [each.grad for each in leaves]


@pytest.mark.parametrize("name", sample(PROGRAMS, one_in=choose(6, 3, 1)))
def test_a_fix_works(name: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    text = BEGIN + PROGRAMS[name]
    script.write_text(text)
    tried = find(script)
    assert tried.fixes, tried.count
    assert script.read_text() == text  # only `--fix` writes
    assert tried.copies is not None
    assert tried.copies > 0
    after = fixed(tried.fixes[0])
    assert after != text
    for one, other in zip(gradients(after, copies=False), gradients(text, copies=True), strict=True):
        torch.testing.assert_close(one, other)
    assert report_of_trials(tried, "torch").count("\n--- ") == 1


def test_an_edit_that_changes_the_gradient_is_not_offered(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(BEGIN + PROGRAMS["a view"])
    trail = failing(script)
    assert any("row = row.mul(2)" in _applied(script, each) for each in proposals([trail], text_of))
    for each in find(script, enough=2).fixes:
        assert "row = row.mul(2)" not in fixed(each)


def _applied(script: Path, proposal: Any) -> str:
    return applied(script.read_text(), proposal.edits)


GATE = """\
a = torch.rand(4, requires_grad=True)
h = a * 2
for i in range(2):
    h.add_((h * h - 9).relu())
h.sum().backward()
"""
"""With its own numbers, the loop adds only zeros."""
ADVERSARIES = """\
gen, disc = torch.nn.Linear(2, 3), torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
opt_g, opt_d = torch.optim.Adam(gen.parameters()), torch.optim.Adam(disc.parameters())
for step in range(2):
    score = disc(gen(torch.rand(5, 2)))
    loss_d = (disc(torch.rand(5, 3)) - 1).square().mean() + score.square().mean()
    loss_g = (score - 1).square().mean()
    opt_d.zero_grad()
    loss_d.backward(retain_graph=True)
    opt_d.step()
    opt_g.zero_grad()
    loss_g.backward()
    opt_g.step()
"""
"""After an edit that takes the step of `opt_d` later, `disc` also learns from `loss_g`; two steps of Adam hide it."""
STEP = """\
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loss = net(torch.ones(3, 2)).sum()
loss.backward(retain_graph=True)
opt.step()
loss.backward()
"""
"""If the step comes last, it takes the gradients of both passes."""
ACROSS = {
    "a loop that feeds the loss": GATE,
    "a step across a pass of another loss": ADVERSARIES,
    "a step across a pass": STEP,
}

WITH_ITS_GRADIENTS = {"a step across a pass of another loss"}
"""Where the step may come later, together with the statements that compute its gradients."""


@pytest.mark.parametrize("name", ACROSS)
def test_nothing_moves_across_what_depends_on_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def moves(trails: list[Trail], read: Any, main: str = "") -> list[Proposal]:
        return [each for each in proposals(trails, read, lines_of(main)) if each.way in ("order", "reorder")]

    script = tmp_path / "program.py"
    script.write_text(BEGIN + ACROSS[name])
    assert moves([failing(script)], text_of)
    with monkeypatch.context() as patch:
        patch.setattr(fix_search, "proposals", moves)  # nothing else is tried
        found = find(script).fixes
    assert [each.checked for each in found] == (["reordered"] if name in WITH_ITS_GRADIENTS else [])
    for each in (*found, *find(script).fixes):
        if each.checked not in ("runs", "renewed"):
            agrees(
                script, fixed(each), gradients=each.checked != "reordered"
            )  # a pass that comes last adds to those of others


def agrees(script: Path, after: str, *, gradients: bool = True) -> None:
    """Checks that a fixed script and the original with copies have the same losses and parameters in the end, with several seeds."""
    clone = torch.autograd.graph.saved_tensors_hooks(lambda saved: saved.detach().clone(), lambda saved: saved)
    for seed in range(4):
        one: dict[str, Any] = {"__name__": "__main__"}
        other = dict(one)
        exec(after.replace("manual_seed(0)", f"manual_seed({seed})"), one)
        with clone:
            exec(script.read_text().replace("manual_seed(0)", f"manual_seed({seed})"), other)
        for name, each in other.items():
            module = isinstance(each, torch.nn.Module)
            leaves = each.parameters() if module else [each] if name == "a" else []
            for mine, theirs in zip(one[name].parameters() if module else [one[name]], leaves, strict=False):
                torch.testing.assert_close(mine, theirs)
                if gradients:
                    torch.testing.assert_close(mine.grad, theirs.grad)


def test_a_write_that_nothing_depends_on_moves(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        BEGIN
        + """\
a = torch.rand(3, requires_grad=True)
h = a * 2
loss = (h * h).sum()
with torch.no_grad():
    h.zero_()
loss.backward()
"""
    )
    (found,) = find(script).fixes
    assert found.says.en == "call `loss.backward()` before line 6"
    assert found.checked == "gradients"


def test_what_is_right_with_these_numbers_only_is_not_offered(tmp_path: Path) -> None:
    # With ones, a view times 1 is the view: out of place, the write to `h` is lost.
    script = tmp_path / "program.py"
    script.write_text(BEGIN + "one = torch.ones(2)\n" + PROGRAMS["a view"].replace("row.mul_(2)", "row.mul_(one)"))
    (found,) = find(script).fixes
    assert "row = row.mul(one)" not in fixed(found)


def test_a_program_that_stops_on_other_data_has_the_same_gradients_and_no_more(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(BEGIN + PROGRAMS["an augmented assignment"] + "assert float(a[0]) == 1\n")
    tried = find(script)
    assert [each.checked for each in tried.fixes] == ["same"]
    said = report_of_trials(tried, "torch")
    assert "it runs, with the same loss and gradients as the original with copies" in said
    assert "right" not in said


def test_a_second_pass(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        BEGIN + "a = torch.ones(3, requires_grad=True)\nloss = (a * a).sum()\nloss.backward()\nloss.backward()\n"
    )
    tried = find(script)
    assert "loss.backward(retain_graph=True)\nloss.backward()\n" in fixed(tried.fixes[0])


def test_a_second_pass_is_compared_with_one_that_kept_the_graph(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        BEGIN
        + """\
from pathlib import Path
w = torch.ones(3, requires_grad=True)
calls = []
def loss():
    calls.append(1)
    return (w * w).sum() * (len(calls) if RETAINED else 1)
RETAINED = "(retain_" in Path(__file__).read_text().split("# the end")[-1]
first = loss()
# the end
first.backward()
first.backward()
"""
    )
    assert find(script).fixes
    text = script.read_text()
    script.write_text(text.replace("len(calls) if", "3 if"))  # with the edit, the gradients differ
    assert not find(script).fixes


MOVED = {
    "the block around it": (
        "with torch.no_grad():\n    net.weight[0].zero_()\nloss.backward()  # a comment\n",
        "loss.backward()  # a comment\nwith torch.no_grad():\n    net.weight[0].zero_()\n",
    ),
    "before a block": (
        "net.weight.detach().fill_(1.0)\nif True:\n    loss.backward()\n",
        "if True:\n    loss.backward()\nnet.weight.detach().fill_(1.0)\n",
    ),
    "not alone on its line": ("net.weight.detach().fill_(1.0); done = 1\nloss.backward()\n", None),
}
"""Statements that write before a pass, and the pass moved before them; None if it cannot be moved."""


@pytest.mark.parametrize("name", MOVED)
def test_a_pass_moves_with_all_its_lines_and_nothing_else(name: str, tmp_path: Path) -> None:
    begin = BEGIN + "net = torch.nn.Linear(2, 2)\nloss = net(torch.ones(1, 2).requires_grad_()).sum()\n"
    before, after = MOVED[name]
    script = tmp_path / "program.py"
    script.write_text(begin + before)
    ways = proposals([failing(script)], text_of)
    found = [*dict.fromkeys(_applied(script, each) for each in ways if each.way in ("order", "reorder"))]
    assert found == ([] if after is None else [begin + after])


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text("import torch\ndef act(x):\n    h = torch.exp(x)\n    h.add_(1)\n    return h\n")
    script = tmp_path / "program.py"
    script.write_text(
        "import torch\nimport parts\na = torch.ones(3, requires_grad=True)\nparts.act(a).sum().backward()\n"
    )
    command = [sys.executable, "-m", "inplacelab", "explain", "--fix", str(script)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "checked: it runs, and the loss and the gradients are right, on other data, too" in ran.stderr
    assert "h = h.add(1)" in (tmp_path / "parts.py").read_text()
    again = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr


def test_a_program_that_fails_otherwise_has_no_reference(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        BEGIN + PROGRAMS["a view"].replace("h.sum().backward()", "try:\n    h.sum().backward()\nfinally:\n    1 / 0\n")
    )
    watch = explain()
    with pytest.raises(ZeroDivisionError), watch:
        exec(compile(script.read_text(), str(script), "exec"), {"__name__": "__main__", "__file__": str(script)})
    with pytest.raises(
        NotTriedError, match=r"in a copy of its folder, with nothing on the standard input, .*ZeroDivisionError"
    ):
        Trials(script, [], framework="torch", seconds=60).find([trail_of(failure_of(watch).facts)])


def test_a_trial_that_takes_too_long_is_not_offered(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(BEGIN + PROGRAMS["an augmented assignment"])
    trail = failing(script)
    script.write_text(script.read_text() + "import time\ntime.sleep(60)\n")
    with pytest.raises(NotTriedError, match="seconds"):
        Trials(script, [], framework="torch", seconds=4).find([trail])


@pytest.mark.parametrize(("encoding", "newline"), sample(FILES, one_in=choose(8, 3, 1)))
def test_a_fix_keeps_the_encoding_and_the_line_ends(encoding: str, newline: str, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    declared = "# -*- coding: gbk -*-\n" if encoding == "gbk" else ""
    text = declared + BEGIN + "叶 = torch.ones(3, requires_grad=True)\n值 = 叶.exp(); 值.mul_(2)\n值.sum().backward()\n"
    script.write_bytes(text.replace("\n", newline).encode(encoding))
    watch = explain()
    with pytest.raises(RuntimeError), watch:
        exec(compile(script.read_bytes(), str(script), "exec"), {"__name__": "__main__", "__file__": str(script)})
    (fix,) = Trials(script, [], framework="torch", seconds=60).find([trail_of(failure_of(watch).facts)]).fixes
    write(fix.edits)
    now = text.replace("值.mul_(2)", "值 = 值.mul(2)")
    assert script.read_bytes() == now.replace("\n", newline).encode(encoding)


def test_where_no_edit_fits_the_copying_mode_is_offered(tmp_path: Path) -> None:
    trail = Trail("stale", needed=())
    script = tmp_path / "program.py"
    script.write_text(BEGIN + PROGRAMS["an augmented assignment"])
    said = report_of_trials(Trials(script, [], framework="torch", seconds=60).find([trail]), "torch")
    assert said.startswith("No known edit fits these lines")
    assert "saved_tensors_hooks" in said


def test_what_is_tried_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "program.py"
    script.write_text(BEGIN + PROGRAMS["two stale values"])
    trail, told = failing(script), list[str]()

    def run(_: Trials, __: Any, *, reference: bool = False, **___: Any) -> Any:
        return Outcome("" if reference else "fails")

    monkeypatch.setattr(Trials, "run", run)
    found = Trials(script, [], framework="torch", seconds=60, tell=lambda text: told.append(text.en)).find([trail])
    assert told[0].startswith("running the program")
    assert [*map(str, range(1, found.count + 1))] == [each.split()[2] for each in told[1:]]
