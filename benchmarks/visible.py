"""Measures the time from a cell's end until its stepper is visible, and the bytes that are sent for it.

    python benchmarks/visible.py [name ...]

Three cells are run by `%%stepper` in an IPython shell whose messages are put together and signed as a kernel does it. Then
Chromium, where Playwright finds one, gets what the browser's side of a notebook gets. For each cell:

- *to bundle*: processor time from the end of the program to the last message: the journal is read, the picture laid out, the
  widget sent, and after it the picture that a saved notebook keeps;
- *sent*: bytes of all messages, and of the one with the widget;
- *to paint*: what the page's thread works from the arrival of the widget's message in an empty page to the first frame with the
  stepper in it; and the same by the clock, which on a machine that has nothing else to do is hardly longer.

Each number is the best of several rounds: other programs can only add to it. The goal: to bundle and to paint together within
half a second.
"""

from __future__ import annotations

import argparse
import json
from time import process_time
from typing import Any, NamedTuple

import comm
import traitlets
from comm.base_comm import BaseComm
from drawing import Watch, browser_page
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from jupyter_client.session import Session

GOAL = 0.5
"""Seconds."""
ROUNDS = 7

VIEWS = """\
x = paddle.arange(12, dtype="float32").reshape([3, 4])
x.stop_gradient = False
h = x * 2.0
row = h[0]
column = h[:, 1]
block = h[1:, 2:]
flat = h.reshape([12])
turned = h.transpose([1, 0])
row.add_(paddle.ones([4]))
column.scale_(0.5)
block.zero_()
flat[5] = 7.0
total = h.sum()
y = h.exp()
z = y * h
z.clip_(0.0, 3.0)
w = paddle.ones([4, 2])
w.stop_gradient = False
b = paddle.zeros([2])
b.stop_gradient = False
out = paddle.matmul(z, w)
out.add_(b)
first = out[0]
first.scale_(2.0)
second = out[1]
second.add_(first)
kept = out * out
mean = kept.mean()
mean.backward()
g = x.grad
with paddle.no_grad():
    w.subtract_(w.grad * 0.1)
    b.subtract_(b.grad * 0.1)
x.clear_grad()
w.clear_grad()
b.clear_grad()
a = paddle.zeros([8])
left = a[:4]
right = a[4:]
left.fill_(1.0)
right.fill_(2.0)
left.add_(right)
pairs = a.reshape([4, 2])
pairs[0] = 9.0
pairs[:, 1] = 3.0
halves = pairs.transpose([1, 0])
halves[0].scale_(10.0)
s = a.sum()
mask = a > 5.0
c = a.clone()
c.add_(a)
d = c.detach()
d.zero_()
e = paddle.concat([a, c])
e.sqrt_()
f = e[2:10]
f.scale_(0.5)
last = f.sum()
"""
TRAINING = """\
F = paddle.nn.functional
paddle.seed(1)
x, target = paddle.rand([4, 3]), paddle.rand([4, 1])
net = [paddle.nn.Linear(3, 4), paddle.nn.Linear(4, 1)]
sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=[p for layer in net for p in layer.parameters()])
for epoch in range(3):
    h = F.relu(net[0](x))
    error = net[1](h) - target
    loss = (error * error).mean()
    loss.backward()
    sgd.step()
    sgd.clear_grad()
"""
SMALL_STEPS = """\
x = paddle.zeros([8])
v = x[2:6]
for k in range(100):
    v.add_(paddle.ones([4]))
    x.scale_(0.9)
"""
CELLS = {"60 lines": VIEWS, "training": TRAINING, "200 steps": SMALL_STEPS}

_END = "ended = clock()"


class Messages:
    """The messages that a kernel sends, as bytes."""

    def __init__(self) -> None:
        self._session = Session(key=b"a key, so that messages are signed")
        self.sizes: list[int] = []
        self.widget: dict[str, Any] = {}

    def send(self, kind: str, content: dict[str, Any], metadata: Any = None, buffers: Any = None) -> None:
        """Put a message together."""
        parts = self._session.serialize(self._session.msg(kind, content=content, metadata=metadata))
        self.sizes.append(sum(map(len, parts)) + sum(memoryview(each).nbytes for each in buffers or ()))
        state = content["data"].get("state", {})
        if "_esm" in state:
            self.widget = state


messages = Messages()


class Comm(BaseComm):
    """A widget's line to the browser."""

    def publish_msg(
        self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
    ) -> None:
        """Send a message."""
        messages.send(msg_type, {"data": data, "comm_id": self.comm_id, **keys}, metadata, buffers)


class Publisher(DisplayPublisher):
    """Receives a cell's outputs."""

    def publish(self, data: Any, metadata: Any = None, **_: Any) -> None:
        """Send an output."""
        messages.send("display_data", {"data": data, "metadata": metadata or {}})


class Shell(InteractiveShell):
    """A shell without a display."""

    display_pub_class = traitlets.Type(Publisher)


class Paint(NamedTuple):
    """Seconds until the stepper is seen: of the page's thread, and by the clock."""

    thread: float
    clock: float


class Found(NamedTuple):
    """Seconds, bytes, bytes, and seconds in the browser, if there is one."""

    bundle: float
    sent: int
    widget: int
    paint: Paint | None


def bundled(shell: Shell, cell: str) -> float:
    """Run a cell: processor time from the end of its program until everything is sent."""
    messages.sizes.clear()
    shell.run_cell(f"%%stepper\n{cell}{_END}\n").raise_error()
    return process_time() - float(shell.user_ns["ended"])


# As anywidget does it: the module of the model, then its view.
_SHOW = """async (text) => {
  const start = performance.now();
  const state = JSON.parse(text);
  const address = URL.createObjectURL(new Blob([state._esm], { type: "text/javascript" }));
  const widget = (await import(address)).default;
  const model = { get: (name) => state[name], set() {}, save_changes() {}, on() {}, off() {} };
  await widget.render({ model, el: document.body.appendChild(document.createElement("div")) });
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => requestAnimationFrame(() => {
    // What is posted at the beginning of a frame arrives when the frame is painted.
    port1.onmessage = () => resolve(performance.now() - start);
    port2.postMessage(null);
  }));
}"""


def painted(page: Any) -> Paint:
    """The time until the last widget is visible in an empty page."""
    page.goto("about:blank")
    watch = Watch(page)
    before = watch.worked()
    clock = float(page.evaluate(_SHOW, json.dumps(messages.widget)))
    return Paint((watch.worked() - before) / 1000, clock / 1000)


def found(shell: Shell, page: Any, cell: str) -> Found:
    """The best of several rounds."""
    bundle = min(bundled(shell, cell) for _ in range(ROUNDS))
    paints = [painted(page) for _ in range(ROUNDS)] if page else []
    paint = Paint(*map(min, zip(*paints, strict=True))) if paints else None
    return Found(bundle, sum(messages.sizes), max(messages.sizes), paint)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="which of: " + ", ".join(CELLS))
    wanted = parser.parse_args().name or list(CELLS)
    if unknown := [name for name in wanted if name not in CELLS]:
        parser.error(f"there is no {unknown[0]}")
    comm.create_comm = Comm
    shell = Shell.instance()
    shell.user_ns["clock"] = process_time
    shell.run_cell("%load_ext inplacelab\nimport inplacelab as paddle").raise_error()
    print(
        f"{'cell':12} {'to bundle':>10} {'sent':>8} {'(widget)':>9} {'to paint':>9} {'clock':>7}   the goal is {GOAL} s"
    )
    with browser_page() as page:
        for name in wanted:
            cell = found(shell, page, CELLS[name])
            paint = "" if cell.paint is None else f"{cell.paint.thread:7.3f} s {cell.paint.clock:5.3f} s"
            total = cell.bundle + (cell.paint.thread if cell.paint else 0)
            verdict = f"{total:.3f} s: {'met' if total <= GOAL else 'NOT MET'}"
            sizes = f"{cell.sent / 1000:5.0f} kB {cell.widget / 1000:6.0f} kB"
            print(f"{name:12} {cell.bundle:8.3f} s {sizes} {paint:>17}   {verdict}", flush=True)


if __name__ == "__main__":
    main()
