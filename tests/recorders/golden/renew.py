"""The programs whose recordings are kept here, and the script that records them again.

    python tests/recorders/golden/renew.py [FOLDER]

writes one JSON file for each program, here or into FOLDER. The tests run it in fresh processes and compare every byte; run
it yourself after a wanted change, and read the difference before you commit it.
"""

from __future__ import annotations

import ast
import gc
import sys
from pathlib import Path
from typing import Any, NamedTuple

import inplacelab
from inplacelab.recorders import instrument
from inplacelab.recorders.part import LIMIT, Part
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import Session
from inplacelab.recording import Recording, save

PROGRAMS = {
    "doubled_in_place": """\
a = paddle.to_tensor([[1., -2.], [3., -4.]], stop_gradient=False)
x = a.scale(2.)
y = x.scale_(2.)
y.backward()
""",
    "names": """\
x = paddle.ones([2])
y = x
y.zero_()
del x
pair = [y, y[0]]
""",
    "writes_through_views": """\
a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
b = a * 2
row, column = b[0], b[:, 1]
row.scale_(3.)
column.sin_()
b.sum().backward()
""",
    "stale": """\
a = paddle.to_tensor([1., 2.], stop_gradient=False)
b = a * 2
loss = (b * b).sum()
v = b[:1]
v.zero_()
loss.backward()
""",
    "leaf": """\
w = paddle.to_tensor([1., 2.], stop_gradient=False)
try:
    w.zero_()
except ValueError as error:
    seen = str(error)
w[0] = 5.
""",
    "metadata": """\
x = paddle.arange(6).reshape([2, 3])
first = x[0]
x.transpose_([1, 0])
x.reshape_([6])
first.fill_(9)
x.cast_("float64")
""",
    "items": """\
a = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
buffer = paddle.zeros([2, 3])
buffer[0] = a
buffer[1, ::2] = 7.
buffer[[1]] = a * 2
buffer[buffer > 6] = 0.
buffer.sum().backward()
""",
    "loop": """\
def step(x, k):
    y = x.scale(k)
    return y.add_(x)
x = paddle.ones([2])
for k in range(1, 3):
    x = step(x, float(k))
""",
    "training": """\
net = paddle.nn.Linear(2, 1)
with paddle.no_grad():
    net.weight.fill_(0.5)
x = paddle.to_tensor([[1., 2.]])
for _ in range(2):
    loss = net(x).square().sum()
    loss.backward()
    with paddle.no_grad():
        for parameter in net.parameters():
            parameter.subtract_(parameter.grad.scale(0.5))
    net.clear_gradients()
apart = loss.detach()
""",
    "simulated": """\
paddle.set_device("gpu", simulate=True)
x = paddle.ones([4096, 4])
x.scale_(0.5)
paddle.set_device("cpu")
""",
    "mistake": """\
x = paddle.ones([2])
numbers = [1, 2]
numbers[5]
""",
}


class Run(NamedTuple):
    """What a program left behind."""

    recording: Recording
    names: dict[str, Any]
    error: BaseException | None


def run(text: str, *, title: str = "", limit: int = LIMIT, **given: Any) -> Run:
    """Run a program, marked, under the recorder, as `%%stepper` does; `given` are names of earlier cells."""
    tree = ast.parse(text)
    session = Session(Program.of(tree, text, "<program>"), title=title, part=Part(limit))
    names: dict[str, Any] = {"paddle": inplacelab, **given}
    failure = session.run([compile(instrument.instrumented(tree), "<program>", "exec")], names)
    return Run(session.recording(), names, failure)


def main(folder: Path) -> None:
    """Record every program into `folder`."""
    for name, text in PROGRAMS.items():
        gc.collect()  # an error that a program has ended with holds its tensors in a cycle
        save(run(text, title=name).recording, folder / f"{name}.json")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
