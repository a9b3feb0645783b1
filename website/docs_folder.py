"""Builds the documentation into the site: its lessons and programs lead to the course and the playground beside it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from playground import BuildError

NEEDED = ("sphinx", "myst_nb", "furo")


def write(site: Path) -> Path:
    """Writes the documentation into the folder `docs` of the site.

    Args:
        site: the site's folder.

    Returns:
        The folder.

    Raises:
        BuildError: if Sphinx is not installed.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise BuildError(f"The documentation needs {', '.join(missing)}: python -m pip install --group docs")
    from build_docs import build  # noqa: PLC0415  # draws with matplotlib, and is slow to load

    build(site / "docs", site="../")
    return site / "docs"
