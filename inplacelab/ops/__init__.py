"""The operations. Importing this package reads the table and gives `Tensor` its methods."""

from __future__ import annotations

from inplacelab.autograd import methods
from inplacelab.ops import (
    contractions,
    elementwise,
    factories,
    geometry,
    indexing,
    operators,
    reductions,
    transfers,
    views,
    writes,
)
from inplacelab.ops.table import FUNCTIONS, ROWS

__all__ = ["FUNCTIONS", "ROWS", "contractions", "elementwise", "factories", "reductions", "views"]

methods.attach()
geometry.attach()
writes.attach()
transfers.attach()
indexing.attach()
operators.attach()
