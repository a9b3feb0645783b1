"""Tests that all contestants of the comparison compute the same. (What they take is not tested.)"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from benchmarks.contestants import FRAMEWORKS, NUMPY, OURS, Framework, framework
from benchmarks.operations import OPERATIONS
from benchmarks.programs import PROGRAMS
from benchmarks.tasks import CannotRunError, Case, is_right, prepared

pytestmark = pytest.mark.filterwarnings("ignore")  # those of other frameworks

WRONG = {("paddle", "writes through views"), ("paddle", "writes to a base")}
"""Paddle does not know that a base was written through a view, or a view's elements through the base."""
CANNOT = {
    "autograd": {name for name in OPERATIONS if OPERATIONS[name].chain},
}
"""Operations that a framework does not have, or has under no comparable name."""


@pytest.fixture(scope="module", params=[OURS, *(pytest.param(name, marks=pytest.mark.oracle) for name in ("torch", "paddle", "mygrad", "autograd"))])  # fmt: skip
def contestant(request: pytest.FixtureRequest) -> tuple[str, Framework]:
    if not find_spec(FRAMEWORKS[request.param]):
        pytest.skip(f"needs {request.param}")
    return request.param, framework(request.param)


def test_every_operation_has_the_values_of_numpy(contestant: tuple[str, Framework]) -> None:
    name, ours = contestant
    by_hand, missing = framework(NUMPY), set()
    for case in (Case("operation", each, graph=graph) for each in OPERATIONS for graph in ours.graphs):
        try:
            task = prepared(ours, case)
        except CannotRunError:
            missing.add(case.name)
            continue
        assert is_right(task.results(), prepared(by_hand, case).results()), case
    assert missing == CANNOT.get(name, set())


def test_an_operation_can_be_repeated_without_a_change(contestant: tuple[str, Framework]) -> None:
    for case in (Case("operation", each, graph=graph) for each in ("add_", "relu_") for graph in contestant[1].graphs):
        if contestant[0] != "autograd":
            task = prepared(contestant[1], case)
            before = task.results()
            assert task.run(3) > 0
            assert is_right(task.results(), before)


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_has_the_gradients_of_numpy(contestant: tuple[str, Framework], program: str) -> None:
    name, ours = contestant
    case = Case("program", program)
    if ours.spelled not in PROGRAMS[program].makers:
        pytest.skip("not expressible")
    task, by_hand = prepared(ours, case), prepared(framework(NUMPY), case)
    for _ in range(2):  # what a first run leaves behind must not disturb the second
        assert is_right(task.results(), by_hand.results()) == ((name, program) not in WRONG)
