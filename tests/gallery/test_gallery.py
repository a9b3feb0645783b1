"""Every program of the gallery fails where its marks say, for the reason they say, and its repair is right."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.gallery.programs import GALLERY, MarkError, Program, read
from tests.gallery.running import Watch, lines_of, run

MESSAGES = {
    "torch": {
        "modified": "has been modified by an inplace operation",
        "leaf": "a (view of a )?leaf Variable that requires grad is being used in an in-place operation",
        "one of several views": "is a view and is being modified inplace",
        "expanded": "more than one element of the written-to tensor refers to a single memory location",
        "second backward": "Trying to backward through the graph a second time",
    },
    "paddle": {
        "modified": "has been modified by an inplace operation",
        "leaf": "can't use inplace strategy",
        "second backward": "You calculate backward twice for the same subgraph",
    },
}


# PaddlePaddle's refusal of a leaf is a ValueError, its refusal of a second backward a SystemError.
ERRORS = (RuntimeError, ValueError, SystemError)


@pytest.fixture
def framework(program: Program) -> Any:
    reason = "needs PyTorch and PaddlePaddle: python -m pip install --group oracle"
    return pytest.importorskip(program.framework, reason=reason)


def every(*kinds: str, framework: str = "") -> pytest.MarkDecorator:
    """The programs whose error is of one of some kinds."""
    chosen = [each for each in GALLERY if (not kinds or each.kind in kinds) and each.framework.startswith(framework)]
    cases = [pytest.param(each, id=each.name, marks=pytest.mark.oracle) for each in chosen]
    return pytest.mark.parametrize("program", cases)


@every()
def test_it_fails_on_its_line(program: Program, framework: Any) -> None:
    with pytest.raises(ERRORS) as caught:
        run(program, program.text)
    assert isinstance(caught.value, RuntimeError) or program.framework == "paddle"
    assert re.search(MESSAGES[program.framework][program.kind], str(caught.value))
    assert program.fails in lines_of(caught.value, program)


@every("modified", "second backward", framework="torch")
def test_anomaly_mode_names_the_line_that_kept_the_value(program: Program, framework: Any) -> None:
    with warnings.catch_warnings(record=True) as said, framework.autograd.set_detect_anomaly(True, check_nan=False):
        warnings.simplefilter("always")
        with pytest.raises(RuntimeError):
            run(program, program.text)
    # The first node that is named failed; others are those whose backward it was part of.
    told = next(text for text in (str(each.message) for each in said) if text.startswith("Error detected in"))
    lines = re.findall(rf'File "{re.escape(str(program.path))}", line (\d+)', told)
    assert int(lines[-1]) == program.kept


@every("modified")
def test_the_marked_lines_keep_and_overwrite(program: Program, framework: Any) -> None:
    first = _watched(program, framework)[0].stale[0]
    assert first.kept == program.kept
    assert first.writes == set(program.overwritten)
    assert program.fails in first.needed


@every()
def test_the_repair_works(program: Program, framework: Any) -> None:
    repaired = _gradients(framework, run(program, program.fixed))
    assert any(each is not None for each in repaired.values())
    if program.kind != "modified" or not program.same_gradients:
        return
    meant = _gradients(framework, _watched(program, framework)[1])
    assert repaired.keys() == meant.keys()
    for name, gradient in meant.items():
        assert (repaired[name] is None) == (gradient is None), name
        if gradient is not None:
            assert repaired[name].shape == gradient.shape, name
            assert bool(framework.allclose(repaired[name], gradient, rtol=1e-5, atol=1e-7)), name


def _watched(program: Program, framework: Any) -> tuple[Watch, dict[str, Any]]:
    """The program, run to its end with a copy of every kept value."""
    watch = Watch(program, framework)
    with watch.following():
        names = run(program, program.text)
    return watch, names


def _gradients(framework: Any, names: dict[str, Any]) -> dict[str, Any]:
    """The gradient of every parameter and other leaf that a program has a name for."""
    module = framework.nn.Module if hasattr(framework.nn, "Module") else framework.nn.Layer
    found: dict[str, Any] = {}
    for name, value in names.items():
        if isinstance(value, module):
            found |= {f"{name}.{each}": parameter.grad for each, parameter in value.named_parameters()}
        elif isinstance(value, framework.Tensor) and value.is_leaf and _wants_gradient(value):
            found[name] = value.grad
    return found


def _wants_gradient(tensor: Any) -> bool:
    return bool(tensor.requires_grad) if hasattr(tensor, "requires_grad") else not tensor.stop_gradient


# ---- the gallery itself ---------------------------------------------------------------------------------------------------------


def test_most_programs_are_about_a_value_that_was_overwritten() -> None:
    kinds = Counter((each.framework, each.kind == "modified") for each in GALLERY)
    assert kinds["torch", True] >= 40
    assert kinds["paddle", True] >= 8
    assert kinds["torch", False] <= 12


@pytest.mark.parametrize("program", GALLERY, ids=lambda each: each.name)
def test_a_program_says_what_people_do(program: Program) -> None:
    said = compile(program.text, str(program.path), "exec").co_consts[0]
    assert isinstance(said, str)
    assert 1 <= len(re.findall(r"[.?!](?:\s|$)", said)) <= 5
    assert len(program.text.splitlines()) <= 50
    assert program.fixed != program.text
    assert "# fix" not in program.fixed


def test_marks_are_read(tmp_path: Path) -> None:
    path = tmp_path / "torch" / "small.py"
    path.parent.mkdir()
    path.write_text(
        '"""Small. The fix changes\nwhat is computed."""\n'
        "y = exp(x)  # kept\n"
        "if y:\n"
        "    y += 1  # overwritten  # fix: y = y + 1; z = '#'\n"
        "    y -= 1  # overwritten  # fix:\n"
        "y.backward()  # fails  # an ordinary comment\n"
    )
    program = read(path)
    assert (program.kept, program.overwritten, program.fails, program.kind) == (3, (5, 6), 7, "modified")
    assert program.fixed.splitlines()[2:6] == ["y = exp(x)  # kept", "if y:", "    y = y + 1; z = '#'", ""]
    assert (program.name, program.same_gradients) == ("torch/small", False)
    assert program.line(5) == "y += 1"


@pytest.mark.parametrize(
    "text",
    [
        "x = 1\n",
        "# fails\nx = 1  # fails\n",
        "x = 1  # fails\ny = 1  # fails\n",
        "x = 1  # fails: somehow\n",
        "x = 1  # kept  # fails\n",
        "x = 1  # kept  # overwritten  # fails: leaf\n",
    ],
)
def test_marks_that_make_no_sense_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(text)
    with pytest.raises(MarkError):
        read(path)
