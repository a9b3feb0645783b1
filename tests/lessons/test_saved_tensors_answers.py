"""Answers to the exercises of the lesson on saved tensors: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import pytest

from inplacelab.lessons.checks import saved_tensors_and_versions as saved
from tests.lessons.answers import is_solved, said, verdict_on

CHAIN = """
a = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
b = a * 2.
c = b.exp()
d = c.sin()
e = d + 1.
"""


@pytest.mark.parametrize(
    ("safe", "solved"),
    [
        (["b", "d", "e"], True),
        (("e", "d", "b"), True),
        ({"b", "d", "e"}, True),
        ("bde", True),
        ("b, d, e", True),
        ("b and d and e", False),
        (["d", "e"], False),
        (["b", "e"], False),
        (["b"], False),
        (["c", "d", "e"], False),
        (["b", "c", "d", "e"], False),
        (["a", "b", "d", "e"], False),
        (["e"], False),
        ([], False),
        (5, False),
    ],
)
def test_what_may_be_overwritten(safe: Any, *, solved: bool) -> None:
    assert is_solved(saved.may_be_overwritten, "chain", CHAIN, safe=safe) == solved


@pytest.mark.parametrize(
    ("versions", "solved"),
    [
        ((0, 2, 1), True),
        ((0.0, 2, 1), True),
        ((0, 2, 1.0), True),
        ((2, 2, 1), False),
        ((0, 1, 1), False),
        ((0, 2, 0), False),
        ((0, 3, 1), False),
        ((0, 2, 2), False),
        ((1, 2, 1), False),
        ((3, 3, 1), False),
        (("0", "2", "1"), False),
    ],
)
def test_versions(versions: tuple[Any, Any, Any], *, solved: bool) -> None:
    x, top, copy = versions
    assert saved.versions_counted(x_version=x, top_version=top, copy_version=copy).solved == solved


def test_a_hint_is_about_the_answer() -> None:
    leaf = verdict_on(saved.may_be_overwritten, "chain", CHAIN, safe=["a", "b", "d", "e"])
    assert "`a` is a leaf" in leaf.words.en
    texts = saved.versions_counted(x_version="0", top_version="2", copy_version="1")
    assert "without quotes" in texts.words.en


A = "a = paddle.to_tensor([1., 2.], stop_gradient=False)\n"


@pytest.mark.parametrize(
    "program",
    [
        "b = a * 2.\nc = b * b\nc.sum().backward()\nb.add_(paddle.ones([2]))",
        "b = a * 2.\nc = b * b\nloss = c.sum()\nloss.backward()\nb.add_(paddle.ones([2]))",
        "b = a * 2.\nc = a * a * 4.\nb.add_(paddle.ones([2]))\nc.sum().backward()",
        "b = a * 2.\nc = a.square() * 4.\nb.add_(paddle.ones([2]))\nc.sum().backward()",
        "b = a * 2.\nc = b * b\nc.backward()\nb.add_(paddle.ones([2]))",
        "b = a * 2.\nc = b.square()\nc.sum().backward()\nb.add_(paddle.ones([1]))",
    ],
)
def test_a_program_that_is_fixed_without_a_byte(program: str) -> None:
    assert is_solved(saved.fixed_for_nothing, "mine", A + program)


@pytest.mark.parametrize(
    "program",
    [
        "b = a * 2.\nc = b * b\nb.add_(paddle.ones([2]))\nc.sum().backward()",
        "b = a * 2.\nb.add_(paddle.ones([2]))\nc = b * b\nc.sum().backward()",
        "b = a * 2.\nc = b.clone().square()\nb.add_(paddle.ones([2]))\nc.sum().backward()",
        "b = a * 2.\nc = b * b\nb = b + paddle.ones([2])\nc.sum().backward()",
        "b = a * 2.\nc = b * b\nb = b.clone()\nb.add_(paddle.ones([2]))\nc.sum().backward()",
        "b = a * 2.\nc = b * b\nc.sum().backward()",
        "b = a * 2.\nc = b * b\nc.sum().backward()\nb.add_(paddle.ones([2]))\nb.scale_(1.)",
        "b = a * 2.\nc = b * b\nc.sum().backward()\nb.scale_(1., bias=1.)",
        "b = a * 2.\nc = b * b\nb.add_(paddle.ones([2]))",
        "with paddle.no_grad():\n    b = a * 2.\n    c = b * b\nb.add_(paddle.ones([2]))\nc.sum().backward()",
        "b = a * 2.\nc = b * 2.\nb.add_(paddle.ones([2]))\nc.sum().backward()",
        "with paddle.autograd.copy_saved_before_write():\n    b = a * 2.\n    c = b * b\n    b.add_(paddle.ones([2]))\nc.sum().backward()",
        "b = a.clone()\nc = b * b\na.add_(paddle.ones([2]))\nc.sum().backward()",
    ],
)
def test_one_that_is_not(program: str) -> None:
    assert not is_solved(saved.fixed_for_nothing, "mine", A + program)


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ("c.sum().backward()", "一次原地写入也没有了"),
        ("c.sum().backward()\nb.scale_(1., bias=1.)", "现在的原地写入是：scale_；"),
    ],
)
def test_the_writes_are_named_in_whole_sentences(lines: str, hint: str) -> None:
    assert hint in verdict_on(saved.fixed_for_nothing, "mine", f"{A}b = a * 2.\nc = b * b\n{lines}").words.zh


MATRIX = "a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)\nb = a * 2.\nc = b * b\n"


@pytest.mark.parametrize(
    "line",
    [
        "b.t_()",
        "b.transpose_([1, 0])",
        "b.reshape_([4])",
        "b.unsqueeze_(0)",
        "b.flatten_()",
        "b.detach().t_()",
        "b[0:0] = 1.",
        "b[2:].zero_()",
    ],
)
def test_a_false_alarm(line: str) -> None:
    assert is_solved(saved.false_alarm, "alarm", f"{MATRIX}{line}\nc.sum().backward()")


@pytest.mark.parametrize(
    "line",
    [
        "...",
        "b.scale_(1.)",
        "b.add_(paddle.zeros([2, 2]))",
        "b[:] = b",
        "b.zero_()",
        "b = b.t()",
        "a.t_()",
        "c.t_()",
        "b.clone().t_()",
        "del b",
        "raise RuntimeError",
        "c = c.detach()",
    ],
)
def test_no_false_alarm(line: str) -> None:
    assert not is_solved(saved.false_alarm, "alarm", f"{MATRIX}{line}\nc.sum().backward()")


@pytest.mark.parametrize("line", ["c.t_()", "b.clone().t_()"])
def test_a_write_to_another_storage_is_called_that(line: str) -> None:
    assert "did you write to its storage" in said(saved.false_alarm, "alarm", f"{MATRIX}{line}\nc.sum().backward()")


@pytest.mark.parametrize("line", ["b.reshape_([2, 2])", "b.detach_()"])
def test_an_operation_that_changes_nothing_is_called_that(line: str) -> None:
    assert "neither numbers nor metadata" in said(saved.false_alarm, "alarm", f"{MATRIX}{line}\nc.sum().backward()")


def test_an_error_that_no_hint_explains() -> None:
    program = f"{A}b = a * 2.\nc = b * b\nc.sum().backward()\nb.add_(1.)"
    assert "Line 5 raises an error" in said(saved.fixed_for_nothing, "mine", program)


def test_an_error_is_called_what_it_is() -> None:
    lost = said(saved.false_alarm, "alarm", f"{MATRIX}c = c.detach()\nc.sum().backward()")
    assert "not because a saved tensor is stale" in lost
