"""Printed tensors, compared with recorded samples of PaddlePaddle 3.3.1, and with PaddlePaddle itself."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from inplacelab.language import speak
from inplacelab.printing import PrintOptions, format_data, format_tensor, get_printoptions, set_printoptions
from tests.tiers import examples

SAMPLES = Path(__file__).parent / "data" / "printed_by_paddle.txt"


def sample(written: str) -> Any:
    """The array, the options and the text of one sample."""
    title, text = written.rstrip("\n").split("\n", 1)
    array, _, options = title.partition(" | ")
    return pytest.param(eval(array, {"np": np}), eval(f"dict({options})"), text, id=title)


samples = pytest.mark.parametrize(
    ("array", "options", "text"), [sample(s) for s in SAMPLES.read_text(encoding="utf-8").split("\n=== ")[1:]]
)


@pytest.fixture(autouse=True)
def _print_options() -> Iterator[None]:
    """Restores the print options after each test."""
    yield
    set_printoptions(**PrintOptions()._asdict())


def printed(array: np.ndarray, *, stop_gradient: bool = True, **options: Any) -> str:
    set_printoptions(**options)
    facts: dict[str, Any] = {"shape": array.shape, "dtype_name": array.dtype.name, "place": "Place(cpu)"}
    return format_tensor(array, stop_gradient=stop_gradient, **facts)


@samples
def test_what_paddle_printed(array: np.ndarray, options: dict[str, Any], text: str) -> None:
    assert printed(array, **options) == text


def test_a_thousand_elements_are_printed_one_more_is_summarized() -> None:
    whole = printed(np.arange(1000)).splitlines()
    assert whole[1] == "       [0  , 1  , 2  , 3  , 4  , 5  , 6  , 7  , 8  , 9  , 10 , 11 , 12 , 13 ,"
    assert whole[-1] == "        994, 995, 996, 997, 998, 999])"
    assert "..." not in printed(np.arange(1000))
    assert "..." in printed(np.arange(1001))


def test_the_prefix_sets_the_indent() -> None:
    text = format_tensor(np.eye(2), shape=(2, 2), dtype_name="d", place="p", stop_gradient=False, prefix="T")
    assert text == "T(shape=[2, 2], dtype=d, place=p, stop_gradient=False,\n  [[1., 0.],\n   [0., 1.]])"


def test_a_large_tensor_costs_only_its_edges() -> None:
    huge = np.broadcast_to(np.float32(0.5), (10**9, 10**9))
    assert len(format_data(huge, 0)) < 1000


def test_options_that_are_not_given_stay() -> None:
    set_printoptions(precision=2, sci_mode=True)
    set_printoptions(edgeitems=1)
    assert get_printoptions() == PrintOptions(precision=2, edgeitems=1, sci_mode=True)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"precision": 2.0}, TypeError, r"`precision` must be an int, not 2\.0"),
        ({"threshold": True}, TypeError, "`threshold` must be an int, not True"),
        ({"linewidth": "80"}, TypeError, "`linewidth` must be an int, not '80'"),
        ({"edgeitems": -1}, ValueError, "`edgeitems` must be 0 or more, not -1"),
        ({"sci_mode": 1}, TypeError, "`sci_mode` must be True or False, not 1"),
    ],
)
def test_bad_options_are_refused_and_change_nothing(options: Any, error: type[Exception], message: str) -> None:
    good = {"precision": 3, "linewidth": 40}
    with pytest.raises(error, match=message):
        set_printoptions(**good | options)
    assert get_printoptions() == PrintOptions()


def test_a_refusal_speaks_chinese() -> None:
    with speak("zh"), pytest.raises(ValueError, match="`precision` 不能是负数：-1"):
        set_printoptions(precision=-1)


# --- Paddle itself -------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        module = pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    yield module
    module.set_printoptions(**PrintOptions()._asdict())


DTYPES = st.sampled_from(
    ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool", "complex64", "complex128"]
)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "precision": st.integers(0, 12),
        "threshold": st.integers(0, 60),
        "edgeitems": st.integers(0, 4),
        "sci_mode": st.booleans(),
        "linewidth": st.integers(10, 120),
    },
)


def elements(dtype: str) -> st.SearchStrategy[Any]:
    """Anything of the dtype, and often enough the numbers that people print."""
    anything = arrays.from_dtype(np.dtype(dtype))
    everyday = st.integers(-3, 3) if np.dtype(dtype).kind in "ifc" else st.integers(0, 1)
    return anything | everyday.map(lambda number: number * np.array(0.5 if dtype[0] in "fc" else 1).astype(dtype)[()])


@pytest.mark.oracle
@settings(max_examples=examples(150), deadline=None)
@given(st.data(), OPTIONS)
def test_paddle_prints_the_same(paddle: Any, data: st.DataObject, options: dict[str, Any]) -> None:
    dtype = data.draw(DTYPES)
    array = data.draw(arrays.arrays(dtype, SHAPES, elements=elements(dtype)))
    complete = PrintOptions()._asdict() | options
    paddle.set_printoptions(**complete)
    assert printed(array, **complete) == repr(paddle.to_tensor(array))


@pytest.mark.oracle
@samples
def test_paddle_still_prints_the_samples(paddle: Any, array: np.ndarray, options: dict[str, Any], text: str) -> None:
    chosen = dict(options)
    stop_gradient = chosen.pop("stop_gradient", True)
    paddle.set_printoptions(**PrintOptions()._asdict() | chosen)
    assert repr(paddle.to_tensor(array, stop_gradient=stop_gradient)) == text
