"""`inplacelab compare`: two scripts run, and where they begin to differ is printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplacelab.cli import main

SHARES = """import inplacelab as paddle
theta = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
target = theta * 2.0
frozen = target.detach()
loss = (target * target).sum()
frozen.zero_()
loss.backward()
"""
COPIES = SHARES.replace("detach()", "detach().clone()")


def compared(folder: Path, left: str, right: str, *options: str) -> int:
    for name, source in (("a.py", left), ("b.py", right)):
        (folder / name).write_text(source, encoding="utf-8")
    return main(["compare", str(folder / "a.py"), str(folder / "b.py"), *options])


def test_a_refused_program_beside_one_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compared(tmp_path, SHARES, COPIES) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("left: a.py: ✗ RuntimeError in line 7")
    assert said[1].startswith("right: b.py: ✓ theta.grad = [8, 16, 24]")
    here = said.index("left: 6  frozen.zero_()")
    assert said[here + 1 : here + 3] == [
        "right: 6  frozen.zero_()",
        "  `target` is [0, 0, 0] on the left, [2, 4, 6] on the right.",
    ]


def test_equal_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compared(tmp_path, COPIES, COPIES, "--lang", "zh") == 0
    assert capsys.readouterr().out.endswith("\n各步的值、版本号和共享关系均无不同。\n")


def test_programs_without_a_common_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compared(tmp_path, "x = 1\n", "import inplacelab\ny = inplacelab.ones([2])\n") == 0
    assert "nothing was aligned" in capsys.readouterr().out


def test_a_script_that_cannot_be_read_is_refused_before_the_other_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    witness = tmp_path / "ran"
    (tmp_path / "a.py").write_text(f"open({str(witness)!r}, 'w')\n", encoding="utf-8")
    assert main(["compare", str(tmp_path / "a.py"), str(tmp_path / "missing.py")]) == 2
    assert "cannot read" in capsys.readouterr().err
    assert not witness.exists()


def test_a_script_without_a_step_is_refused_with_the_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compared(tmp_path, "", COPIES) == 1
    assert "a.py was not recorded:\ninplacelab record: there is nothing to show" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("suffix", "begins"),
    [("html", "<!DOCTYPE html>"), ("svg", "<svg "), ("md", "    target.detach()"), ("txt", "`target.detach()`")],
)
def test_the_comparison_is_also_written_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], suffix: str, begins: str
) -> None:
    to = tmp_path / f"both.{suffix}"
    assert compared(tmp_path, SHARES, COPIES, "-o", str(to)) == 0
    said = capsys.readouterr()
    assert said.out.startswith("left: a.py: ✗ RuntimeError in line 7")
    assert said.err == f"wrote {to}\n"
    assert to.read_text(encoding="utf-8").startswith(begins)


def test_a_file_that_cannot_be_written_is_refused_before_a_script_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    witness = tmp_path / "ran"
    touches = f"open({str(witness)!r}, 'w')\n"
    for to, reason in (
        (tmp_path / "both.json", ".html, .svg, .png, .gif, .md, .txt"),
        (tmp_path / "none" / "a.svg", "cannot write"),
    ):
        assert compared(tmp_path, touches, touches, "-o", str(to)) == 2
        assert reason in capsys.readouterr().err
    script = tmp_path / "b.txt"
    script.write_text(touches, encoding="utf-8")
    assert main(["compare", str(tmp_path / "a.py"), str(script), "-o", str(script)]) == 2
    assert not witness.exists()
    assert script.read_text(encoding="utf-8") == touches
