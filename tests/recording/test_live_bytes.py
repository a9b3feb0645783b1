"""The curve of live bytes agrees with the bytes that the engine counts, also in functions whose statements were not seen."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

import inplacelab as paddle
from inplacelab.recording import Recording, load
from inplacelab.recording.savings.advice import advice
from inplacelab.recording.savings.live_bytes import live_bytes

ONE = 1000 * 4
GOLDEN = sorted((Path(__file__).parents[1] / "recorders" / "golden").glob("*.json"))


def recorded(program: Callable[[paddle.Tensor], object], x: paddle.Tensor) -> tuple[Recording, int]:
    """Returns a recording of a call, and the most bytes that it added."""
    gc.collect()  # what other tests have left
    paddle.device.reset_max_memory_allocated()
    before = paddle.device.memory_allocated()
    with paddle.record() as rec:
        program(x)
    assert rec.recording is not None
    return rec.recording, paddle.device.max_memory_allocated() - before


def chain(x: paddle.Tensor) -> None:
    for _ in range(3):
        x = x + 1.0


def learned(x: paddle.Tensor) -> None:
    (x * 2.0).exp().square().mean().backward()


@pytest.mark.parametrize(("program", "most"), [(chain, 2), (learned, 3)])
def test_the_peak_is_what_the_engine_counts(program: Callable[[paddle.Tensor], object], most: int) -> None:
    x = paddle.ones([1000])
    x.stop_gradient = program is chain
    recording, counted = recorded(program, x)
    assert live_bytes(recording).peak == counted
    assert counted // ONE == most


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_peak_is_what_the_recorder_counted(path: Path) -> None:
    recording = load(path)
    assert live_bytes(recording).peak == max((step.peak for step in recording.steps), default=0)


def test_what_a_step_frees_is_gone_before_the_next_one() -> None:
    curve = live_bytes(recorded(chain, paddle.ones([1000]))[0])
    assert [most // ONE for most in curve.during[:3]] == [1, 2, 2]
    assert [left // ONE for left in curve.after[:2]] == [1, 1]


def written_twice(x: paddle.Tensor) -> tuple[paddle.Tensor, ...]:
    y = x + 1.0
    z = y + 1.0
    w = z + 1.0
    del z
    return y, w + 1.0


def test_a_chain_that_is_written_in_place_is_one_storage() -> None:
    found = advice(recorded(written_twice, paddle.ones([1000]))[0], ends=True)
    second, third = found.sites[1:3]
    assert (second.bytes, third.bytes) == (ONE, ONE)
    assert found.before.peak == 3 * ONE
    assert found.with_sites([third, second]).peak == 2 * ONE
