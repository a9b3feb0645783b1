"""A notebook widget for a list that can be sorted and filtered, such as the table of operations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from inplacelab.language import Text, get_language
from inplacelab.listing import Cell, Listing
from inplacelab_widgets.live_widget import LiveWidget
from inplacelab_widgets.player_bundle import for_anywidget, stylesheet, without_comments

__all__ = ["ListView"]

_HERE = Path(__file__).parent
_FILTER = Text("filter: words that a row contains", "筛选：行中包含的词")
_COUNT = Text("{shown} of {all}", "{shown} / {all}")


class ListView(LiveWidget):
    """Shows a `Listing`. Click a column head to sort by it; type words to keep only the rows that contain them.

    Args:
        listing: the rows to show.

    >>> from inplacelab.ops.table.printed import listing  # doctest: +SKIP
    >>> ListView(listing(), words="never")  # doctest: +SKIP
    """

    _esm = for_anywidget(
        (_HERE / "list_view.js").read_text(encoding="utf-8"),
        stylesheet() + without_comments((_HERE / "list_view.css").read_text(encoding="utf-8")),
    )

    words = traitlets.Unicode("", help="Only rows that contain all these words are shown.").tag(sync=True)
    sorted_by = traitlets.Int(-1, help="The column that is sorted by, from 0; -1: as listed.").tag(sync=True)
    descending = traitlets.Bool(False, help="Whether the largest stands first.").tag(sync=True)
    _list = traitlets.Dict().tag(sync=True)

    def __init__(self, listing: Listing, **traits: Any) -> None:
        self._listing = listing
        super().__init__(**{"language": get_language(), "_list": _payload(listing), **traits})

    def __repr__(self) -> str:
        return f"ListView({self._listing.title.in_language(self.language)!r}, rows={len(self._listing)})"

    def _static_copy(self) -> dict[str, str]:
        """The static copy: a plain table."""
        return {"text/plain": repr(self), "text/html": self._listing._repr_html_()}


def _payload(listing: Listing) -> dict[str, Any]:
    rows = [[_both(cell) for cell in row] for group in listing.groups for row in group.rows]
    heads = [_both(head) for head in listing.heads]
    return {
        "title": _both(listing.title),
        "heads": heads,
        "rows": rows,
        "filter": _both(_FILTER),
        "count": _both(_COUNT),
    }


def _both(cell: Cell) -> list[str]:
    return [cell.en, cell.zh] if isinstance(cell, Text) else [cell, cell]
