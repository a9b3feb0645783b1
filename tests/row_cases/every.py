"""All cases, by chapter. A row without a case fails a test."""

from __future__ import annotations

from tests.row_cases import (
    along_axis,
    arithmetic,
    comparisons,
    contractions,
    decompositions,
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
    sorting,
    torch_rules,
    unary,
    views,
    writes,
)

CHAPTERS = {
    chapter.__name__.rpartition(".")[2]: chapter.CASES
    for chapter in (
        elementwise,
        unary,
        arithmetic,
        comparisons,
        contractions,
        reductions,
        views,
        parts,
        writes,
        random_fills,
        reallocations,
        indexing,
        along_axis,
        diagonals,
        decompositions,
        linear_algebra,
        masking,
        norms,
        scans,
        scattering,
        sorting,
        torch_rules,
    )
}
"""The cases of each chapter of the table."""

CASES = [case for chapter in CHAPTERS.values() for case in chapter]
