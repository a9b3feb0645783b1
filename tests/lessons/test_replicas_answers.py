"""Answers to the exercises of lessons 17 and 18: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inplacelab.lessons.checks import (
    batch_norm_across_workers,
    two_replicas,
)


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
    ("pair", "solved"),
    [((6, 3), True), ((6.0, 3.0), True), ((2 * 3, 3), True)]
    + [(wrong, False) for wrong in ((2, 1), (3, 3), (3, 6), (6, 6), (6, 1), (9, 3), (6, 0))],
)
def test_collectives_of_a_network(pair: tuple[float, float], *, solved: bool) -> None:
    found = batch_norm_across_workers.collectives_of_a_network(in_forward=pair[0], in_backward=pair[1])
    assert found.solved == solved


@pytest.mark.parametrize(
    ("allowed", "solved"),
    [
        (["scale", "add", "matmul"], True),
        (("matmul", "add", "scale"), True),
        ({"matmul", "add", "scale"}, True),
        ([], False),
        (["scale"], False),
        (["scale", "add"], False),
        (["scale", "matmul"], False),
        (["scale", "add", "matmul", "tanh"], False),
        (["exp", "tanh", "sigmoid"], False),
        (["exp", "scale", "tanh", "add", "sigmoid", "matmul"], False),
        ("scale, add, matmul", False),
    ],
)
def test_what_may_come_before(allowed: Any, *, solved: bool) -> None:
    assert batch_norm_across_workers.allowed_before(allowed=allowed).solved == solved
