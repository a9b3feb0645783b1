"""What stands above the languages: the page that chooses one, and `llms.txt`."""

from __future__ import annotations

import re
from pathlib import Path

from documentation.pages import ENTRY, INDEX, SECTION

_CHOICE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>inplacelab</title>
<script>
  location.replace((navigator.language || "en").startsWith("zh") ? "zh/index.html" : "en/index.html");
</script>
<main>
  <h1>inplacelab</h1>
  <p><a href="en/index.html">English</a></p>
  <p><a href="zh/index.html" lang="zh-CN">中文</a></p>
</main>
</html>
"""


def write(output: Path) -> None:
    """Writes `index.html`, which leads to the reader's language, and `llms.txt`."""
    (output / "index.html").write_text(_CHOICE, encoding="utf-8")
    (output / "llms.txt").write_text(llms_txt(output), encoding="utf-8")


def llms_txt(output: Path) -> str:
    """Returns the list of pages for language models (https://llmstxt.org): the front page in short, and a link to each page as Markdown.

    Args:
        output: the folder with the pages as they are built.
    """
    index = (output / "en" / f"{INDEX}.md").read_text(encoding="utf-8")
    says = re.sub(r"\s+", " ", index.split("\n\n")[1])
    parts = [
        f"# inplacelab\n\n> {says}\n",
        "Read `en/for_assistants.md` before you write a program for this package.\n",
    ]
    for section in SECTION.finditer(index):
        lines = [
            _line(output, entry["title"], entry["target"], entry["says"])
            for entry in ENTRY.finditer(section["entries"])
        ]
        parts.append("\n".join([f"## {section['title']}\n", *lines, ""]))
    return "\n".join(parts)


def _line(output: Path, title: str, target: str, says: str) -> str:
    """A page as Markdown, or as HTML where it is made of docstrings."""
    file = target if (output / "en" / target).exists() else target.removesuffix(".md") + ".html"
    return f"- [{title}](en/{file}): {says}"
