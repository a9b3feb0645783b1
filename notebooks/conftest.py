"""Selects the notebooks that `pytest --nbval notebooks` executes and compares."""

from __future__ import annotations

from pathlib import Path

from tests.notebooks.languages import compared


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignores a notebook in a language that the current tier does not compare."""
    language = collection_path.parent.name
    return True if collection_path.suffix == ".ipynb" and language not in compared(collection_path.stem) else None
