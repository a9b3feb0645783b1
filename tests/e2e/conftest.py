"""Fixtures: JupyterLab, Notebook and Voila servers on free ports, with separate settings."""

from __future__ import annotations

import contextlib
import http.client
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import inplacelab
from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_html

ROOT = Path(__file__).parents[2]
SECONDS_TO_START = 900
ATTEMPTS = 3
"""A port that is free now may be taken before the server uses it."""

# On the first start, JupyterLab asks whether to fetch news from the network, in a window above the lesson.
NO_NEWS = {"fetchNews": "false", "checkForUpdates": False}

JUPYTER = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
JUPYTER += ["--ServerApp.password="]

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# A program that rewrites a history and leaves a stale value.
CELLS = [
    "%load_ext inplacelab\nimport inplacelab as paddle",
    "%%stepper --name rec\na = paddle.ones([3])\na.stop_gradient = False\nb = a * 2.\nc = b * b\nb.scale_(3.);",
]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _environment(home: Path) -> dict[str, str]:
    """Returns an environment in which Jupyter reads and writes in `home` instead of the user's home."""
    settings = home / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "notification.jupyterlab-settings").write_text(json.dumps(NO_NEWS), encoding="utf-8")
    inherited = {key: value for key, value in os.environ.items() if key != "INPLACELAB_LANGUAGE"}
    # A kernel must find the package where this process found it, also if it is not installed.
    return inherited | {
        "PYTHONPATH": os.pathsep.join(filter(None, [*sys.path])),
        "IPYTHONDIR": str(home / "ipython"),
        "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
    }


def _answers(server: subprocess.Popen[bytes], url: str) -> bool:
    """Waits for the first answer; False if the server ends, or does not answer in time."""
    given_up = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < given_up and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=5).close()
        except (OSError, http.client.HTTPException):  # not there yet, or too busy to answer in time
            time.sleep(0.2)
        else:
            return True
    return False


def _stop(server: subprocess.Popen[bytes]) -> None:
    server.terminate()
    try:
        server.wait(timeout=30)
    except subprocess.TimeoutExpired:  # the server waits for a kernel that does not answer
        server.kill()
        server.wait()


@contextmanager
def _serving(module: str, folder: Path, home: Path, *options: str, answers: str) -> Iterator[str]:
    """Runs `python -m module folder`, and yields its address once the page `answers` exists."""
    log = home / "server.log"
    for _ in range(ATTEMPTS):
        port = _free_port()
        command = [sys.executable, "-m", module, str(folder), f"--port={port}", *options]
        with log.open("ab") as output:
            server = subprocess.Popen(command, env=_environment(home), stdout=output, stderr=output)
        url = f"http://127.0.0.1:{port}"
        try:
            if _answers(server, url + answers):
                yield url
                return
        finally:
            _stop(server)
    pytest.fail(f"the server did not start:\n{log.read_text(encoding='utf-8', errors='replace')}")


def _need(module: str) -> None:
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"needs {module}: python -m pip install --group e2e")


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory, executed: Path) -> Iterator[str]:
    """The address of a running JupyterLab that serves the lessons as `en/...` and `zh/...`, and the notebooks of
    `fresh` and `executed`."""
    folder, home = tmp_path_factory.mktemp("lessons"), tmp_path_factory.mktemp("home")
    for language in ("en", "zh"):
        shutil.copytree(ROOT / "notebooks" / language, folder / language)
    for name in ("fresh.ipynb", "executed.ipynb", "bare.ipynb", "trusted.ipynb"):
        shutil.copy(executed.with_name(name), folder)
    trust = [sys.executable, "-m", "nbformat.sign", str(folder / "trusted.ipynb")]
    subprocess.run(trust, env=_environment(home), check=True, capture_output=True)
    options = [*JUPYTER, "--LabApp.expose_app_in_browser=True"]
    with _serving("jupyterlab", folder, home, *options, answers="/api") as url:
        yield url


@pytest.fixture(scope="session")
def notebook7(tmp_path_factory: pytest.TempPathFactory, fresh: Path) -> Iterator[str]:
    """The address of a notebook that has not been run, in a running Notebook 7."""
    _need("notebook")
    options = [*JUPYTER, "--JupyterNotebookApp.expose_app_in_browser=True"]
    with _serving("notebook", fresh.parent, tmp_path_factory.mktemp("home"), *options, answers="/api") as url:
        yield f"{url}/notebooks/{fresh.name}"


@pytest.fixture(scope="session")
def voila(tmp_path_factory: pytest.TempPathFactory, fresh: Path) -> Iterator[str]:
    """The address of the same notebook in Voila, which runs it for every visitor."""
    _need("voila")
    options = ["--no-browser", "--Voila.ip=127.0.0.1", "--Voila.port_retries=0"]
    with _serving(
        "voila", fresh.parent, tmp_path_factory.mktemp("home"), *options, answers="/voila/static/voila.js"
    ) as url:
        yield f"{url}/voila/render/{fresh.name}"


@pytest.fixture(scope="session")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook with a stepper, not yet run."""
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path = tmp_path_factory.mktemp("fresh") / "fresh.ipynb"
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="session")
def executed(fresh: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same notebook, run and saved as by JupyterLab: it has the widget's id, but not its state. `bare.ipynb` and
    `trusted.ipynb` in the same folder do not have the id, like the lessons.
    """
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    home = tmp_path_factory.mktemp("home")
    notebook = nbformat.read(fresh, as_version=4)
    client = nbclient.NotebookClient(
        notebook, kernel_name="python3", store_widget_state=False, startup_timeout=SECONDS_TO_START
    )
    client.execute(env=_environment(home))
    path = fresh.with_name("executed.ipynb")
    nbformat.write(notebook, path)
    stepper = notebook.cells[-1]
    stepper.outputs = [each for each in stepper.outputs if WIDGET_VIEW not in each.data]
    nbformat.write(notebook, fresh.with_name("bare.ipynb"))
    notebook.metadata["title"] = "to be trusted"  # trust depends on the content, not on the file name
    nbformat.write(notebook, fresh.with_name("trusted.ipynb"))
    return path


# Only the player is checked. axe cannot judge contrast inside SVG; the palette's tests compute it.
_RUN_AXE = """async rules => (await axe.run('.ipl', { resultTypes: ['violations'], ...(rules && { runOnly: rules }) })).violations
    .map(each => `${each.id}: ${each.help}: ${each.nodes.map(node => node.html.slice(0, 120)).join(' | ')}`)"""


@pytest.fixture(scope="session")
def axe() -> Callable[[Any, list[str] | None], list[str]]:
    """Returns a function that runs axe-core on the players of a page, with given rules or all."""
    found = pytest.importorskip(
        "axe_playwright_python", reason="needs axe-core: python -m pip install --group e2e", exc_type=ImportError
    )

    def complaints(page: Any, rules: list[str] | None) -> list[str]:
        page.add_script_tag(path=Path(found.__file__).with_name("axe.min.js"))
        return list(page.evaluate(_RUN_AXE, rules))

    return complaints


@pytest.fixture(scope="session")
def screenshots() -> Path:
    """The folder for screenshots, which git ignores."""
    folder = ROOT / "screenshots"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def everything() -> Recording:
    """A recording with a view, a rewritten history, a stale value and a refusal."""
    with inplacelab.record(title="everything") as rec:
        a = inplacelab.to_tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], stop_gradient=False)
        b = a * 2.0
        c = b * b
        v = b[0]
        v.scale_(3.0)
        with contextlib.suppress(RuntimeError):
            c.sum().backward()
    assert rec.recording is not None
    return rec.recording


@pytest.fixture(scope="session")
def page_file(tmp_path_factory: pytest.TempPathFactory, everything: Recording) -> Path:
    """That recording as an exported page."""
    path = tmp_path_factory.mktemp("page") / "page.html"
    to_html(everything, path)
    return path
