"""Fixes of scripts whose frameworks are recorded, and not watched: found by `inplacelab explain --try`, and run here again."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from inplacelab.cli.script import run_script, running
from inplacelab.diagnosis.recorded_failures import finding, unnoticed
from inplacelab.diagnosis.report import report_of_trials
from inplacelab.diagnosis.trials import NotTriedError, Trials, Tried, text_of
from inplacelab.recorders.detection import Use
from inplacelab.recorders.main_module import Main
from inplacelab.recorders.part import Part
from inplacelab.recording.fixes.recorded import trails_of
from inplacelab.recording.fixes.spots import changed
from inplacelab.recording.sentences.failures import marks
from inplacelab.recording.trace import trail_of
from tests.gallery.programs import GALLERY, Program
from tests.tiers import choose, sample

PADDLE = [
    each for each in GALLERY if each.framework == "paddle" and each.kind == "modified" and each.same_gradients
]  # where the fix changes what is computed, no gradients are known to be right


@pytest.fixture(autouse=True)
def _the_default_dtype_stays() -> Iterator[None]:
    """Programs that run here may set Paddle's, which other tests rely on."""
    yield
    if (paddle := sys.modules.get("paddle")) is not None:
        paddle.set_default_dtype("float32")


def find(script: Path, framework: str) -> Tried:
    recording, raised = run_script(script, [], title=None, limit=5000, framework=framework)
    assert raised is not None
    return Trials(script, [], framework=framework, seconds=60).find(trails_of(recording, str(script)))


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", sample(PADDLE, one_in=choose(6, 6, 1)), ids=lambda each: each.name)
def test_programs_of_the_gallery_get_a_fix(program: Program) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    tried = find(program.path, "paddle")
    assert tried.fixes, tried


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_copies_have_the_strides_of_what_paddle_has_saved() -> None:
    paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    from inplacelab.frameworks.paddle.trial import Copies  # noqa: PLC0415  # it imports Paddle

    def gradient(block: Copies | None) -> np.ndarray:
        whole = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
        weight = paddle.ones([2, 2])
        weight.stop_gradient = False
        if block is None:
            result = whole[1, :, 2:] @ weight
        else:
            with block.block:
                result = whole[1, :, 2:] @ weight
        (result * result).sum().backward()
        found: np.ndarray = weight.grad.numpy()
        return found

    copies = Copies()
    np.testing.assert_array_equal(gradient(copies), gradient(None))
    assert copies.bytes > 0


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_no_fix_is_called_right_where_paddle_does_not_know_of_a_write(tmp_path: Path) -> None:
    # After `h = h.clone()` this runs, and `x.grad` is [[10, 18], [26, 34]], whatever is saved; right is [[10, 16], [26, 34]].
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    script = tmp_path / "program.py"
    script.write_text(
        "import paddle\n"
        "x = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)\n"
        "h = x * 2\n"
        "energy = (h * h).sum()\n"
        "first = h[0]\n"
        "first.clip_(0., 3.)\n"
        "(energy + h.sum()).backward()\n"
    )
    tried = find(script, "paddle")
    assert tried.count
    assert not tried.fixes
    assert "for an element of the gradient of `x`, it gives 18, and the recorded operations give 16" in str(tried.why)
    assert str(tried.why) in report_of_trials(tried, "paddle")


WRONG_IN_PADDLE = {
    "a mask": ("h[h > 0.8] = c.sum() * 2", "h = paddle.index_put(h, (h > 0.8,), c.sum() * 2)", 16),
    "masked_fill_": ("h.masked_fill_(h > 0.8, c.sum() * 2)", "h = paddle.where(h > 0.8, c.sum() * 2, h)", 16),
    "an index": (
        "h[paddle.to_tensor([0, 2])] = c * 2",
        "h = paddle.index_put(h, (paddle.to_tensor([0, 2]),), c * 2)",
        16,
    ),
    "lerp_": ("h.lerp_(paddle.zeros([3]), c * 0.5)", "h = h + (paddle.zeros([3]) - h) * (c * 0.5)", -1.1088236),
}
"""Statements for which Paddle's own backward gives `c` a wrong gradient, whatever is copied; what is right, and the gradient of `c` with it."""


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG_IN_PADDLE)
def test_an_operation_to_which_paddle_gives_a_wrong_gradient_is_written_otherwise(name: str, tmp_path: Path) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    write, right, gradient = WRONG_IN_PADDLE[name]
    script = tmp_path / "program.py"
    text = FAILS_AND_IS_WRONG.format(write)
    script.write_text(text)
    (fix,) = find(script, "paddle").fixes  # and not `h = h.clone()`, with which the gradient is wrong without an error
    assert fix.checked == "gradients"
    assert f"write `{right}`" in str(fix.says)
    ((_, fixed),) = changed(fix.edits, text_of).values()
    assert fixed == FAILS_AND_IS_WRONG.format(right)
    names = {"__name__": "__main__"}
    exec(fixed, names)
    assert names["c"].grad.numpy() == pytest.approx([gradient])  # type: ignore[attr-defined]


FAILS_AND_IS_WRONG = """\
import paddle
paddle.set_default_dtype("float64")
a = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
c = paddle.to_tensor([1.], stop_gradient=False)
h = paddle.nn.functional.sigmoid(a)
{}
(h * h).sum().backward()
"""


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_it_is_said_which_gradient_paddle_gets_wrong_if_no_fix_is_known(tmp_path: Path) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    script = tmp_path / "program.py"
    script.write_text(FAILS_AND_IS_WRONG.format("h[h > 0.8], other = c.sum() * 2, 0"))
    tried = find(script, "paddle")
    assert not tried.fixes
    assert tried.copies is None  # which would not help
    said = report_of_trials(tried, "paddle")
    assert "own gradient of `h[h > 0.8], other = c.sum() * 2, 0` is wrong, and no copy changes that" in said
    assert "its backward gives 0, and the recorded operations give 16" in said


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_wrong_gradients_without_an_error_get_a_fix(tmp_path: Path) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    script = tmp_path / "program.py"
    script.write_text(
        "import paddle\n"
        "layer = paddle.nn.Linear(2, 2)\n"
        "fill = paddle.create_parameter([], 'float32')\n"
        "opt = paddle.optimizer.SGD(0.1, parameters=[*layer.parameters(), fill])\n"
        "for step in range(3):\n"
        "    h = layer(paddle.ones([3, 2]))\n"
        "    h[h > -9.] = fill\n"
        "    (h + 1).square().sum().backward()\n"
        "    opt.step()\n"
        "    opt.clear_grad()\n"
    )
    trials = Trials(script, [], framework="paddle", seconds=60)
    (fix,) = trials.find((), fails=False).fixes
    assert fix.checked == "gradients"
    assert "`h = paddle.index_put(h, (h > -9.0,), fill)`" in str(fix.says)


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_a_result_that_an_operation_in_place_has_kept_is_copied_without_a_step(tmp_path: Path) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    script = tmp_path / "program.py"
    script.write_text(
        "import paddle\n"
        "a = paddle.to_tensor([4., 9.], stop_gradient=False)\n"
        "d = a * 1\n"
        "d.sqrt_()\n"
        "d.add_(paddle.to_tensor(1.))\n"
        "d.sum().backward()\n"
    )
    assert find(script, "paddle").fixes[0].checked == "gradients"


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_gradients_of_paddle_are_compared_with_finite_differences(tmp_path: Path) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    text = (
        "import paddle\n"
        "layer = paddle.nn.Linear(2, 3)\n"
        "x = paddle.to_tensor([[1., 2.], [3., 5.]])\n"
        "h = paddle.nn.functional.sigmoid(layer(x))\n"
        "h[0] = 0.5\n"
        "(h * h{}).sum().backward()\n"
    )
    script = tmp_path / "program.py"
    script.write_text(text.format(""))
    (fix,) = find(script, "paddle").fixes
    assert fix.checked == "gradients"
    assert fix.slopes is not None
    assert fix.slopes >= 6  # some elements of the weight and of the bias, on each of three sets of data
    said = report_of_trials(Tried((fix,), 1, 0), "paddle")
    assert f"{fix.slopes} elements of the first pass's gradients agree with finite differences" in said
    script.write_text(text.format(".detach()"))  # finite differences do not stop there, and this package's engine does
    (fix,) = find(script, "paddle").fixes
    assert (fix.checked, fix.slopes) == ("gradients", 0)
    hook = "x.stop_gradient = False\nx.register_hook(lambda each: each * 2)\nh ="
    script.write_text(text.format("").replace("h =", hook))  # the engine takes what the hook has returned
    (fix,) = find(script, "paddle").fixes
    assert (fix.checked, fix.slopes) == ("gradients", 0)


ENGINE = """\
import inplacelab as paddle
import helper
x = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
a = x * 2.
b = a * a
helper.spoil(a)
a.sin_()
b.sum().backward()
"""


def test_a_script_of_the_engine_that_cannot_be_replayed_is_tried_in_a_copy_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def spoil(t):\n    open('trace', 'a').close()\n")
    script = tmp_path / "script.py"
    script.write_text(ENGINE)
    ran = subprocess.run(
        [sys.executable, "-m", "inplacelab", "explain", "--fix", str(script)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "checked: it runs, and the loss and the gradients are right, on other data, too" in ran.stderr, ran.stderr
    assert "+b.sum().backward()\n a.sin_()\n-b.sum().backward()" in ran.stderr
    again = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert script.read_text() != ENGINE


def test_a_script_that_was_replayed_is_not_tried_again(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(ENGINE.replace("import helper\n", "").replace("helper.spoil(a)\n", ""))
    ran = subprocess.run(
        [sys.executable, "-m", "inplacelab", "explain", "--fix", str(script)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert "(checked: it runs, and the loss and the gradients are right, on other data, too):" in ran.stderr, ran.stderr
    assert ran.stderr.rstrip().endswith("Written.")
    again = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr


FAILING = "a = x * 2.\nb = a * a\na.sin_()\nb.sum().backward()\n"
CANNOT = {
    "a process that ends": ("import os\nos._exit(3)\n", "its process ended before the script did, with exit status 3"),
    "standard input": ("input()\n", "with nothing on the standard input, .* EOFError"),
    "a loop without an end": ("while True:\n    pass\n", "the script was ended after 5 seconds"),
}
HEAD = "import inplacelab as paddle\nx = paddle.to_tensor([1., 2., 3.], stop_gradient=False)\n"


@pytest.mark.parametrize("name", CANNOT)
def test_what_no_trial_can_run_is_said_in_one_sentence(name: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(HEAD + FAILING)
    recording, _ = run_script(script, [], title=None, limit=5000, framework="inplacelab")
    more, why = CANNOT[name]
    script.write_text(HEAD + FAILING + more)
    with pytest.raises(NotTriedError, match=why) as raised:
        Trials(script, [], framework="inplacelab", seconds=5).find(trails_of(recording, str(script)))
    assert "\n" not in str(raised.value.why)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
def test_a_script_may_print_write_files_and_fork(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os\nprint('printed')\nopen('trace', 'a').close()\nos.fork()\n" + HEAD + FAILING)
    trials = Trials(script, [], framework="inplacelab", seconds=60)
    (fix,) = trials.find(trials.failing()[0]).fixes
    assert fix.checked == "gradients"
    assert capfd.readouterr() == ("", "")
    assert [each.name for each in tmp_path.iterdir()] == ["script.py"]


ORDER = """\
import {module} as paddle
from {module} import nn

paddle.seed(0)
gen, disc = nn.Linear(2, 3), nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
opt_g = paddle.optimizer.SGD(0.1, parameters=gen.parameters())
opt_d = paddle.optimizer.Adam(0.1, parameters=disc.parameters())
for step in range(2):
    fake = gen(paddle.rand([5, 2]))
    loss_g = (disc(fake) - 1).square().mean()
    loss_d = (disc(paddle.rand([5, 3])) - 1).square().mean() + disc(fake.detach()).square().mean()
    opt_d.clear_grad()
    loss_d.backward()
    opt_d.step()
    opt_g.clear_grad()
    loss_g.backward()
    opt_g.step()
"""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("module", ["inplacelab", pytest.param("paddle", marks=pytest.mark.oracle)])
def test_a_step_between_forward_and_backward_is_named_and_gets_both_ways(tmp_path: Path, module: str) -> None:
    pytest.importorskip(module, reason="needs PaddlePaddle: python -m pip install --group oracle")
    script = tmp_path / "program.py"
    script.write_text(ORDER.format(module=module))
    recording, raised = run_script(script, [], title=None, limit=5000, framework=module)
    found = unnoticed(recording, str(script))[0] if raised is None else finding(raised, recording, str(script))
    assert found is not None
    assert (raised is None) == (module == "paddle")  # an optimizer of Paddle raises no version
    said = next(each.says.en for each in marks(found.facts) if each.role == "overwritten")
    assert said.startswith("`opt_d.step()` changed `disc.")
    assert " after line 10 used it" in said
    assert found.advice is not None
    assert "clone" not in found.advice.en
    trials = Trials(script, [], framework=module, seconds=60)
    tried = trials.find([trail_of(found.facts)], fails=raised is not None)
    assert [each.checked for each in tried.fixes] == ["reordered", "renewed"]
    assert tried.copies is None


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
def test_trials_of_a_long_training_whose_gradients_are_wrong_end(tmp_path: Path) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    script = tmp_path / "program.py"
    text = ORDER.format(module="paddle")
    script.write_text(text)
    recording, _ = run_script(script, [], title=None, limit=5000, framework="paddle")
    trail = trail_of(unnoticed(recording, str(script))[0].facts)
    script.write_text(text.replace("range(2)", "range(10**6)"))
    tried = Trials(script, [], framework="paddle", seconds=60).find([trail], fails=False)
    assert [(each.checked, each.early) for each in tried.fixes] == [("reordered", True), ("renewed", True)]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("last", [120, 160, 220, 280])
def test_what_a_node_older_than_the_kept_events_has_saved_is_not_placed(tmp_path: Path, last: int) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    script = tmp_path / "program.py"
    script.write_text(ORDER.format(module="paddle"))
    with running(Main(script), [], title=None, part=Part(5000), use=Use("paddle"), last=last) as ran:
        assert ran.recording is not None
        found = unnoticed(ran.recording, str(script))
    assert {site.line for each in found for value in each.facts.values for site in value.sites[:1]} <= {10}
    assert all(value.sites for each in found for value in each.facts.values)
