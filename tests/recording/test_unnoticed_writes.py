"""Paddle's gradients that are wrong without an error: what is found in recordings, compared with finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

paddle = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

from inplacelab.diagnosis.recorded_failures import unnoticed  # noqa: E402
from inplacelab.diagnosis.report import report  # noqa: E402
from inplacelab.language import speak  # noqa: E402
from inplacelab.recorders import instrument  # noqa: E402
from inplacelab.recorders.detection import Use  # noqa: E402
from inplacelab.recorders.program import Program  # noqa: E402
from inplacelab.recorders.run import Session  # noqa: E402
from inplacelab.recorders.sources import parsed  # noqa: E402
from inplacelab.recording import Recording  # noqa: E402
from inplacelab.recording.unnoticed_writes import unnoticed_writes  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

HEAD = "import numpy as np\nimport paddle\na = paddle.to_tensor(VALUES, dtype='float64', stop_gradient=False)\n"
FOUND = {
    "a view of a row is scaled, and the base is used": "b = a * 2\nv = b[0]\nv.scale_(3.)\nloss = b.sum()\n",
    "a column": "b = a * 2\nb[:, 1].scale_(3.)\nloss = b.sum()\n",
    "a reshaped view": "b = a * 2\nv = b.reshape([4])\nv.exp_()\nloss = b.sum()\n",
    "a view of a view": "b = a * 2\nb[1][0:1].zero_()\nloss = b.sum()\n",
    "an assignment to an element of a view": "b = a * 2\nv = b[0]\nv[0] = 9.\nloss = b.sum()\n",
    "a part from unbind": "b = a * 2\np, q = b.unbind(0)\np.scale_(3.)\nloss = b.sum()\n",
    "a view that another operation has reshaped": "b = a * 2\nv = b[0:1]\nv.reshape_([2])\nv.scale_(3.)\nloss = b.sum()\n",
    "the base is written, and a view is used": "b = a * 2\nv = b[0]\nb.scale_(3.)\nloss = v.sum()\n",
    "one of two views": "b = a * 2\nv = b[0]\nw = b[0]\nv.scale_(3.)\nloss = w.sum()\n",
    "a buffer is filled through a view": "z = paddle.zeros([2, 2], dtype='float64')\nz[0].add_(a[0] * 3)\nloss = z.sum() + 0 * a.sum()\n",
    "a leaf is written through a view": "a[0].scale_(3.)\nloss = (a * a).sum()\n",
    "a view made under no_grad": "b = a * 2\nwith paddle.no_grad():\n    v = b[0]\nv.scale_(3.)\nloss = b.sum()\n",
    "under no_grad": "b = a * 2\nwith paddle.no_grad():\n    b.scale_(3.)\nloss = b.sum()\n",
    "an alias from detach of a saved value": "b = a * 2\nd = b.detach()\nloss = (b * b).sum()\nd.set_value(np.zeros((2, 2)))\n",
    "an operation without a derivative": "b = a * 2\nb.floor_divide_(paddle.full([2, 2], 3.3, dtype='float64'))\nloss = b.sum()\n",
    "set_value of a result": "b = a * 2\nb.set_value(np.zeros((2, 2)))\nloss = b.sum()\n",
    "another storage": "b = a * 2\nb.set_(paddle.full([2, 2], 5., dtype='float64'))\nloss = b.sum()\n",
    "set_value of a saved value": "b = a * 2\nloss = (b * b).sum()\nb.set_value(np.zeros((2, 2)))\n",
    "an operand of einsum, whose version is not checked": "b = a * 2\nloss = paddle.einsum('ij,jk->ik', b, b * 1).sum()\nb.scale_(3.)\n",
    "a tensor that a PyLayer has saved": (
        "class Square(paddle.autograd.PyLayer):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x * x\n"
        "    @staticmethod\n    def backward(ctx, g):\n        return 2 * ctx.saved_tensor()[0] * g\n"
        "b = a * 2\nloss = Square.apply(b).sum()\nb.scale_(3.)\n"
    ),
    "an optimizer's step after the forward pass": (
        "loss = (a * a * a).sum()\n(a * 1).sum().backward()\npaddle.optimizer.SGD(1., parameters=[a]).step()\na.clear_gradient(False)\n"
    ),
}
"""Programs whose gradients Paddle gets wrong without an error."""
RIGHT = {
    "nothing is written": "b = a * 2\nloss = (b * b).sum()\n",
    "the view itself is used": "b = a * 2\nv = b[0]\nv.exp_()\nloss = v.sum()\n",
    "another view, of other elements": "b = a * 2\nv = b[0]\nw = b[1]\nv.exp_()\nloss = w.sum()\n",
    "a view made after the write": "b = a * 2\nb.exp_()\nv = b[0]\nloss = v.sum()\n",
    "an assignment to elements": "b = a * 2\nb[0] = b[1] * 3\nloss = b.sum()\n",
    "a clone": "b = a * 2\nd = b.detach().clone()\nd.zero_()\nloss = b.sum()\n",
    "a buffer is filled by assignments": "z = paddle.zeros([2, 2], dtype='float64')\nfor k in range(2):\n    z[k] = a[k] * 2\nloss = z.sum()\n",
    "a parameter is set": (
        "w = paddle.ones([2, 2], dtype='float64')\nw.stop_gradient = False\nw.set_value(np.full((2, 2), 2.))\nloss = (a * w).sum()\n"
    ),
    "an optimizer's step before the forward pass": (
        "w = paddle.ones([2, 2], dtype='float64')\nw.stop_gradient = False\nsgd = paddle.optimizer.SGD(0.1, parameters=[w])\n"
        "(w * w).sum().backward()\nsgd.step()\nsgd.clear_grad()\nloss = (a * w).sum()\n"
    ),
    "it is written after the pass that used it": (
        "b = a * 2\nv = b[0]\n(b * b).sum().backward(retain_graph=True)\na.clear_gradient()\nv.scale_(3.)\nloss = (a * a).sum()\n"
    ),
}
"""Programs whose gradients are right."""


def recorded(body: str) -> Recording:
    text = HEAD.replace("VALUES", "[[1., 2.], [3., 4.]]") + body + "loss.backward()\n"
    tree = parsed(text)
    session = Session(Program.of(tree, text.rstrip("\n"), "<program>"), fix=False, use=Use("paddle"), last=10_000)
    assert session.run([compile(instrument.instrumented(tree), "<program>", "exec")], {"__name__": "__main__"}) is None
    return session.recording()


def ran(body: str, values: Any) -> dict[str, Any]:
    names: dict[str, Any] = {"VALUES": values}
    exec(HEAD + body, names)
    return names


def is_right(body: str) -> bool:
    """Whether Paddle's gradient is that of finite differences."""
    values, step = np.array([[1.0, 2.0], [3.0, 4.0]]), 1e-5
    slopes = np.zeros_like(values)
    for place in np.ndindex(2, 2):
        shift = np.zeros_like(values)
        shift[place] = step
        high, low = (float(ran(body, each)["loss"]) for each in (values + shift, values - shift))
        slopes[place] = (high - low) / (2 * step)
    found = ran(body + "loss.backward()\n", values)["a"].grad
    return found is not None and bool(np.allclose(found.numpy(), slopes, rtol=1e-4, atol=1e-4))


@pytest.mark.parametrize("name", FOUND)
def test_a_gradient_that_is_silently_wrong_is_found(name: str) -> None:
    assert not is_right(FOUND[name])
    recording = recorded(FOUND[name])
    found = unnoticed_writes(recording)
    assert found
    assert all(each.wrong == ("a",) for each in found)
    for language in ("en", "zh"):
        with speak(language):
            first = report(unnoticed(recording, "")[0])
            assert f"{found[0].write.line} | " in first


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_said_of_gradients_that_are_right(name: str) -> None:
    assert is_right(RIGHT[name])
    assert unnoticed_writes(recorded(RIGHT[name])) == []


def test_nothing_is_said_of_a_detached_alias() -> None:
    """`detach()` cuts the history: whatever is written, no gradient goes through `d`, and the program has asked for that."""
    assert unnoticed_writes(recorded("b = a * 2\nd = b.detach()\nb.scale_(3.)\nloss = (b * d).sum()\n")) == []


@pytest.mark.parametrize("alias", ["b.detach()", "b.data"])
def test_nothing_is_said_of_a_write_that_asks_for_no_history(alias: str) -> None:
    """No node has saved what it overwrites, so backward uses the new values as the program asked it to."""
    assert unnoticed_writes(recorded(f"b = a * 2\nd = {alias}\nd.zero_()\nloss = (b * b).sum()\n")) == []


def test_a_write_through_a_view_of_a_detached_alias_is_found() -> None:
    recording = recorded("b = a * 2\nd = b.detach()\nd[0].add_(a[0])\nloss = (a * d).sum()\n")
    assert [(each.why, each.write.line, each.read.line) for each in unnoticed_writes(recording)] == [("lost", 6, 7)]
