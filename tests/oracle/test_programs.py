"""Random programs on inplacelab: right, or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.tiers import examples

from . import verdict
from .frameworks import OURS, PADDLE, TORCH
from .generate import generate
from .paddle import judge_paddle
from .program import Program, Statement
from .shrink import is_fair, shrink
from .verdict import DEFECTS, Finding, Verdict, judge
from .wording import NotExpressibleError, paddle_code, paddle_line, torch_line

BATCH = 50

needs_torch = pytest.mark.skipif(not TORCH.installed, reason="needs PyTorch: python -m pip install --group oracle")
needs_paddle = pytest.mark.skipif(
    not PADDLE.installed, reason="needs PaddlePaddle: python -m pip install --group oracle"
)
programs = st.randoms(use_true_random=False).map(generate)
"""Random programs for hypothesis, which draws the numbers that they are made from."""


def _check(program: Program, *, second: bool = False, torch: bool = False) -> None:
    """Fails with a shrunken program if there is a defect in this one."""

    def defects(program: Program) -> list[Finding]:
        return [f for f in judge(program, second=second, torch=torch).findings if f.verdict in DEFECTS]

    if defects(program):
        small = shrink(program, lambda each: bool(defects(each)))
        pytest.fail(f"{paddle_code(small)}\n{defects(small)}")


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(n, marks=pytest.mark.standard) for n in range(BATCH, examples(300), BATCH))]
)
def test_random_programs_are_right_or_refused(first: int) -> None:
    for number in range(first, first + BATCH):
        _check(generate(Random(number)), second=number % 3 == 0)


@pytest.mark.standard
@settings(
    max_examples=examples(40),
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # shrinking a stream of random numbers takes minutes: `_check` shrinks the program
    suppress_health_check=list(HealthCheck),
)
@given(programs)
def test_programs_that_hypothesis_finds_are_right_or_refused(program: Program) -> None:
    _check(program)


@pytest.mark.oracle
@needs_torch
@pytest.mark.parametrize("first", range(1000, 1000 + examples(300), BATCH))
def test_nothing_is_refused_that_pytorch_does_rightly(first: int) -> None:
    for number in range(first, first + BATCH):
        _check(generate(Random(number)), second=number % 3 == 0, torch=True)


LEAF = Statement("leaf", out="a", args=(((1.0, 2.0), (3.0, 4.0)), "float64"))
SQUARED = (LEAF, Statement("clone", ("a",), "x"), Statement("multiply", ("x", "x"), "y"))
ROW = Statement("getitem", ("x",), "v", ((0,),))


@pytest.mark.oracle
@needs_paddle
@pytest.mark.parametrize(
    ("statements", "fares"),
    [
        (SQUARED, "right"),
        ((*SQUARED, Statement("zero_", ("x",))), "refused"),
        ((*SQUARED[:2], ROW, Statement("zero_", ("v",))), "silently wrong"),
        ((LEAF, Statement("zero_", ("a",))), ""),
        ((*SQUARED, Statement("cast", ("y",), "z", ("float32",))), ""),
        ((*SQUARED, Statement("zero_", ("x",), quiet=True)), ""),
    ],
)
def test_how_paddle_fares(statements: tuple[Statement, ...], fares: str) -> None:
    """Programs do not count that should be refused, are not all in double precision, or leave the history on purpose."""
    assert judge_paddle(Program(statements)) == fares


# ---- the judge can fail -----------------------------------------------------------------------------------------------


def _writes_outside_the_history(statement: Statement) -> str:
    line = paddle_line(statement)
    return f"with paddle.no_grad(): {line}" if statement.op.endswith("_") and not statement.quiet else line


def _copies_instead_of_views(statement: Statement) -> str:
    return paddle_line(statement) + (".clone()" if statement.op in {"getitem", "reshape", "transpose"} else "")


def _forgets_the_factor(statement: Statement) -> str:
    return paddle_line(replace(statement, args=(1,)) if statement.op.startswith("add") else statement)


def _refuses_sines(statement: Statement) -> str:
    return "raise ValueError('not today')" if statement.op == "sin_" else paddle_line(statement)


@pytest.mark.parametrize(
    ("spoiled", "expected"),
    [
        (_writes_outside_the_history, Verdict.WRONG),
        (_copies_instead_of_views, Verdict.WRONG),
        (_forgets_the_factor, Verdict.WRONG),
        (_refuses_sines, Verdict.CRASH),
    ],
)
def test_a_spoiled_engine_is_noticed(
    monkeypatch: pytest.MonkeyPatch, spoiled: Callable[[Statement], str], expected: Verdict
) -> None:
    monkeypatch.setattr(verdict, "OURS", replace(OURS, line=spoiled))
    assert any(judge(generate(Random(number))).worst.verdict is expected for number in range(60))


def test_a_needless_refusal_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "OURS", replace(OURS, line=_refuses_sines, refusal=lambda: ValueError))
    assert any(judge(generate(Random(number))).worst.verdict is Verdict.REFUSED_HERE for number in range(60))


@pytest.mark.oracle
@needs_torch
def test_a_listed_exception_is_no_defect() -> None:
    """The second element is read by the first one: PyTorch does not look, because the target has gaps."""
    overlapping = (
        Statement("getitem", ("x",), "v", ((0, slice(None, None, 2)),)),
        Statement("getitem", ("x",), "w", ((0, slice(2, None)),)),
        Statement("add_", ("v", "w"), args=(1,)),
    )
    wide = Statement("leaf", out="a", args=(((1.0, 2.0, 3.0, 4.0),), "float64"))
    judgment = judge(Program((wide, SQUARED[1], *overlapping)), torch=True)
    assert judgment.worst.verdict is Verdict.LISTED
    assert Verdict.LISTED not in DEFECTS


# ---- programs as data ----------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_program() -> None:
    assert [generate(Random(7)) for _ in range(2)] == [generate(Random(7))] * 2
    assert len({paddle_code(generate(Random(number))) for number in range(20)}) == 20


def test_most_programs_mix_views_and_writes() -> None:
    made = [generate(Random(number)) for number in range(100)]
    assert sum(any(s.op in {"getitem", "reshape", "transpose", "t", "flatten"} for s in p) for p in made) > 70
    assert sum(any(s.op.endswith("_") or s.op == "setitem" for s in p) for p in made) > 90


def test_a_program_reads_as_paddle_code_and_as_torch_code() -> None:
    statements = (
        Statement("leaf", out="a", args=((1.0, 2.0), "float64")),
        Statement("scale", ("a",), "x", (2.0, 0.0)),
        Statement("add_", ("x", "a"), args=(-0.5,), quiet=True),
        Statement("setitem", ("x",), args=((slice(1, None), None), 3.0)),
        Statement("setitem", ("x", "a"), args=(((0, 1),),)),
        Statement("iadd", ("x", "a"), "x"),
        Statement("backward", ("x",), args=(True,)),
    )
    assert paddle_code(Program(statements)).split("\n") == [
        "a = paddle.to_tensor([1.0, 2.0], dtype='float64', stop_gradient=False)",
        "x = a.scale(2.0, 0.0)",
        "with paddle.no_grad(): x.add_(a, alpha=-0.5)",
        "x[1:, None] = 3.0",
        "x[[0, 1]] = a",
        "x += a",
        "x.backward(retain_graph=True)",
    ]
    assert [torch_line(statement) for statement in statements[1:3]] == [
        "x = a * 2.0 + 0.0",
        "with torch.no_grad(): x.add_(a, alpha=-0.5)",
    ]


def test_torch_has_no_steps_backwards() -> None:
    with pytest.raises(NotExpressibleError):
        torch_line(Statement("getitem", ("a",), "v", ((slice(None, None, -1),),)))


# ---- shrinking -----------------------------------------------------------------------------------------------------------


def _sines_of_views(program: Program) -> Iterator[Statement]:
    views = {s.out for s in program if s.op == "getitem"}
    return (s for s in program if s.op == "sin_" and s.inputs[0] in views)


def test_a_program_shrinks_to_what_matters() -> None:
    long = next(p for p in map(generate, map(Random, range(2000))) if any(_sines_of_views(p)) and len(p) > 10)
    short = shrink(long, lambda p: any(_sines_of_views(p)))
    assert [s.op for s in short] in [["leaf", "getitem", "sin_"], ["buffer", "getitem", "sin_"]]


def test_without_a_statement_those_that_need_it_go_too() -> None:
    program = Program(
        (
            Statement("leaf", out="a", args=((1.0,), "float64")),
            Statement("clone", ("a",), "x"),
            Statement("clone", ("x",), "y"),
            Statement("clone", ("a",), "z"),
        )
    )
    assert [s.out for s in program.without(1)] == ["a", "z"]


def test_a_hook_that_comes_late_is_not_fair() -> None:
    made = Statement("leaf", out="a", args=((1.0,), "float64")), Statement("sin", ("a",), "x")
    hook, use = Statement("hook", ("x",), args=(2.0,)), Statement("cos", ("x",), "y")
    assert is_fair(Program((*made, hook, use)))
    assert not is_fair(Program((*made, use, hook)))
