"""The tables of the documentation, each with a field above it that leaves only the rows with the words typed there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import inplacelab
from differences import page as differences_page
from inplacelab.language import Text, speak
from inplacelab.lessons.differences import load
from inplacelab.lessons.differences import table as differences_of
from inplacelab.listing import Cell, Listing
from inplacelab.ops.table import printed
from inplacelab.ops.table.views_and_copies import TABLE

_OPERATIONS = Text(
    "All of it is computed from the rows of the table of operations. `python -m inplacelab.ops.table` prints the first table, "
    "`python -m inplacelab.ops.table.views_and_copies` the second.",
    "全部内容都由操作表的各行算出。`python -m inplacelab.ops.table` 打印第一张表，"
    "`python -m inplacelab.ops.table.views_and_copies` 打印第二张。",
)
_KIND = Text("kind", "类别")
_CHAPTER = Text("chapter", "章节")
_ANCHOR = re.compile(r'^<a id="(?P<key>[\w-]+)"></a>\n\n', re.MULTILINE)
_PIPE = re.compile(r"(?<!\\)\|")


def operations(language: str) -> str:
    """Returns the page of the operations: what backward keeps, and which give a view."""
    with speak(language):
        parts = [f"# {printed.TITLE}\n", f"{_OPERATIONS}\n", searchable(grouped(printed.listing(), _KIND, linked=True))]
        return "\n".join([*parts, f"## {TABLE.title}\n", searchable(grouped(TABLE, _KIND))])


def differences(language: str) -> str:
    """Returns the page of differences, with one table of all programs that can be searched."""
    text = differences_page.page(language)
    with speak(language):
        before, heading, after = text.partition(f"## {differences_page.ALL}\n")
        entries = after[after.index("\n## ") + 1 :]
        table = searchable(_programs())
    _, _, about = before.partition("\n\n")[2].partition("\n\n")  # without the link to the other language
    title = before.partition("\n\n")[0]
    entries = _ANCHOR.sub(r"(\g<key>)=\n", entries)
    return f"{title}\n\n{about}{heading}\n{table}\n{entries}"


def _programs() -> str:
    """All programs, each with its chapter and the verdicts on its answers."""
    listing = differences_of()
    rows: list[Sequence[Cell]] = []
    for chapter, group in zip(load().chapters, listing.groups, strict=True):
        rows += [
            (f"[{each.heading}](#{each.key})", str(chapter.title), *row[1:])
            for each, row in zip(chapter.differences, group.rows, strict=True)
        ]
    return markdown((listing.heads[0], _CHAPTER, *listing.heads[1:]), rows)


def grouped(listing: Listing, title: Text, *, linked: bool = False) -> str:
    """Returns a table whose groups are a column, so that it can be searched as a whole.

    Args:
        listing: the table.
        title: the head of that column.
        linked: whether the first cell names an operation, which then leads to its entry in the reference.
    """
    rows = [
        (_to_reference(str(first)) if linked else first, group.title or "", *others)
        for group in listing.groups
        for first, *others in group.rows
    ]
    return markdown((listing.heads[0], title, *listing.heads[1:]), rows)


def _to_reference(code: str) -> str:
    """The name of an operation as a link to its entry, where it is a function or a method."""
    name = code.strip("`").partition("(")[0]
    homes = {"inplacelab": inplacelab.__all__, "inplacelab.Tensor": dir(inplacelab.Tensor)}
    home = next((home for home, names in homes.items() if name in names), None)
    return code if home is None else f"{{py:obj}}`{code.strip('`')} <{home}.{name}>`"


def markdown(heads: Iterable[Cell], rows: Iterable[Sequence[Cell]]) -> str:
    """Returns a table in Markdown, in the current language."""
    lines = [[*heads], *rows]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join(f"| {' | '.join(map(_piped, line))} |" for line in lines)


def _piped(cell: Cell) -> str:
    """A cell in Markdown, where a bar would end it."""
    return _PIPE.sub(r"\|", str(cell))


def searchable(table: str) -> str:
    """Returns a table in a container above which `static/searchable.js` puts a field."""
    return f":::{{container}} searchable\n\n{table}\n\n:::\n"
