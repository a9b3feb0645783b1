"""The tables of in-place forms say what the rows of this package's operations, and what the frameworks themselves, say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import signature
from typing import Any

import pytest

import inplacelab
import inplacelab.torch
from inplacelab.ops import ROWS
from inplacelab.ops.table.row import Row
from inplacelab.supported import InPlaceForms, frameworks

OTHERWISE = frozenset({"cast", "where"})
"""`x.cast_()` of the same type makes no storage either; `where_` writes its second argument."""


def rows() -> Iterator[Row]:
    """The rows that have both forms, compute a result from the old values, and pass a gradient on."""
    for row in ROWS.values():
        both = row.ordinary and row.in_place and row.layout is None
        if both and row.kind != "overwrite" and row.rules[0] is not None and row.name not in OTHERWISE:
            yield row


def written(names: Iterable[str], owner: Any) -> frozenset[str]:
    return frozenset(each for each in names if hasattr(owner, f"{each}_"))


def test_the_engines_forms_are_those_of_its_rows() -> None:
    forms = frameworks()["inplacelab"].in_place
    truths = {row.name for row in rows() if "f" not in row.accepts}
    names = [each for row in rows() for each in (row.name, row.called, *row.aliases) if row.name not in truths]
    public = frozenset(each for each in names if each and not each.startswith("_"))
    assert forms.methods == written(public, inplacelab.Tensor)
    assert forms.functions == written(public, inplacelab)
    assert forms.functional == written(public, inplacelab.nn.functional)
    assert "fill_diagonal_tensor" in forms.methods


def test_a_row_saves_the_same_in_both_forms_so_that_none_keeps_its_result_only_in_place() -> None:
    assert frameworks()["inplacelab"].in_place.keeps_result == frozenset()


def positions(owner: Any) -> dict[str, int]:
    """The functions of a module with an argument `inplace`, with its position."""
    found = {}
    for name in dir(owner):
        function = getattr(owner, name)
        if callable(function) and not isinstance(function, type) and not name.startswith("_"):
            names = list(signature(function).parameters)
            if "inplace" in names:
                found[name] = names.index("inplace")
    return found


@pytest.mark.parametrize("name", ["inplacelab", "inplacelab.torch"])
def test_functions_with_the_argument_are_all_there(name: str) -> None:
    package = {"inplacelab": inplacelab, "inplacelab.torch": inplacelab.torch}[name]
    assert dict(frameworks()[name].in_place.flagged) == positions(package.nn.functional)


@pytest.mark.parametrize("name", ["inplacelab", "inplacelab.torch"])
def test_modules_with_the_argument_take_it_where_the_table_says(name: str) -> None:
    package = {"inplacelab": inplacelab, "inplacelab.torch": inplacelab.torch}[name]
    forms = frameworks()[name].in_place
    for kind, position in forms.modules.items():
        defaults: list[Any] = {"Dropout": [0.5, False, None], "LeakyReLU": [0.01], "Hardtanh": [-1.0, 1.0]}.get(
            kind, []
        )
        made: Any = getattr(package.nn, kind)(*defaults[:position], True)
        assert getattr(made, "inplace", None) or made._given["inplace"]


@pytest.mark.parametrize("name", ["inplacelab.torch"])
def test_functions_and_methods_of_the_table_exist(name: str) -> None:
    forms = frameworks()[name].in_place
    torch: Any = inplacelab.torch
    assert forms.functions == written(forms.functions, torch) == forms.functions & both_forms(torch)
    assert forms.methods == written(forms.methods, torch.Tensor) == forms.methods & both_forms(torch.Tensor)
    assert forms.functional == written(forms.functional, torch.nn.functional)
    left_out = (both_forms(torch) | both_forms(torch.Tensor)) - forms.methods - forms.functions
    assert left_out == NOT_COMPUTED


NOT_COMPUTED = frozenset({
    "bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "detach", "logical_not", "requires_grad", "squeeze", "swapaxes",
    "swapdims", "t", "transpose", "unsqueeze",
})  # fmt: skip
"""What makes views, or has no gradient."""


def both_forms(owner: Any) -> frozenset[str]:
    return frozenset(
        each[:-1]
        for each in dir(owner)
        if each.endswith("_") and not each.startswith("_") and hasattr(owner, each[:-1])
    )


@pytest.mark.parametrize(("name", "augments"), [("inplacelab", False), ("inplacelab.torch", True)])
def test_augmented_assignment(name: str, augments: bool) -> None:
    forms: InPlaceForms = frameworks()[name].in_place
    x = {"inplacelab": inplacelab, "inplacelab.torch": inplacelab.torch}[name].ones([2])
    before = x
    x += x + 1
    assert (x is before) is augments is forms.augments


def test_numbers_in_the_engine_go_through_scale() -> None:
    forms = frameworks()["inplacelab"].in_place
    x = inplacelab.to_tensor([0.3, -7.0, 0.0])
    ordinary = {"add": x + 2.0, "sub": x - 2.0, "mul": x * 2.0, "div": x / 3.0}
    for name, expected in ordinary.items():
        y = x.clone()
        eval("y." + forms.scalars[name].format(3.0 if name == "div" else 2.0), {"y": y})
        assert y.numpy().tobytes() == expected.numpy().tobytes(), name
