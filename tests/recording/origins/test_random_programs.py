"""In random programs every origin is the one that is found by changing the inputs one at a time, and gradients are the sums of their paths."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.recording import Recording
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.origins import Contributions, computed, contributions, flows, origins
from inplacelab.recording.origins.elements import index_of, slots_of_element
from tests.recorders.runs import run
from tests.recording.origins.programs import write, write_with_passes
from tests.tiers import choose

SEEDS = range(choose(20, 60, 400))
Leaf = tuple[str, int]
MOST_PLACES = 40
"""Elements of one program that are asked for."""
MOST_ELEMENTS = 6
"""Elements of a gradient that are asked for."""


def recorded(text: str) -> Recording:
    """The recording of a program."""
    paddle.seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(text, "inplacelab").recording


def inputs_of(
    recording: Recording, storage: int, slot: int, step: int, seen: dict[Any, frozenset[Leaf]]
) -> frozenset[Leaf] | None:
    """The elements of leaves that the number in a slot goes back to; None if it is not known."""
    found = computed(recording, storage, slot, step)
    key = (storage, slot, found.step)
    if key in seen:
        return seen[key]
    if found.how == "not known":
        return None
    leaves: frozenset[Leaf] = frozenset()
    if found.how == "made":
        made = recording.steps[found.step]
        facts = recording.state(found.step).tensors[made.output or 0]
        line = recording.source.splitlines()[(made.line or 1) - 1]
        name = re.match(r"([ab]) = paddle\.to_tensor\(\[", line)
        leaves = frozenset({(name[1], slot)}) if name and made.op == "to_tensor" and not facts.offset else leaves
    for each in found.origins:
        parts = inputs_of(recording, each.storage, each.slot, each.step, seen)
        if parts is None:
            return None
        leaves |= parts
    seen[key] = leaves
    return leaves


def numbers_after(text: str, name: str | None, element: int, by: float) -> dict[str, Any]:
    """The program's tensors, after an element of a leaf was changed by something."""

    def moved(leaf: Tensor) -> Tensor:
        numbers = leaf.numpy().copy()
        numbers.reshape(-1)[element] += by
        return paddle.to_tensor(numbers, stop_gradient=leaf.stop_gradient)

    names: dict[str, Any] = {"moved": moved}
    paddle.seed(7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(
            text
            if name is None
            else re.sub(rf"(?m)^{name} = (paddle\.to_tensor\(\[.*)$", rf"{name} = moved(\1)", text, count=1),
            names,
        )
    return {key: value.numpy().copy() for key, value in names.items() if isinstance(value, Tensor)}


def influences(text: str) -> dict[tuple[str, int], set[Leaf]]:
    """For each element of each tensor at the end, the elements of the leaves that change it when they are changed."""
    before = numbers_after(text, None, 0, 0.0)
    found: dict[tuple[str, int], set[Leaf]] = {
        (name, k): set() for name, array in before.items() for k in range(array.size)
    }
    sizes = {
        name: paddle.to_tensor(eval(values)).size
        for name, values in re.findall(r"^([ab]) = paddle\.to_tensor\((\[.*\]),", text, re.MULTILINE)
    }
    for leaf, element in ((name, k) for name, size in sizes.items() for k in range(size)):
        for by in (3e-4, -2e-4):
            for name, array in numbers_after(text, leaf, element, by).items():
                was = before[name]
                if array.shape == was.shape:
                    changed = ~((array == was) | (np.isnan(array) & np.isnan(was))).reshape(-1)
                    for k in np.flatnonzero(changed):
                        found[name, int(k)].add((leaf, element))
    return found


def elements(recording: Recording) -> Iterator[tuple[str, TensorFacts, int]]:
    """The elements of the named tensors at the end."""
    state = recording.state()
    for facts in state.tensors.values():
        for name in facts.names[:1]:
            yield from ((name, facts, k) for k in range(int(np.prod(facts.shape, dtype=int))))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_origin_is_found_by_changing_the_inputs(seed: int) -> None:
    text = write(Random(seed))
    recording = recorded(text)
    seen: dict[Any, frozenset[Leaf]] = {}
    truth = influences(text)
    state = recording.state()
    asked = [each for each in elements(recording) if "." not in each[0]][-MOST_PLACES:]
    assert asked
    for name, facts, k in asked:
        slot = slots_of_element(state, facts, k)[0]
        leaves = inputs_of(recording, facts.storage, slot, state.step.index, seen)
        assert leaves is not None, f"{name}{index_of(facts.shape, k)} is not known\n{text}"
        assert leaves == truth[name, k], f"{name}{index_of(facts.shape, k)}\n{text}"


@pytest.mark.parametrize("seed", SEEDS[: len(SEEDS) // 2])
def test_forward_is_the_opposite_of_back(seed: int) -> None:
    recording = recorded(write(Random(seed)))
    state = recording.state()
    for name, facts, k in [*elements(recording)][-MOST_PLACES:]:
        found = origins(recording, name, index_of(facts.shape, k)) if "." not in name else None
        for each in found.origins if found else ():
            into = flows(recording, each.storage, each.slot, each.step).into
            slot = slots_of_element(state, facts, k)[0]
            assert any(
                (flow.step, flow.storage, flow.slot) == (found and found.step, facts.storage, slot) for flow in into
            )


def gradients(recording: Recording) -> Iterator[tuple[str, int, Contributions]]:
    """Some elements of the leaves' gradients, and what was added up to each."""
    for leaf in "ab":
        facts = recording.state().tensor(leaf)
        size = int(np.prod(facts.shape))
        for k in sorted(Random(size).sample(range(size), min(size, MOST_ELEMENTS))) if facts.grad is not None else ():
            try:
                yield leaf, k, contributions(recording, leaf, index_of(facts.shape, k))
            except LookupError:  # only views of the leaf, or another tensor of that name, had a gradient
                continue


@pytest.mark.parametrize("seed", SEEDS)
def test_a_gradient_is_the_sum_of_its_paths(seed: int) -> None:
    text = write_with_passes(Random(seed))
    recording = recorded(text)
    begins = [step.index for step in recording.steps if step.backward and step.backward.action == "begin"]
    for leaf, k, found in gradients(recording):
        place = f"{leaf}[{k}] at step {found.step}\n{text}"
        assert found.gradient is not None, place
        assert "detach" in text or not found.wrong, f"{found.gradient} is not {found.right}: {place}"
        if found.right is None:
            continue
        if not found.more:
            listed = sum(path.value or 0.0 for path in found.paths if path.end == "root")
            assert listed == pytest.approx(found.right, rel=1e-6, abs=1e-9), place
        if found.step > begins[-1] and (found.wrong or not re.search(CUTS, text)):
            slopes = [one_sided(text, leaf, k, by) for by in (1e-6, -1e-6)]
            if slopes[0] == pytest.approx(slopes[1], rel=1e-2, abs=1e-2):  # no kink
                assert found.right == pytest.approx(sum(slopes) / 2, rel=1e-3, abs=1e-3), place


CUTS = "detach|set_value|float32"
"""Where a program cuts the history, or rounds, finite differences are no gradients, except where a write through `detach()` made one wrong."""


def one_sided(text: str, leaf: str, element: int, by: float) -> float:
    """The finite difference of what the last pass began with."""
    before, after = (float(numbers_after(text, leaf, element, each)["objective"]) for each in (0.0, by))
    return (after - before) / by


def test_nearly_all_gradients_are_known() -> None:
    known = [
        found.right is not None
        for seed in range(20)
        for _, _, found in gradients(recorded(write_with_passes(Random(seed))))
    ]
    assert len(known) > 50
    assert sum(known) > 0.95 * len(known)
