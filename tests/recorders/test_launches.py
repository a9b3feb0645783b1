"""A recording knows the kernels that each step launched, and the storages that they touched."""

from __future__ import annotations

import shutil

import pytest

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.recording import Recording, from_json, to_json

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="runs kernels on the CPU, which needs g++")


@pytest.fixture(scope="module")
def recording() -> Recording:
    with paddle.record(title="launches") as rec:
        x = paddle.ones([8, 8])
        kernels.run("relu_", x)
        y = kernels.run("relu", x.t())
        kernels.run("add_", x, y)
    assert rec.recording is not None
    return rec.recording


def launched(
    recording: Recording, op: str
) -> list[tuple[str, str, list[tuple[str, str, int | None, tuple[int, ...]]]]]:
    found = [launch for step in recording.steps if step.op == op for launch in step.launches]
    return [(each.kernel, each.kind, [(o.name, o.role, o.storage, o.strides) for o in each.operands]) for each in found]


def test_in_place_a_launch_has_the_storage_that_the_step_wrote(recording: Recording) -> None:
    storage = recording.state().storage_of("x").id
    assert launched(recording, "relu_") == [("relu_", "contiguous", [("x", "both", storage, (8, 1))])]
    (write,) = next(step for step in recording.steps if step.op == "relu_").writes
    assert write.storage == storage


def test_out_of_place_it_reads_one_storage_and_writes_another(recording: Recording) -> None:
    x, y = (recording.state().storage_of(name).id for name in "xy")
    assert launched(recording, "relu") == [
        ("relu", "strided", [("x", "reads", x, (1, 8)), ("out", "writes", y, (8, 1))])
    ]
    assert launched(recording, "add_") == [
        ("add_", "contiguous", [("x", "both", x, (8, 1)), ("y", "reads", y, (8, 1))])
    ]


def test_what_is_computed_otherwise_launches_nothing(recording: Recording) -> None:
    assert launched(recording, "ones") == launched(recording, "t") == []


def test_launches_survive_the_journey_through_a_file(recording: Recording) -> None:
    assert from_json(to_json(recording)).steps == recording.steps
