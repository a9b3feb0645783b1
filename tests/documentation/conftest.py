"""The documentation, built once for all of its tests, in however many processes they run."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock

BUILD = Path(__file__).parents[2] / "docs" / "build_docs.py"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the built documentation. Sphinx fails on a warning, and so on a link between pages that leads nowhere."""
    missing = [name for name in ("sphinx", "myst_parser", "furo") if find_spec(name) is None]
    if missing:
        pytest.skip("needs Sphinx: python -m pip install --group docs")
    # The folder of the run, above those of its processes: one of them builds, and the others wait for it.
    folder = tmp_path_factory.getbasetemp()
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "documentation"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            # In a process of its own: other tests add operations to the table, which the reference would list.
            subprocess.run([sys.executable, BUILD, "--output", folder / "docs"], check=True)
    return folder / "docs"
