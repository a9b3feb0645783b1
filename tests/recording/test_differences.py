"""What differs between two aligned recordings, and how each of them ended."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab.recording import Recording
from inplacelab.recording.compare.alignment import align
from inplacelab.recording.compare.contrast import Difference, differences, verdict
from tests.recorders.golden.renew import run

SHARES = """theta = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
target = theta * 2.0
frozen = target.detach()
loss = (target * target).sum()
frozen.zero_()
loss.backward()
"""
COPIES = SHARES.replace("detach()", "detach().clone()")
LINES = (
    "b = a.detach()",
    "b = a.detach().clone()",
    "a = a + 1.0",
    "a.scale_(3.0)",
    "a = a.reshape([2, 1])",
    "a[0] = 5.0",
)

programs = st.lists(st.sampled_from(LINES), max_size=4).map(lambda lines: "\n".join(["a = paddle.ones([2])", *lines]))


@cache
def recorded(source: str) -> Recording:
    recording: Recording = run(source).recording
    return recording


def at_the_end_of_line(line: int, left: str, right: str) -> tuple[Difference, ...]:
    found = align(recorded(left), recorded(right))
    last = max(
        k for k, at in enumerate(found.positions) if at.right is not None and found.right.steps[at.right].line == line
    )
    return differences(found, last)


def said(found: tuple[Difference, ...], kind: str) -> list[str]:
    return [each.says.en for each in found if each.kind == kind]


def test_the_write_through_an_alias_is_what_differs() -> None:
    found = at_the_end_of_line(5, SHARES, COPIES)
    assert said(found, "values") == ["`target` is [0, 0, 0] on the left, [2, 4, 6] on the right."]
    assert said(found, "version") == ["The version of `target` is 1 on the left, 0 on the right."]
    assert said(found, "sharing") == ["`target` and `frozen` share a storage on the left only."]
    assert said(found, "live") == ["28 bytes are live on the left, 40 bytes on the right."]


def test_the_slots_that_differ_are_marked_on_both_sides() -> None:
    left = "a = paddle.ones([4])\nb = a[1:3]\nb[0] = 7.0\n"
    found = at_the_end_of_line(3, left, left.replace("b[0]", "b[1]"))
    marks = {each.says.en.split()[0]: (each.left, each.right) for each in found if each.kind == "values"}
    assert marks == dict.fromkeys(["`a`", "`b`"], (("s0:1", "s0:2"), ("s0:1", "s0:2")))


@given(programs)
def test_nothing_differs_from_itself(source: str) -> None:
    found = align(recorded(source), recorded(source))
    assert [differences(found, k) for k in range(len(found.positions))] == [()] * len(found.positions)


@given(programs, programs)
def test_exchanged_sides_differ_in_the_same_things(left: str, right: str) -> None:
    one, other = align(recorded(left), recorded(right)), align(recorded(right), recorded(left))
    there = sorted((each.kind, each.right, each.left) for each in differences(other, -1) if each.kind != "step")
    assert sorted((each.kind, each.left, each.right) for each in differences(one, -1) if each.kind != "step") == there


def test_a_side_that_was_ended_by_an_error_says_so() -> None:
    found = differences(align(recorded(SHARES), recorded(COPIES)), -1)
    assert said(found, "step") == ["The left program was ended by `RuntimeError`."]


def test_a_side_without_steps_says_so() -> None:
    found = align(Recording("inplacelab", "", "", (), ()), recorded(SHARES))
    assert [each.says.en for each in differences(found, -1)] == ["The left program has not begun."]


def test_a_recording_that_was_cut_has_not_ended() -> None:
    short = recorded("a = paddle.ones([2])\n")
    found = align(replace(short, truncated=3), recorded("a = paddle.ones([2])\na.scale_(2.0)\n"))
    assert said(differences(found, -1), "step") == ["The recording of the left program was cut here."]
    assert "✓" not in verdict(replace(short, truncated=3)).says.en


def test_values_that_were_not_recorded_are_unknown() -> None:
    large = "a = paddle.ones([300000])\n"
    found = differences(align(recorded(large), recorded(large.replace("ones", "zeros"))), -1)
    assert [each.kind for each in found] == ["unknown"]


def test_numbers_that_print_alike_are_printed_in_full() -> None:
    left = "a = paddle.to_tensor([1.0], dtype='float64')\na.scale_(1.000001)\n"
    found = differences(align(recorded(left), recorded(left.replace("1.000001", "1.000002"))), -1)
    assert said(found, "rounding") == [
        "`a` differs in 1 of 1 elements, first in element 0: 1.000001 on the left, 1.000002 on the right."
    ]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (SHARES, "✗ RuntimeError in line 6"),
        (COPIES, "✓ theta.grad = [8, 16, 24]"),
        ("a = paddle.ones([2])\n", "✓ ran to the end"),
    ],
)
def test_the_verdict(source: str, says: str) -> None:
    assert verdict(recorded(source)).says.en == says


def test_a_further_name_takes_no_name_away() -> None:
    start = "w = paddle.to_tensor([1.0, 2.0], stop_gradient=False)\nkept = [w * 1.0]\n(w * w).sum().backward()\n"
    left, right = start + "g = w.grad\nx = kept[0]\nlast = w * 1.0\n", start + "w.grad\n3\nlast = w * 1.0\n"
    found = at_the_end_of_line(6, left, right)
    assert said(found, "name") == [
        "So far, only the left program has `x`.",
        "So far, only the left program has `g`.",
    ]
