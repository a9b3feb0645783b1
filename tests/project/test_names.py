"""Tests that public names at the top level are of the same kind as in PaddlePaddle 3.3.1.

python tests/project/test_names.py        record Paddle's names again (needs PaddlePaddle)
"""

from __future__ import annotations

import inspect
import json
import operator
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import inplacelab
from tests.subtests import for_each

RECORDED = Path(__file__).with_name("paddle_names.json")
PROGRAM = Path(__file__).resolve()
ROOT = PROGRAM.parents[2]


def kind(value: Any) -> str:
    """Returns the kind of a value."""
    if isinstance(value, ModuleType):
        return "module"
    return "class" if inspect.isclass(value) else "function" if callable(value) else "value"


def kinds(module: Any) -> dict[str, str]:
    """Returns the public names of a module, with their kinds."""
    return {name: kind(getattr(module, name)) for name in sorted(dir(module)) if not name.startswith("_")}


def recorded() -> dict[str, str]:
    return json.loads(RECORDED.read_text(encoding="utf-8"))


OURS = {
    name: kind(getattr(inplacelab, name))
    for name in (*inplacelab.__all__, *vars(inplacelab))
    if not name.startswith("_")
}
PLACES = {"CPUPlace": "function", "CUDAPlace": "function"}
"""Classes in Paddle, of which a program only ever makes an object; here all places are of one class."""


CALLABLE_MODULES = {"tensor"}
"""Modules that can be called, in Paddle and here."""


def test_what_is_called_as_in_paddle_is_of_the_same_kind() -> None:
    theirs = recorded()
    differing = {name: what for name, what in OURS.items() if name in theirs and what != theirs[name]}
    assert differing == PLACES | dict.fromkeys(CALLABLE_MODULES, "module")
    assert all(callable(getattr(inplacelab, name)) for name in CALLABLE_MODULES)


LEFT_OUT = {"inference", "jit", "onnx", "static"}
"""Modules for graphs that are built before they run: a program is told to leave them out."""

OF_PYTHON = {"builtins", "math", "os", "paddle", "typing"}
"""What Paddle's file imports for itself."""


def test_what_only_paddle_has_is_not_mistaken_for_another_name() -> None:
    absent = {name for name, what in recorded().items() if what == "module" and not hasattr(inplacelab, name)}
    assert {"vision", "amp", "distribution", "metric", "fft"} < absent
    for name in sorted({*absent, "Model", "summary", "flops"} - OF_PYTHON - {"functional"}):
        with pytest.raises(AttributeError, match=rf"no attribute '{name}'\n  Why: ") as refused:
            getattr(inplacelab, name)
        assert "did you mean" not in str(refused.value)
        assert "`inplacelab record script.py`" in str(refused.value) or name in LEFT_OUT


IMPORTED = [
    "CPUPlace", "CUDAPlace", "Parameter", "Size", "Tensor", "assign", "autograd", "base", "bernoulli", "bool",
    "broadcast_shape", "cast", "clone", "complex128", "complex64", "device", "disable_signal_handler", "disable_static", "double", "dtype", "e",
    "empty", "empty_like", "enable_grad", "enable_static", "equal_all", "finfo", "float", "float16", "float32",
    "float64", "full", "full_like", "get_default_dtype", "get_device", "grad", "half", "iinfo", "in_dynamic_mode",
    "increment", "inf", "int", "int16", "int32", "int64", "int8", "is_compiled_with_cuda", "is_complex", "is_empty",
    "is_floating_point", "is_grad_enabled", "is_integer", "is_tensor", "long", "manual_seed", "multinomial", "nan",
    "newaxis", "nn", "no_grad", "normal", "numel", "ones", "ones_like", "optimizer", "pi", "poisson", "rand",
    "rand_like", "randint", "randint_like", "randn", "randn_like", "randperm", "rank", "seed", "set_default_dtype",
    "set_device", "set_grad_enabled", "set_printoptions", "shape", "standard_normal", "tensor", "to_tensor", "tolist",
    "uint8", "uniform", "zeros", "zeros_like",
]  # fmt: skip
"""What programs with in-place operations import, besides the operations."""


@for_each("name", IMPORTED)
def test_programs_find_what_they_import(name: str) -> None:
    assert hasattr(inplacelab, name)
    assert name in dir(inplacelab)


def test_paddles_own_opening_lines_run() -> None:
    x = inplacelab.tensor([1.0, 2.0], dtype="float64", requires_grad=True)  # type: ignore[operator]  # a module, to mypy
    assert (x.stop_gradient, str(x.dtype), inplacelab.in_dynamic_mode()) == (False, "paddle.float64", True)
    with inplacelab.base.dygraph.guard():
        inplacelab.disable_static()
    inplacelab.disable_signal_handler()
    assert inplacelab.to_tensor([1.0], place=inplacelab.CPUPlace()).place == inplacelab.CPUPlace()
    with pytest.raises(NotImplementedError, match="no static graphs"):
        inplacelab.enable_static()
    with pytest.raises(ValueError, match="The device should not be 'gpu'"):
        inplacelab.CUDAPlace(0)


def test_a_guard_gives_the_device_back() -> None:
    inplacelab.set_device("gpu", simulate=True)
    try:
        with inplacelab.base.dygraph.guard("cpu"):
            assert inplacelab.zeros([1]).place == inplacelab.CPUPlace()
        assert str(inplacelab.zeros([1]).place) == str(inplacelab.CUDAPlace(0)) == "Place(gpu:0 simulated)"
    finally:
        inplacelab.set_device("cpu")


def test_assign_writes_in_place_what_it_is_given() -> None:
    x = inplacelab.zeros([2, 3])
    assert inplacelab.assign(inplacelab.ones([3]), x) is x
    assert (x.sum().item(), x.inplace_version) == (6.0, 1)
    n = inplacelab.zeros([1])
    assert inplacelab.increment(n, 2.0) is n
    assert (n.item(), n.inplace_version) == (2.0, 1)
    with pytest.raises(ValueError, match="Now the number is 6"):
        inplacelab.increment(x)


def test_questions_are_answered_as_tensors() -> None:
    x = inplacelab.zeros([2, 3])
    assert (inplacelab.shape(x).tolist(), x.numel().item(), inplacelab.rank(x).item(), x.is_empty().item()) == (
        [2, 3],
        6,
        2,
        False,
    )
    assert (str(x.numel().dtype), str(x.rank().dtype)) == ("paddle.int64", "paddle.int32")
    assert (x.is_floating_point(), inplacelab.is_integer(x), x.is_complex(), x.is_dense(), x.is_sparse()) == (
        True,
        False,
        False,
        True,
        False,
    )
    assert (x.stride(), x.stride(0), x.get_strides(), x.itemsize, x.is_same_shape(x[0])) == (
        [3, 1],
        3,
        [3, 1],
        4,
        False,
    )
    assert inplacelab.broadcast_shape([2, 1, 3], [3, 1]) == [2, 3, 3]
    with pytest.raises(ValueError, match="Broadcast dimension mismatch"):
        inplacelab.broadcast_shape([2], [3])


def test_limits_of_dtypes() -> None:
    assert repr(inplacelab.iinfo("int32")) == "paddle.iinfo(min=-2147483648, max=2147483647, bits=32, dtype=int32)"
    assert (inplacelab.finfo("complex64").bits, inplacelab.finfo(inplacelab.float64).eps) == (32, 2.0**-52)
    with pytest.raises(ValueError, match=r"the argument of paddle.iinfo can only be paddle.uint8"):
        inplacelab.iinfo("float32")
    with pytest.raises(ValueError, match=r"the argument of paddle.finfo can only be"):
        inplacelab.finfo("int8")


VERSION = ("full_version", "major", "minor", "patch", "rc")


def versions(module: Any) -> list[str]:
    """Returns Paddle's version, and its parts."""
    return [getattr(module.version, name) for name in VERSION]


def test_the_version_is_that_of_this_package_and_names_the_paddle_that_is_followed() -> None:
    own, followed = inplacelab.__version__, inplacelab.version
    assert own == followed.__version__
    assert f'"paddlepaddle=={followed.paddle}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert versions(inplacelab) == [followed.paddle, *followed.paddle.split("."), "0"]
    assert followed.full_version >= "2.4"


@for_each("symbol", [operator.lt, operator.le, operator.gt, operator.ge])
def test_the_order_of_versions_of_two_packages_is_refused(symbol: Any) -> None:
    """Also with the other operand first, since Python asks a subclass first."""
    for operands in ((inplacelab.__version__, "2.4"), ("2.4", inplacelab.__version__)):
        with pytest.raises(
            TypeError, match=r"version of inplacelab(.|\n)*followed here is 3\.3\.1(.|\n)*`paddle.version.full_version`"
        ):
            symbol(*operands)


LIMITS = ("int8", "uint8", "int64", "float16", "float32", "float64", "complex64")


def limits(module: Any) -> list[str]:
    """Returns the printed limits of data types."""
    return [repr((module.iinfo if "int" in dtype else module.finfo)(dtype)) for dtype in LIMITS]


@pytest.mark.oracle
def test_the_real_paddle_says_the_same() -> None:
    """Runs in a separate process, since PaddlePaddle may be hidden in this one."""
    asked = subprocess.run([sys.executable, str(PROGRAM), "--print"], capture_output=True, text=True, check=False)
    if asked.returncode:
        pytest.skip("needs PaddlePaddle: python -m pip install --group oracle")
    names, printed, numbers = json.loads(asked.stdout)
    assert names == recorded()
    assert printed == limits(inplacelab)
    assert numbers == versions(inplacelab)


if __name__ == "__main__":
    import paddle

    if "--print" in sys.argv:
        sys.stdout.write(json.dumps([kinds(paddle), limits(paddle), versions(paddle)]))
    else:
        RECORDED.write_text(json.dumps(kinds(paddle), indent=0) + "\n", encoding="utf-8")
