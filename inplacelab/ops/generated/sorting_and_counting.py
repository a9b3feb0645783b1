"""The functions of the rows in `inplacelab/ops/sorting_and_counting.py`.

Generated: `python -m inplacelab.ops.table.generate` writes this file. Do not edit it.
"""

from __future__ import annotations

from typing import Any

from inplacelab.modes import current as current_modes
from inplacelab.ops import sorting_and_counting as chapter
from inplacelab.ops.arguments import keywords, operands
from inplacelab.ops.arguments.keywords import ABSENT
from inplacelab.ops.table.depends import dependence
from inplacelab.ops.table.row import required
from inplacelab.tensor import Tensor, fresh, known_form

# ---- argsort -------------------------------------------------------------------------------------

ARGSORT = chapter.ARGSORT
ARGSORT_PREPARE_AXIS = chapter._axis
ARGSORT_DTYPE = required(ARGSORT.dtype)
ARGSORT_KERNEL = chapter._argsort


def argsort(
    x: Tensor = ABSENT,
    axis: Any = ABSENT,
    descending: Any = False,
    stable: Any = False,
    name: str | None = None,
    _: Any = ABSENT,
    input: Any = ABSENT,
    dim: Any = ABSENT,
) -> Tensor:
    """The indices along `axis` that would sort `x`."""
    if input is not _ or dim is not _:
        keywords.check_named("argsort", 5, _)
        x = keywords.either("argsort", "x", x, "input", input)
        axis = keywords.either("argsort", "axis", axis, "dim", dim)
    if axis is _:
        axis = -1
    if type(x) is not Tensor:
        x = operands.as_tensor("argsort", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("argsort", "fiu", form0.dtype)
    storage = x.storage
    axis = ARGSORT_PREPARE_AXIS(a0, axis)
    form = None
    array = storage.device.empty(form0.shape, ARGSORT_DTYPE())
    try:
        ARGSORT_KERNEL(array, a0, axis, descending, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "argsort",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(
                ARGSORT, {"x": a0, "axis": axis, "descending": descending, "stable": stable}, array.shape
            ),
        )
    return result


# ---- _first_places -------------------------------------------------------------------------------

_FIRST_PLACES = chapter._FIRST_PLACES_ROW
_FIRST_PLACES_VALIDATE = chapter._check_enough
_FIRST_PLACES_PREPARE_AXIS = chapter._axis
_FIRST_PLACES_PREPARE_K = chapter._how_many
_FIRST_PLACES_SHAPE = chapter._shortened
_FIRST_PLACES_DTYPE = required(_FIRST_PLACES.dtype)
_FIRST_PLACES_KERNEL = chapter._first


def _first_places(x: Tensor, k: Any, axis: Any = -1, largest: Any = True, name: str | None = None) -> Tensor:
    """The indices along `axis` of the `k` largest, or smallest, elements."""
    if type(x) is not Tensor:
        x = operands.as_tensor("topk", "x", 0, x)
    a0, form0 = x.array, x.form or known_form(x)
    if form0.kind not in "fiu":
        operands.check_dtype("topk", "fiu", form0.dtype)
    _FIRST_PLACES_VALIDATE(a0, k, axis)
    storage = x.storage
    axis = _FIRST_PLACES_PREPARE_AXIS(a0, axis)
    k = _FIRST_PLACES_PREPARE_K(a0, k)
    form = None
    array = storage.device.empty(_FIRST_PLACES_SHAPE(form0.shape, k, axis), _FIRST_PLACES_DTYPE())
    try:
        _FIRST_PLACES_KERNEL(array, a0, k, axis, largest, storage.device)
    except RuntimeWarning:
        pass
    result = fresh(array, storage.device, form)
    mode = current_modes()
    node = None
    if mode.listeners:
        mode.notify(
            "topk",
            "ordinary",
            (x,),
            result,
            node,
            depends=dependence(_FIRST_PLACES, {"x": a0, "k": k, "axis": axis, "largest": largest}, array.shape),
        )
    return result
