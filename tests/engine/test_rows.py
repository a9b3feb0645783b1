"""The standard tests of every row of the table, in every variant, compared with NumPy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS, ROWS, elementwise
from inplacelab.ops.table.documentation import describe
from inplacelab.ops.table.row import names_in, parameters_of
from tests.row_cases.each import for_each_variant, is_elementwise
from tests.row_cases.every import CASES


def tensors(arrays: list[Any], dtype: str = "float64") -> list[Tensor]:
    """Tensors of floating-point arrays in `dtype`; indices and masks as they are."""
    return [paddle.to_tensor(each.astype(dtype) if each.dtype.kind == "f" else each) for each in arrays]


def strided(array: Any, gaps: float = 0.0) -> Tensor:
    """The same elements, in every second slot of a storage, with the axes in reverse order, and `gaps` in the slots between."""
    shape = (*array.shape[::-1][:-1], 2 * array.shape[0]) if array.ndim else (2,)
    base = paddle.full(list(shape), gaps, dtype=str(array.dtype))
    view = base[..., ::2].transpose(list(range(array.ndim))[::-1]) if array.ndim else base[0]
    with paddle.no_grad():
        view.copy_(paddle.to_tensor(array))
    return view


def test_every_row_has_a_case() -> None:
    assert {case.row.name for case in CASES} == set(ROWS)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@for_each_variant()
def test_it_computes_what_numpy_computes(case: Any, variant: str, dtype: str) -> None:
    arrays = [a.astype(dtype) if a.dtype.kind == "f" else a for a in case.arrays()]
    result = case.call(variant, tensors(arrays, dtype))
    expected = case.expected(arrays)
    assert result.shape == list(expected.shape)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-12 if dtype == "float64" else 1e-5)


@pytest.mark.standard
@for_each_variant()
def test_what_is_shared_and_what_is_new(case: Any, variant: str) -> None:
    inputs = tensors(case.arrays())
    x = inputs[0]
    before, version = x.storage, x.inplace_version
    result = case.call(variant, inputs)
    assert (result is x) == (variant in ("in-place", "relayout"))
    if case.row.name == "cast":
        return  # to the same dtype: a copy out of place, nothing to do in place
    stays = variant != "ordinary" and not (variant == "in-place" and case.moves)
    assert (result.storage is before) == stays
    assert before.version - version == (stays and variant != "view")


@pytest.mark.standard
@for_each_variant()
def test_operands_are_left_alone(case: Any, variant: str) -> None:
    arrays = case.arrays()
    inputs = tensors(arrays)
    case.call(variant, inputs)
    first = variant in ("in-place", "relayout")
    for tensor, array in list(zip(inputs, arrays, strict=True))[first:]:
        np.testing.assert_array_equal(tensor.numpy(), array)
        assert tensor.inplace_version == 0


@pytest.mark.standard
@for_each_variant()
def test_strided_inputs_make_no_difference(case: Any, variant: str) -> None:
    arrays = case.arrays()
    # A window is given in slots of the storage, not in elements: it has another meaning in another layout. And a view
    # cannot show every layout.
    bound = case.row.name in ("_window", "_as_shape", "as_complex")
    result = case.call(variant, tensors(arrays) if bound else [strided(a) for a in arrays])
    np.testing.assert_allclose(result.numpy(), case.expected(arrays), rtol=1e-12)


@for_each_variant("in-place")
def test_in_place_through_a_view_writes_only_its_slots(case: Any, variant: str) -> None:
    arrays = case.arrays()
    view = strided(arrays[0], gaps=7.0)
    base = view.base
    assert base is not None
    slots = np.zeros(base.shape, bool)
    slots[..., ::2] = True
    case.call(variant, [view, *tensors(arrays[1:])])
    np.testing.assert_allclose(view.numpy(), case.expected(arrays), rtol=1e-12)
    assert set(base.numpy()[~slots].tolist()) == {arrays[0].dtype.type(7)}
    assert (view.base is None) == case.moves


@pytest.mark.standard
@pytest.mark.parametrize("shape", [(), (0,), (0, 3)])
@for_each_variant(only=is_elementwise)
def test_no_axes_and_no_elements(case: Any, variant: str, shape: tuple[int, ...]) -> None:
    arrays = case.arrays((shape,) * len(case.shapes))
    result = case.call(variant, tensors(arrays))
    assert result.shape == list(shape)
    np.testing.assert_allclose(result.numpy(), case.expected(arrays), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "int64", "bool"])
@pytest.mark.parametrize(
    "name", [row.name for row in ROWS.values() if row.kind in ("reduction", "scan") and row.name[0] != "_"]
)
def test_a_number_is_reduced_like_one_element(name: str, dtype: str) -> None:
    """What NumPy computes from an array without axes is a number, into which nothing can be written."""

    def answer(data: Any) -> Any:
        try:
            return getattr(paddle.to_tensor(data, dtype=dtype), name)()
        except (errors.Refusal, TypeError) as error:  # of this dtype, or without its arguments
            return type(error), str(error).partition("\n")[0]

    one, number = answer([3]), answer(3)
    assert isinstance(number, Tensor) == isinstance(one, Tensor), number
    if isinstance(one, Tensor):
        np.testing.assert_allclose(number.numpy().reshape(-1), one.numpy().reshape(-1))


@pytest.mark.standard
@for_each_variant()
def test_the_documentation_is_in_both_languages(case: Any, variant: str) -> None:
    name = case.row.name + "_" * (variant in ("in-place", "relayout"))
    if case.row.method:
        words = getattr(Tensor, name).__doc__
        assert case.row.says.en in words
        assert case.row.says.zh in words


@pytest.mark.standard
@for_each_variant()
def test_the_documentation_names_every_parameter(case: Any, variant: str) -> None:
    if case.row.name.startswith("_"):
        return  # not for programs
    text = describe(case.row, variant)
    names = [each.name for each in case.row.parameters if each.name != "out" or variant == "ordinary"]
    assert re.findall(r"^    (\w+): ", text.en.partition("Args:\n")[2].partition("\n\n")[0], re.MULTILINE) == names
    assert re.findall(r"^    (\w+)：", text.zh.partition("参数：\n")[2].partition("\n\n")[0], re.MULTILINE) == names


@pytest.mark.standard
@for_each_variant()
def test_functions_and_methods_are_the_same(case: Any, variant: str) -> None:
    name = case.row.name + "_" * (variant in ("in-place", "relayout"))
    if case.row.method and case.row.function:
        assert getattr(paddle, name) is getattr(Tensor, name)
    for alias in case.row.aliases:
        assert getattr(Tensor, alias + name[len(case.row.name) :]) is getattr(Tensor, name)


def test_a_row_that_takes_a_name_again_takes_it_everywhere() -> None:
    def kernel(factor: float) -> Any:
        return lambda out, x: np.multiply(x, factor, out=out)

    places = (paddle, paddle.nn.functional, Tensor)
    try:
        for factor in (2.0, 3.0):
            elementwise("_again", "x", ("", ""), kernel=kernel(factor), d_x=lambda g: g, functional=True)
            named = [getattr(each, name)(paddle.ones([1])) for each in places for name in ("_again", "_again_")]
            assert [result.item() for result in named] == [factor] * 6
    finally:
        del ROWS["_again"]
        for name in ("_again", "_again_"):
            del FUNCTIONS[name], FUNCTIONAL[name]
            delattr(Tensor, name)
            for module in (paddle, paddle.nn.functional):
                delattr(module, name)


def test_the_names_of_the_parameters_are_read_without_compiling_them() -> None:
    assert [
        row.name for row in ROWS.values() if {*names_in(row.call or row.attrs)} - {""} != {*parameters_of(row.empty)}
    ] == []


def test_a_refused_derivative_names_only_parameters_that_exist() -> None:
    with pytest.raises(errors.RowError) as refused:
        elementwise("misspelled", "x", ("x", "x"), kernel=np.abs, d_x=lambda g, result: g)
    assert "choose from `g`, `out`" in str(refused.value)
    assert names_in("") == ()
