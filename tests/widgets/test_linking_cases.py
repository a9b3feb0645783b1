"""The player's arithmetic of elements and slots is Python's: both are compared with one table of layouts.

The table is `tests/js/linking_cases.json`; `tests/js/linking.test.mjs` reads it. To write it again:

    python tests/widgets/test_linking_cases.py
"""

from __future__ import annotations

import json
import random
from itertools import product
from pathlib import Path
from typing import Any

from inplacelab.recording.facts import StorageFacts, TensorFacts
from inplacelab.recording.slots import slots_of, slots_reached, slots_under

TABLE = Path(__file__).parents[1] / "js" / "linking_cases.json"

DTYPES = {"float32": 4, "int16": 2, "float64": 8}


def tensor_of(shape: tuple[int, ...], strides: tuple[int, ...], offset: int, dtype: str) -> TensorFacts:
    plain: dict[str, Any] = {"leaf": True, "needs_gradient": False, "base": None, "node": None, "grad": None}
    return TensorFacts(0, ("x",), 0, 0, shape, strides, offset, dtype, "cpu", **plain)


def case(shape: tuple[int, ...], strides: tuple[int, ...], offset: int, dtype: str = "float32") -> dict[str, Any]:
    """A layout over float32 slots, the slot of each of its elements in row-major order, and the slots that it reaches."""
    tensor, storage = tensor_of(shape, strides, offset, dtype), StorageFacts(0, 1024, 256, "float32", "cpu", None)
    under = [slots_under(storage, dtype, position, position + 1) for position in slots_of(tensor)]
    layout: dict[str, Any] = {"storage": 0, "shape": shape, "strides": strides, "offset": offset, "name": "x"}
    if dtype != "float32":
        layout["bytes"] = [DTYPES[dtype], 4]
    indices = product(*map(range, shape))
    elements = [[list(index), *slots] for index, slots in zip(indices, under, strict=True)]
    return {"layout": layout, "elements": elements, "reached": slots_reached(storage, tensor)}


def cases() -> list[dict[str, Any]]:
    """Those that a reader meets, then any."""
    known = [
        case((), (), 3),
        case((4,), (1,), 0),
        case((2, 3), (3, 1), 0),
        case((3, 2), (1, 3), 0),
        case((2,), (3,), 1),
        case((3, 4), (0, 1), 2),
        case((2, 3, 2), (6, 2, 1), 0),
        case((4,), (-1,), 3),
        case((3, 3), (1, 1), 0),
        case((0, 3), (3, 1), 0),
        case((1, 4), (9, 1), 5),
        case((8,), (1,), 0, "int16"),
        case((3,), (2,), 1, "int16"),
        case((2, 2), (2, 1), 1, "float64"),
    ]
    draw = random.Random(5)
    while len(known) < 50:
        axes = [(draw.randint(1, 4), draw.randint(-5, 7)) for _ in range(draw.randint(0, 3))]
        lowest = sum(min(0, (size - 1) * stride) for size, stride in axes)
        dtype = draw.choice(["float32", "float32", "float32", "int16", "float64"])
        shape, strides = tuple(size for size, _ in axes), tuple(stride for _, stride in axes)
        known.append(case(shape, strides, draw.randint(0, 6) - lowest, dtype))
    return known


def written() -> str:
    return "[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in cases()) + "\n]\n"


def test_the_table_that_the_player_is_held_against_is_pythons() -> None:
    assert TABLE.read_text(encoding="utf-8") == written(), "write it again: python tests/widgets/test_linking_cases.py"


if __name__ == "__main__":
    TABLE.write_text(written(), encoding="utf-8")
