"""Measures the time to the first picture and to each step: in Python, and in Chromium if Playwright and a browser are installed.

    python benchmarks/drawing.py [name ...]

For each recording: the processor time of the first picture (a widget and what it leaves in the notebook), that of the whole recording,
which the player asks for afterwards, and how much shorter the first is; the kilobytes that a widget adds to a notebook beside the player,
those of the whole recording as it travels, and those of an exported page; the time until a page is painted; and how long a step is drawn:
script, style, layout and paint, from the key to the frame, without waiting for the screen. It is measured of 60 steps one after the other
and of 60 jumps over the whole recording, and of 60 clicks that light up where a number comes from: the median and the 95th percentile of what the page's thread worked (as long by the clock, on a
machine that has nothing else to do), and the median by the clock.

The goals: the first picture of any recording of 2,000 steps within 0.5 s; a widget within 40 kB; a step, jump or click of any recording drawn
within 16 ms (median); the player, which every widget carries, under 75 kB.
"""

from __future__ import annotations

import argparse
import gc
import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import inplacelab as paddle
from inplacelab.cli.script import run_script
from inplacelab.recorders.part import LIMIT
from inplacelab.recorders.run import record
from inplacelab.recording import Recording
from inplacelab_widgets import Stepper, to_html
from inplacelab_widgets.player_bundle import packed_javascript
from inplacelab_widgets.stepper import FEW_STEPS

FIRST_LIMIT = 0.5
"""Seconds."""
STEP_LIMIT = 16.0
"""Milliseconds."""
WIDGET_LIMIT = 40.0
PLAYER_LIMIT = 70.0
"""Kilobytes."""
ROUND = 60
"""How many steps are measured, how many jumps, and how many clicks."""


def cell() -> None:
    """About 50 lines of views, writes and backward."""
    w = paddle.ones([3, 4])
    w.stop_gradient = False
    x = paddle.ones([2, 3])
    losses = []
    for k in range(11):
        h = paddle.matmul(x, w) * (k + 0.5)
        v = h[0]
        v.add_(paddle.ones([4]))
        losses.append(h.sum())
    losses[0].backward()


def loop() -> None:
    """2,000 writes to one storage."""
    x = paddle.ones([4])
    for _ in range(1999):
        x.scale_(1.001)


def training() -> None:
    """Training with Adam: 30 batches are 2,000 steps, with 600 short-lived storages."""
    layers = [paddle.nn.Linear(8, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 4)]
    model = paddle.nn.Sequential(*layers)
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    for _ in range(30):
        loss = (model(paddle.randn([4, 8])) ** 2).mean()
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()


def mlp() -> None:
    """A training step of ten layers."""
    layers = [paddle.nn.Linear(8, 8) for _ in range(10)]
    optimizer = paddle.optimizer.SGD(0.01, parameters=[p for layer in layers for p in layer.parameters()])
    h = paddle.rand([4, 8])
    for layer in layers:
        h = paddle.nn.functional.relu(layer(h))
    (h * h).mean().backward()
    optimizer.step()


def large() -> None:
    """900 steps on 4,096 slots, written through a row and through a column."""
    x = paddle.randn([64, 64])
    row, column = x[3], x[:, 5]
    for _ in range(300):
        row.add_(paddle.ones([64]))
        column.scale_(1.01)


def tensors() -> None:
    """Lists of 600 tensors, each written twice."""
    x = paddle.ones([4])
    made = []
    for k in range(600):
        made.append(x + k)
        made[-1].add_(x)
    for each in made:
        each.scale_(2.0)


def nodes() -> None:
    """A chain of 900 grad nodes, and backward through them."""
    x = paddle.ones([4])
    x.stop_gradient = False
    y = x
    for _ in range(300):
        y = (y * 1.01 + x).tanh()
    y.sum().backward()


TORCH = """
import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4))
optimizer = torch.optim.Adam(model.parameters(), 0.01)
for _ in range(60):
    optimizer.zero_grad()
    loss = (model(torch.randn(4, 8)) ** 2).mean()
    loss.backward()
    optimizer.step()
"""
"""Training with PyTorch, which is recorded as a script."""

PROGRAMS: dict[str, Callable[[], None] | str] = {
    "cell": cell,
    "training": training,
    "loop": loop,
    "ten layers": mlp,
    "4,096 slots": large,
    "600 tensors": tensors,
    "900 nodes": nodes,
    **({"PyTorch": TORCH} if find_spec("torch") else {}),
}


class Times(NamedTuple):
    """Milliseconds of each step: work of the page's thread, and wall-clock time."""

    by_thread: list[float]
    by_clock: list[float]

    def __str__(self) -> str:
        """The median and the 95th percentile of the work, and the median of wall-clock time."""
        return f"{median(self.by_thread):7.1f} {quantiles(self.by_thread, n=20)[-1]:6.1f} {median(self.by_clock):6.1f}"


class InBrowser(NamedTuple):
    """Milliseconds until the player is there, and of the steps, jumps and clicks."""

    paint: float
    steps: Times
    jumps: Times
    clicks: Times


class Found(NamedTuple):
    """The measurements of one recording: seconds, kilobytes, and those in the browser, if there is one."""

    steps: int
    first: float
    whole: float
    widget: float
    sent: float
    page: float
    browser: InBrowser | None


def in_python(recording: Recording) -> tuple[float, float, float, float, float]:
    """Seconds for the first picture and for the whole, kilobytes in a notebook, of the whole, and of a page."""
    gc.collect()
    start = process_time()
    widget = Stepper(recording)
    left = widget._static_copy()
    shown = process_time()
    whole = widget._whole
    done = process_time()
    state = {name: value for name, value in widget.get_state().items() if name != "_esm"}
    saved = len(json.dumps([state, left], default=str).encode())
    return shown - start, done - shown, saved / 1000, len(whole) / 1000, len(widget.to_html().encode()) / 1000


PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"
_JUMP = """
  const slider = document.querySelector('.ipl input[type=range]');
  slider.value = String(place);
  const start = performance.now();
  slider.dispatchEvent(new Event('input'));
"""
_PRESS = """
  const start = performance.now();
  document.querySelector('.ipl').dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
"""
_CLICK = """
  const slots = document.querySelectorAll('.ipl rect[data-k]');
  const start = performance.now();
  slots[place * 7 % slots.length]?.dispatchEvent(new MouseEvent('click', { bubbles: true }));
"""
_DRAW = """async (place) => {
  DEED
  // Asking for a box makes the browser lay everything out at once.
  document.querySelector('.ipl').getBoundingClientRect();
  const laidOut = performance.now() - start;
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => requestAnimationFrame(() => {
    const start = performance.now();
    // What is posted at the beginning of a frame arrives when the frame is painted.
    port1.onmessage = () => resolve(laidOut + performance.now() - start);
    port2.postMessage(null);
  }));
}"""


class Watch:
    """Draws steps of the player on a page and returns the time of each."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._browser = page.context.new_cdp_session(page)
        self._browser.send("Performance.enable")

    def worked(self) -> float:
        """Milliseconds of work of the page's thread."""
        metrics = self._browser.send("Performance.getMetrics")["metrics"]
        return next(float(each["value"]) * 1000 for each in metrics if each["name"] == "ThreadTime")

    def draw(self, places: Iterable[int], deed: str = _JUMP) -> Times:
        """Goes from step to step: jumps, or presses the key for the next one."""
        by_thread, by_clock = [], []
        for place in places:
            before = self.worked()
            by_clock.append(float(self._page.evaluate(_DRAW.replace("DEED", deed), place)))
            by_thread.append(self.worked() - before)
        return Times(by_thread, by_clock)


def in_browser(page: Any, recording: Recording, folder: Path) -> InBrowser:
    """The times that a reader waits in Chromium."""
    file, count = folder / "page.html", len(recording)
    to_html(recording, file)
    page.goto(file.as_uri())
    page.wait_for_selector(".ipl-toolbar")
    paint = float(page.evaluate(PAINT))
    watch, first = Watch(page), max(0, (count - ROUND) // 2)
    watch.draw([first])
    steps = watch.draw(range(first + 1, min(count, first + ROUND)), _PRESS)
    jumps = watch.draw((k * 2 + 1) * count // (ROUND * 2) for k in range(ROUND))
    return InBrowser(paint, steps, jumps, watch.draw(range(ROUND), _CLICK))


@contextmanager
def browser_page() -> Iterator[Any]:
    """A page of Chromium; None where there is none."""
    try:
        from playwright.sync_api import sync_playwright  # noqa: PLC0415  # the benchmark runs without it, too
    except ImportError:
        yield None
        return
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium)
        yield browser.new_page(viewport={"width": 848, "height": 760})
        browser.close()


def verdict(name: str, value: float, goal: float, unit: str) -> str:
    """A measurement with its goal."""
    return f"{name} {value:.3g} of {goal:g} {unit}: {'met' if value <= goal else 'NOT MET'}"


def verdicts(found: Found) -> str:
    """Which goals are met."""
    said = [verdict("first", found.first, FIRST_LIMIT, "s"), verdict("widget", found.widget, WIDGET_LIMIT, "kB")]
    if found.browser:
        said += [
            verdict(name, median(times.by_thread), STEP_LIMIT, "ms")
            for name, times in zip(("step", "jump", "click"), found.browser[1:], strict=True)
        ]
    return ", ".join(said)


def row(name: str, found: Found) -> str:
    """A line of the table."""
    # A short recording is packed whole for its first picture.
    ratio = f"{found.first / found.whole:5.2f}" if found.steps > FEW_STEPS else f"{'':5}"
    seconds = f"{found.first:7.2f} {found.whole:7.2f} {ratio}"
    columns = [f"{name:12} {found.steps:5} {seconds} {found.widget:9.1f} {found.sent:8.0f} {found.page:7.0f}"]
    if found.browser:
        columns.append(" ".join([f"{found.browser.paint:8.0f}", *map(str, found.browser[1:])]))
    return "  ".join([" ".join(columns), verdicts(found)])


def recorded(name: str, folder: Path) -> Recording:
    """Records one of the programs."""
    program = PROGRAMS[name]
    if isinstance(program, str):
        file = folder / "script.py"
        file.write_text(program, encoding="utf-8")
        return run_script(file, (), title=name, limit=LIMIT, framework="torch")[0]
    with record(title=name) as made:
        program()
    assert made.recording is not None  # the block is over
    return made.recording


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="*", help="which of: " + ", ".join(PROGRAMS))
    wanted = parser.parse_args().name or list(PROGRAMS)
    if unknown := [name for name in wanted if name not in PROGRAMS]:
        parser.error(f"there is no {unknown[0]}")
    size = len(packed_javascript().encode()) / 1000
    print(verdict("The player of a widget:", size, PLAYER_LIMIT, "kB"))
    with browser_page() as page, TemporaryDirectory() as folder:
        shown = (
            f" {'paint ms':>8} {'step ms':>7} {'95 %':>6} {'clock':>6} {'jump ms':>7} {'95 %':>6} {'clock':>6} {'click ms':>8} {'95 %':>5} {'clock':>6}"
            if page
            else ""
        )
        columns = f"{'first s':>7} {'whole s':>7} {'ratio':>5} {'widget kB':>9} {'whole kB':>8} {'page kB':>7}"
        print(f"{'recording':12} {'steps':>5} {columns}{shown}  goals")
        for name in wanted:
            recording = recorded(name, Path(folder))
            measured = in_python(recording)  # first: a recording remembers what was found about it
            browser = in_browser(page, recording, Path(folder)) if page else None
            print(row(name, Found(len(recording), *measured, browser)), flush=True)


if __name__ == "__main__":
    main()
