"""Alternative keywords and separate numbers, compared with the recorded results of PaddlePaddle 3.3.1."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import inplacelab
from inplacelab import Tensor
from inplacelab.ops.arguments.keywords import ALIASES, SEPARATE, Alias
from inplacelab.ops.table import ROWS
from tests.reference import keywords
from tests.reference.keywords import ask_call, attempt, find, recorded, required, sample
from tests.subtests import for_each

RECORDED = recorded()
TARGETS = RECORDED["targets"]
SPELLED = [(target, alias) for target, answer in TARGETS.items() for alias in answer["aliases"]]

REFUSED_HERE = {
    "X.transpose(0, 1, 2)",  # Paddle drops the third
    "X.reshape(6, shape=[6, 4])",  # refused there too, by another exception
    "X.transpose_(1, 0)", "X.reshape_(6, 4)", "X.tile(2, 1, 1)",
}  # fmt: skip
ACCEPTED_HERE = {"X.reshape_(24)"}
"""One number alone has one meaning; Paddle takes it for `reshape`, too."""


def given(target: str, alias: str) -> tuple[dict[str, str], str, str]:
    """The arguments of a call, the parameter to rename, and its argument."""
    parameter = TARGETS[target]["aliases"][alias]
    text = sample(target, parameter)
    assert text is not None
    return {**(required(target) or {}), parameter: text}, parameter, text


@pytest.mark.standard
@for_each(("target", "alias"), SPELLED)
def test_another_name_gives_the_same(target: str, alias: str) -> None:
    arguments, parameter, _ = given(target, alias)
    other = {alias if name == parameter else name: text for name, text in arguments.items()}
    wanted = attempt(inplacelab, target, arguments)
    assert wanted[0] == "ok"
    assert attempt(inplacelab, target, other) == wanted


@pytest.mark.standard
@for_each(("target", "alias"), SPELLED)
def test_both_names_are_refused_as_a_type_and_a_value_error(target: str, alias: str) -> None:
    arguments, _, text = given(target, alias)
    found = find(inplacelab, target)
    values = {word: eval(each, {}, keywords.Names(inplacelab)) for word, each in {**arguments, alias: text}.items()}
    assert found is not None
    with pytest.raises((TypeError, ValueError), match="got multiple values for"):
        found(**values)
    assert TARGETS[target]["both"][alias] in ("TypeError", "ValueError", "ok")


@pytest.mark.standard
@for_each("target", TARGETS)
def test_an_unknown_keyword_is_refused(target: str) -> None:
    found = attempt(inplacelab, target, {**(required(target) or {}), "no_such": "1"})
    assert found[0] == "TypeError"
    assert TARGETS[target]["unknown"] in ("TypeError", "ValueError", "ok")


@pytest.mark.standard
@for_each("target", [target for target, answer in TARGETS.items() if "missing" in answer])
def test_a_call_that_leaves_out_what_is_needed_is_refused(target: str) -> None:
    needed = required(target) or {}
    found = attempt(inplacelab, target, {word: needed[word] for word in list(needed)[:-1]})
    assert found[0] in ("TypeError", "ValueError")


@for_each("text", keywords.CALLS)
def test_separate_numbers(text: str) -> None:
    ours, theirs = ask_call(inplacelab, text), RECORDED["calls"][text]
    if text in ACCEPTED_HERE:
        assert (ours[0], theirs[0]) == ("ok", "ValueError")
    elif text in REFUSED_HERE or theirs[0] != "ok":
        assert ours[0] in ("TypeError", "ValueError")
    else:
        assert ours == theirs


def test_every_other_name_is_one_of_paddles() -> None:
    """Under a function's own name, or under one of the names that a row has besides; except where Paddle has no name of ours."""
    known: dict[str, set[str]] = {}
    for target, answer in TARGETS.items():
        known.setdefault(target.split()[1], set()).update(answer["aliases"])
    for row in ROWS.values():
        for suffix in ("", "_"):
            for name in row.aliases:
                known.setdefault(row.name + suffix, set()).update(known.get(name + suffix, ()))
    known["matmul"] |= known.get("mm", set()) | {"mat2"}
    known["concat"] |= known["cat"]
    called_otherwise = {"t", "t_", "ravel", "narrow", "slice", "where", "normal"}  # asked for in CALLS
    unknown = {name: set(aliases) - known.get(name, set()) for name, aliases in ALIASES.items()}
    assert {name for name, extra in unknown.items() if extra} == called_otherwise


# ---- what follows from the data ---------------------------------------------------------------------------------------------


def test_help_shows_the_other_names_and_the_guard_stays_hidden() -> None:
    assert str(inspect.signature(inplacelab.sum)) == (
        "(x, axis=None, dtype=None, keepdim=False, name=None, *, out=None, input=<x>, dim=<axis>)"
    )
    assert str(inspect.signature(Tensor.add_)) == "(x, y, name=None, *, alpha=1, other=<y>)"
    assert list(inspect.signature(inplacelab.concat).parameters)[-2:] == ["tensors", "dim"]


@for_each("op", [op for op in ALIASES if op in dir(inplacelab)])
def test_the_documentation_names_them_in_both_languages(op: str) -> None:
    words = getattr(inplacelab, op).__doc__
    for alias, parameter in ALIASES[op].items():
        assert f"`{alias}` for `{parameter}`" in words
        assert f"`{alias}` 即 `{parameter}`" in words


def test_a_function_and_its_method_are_one() -> None:
    for op in {*ALIASES, *SEPARATE}:
        function, method = getattr(inplacelab, op, None), getattr(Tensor, op, None)
        if function is not None and method is not None:
            assert function is method


def test_what_must_be_named_is_not_taken_by_its_place() -> None:
    x = inplacelab.ones([2])
    assert x.add(x, alpha=3).tolist() == [4.0, 4.0]
    with pytest.raises(TypeError, match="takes at most 3 positional arguments"):
        x.add_(x, None, 3)
    assert x.inplace_version == 0


def test_an_argument_may_not_be_given_under_two_names_even_with_its_default() -> None:
    with pytest.raises(TypeError, match="multiple values for argument 'axis'"):
        inplacelab.ones([2]).sum(axis=None, dim=0)
    with pytest.raises(ValueError, match="multiple values for argument 'x'"):
        inplacelab.norm(input=inplacelab.ones([2]), A=inplacelab.ones([2]))


def test_aliases_name_parameters_that_there_are() -> None:
    for op, aliases in ALIASES.items():
        function: Any = (
            getattr(inplacelab, op, None) or getattr(Tensor, op, None) or getattr(inplacelab.nn.functional, op)
        )
        own = [p.name for p in inspect.signature(function).parameters.values() if not isinstance(p.default, Alias)]
        assert set(aliases.values()) <= set(own)
        assert not set(aliases) & set(own)


@pytest.mark.oracle
def test_the_real_paddle_gives_the_same_results() -> None:
    """For a few names, in a separate process, which can import PaddlePaddle."""
    names = ["sum", "add_", "concat", "uniform_", "reshape"]
    asked = subprocess.run(
        [sys.executable, "-m", "tests.reference.keywords", *names],
        capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    if asked.returncode:
        pytest.skip("needs PaddlePaddle: python -m pip install --group oracle")
    found = json.loads(asked.stdout)
    assert found["calls"] == RECORDED["calls"]
    assert found["targets"] == {t: answer for t, answer in TARGETS.items() if t.split()[1] in names}
