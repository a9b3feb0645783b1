"""Functions that are no rows of the table take other names for their keywords, and separate numbers, too: see `keywords`."""

from __future__ import annotations

from inplacelab.ops.keywords import ALIASES, SEPARATE, with_aliases
from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS, ROWS, variants
from inplacelab.ops.template import name_of
from inplacelab.ops.wishes import WISHES
from inplacelab.tensor import Tensor


def _of_rows() -> set[str]:
    """The names of the functions and methods that are rows."""
    public = [row for row in ROWS.values() if row.method or row.function or row.functional]
    return {
        name + "_" * (name_of(row, variant) != row.name)
        for row in public
        for variant in variants(row)
        for name in (row.name, *row.aliases)
    }


def attach() -> None:
    """Put in place of each function one that takes the other names, wherever it is to be found."""
    of_rows = _of_rows()
    for functions in (FUNCTIONS, FUNCTIONAL):
        composed = {name: make() for name, make in functions.items() if name not in of_rows}
        for op in sorted({*ALIASES, *SEPARATE, *WISHES} & {*composed}):
            function = composed[op]
            taking = with_aliases(function)
            for name in [name for name, each in composed.items() if each is function]:
                functions[name] = lambda taking=taking: taking  # type: ignore[misc]
                if Tensor.__dict__.get(name) is function:
                    setattr(Tensor, name, taking)
