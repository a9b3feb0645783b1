"""Writes random programs whose last line, a backward pass, fails because a value that it needs was overwritten."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import inplacelab as paddle
from tests.witness.random_programs import write


def failing_programs(first: int, count: int) -> Iterator[str]:
    """Programs of the seeds from `first` on."""
    found = 0
    seed = first
    while found < count:
        text = _failing(Random(seed))
        seed += 1
        if text is not None:
            found += 1
            yield text


def _failing(random: Random) -> str | None:
    text = write(random, random.randrange(3, 14))
    names = ran(text)
    roots = [name for name, value in names.items() if isinstance(value, paddle.Tensor) and value.node is not None]
    if "error" in names or not roots:
        return None
    chosen = random.sample(roots, min(len(roots), random.randrange(1, 4)))
    text += f"loss = {' + '.join(f'{name}.sum()' for name in chosen)}\nloss.backward()\n"
    return text if "modified by an inplace operation" in str(ran(text).get("error", "")) else None


def ran(text: str) -> dict[str, Any]:
    """Runs a program. Returns its names, with the exception that it raised as "error"."""
    names: dict[str, Any] = {"__name__": "__main__"}
    paddle.seed(7)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, "<program>", "exec"), names)
    except Exception as error:  # noqa: BLE001  # a random program may raise anything
        names["error"] = error
    finally:
        paddle.set_grad_enabled(True)
    return names
