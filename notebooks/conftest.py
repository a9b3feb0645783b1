"""For `pytest --nbval notebooks`: which notebooks are executed and compared."""

from __future__ import annotations

from pathlib import Path

from tests.notebooks.languages import compared


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave a notebook out in the language in which the tier of this run does not compare it."""
    language = collection_path.parent.name
    return True if collection_path.suffix == ".ipynb" and language not in compared(collection_path.stem) else None
