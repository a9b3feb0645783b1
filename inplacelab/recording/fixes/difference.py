"""Says in which lines a fixed program differs from the original."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import SequenceMatcher, unified_diff

from inplacelab.recording.facts import EditFacts, FixFacts
from inplacelab.recording.source_tree import applied, source_lines

__all__ = ["diff_of", "edits_between", "lines_after"]


def lines_after(source: str, fix: FixFacts) -> list[tuple[str, bool]]:
    """Returns the lines of a fixed program, each with whether it is new."""
    old, new = (
        [each.rstrip("\r\n") for each in source_lines(source)],
        [each.rstrip("\r\n") for each in source_lines(applied(source, fix.edits))],
    )
    found: list[tuple[str, bool]] = []
    for tag, _, _, begin, end in SequenceMatcher(None, old, new).get_opcodes():
        found += [(line, tag != "equal") for line in new[begin:end]]
    return found


def edits_between(before: str, after: str) -> tuple[EditFacts, ...]:
    """Returns the edits of whole lines that make one text of another."""
    old, new = source_lines(before), source_lines(after)
    changes = (each for each in SequenceMatcher(None, old, new, autojunk=False).get_opcodes() if each[0] != "equal")
    return tuple(EditFacts(i + 1, 0, k + 1, 0, "".join(new[begin:end])) for _, i, k, begin, end in changes)


def diff_of(changes: Mapping[str, tuple[str, str]], name: Callable[[str], str] = str) -> str:
    """Returns what a fix changes, as `diff -u` shows it.

    Args:
        changes: the texts of the files, before and after (see `located.changed`).
        name: how a file is named.
    """
    found = []
    for file, (before, after) in changes.items():
        lines = before.splitlines(keepends=True), after.splitlines(keepends=True)
        found += list(unified_diff(*lines, name(file), name(file), n=1))
    return "".join(line if line.endswith("\n") else line + "\n" for line in found)
