"""The same random programs for inplacelab, PyTorch and PaddlePaddle: where the frameworks agree, their recordings answer alike.

A program runs plain in each framework first. A line that one of them refuses is left out for all. After each line, what a framework
itself tells of its tensors is its answer. Each recording must give that answer to the same questions. So two recordings agree where the two
frameworks do. (Values are compared by the oracle's tests.)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any

import pytest

from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use, is_installed
from inplacelab.recorders.program import Program as Text
from inplacelab.recorders.run import Session
from inplacelab.recording import Recording, State, queries
from tests.oracle.frameworks import OURS, PADDLE, TORCH, Framework, _relayout_torch
from tests.oracle.generate import generate
from tests.oracle.program import Program
from tests.oracle.wording import NotExpressibleError
from tests.tiers import choose

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]
FRAMEWORKS = [each for each in (OURS, TORCH, PADDLE) if is_installed(each.module)]
BATCH = 50
SAID = (
    "through another tensor",
    "untyped_storage",
    "It was inferred from their names",
    "without raising their versions",
    "`reshape` made a copy",
    "`flatten` made a copy",
)
"""What recordings of these programs may say."""


@dataclass(frozen=True)
class Told:
    """What is told of one tensor."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    version: int
    needs: bool
    leaf: bool
    shares: frozenset[str]
    same: frozenset[str]


Answers = dict[str, Told]


def names(framework: Framework) -> dict[str, Any]:
    return {framework.prefix: import_module(framework.module), "relayout_": _relayout_torch, "__name__": "__main__"}


def lines_of(program: Program, framework: Framework) -> list[str | None]:
    """The code of each statement; None for one that the framework cannot express or refuses."""
    space, found = names(framework), list[str | None]()
    for statement in program:
        try:
            line = framework.line(statement)
            exec(line, space)
        except Exception:  # noqa: BLE001  # the frameworks raise what they like
            found.append(None)
            if statement.op.endswith("_") or statement.op in ("setitem", "iadd"):
                break  # it may have written something, and the others not
        else:
            found.append(line)
    return found


def in_common(program: Program) -> dict[str, list[str]]:
    """For each framework, the lines that all of them run."""
    each = [lines_of(program, framework) for framework in FRAMEWORKS]
    kept: set[int] = set()
    bound: set[str] = set()
    for position, (statement, *found) in enumerate(zip(program, *each, strict=False)):
        if None in found and (statement.op.endswith("_") or statement.op in ("setitem", "iadd")):
            break
        if statement.op == "hook":  # its line runs again, in backward
            continue
        if None not in found and bound.issuperset(statement.reads):
            kept.add(position)
            bound.add(statement.out)
    return {
        framework.module: [str(lines[position]) for position in sorted(kept)]
        for framework, lines in zip(FRAMEWORKS, each, strict=True)
    }


def plainly(framework: Framework, lines: list[str]) -> Iterator[Answers]:
    """What a framework tells of its tensors after each line."""
    space = names(framework)
    for line in lines:
        exec(line, space)
        tensors = {name: each for name, each in space.items() if type(each).__name__ == "Tensor"}
        first = {name: _place(each) for name, each in tensors.items()}
        yield {
            name: Told(
                tuple(each.shape), _strides(tuple(each.shape), each.stride() if framework is TORCH else each.strides),
                each._version if framework is TORCH else each.inplace_version,
                each.requires_grad if framework is TORCH else not each.stop_gradient, _is_leaf(each),
                frozenset(other for other in tensors if first[other] == first[name] or _is_same(tensors[other], each)),
                frozenset(other for other in tensors if tensors[other] is each or _is_same(tensors[other], each)),
            )
            for name, each in tensors.items()
        }  # fmt: skip


def _is_same(one: Any, other: Any) -> bool:
    """Whether two objects are one tensor of Paddle: it returns another object for `x[:]`, with the place of `x` in the history."""
    if type(one).__module__ != "paddle" or one.grad_fn is None or other.grad_fn is None:
        return False
    place = (one.grad_fn.node_ptr(), one.shape, one.strides, one.offset, _first(one))
    return place == (other.grad_fn.node_ptr(), other.shape, other.strides, other.offset, _first(other))


def _is_leaf(tensor: Any) -> bool:
    return _is_view(tensor) or bool(tensor.is_leaf)  # to ask a view would change PyTorch's history of it


def _is_view(tensor: Any) -> bool:
    return hasattr(tensor, "untyped_storage") and tensor._base is not None


def _place(tensor: Any) -> Any:
    if hasattr(tensor, "untyped_storage"):
        return tensor.untyped_storage()._cdata
    return id(tensor.storage) if hasattr(tensor, "storage") else _memory(tensor)


def _memory(tensor: Any) -> Any:
    """Where the memory of a Paddle tensor starts; a tensor without memory shares it with none."""
    return _first(tensor) or id(tensor)


def _first(tensor: Any) -> int:
    return int(tensor.data_ptr() - tensor.offset)


def _strides(shape: tuple[int, ...], strides: Any) -> tuple[int, ...]:
    """The strides of the axes where they matter."""
    return tuple(stride for size, stride in zip(shape, strides, strict=True) if size > 1 and 0 not in shape)


def recorded(framework: Framework, lines: list[str]) -> Recording:
    text = "\n".join(lines) + "\n"
    tree = ast.parse(text)
    session = Session(Text.of(tree, text, "<beside>"), use=Use(framework.module))
    assert session.run([compile(instrument.instrumented(tree), "<beside>", "exec")], names(framework)) is None
    return session.recording()


def answers(state: State, plain: Answers, framework: Framework) -> Answers:
    """The answers of a recording to the same questions."""
    facts = {name: state.tensor(name) for name in plain}
    return {
        name: Told(
            tuple(each.shape), _strides(tuple(each.shape), each.strides), state.version(name), each.needs_gradient,
            True if framework is TORCH and each.base is not None else each.leaf,
            frozenset(other for other in plain if queries.shares_storage(state, name, other)),
            frozenset(other for other in plain if queries.same_object(state, name, other)),
        )
        for name, each in facts.items()
    }  # fmt: skip


@pytest.mark.skipif(len(FRAMEWORKS) < 2, reason="needs PyTorch: python -m pip install --group oracle")
@pytest.mark.parametrize("first", range(0, choose(75, 150, 3000), BATCH))
def test_recordings_answer_as_their_frameworks_do(first: int) -> None:
    compared = alike = 0
    for number in range(first, first + BATCH):
        try:
            programs = in_common(generate(Random(number), plain=True))
        except NotExpressibleError:
            continue
        said: dict[str, list[Answers]] = {}
        for framework in FRAMEWORKS:
            lines = programs[framework.module]
            plain = list(plainly(framework, lines))
            recording = recorded(framework, lines)
            notes = [
                note.en
                for note in recording.notes
                if not any(said in note.en for said in (*SAID, "This is PyTorch", "does not show"))
            ]
            assert notes == [], (number, framework.module)
            said[framework.module] = [
                answers(recording.after_line(line), expected, framework) for line, expected in enumerate(plain, 1)
            ]
            for line, (found, expected) in enumerate(zip(said[framework.module], plain, strict=True), 1):
                assert found == expected, (number, framework.module, line, lines)
        ours, theirs = (said[framework.module] for framework in FRAMEWORKS[:2])
        for mine, yours in zip(ours, theirs, strict=True):
            compared += 1
            alike += {name: (t.shape, t.shares) for name, t in mine.items()} == {
                name: (t.shape, t.shares) for name, t in yours.items()
            }
    assert compared > BATCH
    assert alike > 0.7 * compared
