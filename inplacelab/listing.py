"""Tables of texts that display themselves, as text in a terminal and as a table in a notebook, in the current language.

A cell is text with `code` in backquotes (double ones where the code contains a backquote). Rows are in groups, each with
a title unless there is only one group.

>>> from inplacelab.language import Text
>>> from inplacelab.listing import Group, Listing
>>> listing = Listing(
...     Text("Copies", "副本"),
...     (Text("operation", "操作"), Text("keeps", "保存")),
...     (Group(Text("one input", "单输入"), (("`exp_`", "`out`"), ("`sin_`", "`x`"))),),
... )
>>> print(listing)
operation  keeps
exp_       out
sin_       x
>>> print(listing.about("sin"))
operation  keeps
sin_       x
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple

from inplacelab.language import Text, columns, padded

Cell = str | Text
_CODE = re.compile(r"(`+)(.+?)\1")


class Group(NamedTuple):
    """Rows that belong together, and their title; None where the title of the table is enough."""

    title: Text | None
    rows: Sequence[Sequence[Cell]]


class Listing:
    """A table of texts.

    Attributes:
        title: the caption.
        heads: the head of each column.
        groups: the rows.
    """

    def __init__(self, title: Text, heads: Sequence[Cell], groups: Sequence[Group]) -> None:
        self.title, self.heads, self.groups = title, tuple(heads), tuple(groups)

    def __len__(self) -> int:
        return sum(len(group.rows) for group in self.groups)

    def where(self, wanted: Callable[[Sequence[Cell]], bool]) -> Listing:
        """Returns the table with only the rows for which `wanted(row)` is True."""
        kept = (Group(title, [row for row in rows if wanted(row)]) for title, rows in self.groups)
        return Listing(self.title, self.heads, [group for group in kept if group.rows])

    def about(self, *words: str) -> Listing:
        """Returns the table with only the rows whose first cell contains one of the words."""
        return self.where(lambda row: any(word in str(row[0]) for word in words))

    def __str__(self) -> str:
        all_rows = [self.heads, *(row for group in self.groups for row in group.rows)]
        rows = [[_CODE.sub(r"\2", str(cell)) for cell in row] for row in all_rows]
        widths = [max(columns(row[k]) for row in rows) for k in range(len(self.heads))]
        return "\n".join("  ".join(map(padded, row, widths)).rstrip() for row in rows)

    __repr__ = __str__

    def to_markdown(self) -> str:
        """Returns the table as Markdown: its title, and a Markdown table for each group."""
        return "\n\n".join([f"**{self.title}**", *self.tables()])

    _repr_markdown_ = to_markdown

    def tables(self) -> Iterator[str]:
        """The Markdown tables alone, one for each group; the group's title heads its first column."""
        for title, rows in self.groups:
            first, *others = self.heads
            lines: list[Sequence[Cell]] = [[title or first, *others], ["---"] * len(self.heads), *rows]
            cells = ([str(cell).replace("|", "\\|") for cell in line] for line in lines)  # a bar would end a cell
            yield "\n".join(f"| {' | '.join(line)} |" for line in cells)

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col">{_html(head)}</th>' for head in self.heads)
        bodies = "".join(self._body(group) for group in self.groups)
        return f"<table><caption>{_html(self.title)}</caption><thead><tr>{heads}</tr></thead>{bodies}</table>"

    def _body(self, group: Group) -> str:
        title = ""
        if group.title is not None:
            # JupyterLab aligns the text of a table to the right, away from where a title belongs.
            cell = f'<th scope="rowgroup" colspan="{len(self.heads)}" style="text-align: left">'
            title = f"<tr>{cell}{_html(group.title)}</th></tr>"
        return f"<tbody>{title}{''.join(map(_row, group.rows))}</tbody>"


def _row(row: Sequence[Cell]) -> str:
    first, *others = row
    return f'<tr><th scope="row">{_html(first)}</th>{"".join(f"<td>{_html(cell)}</td>" for cell in others)}</tr>'


def _html(cell: Cell) -> str:
    """Text with `code` in backquotes, as HTML."""
    return _CODE.sub(r"<code>\2</code>", escape(str(cell)))
