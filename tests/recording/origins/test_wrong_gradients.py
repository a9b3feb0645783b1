"""Programs in which PaddlePaddle is silently wrong: the right path is found, and the one that was used."""

from __future__ import annotations

import textwrap
import warnings
from typing import Any

import numpy as np
import pytest

from inplacelab.lessons import differences
from inplacelab.place import Place
from inplacelab.recording.origins import Contributions, contributions
from inplacelab.recording.origins.words import gradient_says
from tests.recorders.runs import run

EXPLAINED = 50
"""Of so many of these programs, both paths are found. In the others, the recorder sees too little of what Paddle did, and nothing is claimed."""


CONSTANT_WRITES = {"rows-renormalized"}
"""Programs that write what depends on the leaf with a function that is under `no_grad` inside: the recording counts it as a constant."""


def asked(program: str) -> list[Contributions]:
    """The contributions to the gradient of the leaf `a`, element by element."""
    paddle = pytest.importorskip("paddle")
    before = paddle.get_default_dtype()
    text = f"{differences.OPENINGS['paddle']}{textwrap.dedent(program)}\nloss.backward()\n"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            done = run(text, "paddle", np=np)
    finally:
        paddle.set_default_dtype(before)
    if done.failure is not None:
        return []
    try:
        return [contributions(done.recording, "a", (i, j)) for i in range(2) for j in range(2)]
    except LookupError:
        return []


def added(found: Contributions) -> float | None:
    values = [path.value for path in found.used if path.end == "root"]
    return None if any(value is None for value in values) else sum(value or 0.0 for value in values)


@pytest.mark.standard
def test_the_right_way_and_the_one_that_was_used() -> None:
    pytest.importorskip("paddle")
    explained = 0
    for _, entry in differences.every():
        if not entry.asks_gradient or entry.kind not in (differences.Kind.RIGHT, differences.Kind.REFUSED):
            continue
        if entry.key in CONSTANT_WRITES:
            continue
        truth: Any = np.array(differences.recorded()[entry.key].finite_difference, float).reshape(-1)
        found = asked(entry.program)
        for each, right in zip(found, truth, strict=False):
            if each.wrong:
                assert each.right == pytest.approx(right, rel=1e-3, abs=1e-6), entry.key
                assert not each.used or added(each) == pytest.approx(each.gradient, rel=1e-3, abs=1e-6), entry.key
        wrong = [each for each in found if each.wrong]
        explained += bool(wrong) and all(each.used or each.of_shape or added(each) == each.gradient for each in wrong)
    assert explained >= EXPLAINED


@pytest.mark.standard
def test_the_used_path_follows_the_nodes() -> None:
    """`a.reshape([2, 2])` has the leaf's node; that `v` has written is not known to it."""
    found = asked("v = a.reshape([4])\nv.scale_(3.)\nloss = (v * a.reshape([2, 2]).flatten()).sum()\n")[0]
    assert (found.gradient, found.right) == (12.0, 18.0)
    assert [[str(hop.flow.called.en) for hop in path.hops] for path in found.used] == [
        ["`v[0]`", "`T3[0]`", "`loss`"],
        ["`T3[0]`", "`loss`"],
    ]
    assert [path.value for path in found.used] == [9.0, 3.0]


UNKNOWN = {
    "b = a * 2\nwith paddle.no_grad():\n    v = b[0]\nv.neg_()\nloss = b.sum()\n": "lost write",
    "b = a * 2\nwith paddle.no_grad():\n    v = b[0]\nb.square_()\nloss = v.sum() + a[1].sum()\n": "lost read",
    "b = a * 1\nb.subtract_(b[0])\nloss = (b * b).sum()\n": "overlapping",
    "(g,) = paddle.grad((a * a).sum(), a, create_graph=True)\nloss = g.sum()\n": "another pass",
    """class Square(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensor()
        return g * 2 * x

b = a * 1
loss = Square.apply(b).sum()
b.zero_()
""": "custom stale",
}


@pytest.mark.standard
@pytest.mark.parametrize("program", UNKNOWN)
def test_what_is_not_followed_is_said(program: str) -> None:
    found = asked(program)[0]
    assert {path.end for path in found.paths} == {UNKNOWN[program]}
    assert (found.right, found.wrong) == (None, False)
    assert gradient_says(found).en.endswith(": what its paths add up to is not known")


@pytest.mark.standard
def test_an_element_that_the_gradient_lacks_is_said() -> None:
    found = asked("b = a * 2\nb.resize_([2])\nloss = b.sum()\n")
    assert [(each.right, each.wrong, each.of_shape) for each in found[1:3]] == [(2.0, False, None), (0.0, True, (2,))]
    said = "missing: backward returned a gradient of shape [2], without this element; the paths add up to 0"
    assert gradient_says(found[2]).en == said


@pytest.mark.standard
def test_it_is_said() -> None:
    found = asked("b = a * 2\nloss = (b * b).sum()\nb.set_value(paddle.zeros([2, 2]))\n")
    assert (
        gradient_says(found[0]).en
        == "0 is wrong: with the values as they were when the program ran, the paths add up to 8"
    )
    hop = found[0].paths[0].hops[1]
    assert (hop.slope.written, hop.used and hop.used.value, hop.overwrote) == ("2 · 2", 0.0, Place(5))
