"""Leads the links of a page of the repository to where their targets are in the built documentation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]

_PICTURE = re.compile(r"!\[(?P<alt>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^)\s]+)\)")
_LINK = re.compile(r"(?<!!)(?P<text>\[(?:[^\[\]]|\[[^\[\]]*\])*\])\((?P<target>[^)\s]+)\)")
_TO_THE_OTHER_LANGUAGE = re.compile(r"^\[(?:中文|English)\]\([^)]*\)\n+", re.MULTILINE)
_FENCE = re.compile(r"^(?P<fence>```+)(?P<kind>\w*)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL)
NOTEBOOK = ".ipynb"
_OUTSIDE = ("https://", "http://", "mailto:")


@dataclass(frozen=True)
class Links:
    """Where the links of one language's pages lead.

    Attributes:
        language: "en" or "zh".
        pages: for each file or folder of the repository that is a page, the page's name in the documentation.
        repository: the address at which files of the repository are shown, with a slash at its end.
        site: the address of the site, with a slash at its end: absolute, or as seen from the folder with both languages.
        pictures: fills up with the pictures that pages show.
    """

    language: str
    pages: Mapping[Path, str]
    repository: str
    site: str
    pictures: dict[str, Path] = field(default_factory=dict)

    def led(self, text: str, source: Path, page: str) -> str:
        """Returns the text of a page with its links led to the right place.

        Args:
            text: Markdown, as it stands in the repository.
            source: the file of the repository in which it stands.
            page: its name in the documentation.

        Raises:
            FileNotFoundError: if a link leads to a file that does not exist.
        """
        text = _TO_THE_OTHER_LANGUAGE.sub("", text, count=1)  # each page has one in its margin

        def prose(part: str) -> str:
            part = _PICTURE.sub(lambda found: self._picture(found, source, page), part)
            return _LINK.sub(lambda found: self._link(found["text"], found["target"], source, page), part)

        return outside_fences(text, prose)

    def target(self, target: str, source: Path, page: str) -> str:
        """Returns where a link of a page leads in the documentation."""
        if target.startswith((*_OUTSIDE, "#")):
            return target
        path, _, anchor = target.partition("#")
        file = Path(os.path.normpath(source.parent / path))
        if not file.exists():
            raise FileNotFoundError(f"{source.relative_to(ROOT)} links to {target}, which does not exist")
        if file in self.pages:
            anchor = f"#{anchor}" if anchor else ""
            suffix = file.suffix if file.suffix == NOTEBOOK else ".md"
            return f"{os.path.relpath(self.pages[file], Path(page).parent).replace(os.sep, '/')}{suffix}{anchor}"
        return self.outside(file)

    def outside(self, file: Path) -> str:
        """Returns where the repository shows a file that is no page."""
        return self.repository + file.relative_to(ROOT).as_posix()

    def on_site(self, path: str, page: str) -> str:
        """Returns the address of a page of the site, such as the playground, as seen from a page of the documentation."""
        return self.site + path if "://" in self.site else "../" * (page.count("/") + 1) + self.site + path

    def _link(self, text: str, target: str, source: Path, page: str) -> str:
        file = Path(os.path.normpath(source.parent / target))
        if (
            file.suffix == NOTEBOOK and file not in self.pages and file.exists()
        ):  # of the other language, which Sphinx does not see
            there = f"{'../' * (page.count('/') + 1)}{file.parent.name}/lessons/{file.stem}.html"
            return f'<a href="{there}">{text[1:-1]}</a>'
        return f"{text}({self.target(target, source, page)})"

    def _picture(self, found: re.Match[str], source: Path, page: str) -> str:
        """A picture of the repository stays one; of a picture elsewhere, which the page would ask for, its words stay."""
        if found["target"].startswith(_OUTSIDE):
            return found["alt"]
        file = Path(os.path.normpath(source.parent / found["target"]))
        self.pictures[file.name] = file
        up = "../" * page.count("/")
        return f"![{found['alt']}]({up}pictures/{file.name})"


def outside_fences(text: str, change: Callable[[str], str]) -> str:
    """Returns Markdown whose prose is changed, and whose blocks of code have the names that Pygments knows."""
    parts, end = [], 0
    for found in _FENCE.finditer(text):
        parts += [change(text[end : found.start()]), _block(found)]
        end = found.end()
    return "".join([*parts, change(text[end:])])


def _block(found: re.Match[str]) -> str:
    kind = found["kind"]
    if kind == "output":
        kind = "text"
    elif re.search(r"^[%!]", found["text"], re.MULTILINE) and kind == "python":
        kind = "ipython"
    return f"{found['fence']}{kind}\n{found['text']}{found['fence']}"
