"""Tests that recordings of an earlier version are read, and equal a new recording of the same program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.recording import Recording, RecordingFormatError, from_json, load, to_json
from inplacelab.recording.facts import Step, TensorFacts

GOLDEN = Path(__file__).parents[1] / "recorders" / "golden"
OLD = sorted(Path(__file__).parent.glob("schema_*/*.json"))


@pytest.mark.parametrize("path", OLD, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_an_old_recording_is_a_new_one(path: Path) -> None:
    assert json.loads(path.read_text(encoding="utf-8"))["schema"] == int(path.parent.name[-1])
    assert compared(load(path)) == compared(load(GOLDEN / path.name))


def compared(recording: Recording) -> Recording:
    """The recording without what is said of errors, which may improve, without what operations read, how elements depend on elements,
    iterations of loops, and modules that ran operations, which early schemas did not have, without the operands of what was refused, and
    with the first name of each tensor: further ones that lead through containers or to gradients were not recorded then.
    """
    known: dict[int, TensorFacts | None] = {}

    def renamed(step: Step) -> Iterator[tuple[int, TensorFacts | None]]:
        for key, facts in step.tensors:
            now = facts and replace(facts, names=facts.names[:1])
            if key not in known or known[key] != now:
                known[key] = now
                yield key, now

    errors = [
        step.error
        and replace(
            step.error,
            message=step.error.message.partition("\n")[0].partition(". ")[0],
            explanation=None,
            notes=(),
            fix=None,
            fixes=(),
            failure=None,
        )
        for step in recording.steps
    ]
    steps = (
        replace(
            step,
            error=error,
            reads=(),
            depends=None,
            loops=(),
            ran_in=None,
            inputs=() if error else step.inputs,
            tensors=tuple(renamed(step)),
        )
        for step, error in zip(recording.steps, errors, strict=True)
    )
    return replace(recording, steps=tuple(steps))


@pytest.mark.parametrize(
    ("framework", "op", "slots", "slots_are"),
    [
        ("paddle", "index_put_", [[0, 4]], "around"),
        ("torch", "masked_fill_", [[0, 4]], "around"),
        ("torch", "masked_fill_", [[0, 1], [2, 3]], "written"),
        ("torch", "add_", [[0, 4]], "written"),
        ("numpy", "setitem", [[1, 2]], "changed"),
    ],
)
def test_old_writes_at_positions_do_not_claim_to_know_them(framework: str, op: str, slots: Any, slots_are: str) -> None:
    with paddle.record() as rec:
        x = paddle.zeros([4])
        x.add_(x)
    assert rec.recording is not None
    document = json.loads(to_json(rec.recording))
    document["framework"], document["schema"], document["source"] = framework, 2, ""
    for each in (*document["steps"], *(node for step in document["steps"] for _, node in step["nodes"] if node)):
        each["line"] = each.pop("place")
    del document["sources"], document["places"]
    step = document["steps"][-1]
    (write,) = step["writes"]
    del write["slots_are"], step["reads"]
    step["op"], write["slots"] = op, slots
    (found,) = from_json(json.dumps(document)).steps[-1].writes
    assert found.slots_are == slots_are


@pytest.mark.parametrize("steps", [None, 3, [3], [{"error": 3}], [{"storages": [3]}]])
def test_what_never_was_a_recording_is_refused(steps: Any) -> None:
    whole = {"framework": "", "framework_version": "", "title": "", "source": "", "schema": 1, "steps": steps}
    with pytest.raises(RecordingFormatError, match=r"recording of schema 1 but is not one"):
        from_json(json.dumps(whole))
