"""Tests in which iterations of which loops each step is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inplacelab.recording import Recording
from inplacelab.recording.loops import loops_around
from tests.recorders.golden.renew import run

Told = list[tuple[str | int, int, int | None]]


def told(recording: Recording) -> list[tuple[int | None, Told]]:
    """The line of each step, with its iterations."""
    return [
        (step.line, [(each.name or each.line, each.number, each.count) for each in around])
        for step, around in zip(recording.steps, loops_around(recording), strict=True)
    ]


def on_line(program: str, marked: str) -> list[Told]:
    """The iterations of the steps on the line that has a text."""
    line = 1 + next(number for number, each in enumerate(program.splitlines()) if marked in each)
    return [around for number, around in told(run(program).recording) if number == line]


def test_nested_loops_are_counted_for_each_run() -> None:
    program = "y = paddle.ones([2])\nfor epoch in range(2):\n    for start in range(3):\n        y.scale_(2.)\n"
    expected = [[("epoch", e, 2), ("start", s, 3)] for e in (1, 2) for s in (1, 2, 3)]
    assert on_line(program, "scale_") == expected


def test_a_loop_of_one_iteration_is_told_from_the_loop_around_it() -> None:
    program = (
        "y = paddle.ones([2])\nfor a in range(2):\n    for b in range(1):\n        y.scale_(2.)\n        y.add_(y)\n"
    )
    assert on_line(program, "scale_") == [[("a", 1, 2), ("b", 1, 1)], [("a", 2, 2), ("b", 1, 1)]]


def test_what_is_outside_a_loop_is_in_none() -> None:
    program = "y = paddle.ones([2])\nfor a in range(2):\n    y.scale_(2.)\ny.add_(y)\n"
    assert on_line(program, "paddle.ones") == [[]]
    assert on_line(program, "add_") == [[]]


def test_a_loop_in_a_function_that_is_called_in_a_loop() -> None:
    program = (
        "def f(x):\n    for k in range(2):\n        x = x * 2.\n    return x\n"
        "y = paddle.ones([2])\nfor a in range(2):\n    w = f(y)\n"
    )
    expected = [[("a", a, 2), ("k", k, 2)] for a in (1, 2) for k in (1, 2)]
    assert on_line(program, "x * 2.") == expected


def test_two_calls_on_one_line_run_their_loops_anew() -> None:
    program = (
        "def f(x):\n    for k in range(2):\n        x = x * 2.\n    return x\ny = paddle.ones([2])\nw = f(y) + f(y)\n"
    )
    assert on_line(program, "x * 2.") == [[("k", 1, 2)], [("k", 2, 2)], [("k", 1, 2)], [("k", 2, 2)]]


@pytest.mark.parametrize("jump", ["continue", "break"])
def test_a_jump_out_of_an_iteration(jump: str) -> None:
    program = (
        f"y = paddle.ones([2])\nfor k in range(4):\n    y.scale_(2.)\n    if k == 1:\n        {jump}\n    y.add_(y)\n"
    )
    count = 4 if jump == "continue" else 2
    assert on_line(program, "scale_") == [[("k", k, count)] for k in range(1, count + 1)]
    assert on_line(program, "add_") == [[("k", k, count)] for k in range(1, count + 1) if k != 2]


def test_branches_of_one_if_are_in_different_iterations() -> None:
    program = (
        "y = paddle.ones([2])\nfor k in range(3):\n    if k < 2:\n        y.scale_(2.)\n    else:\n        y.add_(y)\n"
    )
    assert on_line(program, "add_") == [[("k", 3, 3)]]


def test_a_while_loop_has_a_line_and_no_name() -> None:
    program = "y = paddle.ones([2])\nn = 0\nwhile n < 3:\n    n += 1\n    y.scale_(2.)\n"
    line = 1 + next(k for k, each in enumerate(program.splitlines()) if "while" in each)
    assert on_line(program, "scale_") == [[(line, k, 3)] for k in (1, 2, 3)]


def test_the_variable_of_a_loop_may_be_a_tensor() -> None:
    program = (
        "x = paddle.ones([4, 2])\nfor epoch in range(2):\n    for row in x.unbind(0):\n        row.scale_(2.)\n"
        "    for name, each in {'a': x, 'b': x.exp()}.items():\n        each.scale_(1.)\n"
    )
    expected = [[("epoch", e, 2), ("row", k, 4)] for e in (1, 2) for k in (1, 2, 3, 4)]
    assert on_line(program, "row.scale_") == expected
    assert on_line(program, "each.scale_") == [[("epoch", e, 2), ("name, each", k, 2)] for e in (1, 2) for k in (1, 2)]


def test_statements_of_several_lines_are_one() -> None:
    program = "y = paddle.ones([2])\nfor k in range(2):\n    z = (\n        y.exp()\n        + y.abs()\n    )\n"
    assert {each[0][1] for each in on_line(program, "y.abs")} == {1, 2}


def test_an_iteration_has_its_steps_and_no_count_if_the_recording_ended_early() -> None:
    recording = run("y = paddle.ones([2])\nfor k in range(2):\n    y.scale_(2.)\n    y.add_(y)\n").recording
    first, second = loops_around(recording)[1][0], loops_around(recording)[3][0]
    assert (first.first, first.last, second.first, second.last) == (1, 2, 3, 4)
    assert loops_around(replace(recording, truncated=5))[1][0].count is None
    failed = run("y = paddle.ones([2])\nfor k in range(2):\n    y.scale_(2.)\n    y.add_(paddle.ones([3]))\n").recording
    assert [each.count for each in loops_around(failed)[-1]] == [None]
