"""Random programs with in-place operations and views: the same values, versions, gradients and errors as in PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import pytest

from tests.oracle.frameworks import TORCH, Framework, Session
from tests.oracle.generate import generate
from tests.oracle.outcome import Outcome, Refusal, agree, close, quietly
from tests.oracle.program import Program, Statement, is_basic
from tests.oracle.wording import torch_line
from tests.tiers import choose

BATCH = 50
PROGRAMS = choose(50, 300, 5000)

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.skipif(not TORCH.installed, reason="needs PyTorch: python -m pip install --group oracle"),
]


def _refusals() -> type[BaseException]:
    return RuntimeError


NAMES = Framework("inplacelab.torch", "torch", torch_line, _refusals)
NOT_IN_TORCH = {"reshape_", "flatten_", "transpose_"}
VIEWS = {"getitem", "detach", "alias", "expand", "reshape", "transpose", "flatten", "t", "squeeze", "unsqueeze"}


class WithVersions(Session):
    """One run, of which versions and the first lines of errors are kept, too.

    After each statement every `grad_fn` is looked at: PyTorch makes that of a view when somebody looks. Until then it refuses to write a
    view of a constant that has become differentiable, as "a leaf".
    """

    def execute(self, position: int, statement: Statement) -> None:
        super().execute(position, statement)
        for tensor in self._names.values():
            _ = tensor.grad_fn

    def outcome(self) -> Outcome:
        found = super().outcome()
        found.versions.update({name: tensor._version for name, tensor in self._names.items()})
        return found

    def _refusal(self, error: Exception) -> Refusal:
        return Refusal(type(error).__name__, str(error).split("\n")[0].strip())


def run(framework: Framework, program: Program) -> Outcome:
    """Runs a program line by line."""
    with quietly():
        session = WithVersions(framework, False)
        for position, statement in enumerate(program):
            session.execute(position, statement)
        return session.outcome()


def comparable(program: Program) -> Program:
    """A program without the statements that PyTorch does not have, and without those of which it is known that they differ."""
    while True:
        for position, statement in enumerate(program):
            key = statement.key
            backwards = any(isinstance(item, slice) and (item.step or 1) < 0 for item in key)
            constant_view = statement.quiet and statement.op.removesuffix("_") in VIEWS
            duplicates = statement.op == "setitem" and not is_basic(key) and _has_duplicates(key)
            itself = statement.op in {"copy_", "setitem"} and len(set(statement.inputs)) < len(statement.inputs)
            if statement.op in NOT_IN_TORCH or backwards or constant_view or duplicates or itself:
                program = program.without(position)
                break
        else:
            return program


def _has_duplicates(key: tuple[Any, ...]) -> bool:
    return any(isinstance(item, str | tuple) for item in key)


def differences(program: Program, ours: Outcome, theirs: Outcome) -> list[str]:
    """What differs: which lines are refused, else everything but the words of errors."""
    lines = [torch_line(statement) for statement in program]
    found = [
        f"{lines[p]}: {ours.refusals.get(p)}, in PyTorch {theirs.refusals.get(p)}"
        for p in sorted(ours.refusals.keys() ^ theirs.refusals.keys())
    ]
    small = 2e-3 if "float32" in program.dtypes else 1e-7
    partial = any("backward" in lines[p] for p in theirs.refusals)  # PyTorch has added some gradients by then
    return found or [
        *_state(ours, theirs, small),
        *([] if partial else _grads(ours, theirs, small)),
        *_probes(ours, theirs, small),
    ]


def _state(ours: Outcome, theirs: Outcome, small: float) -> Iterator[str]:
    for name, value in theirs.values.items():
        if not close(ours.values[name], value, small):
            yield f"the value of {name}"
        if (ours.versions[name], ours.stopped[name]) != (theirs.versions[name], theirs.stopped[name]):
            yield f"the version or flag of {name}"


def _grads(ours: Outcome, theirs: Outcome, small: float) -> Iterator[str]:
    for name, gradient in theirs.grads.items():
        mine = ours.grads.get(name)
        if not (mine is gradient or (mine is not None and gradient is not None and agree(mine, gradient, small))):
            yield f"the gradient of {name}"


def _probes(ours: Outcome, theirs: Outcome, small: float) -> Iterator[str]:
    for name, probe in theirs.probes.items():
        mine = ours.probes.get(name)
        if isinstance(probe, Mapping) and isinstance(mine, Mapping):
            if not all(agree(mine[leaf].first, each.first, small) for leaf, each in probe.items()):
                yield f"the gradients of {name}"
        elif isinstance(probe, Mapping) != isinstance(mine, Mapping):
            yield f"the gradients of {name}: {mine}, in PyTorch {probe}"


def words(ours: Outcome, theirs: Outcome) -> tuple[int, int]:
    """How many errors there are in both, and how many have the same class and first line."""
    pairs: list[tuple[Any, Refusal]] = [(ours.refusals.get(p), each) for p, each in theirs.refusals.items()]
    pairs += [(ours.probes.get(n), each) for n, each in theirs.probes.items() if isinstance(each, Refusal)]
    both = [(mine, each) for mine, each in pairs if isinstance(mine, Refusal) and each.kind != "unbound"]
    return len(both), sum(mine == Refusal(each.kind, each.message) for mine, each in both)


ODD = (
    # PyTorch counts the gradient function of `x[index]` as freed, although it has kept nothing that was freed.
    "a second time",
    # In PyTorch a leaf that was written under a view of itself can end "in the graph interior".
    "graph interior",
    # A defect of PyTorch's: "please report a bug".
    "INTERNAL ASSERT FAILED",
    # Where an assigned value lies in the very slots that are written, PyTorch looks at the strides of axes of one element, too.
    "] = ",
)


@pytest.mark.parametrize("first", range(0, PROGRAMS, BATCH))
def test_a_program_fares_as_in_pytorch(first: int) -> None:
    other, said, same, most = [], 0, 0, 0
    for number in range(first, first + BATCH):
        program = comparable(generate(Random(number), plain=True))
        ours, theirs = run(NAMES, program), run(TORCH, program)
        if ours.strides != theirs.strides:
            continue  # what is a view in one may be a copy in the other
        most += 1
        found = differences(program, ours, theirs)
        if found and not all(any(odd in each for odd in ODD) for each in found):
            other.append(f"# {number}\n" + "\n".join(map(torch_line, program)) + "\n" + "\n".join(found))
        elif not found:
            both, alike = words(ours, theirs)
            said, same = said + both, same + alike
    assert not other, "\n\n".join(other)
    assert most > 0.8 * BATCH
    assert same >= 0.7 * said, (
        same,
        said,
    )  # nine of ten have the same words; a program that fails often weighs much in a batch
