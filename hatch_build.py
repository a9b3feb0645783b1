"""What the package holds beside its modules: the built lessons, for `inplacelab lab`, and README.md as its page on an index shows it."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class Lessons(BuildHookInterface):  # type: ignore[type-arg]  # hatchling asks for the class as it is
    """Packs the notebooks; an editable installation finds them in the clone, and so sees them as they are."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the notebooks that this wheel is to hold."""
        if version != "standard":
            return
        for notebook in sorted(Path(self.root, "notebooks").glob("??/*.ipynb")):
            packed = Path("inplacelab", "lessons", "notebooks", notebook.parent.name, notebook.name)
            build_data["force_include"][str(notebook)] = packed.as_posix()


_TARGET = re.compile(r"(?P<picture>!?)(?P<text>\[(?:[^\[\]]|\[[^\[\]]*\])*\])\((?P<target>(?!https?://|#)[^)\s]+)\)")
"""A link or a picture that leads to a file of the repository."""


def absolute(readme: str, repository: str, version: str) -> str:
    """Returns a README whose links and pictures lead to the repository, as it was at this version.

    Args:
        readme: its text.
        repository: the address of the repository on GitHub.
        version: the version of the package, whose tag is `v` and the version.
    """
    raw = repository.replace("github.com", "raw.githubusercontent.com")

    def found(link: re.Match[str]) -> str:
        start = f"{raw}/v{version}" if link["picture"] else f"{repository}/blob/v{version}"
        return f"{link['picture']}{link['text']}({start}/{link['target']})"

    return _TARGET.sub(found, readme)


_IN_A_CLONE = re.compile(r"^<!-- clone -->\n.*?^<!-- end of clone -->\n\n?", re.MULTILINE | re.DOTALL)
"""What only a clone can do."""


def published(readme: str, root: str) -> str:
    """Returns a README for the package's page on an index: as it is once the project is published, without what only a clone can do."""
    once_published = runpy.run_path(str(Path(root, "docs", "badges.py")))["once_published"]
    return str(once_published(_IN_A_CLONE.sub("", readme)))


class Readme(MetadataHookInterface):
    """Gives the package its description: README.md, with absolute addresses."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the description."""
        version = re.search(
            r'__version__ = "(.+)"', Path(self.root, "inplacelab", "version.py").read_text(encoding="utf-8")
        )
        assert version is not None
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        shown = absolute(published(text, self.root), metadata["urls"]["Repository"], version[1])
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}
