"""What the checks of several lessons share: answers of a recording, and reading a learner's answer in any sensible form."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from math import prod
from operator import index as whole
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Step
from inplacelab.recording.origins import contributions
from inplacelab.recording.origins.elements import index_of
from inplacelab.recording.recording import Recording

Index = tuple[int, ...]

IN_BYTES = Text("That is in bytes. How many MiB is it?", "你的单位是字节。换算成 MiB 是多少？")
LINES_AS_TEXT = Text(
    "`lines` should be a list of numbers, such as `[1, 2]`, not text.",
    "`lines` 应当是行号的列表，例如 `[1, 2]`，而不是文字。",
)


def as_elements(given: Iterable[Any], shape: tuple[int, ...]) -> set[Index]:
    """Returns the indices of elements, however they are written: 1, -4, (1,), [0, 1].

    Raises:
        IndexError: if there is no such element.
    """
    found = set()
    for each in given:
        place = tuple(each) if isinstance(each, list | tuple) else (each,)
        numbers = tuple(map(whole, place))
        if len(numbers) != len(shape) or not all(-size <= k < size for k, size in zip(numbers, shape, strict=True)):
            raise IndexError(str(each))
        found.add(tuple(k % size for k, size in zip(numbers, shape, strict=True)))
    return found


def ends_of_paths(recording: Recording, name: str) -> Mapping[Index, set[int | None]]:
    """Returns the elements of a leaf from which no path leads to the root of the last pass, with the lines where their paths end."""
    facts = recording.state(-1).tensor(name)
    found: dict[Index, set[int | None]] = {}
    for k in range(prod(facts.shape)):
        index = index_of(facts.shape, k)
        paths = contributions(recording, name, index).paths
        if all(path.end != "root" for path in paths):
            found[index] = {None if path.place is None else path.place.line for path in paths if path.end != "unused"}
    return found


def copied_on_request(recording: Recording) -> bool:
    """Whether a write made a grad node keep a copy of what it had kept by reference.

    An operation that keeps a copy from the start, as `clip_` does, is not meant.
    """
    by_reference = set()
    for step in range(len(recording)):
        for key, node in recording.state(step).nodes.items():
            for place, saved in enumerate(node.saved):
                if not saved.copy:
                    by_reference.add((key, place))
                elif (key, place) in by_reference:
                    return True
    return False


def runs(recording: Recording, *expected: str) -> Step:
    """The step of a check that sends the learner to an error that its hints do not explain.

    Args:
        recording: the learner's program.
        expected: parts of the messages that the hints explain.
    """
    last = recording.state(-1).step
    return (
        last.error is None or any(part in last.error.message for part in expected),
        Text(
            f"Line {last.line} raises an error: read its message.",
            f"第 {last.line} 行报错：请看报错信息。",
        ),
    )


def named(recording: Recording) -> set[str]:
    """The names that tensors have when a program ends."""
    return {name for tensor in recording.state(-1).tensors.values() for name in tensor.names}


def names_in(source: str) -> set[str]:
    """The names and attributes that a program uses. Comments and strings do not count."""
    found = (getattr(node, "id", None) or getattr(node, "attr", None) for node in ast.walk(ast.parse(source)))
    return {name for name in found if name}


def as_names(given: Any) -> set[str]:
    """Returns the names in an answer, in small letters: of a list, a set, or a text such as "swap, again"."""
    texts = [given] if isinstance(given, str) else [str(each) for each in given]
    return {name for text in texts for name in re.findall(r"\w+", text.casefold())}


def are_known(names: set[str], known: set[str]) -> Step:
    """The step of a check that lists the names that the exercise does not have."""
    unknown = ", ".join(sorted(names - known))
    return not unknown, Text(f"The exercise does not list `{unknown}`.", f"题目里没有 `{unknown}`。")
