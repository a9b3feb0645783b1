"""How long the stepper takes to be drawn, and to go a step: in Python, and in Chromium where Playwright and a browser are found.

    python benchmarks/drawing.py [name ...]

For each recording: the time of the scene and the payload, the bytes that travel to the browser, the time until the player is
there, and the time of a step with the layout that follows it, as median and 95th percentile.

The limits: of a cell of 50 lines, scene and payload within 0.3 s; of 2,000 steps, within 1.5 s and 500 kB; a step of any
recording within 16 ms (median).
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

import inplacelab as paddle
from inplacelab.recorders.block import record
from inplacelab.recording import Recording
from inplacelab_widgets import to_html
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.payload import payload
from inplacelab_widgets.scene.wire import packed

STEP_LIMIT = 16.0
"""Milliseconds."""
ROUND = 60
"""How many steps are measured, spread over the recording."""


class Limits(NamedTuple):
    """Seconds for scene and payload, and kilobytes; None: no limit of its own."""

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
    "ten layers": (mlp, Limits()),
    "4,096 slots": (large, Limits()),
    "200 nodes": (nodes, Limits()),
}


class Found(NamedTuple):
    """What was measured of one recording: seconds, kilobytes, and milliseconds in the browser, if there is one."""

    steps: int
    scene: float
    payload: float
    kilobytes: float
    paint: float | None
    step: float | None
    slowest: float | None


def in_python(recording: Recording) -> tuple[float, float, float]:
    """Seconds for the scene, seconds for the payload, kilobytes."""
    start = perf_counter()
    scene = scene_of(recording)
    drawn = perf_counter()
    sent = packed(payload(scene))
    done = perf_counter()
    size = len(json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode()) / 1000
    return drawn - start, done - drawn, size


_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"
_STEPS = """([count, round]) => {
  const slider = document.querySelector('.ipl input[type=range]');
  const times = [];
  for (let k = 0; k < round; k += 1) {
    slider.value = String(Math.floor(((k * 2 + 1) * count) / (round * 2)));
    const start = performance.now();
    slider.dispatchEvent(new Event('input'));
    // Asking for a box makes the browser lay everything out at once.
    document.querySelector('.ipl').getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""


def in_browser(page: Any, recording: Recording, folder: Path) -> tuple[float, float, float]:
    """Milliseconds until the player is there; of a step the median and the 95th percentile."""
    file = folder / "page.html"
    to_html(recording, file)
    page.goto(file.as_uri())
    page.wait_for_selector(".ipl-toolbar")
    paint = page.evaluate(_PAINT)
    times = page.evaluate(_STEPS, [len(recording), ROUND])
    return paint, median(times), quantiles(times, n=20)[-1]


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


def verdicts(found: Found, limits: Limits) -> str:
    """Which limits are met."""
    pairs = [
        ("seconds", found.scene + found.payload, limits.seconds),
        ("kB", found.kilobytes, limits.kilobytes),
        ("step", found.step, STEP_LIMIT),
    ]
    said = [
        f"{name} {'met' if value <= limit else 'NOT MET'}"
        for name, value, limit in pairs
        if value is not None and limit
    ]
    return ", ".join(said)


def main() -> None:
    """Print a table."""
    wanted = sys.argv[1:] or list(PROGRAMS)
    print(
        f"{'recording':12} {'steps':>5} {'scene s':>8} {'payload s':>9} {'kB':>6} {'paint ms':>8} {'step ms':>7} {'p95 ms':>7}"
    )
    with browser_page() as page, TemporaryDirectory() as folder:
        for name in wanted:
            program, limits = PROGRAMS[name]
            with record(title=name) as recorded:
                program()
            recording = recorded.recording
            assert recording is not None  # the block is over
            shown = in_browser(page, recording, Path(folder)) if page else (None, None, None)
            found = Found(len(recording), *in_python(recording), *shown)
            browser = " ".join(
                f"{value:{width}.1f}" if value is not None else " " * width
                for value, width in zip(found[4:], (8, 7, 7), strict=True)
            )
            print(
                f"{name:12} {found.steps:5} {found.scene:8.2f} {found.payload:9.2f} {found.kilobytes:6.0f} {browser}  {verdicts(found, limits)}"
            )


if __name__ == "__main__":
    main()
