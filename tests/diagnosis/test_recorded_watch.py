"""`explain()` of PaddlePaddle programs: the lines, memory that is bounded, cells, tests and scripts."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.cli.script import run_script
from inplacelab.diagnosis import recorded_failures
from inplacelab.diagnosis.explain import explain
from inplacelab.diagnosis.recorded_failures import error_report
from inplacelab.ipython import load_ipython_extension
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recorders.sources import parsed
from tests.gallery.programs import GALLERY
from tests.gallery.programs import Program as Case
from tests.tiers import choose, sample

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

CASES = [each for each in GALLERY if each.framework == "paddle" and each.kind == "modified"]
TRAINING = """\
import paddle
w = paddle.ones([3, 3])
w.stop_gradient = False
optimizer = paddle.optimizer.SGD(0.01, parameters=[w])
def forward(x):
    h = paddle.matmul(x, w).tanh()
    return h, (h * h).sum()
for k in range({steps}):
    h, loss = forward(paddle.ones([2, 3]))
    if k == {steps} - 1:
        h.add_(paddle.ones([2, 3]))
    loss.backward()
    optimizer.step()
    optimizer.clear_grad()
"""


def watched(folder: Path, program: str) -> tuple[str, explain]:
    """Runs a program in a `with explain("paddle")` block. Returns the note of its error, and what was found out."""
    file = folder / "watched_program.py"
    file.write_text(program)
    names: dict[str, Any] = {"__name__": "watched_program"}
    with pytest.raises(Exception, match="modified by an inplace operation") as caught:  # noqa: SIM117
        with explain("paddle", str(file)) as found:
            exec(compile(program, str(file), "exec"), names)
    return "\n".join(getattr(caught.value, "__notes__", [])), found


@pytest.mark.parametrize("case", sample(CASES, one_in=choose(4, 2, 1)), ids=lambda each: each.name)
def test_the_lines_are_those_of_the_whole_recording(case: Case, tmp_path: Path) -> None:
    recording, raised = run_script(case.path, [], title=None, limit=5000)
    assert raised is not None
    said, found = watched(tmp_path, case.path.read_text(encoding="utf-8"))
    assert len(found.failures) == 1
    # Statements are not reported in a block, so names may be missing; the lines, nodes and versions are the same.
    numbers = [line.partition("|")[0] for line in said.splitlines() if "|" in line]
    expected = [
        line.partition("|")[0]
        for line in str(error_report(raised, recording, str(case.path))).splitlines()
        if "|" in line
    ]
    assert numbers == expected


def test_lines_of_functions_beside_the_block_are_named(tmp_path: Path) -> None:
    said, _ = watched(tmp_path, TRAINING.format(steps=3))
    assert (
        "kept: `MultiplyGradNode` keeps `forward: h`, its first and second operands (float32 [2, 3]) at version 0 (inferred), in `forward`"
        in said
    )
    assert "  7 |     return h, (h * h).sum()" in said
    assert " 11 |         h.add_(paddle.ones([2, 3]))" in said
    assert "12 |     loss.backward()" in said


def test_a_long_program_needs_no_more_memory_than_a_short_one() -> None:
    sizes = []
    for steps in (60, 240):
        text = TRAINING.format(steps=steps)
        tree = parsed(text)
        session = Session(Program.of(tree, text, "<long>"), use=Use("paddle"), last=500)
        raised = session.run([compile(instrument.instrumented(tree), "<long>", "exec")], {"__name__": "long"})
        assert raised is not None
        events = list(session._log)
        objects = session.recorder.objects  # type: ignore[attr-defined]
        sizes.append((len(events), len(objects.storages._numbered), len(objects.storages._storages)))
        lines = error_report(raised, session.recording(), "<long>")
        assert lines is not None
        assert "overwritten by `add_`: version 0 → 1" in lines
        assert any("earlier events were not kept" in note.en for note in session.recording().notes)
        assert all(getattr(event, "values", None) is None for event in events)
    (events_few, *few), (events_many, *many) = sizes
    assert abs(events_many - events_few) <= 30
    assert [abs(one - other) <= 3 for one, other in zip(few, many, strict=True)] == [True, True]


def test_a_block_that_does_not_fail_says_so() -> None:
    with explain("paddle") as found:
        x = paddle.ones([3])
        x.add_(x)
    assert str(found).startswith("No backward pass failed in what was watched. Operations: ")
    assert found.failures == []


def test_an_error_of_something_else_gets_no_note() -> None:
    def fail() -> None:
        x = paddle.ones([3])
        x.add_(x)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught, explain("paddle") as found:
        fail()
    assert not getattr(caught.value, "__notes__", [])
    assert found.failures == []


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    made = InteractiveShell.instance()
    load_ipython_extension(made)
    yield made
    made.reset()
    InteractiveShell.clear_instance()


def test_a_cell_that_fails_is_explained(shell: InteractiveShell) -> None:
    with capture_output() as captured:
        shell.run_cell("import paddle\nx = paddle.ones([3])\nx.stop_gradient = False\n", store_history=True)
        shell.run_cell("h = x.exp()\nh.add_(paddle.ones([3]))\nh.sum().backward()\n", store_history=True)
        shell.run_cell("%explain -y", store_history=True)
    assert "2 | h.add_(paddle.ones([3]))" in str(captured.stdout)
    assert "version 0 → 1" in str(captured.stdout)


def test_a_failing_test_says_the_lines(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        dedent(
            """\
            import paddle

            def test_it():
                a = paddle.ones([3])
                a.stop_gradient = False
                h = a.exp()
                h.add_(paddle.ones([3]))
                h.sum().backward()
            """
        )
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)]
    if b"--explain" not in subprocess.run([*command, "--help"], capture_output=True, check=False).stdout:
        command += ["-p", "inplacelab.diagnosis.pytest_plugin"]  # the package is on the path, but not installed
    ran = subprocess.run([*command, "--explain"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ran.returncode == 1
    assert "h.add_(paddle.ones([3]))" in ran.stdout
    assert "version 0 → 1" in ran.stdout, ran.stdout


def test_a_script_may_have_more_steps_than_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inplacelab.cli import main  # noqa: PLC0415

    assert recorded_failures.EVENTS > 400
    monkeypatch.setattr(recorded_failures, "EVENTS", 400)
    script = tmp_path / "train.py"
    script.write_text(TRAINING.format(steps=80))
    said: list[str] = []
    monkeypatch.setattr("inplacelab.cli.output.say", lambda text, *_: said.append(str(text)))
    assert main(["explain", str(script)]) == 1
    assert "overwritten by `add_`: version 0 → 1" in "\n".join(said)
