"""Answers to the exercises of lesson 17: unusual right ones are accepted, plausible wrong ones are not; what a check says is true on two ranks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inplacelab.distributed.on_ranks import can_run, record_on_ranks
from inplacelab.lessons.checks import two_replicas
from inplacelab.recording.queries import visible_values
from tests.lessons.answers import first_words


@pytest.mark.parametrize(
    ("collectives", "solved"),
    [(12, True), (12.0, True), (2 + 5 * 2, True)] + [(wrong, False) for wrong in (0, 2, 5, 6, 7, 10, 11, 15, 24, "12")],
)
def test_collectives_counted(collectives: Any, *, solved: bool) -> None:
    assert two_replicas.collectives_counted(collectives=collectives).solved == solved


@pytest.mark.parametrize(
    ("blamed", "solved"),
    [(12, True), (12.0, True), (np.int64(12), True)] + [(wrong, False) for wrong in (5, 8, 9, 10, 11, 13, "12")],
)
def test_the_blamed_line(blamed: Any, *, solved: bool) -> None:
    assert two_replicas.blamed_line(blamed=blamed).solved == solved


@pytest.mark.parametrize(
    ("equal", "solved"),
    [
        (["before", "send", "average"], True),
        (("average", "send", "before"), True),
        ({"send", "average", "before"}, True),
        ([], False),
        (["before"], False),
        (["send", "average"], False),
        (["before", "send"], False),
        (["before", "average"], False),
        (["before", "send", "average", "gradient"], False),
        ("before, send, average", True),
        (["Before", "send", "average"], True),
        (["before", "send", "averages"], False),
    ],
)
def test_which_edits_make_the_replicas_equal(equal: Any, *, solved: bool) -> None:
    assert two_replicas.equal_again(equal=equal).solved == solved


@pytest.mark.parametrize(
    ("collectives", "hint"),
    [(24, "once per rank"), (20, "once per rank"), (11, "before the loop"), (7, "in each round")],
)
def test_the_hint_is_about_the_number_that_was_given(collectives: int, hint: str) -> None:
    assert hint in first_words(two_replicas.collectives_counted, collectives=collectives)


def test_the_hints_are_true_of_the_answer() -> None:
    assert "not complete" in first_words(two_replicas.equal_again, equal=[])
    assert "into a parameter" in first_words(two_replicas.blamed_line, blamed=8)
    assert "averages the gradients" in first_words(two_replicas.blamed_line, blamed=10)


@pytest.mark.parametrize("written", ["12", [12], "line 12"])
def test_a_right_number_in_another_form_is_told_so(written: Any) -> None:
    said = (
        first_words(two_replicas.blamed_line, blamed=written),
        first_words(two_replicas.collectives_counted, collectives=written),
    )
    assert all("should be a whole number" in each for each in said)


PROGRAM = """
import inplacelab as paddle
import inplacelab.distributed as dist

dist.init_parallel_env()
rank = dist.get_rank()
start = paddle.nn.initializer.Constant(1. + rank)
layer = paddle.nn.Linear(2, 1, weight_attr=start)
if {before} and rank == 1:
    with paddle.no_grad():
        layer.weight.clip_(0.5, 1.)
model = dist.DataParallel(layer)
sgd = paddle.optimizer.SGD(0.25, parameters=model.parameters())
x = paddle.to_tensor([[1., 2.], [3., 4.]])[rank:rank + 1]
for step in range(2):
    model(x).mean().backward()
    with paddle.no_grad():
        if {gradient} and rank == 1:
            layer.weight.grad.clip_(0.5, 1.)
        sgd.step()
        sgd.clear_grad()
        if not ({before} or {gradient}) and rank == 1:
            layer.weight.clip_(0.5, 1.)
        if {send}:
            dist.broadcast(layer.weight, src=1)
        if {average}:
            dist.all_reduce(layer.weight, op=dist.ReduceOp.AVG)
"""
EDITS = ("before", "gradient", "send", "average")


@pytest.mark.skipif(not can_run(), reason="MPI is not installed")
def test_the_edits_do_on_two_ranks_what_the_check_says() -> None:
    equal = []
    for edit in EDITS:
        text = PROGRAM.format(**{name: name == edit for name in EDITS})
        first, second = (visible_values(each.state(), "layer.weight") for each in record_on_ranks(text, 2))
        equal += [edit] if first == second else []
    assert two_replicas.equal_again(equal=equal).solved
