"""Marks: what is known of a statement before it runs, and that nothing which it binds is missed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from inplacelab.recorders import marks, source


def marked(text: str) -> list[tuple[Any, ...]]:
    """What the marks of a program say, in the order of their lines."""
    tree = marks.marked(ast.parse(text))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == marks.MARK]
    return sorted((tuple(ast.literal_eval(fact) for fact in call.args) for call in calls), key=lambda facts: facts[0])


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("x.add_(y)", ()),
        ("(x := y).add_(y)", ("x",)),
        ("x, y[0] = y, x", ("x",)),
        ("x += y", ("x",)),
        ("del x", ("x",)),
        ("x = len(y)", ("x",)),
        ("x = y.scale(2.)", ("x",)),
        ("x = f(y)", None),
        ("x = fs[0](y)", None),
        ("x = 1\nimport y", ("x", "y")),
        ("len = f\nx = len(y)", ("len",)),
    ],
)
def test_what_a_statement_may_bind(text: str, bound: tuple[str, ...] | None) -> None:
    assert marked(text)[0] == (1, True, bound, True)


def test_what_stands_around_a_statement_may_bind_names_after_it() -> None:
    text = (
        "for t in pair:\n    x.add_(y)\n    try:\n        y = t\n    except ValueError as error:\n        x.zero_()\n"
    )
    assert [(line, bound) for line, _, bound, _ in marked(text)] == [
        (1, ("t",)),
        (1, ("t",)),  # at the end of each turn
        (2, ("t",)),
        (3, ("error", "t")),
        (4, ("error", "t", "y")),
        (6, ("error", "t")),
    ]


def test_a_counter_is_looked_at_once() -> None:
    text = "for k in range(3):\n    x.add_(y)\n"
    assert [bound for _, _, bound, _ in marked(text)] == [("k",), ()]  # and so the loop does not say that it goes round
    assert source.counters(ast.parse(text)) == {"k"}
    assert not source.counters(ast.parse(text + "k = x\n"))
    assert not source.counters(ast.parse("range = items\n" + text))


def test_functions_and_classes_are_told_apart_from_the_program() -> None:
    text = "def f():\n    x = 1\nclass C:\n    y = 2\nz = 3\n"
    assert [(line, outermost) for line, _, _, outermost in marked(text)] == [(2, False), (4, False), (5, True)]


def test_with_two_hearers_both_hear_and_are_told_the_frame() -> None:
    heard: list[tuple[str, int, bool]] = []

    def hearer(name: str) -> marks.Hearer:
        return lambda line, simple, bound, outermost, frame=None, /: heard.append((name, line, frame is not None))

    code = compile(marks.marked(ast.parse("x = 1\n")), "<program>", "exec")
    with marks.marking(hearer("outer")):
        with marks.marking(hearer("inner")):
            exec(code, {})
        exec(code, {})
    exec(code, {})
    assert heard == [("outer", 1, True), ("inner", 1, True), ("outer", 1, False)]


def test_the_name_in_a_loop_leads_to_what_the_loop_is_at(run: Callable[..., Any]) -> None:
    recording = run("x, y = paddle.ones([1]), paddle.ones([2])\nfor t in [x, y]:\n    t.zero_()\n").recording
    last = [state for state in recording.states() if state.step.op == "zero_"][-1]
    assert [tensor.names for tensor in last.tensors.values()] == [("x",), ("y", "t")]


def test_a_function_that_binds_a_global_name_is_noticed(run: Callable[..., Any]) -> None:
    text = "def f():\n    global x\n    x = paddle.ones([3])\nx = paddle.ones([2])\nf()\ny = x * 2.\n"
    recording = run(text).recording
    last = recording.state(-1)
    assert [tensor.names for tensor in last.tensors.values() if tensor.shape == (3,)] == [("x",), ("y",)]
    assert not any(tensor.shape == (2,) for tensor in last.tensors.values())
