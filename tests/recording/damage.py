"""Damages the JSON of valid recordings at random: values, types, structure, and bytes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 7, 63, 64, 65, 4096, 4097, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 2**64,
    10**30, 0.5, -0.0, 1e308, 5e-324, "", "nan", "inf", "-inf", "x", "float32", "int8", "complex64", "bool", "torch", "numpy",
    "\\ud800", "\x00", "\x1b]0;x\x07", "\u202e", "\u2028", "</script><b>", "a|b`c`\n# d", "{0}", "%s", "名", "x" * 3000,
    [], {}, [0], [0, 0], [2**31, 2**31], [2**40] * 3, [1] * 65, [-1], [[0, 1]], [[0, None]], [1.5], [None], ["a", "b"], [[[[]]]],
    {"re": 1, "im": "nan"}, {"re": 1}, {"en": "e", "zh": "z"}, {"id": 0},
    {"minimum": 0, "maximum": 1, "head": [1.0], "tail": [2.0], "runs": [[3, [4.0]]]},
)  # fmt: skip
"""Values that are wrong, extreme, or right in another place."""


def damaged(rng: Random, text: str) -> str:
    """Returns a recording's JSON with a few random changes."""
    if rng.random() < 0.1:
        return _torn(rng, text)
    document = json.loads(text)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        _change(rng, document)
    written = json.dumps(document)
    if rng.random() < 0.05:
        written = written.replace("\\\\ud800", "\\ud800")
    return written


def _torn(rng: Random, text: str) -> str:
    start = rng.randrange(len(text))
    stop = min(len(text), start + rng.choice((0, 1, 10, 1000)))
    put = rng.choice(
        (
            "",
            "0",
            "[",
            "]",
            "{",
            '"',
            ",",
            "NaN",
            "1e999",
            "9" * 5000,
            "[" * 100_000,
            "\x00",
            "\ufeff",
            "\\u0000",
            text[:999],
        )
    )
    return text[:start] + put + text[stop:]


def _change(rng: Random, document: Any) -> None:  # noqa: C901  # a case for each kind of damage
    places = list(_places(document))
    key: Any
    holder, key = rng.choice(places)
    if rng.random() < 0.5:  # more of the few numbers and names than of the many values
        deep = [place for place in places if not isinstance(place[1], int) and place[1] != "values"]
        holder, key = rng.choice(deep or places)
    old = holder[key]
    match rng.randrange(8):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, deepcopy(old))
        case 2 if isinstance(holder, list):
            holder.pop(key)
        case 3 if isinstance(old, list):
            rng.shuffle(old)
        case 4 if type(old) is int:
            holder[key] = old + rng.choice((-1, 1, -old - 1, 2, old, 2**31))
        case 5 if isinstance(old, str):
            holder[key] = old + str(rng.choice(ODD))
        case 6:
            other, place = rng.choice(places)
            holder[key] = deepcopy(other[place])
        case _:
            holder[key] = deepcopy(rng.choice(ODD))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from _places(value[key])
