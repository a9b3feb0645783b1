"""All cases, chapter by chapter: a row without one fails a test."""

from __future__ import annotations

from tests.row_cases import contractions, elementwise, indexing, reductions, views, writes

CASES = [
    *elementwise.CASES,
    *contractions.CASES,
    *reductions.CASES,
    *views.CASES,
    *writes.CASES,
    *indexing.CASES,
]
