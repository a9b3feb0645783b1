"""Runs a whole program on the reference interpreter, and returns the outcome."""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from . import jets
from .jets import Array
from .memory import MAY_RUN, RefusedError, Tensor
from .outcome import Gradient, Outcome, Probe, Refusal, weights
from .program import Program, Statement
from .reference import Interpreter


class Answer(NamedTuple):
    """The reference's outcome of a program; `escape` if its gradients are undefined."""

    outcome: Outcome
    escape: bool


def run(program: Program, *, second: bool = False, refused: Collection[int] | None = None) -> Answer:
    """Runs a program.

    With `refused`, the statements at these positions are left out, because the judged framework refused them: so changes that
    it made nevertheless are detected. The outcome's refusals are those that *should* have happened; statements whose refusal
    is optional (a write to a leaf in an escape, overlapping reads and writes in a fixed order) run if the framework ran them.
    """
    world = Interpreter(second=second)
    opinions: dict[int, Refusal] = {}
    for position, statement in enumerate(program):
        left_out = refused is not None and position in refused
        try:
            _execute(deepcopy(world) if left_out else world, statement)
        except RefusedError as refusal:
            opinions[position] = Refusal(refusal.why, "")
            if refused is not None and not left_out and refusal.why in MAY_RUN | {"leaf"}:
                world.execute(statement, force=True)
    return Answer(replace(outcome_of(world), refusals=opinions), world.escape)


def _execute(world: Interpreter, statement: Statement) -> None:
    if any(name not in world.names for name in statement.reads):
        raise RefusedError("unbound")
    world.execute(statement)


def outcome_of(world: Interpreter) -> Outcome:
    """The state of the interpreter."""
    outcome = Outcome()
    for name, tensor in world.names.items():
        outcome.values[name] = tensor.value
        outcome.stopped[name] = not tensor.needs
        outcome.versions[name] = tensor.storage.version
        outcome.left |= tensor.storage.left is not None
        if tensor.needs:
            outcome.probes[name] = _probe(world, tensor)
        if tensor.retains:
            outcome.grads[name] = tensor.grad
    for name, leaf in world.leaves.items():
        outcome.grads[name] = np.zeros(leaf.shape) if leaf.grad is None else leaf.grad
    return outcome


def _probe(world: Interpreter, x: Tensor) -> Probe:
    """The derivative of a weighted sum of `x`; and of a weighted sum of that derivative."""
    jet, seed = x.jet, weights(x.shape)
    first = jets.gradient(jet, seed)
    second = jets.curvature(jet, seed, _along(world)) if world.second else None
    return {
        name: Gradient(leaf.own(first), None if second is None else leaf.own(second))
        for name, leaf in world.leaves.items()
    }


def _along(world: Interpreter) -> Array:
    along = np.zeros(world.directions)
    for leaf in world.leaves.values():
        along[leaf.directions] = weights(leaf.shape, second=True).ravel()
    return along
