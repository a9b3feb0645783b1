"""What the site is built for: which Pyodide runs the programs, and where the site stands."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

PYODIDE_VERSION = "0.27.7"
"""The version with which the site is tested. `jupyterlite-pyodide-kernel` in the extra `site` is the one for it."""
PYODIDE = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE_VERSION}/full/"
"""The official distribution, for the published site. Another address: `python website/build.py --pyodide ADDRESS`.

Source: https://pyodide.org/en/0.27.7/usage/downloading-and-deploying.html
"""
PYODIDE_BYTES = 15_640_000
"""The bytes of it that the playground reads before the first program: the interpreter, its library, the list of packages, and NumPy.
The progress bar is measured against them, so a rough number will do."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the site is built.

    Attributes:
        output: the folder that is written.
        pyodide: the address of a Pyodide distribution, ending with "/"; absolute, or relative to the root of the site.
        repository: the address of the sources.
    """

    output: Path
    pyodide: str
    repository: str

    @classmethod
    def of(cls, output: Path, pyodide: str = PYODIDE) -> Settings:
        """Returns the settings for a folder and a Pyodide.

        Raises:
            ValueError: if the address does not end with "/".
        """
        if not pyodide.endswith("/"):
            raise ValueError(f"the address of Pyodide must end with '/', and {pyodide!r} does not")
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return cls(output, pyodide, project["urls"]["Repository"])

    def pyodide_from(self, depth: int) -> str:
        """Returns the address of Pyodide as seen from a page that lies `depth` folders below the root."""
        return self.pyodide if "://" in self.pyodide else "../" * depth + self.pyodide
