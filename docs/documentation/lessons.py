"""The lessons as pages: with the outputs that the repository has, and a link to run each in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat

from documentation.links import ROOT, Links
from inplacelab.language import Text

FOLDER = "lessons"
_RUN = Text("Run this lesson in the browser", "在浏览器中运行本课")
_NOTHING = Text(
    "there is nothing to install, and what you write stays in your browser.", "无需安装，你写的内容保存在你的浏览器里。"
)


def notebooks(language: str) -> dict[Path, str]:
    """The notebooks of a language, with their names in the documentation."""
    found = sorted((ROOT / "notebooks" / language).glob("*.ipynb"))
    return {path: f"{FOLDER}/{path.stem}" for path in found}


def contents(language: str) -> str:
    """The table of contents that makes the lessons parts of the page on the course."""
    listed = "\n".join(notebooks(language).values())
    return f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def _without_what_waits(output: Any) -> None:
    """Removes from a folded answer what asks for a prediction: a page has no field for it."""
    data = output.get("data", {})
    if str(data.get("text/plain", "")).startswith("○") and "<details>" in data.get("text/html", ""):
        data["text/html"] = data["text/html"][data["text/html"].index("<details>") :]


def write(language: str, folder: Path, links: Links) -> None:
    """Writes the lessons of a language into a folder, as Sphinx reads them.

    Args:
        language: "en" or "zh".
        folder: that of the sources.
        links: of this language.
    """
    (folder / FOLDER).mkdir()
    for path, page in notebooks(language).items():
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = links.led(cell.source, path, page)
            elif cell.metadata.get("jupyter", {}).get("source_hidden"):
                tags = cell.metadata.get("tags", [])
                # A question stands in its output; its code is for a kernel only.
                cell.metadata["tags"] = [*tags, "remove-input" if "question" in tags else "hide-input"]
            for output in cell.get("outputs", ()):
                _without_what_waits(output)
        address = links.on_site(f"course/lab/index.html?path={language}/{path.name}", page)
        line = f'<a href="{address}">{_RUN.in_language(language)}</a>: {_NOTHING.in_language(language)}'
        if language == "zh":
            line = line.replace("</a>: ", "</a>：")
        title, newline, rest = notebook.cells[0].source.partition("\n")
        notebook.cells[0].source = f"{title}\n\n{line}\n{newline}{rest}"
        nbformat.write(notebook, folder / f"{page}.ipynb")
