"""The functions of the package's rows are files that one can open."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

import numpy as np

import inplacelab as paddle
from inplacelab.ops import generated, template
from inplacelab.ops.table import LazyFunction, generate, variants
from inplacelab.ops.table.row import BUILT_IN

FOLDER = str(Path(generated.__file__).parent)


def test_the_files_are_what_the_table_makes_of_them() -> None:
    assert not generate.stale(), "run `python -m inplacelab.ops.table.generate`"


def test_all_functions_of_the_package_are_in_files() -> None:
    for row in BUILT_IN.values():
        for variant in (*variants(row), *["operator"] * bool(row.operator)):
            function = LazyFunction(row, variant).function()
            assert function.__code__.co_filename.startswith(FOLDER), (row.name, variant)


def test_python_finds_their_source() -> None:
    assert inspect.getsourcefile(paddle.Tensor.add_) == str(Path(FOLDER, "arithmetic.py"))
    assert inspect.getsource(paddle.Tensor.add_).startswith("def add_(\n")
    assert "storage.version += 1" in inspect.getsource(paddle.Tensor.add_)


def test_a_learners_row_of_the_same_name_has_functions_of_its_own() -> None:
    row = replace(BUILT_IN["exp"], ufunc=np.exp2, kernel=None)
    assert LazyFunction(row, "ordinary").function()(paddle.to_tensor([3.0])).tolist() == [8.0]
    assert LazyFunction(BUILT_IN["exp"], "ordinary").function()(paddle.to_tensor([0.0])).tolist() == [1.0]
    made = template.function(row, "in-place")
    assert made.__code__.co_filename == "<inplacelab operation exp_>"
    assert inspect.getsource(made).startswith("def exp_(x, name=None):\n")
