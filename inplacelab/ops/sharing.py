"""The table of views: which operations give the tensor itself, a view or a copy; here, in PaddlePaddle and in PyTorch.

    python -m inplacelab.ops.sharing             print it (INPLACELAB_LANGUAGE=zh for Chinese)

In a notebook, `inplacelab.ops.sharing.TABLE` shows itself. Every line is a program on a tensor `x` of shape [3, 4]; the tests
run each one here, in the real PaddlePaddle 3.3.1 and in PyTorch 2.13, write through the result, and look at `x`.
"""

from __future__ import annotations

from html import escape
from unicodedata import east_asian_width

from inplacelab.language import Text
from inplacelab.ops.sharing_rows import CHAPTERS, Chapter, Line

__all__ = ["CHAPTERS", "TABLE", "Chapter", "Line", "Table"]

_TITLE = Text("Self, view or copy", "自身、视图还是副本")
_HEADS = (
    Text("operation", "操作"), Text("inplacelab", "inplacelab"), Text("Paddle 3.3.1", "Paddle 3.3.1"),
    Text("PyTorch 2.13", "PyTorch 2.13"), Text("one counter with `x`", "与 `x` 共用计数器"), Text("may be written", "可写"),
    Text("note", "说明"),
)  # fmt: skip
_KINDS = {"self": Text("self", "自身"), "view": Text("view", "视图"), "copy": Text("copy", "副本"), "": Text("-", "-")}
_YES, _NO = Text("yes", "是"), Text("no", "否")
_IN_PADDLE = Text("{here} (Paddle: {paddle})", "{here}（Paddle：{paddle}）")
_NOTHING = Text("", "")


def _said(yes: bool) -> Text:
    return _YES if yes else _NO


def _counter(line: Line) -> Text:
    here, paddle = line.shares_counter, line.shares_counter_in_paddle
    return _said(here) if here == paddle else _IN_PADDLE.format(here=_said(here), paddle=_said(paddle))


def _cells(line: Line) -> tuple[str, ...]:
    """What stands in a line, after its program, in the current language."""
    kinds = (_KINDS[line.here], _KINDS[line.paddle], _KINDS[line.torch])
    return tuple(str(cell) for cell in (*kinds, _counter(line), _said(line.writable), line.note or _NOTHING))


class Table:
    """Chapters of lines that show themselves: as text, in a notebook as a table, in the current language.

    >>> from inplacelab.ops.sharing import TABLE
    >>> print(TABLE.about("x.unbind", "x.split"))
    operation      inplacelab  Paddle 3.3.1  PyTorch 2.13  one counter with `x`  may be written  note
    x.unbind()[0]  view        view          view          yes                   yes             PyTorch refuses to write them
    x.split(3)[0]  copy        copy          view          no                    yes             PyTorch refuses to write them
    """

    def __init__(self, chapters: tuple[Chapter, ...]) -> None:
        self.chapters = chapters

    def about(self, *words: str) -> Table:
        """Only the lines whose program contains one of the words."""
        kept = (
            Chapter(title, tuple(line for line in lines if any(word in line.program for word in words)))
            for title, lines in self.chapters
        )
        return Table(tuple(chapter for chapter in kept if chapter.lines))

    def __str__(self) -> str:
        rows = [tuple(map(str, _HEADS))]
        for chapter in self.chapters:
            rows += [(line.program, *_cells(line)) for line in chapter.lines]
        widths = [max(_width(row[k]) for row in rows) for k in range(len(_HEADS))]
        return "\n".join("  ".join(map(_padded, row, widths)).rstrip() for row in rows)

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        parts = [f"**{_TITLE}**"]
        for chapter in self.chapters:
            heads = " | ".join((str(chapter.title), *map(str, _HEADS[1:])))
            lines = (" | ".join((f"`{line.program}`", *_cells(line))) for line in chapter.lines)
            parts.append("\n".join((f"| {heads} |", "|" + " --- |" * len(_HEADS), *(f"| {line} |" for line in lines))))
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col">{_code(str(head))}</th>' for head in _HEADS)
        bodies = "".join(map(_body, self.chapters))
        return f"<table><caption>{escape(str(_TITLE))}</caption><thead><tr>{heads}</tr></thead>{bodies}</table>"


def _body(chapter: Chapter) -> str:
    title = f'<tr><th scope="rowgroup" colspan="{len(_HEADS)}">{escape(str(chapter.title))}</th></tr>'
    return f"<tbody>{title}{''.join(map(_row, chapter.lines))}</tbody>"


def _row(line: Line) -> str:
    cells = "".join(f"<td>{_code(cell)}</td>" for cell in _cells(line))
    return f'<tr><th scope="row"><code>{escape(line.program)}</code></th>{cells}</tr>'


def _code(words: str) -> str:
    """Words with `code` in backquotes, as HTML."""
    return "".join(f"<code>{part}</code>" if k % 2 else part for k, part in enumerate(escape(words).split("`")))


def _width(words: str) -> int:
    """How many columns the words take: a Chinese character takes two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in words)


def _padded(words: str, width: int) -> str:
    return words + " " * (width - _width(words))


TABLE = Table(CHAPTERS)
"""The whole table."""

if __name__ == "__main__":
    print(TABLE)
