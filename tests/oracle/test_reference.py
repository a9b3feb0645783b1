"""The reference interpreter: its derivatives agree with finite differences, its views with NumPy's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from .functions import FUNCTIONS, RECIPROCAL, Function, power, scaling
from .generate import generate
from .jets import Array, Jet
from .outcome import Outcome, weights
from .program import Program, Statement
from .run_reference import run
from .tables import has_strides

STEP = 1e-5
HIDDEN = frozenset({"detach", "detach_", "leave", "hook", "cast"})
"""Statements that hide a dependence from the gradient on purpose, or round it away: finite differences detect it anyway."""


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_a_function_has_the_slope_and_curvature_it_claims(name: str) -> None:
    _check(FUNCTIONS[name])


@pytest.mark.parametrize("function", [RECIPROCAL, power(2), power(3), scaling(-1.5, 0.25)])
def test_a_family_of_functions_has_the_slope_and_curvature_it_claims(function: Function) -> None:
    _check(function)


def _check(function: Function) -> None:
    x = np.array([0.3, 0.8, 1.7])
    slope = (function.value(x + STEP) - function.value(x - STEP)) / (2 * STEP)
    curvature = (function.slope(x + STEP) - function.slope(x - STEP)) / (2 * STEP)
    np.testing.assert_allclose(function.slope(x), slope, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(function.curvature(x), curvature, rtol=1e-7, atol=1e-8)


def _fair_programs(count: int) -> list[Program]:
    """Programs whose every dependence the gradient is meant to see."""
    found: list[Program] = []
    number = 0
    while len(found) < count:
        program, number = generate(Random(number)), number + 1
        answer = run(program)
        hides = any(statement.op in HIDDEN for statement in program)
        if not (hides or answer.escape or "float32" in program.dtypes):
            found.append(program)
    return found


def test_derivatives_are_those_of_finite_differences() -> None:
    compared = sum(_compare(program) for program in _fair_programs(12))
    assert compared > 400


def _compare(program: Program) -> int:
    """Compares every gradient of every tensor of a program with differences; returns the number of comparisons."""
    here, compared = run(program, second=True).outcome, 0
    for position, statement in enumerate(program):
        if statement.op != "leaf":
            continue
        for place in np.ndindex(_values(statement).shape):
            forth, back = (run(_moved(program, position, place, step)).outcome for step in (STEP, -STEP))
            compared += _compare_along(here, forth, back, statement.out, place)
    return compared


def _compare_along(here: Outcome, forth: Outcome, back: Outcome, leaf: str, place: tuple[int, ...]) -> int:
    for name, probe in here.probes.items():
        assert isinstance(probe, Mapping)
        first, second = probe[leaf].first[place], probe[leaf].second
        assert second is not None
        if np.isfinite(first) and np.isfinite(second).all():
            assert first == pytest.approx((_sum(forth, name) - _sum(back, name)) / (2 * STEP), rel=1e-4, abs=1e-4)
            slope = (_gradients(forth, name) - _gradients(back, name)) / (2 * STEP)
            assert second[place] == pytest.approx(slope, rel=1e-3, abs=1e-3)
    return len(here.probes)


def _sum(outcome: Outcome, name: str) -> float:
    return float((weights(outcome.values[name].shape) * outcome.values[name]).sum())


def _gradients(outcome: Outcome, name: str) -> float:
    probe = outcome.probes[name]
    assert isinstance(probe, Mapping)
    return float(sum((weights(each.first.shape, second=True) * each.first).sum() for each in probe.values()))


def _values(statement: Statement) -> Array:
    return np.array(statement.args[0], dtype=float)


def _moved(program: Program, position: int, place: tuple[int, ...], step: float) -> Program:
    """The program with one element of one leaf changed."""
    statement = program.statements[position]
    values = _values(statement)
    values[place] += step
    changed = replace(statement, args=(_nested(values.tolist()), statement.args[1]))
    return Program((*program.statements[:position], changed, *program.statements[position + 1 :]))


def _nested(values: object) -> object:
    return tuple(map(_nested, values)) if isinstance(values, list) else values


# ---- aliasing --------------------------------------------------------------------------------------------------------------


LEAF = Statement("leaf", out="a", args=(((1.0, 2.0, 3.0), (4.0, 5.0, 6.0)), "float64"))
COPY = Statement("clone", ("a",), "x")


def _run(*statements: Statement) -> Outcome:
    return run(Program((LEAF, COPY, *statements))).outcome


def test_a_write_through_a_view_is_seen_by_all_who_look_there() -> None:
    outcome = _run(
        Statement("t", ("x",), "v"),
        Statement("getitem", ("x",), "row", ((1, slice(None, None, -1)),)),
        Statement("setitem", ("v",), args=((0,), 9.0)),
    )
    assert outcome.values["x"].tolist() == [[9, 2, 3], [9, 5, 6]]
    assert outcome.values["row"].tolist() == [6, 5, 9]
    assert outcome.versions == {"a": 0, "x": 1, "v": 1, "row": 1}


def test_what_was_overwritten_has_no_gradient_any_more() -> None:
    outcome = _run(Statement("getitem", ("x",), "row", ((0,),)), Statement("zero_", ("row",)))
    probe = outcome.probes["x"]
    assert isinstance(probe, Mapping)
    assert probe["a"].first[0].tolist() == [0, 0, 0]
    assert probe["a"].first[1].all()


def test_detach_shares_the_storage_and_has_no_gradient() -> None:
    outcome = _run(Statement("detach", ("x",), "d"), Statement("scale_", ("x",), args=(2.0, 0.0)))
    assert outcome.values["d"].tolist() == outcome.values["x"].tolist()
    assert outcome.stopped["d"]
    assert "d" not in outcome.probes


@pytest.mark.parametrize(
    ("statement", "why"),
    [
        (Statement("sin_", ("a",)), "leaf"),
        (Statement("t_", ("a",)), "leaf"),
        (Statement("setitem", ("x",), args=((5,), 1.0)), "index"),
        (Statement("add_", ("row", "x"), args=(1,)), "growth"),
        (Statement("copy_", ("x", "row")), "overlap"),
        (Statement("matmul", ("x", "x"), "y"), "shape"),
        (Statement("backward", ("b",), args=(True,)), "no history"),
    ],
)
def test_what_has_no_meaning_is_refused_and_nothing_changes(statement: Statement, why: str) -> None:
    before = (
        Statement("getitem", ("x",), "row", ((0,),)),
        Statement("buffer", out="b", args=((1.0, 2.0), "float64")),
    )
    plain, outcome = _run(*before), _run(*before, statement)
    assert [refusal.kind for refusal in outcome.refusals.values()] == [why]
    assert outcome.versions == plain.versions
    assert {n: v.tolist() for n, v in outcome.values.items()} == {n: v.tolist() for n, v in plain.values.items()}


def test_hooks_and_retained_gradients() -> None:
    outcome = _run(
        Statement("hook", ("x",), args=(3.0,)),
        Statement("scale", ("x",), "y", (2.0, 0.0)),
        Statement("retain", ("y",)),
        Statement("sin_", ("y",)),
        Statement("backward", ("y",), args=(True,)),
    )
    y, a = outcome.grads["y"], outcome.grads["a"]
    assert y is not None
    assert a is not None
    np.testing.assert_allclose(y, np.cos(2 * np.arange(1.0, 7.0).reshape(2, 3)))
    np.testing.assert_allclose(a, 6 * y)


def test_an_escape_is_known() -> None:
    quiet = Program((LEAF, COPY, Statement("sin_", ("x",), quiet=True)))
    assert run(quiet).escape
    assert not run(Program((LEAF, COPY, Statement("sin", ("x",), "y", quiet=True)))).escape


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (np.arange(6).reshape(2, 3).T, True),
        (np.arange(12).reshape(3, 4)[::-2, 1::2], True),
        (np.arange(6).reshape(2, 3).T.reshape(6), False),
        (np.array([0, 1, 3]), False),
        (np.array(5), True),
        (np.zeros((0, 3), int), True),
    ],
)
def test_which_tables_strides_can_express(table: Array, expected: bool) -> None:
    assert has_strides(table) is expected


def test_a_jet_is_a_triple_of_arrays_that_change_together() -> None:
    jet = Jet(np.zeros((2, 3)), np.zeros((2, 3, 5)), np.zeros((2, 3, 5, 5))).map(lambda part: part[0])
    assert [part.shape for part in jet if part is not None] == [(3,), (3, 5), (3, 5, 5)]
