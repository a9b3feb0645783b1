"""All cases, chapter by chapter: a row without one fails a test."""

from __future__ import annotations

from tests.row_cases import (
    along_axis,
    arithmetic,
    comparisons,
    contractions,
    diagonals,
    elementwise,
    indexing,
    linear_algebra,
    masking,
    norms,
    parts,
    random_fills,
    reallocations,
    reductions,
    scans,
    scattering,
    unary,
    views,
    writes,
)

CASES = [
    *elementwise.CASES,
    *unary.CASES,
    *arithmetic.CASES,
    *comparisons.CASES,
    *contractions.CASES,
    *reductions.CASES,
    *views.CASES,
    *parts.CASES,
    *writes.CASES,
    *random_fills.CASES,
    *reallocations.CASES,
    *indexing.CASES,
    *along_axis.CASES,
    *diagonals.CASES,
    *linear_algebra.CASES,
    *masking.CASES,
    *norms.CASES,
    *scans.CASES,
    *scattering.CASES,
]
