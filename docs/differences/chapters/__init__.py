"""The page's chapters, in the order in which they are shown: data only."""

from __future__ import annotations

from differences.chapters import (
    backward,
    dtypes,
    escapes,
    leaves,
    overlap,
    versions,
    views_and_copies,
    windows,
    without_derivative,
    writes_seen_by_views,
    writes_through_views,
)

CHAPTERS = tuple(
    module.CHAPTER
    for module in (
        writes_through_views,
        writes_seen_by_views,
        windows,
        leaves,
        versions,
        without_derivative,
        overlap,
        dtypes,
        backward,
        views_and_copies,
        escapes,
    )
)
