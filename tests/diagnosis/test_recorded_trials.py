"""Fixes of scripts whose frameworks are recorded, and not watched: found by `inplacelab explain --try`, and run here again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inplacelab.cli.script import run_script
from inplacelab.diagnosis.recorded_trial import recorded_trails
from inplacelab.diagnosis.trials import NotTriedError, Trials, Tried
from tests.gallery.programs import GALLERY, Program
from tests.tiers import choose, sample

PADDLE = [each for each in GALLERY if each.framework == "paddle" and each.kind == "modified"]


def find(script: Path, framework: str) -> Tried:
    recording, raised = run_script(script, [], title=None, limit=5000, framework=framework)
    assert raised is not None
    return Trials(script, [], framework=framework, seconds=60).find(recorded_trails(recording, str(script)))


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
    from inplacelab.diagnosis.paddle_trial import Copies  # noqa: PLC0415  # it imports Paddle

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
    with pytest.raises(NotTriedError, match="does not know of the write in line 6"):
        find(script, "paddle")


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
    assert "checked: it runs, and the gradients are right" in ran.stderr, ran.stderr
    assert "+a = a.sin()" in ran.stderr or "clone()" in ran.stderr
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
    assert "(Checked: the program then runs, and its gradients are right.)" in ran.stderr, ran.stderr
    assert ran.stderr.rstrip().endswith("Written.")
    again = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
