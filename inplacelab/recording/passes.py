"""Backward passes: which steps are of one pass. A hook may begin another one inside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inplacelab.recording.facts import BackwardAction, Step
from inplacelab.recording.recording import Recording

__all__ = ["Running", "begun_at", "running", "steps_of_pass"]


def steps_of_pass(recording: Recording, index: int) -> Iterator[Step]:
    """The steps before step `index` that are of the same pass, the last first, down to the one that began it. Those of passes
    that were begun and ended inside are left out.
    """
    inside = 0
    for step in reversed(recording.steps[:index]):
        action = _action(step)
        inside += action == "end"
        if not inside:
            yield step
        if action == "begin":
            if not inside:
                return
            inside -= 1


def begun_at(recording: Recording, index: int) -> int | None:
    """The step that began the pass that step `index` is in; None if there is none."""
    return next((step.index for step in steps_of_pass(recording, index) if _action(step) == "begin"), None)


class Running(NamedTuple):
    """Code of the program's own that backward has called: a hook, or a derivative that the program has written.

    Attributes:
        node: the node that it was called for.
        function: what the program calls it.
        is_hook: whether it is a hook.
    """

    node: int
    function: str
    is_hook: bool


def running(recording: Recording) -> dict[int, Running]:
    """For each step in which backward runs code of the program's own, the innermost of it."""
    return recording.once(_running)


def _running(recording: Recording) -> dict[int, Running]:
    found: dict[int, Running] = {}
    calls: list[Running | None] = []  # None for a pass that was begun in what stands before it
    for step in recording.steps:
        if step.phase == "forward":
            calls.clear()
        elif step.backward is not None:
            _follow(calls, step)
        if calls and calls[-1] is not None:
            found[step.index] = calls[-1]
    return found


def _follow(calls: list[Running | None], step: Step) -> None:
    """What runs once backward has done this."""
    facts = step.backward
    assert facts is not None
    match facts.action:
        case "begin":
            calls.append(None)
        case "end":
            while calls and calls.pop() is not None:
                pass
        case "unpack" if calls and calls[-1] is not None and calls[-1].node == facts.node and not calls[-1].is_hook:
            pass  # it asks for what was kept
        case _:
            if calls and calls[-1] is not None:
                calls.pop()
            if facts.node is not None and facts.action in ("hook", "custom"):
                calls.append(Running(facts.node, step.op or "", facts.action == "hook"))


def _action(step: Step) -> BackwardAction | None:
    return None if step.backward is None else step.backward.action
