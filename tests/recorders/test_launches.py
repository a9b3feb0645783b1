"""Tests that a recording has the kernels that each step launched, with their storages."""

from __future__ import annotations

import shutil

import pytest

import inplacelab as paddle
from inplacelab import kernels
from inplacelab.recording import Recording, Step, from_json, sentence, to_json


@pytest.fixture(scope="module")
def recording() -> Recording:
    if shutil.which("g++") is None:
        pytest.skip("runs kernels on the CPU, which needs g++")
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


# ---- plain operations on the simulated GPU: NumPy computes, and what a GPU would launch is recorded ---------------------------


@pytest.fixture(scope="module")
def simulated() -> Recording:
    paddle.set_device("gpu", simulate=True)
    before = paddle.ones([3, 3])
    with paddle.record(title="simulated") as rec:
        w = paddle.ones([3, 3])
        w.stop_gradient = False
        h = w * w
        h[0] = 7.0
        part = h.t()
        s = part.sigmoid()
        total = paddle.ones([3, 3])
        paddle.add(h.detach(), before, out=total)
        h.sum().backward()
        (w * w).sum().backward()
    paddle.set_device("cpu")
    assert rec.recording is not None
    assert s is not None
    return rec.recording


def storage(recording: Recording, name: str) -> int:
    return recording.state().storage_of(name).id


def test_a_plain_operation_tells_of_the_launch_that_a_gpu_would_make(simulated: Recording) -> None:
    h, s = storage(simulated, "h"), storage(simulated, "s")
    assert launched(simulated, "setitem") == [
        ("setitem_", "contiguous", [("x", "writes", h, (1,)), ("y", "reads", None, (0,))])
    ]  # fmt: skip
    assert launched(simulated, "sigmoid") == [
        ("sigmoid", "strided", [("x", "reads", h, (1, 3)), ("out", "writes", s, (3, 1))])
    ]
    assert all(each.simulated and not each.device for step in simulated.steps for each in step.launches)


def test_of_an_operation_made_of_others_it_has_every_launch(simulated: Recording) -> None:
    into = [(kernel, [o[2] for o in operands]) for kernel, _, operands in launched(simulated, "add")]
    assert into == [
        ("add", [storage(simulated, "h"), None, None]),  # what it reads was there before, what it writes is gone
        ("copy_", [storage(simulated, "total"), None]),
    ]


def backward(recording: Recording, action: str) -> list[Step]:
    return [step for step in recording.steps if step.backward is not None and step.backward.action == action]


def test_backward_launches_what_its_nodes_compute(simulated: Recording) -> None:
    w = storage(simulated, "w")
    nodes = [[(each.kernel, [o.storage for o in each.operands]) for each in step.launches] for step in backward(simulated, "run")]  # fmt: skip
    products = [each for node in nodes for each in node if each[0] == "multiply"]
    assert [storages for _, storages in products] == [[None, w, None]] * 4
    assert [node[0][0] for node in nodes if node][-1] == "add_"
    assert all(step.launches == () for step in backward(simulated, "unpack"))


def test_gradients_that_are_added_to_have_a_storage(simulated: Recording) -> None:
    last = [step for step in backward(simulated, "run") if step.launches][-1]
    (write,), (launch,) = last.writes, last.launches
    assert (launch.kernel, launch.operands[0].storage) == ("add_", write.storage)


def test_a_step_says_what_it_launched(simulated: Recording) -> None:
    (step,) = (step for step in simulated.steps if step.op == "sigmoid")
    said = sentence(simulated, step.index)
    assert said.en.endswith("Kernel `sigmoid` (simulated): 1 block × 256 threads, 36 bytes read and 36 written.")
    assert said.zh.endswith("核函数 `sigmoid`（模拟）：1 个线程块 × 256 个线程，读 36 字节，写 36 字节。")
    (several,) = (step for step in simulated.steps if step.op == "add")
    assert (
        "2 kernels (simulated): `add` and `copy_`; together 108 bytes read and 72 written."
        in sentence(simulated, several.index).en
    )
    assert "2 个核函数（模拟）：`add` 和 `copy_`；共读 108 字节，写 72 字节。" in sentence(simulated, several.index).zh


def test_on_the_cpu_nothing_is_said_of_kernels() -> None:
    with paddle.record() as rec:
        paddle.ones([3]).exp_()
    assert rec.recording is not None
    for step in rec.recording.steps:
        assert step.launches == ()
        assert "Kernel" not in sentence(rec.recording, step.index).en


def test_a_simulated_recording_survives_the_journey_through_a_file(simulated: Recording) -> None:
    assert from_json(to_json(simulated)).steps == simulated.steps
