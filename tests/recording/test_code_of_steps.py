"""Operations are written as the program wrote them, and a line is told as a whole."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from inplacelab.cli.script import run_script
from inplacelab.recording.code_of_steps import OPERATORS, call_code, code_of
from inplacelab.recording.sentences import line_sentence
from tests.recorders.golden.renew import run

HEAD = "x = paddle.to_tensor([[1., 2.], [3., 4.]])\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x[0] = 5.", ["x[0] = 5."]),
        ("x[0] += 1.", ["x[0]", "x[0] += 1.", "x[0] += 1."]),
        ("y = x[1]", ["x[1]"]),
        ("y, z = x[0], x[1]", ["x[0]", "x[1]"]),
        ("y = (x + 1.) * x", ["x + 1.", "(x + 1.) * x"]),
        ("y = -x", ["-x"]),
        ("y = x * -1.5", ["x * -1.5"]),
        ("y = 2. > x", ["2. > x"]),
        ("y = x.detach()", ["detach"]),
        ("y = x.data", ["data"]),
        ("y = paddle.nn.functional.relu(x).exp_()", ["relu", "exp_"]),
        ("y = [x[k] for k in range(2)]", ["x[k]", "x[k]"]),
        ("a_name_of_many_letters = x\ny = a_name_of_many_letters[0, 0]", ["…[0, 0]"]),
        ("x.reshape([4]).reshape([2, 2])[0, 1] = 5.0", ["reshape", "reshape", "…[0, 1] = ..."]),
        ("x[paddle.to_tensor([0, 1])] = 2.", ["to_tensor", "x[...] = ..."]),
        ("x[0], x[1] = x[1], x[0]", ["x[1]", "x[0]", "x[0] = ...", "x[1] = ..."]),
        ("x[0] = x[1] = x[0] * 2.", ["x[0]", "x[0] * 2.", "x[0] = ...", "x[1] = ..."]),
        (
            "k = paddle.to_tensor([1, 2])\nk[:1] <<= k[1:]",
            ["to_tensor", "k[:1]", "k[1:]", "k[:1] <<= k[1:]", "k[:1] <<= k[1:]"],
        ),
        ("getattr(x, '__setitem__')(0, 5.)", ["x[...] = ..."]),
    ],
)
def test_an_operation_is_written_as_in_the_program(text: str, expected: list[str]) -> None:
    recording = run(HEAD + text + "\n").recording
    assert [code_of(recording, step) for step in recording.steps if step.kind == "operation"][1:] == expected


def test_every_operator_of_python_has_a_sign() -> None:
    assert {each.__name__ for each in ast.operator.__subclasses__()} <= {each.__name__ for each in OPERATORS}


def test_an_attribute_is_written_with_its_tensor() -> None:
    recording = run(HEAD + "y = x.data\n").recording
    assert call_code(recording, recording.steps[-1]) == "x.data"


def test_a_line_is_told_as_a_whole() -> None:
    recording = run(
        "a = paddle.to_tensor([1., 2.], stop_gradient=False)\nb = a * 2.\nc = (b * b).sum()\nb.scale_(2.).add_(b)\nc.backward()\n"
    ).recording
    ends = {step.line: step.index for step in recording.steps}
    made, wrote, failed = (line_sentence(recording, ends[line]) for line in (3, 4, 5))
    assert made.en.startswith("Line 3 ran `b * b` and `sum` on `b`. It made `c` in a new storage")
    assert made.zh.startswith("第 3 行对 `b` 执行了 `b * b` 和 `sum`。产生 `c`，放在新存储")
    assert "Version of S1: 0 → 2." in wrote.en
    assert "What `MultiplyGradNode` (line 3) kept is now stale: `b` (as its first and second operands)." in wrote.en
    assert "Backward began at `SumGradNode` (line 3)." in failed.en
    assert "`RuntimeError`. Line 3: kept: `MultiplyGradNode` keeps `b`" in failed.en


@pytest.mark.oracle
def test_a_write_inside_a_module_is_not_the_operator_of_its_line(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "train.py"
    script.write_text("import torch\nnorm, x = torch.nn.BatchNorm1d(2), torch.ones(3, 2)\ny = norm(x) + x\n")
    recording, _ = run_script(script, [], title=None, limit=100)
    added = [step for step in recording.on_line(3) if step.op in ("add", "add_")]
    assert [code_of(recording, step) for step in added] == ["add_", "norm(x) + x"]
