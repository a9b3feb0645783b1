"""Answers to the exercises of lessons 17 and 18 that are not one number: which are accepted, and whether they are true."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from inplacelab.distributed.on_ranks import can_run, record_on_ranks
from inplacelab.lessons.checks import batch_norm_across_workers, two_replicas
from inplacelab.recording.queries import visible_values


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
        ("before, send, average", False),
    ],
)
def test_which_edits_make_the_replicas_equal(equal: Any, *, solved: bool) -> None:
    assert two_replicas.equal_again(equal=equal).solved == solved


PROGRAM = """
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


def in_place(g: Any, y: Any, deviation: Any) -> Any:
    slope = (g * y).mean(0)
    return g.subtract_(g.mean(0)).subtract_(y.multiply_(slope)).divide_(deviation)


def in_numpy(g: Any, y: Any, deviation: Any) -> Any:
    g, y, deviation = g.numpy(), y.numpy(), deviation.numpy()
    n = len(g)
    return (n * g - g.sum(0) - y * (g * y).sum(0)) / (n * deviation)


def by_autograd(g: Any, y: Any, deviation: Any) -> Any:
    """Any `x` with this result and deviation will do, such as the one with mean 0."""
    x = (y * deviation).detach()
    x.stop_gradient = False
    centred = x - x.mean(0)
    (centred / centred.square().mean(0).sqrt() * g).sum().backward()
    return x.grad


@pytest.mark.parametrize(
    ("gradient", "solved"),
    [
        (lambda g, y, deviation: (g - g.mean(0) - y * (g * y).mean(0)) / deviation, True),
        (in_place, True),
        (in_numpy, True),
        (by_autograd, True),
        (lambda g, y, deviation: ..., False),
        (lambda g, y, deviation: None, False),
        (lambda g, y, deviation: g / deviation, False),
        (lambda g, y, deviation: (g - g.mean(0)) / deviation, False),
        (lambda g, y, deviation: (g - y * (g * y).mean(0)) / deviation, False),
        (lambda g, y, deviation: g - g.mean(0) - y * (g * y).mean(0), False),
        (lambda g, y, deviation: (g - g.mean(0) - y * (g * y).mean(0)) * deviation, False),
        (lambda g, y, deviation: (g - g.mean(0) - (g * y).mean(0)) / deviation, False),
        (lambda g, y, deviation: (g - g.mean() - y * (g * y).mean()) / deviation, False),
        (lambda g, y, deviation: (g - g.mean(0) - y * (g * y).sum(0)) / deviation, False),
        (lambda g, y, deviation: (g - g.mean(0) - y * g.mean(0)) / deviation, False),
        (lambda g, y, deviation: g.mean(0), False),
    ],
)
def test_the_gradient_from_the_result(gradient: Callable[..., Any], *, solved: bool) -> None:
    assert batch_norm_across_workers.gradient_from_the_result(gradient=gradient).solved == solved
