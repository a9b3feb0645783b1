"""What recordings of the gallery's PaddlePaddle programs say: the lines that they mark."""

from __future__ import annotations

import pytest

from inplacelab.cli.script import run_script
from inplacelab.diagnosis.recorded_failures import error_report, finding
from inplacelab.recording.trace import trace
from tests.diagnosis.test_report_document import check_document
from tests.gallery.programs import GALLERY, Program

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]
PROGRAMS = [each for each in GALLERY if each.framework == "paddle" and each.kind == "modified"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.name)
def test_the_lines_are_those_that_are_marked(program: Program) -> None:
    recording, raised = run_script(program.path, [], title=None, limit=5000)
    error = recording.steps[-1].error
    assert raised is not None
    assert error is not None
    assert error.node is not None
    assert recording.state().nodes[error.node].line == program.kept
    marks = trace(recording, len(recording) - 1)
    written = {mark.line for mark in marks if mark.role == "overwritten"}
    assert written
    assert written <= set(program.overwritten)
    assert {mark.line for mark in marks if mark.role == "needed"} == {program.fails}
    said = error_report(raised, recording, str(program.path))
    assert said is not None
    found = finding(raised, recording, str(program.path))
    assert found is not None
    check_document("paddle", found, said)
