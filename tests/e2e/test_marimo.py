"""Tests the stepper in marimo, whose notebooks are Python files: it plays in the browser, and asks nobody else for anything."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.test_elsewhere import opened, step_through

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.skipif(importlib.util.find_spec("marimo") is None, reason="needs marimo: python -m pip install marimo"),
]

SECONDS_TO_START = 120
APP = """\
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    import inplacelab as paddle
    from inplacelab_widgets import Stepper

    with paddle.record() as block:
        a = paddle.ones([3])
        a.stop_gradient = False
        b = a * 2.
        c = b * b
        b.scale_(3.)
    mo.ui.anywidget(Stepper(block.recording))
    return


if __name__ == "__main__":
    app.run()
"""


@pytest.fixture
def marimo(tmp_path: Path) -> Iterator[str]:
    """The address of a running app."""
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}/"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "HOME": str(tmp_path)}
    command = [
        sys.executable,
        "-m",
        "marimo",
        "run",
        "app.py",
        "--headless",
        "--no-token",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with (tmp_path / "said.txt").open("w") as said:
        server = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=said, stderr=subprocess.STDOUT)
    try:
        _wait_for(address, server, tmp_path / "said.txt")
        yield address
    finally:
        server.terminate()
        server.wait(30)


def _wait_for(address: str, server: subprocess.Popen[bytes], said: Path) -> None:
    until = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < until:
        assert server.poll() is None, said.read_text(encoding="utf-8")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    pytest.fail(said.read_text(encoding="utf-8"))


def test_marimo_plays_it(marimo: str, chromium: Any, screenshots: Path) -> None:
    with opened(chromium, marimo, screenshots / "marimo.png") as page:
        assert len(set(step_through(page))) == 4
