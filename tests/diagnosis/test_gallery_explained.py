"""What a watch says of the gallery's programs: exactly the lines that they mark."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.diagnosis.explain import explain  # noqa: E402
from inplacelab.diagnosis.findings import Finding, completed  # noqa: E402
from inplacelab.diagnosis.report import report  # noqa: E402
from inplacelab.diagnosis.trials import Trials  # noqa: E402
from inplacelab.recording.facts import Sites  # noqa: E402
from inplacelab.recording.trace import trail_of  # noqa: E402
from tests.diagnosis.test_report_document import check_document  # noqa: E402
from tests.gallery.programs import GALLERY, Program  # noqa: E402
from tests.recorders.torch_runs import needs_saved  # noqa: E402
from tests.tiers import choose, sample  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]
PROGRAMS = [each for each in GALLERY if each.framework == "torch" and each.kind in ("modified", "second backward")]
FIXED = (
    "skip_connection_add",
    "residual_relu_then_add",
    "written_through_a_view",
    "hidden_states_by_index",
    "running_loss_backward",
)
"""Of these a fix is found here."""


def explained(program: Program) -> Finding:
    watching = explain()
    names = {"__name__": "__main__", "__file__": str(program.path)}
    with pytest.raises(Exception), watching:  # noqa: B017, PT011  # of several kinds
        exec(compile(program.text, str(program.path), "exec"), names)
    return next(each for each in reversed(watching.failures) if each.facts.kind != "silent")


def line_in(program: Program, sites: Sites) -> int | None:
    """The innermost line of the program among calls."""
    return next((site.line for site in sites if site.file == str(program.path)), None)


@needs_saved
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.name)
def test_the_lines_are_those_that_are_marked(program: Program) -> None:
    found = explained(program)
    saved = found.facts.values[0]
    assert line_in(program, saved.sites) == program.kept
    if program.kind == "modified":
        assert {line_in(program, each.sites) for each in saved.writes} == set(program.overwritten)
        assert saved.unseen == 0
    assert program.fails in [site.line for site in found.facts.needed if site.file == str(program.path)]
    check_document("torch", completed(found), report(completed(found)))


@needs_saved
@pytest.mark.parametrize("name", sample(FIXED, one_in=choose(8, 3, 1)))
def test_a_fix_is_found(name: str, tmp_path: Path) -> None:
    program = next(each for each in PROGRAMS if each.name == f"torch/{name}")
    script = tmp_path / "program.py"
    script.write_text(program.text)
    trail = trail_of(explained(Program(**{**vars(program), "path": script})).facts)
    assert Trials(script, [], framework="torch", seconds=60).find([trail]).fixes
