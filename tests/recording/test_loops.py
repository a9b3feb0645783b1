"""Tests in which iterations of which loops each step is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplacelab.recording import Recording, from_json, to_json
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


@pytest.mark.parametrize("target", ["i", "i, (a, b)", "(i, a), b"])
def test_a_loop_is_named_by_its_variables(target: str) -> None:
    values = {"i": "[0]", "i, (a, b)": "[(0, (1, 2))]", "(i, a), b": "[((0, 1), 2)]"}[target]
    assert on_line(f"y = paddle.ones([2])\nfor {target} in {values}:\n    y.scale_(2.)\n", "scale_") == [
        [(target, 1, 1)]
    ]


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
    program = "y = paddle.ones([2])\nfor k in range(2):\n    y.scale_(2.)\n    y.add_(y)\n"
    recording = run(program).recording
    first, second = loops_around(recording)[1][0], loops_around(recording)[3][0]
    assert (first.first, first.last, second.first, second.last) == (1, 2, 3, 4)
    assert from_json(to_json(recording)) == recording
    assert [each.count for each in loops_around(run(program, limit=4).recording)[-1]] == [None]


def test_an_error_in_an_iteration() -> None:
    program = "y = paddle.ones([2])\nfor k in range(3):\n    y.scale_(2.)\n    y.add_(paddle.ones([2 + k]))\n"
    assert on_line(program, "add_")[-1] == [("k", 2, None)]
    caught = program.replace("for k", "try:\n  for k") + "except ValueError:\n  y.zero_()\n"
    assert on_line(caught, "zero_") == [[]]


def test_a_call_of_a_call_runs_the_loop_twice() -> None:
    program = "def f(x):\n    for k in range(2):\n        x = x * 2.\n    return x\ny = paddle.ones([2])\nw = f(f(y))\n"
    recording = run(program).recording
    found = [each for around in loops_around(recording) for each in around]
    assert [(each.number, each.count) for each in found] == [(1, 2), (2, 2)] * 2
    assert len({*found}) == 4, "two runs"


def test_iterations_without_steps_count() -> None:
    program = "y = paddle.ones([2])\nfor k in range(4):\n    if k != 2:\n        continue\n    y.scale_(2.)\n"
    assert on_line(program, "scale_") == [[("k", 3, 4)]]
    silent = "y = paddle.ones([2])\nfor a in range(2):\n    for k in range(3):\n        pass\n    y.scale_(2.)\n"
    assert on_line(silent, "scale_") == [[("a", 1, 2)], [("a", 2, 2)]]


def test_a_line_that_calls_a_function_of_the_program_is_one_iteration() -> None:
    """Back from the function, the line goes on: that is no new iteration."""
    program = (
        "def f(x):\n    y = x.exp()\n    return y\nx = paddle.ones([2])\nfor k in range(2):\n    x = f(f(x)) + f(x)\n"
    )
    assert [each for each in on_line(program, "x = f(") if each] == [[("k", 1, 2)], [("k", 2, 2)]]
    assert on_line(program, "exp") == [[("k", 1, 2)]] * 3 + [[("k", 2, 2)]] * 3


def test_what_comes_after_a_loop_is_in_none() -> None:
    program = (
        "x = paddle.ones([2])\nfor k in range(2):\n    x.exp_()\nelse:\n    x.sin_()\nx.cos_()\n"
        "for row in x.unbind(0):\n    row.scale_(2.)\n"
    )
    assert on_line(program, "sin_") == on_line(program, "cos_") == [[]]
    assert on_line(program, "unbind") == [[]] * 4, "the loop's head"


def test_the_defaults_of_a_function_belong_to_the_iteration_that_defines_it() -> None:
    program = "x = paddle.ones([2])\nfor k in range(2):\n    def f(y=x.exp()):\n        return y\n    z = f()\n"
    assert on_line(program, "exp") == [[("k", 1, 2)], [("k", 2, 2)]]


def test_loops_in_generators_have_no_numbers() -> None:
    program = (
        "def g(x):\n    for k in range(3):\n        yield x.exp()\n"
        "x = paddle.ones([2])\nfor a in g(x):\n    a.scale_(2.)\n"
    )
    assert on_line(program, "exp") == [[], [], []]
    assert on_line(program, "scale_") == [[("a", n, 3)] for n in (1, 2, 3)]


@st.composite
def blocks(draw: st.DrawFn, depth: int = 0, *, calls: bool) -> list[str]:
    """Lines of a program that counts the iterations of its loops itself."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 2))):
        kind = draw(
            st.sampled_from(["step", "line", *(["call"] * calls), *(["for", "while", "in line"] if depth < 3 else [])])
        )
        name = f"k{depth}"
        if kind == "step":
            lines.append(f"note(({''.join(f'k{n}, ' for n in range(depth))})); x.tanh()")
        elif kind == "line":
            lines.append("x.exp()")
        elif kind == "call":
            lines.append(draw(st.sampled_from(["f(x)", "f(f(x))", "f(x) + f(x)"])))
        elif kind == "in line":
            lines.append(f"for each in x.unbind(0): each.scale_({draw(st.integers(1, 2))}.)")
        else:
            times, jump = draw(st.integers(0, 3)), draw(st.sampled_from(["", "continue", "break", "return x", "error"]))
            head = {"for": f"for _ in range({times}):", "while": f"while {name} < {times}:"}[kind]
            at = draw(st.integers(1, 3))
            jump = "break" if calls and jump == "return x" else {"": "pass", "error": "1 / 0"}.get(jump, jump)
            body = [f"{name} += 1", f"if {name} == {at}:", f"    {jump}", *draw(blocks(depth + 1, calls=calls))]
            loop = [f"{name} = 0", head, *(f"    {each}" for each in body)]
            if draw(st.booleans()):
                loop += ["else:", "    x.sin()"]
            if "1 / 0" in jump:
                loop = ["try:", *(f"    {each}" for each in loop), "except ZeroDivisionError:", "    x.cos()"]
            lines += loop
    return lines


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_numbers_are_those_that_the_program_counts(data: st.DataObject) -> None:
    inner, outer = data.draw(blocks(calls=False)), data.draw(blocks(calls=True))
    program = "\n".join(
        ["def f(x):", *(f"    {each}" for each in inner), "    return x", "x = paddle.ones([2])", *outer]
    )
    counted: list[tuple[int, ...]] = []
    recording = run(program, note=counted.append).recording
    found = []
    for step, around in zip(recording.steps, loops_around(recording), strict=True):
        if step.op == "tanh":
            in_f = step.place is not None and step.place.function == "f"
            found.append(tuple(each.number for each in around if not in_f or each.line <= len(inner) + 1))
    assert found == counted
    counts = {(each.run, each.number, each.count) for step in recording.steps for each in step.loops}
    assert all(count is not None and number <= count for _, number, count in counts)
