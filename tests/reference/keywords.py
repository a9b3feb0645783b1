"""Which other names Paddle has for a keyword (`dim=` for `axis=`), and what it says when both are given, or neither.

    python -m tests.reference.keywords        ask the real Paddle, and write its answers down (needs PaddlePaddle)

For every function and method of ours that Paddle has too, each keyword is replaced by each word of a list; where the
answer stays the same, the word is another name for it.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

ANSWERS = Path(__file__).with_name("keywords.json")
WORDS = (
    "input other dim size exponent tensors tensor vec2 ord A dims repeats start_dim end_dim dim0 dim1 dim2 axis0 axis1 axis2 source mask value "
    "values from to lambd n m end stop steps num obj sizes correction unbiased keepdim keepdims indices sections indices_or_sections "
    "num_or_sections split_size_or_sections split_size dimension min max mat1 mat2 mat batch1 batch2 vec k diagonal index src p eps epsilon nan func "
    "decimals chunks fill_value shape condition x y repeat_times stride offset storage_offset min_val max_val alpha beta negative_slope "
    "threshold weight tensor1 tensor2 probs lam mean std loc scale sigma median high low num_samples replacement dtype shape_or_dtype "
    "shifts maxnorm max_norm self start length step arr stop_axis start_axis rounding_mode accumulate sorted axes output exclusive"
).split()
"""What a keyword might also be called."""

SAMPLES: dict[str, str] = {
    "x": "M", "input": "M", "y": "N", "other": "N", "arr": "M", "condition": "M > 0.5", "tensor1": "N", "tensor2": "N", "axis": "1", "dim": "1", "keepdim": "True",
    "shape": "[3, 2]", "perm": "[1, 0]", "dtype": "'float64'", "repeat_times": "[1, 2]", "shifts": "1", "start_axis": "1", "stop_axis": "0",
    "num_or_sections": "3", "num_or_indices": "3", "chunks": "3", "axis0": "0", "axis1": "1", "axis2": "0", "offset": "1", "source": "0", "destination": "1",
    "size": "2", "step": "1", "axes": "[1]", "starts": "[1]", "ends": "[2]", "strides": "[1]", "start": "1", "length": "1", "index": "I([0, 1, 1])", "mask": "M > 0.5",
    "value": "2.0", "indices": "I([[0, 1, 0]])", "values": "N[:1]", "src": "N[:1]", "fill_value": "2.0", "min": "0.2", "max": "0.7", "p": "1.0", "n": "1",
    "weight": "0.5", "max_norm": "0.5", "alpha": "0.5", "beta": "0.5", "scale": "2.0", "bias": "1.0", "bias_after_scale": "False", "eps": "0.1",
    "nan": "1.0", "posinf": "2.0", "neginf": "3.0", "decimals": "1", "diagonal": "1", "num": "3", "stop": "5.0", "end": "4", "num_rows": "2", "num_columns": "3",
    "unbiased": "False", "correction": "0", "rtol": "0.5", "atol": "0.5", "equal_nan": "True", "vec": "N[0]", "accumulate": "True", "wrap": "True",
    "lam": "2.0", "loc": "1.0", "probs": "0.5", "mean": "1.0", "std": "2.0", "low": "1", "high": "9", "seed": "3", "num_samples": "2", "replacement": "True",
    "from_": "1", "to": "9", "shape_or_dtype": "[3, 2]", "stride": "[1, 1]", "k": "1", "broadcast": "False", "reduce": "'add'", "include_self": "False",
    "negative_slope": "0.3", "threshold": "0.4", "norm_type": "1.0", "is_arithmetic": "False", "rounding_mode": "'floor'", "as_tuple": "True",
    "data": "[1, 2]", "x_shape": "[2, 1]", "y_shape": "[1, 3]", "obj": "M", "exclusive": "True", "dim1": "1", "dim2": "0", "fill_zero": "True", "blocking": "False",
    "stop_gradient": "False",
}  # fmt: skip
"""What is given for a keyword, as Python: `M` and `N` are tensors of 2 x 3 numbers, `I(...)` one of indices."""

OWN: dict[str, dict[str, str]] = {
    "matmul": {"y": "N.t()"}, "mm": {"y": "N.t()"}, "bmm": {"x": "M.reshape([1, 2, 3])", "y": "N.reshape([1, 3, 2])"}, "dot": {}, "mv": {},
    "addmm": {"input": "M.t() @ N", "x": "M.t()", "y": "N"}, "outer": {"x": "M[0]", "y": "N[1]"}, "concat": {"x": "[M, N]"}, "cat": {"x": "[M, N]"},
    "stack": {"x": "[M, N]"}, "hstack": {"x": "[M, N]"}, "vstack": {"x": "[M, N]"}, "where": {"x": "M", "y": "N"}, "squeeze": {"x": "M.reshape([2, 1, 3])"},
    "baddbmm": {"input": "M.reshape([1, 2, 3])", "x": "(M @ N.t()).reshape([1, 2, 2])", "y": "N.reshape([1, 2, 3])"}, "expand": {"x": "M[:, :1]", "shape": "[2, 4]"},
    "broadcast_to": {"x": "M[:, :1]", "shape": "[2, 4]"}, "expand_as": {"x": "M[:, :1]"}, "view_as": {"other": "N.t()"}, "as_complex": {"x": "M[:, :2]"},
    "diagonal": {}, "unflatten": {"x": "M.reshape([6])", "axis": "0", "shape": "[3, 2]"}, "index_add": {"index": "I([0, 1])", "axis": "0", "value": "N"},
    "index_fill": {}, "index_put": {"indices": "(I([0, 1]), I([2, 0]))", "value": "N[0, :2]"}, "put_along_axis": {"axis": "0"}, "take_along_axis": {"axis": "0"},
    "scatter_add": {"dim": "0", "index": "I([[0, 1, 0]])"}, "scatter": {"index": "I([1])", "updates": "N[:1]"}, "gather": {"index": "I([1])"},
    "masked_scatter": {"value": "N"}, "fill_diagonal_tensor": {"y": "N[:, 0]"}, "rot90": {"axes": "[0, 1]"}, "dsplit": {"x": "M.reshape([1, 2, 3])"},
    "vsplit": {"num_or_indices": "2"}, "hsplit": {}, "uniform": {"min": "0.25", "max": "0.5"}, "randint": {}, "multinomial": {}, "is_same_shape": {},
    "lerp": {}, "embedding_renorm": {"x": "I([0, 1])", "weight": "M", "max_norm": "0.5"}, "one_hot": {}, "set": {"source": "N"}, "stride": {"dim": "0"},
    "multigammaln": {"x": "M + 2.0", "p": "1"}, "acosh": {"x": "M + 2.0"}, "arccosh": {"x": "M + 2.0"}, "polygamma": {}, "norm": {"p": "1.0"}, "unfold": {"axis": "1"},
    "roll": {}, "tile": {}, "slice": {"input": "M"}, "strided_slice": {}, "narrow": {}, "trace": {}, "randperm": {"n": "4"}, "eye": {}, "linspace": {"start": "1.0"},
    "arange": {"start": "1", "end": "9", "step": "2"}, "cumprod": {}, "transpose": {}, "moveaxis": {}, "random": {}, "log_normal": {}, "normal": {},
    "renorm": {"p": "2.0"}, "cauchy": {}, "bernoulli": {"p": "0.5"}, "full": {}, "gcd": {"x": "K", "y": "I([2, 4])"}, "lcm": {"x": "K", "y": "I([2, 4])"},
    "shape": {"input": "M"}, "resize": {}, "type_as": {}, "flatten": {"start_axis": "0", "stop_axis": "1"}, "median": {}, "quantile": {},
    **{name: {"x": "K", "y": "I([2, 4])"} for name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift")},
    **{name: {"x": "K"} for name in ("bitwise_not", "bitwise_invert")},
    **{name: {"x": "M"} for name in ("real", "imag", "conj")},
}  # fmt: skip
"""Where a function needs something else. In place: the same."""
DRAWN = {"uniform", "normal", "log_normal", "randint", "randint_like", "rand", "randn", "randn_like", "rand_like", "standard_normal", "randperm", "bernoulli",
         "poisson", "multinomial", "cauchy", "geometric", "exponential", "random", "empty", "empty_like", "resize"}  # fmt: skip
"""Of these only the shape and the dtype are compared."""


def targets() -> list[str]:
    """What is asked about: "function add", "method add_", "functional relu"."""
    from inplacelab import Tensor  # noqa: PLC0415  # the process that asks Paddle has no need of it
    from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS  # noqa: PLC0415

    methods = [n for n in dir(Tensor) if not n.startswith("_") and callable(getattr(Tensor, n))]
    return [
        *(f"function {n}" for n in sorted(FUNCTIONS)), *(f"functional {n}" for n in sorted(FUNCTIONAL)),
        *(f"method {n}" for n in sorted(methods)),
    ]  # fmt: skip


def find(paddle: Any, target: str) -> Callable[..., Any] | None:
    """What a target names in a package."""
    kind, name = target.split()
    where = {"function": paddle, "functional": paddle.nn.functional, "method": paddle.Tensor}[kind]
    found = getattr(where, name, None)
    return found if callable(found) else None
