"""Puts the documentation into the site, if it has been built: `make docs` writes it to `build/docs`."""

from __future__ import annotations

import shutil
from pathlib import Path

from settings import ROOT

BUILT = ROOT / "build" / "docs"


def copy_to(site: Path, built: Path = BUILT) -> bool:
    """Copies the built documentation into the folder `docs` of the site.

    Args:
        site: the site's folder.
        built: where the documentation was built.

    Returns:
        Whether there was any.
    """
    if not built.is_dir():
        print(f"Left out: the documentation, which is not in {built}. `make docs` builds it.")
        return False
    shutil.copytree(built, site / "docs")
    return True
