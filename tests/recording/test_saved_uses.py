"""Which gradients are wrong if a saved value is overwritten: those that are named are those that the write changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from inplacelab.diagnosis.explain import explain
from inplacelab.diagnosis.recorded_failures import unnoticed
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recorders.sources import parsed

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]

MATRICES = "p, q, r = (leaf(k, [2, 2]) for k in range(3))\na, b, c = p * 1, q * 1, r * 1\n"
BATCHES = MATRICES.replace("[2, 2]", "[2, 2, 2]")
VECTORS = MATRICES.replace("[2, 2]", "[2]")
NORM = "p = leaf(0, [3, 2])\nq, r = leaf(1, [2]), leaf(2, [2])\na, b, c = p * 1, q * 1, r * 1\n"
IMAGES = "p = leaf(0, [1, 1, 3, 3])\nq, r = leaf(1, [1, 1, 2, 2]), leaf(2, [1])\na, b, c = p * 1, q * 1, r * 1\n"

PADDLE = {
    "multiply": MATRICES + "y = a * b + c\n",
    "matmul": MATRICES + "y = paddle.matmul(a, b) + c\n",
    "linear": MATRICES + "y = F.linear(a, b, c)\n",
    "bmm": BATCHES + "y = paddle.bmm(a, b) + c\n",
    "dot": VECTORS + "y = paddle.dot(a, b) + c.sum()\n",
    "mv": "p = leaf(0, [2, 2])\nq, r = leaf(1, [2]), leaf(2, [2])\na, b, c = p * 1, q * 1, r * 1\ny = paddle.mv(a, b) + c\n",
    "divide": MATRICES + "y = a / b + c\n",
    "addmm": MATRICES + "y = paddle.addmm(c, a, b)\n",
    "baddbmm": BATCHES + "y = paddle.baddbmm(c, a, b)\n",
    "conv2d": IMAGES + "y = F.conv2d(a, b, c)\n",
    "conv2d_transpose": IMAGES + "y = F.conv2d_transpose(a, b, c)\n",
    "layer_norm": NORM + "y = F.layer_norm(a, [2], b, c)\n",
    "batch_norm in training": NORM + "y = F.batch_norm(a, mean, variance, b, c, training=True)\n",
    "batch_norm in evaluation": NORM + "y = F.batch_norm(a, mean, variance, b, c, training=False)\n",
}
TORCH = {
    "mul": MATRICES + "y = a * b + c\n",
    "mm": MATRICES + "y = a @ b + c\n",
    "linear": MATRICES + "y = F.linear(a, b, r[0])\n",
    "bmm": BATCHES + "y = torch.bmm(a, b) + c\n",
    "dot": VECTORS + "y = torch.dot(a, b) + c.sum()\n",
    "mv": PADDLE["mv"].replace("paddle", "torch"),
    "div": MATRICES + "y = a / b + c\n",
    "addmm": MATRICES + "y = torch.addmm(c, a, b)\n",
    "addmv": "p = leaf(0, [2, 2])\nq, r = leaf(1, [2]), leaf(2, [2])\na, b, c = p * 1, q * 1, r * 1\ny = torch.addmv(c, a, b)\n",
    "addr": "p, q = leaf(0, [2]), leaf(1, [2])\nr = leaf(2, [2, 2])\na, b, c = p * 1, q * 1, r * 1\ny = torch.addr(c, a, b)\n",
    "baddbmm": BATCHES + "y = torch.baddbmm(c, a, b)\n",
    "addbmm": BATCHES + "y = torch.addbmm(c[0], a, b)\n",
    "addcmul": MATRICES + "y = torch.addcmul(c, a, b)\n",
    "conv2d": IMAGES + "y = F.conv2d(a, b, c)\n",
    "conv_transpose2d": IMAGES + "y = F.conv_transpose2d(a, b, c)\n",
    "layer_norm": NORM + "y = F.layer_norm(a, [2], b, c)\n",
    "batch_norm in training": NORM + "y = F.batch_norm(a, mean, variance, b, c, training=True)\n",
    "batch_norm in evaluation": NORM + "y = F.batch_norm(a, mean, variance, b, c, training=False)\n",
}
TAIL = "{write}(y * weights(y)).sum().backward()\n"
HEADS = {
    "paddle": (
        "import numpy as np\nimport paddle\nimport paddle.nn.functional as F\n"
        "def tensor(k, shape):\n    return paddle.to_tensor(np.random.default_rng(k).uniform(0.5, 2, shape))\n"
        "def leaf(k, shape):\n    made = tensor(k, shape)\n    made.stop_gradient = False\n    return made\n"
        "def weights(y):\n    return tensor(9, list(y.shape))\n"
        "mean, variance = tensor(10, [2]), tensor(11, [2])\n"
    ),
    "torch": (
        "import numpy as np\nimport torch\nimport torch.nn.functional as F\n"
        "def tensor(k, shape):\n    return torch.tensor(np.random.default_rng(k).uniform(0.5, 2, shape))\n"
        "def leaf(k, shape):\n    return tensor(k, shape).requires_grad_()\n"
        "def weights(y):\n    return tensor(9, list(y.shape))\n"
        "mean, variance = tensor(10, [2]), tensor(11, [2])\n"
    ),
}
WRITES = {"paddle": "{0}.set_value({0} * 3 + 1)\n", "torch": "{0}.data.mul_(3).add_(1)\n"}
WRITTEN = ("a", "b", "c", "mean", "variance")


def gradients(framework: str, text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(HEADS[framework] + text, names)
    return {name: np.array(names[name].grad.numpy()) for name in "pqr" if names[name].grad is not None}


def named(framework: str, text: str) -> set[str]:
    """Returns the leaves whose gradients are said to be wrong."""
    whole = HEADS[framework] + text
    if framework == "torch":
        names: dict[str, Any] = {}
        with explain("torch") as watch:
            exec(compile(whole, "<program>", "exec"), names)
        # They are found in the dictionary: names['p'].
        return {name.split("'")[1] for each in watch.failures for name in each.facts.wrong}
    tree = parsed(whole)
    session = Session(Program.of(tree, whole.rstrip("\n"), "<program>"), fix=False, use=Use(framework), last=10_000)
    assert session.run([compile(instrument.instrumented(tree), "<program>", "exec")], {"__name__": "__main__"}) is None
    return {name for each in unnoticed(session.recording(), "<program>") for name in each.facts.wrong}


CASES = [(framework, name) for framework, some in (("paddle", PADDLE), ("torch", TORCH)) for name in some]


@pytest.mark.parametrize(("framework", "name"), CASES)
def test_the_gradients_that_are_named_are_those_that_the_write_changes(framework: str, name: str) -> None:
    pytest.importorskip(framework)
    program = {"paddle": PADDLE, "torch": TORCH}[framework][name]
    right = gradients(framework, program + TAIL.format(write=""))
    for written in WRITTEN:
        text = program + TAIL.format(write=WRITES[framework].format(written))
        found = gradients(framework, text)
        wrong = {leaf for leaf in right if not np.allclose(found[leaf], right[leaf])}
        assert named(framework, text) == wrong, written
