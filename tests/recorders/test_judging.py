"""Gradients of PaddlePaddle programs, compared with those of this package's engine while the programs run."""

from __future__ import annotations

import ast
import re
import sys
import textwrap
from typing import Any

import numpy as np
import pytest

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

from inplacelab.recorders import instrument  # noqa: E402  # they need PaddlePaddle
from inplacelab.recorders.detection import Use  # noqa: E402
from inplacelab.recorders.judging import judge as judging  # noqa: E402
from inplacelab.recorders.judging.judgment import Judgment  # noqa: E402
from inplacelab.recorders.program import Program  # noqa: E402
from inplacelab.recorders.run import Session  # noqa: E402
from tests.recorders.judged_calls import CALLS, LACKING, WRONG  # noqa: E402
from tests.tiers import choose  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


def judged(text: str, *, raises: bool = False, **names: Any) -> Judgment:
    """What the comparison says of a program."""
    text, file = textwrap.dedent(text).strip("\n"), "<paddle>"
    tree = ast.parse(text)
    session = Session(Program.of(tree, text, file), use=Use("paddle")).compares_gradients()
    known = {"paddle": paddle, "F": paddle.nn.functional, "__name__": "__main__", **names}
    raised = session.run([compile(instrument.instrumented(tree), file, "exec")], known)
    assert (raised is not None) == raises, raised
    found = session.judgment
    assert found is not None
    return found


def is_quiet(found: Judgment, compared: int) -> bool:
    """Whether so many gradients were compared, and all are right."""
    assert not found.failure
    return (found.differences, found.left_out, found.compared) == ([], {}, compared)


# ---- calls ------------------------------------------------------------------------------------------------------------


def operands() -> dict[str, Any]:
    draw, tensor = np.random.default_rng(3), paddle.to_tensor

    def leaf(*shape: int, positive: bool = False) -> Any:
        values = draw.uniform(0.2, 2, shape) if positive else draw.standard_normal(shape)
        return tensor(values.astype("float32"), stop_gradient=False)

    def ev(layer: Any) -> Any:
        layer.eval()
        return layer

    paddle.seed(3)
    shapes = {"a": (3, 4), "b": (3, 4), "k": (3, 4), "v": (4,), "m": (4, 3), "c": (2, 3, 4), "s": (4, 4), "im": (2, 4, 6, 6), "w": (2, 4, 3, 3), "q": (2, 3, 2)}  # fmt: skip
    return {
        **{name: leaf(*shape) for name, shape in shapes.items()}, "p": leaf(3, 4, positive=True), "numpy": np, "ev": ev,
        "i": tensor([2, 0]), "ij": tensor([[0, 1], [2, 0]]), "ki": tensor([[0, 1], [2, 0], [1, 3]]), "l": tensor([1, 0, 3]),
        "il": tensor(draw.integers(0, 4, (2, 6, 6))), "y01": tensor((draw.random((3, 4)) > 0.5).astype("float32")),
    }  # fmt: skip


def written_as(call: str) -> str:
    """A program whose loss depends on the result of a call."""
    first = "x = a * 1\n" if re.match(r"x\W", call) or re.search(r"\W x\b|\(x\b", call) else ""
    is_statement = isinstance(ast.parse(call).body[0], ast.Assign | ast.AugAssign)
    made = (
        f"{call}\ny = x"
        if is_statement
        else f"{call}\ny = x"
        if call.startswith(("x[", "paddle.assign(b"))
        else f"y = {call}"
    )
    return (
        f"{first}{made}\nif not y.is_floating_point(): y = y.astype('float32')\nloss = (y * y).sum()\nloss.backward()"
    )


@pytest.mark.parametrize("group", CALLS)
def test_gradients_of_calls_are_compared(group: str) -> None:
    calls = [" ".join(each.split()) for each in CALLS[group].split(" |")]
    for call in [each for each in calls if each][:: choose(6, 1, 1)]:
        found = judged(written_as(call), **operands())
        lacks = not LACKING.isdisjoint(re.findall(r"(\w+)\(", call))
        assert (found.failure, bool(found.differences), bool(found.left_out)) == ("", call in WRONG, lacks), call
        assert lacks or found.compared or found.differences, call


# ---- functions of the program -----------------------------------------------------------------------------------------

LAYER = """
    class Layer(paddle.autograd.PyLayer):
        @staticmethod
        def forward(ctx, x):
            {marks}return {result}

        @staticmethod
        def backward(ctx, g):
            return g * 5

    a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = Layer.apply(a * 3)
    (y * y).sum().backward()
"""


def test_the_pass_goes_on_through_a_custom_function() -> None:
    assert is_quiet(judged(LAYER.format(marks="", result="x * 2")), 1)
    assert sys.getprofile() is None


def test_a_custom_function_may_name_what_it_returns() -> None:
    assert is_quiet(judged(LAYER.format(marks="y = x * 2; ctx.save_for_backward(y); ", result="y")), 1)


def test_a_custom_function_that_backward_has_not_called_is_named() -> None:
    (found,) = judged(LAYER.format(marks="ctx.mark_not_inplace(x); ", result="x")).differences
    assert found.cause is not None
    assert (found.names, found.expected, found.cause.name, found.cause.how) == (("a",), None, "Layer", "not called")


@pytest.mark.parametrize("hook", ["lambda g: g * 3", "lambda g: None", "lambda g: g.detach().scale_(2.0)"])
@pytest.mark.parametrize("hooked", ["h", "a"])
def test_the_pass_goes_on_through_a_hook(hook: str, hooked: str) -> None:
    text = f"""
        a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        h = a * 2
        {hooked}.register_hook({hook})
        (h * h).sum().backward()
    """
    assert is_quiet(judged(text), 1)


def test_a_hook_that_was_removed_is_not_missed() -> None:
    text = """
        a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        handle = a.register_hook(lambda g: g * 3)
        handle.remove()
        (a * a).sum().backward()
    """
    assert is_quiet(judged(text), 1)


def test_hooks_are_not_seen_where_the_program_has_a_profiler() -> None:
    text = """
        a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        a.register_hook(lambda g: g * 3)
        sys.setprofile(profiler)
        (a * a).sum().backward()
        assert sys.getprofile() is profiler
        sys.setprofile(None)
    """
    found = judged(text, sys=sys, profiler=lambda *_: None)
    assert (found.differences, list(found.left_out)) == ([], [("a",)])


# ---- histories --------------------------------------------------------------------------------------------------------


def test_a_view_that_is_written_is_not_in_the_history() -> None:
    (found,) = judged("""
        a = paddle.to_tensor([[1.0, 1.0], [1.0, 1.0]], stop_gradient=False)
        h = a * 1
        row = h[0]
        row.scale_(3.0)
        h.sum().backward()
    """).differences
    assert (found.cause, [place.line for place in found.writes]) == (None, [])
    assert (found.found.tolist(), found.expected.tolist()) == ([[1, 1], [1, 1]], [[3, 3], [1, 1]])


def test_values_that_backward_needs_are_those_of_before() -> None:
    (found,) = judged("""
        a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        h = a * 1
        loss = (h * h).sum()
        h.set_value(h * 0)
        loss.backward()
    """).differences
    assert (found.found.tolist(), found.expected.tolist()) == ([0, 0], [2, 4])


def test_the_operation_is_named_whose_own_gradient_is_wrong() -> None:
    (found,) = judged("""
        a = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
        h = a * 2
        h[h > 5] = (a[0] * 3)
        h.sum().backward()
    """).differences
    assert found.cause is not None
    assert (found.cause.name, found.cause.place and found.cause.place.line, found.cause.how) == (
        "setitem",
        3,
        "gradient",
    )


def test_a_bound_gets_the_gradient_of_what_it_replaces() -> None:
    (found,) = judged("""
        a = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
        c = paddle.to_tensor([1.5, 2.5], stop_gradient=False)
        y = paddle.clip(a * 1, c[0], c[1:])
        (y * y).sum().backward()
    """).differences
    assert found.cause is not None
    assert (found.names, found.found, found.expected.tolist(), found.cause.name) == (("c",), None, [3, 5], "clip")


def test_a_gradient_that_cannot_be_read_is_left_out() -> None:
    found = judged("""
        layer = paddle.nn.Embedding(4, 2, sparse=True)
        for _ in range(2):
            layer(paddle.to_tensor([1, 2])).sum().backward()
    """)
    assert (found.failure, found.differences, list(found.left_out)) == ("", [], [("layer.weight",)])


def test_a_leaf_in_half_precision_is_left_out() -> None:
    found = judged("""
        a = paddle.to_tensor([1.0, 2.0]).astype("float16")
        a.stop_gradient = False
        b = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        (a.astype("float32") * b).sum().backward()
    """)
    assert (found.failure, found.differences, list(found.left_out), found.compared) == ("", [], [("a",)], 1)


QUIET = {
    "a gradient that is nothing but rounding": ("layer = paddle.nn.Linear(4, 4)\nF.batch_norm(layer(a), m, p, training=True).sum().backward()", 3),
    "ties": ("z = paddle.zeros([3, 4]) * a\n(F.relu(z) + z.abs() + z.clip(0, 1) + z.max() + z.sort()).sum().backward()", 1),
    "nan and inf": ("(a / 0 * a).sum().backward()", 1),
    "no elements": ("(a[0:0].sum() + a.sum()).backward()", 1),
    "several passes": ("y = (a * a).sum()\ny.backward(retain_graph=True)\ny.backward()\na.clear_gradient()\n(a * 2).sum().backward()", 3),
    "a gradient that the program sets": ("a.grad = a * 3\n(a * a).sum().backward()", 1),
    "double backward": ("g = paddle.grad((a**3).sum(), a, create_graph=True)[0]\n(g * g).sum().backward()", 2),
    "no_grad": ("with paddle.no_grad():\n    h = a * 3\n(h * a).sum().backward()", 1),
    "integers": ("(a * (a > 0).astype('float32') + a.argmax()).sum().backward()", 1),
    "an optimizer": (
        "opt = paddle.optimizer.AdamW(0.1, parameters=[a])\nfor _ in range(3):\n    (a * a).sum().backward()\n    opt.step()\n    opt.clear_grad()", 3,
    ),
    "what it overwrites was constant": ("b = paddle.ones([3, 4])\nb[0] = a[0]\n(b * b).sum().backward()", 1),
    "another thread fills the gradient": (
        "import threading\nt = threading.Thread(target=lambda: (a * a).sum().backward())\n(a * 2).sum().backward()\nt.start(); t.join()\n(a * 2).sum().backward()", 2,
    ),
    "a leaf is the loss": ("a.sum().backward()\na.backward()", 2),
}  # fmt: skip


@pytest.mark.parametrize("name", QUIET)
def test_right_programs_are_quiet(name: str) -> None:
    text, compared = QUIET[name]
    leaf = paddle.to_tensor(np.arange(12.0).reshape(3, 4).astype("float32") / 7, stop_gradient=False)
    assert is_quiet(judged(text, a=leaf, m=paddle.zeros([4]), p=paddle.ones([4])), compared)


# ---- limits -----------------------------------------------------------------------------------------------------------


def test_the_replay_ends_when_a_program_computes_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "ROOM", 6 * judging.CALL)
    found = judged("a = paddle.ones([4]); a.stop_gradient = False\nfor _ in range(9):\n    (a * a).sum().backward()")
    assert (found.ended, found.failure, found.differences) == (True, "", [])
    assert 0 < found.passes < 9


def test_the_program_goes_on_when_the_judge_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "values_of", lambda _: 1 / 0)
    names = {"a": paddle.to_tensor([1.0], stop_gradient=False)}
    found = judged("(a * a).sum().backward()\nfound = a.grad.item()\nassert found == 2", **names)
    assert found.ended
    assert "ZeroDivisionError" in found.failure


def test_nothing_is_kept_alive() -> None:
    text = """
        import gc, weakref
        a = paddle.to_tensor([1.0], stop_gradient=False)
        kept = []
        for _ in range(3):
            h = a * 2
            h.register_hook(lambda g: g)
            (h * h).sum().backward()
            kept.append(weakref.ref(h))
            del h
        gc.collect()
        assert [each() for each in kept] == [None, None, None]
    """
    assert is_quiet(judged(text), 3)
