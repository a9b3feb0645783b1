"""The operations. Importing this package reads the table and gives `Tensor` its methods."""

from __future__ import annotations

from inplacelab.autograd import methods
from inplacelab.ops import (  # noqa: F401  # importing a chapter adds its rows
    activations,
    along_axis,
    arithmetic,
    arranging,
    asking,
    brackets,
    choosing,
    comparisons,
    composed,
    contractions,
    diagonals,
    dropping,
    einsum,
    elementwise,
    exponentials,
    extremes,
    factories,
    geometry,
    grids,
    indexing,
    joining,
    limits,
    linear_algebra,
    logic,
    masking,
    norms,
    operators,
    pairs,
    powers,
    random_fills,
    random_tensors,
    reallocations,
    reductions,
    rounding,
    scans,
    scattering,
    sorting,
    special,
    splitting,
    statistics,
    torch_names,
    transfers,
    trigonometry,
    two_meanings,
    views,
    windows,
    writes,
)
from inplacelab.ops.table import FUNCTIONS, ROWS

__all__ = ["FUNCTIONS", "ROWS", "contractions", "elementwise", "factories", "reductions", "views"]

methods.attach()
geometry.attach()
writes.attach()
transfers.attach()
torch_names.attach()
splitting.attach()
joining.attach()
arranging.attach()
windows.attach()
brackets.attach()
masking.attach()
two_meanings.attach()
operators.attach()
reallocations.attach()
asking.attach()
comparisons.attach()
choosing.attach()
diagonals.attach()
einsum.attach()
grids.attach()
sorting.attach()
composed.attach()
