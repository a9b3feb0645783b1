"""Makes an entry of what an author writes."""

from __future__ import annotations

from textwrap import dedent

from inplacelab.language import Text
from inplacelab.lessons.differences import Difference, Kind

SAME = "the same text"
"""Stands for a PyTorch version that reads exactly as the program itself."""


def difference(
    *, key: str, kind: Kind, title: Text, program: str, why: Text, torch: str | None = SAME, fixed: str | None = None
) -> Difference:
    """An entry of the page; its attributes are described in `Difference`.

    Args:
        key: a name that does not change, in words with hyphens.
        kind: what the entry shows.
        title: what the program does.
        program: its text for inplacelab and Paddle. This and the two below may be indented.
        why: why the answers differ.
        torch: the PyTorch version; `SAME`; or None if there is none, for the reason that `why` then gives.
        fixed: for a program that is refused: one of the same meaning that is not.
    """
    text = _plain(program)
    return Difference(
        key=key,
        kind=kind,
        title=title,
        program=text,
        torch=text if torch == SAME else None if torch is None else _plain(torch),
        why=why,
        fixed=None if fixed is None else _plain(fixed),
    )


def _plain(program: str) -> str:
    """A program without the indentation that it has in our source."""
    return dedent(program).strip() + "\n"
