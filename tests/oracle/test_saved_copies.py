"""Random programs under `copy_saved_before_write`: no overwrite is missed, and the gradients are right."""

from __future__ import annotations

from random import Random

import pytest

from inplacelab.autograd import copy_saved_before_write
from tests.tiers import examples

from .generate import generate
from .program import Program
from .shrink import shrink
from .verdict import DEFECTS, Finding, judge
from .wording import paddle_code

BATCH = 50


def _wrong(program: Program) -> list[Finding]:
    """Mistakes; and stale values, of which there are none when all that is overwritten is copied first."""
    with copy_saved_before_write():
        findings = judge(program).findings
    return [f for f in findings if f.verdict in DEFECTS or "Stale" in f.kind]


@pytest.mark.standard
@pytest.mark.parametrize("first", range(10_000, 10_000 + examples(200), BATCH))
def test_what_is_overwritten_is_copied_first(first: int) -> None:
    for number in range(first, first + BATCH):
        program = generate(Random(number))
        if _wrong(program):
            small = shrink(program, lambda each: bool(_wrong(each)))
            pytest.fail(f"{paddle_code(small)}\n{_wrong(small)}")


@pytest.mark.standard
def test_among_these_programs_are_some_that_are_refused_without_it() -> None:
    """Otherwise the test above would test nothing."""
    stale = 0
    for number in range(10_000, 10_200):
        stale += any("Stale" in f.kind for f in judge(generate(Random(number))).findings)
    assert stale >= 5
