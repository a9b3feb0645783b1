"""Copies the repository address from `pyproject.toml`, the only place to change it, into the other addresses there, into the
badges of the documents and into CITATION.cff; and once the project is published, lets the documents say so.

python docs/badges.py
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[1]
PUBLISHED = False
"""Whether the repository is public and the package is on PyPI. The first release sets this, and runs `make lessons`."""
PAGES = ("README.md", "README.zh.md", "docs/en/course.md", "docs/zh/course.md")
"""Where badges stand."""
OTHER_PAGES = tuple(f"docs/{language}/{page}.md" for language in ("en", "zh") for page in ("elsewhere", "install"))
"""What else changes with the publication."""
CITATION = "CITATION.cff"
PROJECT = "pyproject.toml"
BADGE = re.compile(
    r"(?<=https://mybinder\.org/v2/gh/)[\w.-]+/[\w.-]+(?=/HEAD\b)|(?<=^repository-code: https://github\.com/).+$",
    re.MULTILINE,
)
SITE = re.compile(r"https://[\w-]+\.github\.io/[\w.-]+/")
"""The address of the site, as GitHub Pages gives it to a repository (`.github/workflows/pages.yml`)."""


BEFORE_AND_AFTER = re.compile(
    r"^<!-- until published -->\n(?P<until>.*?)^<!-- once published\n(?P<once>.*?)^-->\n", re.MULTILINE | re.DOTALL
)
"""What a document says until the project is published, and then."""
URL = re.compile(
    r"^(?P<key>Changelog|Issues) = (?P<start>\"https://github\.com/)[\w.-]+/[\w.-]+",
    re.MULTILINE,
)


def repository() -> str:
    """Returns the repository's owner and name, as `owner/name`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    address: str = project["urls"]["Repository"]
    return urlsplit(address).path.strip("/")


def published(name: str | None = None) -> str:
    """Returns where GitHub Pages shows the site of a repository, with a slash at its end; of this one if no name is given."""
    owner, _, project = (name or repository()).partition("/")
    return f"https://{owner.lower()}.github.io/{project}/"


def with_badges_for(name: str, readme: str) -> str:
    """Returns the text of one of these files with the repository `name`."""
    return SITE.sub(lambda _: published(name), BADGE.sub(lambda _: name, readme))


def once_published(text: str) -> str:
    """Returns a document as it is once the project is published."""
    return BEFORE_AND_AFTER.sub(lambda found: found["once"], text)


def with_urls_for(name: str, project: str) -> str:
    """Returns the text of pyproject.toml with the repository `name` in all addresses behind the first one."""
    return SITE.sub(
        lambda _: published(name), URL.sub(lambda found: f"{found['key']} = {found['start']}{name}", project)
    )


def main() -> None:
    """Rewrites these files."""
    path = ROOT / PROJECT
    path.write_text(with_urls_for(repository(), path.read_text(encoding="utf-8")), encoding="utf-8")
    for page in (*PAGES, *OTHER_PAGES, CITATION):
        path = ROOT / page
        text = with_badges_for(repository(), path.read_text(encoding="utf-8"))
        path.write_text(once_published(text) if PUBLISHED else text, encoding="utf-8")
        print(f"{page} names {repository()}")


if __name__ == "__main__":
    main()
