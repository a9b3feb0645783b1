"""Selects the notebooks that `pytest --nbval notebooks` executes and compares, and says what of their outputs is not compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.languages import compared


def pytest_configure(config: pytest.Config) -> None:
    """Leaves the pixels of pictures out of the comparison, which depend on fonts and on Matplotlib, and how many cells a session has run."""
    config.option.nbval_sanitize_with = str(Path(__file__).with_name("not_compared.cfg"))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignores a notebook in a language that the current tier does not compare."""
    language = collection_path.parent.name
    return True if collection_path.suffix == ".ipynb" and language not in compared(collection_path.stem) else None
