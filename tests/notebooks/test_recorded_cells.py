"""The recordings that come with lessons are those of the cells in the lessons."""

from __future__ import annotations

from typing import Any

import pytest

import build
import recorded_cells
from inplacelab.distributed.on_ranks import can_run, record_on_ranks
from inplacelab.lessons.recorded import FOLDER, recorded
from inplacelab.recording import Recording
from lesson_source import Code, Prose, read_lesson

CELLS = dict(cell for source in build.lessons() for cell in recorded_cells.cells(read_lesson(source)))
ON_RANKS = [cell for source in build.lessons() for cell in recorded_cells.ranks_cells(read_lesson(source))]


def test_each_recording_has_a_cell() -> None:
    names = {name for cell in ON_RANKS for name in cell.names}
    assert {path.stem for path in FOLDER.glob("*.json")} == CELLS.keys() | names


@pytest.mark.parametrize("name", CELLS)
def test_it_is_a_recording_of_the_program_in_the_cell(name: str) -> None:
    assert recorded(name).source.strip() == CELLS[name].strip()
    said = [note.en for note in recorded(name).notes]
    raised = "mark_dirty" in CELLS[name]  # raises a version without writing
    silent = "batch_norm" in CELLS[name]  # writes without raising a version
    told_of = {"Paddle": True, "not recorded": raised, "without raising": silent}
    assert all(any(words in note and expected for words, expected in told_of.items()) for note in said)
    inferred = (
        recorded(name).framework == "paddle" and "stop_gradient" in CELLS[name]
    )  # what nodes keep, if there are nodes
    assert any("inferred" in note for note in said) is inferred


def test_a_cell_that_fails_on_purpose_does_not_stop_run_all() -> None:
    blocks = [block for source in build.lessons() for block in read_lesson(source) if isinstance(block, Code)]
    fails = {f"{recorded_cells.TAG}{name}" for name in CELLS if recorded(name).steps[-1].error}
    assert fails
    assert [block.tags for block in blocks if fails & {*block.tags} and "raises-exception" not in block.tags] == []


@pytest.mark.oracle
@pytest.mark.parametrize("name", CELLS)
def test_it_is_what_the_cell_records_now(name: str) -> None:
    ours = recorded(name)
    framework = pytest.importorskip(ours.framework)
    if ours.framework_version.partition("+")[0] != str(framework.__version__).partition("+")[0]:
        pytest.skip("recorded with another version of the framework")
    assert told(recorded_cells.recording(CELLS[name])) == told(ours)


@pytest.mark.parametrize("cell", ON_RANKS, ids=lambda cell: cell.name)
def test_the_recordings_of_ranks_are_of_the_program_in_the_cell(cell: recorded_cells.RanksCell) -> None:
    for rank, name in enumerate(cell.names):
        recording = recorded(name)
        assert recording.source.strip() == cell.text.strip()
        assert recording.notes == ()
        numbers = {(each.rank, each.ranks) for step in recording.steps if (each := step.collective) is not None}
        assert numbers <= {(rank, cell.count)}


@pytest.mark.standard
@pytest.mark.parametrize("cell", ON_RANKS, ids=lambda cell: cell.name)
def test_the_recordings_of_ranks_are_what_the_cell_records_now(cell: recorded_cells.RanksCell) -> None:
    if not can_run():
        pytest.skip("needs mpi4py, ipyparallel and mpiexec: pip install inplacelab[mpi]")
    for name, made in zip(cell.names, record_on_ranks(cell.text, cell.count), strict=True):
        assert told(made) == told(recorded(name))


def told(recording: Recording) -> list[Any]:
    """What happened in each step: everything but values, whose last digit may depend on the processor."""
    return [
        (step.kind, step.line, step.op, step.category, step.writes, step.backward and (step.backward.action, step.backward.node),
         [(key, facts and (facts.names, facts.shape, facts.node)) for key, facts in step.tensors],
         [(key, facts and (facts.name, facts.saved, facts.edges)) for key, facts in step.nodes])
        for step in recording.steps
    ]  # fmt: skip


def test_an_unknown_recording_is_refused() -> None:
    with pytest.raises(LookupError, match="torch-loop"):
        recorded("no-such")


LEAF = "a leaf Variable that requires grad is being used in an in-place operation."
VIEW = "a view of a leaf Variable that requires grad is being used in an in-place operation."
STALE = "one of the variables needed for gradient computation has been modified by an inplace operation"
QUOTED = {
    "in_place_and_versions": (LEAF, STALE),
    "leaves": (VIEW,),
    "saved_tensors_and_versions": (STALE,),
    "views_and_in_place_together": (STALE,),
    "in_place_in_real_training": (STALE,),
}


@pytest.mark.oracle
def test_pytorch_says_what_lessons_quote() -> None:
    torch = pytest.importorskip("torch")
    leaf = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError) as refused:
        leaf.mul_(2)
    with pytest.raises(RuntimeError) as refused_view:
        leaf[0] = 2
    result = torch.sigmoid(leaf)
    result.mul_(2)
    with pytest.raises(RuntimeError) as stale:
        result.sum().backward()
    assert str(refused.value) == LEAF
    assert str(refused_view.value) == VIEW
    assert str(stale.value).startswith(STALE)


@pytest.mark.parametrize("name", QUOTED)
def test_lessons_quote_pytorchs_messages_as_they_are(name: str) -> None:
    (lesson,) = (source for source in build.lessons() if source.stem.split("_", 1)[1] == name)
    prose = [block for block in read_lesson(lesson) if isinstance(block, Prose)]
    for text in ("\n".join(block.en for block in prose), "\n".join(block.zh for block in prose)):
        assert [message for message in QUOTED[name] if f"> {message}\n" not in text] == []
