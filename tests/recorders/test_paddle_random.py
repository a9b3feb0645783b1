"""Recordings of random PaddlePaddle programs, compared statement by statement with what Paddle itself says of the unrecorded run."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inplacelab.recording import Recording, from_json, queries, to_json
from tests.tiers import choose, examples

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

from tests.recorders.paddle_programs import Said, program, results_in, run_plainly  # noqa: E402  # they need PaddlePaddle
from tests.recorders.paddle_runs import remarks, run  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]
BATCH = 20
EXPECTED = (
    "through another tensor",
    "without raising their versions",
    "Several nodes had saved",
    "versions of the tensor and of the copy",
    "had changed the tensor",
)
"""What recordings of these programs may say."""


@pytest.mark.parametrize("first", range(0, examples(120), BATCH))
def test_a_recording_says_what_paddle_says(first: int) -> None:
    for seed in range(first, first + BATCH):
        lines = program(seed)
        truth, recorded = run_plainly(lines), run("\n".join(lines))
        error = "" if recorded.failure is None else f"{type(recorded.failure).__name__}: {recorded.failure}"
        assert without_numbers(error) == without_numbers(truth.error), seed
        if not _reads_empty(lines):
            assert _shown(results_in(recorded.names)) == _shown(truth.results), seed
        assert [each for each in remarks(recorded.recording) if not any(said in each for said in EXPECTED)] == [], seed
        assert to_json(from_json(to_json(recorded.recording))) == to_json(recorded.recording), seed
        for number, tensors in enumerate(truth.after, 1):
            where = f"program {seed}, line {number}: {lines[number - 1]}"
            _agrees(recorded.recording, number, tensors, where, values=not _reads_empty(lines))


def _agrees(recording: Recording, line: int, tensors: dict[str, Said], where: str, *, values: bool) -> None:
    state = recording.after_line(line)
    for name, said in tensors.items():
        tensor = state.tensor(name)
        node = None if tensor.node is None else state.nodes[tensor.node]
        edges = () if node is None else tuple(state.nodes[edge.to].name for edge in node.edges)
        assert state.version(name) == said.version, (where, name)
        assert (tensor.shape, tensor.strides, tensor.offset) == said.layout, (where, name)
        assert (tensor.dtype, tensor.needs_gradient) == (said.dtype, said.needs), (where, name)
        assert ("" if node is None else node.name, edges) == (said.node, said.edges), (where, name)
        assert (tensor.grad is None) == (said.grad is None), (where, name)
        if values:
            assert queries.visible_values(state, name) == pytest.approx(said.values, nan_ok=True), (where, name)
        if values and tensor.grad is not None:
            found = queries.visible_values(state, state.tensors[tensor.grad])
            assert found == pytest.approx(said.grad, nan_ok=True), (where, name)
        for other, another in tensors.items():
            assert queries.shares_storage(state, name, other) == (said.storage == another.storage), (where, name, other)


def test_a_stale_value_is_found_at_the_node_that_paddle_logs(capfd: pytest.CaptureFixture[str]) -> None:
    found = 0
    for seed in range(choose(75, 120, 3000)):
        lines = program(seed)
        if "expected version" not in run_plainly(lines).error:
            continue
        capfd.readouterr()
        recorded = run("\n".join(lines))
        logged = re.findall(r"While running Node \((\w+)\)", capfd.readouterr().err)
        last = recorded.recording.steps[-1].error
        assert last is not None
        if last.node is None:
            assert any("none is known" in note.en for note in recorded.recording.notes), seed
            continue
        state = recorded.recording.state()
        assert state.nodes[last.node].name == logged[-1], (seed, lines)
        told = recorded.recording.steps[-2].backward
        assert told is not None
        assert f"Its version is {told.found_at} but the expected version is {told.kept_at}" in last.message, seed
        found += 1
    assert found > 5


def _reads_empty(lines: list[str]) -> bool:
    """Whether a program reads memory that nothing has written."""
    return any("paddle.empty" in line for line in lines)


def _shown(results: dict[str, Any]) -> str:
    return without_numbers(repr(results)).replace("-0.0", "0.0")


def without_numbers(text: str) -> str:
    """A message without the serial numbers of names and without addresses, which are different in each run."""
    return re.sub(r"(generated_tensor|eager_tmp)_\d+|0x[0-9a-f]+", "", text)
