"""Every line of the table of views is run here, in the real PaddlePaddle, and in PyTorch, and agrees with the table."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab import errors
from inplacelab.language import speak
from inplacelab.ops.table.views_and_copies import CHAPTERS, TABLE, Kind, Line
from tests.subtests import for_each

LINES = [line for chapter in CHAPTERS for line in chapter.lines]
for_every_line = for_each("line", LINES, ids=lambda line: line.program)


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


@pytest.fixture(scope="module")
def torch() -> ModuleType:
    module: ModuleType = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    return module


def numbers() -> Any:
    return np.arange(1, 13, dtype="float32").reshape(3, 4)


def kind_of(x: Any, result: Any, before: Any) -> Kind:
    """The kind of result (self, view, copy), found by writing it."""
    if result is x:
        return "self"
    return "copy" if np.array_equal(x.detach().numpy(), before) else "view"


def times_nought(result: Any) -> None:
    """Write zeros: by an operation that reads what it writes, so that overlapping windows are noticed."""
    result.scale_(0.0) if hasattr(result, "scale_") else result.mul_(0)


def written(result: Any, no_grad: Any) -> bool:
    """Writes the result while gradients are recorded, or else under `no_grad`; True if the first was possible."""
    try:
        times_nought(result)
    except (RuntimeError, ValueError):
        with no_grad():
            result.detach().fill_(0)
        return False
    return True


@for_every_line
def test_here(line: Line) -> None:
    x = inplacelab.to_tensor(numbers(), stop_gradient=False) * 1
    result = eval(line.program, {"x": x, "paddle": inplacelab})
    before, version = numbers(), x.inplace_version
    if line.writable:
        times_nought(result)
        assert kind_of(x, result, before) == line.here
        assert (x.inplace_version == version + 1) == line.shares_counter
    else:
        with pytest.raises(errors.WriteConflictError, match="single memory location"):
            times_nought(result)
        assert result.storage is x.storage
        assert line.here == "view"
        assert x.inplace_version == version
        assert line.shares_counter
    assert (result.storage is x.storage) == (line.here != "copy")


@for_every_line
def test_gradients_of_a_written_result_reach_its_source(line: Line) -> None:
    a = inplacelab.to_tensor(numbers(), stop_gradient=False)
    x = a * 1
    result = eval(line.program, {"x": x, "paddle": inplacelab})
    if not line.writable or result.stop_gradient:
        return
    times_nought(result)
    x.sum().backward()
    assert a.grad is not None
    np.testing.assert_array_equal(a.grad.numpy(), 1.0 * (x.numpy() == numbers()))


@pytest.mark.oracle
@for_every_line
@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
def test_in_paddle(line: Line, paddle: Any) -> None:
    x = paddle.to_tensor(numbers(), stop_gradient=False) * 1
    result = eval(line.program, {"x": x, "paddle": paddle})
    version = x.inplace_version
    assert written(result, paddle.no_grad)
    assert kind_of(x, result, numbers()) == line.paddle
    assert (x.inplace_version > version) == line.shares_counter_in_paddle


@pytest.mark.oracle
@for_every_line
@pytest.mark.filterwarnings("ignore:To copy construct from a tensor")
def test_in_torch(line: Line, torch: Any) -> None:
    if not line.torch:
        return
    x = torch.tensor(numbers(), requires_grad=True) * 1
    result = eval(line.in_torch or line.program, {"x": x, "torch": torch})
    assert written(result, torch.no_grad) == line.writable_in_torch
    assert kind_of(x, result, numbers()) == line.torch


def test_the_table_is_in_both_languages() -> None:
    html = TABLE._repr_html_().replace("&#x27;", "'").replace("&gt;", ">")
    for shown in (str(TABLE), html, TABLE._repr_markdown_()):
        assert [line.program for line in LINES if line.program not in shown] == []
    with speak("zh"):
        assert "副本" in str(TABLE)
        assert "自身、视图还是副本" in TABLE._repr_html_()
        assert TABLE._repr_markdown_().count("\n| `") == len(LINES)


def test_lines_stand_under_each_other() -> None:
    with speak("zh"):
        heads, *rows = str(TABLE.about("reshape")).splitlines()
    assert len(rows) == sum("reshape" in line.program for line in LINES)
    assert heads.startswith("操作")
