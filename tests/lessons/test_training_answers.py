"""Answers to the exercises of the lesson on real training: unusual right ones are accepted, plausible wrong ones are not."""

from __future__ import annotations

import re
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.lessons.checks import in_place_in_real_training as check
from inplacelab.lessons.exercise import Verdict
from tests.recorders.runs import Run, run

DATA = "data = paddle.to_tensor([[1., 2.], [3., 4.], [5., 6.], [7., 8.]])\n"
BRIGHTENED = """{before}seen = []
for start in (0, 2):
    batch = {batch}
    {write}
    seen.append(batch.sum().item())
{after}"""


def recorded(text: str) -> Run:
    return run(text, "inplacelab", paddle=paddle)


def verdict_on(batch: str, write: str = "batch.scale_(10.)", before: str = "", after: str = "") -> Verdict:
    done = recorded(BRIGHTENED.format(before=DATA + before, batch=batch, write=write, after=after))
    return check.data_saved(brightened=done.recording, seen=done.names["seen"])


@pytest.mark.parametrize(
    "batch",
    [
        "data[start:start + 2].clone()",
        "data[[start, start + 1]]",
        "data[start:start + 2].detach().clone()",
        "data[start:start + 2] * 1.",
        "paddle.concat([data[start:start + 1], data[start + 1:start + 2]])",
        "paddle.to_tensor(data[start:start + 2].tolist())",
    ],
)
def test_the_data_set_is_saved(batch: str) -> None:
    assert "Only the two rows" in verdict_on(batch).words.en


@pytest.mark.parametrize(
    ("batch", "nbytes"),
    [
        ("data.clone()[start:start + 2]", 64),
        ("data.split(2)[start // 2]", 48),
        ("data[start:start + 2].astype('float64')", 64),
        ("data.clone()[[start, start + 1]]", 96),
        ("data[start:start + 2].clone().clone()", 64),
    ],
)
def test_more_than_two_rows_are_copied(batch: str, nbytes: int) -> None:
    verdict = verdict_on(batch)
    assert verdict.solved
    assert f"{nbytes} bytes" in verdict.words.en
    assert f"{nbytes} 字节" in verdict.words.zh


@pytest.mark.parametrize(
    ("batch", "changes"),
    [
        ("data[start:start + 2]", {}),
        ("data[start:start + 2].detach()", {}),
        ("data[start:start + 2].reshape([2, 2])", {}),
        ("data.clone()", {}),
        ("data[start:start + 2]", {"write": "batch = batch.scale(10.)"}),
        ("data[start:start + 2]", {"write": "batch = batch * 10."}),
        ("data[start:start + 1].clone()", {}),
        ("data[start:start + 2]", {"after": DATA}),
        ("data[start:start + 2].clone()", {"write": "pass"}),
    ],
)
def test_it_is_not(batch: str, changes: dict[str, str]) -> None:
    assert not verdict_on(batch, **changes).solved


def test_a_copy_of_a_batch_is_scaled_instead() -> None:
    words = verdict_on("data[start:start + 2]", write="batch.clone().scale_(10.)").words.en
    assert "`seen` is [10.0, 26.0]" in words


def test_a_line_that_raises_is_named() -> None:
    assert "Line 4 raises an error" in verdict_on("data[start:start + 2].copy()").words.en


NORMALIZED = """x = paddle.to_tensor([[1., 2.], [3., 1.]])
w = paddle.to_tensor([[1., -1.], [2., 0.]], stop_gradient=False)
h = paddle.nn.functional.relu_(x @ w)
{}
h.backward()
"""
SUBTRACT = "h.subtract_(paddle.to_tensor([4., 1.]))\n"
DIVIDE = "h.divide_(paddle.to_tensor([2., 4.]))"


@pytest.mark.parametrize(
    "middle",
    [
        "h = h.subtract(paddle.to_tensor([4., 1.]))\n" + DIVIDE,
        "h = h - paddle.to_tensor([4., 1.])\n" + DIVIDE,
        "h = h.clone()\n" + SUBTRACT + DIVIDE,
        "h = h + paddle.to_tensor([-4., -1.])\n" + DIVIDE,
        "h = h * 1.\n" + SUBTRACT + DIVIDE,
    ],
)
def test_it_is_normalized_after_all(middle: str) -> None:
    assert check.normalized_after_all(normalized=recorded(NORMALIZED.format(middle)).recording).solved


@pytest.mark.parametrize("made", ["(x @ w).clip_(0.)", "(x @ w).clip(0.)", "paddle.nn.functional.relu_(x @ w) * 1."])
def test_another_operation_may_keep_what_relu_needs(made: str) -> None:
    text = NORMALIZED.format(SUBTRACT + DIVIDE).replace("paddle.nn.functional.relu_(x @ w)", made)
    verdict = check.normalized_after_all(normalized=recorded(text).recording)
    assert verdict.solved
    assert "No node keeps the numbers" in verdict.words.en


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (NORMALIZED.format(SUBTRACT + DIVIDE), "still refused|keeps its result"),
        (NORMALIZED.format(SUBTRACT + DIVIDE).replace("relu_", "relu"), "still refused|keeps its result"),
        (NORMALIZED.format(SUBTRACT + DIVIDE).replace("(x @ w)", "(x @ w).detach()"), "another error|history"),
        (NORMALIZED.format("with paddle.no_grad():\n    h = h - 4.\n" + DIVIDE), "another error|history"),
        (
            NORMALIZED.format(SUBTRACT + DIVIDE).replace("paddle.nn.functional.relu_(x @ w)", "x @ w"),
            "another function",
        ),
        (NORMALIZED.format(DIVIDE.replace("divide_", "divide").replace("h.", "h = h.")), "which numbers"),
        (NORMALIZED.format("h = h.clone()\n" + DIVIDE), "which numbers"),
        (NORMALIZED.format("h = (h - paddle.to_tensor([4., 1.])) / paddle.to_tensor([2., 4.])"), "division"),
        (
            NORMALIZED.format(SUBTRACT + DIVIDE)
            .replace("h = p", "with paddle.autograd.copy_saved_before_write():\n    h = p")
            .replace("\nh.s", "\n    h.s")
            .replace("\nh.d", "\n    h.d"),
            "copy",
        ),
    ],
)
def test_it_is_not_normalized(text: str, hint: str) -> None:
    verdict = check.normalized_after_all(normalized=recorded(text).recording)
    assert not verdict.solved
    assert re.search(hint, str(verdict))


def solved(exercise: Any, text: str, name: str) -> bool:
    """Whether a check accepts the function that a text defines."""
    names: dict[str, Any] = {"paddle": paddle}
    exec(text, names)
    return bool(exercise(**{name: names[name]}).solved)


DESCEND = """def descend(parameters, lr):
    for w in parameters:
        with paddle.no_grad():
            {}
"""


@pytest.mark.parametrize(
    "text",
    [
        DESCEND.format("w.subtract_(w.grad, alpha=lr)"),
        DESCEND.format("w.add_(w.grad, alpha=-lr)"),
        DESCEND.format("w.detach().subtract_(w.grad, alpha=lr)"),
        "@paddle.no_grad()\ndef descend(parameters, lr):\n    [w.subtract_(w.grad, alpha=lr) for w in parameters]\n",
        "def descend(parameters, lr):\n    paddle.optimizer.SGD(lr, parameters).step()\n",
        "def descend(parameters, lr):\n    for w in parameters:\n        w.data.subtract_(w.grad, alpha=lr)\n",
        DESCEND.format("w.subtract_(w.grad, alpha=lr)") + "    return parameters\n",
    ],
)
def test_a_step_down(text: str) -> None:
    assert solved(check.descent, text, "descend")


@pytest.mark.parametrize(
    "line",
    [
        "return w.subtract_(w.grad, alpha=lr)",
        "w.subtract_(w.grad, alpha=0.25)",
        "w.subtract_(w.grad * lr)",
        "w.subtract_(w.grad.scale_(lr))",
        "w.add_(w.grad, alpha=lr)",
        "w = w - w.grad * lr",
        "w -= w.grad * lr",
        "w.set_value(w - w.grad * lr)",
        "w.subtract_(w.grad)",
        "w.subtract_(w.grad, alpha=lr); w.grad.zero_()",
        "w.subtract_(w.grad, alpha=lr); w.stop_gradient = True",
        "pass",
    ],
)
def test_no_step_down(line: str) -> None:
    assert not solved(check.descent, DESCEND.format(line), "descend")


def test_only_the_refusal_of_a_leaf_is_called_one() -> None:
    names: dict[str, Any] = {"paddle": paddle}
    exec(DESCEND.format("w.subtract_(lr)"), names)
    words = check.descent(descend=names["descend"]).words.en
    assert "must be Tensor" in words
    assert "leaf" not in words


def test_a_step_that_is_recorded_is_refused() -> None:
    text = "def descend(parameters, lr):\n    for w in parameters:\n        w.subtract_(w.grad, alpha=lr)\n"
    assert not solved(check.descent, text, "descend")


def test_a_parameter_stays_a_leaf() -> None:
    line = "w.stop_gradient = True; w.subtract_(w.grad, alpha=lr); w.stop_gradient = False"
    assert not solved(
        check.descent, f"def descend(parameters, lr):\n    for w in parameters:\n        {line}\n", "descend"
    )


FLIP = """def flip_(x):
    for column in range({}):
        left, right = x[:, :, column], x[:, :, 7 - column]
        {}
"""
HALVES = "def flip_(x):\n    left, right = x[:, :, :4], x[:, :, 4:][:, :, ::-1]\n    {}\n"


@pytest.mark.parametrize(
    "text",
    [
        FLIP.format(4, "kept = left.clone(); left.copy_(right); right.copy_(kept)"),
        FLIP.format(4, "kept = right.clone(); right.copy_(left); left.copy_(kept)") + "    return x\n",
        FLIP.format(4, "kept = x[:, :, column] * 1.; x[:, :, column] = right; x[:, :, 7 - column] = kept"),
        FLIP.format(4, "kept = left.clone(); left.copy_(right); right.copy_(kept); del kept"),
        FLIP.format(4, "left.add_(right); right.subtract_(left); left.add_(right); right.neg_()"),
        HALVES.format("left.add_(right); right.subtract_(left); left.add_(right); right.neg_()"),
    ],
)
def test_a_mirror(text: str) -> None:
    assert solved(check.mirror, text, "flip_")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            "kept = left.clone(); left.copy_(right); right.copy_(kept)",
            "192 bytes.*Copies of two columns were held at once.*`del`",
        ),
        (
            "x[:, :, column], x[:, :, 7 - column] = right.clone(), left.clone()",
            "192 bytes.*Copies of two columns were held at once.*`del`",
        ),
        ("kept = left.clone(); left.copy_(right); right.copy_(kept); del kept", "any moment"),
        ("left.add_(right); right.subtract_(left); left.add_(right); right.neg_()", "At most 0 bytes.*may round"),
        (
            "for k in range(24): p, q = left[k // 8, k % 8], right[k // 8, k % 8]; kept = p.item(); p.copy_(q); q.fill_(kept)",
            "At most 0 bytes of copies were held at any moment; one column takes 96 bytes.$",
        ),
    ],
)
def test_what_is_said_of_a_mirror_is_true_of_it(body: str, said: str) -> None:
    names: dict[str, Any] = {"paddle": paddle}
    exec(FLIP.format(4, body), names)
    words = check.mirror(flip_=names["flip_"]).words.en
    assert re.search(said, words)
    assert ("`del`" in words) == ("`del`" in said)
    assert "`kept`" not in words


@pytest.mark.parametrize(
    "text",
    [
        "def flip_(x):\n    return x.flip(2)\n",
        "def flip_(x):\n    x.copy_(x.flip(2))\n",
        "def flip_(x):\n    x.copy_(x[:, :, ::-1])\n",
        "def flip_(x):\n    x[:] = x[:, :, ::-1]\n",
        "def flip_(x):\n    x.t_()\n",
        FLIP.format(8, "kept = left.clone(); left.copy_(right); right.copy_(kept)"),
        FLIP.format(4, "left.copy_(right); right.copy_(left)"),
        FLIP.format(4, "left, right = right, left"),
        FLIP.format(3, "kept = left.clone(); left.copy_(right); right.copy_(kept)"),
        HALVES.format("kept = left.clone(); left.copy_(right); right.copy_(kept)"),
    ],
)
def test_no_mirror(text: str) -> None:
    assert not solved(check.mirror, text, "flip_")


@pytest.mark.parametrize(
    ("columns", "body", "said"),
    [
        (3, "kept = left.clone(); left.copy_(right); right.copy_(kept)", "Column 3 shows 3 now"),
        (4, "left.copy_(right); right.copy_(left)", "Column 4 shows 4 now.*read column 3"),
    ],
)
def test_the_hint_names_a_column_that_is_wrong(columns: int, body: str, said: str) -> None:
    names: dict[str, Any] = {"paddle": paddle}
    exec(FLIP.format(columns, body), names)
    check.mirror._failed.clear()
    assert re.search(said, check.mirror(flip_=names["flip_"]).words.en)
