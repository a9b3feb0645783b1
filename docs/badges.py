"""Let the READMEs' badges open the repository that `pyproject.toml` names: the only place that says where this one lives.

python docs/badges.py
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
READMES = ("README.md", "README.zh.md")
BADGE = re.compile(r"(?<=https://mybinder\.org/v2/gh/)[\w.-]+/[\w.-]+(?=/HEAD\b)")


def repository() -> str:
    """The owner and the name, as in `owner/name`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address: str = project["urls"]["Repository"]
    return urlsplit(address).path.strip("/")


def with_badges_for(name: str, readme: str) -> str:
    """The text of a README whose badges open the repository `name`."""
    return BADGE.sub(lambda _: name, readme)


def main() -> None:
    """Rewrite the READMEs."""
    for readme in READMES:
        path = ROOT / readme
        path.write_text(with_badges_for(repository(), path.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"the badges of {readme} open {repository()}")


if __name__ == "__main__":
    main()
