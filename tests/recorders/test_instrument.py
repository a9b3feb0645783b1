"""Instrumented programs report when their statements begin, and nothing that a statement binds is missed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import pytest

from inplacelab.recorders import instrument


def calls(text: str) -> list[tuple[int, bool]]:
    """What the calls in an instrumented program say, in the order in which they stand in it."""
    tree = instrument.instrumented(ast.parse(text))
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and instrument.is_call(node)]
    marks = [tuple(ast.literal_eval(fact) for fact in each.value.args) for each in statements]  # type: ignore[attr-defined]
    return sorted(mark for mark, each in zip(marks, statements, strict=True) if _called(each) == instrument.CALL)


def _called(call: ast.stmt) -> str:
    return call.value.func.id  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("x = 1; y = 2\nz = 3", [(1, True), (1, True), (2, True)]),
        ("'Docstring.'\nimport math\nx = 1", [(3, True)]),
        ("def f():\n    'Docstring.'\n    return 1\nf()", [(3, True), (4, True)]),
        ("if x:\n    y = 1\nelse:\n    y = 2", [(1, False), (2, True), (4, True)]),
        (
            "try:\n    f()\nexcept ValueError:\n    g()\nfinally:\n    h()",
            [(1, False), (2, True), (4, True), (6, True)],
        ),
        ("for t in pair:\n    f(t)", [(1, False), (1, False), (2, True)]),  # once more at the end of each turn
        (
            "for t in pair:\n    if t:\n        continue\n    f(t)",
            [(1, False)] * 3 + [(2, False), (3, True), (4, True)],
        ),
        ("for k in range(3):\n    f(k)", [(1, False), (2, True)]),  # a counter never leads to a tensor
        ("for k in range(3):\n    f(k)\nk = x", [(1, False), (1, False), (2, True), (3, True)]),
        ("range = items\nfor k in range(3):\n    f(k)", [(1, True), (2, False), (2, False), (3, True)]),
        ("while x < 3:\n    f(x)", [(1, False), (1, False), (2, True)]),
        ("while True:\n    f(x)", [(1, False), (2, True)]),
    ],
)
def test_which_statements_are_marked(text: str, marks: list[tuple[int, bool]]) -> None:
    assert calls(text) == marks


def told(text: str) -> list[tuple[int, int | None]]:
    """What an instrumented program tells of its loops while it runs."""
    heard: list[tuple[int, int | None]] = []
    code = compile(instrument.instrumented(ast.parse(text)), "<program>", "exec")
    with instrument.listening(lambda *_: None, lambda line, end_line, _, /: heard.append((line, end_line))):
        exec(code, {})
    return heard


@pytest.mark.parametrize(
    ("text", "heard"),
    [
        ("for k in range(2):\n    pass\nelse:\n    x = 1", [(1, 2), (1, None), (1, None)]),
        ("for k in ():\n    pass", [(1, 2)]),
        ("n = 0\nwhile n < 2:\n    n += 1\n    continue", [(2, 4), (2, None), (2, None)]),
        ("for k in (0, 1):\n    if k: break\n    for l in (0,): l", [(1, 3), (1, None), (3, 3), (3, None), (1, None)]),
        ("class C:\n    for k in (0,):\n        def f(self, x=k): pass", [(2, 3), (2, None)]),
        ("def f():\n    for k in range(2):\n        yield k\nx = [*f()]", [(2, 3), (2, None), (2, None)]),
    ],
)
def test_what_is_told_of_loops(text: str, heard: list[tuple[int, int | None]]) -> None:
    assert told(text) == heard


def test_async_loops_tell_too() -> None:
    text = (
        "import asyncio\nasync def numbers():\n    yield 1\n    yield 2\n"
        "async def main():\n    async for each in numbers():\n        each + 1\nasyncio.run(main())\n"
    )
    assert told(text) == [(6, 7), (6, None), (6, None)]


def test_two_listeners_both_receive_the_frame() -> None:
    received: list[tuple[str, int, str]] = []

    def listener(name: str) -> instrument.StatementListener:
        return lambda line, simple, frame, /: received.append((name, line, frame.f_code.co_filename))

    code = compile(instrument.instrumented(ast.parse("x = 1\n")), "<program>", "exec")
    with instrument.listening(listener("outer")):
        with instrument.listening(listener("inner")):
            exec(code, {})
        exec(code, {})
    exec(code, {})
    assert received == [("outer", 1, "<program>"), ("inner", 1, "<program>"), ("outer", 1, "<program>")]


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
