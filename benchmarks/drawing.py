"""Measures the time to draw the stepper and its steps: in Python, and in Chromium if Playwright and a browser are installed.

    python benchmarks/drawing.py [name ...]

For each recording: the processor time of the scene and the payload, the bytes that travel to the browser, the time until the player is
there, and how long a step is drawn: script, style, layout and paint, without waiting for the screen. It is measured of 60 steps
one after the other and of 60 jumps over the whole recording: the median and the 95th percentile of what the page's thread worked
(as long by the clock, on a machine that has nothing else to do), and the median by the clock.

The goals: of a cell of 50 lines, scene and payload within 0.3 s; of 2,000 steps, within 1.5 s and 500 kB as they travel; a step
or jump of any recording drawn within 16 ms (median); the player, which every widget carries, under 60 kB.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import inplacelab as paddle
from inplacelab.recorders.run import record
from inplacelab.recording import Recording
from inplacelab_widgets import to_html
from inplacelab_widgets.packing import packed_json
from inplacelab_widgets.player_bundle import packed_javascript
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload

STEP_LIMIT = 16.0
"""Milliseconds."""
PLAYER_LIMIT = 60.0
"""Kilobytes."""
ROUND = 60
"""How many steps are measured, and how many jumps."""


class Limits(NamedTuple):
    """The limits: seconds for scene and payload, and kilobytes; None for no limit."""

    seconds: float | None = None
    kilobytes: float | None = None


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
    """2,000 steps of training with Adam: 30 batches, a small model, 600 short-lived storages."""
    model = paddle.nn.Sequential(paddle.nn.Linear(4, 8), paddle.nn.ReLU(), paddle.nn.Linear(8, 2))
    optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
    for _ in range(30):
        loss = (model(paddle.randn([4, 4])) ** 2).mean()
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
    """4,096 slots, written through a row and through a column."""
    x = paddle.zeros([64, 64])
    row, column = x[3], x[:, 5]
    for _ in range(20):
        row.add_(paddle.ones([64]))
        column.scale_(1.5)


def nodes() -> None:
    """200 grad nodes, and backward through them."""
    x = paddle.ones([4])
    x.stop_gradient = False
    y = x
    for _ in range(66):
        y = (y * 1.01 + x).tanh()
    y.sum().backward()


PROGRAMS = {
    "cell": (cell, Limits(seconds=0.3)),
    "2,000 steps": (loop, Limits(seconds=1.5, kilobytes=500)),
    "training": (training, Limits()),
    "ten layers": (mlp, Limits()),
    "4,096 slots": (large, Limits()),
    "200 nodes": (nodes, Limits()),
}


class Times(NamedTuple):
    """Milliseconds of each step: work of the page's thread, and wall-clock time."""

    by_thread: list[float]
    by_clock: list[float]

    def __str__(self) -> str:
        """The median and the 95th percentile of the work, and the median of wall-clock time."""
        return f"{median(self.by_thread):7.1f} {quantiles(self.by_thread, n=20)[-1]:6.1f} {median(self.by_clock):6.1f}"


class InBrowser(NamedTuple):
    """Milliseconds until the player is there, and of the steps and jumps."""

    paint: float
    steps: Times
    jumps: Times


class Found(NamedTuple):
    """The measurements of one recording: seconds, kilobytes, and those in the browser, if there is one."""

    steps: int
    scene: float
    payload: float
    kilobytes: float
    browser: InBrowser | None


def in_python(recording: Recording) -> tuple[float, float, float]:
    """Seconds for the scene, seconds for the payload, kilobytes."""
    start = process_time()
    scene = scene_of(recording)
    drawn = process_time()
    sent = packed_json(payload(scene))
    done = process_time()
    return drawn - start, done - drawn, len(sent) / 1000


_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"
_DRAW = """async (place) => {
  const slider = document.querySelector('.ipl input[type=range]');
  slider.value = String(place);
  const start = performance.now();
  slider.dispatchEvent(new Event('input'));
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

    def draw(self, places: Iterable[int]) -> Times:
        """Jumps from step to step."""
        by_thread, by_clock = [], []
        for place in places:
            before = self.worked()
            by_clock.append(float(self._page.evaluate(_DRAW, place)))
            by_thread.append(self.worked() - before)
        return Times(by_thread, by_clock)


def in_browser(page: Any, recording: Recording, folder: Path) -> InBrowser:
    """The times that a reader waits in Chromium."""
    file, count = folder / "page.html", len(recording)
    to_html(recording, file)
    page.goto(file.as_uri())
    page.wait_for_selector(".ipl-toolbar")
    paint = float(page.evaluate(_PAINT))
    watch, first = Watch(page), max(0, (count - ROUND) // 2)
    steps = watch.draw(range(first, min(count, first + ROUND)))
    jumps = watch.draw((k * 2 + 1) * count // (ROUND * 2) for k in range(ROUND))
    return InBrowser(paint, steps, jumps)


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


def verdict(name: str, value: float, goal: float | None, unit: str) -> str:
    """A measurement with its goal, if it has one."""
    if goal is None:
        return ""
    return f"{name} {value:.3g} of {goal:g} {unit}: {'met' if value <= goal else 'NOT MET'}"


def verdicts(found: Found, limits: Limits) -> str:
    """Which goals are met."""
    said = [
        verdict("scene and payload", found.scene + found.payload, limits.seconds, "s"),
        verdict("sent", found.kilobytes, limits.kilobytes, "kB"),
    ]
    if found.browser:
        said += [
            verdict(name, median(times.by_thread), STEP_LIMIT, "ms")
            for name, times in (("step", found.browser.steps), ("jump", found.browser.jumps))
        ]
    return ", ".join(filter(None, said))


def row(name: str, found: Found, limits: Limits) -> str:
    """A line of the table."""
    columns = [f"{name:12} {found.steps:5} {found.scene:8.2f} {found.payload:9.2f} {found.kilobytes:6.0f}"]
    if found.browser:
        columns.append(f"{found.browser.paint:8.0f} {found.browser.steps} {found.browser.jumps}")
    return "  ".join([" ".join(columns), verdicts(found, limits)])


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
            f" {'paint ms':>8} {'step ms':>7} {'95 %':>6} {'clock':>6} {'jump ms':>7} {'95 %':>6} {'clock':>6}"
            if page
            else ""
        )
        print(f"{'recording':12} {'steps':>5} {'scene s':>8} {'payload s':>9} {'kB':>6}{shown}  goals")
        for name in wanted:
            program, limits = PROGRAMS[name]
            with record(title=name) as recorded:
                program()
            recording = recorded.recording
            assert recording is not None  # the block is over
            browser = in_browser(page, recording, Path(folder)) if page else None
            print(row(name, Found(len(recording), *in_python(recording), browser), limits), flush=True)


if __name__ == "__main__":
    main()
