"""Prints the section of CHANGELOG.md for the version in a tag; fails if the tag does not match the version of the package.

python docs/release.py v0.1.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)


def version() -> str:
    """Returns the version of the package without importing it: NumPy may be missing where a release is built."""
    (found,) = VERSION.findall((ROOT / "inplacelab" / "version.py").read_text(encoding="utf-8"))
    return str(found)


def notes(tag: str, changelog: str) -> str:
    """Returns the section of a changelog about the release `tag`.

    Raises:
        ValueError: if the tag is not "v" and the version of the package, or the changelog has no dated section with content for it.
    """
    if tag != f"v{version()}":
        raise ValueError(f"the tag is {tag}, and the package is version {version()}")
    section = re.compile(
        rf"^## \[{re.escape(version())}\] - \d{{4}}-\d\d-\d\d\n(.*?)(?=^## \[|\Z)", re.MULTILINE | re.DOTALL
    )
    found = section.search(changelog)
    if found is None or not found[1].strip():
        raise ValueError(f"CHANGELOG.md says nothing under: ## [{version()}] - YYYY-MM-DD")
    return found[1].strip()


if __name__ == "__main__":
    try:
        print(notes(sys.argv[1], (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")))
    except ValueError as error:
        sys.exit(str(error))
