"""Finds the steps of each backward pass. A hook may begin a pass inside another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from inplacelab.recording.facts import BackwardAction, Step
from inplacelab.recording.recording import Recording

__all__ = ["Running", "begun_at", "running", "steps_of_pass"]


def steps_of_pass(recording: Recording, index: int) -> Iterator[Step]:
    """Yields the steps before step `index` in the same backward pass, last first, down to the one that began it.

    Steps of passes that began and ended inside are left out.
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
    """Returns the step that began the pass of step `index`; None outside backward."""
    return next((step.index for step in steps_of_pass(recording, index) if _action(step) == "begin"), None)


class Running(NamedTuple):
    """The program's code that backward is running: a hook, or the `backward` of a `PyLayer`.

    Attributes:
        node: the node that called it.
        function: the function's name in the program.
        is_hook: True for a hook.
    """

    node: int
    function: str
    is_hook: bool


def running(recording: Recording) -> dict[int, Running]:
    """Returns the innermost code of the program that is running, for each step inside such code."""
    return recording.once(_running)


def _running(recording: Recording) -> dict[int, Running]:
    found: dict[int, Running] = {}
    calls: list[Running | None] = []  # None for a pass begun inside the entry before it
    for step in recording.steps:
        if step.phase == "forward":
            calls.clear()
        elif step.backward is not None:
            _follow(calls, step)
        if calls and calls[-1] is not None:
            found[step.index] = calls[-1]
    return found


def _follow(calls: list[Running | None], step: Step) -> None:
    """Returns the calls that are running after a step of backward."""
    facts = step.backward
    assert facts is not None
    match facts.action:
        case "begin":
            calls.append(None)
        case "end":
            while calls and calls.pop() is not None:
                pass
        case "unpack" if calls and calls[-1] is not None and calls[-1].node == facts.node and not calls[-1].is_hook:
            pass  # it reads a saved tensor
        case _:
            if calls and calls[-1] is not None:
                calls.pop()
            if facts.node is not None and facts.action in ("hook", "custom"):
                calls.append(Running(facts.node, step.op or "", facts.action == "hook"))


def _action(step: Step) -> BackwardAction | None:
    return None if step.backward is None else step.backward.action
