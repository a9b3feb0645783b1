"""Answers to the exercises of the lesson on views and in-place: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import views_and_in_place_together as check
from inplacelab.recording import Recording
from tests.recorders.runs import run


@pytest.fixture(autouse=True)
def double_precision() -> Iterator[None]:
    before = paddle.get_default_dtype()
    paddle.set_default_dtype("float64")
    yield
    paddle.set_default_dtype(before)


def recorded(text: str) -> Recording:
    return run(text, "inplacelab", paddle=paddle).recording


MINE = """a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
b = a * 2
row = b[0]
c = row * row
b.scale_(3.)
loss = c.sum() + b.sum()
loss.backward()
"""


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ("row = b[0]", "row = b[0].clone()"),
        ("row = b[0]", "row = b[0] * 1."),
        ("row = b[0]", "row = a[0] * 2"),
        ("row = b[0]", "row = (a * 2)[0]"),
        ("row = b[0]", "row = b[0] + 0."),
        ("c = row * row", "c = row.clone().square()"),
    ],
)
def test_a_gradient_that_is_right(line: str, instead: str) -> None:
    assert check.right_gradient(mine=recorded(MINE.replace(line, instead))).solved


@pytest.mark.parametrize(
    ("line", "instead", "hint"),
    [
        ("row = b[0]", "row = b[0]", "still refused|keeps `row`"),
        ("row = b[0]", "row = b[0].reshape([2])", "still refused|keeps `row`"),
        ("row = b[0]", "row = b[0].detach()", "loss is right"),
        ("row = b[0]", "row = b[0].detach().clone()", "loss is right"),
        ("b.scale_(3.)", "b = b.scale(3.)", "only write"),
        ("c = row * row\nb.scale_(3.)", "b.scale_(3.)\nc = row * row", "another function"),
        ("loss = c.sum() + b.sum()", "loss = b.sum()", "another function"),
        (
            "b.scale_(3.)",
            "with paddle.autograd.copy_saved_before_write():\n    b.scale_(3.)",
            "copy|refused|keeps `row`",
        ),
        ("c = row * row", "with paddle.no_grad():\n    c = row * row", "loss is right"),
        ("loss.backward()", "pass", "loss is right"),
        ("b = a * 2", "b = a.detach() * 2", "another error"),
    ],
)
def test_one_that_is_not(line: str, instead: str, hint: str) -> None:
    verdict = check.right_gradient(mine=recorded(MINE.replace(line, instead)))
    assert not verdict.solved
    assert re.search(hint, str(verdict))


def test_the_loss_counts_as_well_as_its_gradient() -> None:
    text = MINE.replace("row = b[0]", "row = b[0].clone()").replace("b.sum()\n", "b.sum() + 1.\n")
    verdict = check.right_gradient(mine=recorded(text))
    assert not verdict.solved
    assert "another function" in str(verdict)


BOARD = """a = paddle.ones([4, 4])
a.stop_gradient = False
b = a * 1.
{}
b.sum().backward()
"""


@pytest.mark.parametrize(
    "lines",
    [
        "b[1::2].neg_()\nb[:, 1::2].neg_()",
        "b[::2].neg_()\nb[:, ::2].neg_()",
        "b[:, 1::2].scale_(-1.)\nb[1::2].scale_(-1.)",
        "b[1::2].neg_()\nb.t()[1::2].neg_()",
        "b.reshape([2, 2, 4])[:, 1].neg_()\nb.reshape([8, 2])[:, 1].neg_()",
        "for part in (b[1::2], b[:, 1::2]):\n    part.neg_()",
    ],
)
def test_a_checkerboard(lines: str) -> None:
    assert check.checkerboard(board=recorded(BOARD.format(lines))).solved


@pytest.mark.parametrize(
    "lines",
    [
        "pass",
        "b[::2].neg_()",
        "b[::2].neg_()\nb[:, 1::2].neg_()",
        "b[::2, 1::2].neg_()",
        "b[::2, 1::2].neg_()\nb[1::2, ::2].neg_()\nb[::2, ::2].scale_(1.)",
        "b[::2, 1::2].neg_()\nb[1::2, ::2].neg_()",
        "b.detach()[1::2].neg_()\nb.detach()[:, 1::2].neg_()",
        "with paddle.no_grad():\n    b[1::2].neg_()\n    b[:, 1::2].neg_()",
        "b.multiply_(paddle.to_tensor([[1., -1.] * 2, [-1., 1.] * 2] * 2))",
        "b[0].neg_()\nb[2].neg_()\nb[:, 0].neg_()\nb[:, 2].neg_()",
        "b[1::2] = -b[1::2]\nb[:, 1::2] = -b[:, 1::2]",
        "b = b * paddle.to_tensor([[1., -1.] * 2, [-1., 1.] * 2] * 2)",
        "b[1::2].neg()\nb[:, 1::2].neg()",
    ],
)
def test_no_checkerboard(lines: str) -> None:
    assert not check.checkerboard(board=recorded(BOARD.format(lines))).solved


@pytest.mark.parametrize(
    ("lines", "hint"),
    [
        ("b[::2, 1::2] = -1.\nb[1::2, ::2] = -1.", "filled with constants"),
        ("b[::2, 1::2].neg_()\nb[1::2, ::2].neg_()", "go to 4, 4 slots"),
        ("b.multiply_(paddle.to_tensor([[1., -1.] * 2, [-1., 1.] * 2] * 2))", "go to 16 slots"),
        ("b[::2].neg_()\nb[:, 1::2].neg_()", "top left corner"),
        ("b[[1, 3]].neg_()\nb[:, [1, 3]].neg_()", "must be written in place"),
        ("b.detach()[1::2].neg_()\nb.detach()[:, 1::2].neg_()", "Do the views have a history"),
    ],
)
def test_the_hint_is_about_the_board_that_was_made(lines: str, hint: str) -> None:
    check.checkerboard._failed.clear()
    assert hint in check.checkerboard(board=recorded(BOARD.format(lines))).words.en


@pytest.mark.oracle
def test_pytorch_breaks_its_promise_as_the_lesson_says() -> None:
    torch = pytest.importorskip("torch")
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = a * 2
    b.logical_not_()
    loss = b.sum() + a.sum()
    loss.backward()
    assert b.tolist() == [[0, 0], [0, 0]]
    assert a.grad.tolist() == [[3, 3], [3, 3]]


@pytest.mark.oracle
def test_pytorchs_copies_of_saved_views_are_silently_wrong_as_the_lesson_says() -> None:
    torch = pytest.importorskip("torch")
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        b = a * 2
        top, bottom = b[0].square(), b[1].square()
        b.zero_()
        (top + bottom).sum().backward()
    assert a.grad.tolist() == [[8, 16], [0, 0]]


@pytest.mark.oracle
def test_pytorch_refuses_as_the_lesson_says() -> None:
    torch = pytest.importorskip("torch")
    b = torch.ones(2, 2, requires_grad=True) * 2
    with pytest.raises(
        RuntimeError,
        match=r"a view and is being modified inplace.*the output of a function that returns multiple views",
    ):
        b.unbind(0)[0].sin_()
    with pytest.raises(
        RuntimeError,
        match="some elements of the input tensor and the written-to tensor refer to a single memory location",
    ):
        b.subtract_(b[0])
