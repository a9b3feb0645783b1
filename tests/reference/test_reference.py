"""Every in-place name, compared with the recorded results of PaddlePaddle 3.3.1: values, dtypes, shapes, gradients, refusals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab.ops.table import ROWS
from tests.reference.calls import CALLS, ELSEWHERE
from tests.reference.differences import DIFFERENCES, Difference
from tests.reference.outcomes import Question, answer, questions
from tests.reference.record import recorded
from tests.subtests import for_each
from tests.tiers import choose, sample

TOLERANCE = {"float16": 2e-3, "float32": 2e-5, "complex64": 2e-5, "float64": 1e-9, "complex128": 1e-9}
ANSWERS = recorded()
NAMES = list(dict.fromkeys(call.name for call in CALLS))
ALIASES = {
    f"{alias}_": f"{row.name}_"
    for row in ROWS.values()
    for alias in row.aliases
    if hasattr(inplacelab.Tensor, f"{row.name}_")
}
"""Other names of these, by row: the calls use one name of each."""


@cache
def asked() -> dict[str, list[Question]]:
    found: dict[str, list[Question]] = {}
    for question in questions():
        found.setdefault(question.call.name, []).append(question)
    return found


def close(ours: Any, theirs: Any, tolerance: float) -> bool:
    """The same numbers to rounding; nan is nan."""
    if ours is None or theirs is None or isinstance(ours, str) or isinstance(theirs, str):
        return bool(ours == theirs)
    return len(ours) == len(theirs) and np.allclose(
        [float(v) for v in ours], [float(v) for v in theirs], rtol=tolerance, atol=tolerance, equal_nan=True
    )


def differences(question: Question, ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """The differences of two results. Versions are not compared: ours are raised by one."""
    if "error" in ours or "error" in theirs:
        return [] if ours.get("error") == theirs.get("error") else [f"{_short(ours)}, and not {_short(theirs)}"]
    tolerance = TOLERANCE.get(question.dtype, 1e-6)
    if question.dtype in ("int32", "int64", "bool") and "float" in theirs["dtype"]:
        tolerance = 2e-5
    wrong = [f"{key}: {ours[key]}, and not {theirs[key]}" for key in ("dtype", "shape") if ours[key] != theirs[key]]
    wrong += [
        f"{key}: {ours.get(key)}, and not {theirs.get(key)}"
        for key in ("values", "base")
        if not close(ours.get(key), theirs.get(key), tolerance)
    ]
    return wrong + _gradients(ours.get("gradients"), theirs.get("gradients"), tolerance)


def _gradients(ours: Any, theirs: Any, tolerance: float) -> list[str]:
    same = (
        ours == theirs
        if isinstance(ours, str | None) or isinstance(theirs, str | None)
        else all(close(o, t, tolerance) for o, t in zip(ours, theirs, strict=True))
    )
    return [] if same else [f"gradients: {ours}, and not {theirs}"]


def _short(found: dict[str, Any]) -> str:
    return f"{found['error']} ({found['says']})" if "error" in found else f"an answer: {str(found)[:90]}"


@cache
def found(name: str) -> dict[str, list[str]]:
    """The differences for each question about a name."""
    return {q.key: differences(q, answer(inplacelab, q), ANSWERS[q.key]) for q in asked()[name]}


def excuses(name: str) -> Iterator[tuple[Difference, str, str]]:
    """The listed difference that matches each question about a name."""
    for listed in DIFFERENCES:
        if not fnmatchcase(name, listed.question.split(" |")[0]):
            continue
        for key, wrong in found(name).items():
            if wrong and fnmatchcase(key, listed.question):
                yield from ((listed, key, each) for each in wrong if fnmatchcase(each, listed.what))


@pytest.mark.parametrize("name", sample(NAMES, one_in=choose(4, 1, 1)))
def test_it_answers_as_paddle_does(name: str) -> None:
    excused = {(key, each) for _, key, each in excuses(name)}
    wrong = [f"{key}: {each}" for key, all_of in found(name).items() for each in all_of if (key, each) not in excused]
    assert not wrong, f"{len(wrong)} differences:\n" + "\n".join(wrong[:40])


def test_every_in_place_name_of_paddle_is_compared() -> None:
    names = json.loads(Path(__file__).with_name("names.json").read_text(encoding="utf-8"))
    assert set(names) <= {call.name for call in CALLS} | set(ELSEWHERE) | set(ALIASES)
    assert {call.name for call in CALLS} | set(ELSEWHERE) <= set(names)


@for_each("alias", ALIASES)
def test_another_name_of_a_function_is_the_same_function(alias: str) -> None:
    assert getattr(inplacelab.Tensor, alias) is getattr(inplacelab.Tensor, ALIASES[alias])
    assert ALIASES[alias] in {call.name for call in CALLS}


@pytest.mark.standard
def test_every_listed_difference_is_one() -> None:
    used = {listed for name in NAMES for listed, _, _ in excuses(name)}
    assert [listed for listed in DIFFERENCES if listed not in used] == []
    assert all(listed.why for listed in DIFFERENCES)


@pytest.mark.oracle
def test_the_recorded_answers_are_paddles() -> None:
    """Records a sample again, of calls with equal results: the others may hang, crash, or read outside their memory."""
    paddle = pytest.importorskip("paddle")
    alike = [q for q in questions() if not found(q.call.name)[q.key]]
    for question in alike[::97]:
        assert differences(question, answer(paddle, question), ANSWERS[question.key]) == [], question.key
