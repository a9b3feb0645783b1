"""In each framework: every origin is the one that is found by changing the inputs one at a time, and a gradient is the sum of its
paths.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from inplacelab.recording import Recording
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.origins import computed, contributions
from inplacelab.recording.origins.elements import index_of, slots_of_element
from tests.recorders.runs import plain, run
from tests.recording.origins.unseen_programs import ASKED
from tests.subtests import try_all

NUMBERS = {"a": [[1.3, -2.1, 3.7], [0.6, 2.4, -1.75]], "b": [[0.9, 1.7, 2.65], [1.1, 0.3, 0.8]]}
HEADS = {
    "torch": "torch.manual_seed(3)\na = torch.tensor({a}, dtype=torch.float64{flag})\nb = torch.tensor({b}, dtype=torch.float64{flag})\ni = torch.tensor([1, 0])\n"
             "j = torch.tensor([[0, 2, 1]])\n",
    "paddle": "paddle.seed(3)\na = paddle.to_tensor({a}, dtype='float64'{flag})\nb = paddle.to_tensor({b}, dtype='float64'{flag})\ni = paddle.to_tensor([1, 0])\n"
              "j = paddle.to_tensor([[0, 2, 1]])\n",
}  # fmt: skip
HEADS["inplacelab"] = "import inplacelab as paddle\n" + HEADS["paddle"]
FLAGS = {"torch": ", requires_grad=True", "paddle": ", stop_gradient=False", "inplacelab": ", stop_gradient=False"}
SMALL = (1e-5, -2e-5)
Leaf = tuple[str, int]


def text_of(framework: str, program: str, numbers: Any = NUMBERS, flag: str = "") -> str:
    return HEADS[framework].format(flag=flag, **numbers) + program


def values(framework: str, text: str) -> dict[str, Any]:
    """The numbers of the program's tensors with a name of one letter."""
    found, failure = plain(text, framework)
    assert failure is None, failure
    tensors = {
        name: value for name, value in found.items() if len(name) == 1 and hasattr(value, "numpy") and name not in "ij"
    }
    return {name: np.array(value.detach().numpy()).reshape(-1) for name, value in tensors.items()}


def influences(framework: str, program: str) -> dict[tuple[str, int], set[Leaf]]:
    """For each element, the elements of the leaves that change it when they are changed."""
    before = values(framework, text_of(framework, program))
    found: dict[tuple[str, int], set[Leaf]] = {
        (name, k): set() for name, array in before.items() for k in range(array.size)
    }
    for leaf in "ab":
        for k in range(6):
            for by in SMALL:
                moved = {name: [list(row) for row in rows] for name, rows in NUMBERS.items()}
                moved[leaf][k // 3][k % 3] += by
                for name, array in values(framework, text_of(framework, program, moved)).items():
                    for at in np.flatnonzero(array != before[name]):
                        found[name, int(at)].add((leaf, k))
    return found


def goes_back_to(recording: Recording, facts: TensorFacts, element: int) -> set[Leaf]:
    """The elements of leaves that an element goes back to."""
    state = recording.state()
    leaves = {state.tensor(name).storage: name for name in "ab"}
    found: set[Leaf] = set()
    waiting = [(facts.storage, slots_of_element(state, facts, element)[0], state.step.index)]
    seen = set()
    while waiting:
        storage, slot, step = waiting.pop()
        here = computed(recording, storage, slot, step)
        if (storage, slot, here.step) in seen:
            continue
        seen.add((storage, slot, here.step))
        assert here.how not in ("not known", "unseen"), here
        if storage in leaves and not here.origins:
            found.add((leaves[storage], slot))
        waiting += [(each.storage, each.slot, each.step) for each in here.origins]
    return found


@pytest.mark.standard
@pytest.mark.parametrize("framework", [*ASKED])
def test_every_origin_is_found_by_changing_the_inputs(framework: str) -> None:
    if framework != "inplacelab":
        pytest.importorskip(framework)

    def agrees(program: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            truth = influences(framework, program)
            recording = run(text_of(framework, program), framework).recording
        state = recording.state()
        asked = {
            name: facts
            for facts in state.tensors.values()
            for name in facts.names
            if len(name) == 1 and name not in "ij"
        }
        assert {"a", "b", "y"} <= asked.keys()
        for name, facts in asked.items():
            for k in range(int(np.prod(facts.shape, dtype=int))):
                assert goes_back_to(recording, facts, k) == truth[name, k], f"{name}{index_of(facts.shape, k)}"

    try_all(agrees, [(name, {"program": program}) for name, program in ASKED[framework].items()])


@pytest.mark.standard
@pytest.mark.parametrize("framework", [*ASKED])
def test_every_gradient_is_the_sum_of_its_paths(framework: str) -> None:
    if framework != "inplacelab":
        pytest.importorskip(framework)

    def adds_up(program: str) -> None:
        text = text_of(framework, program, flag=FLAGS[framework]) + "loss = (y * 1.3).sum()\nloss.backward()\n"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = run(text, framework)
        if done.failure is not None or framework == "paddle":
            return  # refused; or Paddle, which may be wrong: see `test_wrong_gradients.py`
        for leaf in "ab":
            for k in range(6):
                if done.recording.state().tensor(leaf).grad is not None:
                    found = contributions(done.recording, leaf, index_of((2, 3), k))
                    assert not found.wrong
                    assert found.right is not None, f"{leaf}[{k}]"

    try_all(adds_up, [(name, {"program": program}) for name, program in ASKED[framework].items()])
