r"""Folds what a cell has shown, so that it can be opened without a kernel and without scripts: in JupyterLab, on GitHub, in the documentation.

>>> print(folded(["storages: 1"], ["printed"], [{"text/plain": "shown"}]))
<details><summary>Show me anyway</summary>
<ul><li>storages: 1</li></ul>
<pre style="white-space: pre-wrap">printed</pre>
<pre style="white-space: pre-wrap">shown</pre>
</details>
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Any

from inplacelab.language import Text

_ANYWAY = Text("Show me anyway", "直接看答案")
_CODE = re.compile(r"`([^`]+)`")
_FENCED = re.compile(r"^```\w*\n(.*?)\n```$", re.DOTALL)
_RULE = re.compile(r"\|( *-+ *\|)+")


def folded(lines: Iterable[str], texts: Iterable[str], outputs: Iterable[Mapping[str, Any]]) -> str:
    """Returns HTML that shows nothing until it is unfolded.

    Args:
        lines: what stands at the head, as a list. What stands in backquotes is code.
        texts: what was printed; empty texts are left out.
        outputs: what was displayed, by MIME type.
    """
    head = "".join(f"<li>{in_html(line)}</li>" for line in lines)
    body = [f"<ul>{head}</ul>", *(_preformatted(text) for text in texts if text), *map(_output, outputs)]
    return "\n".join([f"<details><summary>{_ANYWAY}</summary>", *body, "</details>"])


def in_html(line: str) -> str:
    """Returns a line as HTML. What stands in backquotes is code."""
    return _CODE.sub(r"<code>\1</code>", escape(line, quote=False))


def _preformatted(text: str) -> str:
    return f'<pre style="white-space: pre-wrap">{escape(text.rstrip(), quote=False)}</pre>'


def _output(data: Mapping[str, Any]) -> str:
    if "text/html" in data:
        return str(data["text/html"])
    if "text/markdown" in data:
        return "\n".join(_of_markdown(str(data["text/markdown"])))
    said = str(data.get("text/plain", ""))
    if "image/png" not in data:
        return _preformatted(said)
    picture = data["image/png"]
    code = picture if isinstance(picture, str) else b64encode(picture).decode("ascii")
    return f'<img style="max-width:100%" alt="{escape(said)}" src="data:image/png;base64,{code.strip()}">'


def _of_markdown(text: str) -> Iterator[str]:
    """The Markdown that lessons display: headings, code between fences, tables, paragraphs, and HTML, which stays as it is."""
    for block in re.split(r"\n\n(?![^`]*\n```(?:\n|$))", text.strip()):
        if fenced := _FENCED.match(block):
            yield _preformatted(fenced[1])
        elif block.startswith("|"):
            yield _table([line for line in block.split("\n") if not _RULE.fullmatch(line)])
        elif block.startswith("<"):
            yield block
        else:
            yield f"<p>{in_html(block.lstrip('# '))}</p>"


def _table(rows: Sequence[str]) -> str:
    cells = [[in_html(cell.strip()) for cell in row.strip("|").split(" | ")] for row in rows]
    return f"<table>{''.join('<tr>' + ''.join(f'<td>{cell}</td>' for cell in row) + '</tr>' for row in cells)}</table>"
