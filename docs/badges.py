"""Copies the repository address from `pyproject.toml`, the only place to change it, into the READMEs' badges and into CITATION.cff.

python docs/badges.py
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
READMES = ("README.md", "README.zh.md")
CITATION = "CITATION.cff"
BADGE = re.compile(
    r"(?<=https://mybinder\.org/v2/gh/)[\w.-]+/[\w.-]+(?=/HEAD\b)|(?<=^repository-code: https://github\.com/).+$",
    re.MULTILINE,
)


def repository() -> str:
    """Returns the repository's owner and name, as `owner/name`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address: str = project["urls"]["Repository"]
    return urlsplit(address).path.strip("/")


def with_badges_for(name: str, readme: str) -> str:
    """Returns the text of one of these files with the repository `name`."""
    return BADGE.sub(lambda _: name, readme)


def main() -> None:
    """Rewrites these files."""
    for readme in (*READMES, CITATION):
        path = ROOT / readme
        path.write_text(with_badges_for(repository(), path.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"{readme} names {repository()}")


if __name__ == "__main__":
    main()
