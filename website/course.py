"""Writes the course: JupyterLite with the lessons of both languages, outputs cleared, and a kernel that finds inplacelab in the site.

What Pyodide cannot do is said in the cell that needs it, and such a cell does not stop "Run All".
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

from inplacelab.language import LANGUAGES
from inplacelab.lessons.delivery import shipped, without_outputs
from settings import Settings
from wheels import download
from words import COURSE

WHEELS = ("anywidget>=0.9.21", "comm", "ipywidgets>=8.1.5", "jupyterlab_widgets", "psygnal", "typing_extensions")
"""What the stepper needs in a notebook besides Pyodide's own packages."""
INSTALL = "%pip install -q inplacelab ipywidgets anywidget"
"""The first cell of a lesson: the wheels come from the site itself, and NumPy from Pyodide."""
EXTENSIONS = ("anywidget>=0.9.21", "jupyterlab_widgets==3.0.15", "jupyterlite-pyodide-kernel==0.6.1")
"""The extensions of JupyterLab that a lesson needs, as wheels: whatever is installed where the site is built is left out. Newer
`jupyterlab_widgets` ask for a newer JupyterLab than the one in the JupyterLite that goes with Pyodide 0.27.
"""
RAISES = "raises-exception"
"""The tag of a cell at whose error Jupyter goes on. JupyterLite does not: there the magic `%%raises` shows the error."""

_KERNEL = "@jupyterlite/pyodide-kernel-extension:kernel"
_NEEDED = {"figure(": "import matplotlib", "sklearn": "import sklearn", "erfinv": "import scipy"}
"""What a lesson contains, and the line that makes JupyterLite load what it needs: it looks at the imports of the cells themselves."""


def write(settings: Settings, wheel: Path) -> Path:
    """Writes the course into the folder `course` of the site.

    Args:
        settings: the site's.
        wheel: the wheel of this tree.

    Returns:
        The folder.
    """
    folder = settings.output / "course"
    with tempfile.TemporaryDirectory() as scratch:
        contents = Path(scratch, "contents")
        for language in LANGUAGES:
            write_lessons(language, contents / language)
        configuration = {
            "LiteBuildConfig": {
                "contents": [str(contents)],
                "output_dir": str(folder),
                "apps": ["lab"],
                "no_sourcemaps": True,
                "ignore_sys_prefix": ["federated_extensions"],
                "federated_extensions": [str(path) for path in download(EXTENSIONS, Path(scratch, "extensions"))],
            },
            "PipliteAddon": {
                "piplite_urls": [str(path) for path in [wheel, *download(WHEELS, Path(scratch, "wheels"))]]
            },
        }
        Path(scratch, "jupyter_lite_config.json").write_text(json.dumps(configuration), encoding="utf-8")
        command = [sys.executable, "-m", "jupyter", "lite", "build"]
        subprocess.run(command, check=True, cwd=scratch, stdout=subprocess.DEVNULL)
    _configure(folder, settings)
    return folder


def write_lessons(language: str, folder: Path) -> None:
    """Writes the notebooks of one language as the browser gets them.

    Args:
        language: "en" or "zh".
        folder: where to put them; it is created.
    """
    folder.mkdir(parents=True)
    for path in shipped(language):
        notebook = nbformat.reads(without_outputs(path.read_bytes()), as_version=4)
        for_browser(notebook, language, cells_without_compiler(path.stem))
        nbformat.write(notebook, folder / path.name)


def for_browser(notebook: Any, language: str, failing: Iterable[int]) -> None:
    """Prepares a notebook for Pyodide: loads what it imports, and says in a cell what cannot run there.

    Args:
        notebook: the notebook, which is changed.
        language: "en" or "zh".
        failing: the positions of the cells that fail without a C++ compiler.
    """
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    text = "\n".join(cell.source for cell in code)
    lines = [line for sign, line in _NEEDED.items() if sign in text]
    for cell in code:
        if 'set_device("gpu"' in cell.source:
            _note(cell, "no_gpu", language)
    for position in failing:
        cell = notebook.cells[position]
        _note(cell, "no_compiler", language)
        cell.metadata["tags"] = [*{**dict.fromkeys(cell.metadata.get("tags", [])), RAISES: None}]
    for cell in code:
        if RAISES in cell.metadata.get("tags", []):
            cell.source = f"%%raises\n{cell.source}"
    if code:
        first = notebook.cells.index(code[0])
        install = nbformat.v4.new_code_cell("\n".join([INSTALL, *lines]), id="install")
        notebook.cells.insert(first, install)


def _note(cell: Any, key: str, language: str) -> None:
    """Says at the head of a cell, behind its magic, what a browser cannot do."""
    note = f"# {COURSE[key].in_language(language)}"
    magic, separator, rest = cell.source.partition("\n")
    cell.source = f"{magic}\n{note}{separator}{rest}" if magic.startswith("%%") else f"{note}\n{cell.source}"


def cells_without_compiler(lesson: str) -> list[int]:
    """Runs a lesson without a C++ compiler, as in a browser.

    Args:
        lesson: the name of its notebook, without the suffix.

    Returns:
        The positions of the cells that then fail and otherwise do not. A lesson that compiles nothing is not run.
    """
    path = next(path for path in shipped("en") if path.stem == lesson)
    notebook = nbformat.read(path, as_version=4)
    if not any(sign in cell.source for cell in notebook.cells for sign in ("kernels.run", "on_cpu", "kernels.fuse")):
        return []
    for cell in notebook.cells:
        if cell.cell_type == "code" and _failed(cell):
            cell.metadata["fails_anyway"] = True
    environment = {**os.environ, "CXX": "", "PATH": ""}
    NotebookClient(notebook, kernel_name="python3", allow_errors=True, timeout=600, startup_timeout=600).execute(
        env=environment
    )
    return [
        position
        for position, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and _failed(cell) and not cell.metadata.get("fails_anyway")
    ]


def _failed(cell: Any) -> bool:
    return any(output.output_type == "error" for output in cell.outputs)


def _configure(folder: Path, settings: Settings) -> None:
    """Gives the kernel its Pyodide, and nothing of other hosts."""
    path = folder / "jupyter-lite.json"
    configuration = json.loads(path.read_text(encoding="utf-8"))
    data = configuration["jupyter-config-data"]
    data["appName"] = "inplacelab"
    data["exposeAppInBrowser"] = True
    kernel = data.setdefault("litePluginSettings", {}).setdefault(_KERNEL, {})
    kernel["pyodideUrl"] = f"{settings.pyodide_from(2)}pyodide.js"  # as seen from the folder `lab`
    kernel["disablePyPIFallback"] = True
    path.write_text(json.dumps(configuration, indent=2), encoding="utf-8")
