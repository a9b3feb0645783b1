"""Random programs of views and in-place operations: values, first and second derivatives are those of PyTorch.

We refuse only where PyTorch does. (It refuses a little more: some of its derivatives keep a value that ours do without.)
Both libraries run the same list of choices.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import inplacelab as paddle
from tests.tiers import examples

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

PROGRAMS = examples(600)
FUNCTIONS = ["sin", "cos", "exp", "tanh", "sigmoid", "relu", "square", "neg"]


class Choice(NamedTuple):
    """One line of a program: the action, and numbers in [0, 1) that pick the operands."""

    action: str
    target: float
    operand: float
    variant: float


class Library(NamedTuple):
    """The names in each of the two libraries."""

    module: Any
    leaf: Callable[[Any], Any]
    constant: Callable[[Any], Any]
    binary: tuple[str, ...]
    axis: str

    def tracked(self, tensor: Any) -> bool:
        """True if it has a history."""
        return bool(tensor.requires_grad) if self.axis == "dim" else not tensor.stop_gradient

    def gradients(self, total: Any, inputs: list[Any], *, create_graph: bool) -> list[Any]:
        """The gradients, None for what was not used."""
        grad = self.module.autograd.grad if self.axis == "dim" else self.module.grad
        return list(grad(total, inputs, create_graph=create_graph, allow_unused=True))


OURS = Library(
    paddle,
    lambda v: paddle.to_tensor(v, stop_gradient=False),
    paddle.to_tensor,
    ("add", "subtract", "multiply", "divide"),
    "axis",
)


@pytest.fixture(scope="module")
def theirs() -> Library:
    torch: ModuleType = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    return Library(
        torch, lambda v: torch.tensor(v, requires_grad=True), torch.tensor, ("add", "sub", "mul", "div"), "dim"
    )


def written(seed: int) -> list[Choice]:
    """A program: between three and nine lines."""
    draw = random.Random(seed)
    return [
        Choice(draw.choice(list(ACTIONS)), draw.random(), draw.random(), draw.random())
        for _ in range(draw.randint(3, 9))
    ]


def pick(choices: list[Any], number: float) -> Any:
    return choices[int(number * len(choices))]


def like(live: list[Any], shape: Any, number: float) -> Any:
    """One of the tensors of that shape; None if there is none."""
    fitting = [t for t in live if tuple(t.shape) == tuple(shape)]
    return pick(fitting, number) if fitting else None


# ---- actions: each may add a tensor to those that are live -----------------------------------------------------------


def _unary(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    live.append(getattr(x, pick(FUNCTIONS, c.variant))())


def _unary_in_place(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    getattr(x, pick(FUNCTIONS, c.variant) + "_")()


def _unary_under_no_grad(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    with lib.module.no_grad():
        _unary_in_place(lib, live, x, c)


def _binary(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    live.append(getattr(x, pick(list(lib.binary), c.variant))(like(live, x.shape, c.operand)))


def _binary_in_place(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    getattr(x, pick(list(lib.binary), c.variant) + "_")(like(live, x.shape, c.operand))


def _view(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    rank = len(x.shape)
    ways: list[Callable[[], Any]] = [lambda: x.unsqueeze(0)]
    if rank:
        ways += [lambda: x[0], lambda: x[..., 1:], lambda: x[..., ::2], lambda: x[:]]
    if rank == 2:
        ways += [lambda: x.t(), lambda: x[:, 0], lambda: x.reshape([-1])]
    with lib.module.no_grad() if c.operand < 0.15 else nullcontext():
        live.append(pick(ways, c.variant)())


def _set_item(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    if not len(x.shape):
        return
    value = like(live, x.shape[1:], c.operand)
    if c.variant < 0.5 and value is not None:
        x[0] = value
    else:
        x[..., 0] = 0.5


def _gather(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    if len(x.shape) and x.shape[0]:
        live.append(x[[0, 0]])


def _set_gathered(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    if len(x.shape) and x.shape[0]:
        x[[0]] = like(live, x.shape, c.operand)[[0]]


def _overwrite(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    writes = [x.zero_, lambda: x.fill_(1.5), lambda: x.copy_(like(live, x.shape, c.operand))]
    pick(writes, c.variant)()


def _metadata(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    x.t_() if len(x.shape) == 2 else x.unsqueeze_(0)


def _reduce(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    live.append(x.sum(**{lib.axis: 0}) if len(x.shape) and c.variant < 0.5 else x.sum())


def _product(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    if len(x.shape) == 2:
        live.append(x @ like(live, x.shape, c.operand).t())


def _copy(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    live.append(pick([x.clone, x.detach], c.variant)())


def _buffer(lib: Library, live: list[Any], x: Any, c: Choice) -> None:
    live.append(lib.constant(np.zeros(tuple(x.shape))))


ACTIONS = {
    action.__name__: action
    for action in (
        _unary, _unary_in_place, _unary_under_no_grad, _binary, _binary_in_place, _view, _set_item, _gather, _set_gathered,
        _overwrite, _metadata, _reduce, _product, _copy, _buffer,
    )
}  # fmt: skip


# ---- running a program --------------------------------------------------------------------------------------------------


def run(lib: Library, program: list[Choice]) -> Iterator[Any]:
    """All values at the end, then the first and second derivatives for both leaves."""
    draw = np.random.default_rng(0)
    leaves = [lib.leaf(draw.uniform(0.2, 1.2, (2, 3))) for _ in range(2)]
    live = [*leaves, lib.constant(draw.uniform(0.2, 1.2, (2, 3))), *(leaf * 1.0 for leaf in leaves)]
    for choice in program:
        may_be_a_leaf = "in_place" not in choice.action and choice.action != "_metadata"
        x = pick(live if may_be_a_leaf else live[2:], choice.target)
        ACTIONS[choice.action](lib, live, x, choice)
    yield from (np.array(t.detach().numpy()) for t in live)
    total = summed(lib, live[1:])
    if total is None:
        return
    first = lib.gradients(total, leaves, create_graph=True)
    yield from (plain(g) for g in first)
    steepness = summed(lib, [g for g in first if g is not None])
    if steepness is not None:
        yield from (plain(g) for g in lib.gradients(steepness, leaves, create_graph=False))


def summed(lib: Library, tensors: list[Any]) -> Any:
    """The sum of the squares of everything with a history; None if nothing has one."""
    parts = [(t * t).sum() for t in tensors]
    tracked = [part for part in parts if lib.tracked(part)]
    return sum(tracked[1:], start=tracked[0]) if tracked else None


def plain(gradient: Any) -> Any:
    return np.zeros((2, 3)) if gradient is None else gradient.detach().numpy()


def outcome(lib: Library, program: list[Choice]) -> list[Any] | str:
    try:
        return list(run(lib, program))
    except (RuntimeError, ValueError) as error:
        return str(error)


def test_random_programs(theirs: Library) -> None:
    refused = compared = 0
    for seed in range(PROGRAMS):
        program = written(seed)
        ours, expected = outcome(OURS, program), outcome(theirs, program)
        if isinstance(expected, str):
            refused += 1
            continue
        assert not isinstance(ours, str), (seed, program, ours)
        assert len(ours) == len(expected), (seed, program)
        for one, other in zip(ours, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-8, err_msg=f"{seed}: {program}")
        compared += 1
    assert min(refused, compared) > PROGRAMS // 20  # both kinds of program were among them
