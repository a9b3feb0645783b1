"""Tests what becomes of the figures of looking at programs."""

from __future__ import annotations

from pathlib import Path

from benchmarks.contestants import BEFORE, OURS
from benchmarks.recording import OWN_WAYS, models, row, slower

PROGRAM = """\
import time
import inplacelab as paddle
x = paddle.ones([2])
clock = []
for step in range(3):
    clock.append(time.process_time())
    for k in range(100):
        x.add_(x)
clock.append(time.process_time())
"""


def test_a_way_is_compared_with_the_plain_program(tmp_path: Path) -> None:
    found = slower(PROGRAM, OWN_WAYS, tmp_path, 1)
    assert found.keys() == OWN_WAYS.keys()
    assert all(1 < ratio < 10_000 for ratio in found.values()), found


def test_every_program_notes_when_its_steps_begin() -> None:
    for name, text in models(2).items():
        assert "clock.append(time.process_time())" in text, name
        compile(text, name, "exec")


def test_a_line_says_whether_the_goal_is_met() -> None:
    assert row("net", {OURS: [2.0, 9.0, 4.0], BEFORE: [8.0]}, 4.0) == ["net", "4.00", "8.00", "4.00", "met"]
    assert row("net", {OURS: [5.0]}, 4.0) == ["net", "5.00", "-", "4.00", "missed"]
    assert row("net", {OURS: [5.0]}, None)[3:] == ["", ""]
