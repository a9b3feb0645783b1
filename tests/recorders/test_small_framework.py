"""A framework is added with one class: the recorder in `small_framework`, to which docs/en/add_a_framework.md leads."""

from __future__ import annotations

import ast
import sys

import pytest

from inplacelab import record, supported
from inplacelab.recorders import detection, events
from inplacelab.recorders.log import EventLog
from inplacelab.recorders.program import Program
from inplacelab.recorders.recorder import Recorder
from inplacelab.recording import Recording, queries
from inplacelab.recording.origins import origins
from inplacelab.supported import Framework, Terms
from inplacelab_widgets import to_html, to_text
from tests.recorders.runs import run
from tests.recorders.small_framework import vectors
from tests.recorders.small_framework.recorder import FUNCTIONS, VectorRecorder

PROGRAM = """\
a = vectors.vector([1., 2., 3.])
row = a.part(0, 2)
b = row.plus(row)
row.plus_(b)
c = row
"""


RECORDER: type[Recorder] = VectorRecorder
"""mypy checks here that it has what a recorder has."""


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a new framework writes into its folder."""
    monkeypatch.setitem(sys.modules, "vectors", vectors)
    added = Framework(
        "vectors",
        "Vectors",
        95,
        ("vectors",),
        "tests.recorders.small_framework.recorder:VectorRecorder",
        terms=Terms(flag=""),
    )
    found = {**supported.frameworks(), added.name: added}
    monkeypatch.setattr(supported, "frameworks", lambda: found)
    monkeypatch.setattr(detection, "frameworks", lambda: found)


@pytest.fixture
def recording() -> Recording:
    return run(PROGRAM, "vectors").recording


def test_steps_are_the_calls_of_the_program(recording: Recording) -> None:
    assert recording.framework == "vectors"
    assert [(step.line, step.op, step.category) for step in recording.steps] == [
        (1, "vector", "create"), (2, "part", "view"), (3, "plus", "ordinary"), (4, "plus_", "in-place"), (5, None, None),
    ]  # fmt: skip


def test_a_write_through_a_view_reaches_its_storage(recording: Recording) -> None:
    after = recording.state()
    ((step, write),) = queries.who_raised(recording, after.tensor("a").storage)
    assert (step.line, write.before, write.after, write.slots) == (4, 0, 1, ((0, 2),))
    assert queries.visible_values(after, "a") == (3.0, 6.0, 3.0)
    assert after.tensor("a").storage == after.tensor("row").storage != after.tensor("b").storage


def test_it_is_drawn_and_described_in_words_without_gradients(recording: Recording) -> None:
    text = to_text(recording, step=3)
    assert "Version of S0: 0 → 1" in text
    assert "stop_gradient" not in text
    assert "stop_gradient" not in to_html(recording)


def test_origins_follow_from_what_an_operation_says_of_its_result(recording: Recording) -> None:
    found = origins(recording, "row", (1,))
    assert (found.line, found.how, [str(each.called) for each in found.origins]) == (
        4, "computed", ["`row[1]`", "`b[1]`"],
    )  # fmt: skip


def test_a_block_is_recorded_if_its_framework_is_named_or_used() -> None:
    with record(framework="vectors") as block:
        x = vectors.vector([1.0, 2.0])
        x.part(1, 2).plus_(x.part(0, 1))
    assert block.recording is not None
    assert [step.op for step in block.recording.steps] == ["vector", "part", "part", "plus_"]
    used = detection.framework_used(ast.parse("import vectors\nvectors.vector([1.])"), {})
    assert used.framework == "vectors"


def test_what_was_there_before_is_described_before_it_is_written() -> None:
    x = vectors.vector([1.0, 2.0])
    x.plus_(x)
    with record(framework="vectors") as block:
        x.plus_(x)
    assert block.recording is not None
    (step,) = block.recording.steps
    assert [(write.before, write.after) for write in step.writes] == [(1, 2)]
    assert (step.live, block.recording.live_before) == (0, 16)
    assert str(origins(block.recording, "x", (0,)).arithmetic) == "4 = plus(?, ?)"


def test_an_error_of_the_program_ends_the_recording_and_the_functions_are_put_back() -> None:
    before = [getattr(owner, name) for owner, name, _ in FUNCTIONS]
    done = run("a = vectors.vector([1., 2.])\na.plus(vectors.vector([1., 2., 3.]))\n", "vectors")
    assert isinstance(done.failure, ValueError)
    assert [(step.kind, step.line) for step in done.recording.steps][-1] == ("error", 2)
    assert [getattr(owner, name) for owner, name, _ in FUNCTIONS] == before


def test_no_more_steps_than_the_limit_are_recorded() -> None:
    recording = run(PROGRAM, "vectors", limit=2).recording
    assert (len(recording), recording.truncated) == (2, len(run(PROGRAM, "vectors").recording) - 2)


def test_existing_vectors_are_described() -> None:
    x = vectors.vector([1.0, 2.0, 3.0])
    v = x.part(1, 3)
    log = EventLog()
    VectorRecorder(Program("", "", frozenset({"x", "v"})), log).look({"x": x, "v": v})
    made = [each for each in log if isinstance(each, events.TensorMade)]
    assert [each.names for each in made] == [("x",), ("v",)]
    assert made[0].operand.storage == made[1].operand.storage
    assert VectorRecorder.memory_of(x).is_shared_with(VectorRecorder.memory_of(v))
    assert not VectorRecorder.memory_of(x).is_shared_with(VectorRecorder.memory_of(x.plus(x)))
