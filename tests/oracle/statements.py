"""Random statements: one small function for each kind, and its frequency."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from .functions import FUNCTIONS
from .jets import Shape
from .keys import advanced_key, basic_key
from .program import Key, Statement

if TYPE_CHECKING:
    from .generate import Generator

Statements = tuple[Statement, ...]
Maker = Callable[["Generator"], Statements]
UNARY = tuple(FUNCTIONS)
BINARY = ("add", "subtract", "multiply", "multiply", "divide")


# ---- ordinary operations -------------------------------------------------------------------------------------------------


def ordinary(g: Generator) -> Statements:
    """A result in a new storage."""
    x = g.pick()
    return () if x is None else (_maybe_quiet(g, _ordinary(g, x), 0.1),)


def _ordinary(g: Generator, x: str) -> Statement:
    out, shape = g.new(), g.world.names[x].shape
    partner = g.partner(x, grow=True)
    choices = [
        Statement(g.some(UNARY), (x,), out),
        Statement("scale", (x,), out, (g.number(), g.number())),
        Statement("pow", (x,), out, (g.some((2, 3)),)),
        Statement("clone", (x,), out),
    ]
    if partner is not None:
        choices += 3 * [_with_alpha(g, Statement(g.some(BINARY), (x, partner), out))]
    if prod(shape):
        axis = g.some((None, *range(len(shape))))
        choices += 2 * [Statement(g.some(("sum", "mean")), (x,), out, (axis,))]
    if 0 < prod(shape) <= 6 and len(shape) < 4:
        choices.append(Statement("expand", (x,), out, ((2, *shape),)))
    return g.some(choices)


def _with_alpha(g: Generator, statement: Statement) -> Statement:
    if not statement.op.startswith("add"):
        return statement
    return replace(statement, args=(g.some((1, 1, 2, -0.5)),))


def product(g: Generator) -> Statements:
    """A product of matrices."""
    x = g.pick(lambda t: len(t.shape) == 2)
    if x is None:
        return ()
    shape = g.world.names[x].shape
    y = g.pick(lambda t: len(t.shape) == 2 and t.shape[0] == shape[1] and t.shape[1] * shape[0] <= 16)
    return () if y is None else (Statement("matmul", (x, y), g.new()),)


def watched(g: Generator) -> Statements:
    """A new value whose gradient is changed by a hook, or kept."""
    x = g.pick(lambda t: t.needs)
    if x is None:
        return ()
    made = _ordinary(g, x)
    watch = Statement("hook", (made.out,), "", (g.number(),)) if g.chance(0.5) else Statement("retain", (made.out,))
    return made, watch


def renamed(g: Generator) -> Statements:
    """Another name for the same tensor."""
    x = g.pick()
    return () if x is None else (Statement("alias", (x,), g.new()),)


def rebound(g: Generator) -> Statements:
    """`x += y`."""
    x = g.pick()
    y = None if x is None else g.partner(x, grow=True)
    return () if x is None or y is None else (Statement("iadd", (x, y), x),)


def detached(g: Generator) -> Statements:
    """A tensor on the same storage outside the history."""
    x = g.pick()
    return () if x is None else (Statement("detach", (x,), g.new()),)


def buffer(g: Generator) -> Statements:
    """A tensor that does not need a gradient yet."""
    x = g.pick()
    shape = g.shape if x is None else g.world.names[x].shape
    return (Statement("buffer", (), g.new(), (g.values(shape), g.dtype)),)


def cast(g: Generator) -> Statements:
    """To the other floating-point dtype: the derivative goes through."""
    x = g.pick()
    other = "float32" if g.dtype == "float64" else "float64"
    return () if x is None or not g.chance(0.3) else (Statement("cast", (x,), g.new(), (other,)),)


# ---- views -----------------------------------------------------------------------------------------------------------------


def view(g: Generator) -> Statements:
    """Another tensor on the same storage."""
    x = g.pick()
    if x is None:
        return ()
    statement = _look(g, x)
    return () if statement is None else (_maybe_quiet(g, replace(statement, out=g.new()), 0.1),)


def relayout(g: Generator) -> Statements:
    """Another layout for a tensor itself."""
    x = g.target()
    if x is None:
        return ()
    statement = _look(g, x)
    if statement is None or statement.op == "getitem":
        return ()
    return (_maybe_quiet(g, replace(statement, op=statement.op + "_"), 0.1),)


def _look(g: Generator, x: str) -> Statement | None:
    shape = g.world.names[x].shape
    choices = []
    if shape:
        choices += 3 * [Statement("getitem", (x,), args=(basic_key(g, shape),))]
        perm = tuple(sorted(range(len(shape)), key=lambda _: g.random.random()))
        choices.append(Statement("transpose", (x,), args=(perm,)))
        other = _factored(g, prod(shape))
        if other != shape:
            choices.append(Statement("reshape", (x,), args=(other,)))
        if 1 in shape:
            choices.append(Statement("squeeze", (x,), args=(g.some((None, shape.index(1))),)))
    if len(shape) == 2:
        choices.append(Statement("t", (x,)))
    if len(shape) > 1:
        start = g.random.randrange(len(shape) - 1)
        choices.append(Statement("flatten", (x,), args=(start, g.some((-1, start + 1)))))
    if len(shape) < 4:
        choices.append(Statement("unsqueeze", (x,), args=(g.random.randrange(len(shape) + 1),)))
    return g.some(choices) if choices else None


def _factored(g: Generator, size: int) -> tuple[int, ...]:
    if size == 0:
        return (0,)
    divisors = [n for n in range(1, size + 1) if size % n == 0]
    first = g.some(divisors)
    return g.some(((size,), (first, size // first), (first, 1, size // first)))


# ---- writes ----------------------------------------------------------------------------------------------------------------


def write(g: Generator) -> Statements:
    """An in-place operation of one tensor, or of one and a number."""
    x = g.target()
    if x is None:
        return ()
    choices = [Statement(f"{g.some(UNARY)}_", (x,))] * 4
    choices += [
        Statement("scale_", (x,), args=(g.number(), g.number())),
        Statement("pow_", (x,), args=(g.some((2, 3)),)),
        Statement("fill_", (x,), args=(g.number(),)),
        Statement("zero_", (x,)),
    ]
    written = g.world.names[x]
    leaf = any(each.storage is written.storage for each in g.world.leaves.values())
    refused = leaf or not written.tracked or written.storage.left is not None  # but only after `forward` has written
    if not refused and not g.plain:
        choices.append(Statement("tripled_", (x,)))
    return (_maybe_quiet(g, g.some(choices), 0.2),)


def write_from(g: Generator) -> Statements:
    """An in-place operation of two tensors: among them `x.multiply_(x)`."""
    x = g.target()
    if x is None:
        return ()
    y = x if g.chance(0.15) else g.partner(x)
    if y is None:
        return ()
    op = g.some((*(f"{name}_" for name in BINARY), "copy_", *(() if g.plain else ("set_",))))
    return (_maybe_quiet(g, _with_alpha(g, Statement(op, (x, y))), 0.2),)


def put(g: Generator) -> Statements:
    """`x[key] = value`."""
    x = g.target(lambda t: bool(t.shape))
    if x is None:
        return ()
    before, key = _any_key(g, x)
    if key is None:
        return before
    if g.chance(0.4):
        return *before, _maybe_quiet(g, Statement("setitem", (x,), args=(key, g.number())), 0.2)
    shape = _selected(g, x, key)
    y = None if shape is None else g.pick(lambda t: _fits(t.shape, shape))
    return before if y is None else (*before, _maybe_quiet(g, Statement("setitem", (x, y), args=(key,)), 0.2))


def take(g: Generator) -> Statements:
    """`x[key]` for a key that selects by a table."""
    x = g.pick(lambda t: bool(t.shape))
    if x is None:
        return ()
    before, key = advanced_key(g, x)
    return before if key is None else (*before, Statement("getitem", (x,), g.new(), (key,)))


def _any_key(g: Generator, x: str) -> tuple[Statements, Key | None]:
    if g.chance(0.6):
        return (), basic_key(g, g.world.names[x].shape)
    return advanced_key(g, x)


def _selected(g: Generator, x: str, key: Key) -> Shape | None:
    """The shape that a key selects; None if it needs a tensor that is not made yet."""
    if any(isinstance(item, str) for item in key):
        return None
    plain: Any = tuple(list(item) if isinstance(item, tuple) else item for item in key)
    return np.empty(g.world.names[x].shape)[plain].shape


def _fits(value: Shape, target: Shape) -> bool:
    return len(value) <= len(target) and all(
        v in {1, n} for v, n in zip(reversed(value), reversed(target), strict=False)
    )


# ---- the history -----------------------------------------------------------------------------------------------------------


def backward(g: Generator) -> Statements:
    """Gradients in the middle of the program, mostly with the graph retained."""
    x = g.pick(lambda t: t.needs)
    return () if x is None else (Statement("backward", (x,), args=(g.chance(0.85),)),)


def clear(g: Generator) -> Statements:
    """Clears a leaf's gradient."""
    return (Statement("clear_grad", ("a",)),) if "a" in g.world.names and g.world.names["a"].storage.leaf else ()


def switch(g: Generator) -> Statements:
    """`stop_gradient` of a leaf or buffer, switched in the middle."""
    x = g.pick(lambda t: t.storage.leaf and t.slots.size == t.storage.jets.value.size)
    return () if x is None or not g.escapes else (Statement("stop", (x,), args=(g.world.names[x].needs,)),)


def leave(g: Generator) -> Statements:
    """A result that leaves the history, preferably one with views, which stay in it."""
    shared = [id(t.storage) for t in g.world.names.values() if not t.root]
    x = g.pick(lambda t: t.root and t.needs and not t.storage.leaf and id(t.storage) in shared)
    if x is None or g.chance(0.1):
        x = g.pick(lambda t: not t.storage.leaf and (t.root or g.escapes))
    if x is None:
        return ()
    statement = Statement("detach_", (x,))
    return (replace(statement, op="leave") if g.world.names[x].root and g.chance(0.4) else statement,)


def _maybe_quiet(g: Generator, statement: Statement, probability: float) -> Statement:
    return replace(statement, quiet=g.escapes and g.chance(probability))


_OFTEN: dict[Maker, int] = {
    ordinary: 6, product: 1, watched: 1, renamed: 1, rebound: 1, detached: 1, buffer: 1, cast: 1, view: 8, relayout: 2,
    write: 6, write_from: 6, put: 5, take: 2, backward: 2, clear: 1, switch: 1, leave: 2,
}  # fmt: skip
MAKERS: tuple[Maker, ...] = tuple(maker for maker, count in _OFTEN.items() for _ in range(count))
"""Every kind of statement, with its frequency."""
PLAIN_MAKERS = tuple(maker for maker in MAKERS if maker is not leave)
