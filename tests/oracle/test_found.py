"""Shrunken programs in which random search found a defect, as regression tests."""

from __future__ import annotations

import pytest

from .frameworks import TORCH
from .program import Program, Statement
from .verdict import DEFECTS, judge


def _leaf(*values: float) -> Statement:
    return Statement("leaf", out="a", args=(values, "float64"))


DOUBLED = Statement("scale", ("a",), "x", (2.0, 0.0))

FOUND = {
    "a number in double precision keeps all its digits": (
        _leaf(0.65, 0.71),
        Statement("greater", ("a",), "m", (0.71,)),
    ),
    "a value that shows the same slots in another shape": (
        _leaf(0.58, -1.58, 1.15),
        DOUBLED,
        Statement("reshape", ("x",), "v", ((1, 1, 3),)),
        Statement("setitem", ("v", "x"), args=((slice(0, None),),)),
    ),
    "rows put in another order": (
        _leaf(1.53, 1.11),
        DOUBLED,
        Statement("setitem", ("x", "x"), args=(((1, -2),),)),
    ),
    "a retained gradient has the shape of the value that it is about": (
        _leaf(1.4, 0.3),
        DOUBLED,
        Statement("retain", ("x",)),
        Statement("unsqueeze_", ("x",), args=(0,)),
        Statement("backward", ("x",), args=(True,)),
    ),
    "the negative in place where neighbors are sixteen bytes apart": (
        Statement("leaf", out="a", args=(((1.0, 2.0, 3.0, 4.0),) * 3, "float32")),
        DOUBLED,
        Statement("getitem", ("x",), "v", ((slice(None), 1),)),
        Statement("neg_", ("v",)),
    ),
    "the transpose of a matrix with one element": (
        Statement("leaf", out="a", args=(((1.19,),), "float64")),
        DOUBLED,
        Statement("t", ("x",), "v"),
        Statement("t_", ("x",)),
        Statement("reshape_", ("v",), args=((1,),)),
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_once(name: str) -> None:
    _check(name, torch=False)


@pytest.mark.oracle
@pytest.mark.skipif(not TORCH.installed, reason="needs PyTorch: python -m pip install --group oracle")
@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_once_beside_pytorch(name: str) -> None:
    _check(name, torch=True)


def _check(name: str, *, torch: bool) -> None:
    defects = [f for f in judge(Program(FOUND[name]), second=True, torch=torch).findings if f.verdict in DEFECTS]
    assert not defects
