"""The operations. Importing this package reads the table and gives `Tensor` its methods.

Each module of this folder is a chapter of the table: rows of one subject, with their kernels and derivatives, and functions that are
made of rows. The folders are the machinery:

    table/       the rows by name, and what is printed and generated from them
    template/    generates the Python functions of a row
    generated/   those functions, a file for each chapter: what runs when a program calls an operation
    arguments/   checks and converts what an operation is given
    results/     makes what it returns
    cuda/        launches a row's own kernel on a GPU
"""

from __future__ import annotations

from inplacelab.ops import (  # noqa: F401  # importing a chapter adds its rows
    activations,
    along_axis,
    arithmetic,
    backward_operations,
    binary_functions,
    clipping,
    comparisons,
    complex_numbers,
    composed,
    contractions,
    copies_and_casts,
    counting,
    creation,
    decompositions,
    device_transfers,
    diagonals,
    dropout,
    einsum,
    explicit_views,
    exponentials,
    flip_roll_tile,
    indexing,
    joining,
    linear_algebra,
    logic,
    masking,
    matrices,
    max_and_min,
    maximum_and_where,
    meshgrid,
    norms,
    operators,
    overloads,
    padding,
    powers,
    properties,
    quantiles,
    random_creation,
    random_fills,
    reallocations,
    reductions,
    rounding,
    scans,
    scattering,
    sorting,
    special,
    splitting,
    statistics,
    subscript,
    torch_names,
    torch_rules,
    trigonometry,
    views,
    writes,
    written_copies,
)
from inplacelab.ops.table import FUNCTIONS, ROWS
from inplacelab.ops.table.row import BUILT_IN

__all__ = ["FUNCTIONS", "ROWS"]

BUILT_IN.update(ROWS)
