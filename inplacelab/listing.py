"""Lists that show themselves: as text in a terminal, in a notebook as a table, in the current language.

A cell is words with `code` in backquotes. Rows stand in groups, each with a title.

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

from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import NamedTuple
from unicodedata import east_asian_width

from inplacelab.language import Text

Cell = str | Text


class Group(NamedTuple):
    """Rows that belong together."""

    title: Text
    rows: Sequence[Sequence[Cell]]


class Listing:
    """A table of words.

    Attributes:
        title: what it lists.
        heads: what stands in each column.
        groups: the rows.
    """

    def __init__(self, title: Text, heads: Sequence[Text], groups: Sequence[Group]) -> None:
        self.title, self.heads, self.groups = title, tuple(heads), tuple(groups)

    def __len__(self) -> int:
        return sum(len(group.rows) for group in self.groups)

    def where(self, wanted: Callable[[Sequence[Cell]], bool]) -> Listing:
        """Only the rows that `wanted` says True of."""
        kept = (Group(title, [row for row in rows if wanted(row)]) for title, rows in self.groups)
        return Listing(self.title, self.heads, [group for group in kept if group.rows])

    def about(self, *words: str) -> Listing:
        """Only the rows whose first cell contains one of the words."""
        return self.where(lambda row: any(word in str(row[0]) for word in words))

    def __str__(self) -> str:
        rows = [[_bare(str(cell)) for cell in row] for row in (self.heads, *self._rows())]
        widths = [max(_width(row[k]) for row in rows) for k in range(len(self.heads))]
        return "\n".join("  ".join(map(_padded, row, widths)).rstrip() for row in rows)

    __repr__ = __str__

    def _rows(self) -> Iterator[Sequence[Cell]]:
        for group in self.groups:
            yield from group.rows

    def to_markdown(self) -> str:
        """The list as Markdown tables, one for each group."""
        parts = [f"**{self.title}**"]
        for group in self.groups:
            heads = [str(group.title), *(str(head) for head in self.heads[1:])]
            lines = [
                heads,
                ["---"] * len(heads),
                *([str(cell).replace("|", "\\|") for cell in row] for row in group.rows),
            ]
            parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines))
        return "\n\n".join(parts)

    _repr_markdown_ = to_markdown

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col">{_html(head)}</th>' for head in self.heads)
        bodies = "".join(self._body(group) for group in self.groups)
        return f"<table><caption>{_html(self.title)}</caption><thead><tr>{heads}</tr></thead>{bodies}</table>"

    def _body(self, group: Group) -> str:
        title = f'<tr><th scope="rowgroup" colspan="{len(self.heads)}">{_html(group.title)}</th></tr>'
        return f"<tbody>{title}{''.join(map(_row, group.rows))}</tbody>"


def _row(row: Sequence[Cell]) -> str:
    first, *others = row
    return f'<tr><th scope="row">{_html(first)}</th>{"".join(f"<td>{_html(cell)}</td>" for cell in others)}</tr>'


def _html(cell: Cell) -> str:
    """Words with `code` in backquotes, as HTML."""
    parts = escape(str(cell)).split("`")
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(parts))


def _bare(words: str) -> str:
    return words.replace("`", "")


def _width(words: str) -> int:
    """How many columns the words take: a Chinese character takes two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in words)


def _padded(words: str, width: int) -> str:
    return words + " " * (width - _width(words))
