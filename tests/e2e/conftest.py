"""A real JupyterLab on a free port of this machine, over copies of the lessons, with settings of its own."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SECONDS_TO_START = 60

# The first start asks whether to fetch news from the network, in a window that would lie over the lesson.
NO_NEWS = {"fetchNews": "false", "checkForUpdates": False}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _environment(home: Path) -> dict[str, str]:
    """Whatever Jupyter would read from, or leave in, the user's home stays in `home`."""
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(NO_NEWS), encoding="utf-8")
    inherited = {key: value for key, value in os.environ.items() if key != "INPLACELAB_LANGUAGE"}
    return inherited | {
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }


def _wait_until_it_answers(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"{url}/api", timeout=5).close()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
        else:
            return
    pytest.fail(f"JupyterLab did not start:\n{log.read_text(encoding='utf-8', errors='replace')}")


@contextmanager
def _serving(folder: Path, home: Path) -> Iterator[str]:
    port, log = _free_port(), home / "server.log"
    command = [sys.executable, "-m", "jupyterlab", str(folder), "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token=", "--ServerApp.password="]
    command += ["--LabApp.expose_app_in_browser=True"]
    with (
        log.open("wb") as output,
        subprocess.Popen(command, env=_environment(home), stdout=output, stderr=output) as server,
    ):
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_it_answers(server, url, log)
            yield url
        finally:
            server.terminate()
            server.wait(timeout=30)


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running JupyterLab that serves the lessons as `en/...` and `zh/...`."""
    folder = tmp_path_factory.mktemp("lessons")
    for language in ("en", "zh"):
        shutil.copytree(ROOT / "notebooks" / language, folder / language)
    with _serving(folder, tmp_path_factory.mktemp("home")) as url:
        yield url


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """Where pictures for human eyes are put: `screenshots/`, which git ignores."""
    folder = ROOT / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder
