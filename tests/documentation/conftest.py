"""The documentation, built once for all of its tests."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the built documentation. Sphinx fails on a warning, and so on a link between pages that leads nowhere."""
    missing = [name for name in ("sphinx", "myst_parser", "furo") if find_spec(name) is None]
    if missing:
        pytest.skip("needs Sphinx: python -m pip install --group docs")
    from build_docs import build  # noqa: PLC0415  # draws with matplotlib, and is slow to load

    folder = tmp_path_factory.mktemp("documentation") / "docs"
    build(folder)
    return folder
