"""Random keys for `x[key]`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .jets import Shape
from .program import Item, Key, Statement

if TYPE_CHECKING:
    from .generate import Generator


def basic_key(g: Generator, shape: Shape) -> Key:
    """Integers, slices (backwards too), None and `...`: selects by geometry."""
    items = [_basic_item(g, size) for size in shape[: g.random.randrange(1, len(shape) + 1)]]
    if g.chance(0.1) and len(items) < len(shape):
        items.insert(0, ...)
        items[1:] = [_basic_item(g, size) for size in shape[-len(items) + 1 :]]
    if g.chance(0.1) and len(shape) < 4:
        items.insert(g.random.randrange(len(items) + 1), None)
    return tuple(items)


def _basic_item(g: Generator, size: int) -> Item:
    if size and g.chance(0.4):
        return g.random.randrange(-size, size)
    start, stop = sorted((g.random.randrange(size + 1), g.random.randrange(size + 1)))
    choices = [slice(None), slice(start, None), slice(None, None, 2), slice(None, stop), slice(start, stop)]
    return slice(None, None, g.some((-1, -2))) if g.chance(0.08) else g.some(choices)


def advanced_key(g: Generator, x: str) -> tuple[tuple[Statement, ...], Key | None]:
    """Lists, tensors of integers, masks: selects by a table of positions. With the statements that make its tensors."""
    shape = g.world.names[x].shape
    if 0 in shape:
        return (), None
    if g.chance(0.3):
        name = g.new()
        return (_mask(g, x, name),), (name,)
    if g.chance(0.4):
        name = g.new()
        return (Statement("integers", (), name, (_positions(g, shape[0]),)),), (name,)
    if len(shape) > 1 and g.chance(0.5):
        rows = _positions(g, shape[0])
        columns = tuple(g.random.randrange(shape[1]) for _ in rows)
        keys: tuple[Key, ...] = ((slice(None), _positions(g, shape[1])), (rows, columns), (rows, slice(None, None, 2)))
        return (), g.some(keys)
    return (), (_positions(g, shape[0]),)


def _mask(g: Generator, x: str, name: str) -> Statement:
    shape = g.world.names[x].shape
    if g.chance(0.6):
        return Statement("greater", (x,), name, (g.some((0.1, 0.71, -0.33)),))
    return Statement("mask", (), name, (tuple(g.chance(0.5) for _ in range(shape[0])),))


def _positions(g: Generator, size: int) -> tuple[int, ...]:
    """Some positions along an axis, rarely with repetitions: then PyTorch's gradients are wrong."""
    places = [g.random.randrange(-size, size) for _ in range(g.random.randrange(1, 4))]
    return (
        tuple(places) if g.chance(0.15) and not g.escapes else tuple({place % size: place for place in places}.values())
    )
