"""inplacelab: see what in-place tensor operations do.

The public names are PaddlePaddle's. Nothing is computed in this file.

>>> import inplacelab as paddle
>>> a = paddle.to_tensor([1., -2.], stop_gradient=False)
>>> x = a.scale(2.)
>>> y = x.scale_(2.)                 # in place: the same object, version 0 -> 1
>>> y is x, x.inplace_version
(True, 1)
>>> y.backward()
>>> a.grad.tolist()
[4.0, 4.0]
"""

from __future__ import annotations

import warnings
from importlib import import_module
from importlib.util import find_spec
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

from inplacelab import errors, version
from inplacelab.language import get_language, set_language

if TYPE_CHECKING:
    from inplacelab import autograd, base, device, distributed, io, kernels, linalg, nn, optimizer, regularizer
    from inplacelab.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
    from inplacelab.autograd.gradients import grad
    from inplacelab.backends import get_device, set_device
    from inplacelab.backends.base import Place
    from inplacelab.device.places import (
        CPUPlace,
        CUDAPlace,
        disable_signal_handler,
        disable_static,
        enable_static,
        in_dynamic_mode,
        is_compiled_with_cinn,
        is_compiled_with_cuda,
        is_compiled_with_distribute,
        is_compiled_with_ipu,
        is_compiled_with_rocm,
        is_compiled_with_xpu,
    )
    from inplacelab.diagnosis.explain import explain
    from inplacelab.distributed.replicas import DataParallel
    from inplacelab.dtypes import (
        DType as dtype,
    )
    from inplacelab.dtypes import (
        bool_ as bool,
    )
    from inplacelab.dtypes import (
        complex64,
        complex128,
        finfo,
        float16,
        float32,
        float64,
        get_default_dtype,
        iinfo,
        int8,
        int16,
        int32,
        int64,
        set_default_dtype,
        uint8,
    )
    from inplacelab.ipython import last_recording, load_ipython_extension
    from inplacelab.nn.layer import create_parameter
    from inplacelab.nn.parameters import ParamAttr
    from inplacelab.printing import set_printoptions
    from inplacelab.recorders.existing import shares_storage
    from inplacelab.recorders.run import record
    from inplacelab.saving import load, save
    from inplacelab.showing import advise, show
    from inplacelab.tensor import Parameter, Size, Tensor

newaxis = None

__version__ = version.Own(version.__version__)

_RENAMED = {
    "bool": "bool_", "cdouble": "complex128", "cfloat": "complex64", "double": "float64", "dtype": "DType", "float": "float32",
    "half": "float16", "int": "int32", "long": "int64", "short": "int16",
}  # fmt: skip
"""Data types that have another name in `dtypes`. They are given by `__getattr__`, so that `int` and `float` are Python's in this file."""

_HOMES = {
    **dict.fromkeys(("enable_grad", "is_grad_enabled", "no_grad", "set_grad_enabled"), "autograd.grad_mode"), "grad": "autograd.gradients",
    "get_device": "backends", "set_device": "backends", "Place": "backends.base", "set_printoptions": "printing",
    **dict.fromkeys((
        *_RENAMED, "complex128", "complex64", "finfo", "float16", "float32", "float64", "get_default_dtype", "iinfo", "int16", "int32",
        "int64", "int8", "set_default_dtype", "uint8",
    ), "dtypes"), **dict.fromkeys(("Parameter", "Size", "Tensor"), "tensor"),
    **dict.fromkeys((
        "CPUPlace", "CUDAPlace", "disable_signal_handler", "disable_static", "enable_static", "in_dynamic_mode", "is_compiled_with_cinn", "is_compiled_with_cuda",
        "is_compiled_with_distribute", "is_compiled_with_ipu", "is_compiled_with_rocm", "is_compiled_with_xpu",
    ), "device.places"),
    "create_parameter": "nn.layer", "ParamAttr": "nn.parameters", "DataParallel": "distributed.replicas", "load": "saving", "save": "saving",
}  # fmt: skip
"""The engine's names, and the modules that have them. The first use of one imports the engine."""

_TOOLS = {
    "last_recording": "ipython", "load_ipython_extension": "ipython", "record": "recorders.run", "explain": "diagnosis.explain",
    "shares_storage": "recorders.existing", "show": "showing", "advise": "showing",
}  # fmt: skip
"""The names of what looks at programs. Those of other frameworks do without the engine."""

__all__ = [  # noqa: RUF022  # and the functions of the table: see `__getattr__`
    "CPUPlace", "CUDAPlace", "DataParallel", "ParamAttr", "Parameter", "Place", "Size", "Tensor", "advise", "autograd", "base", "bool", "complex128", "complex64", "create_parameter",
    "device", "disable_signal_handler", "disable_static", "distributed", "dtype", "e", "enable_grad", "enable_static", "explain", "finfo", "float16", "float32", "float64",
    "get_default_dtype", "get_device", "get_language", "grad", "iinfo", "in_dynamic_mode", "inf", "int16", "int32", "int64",
    "int8", "io", "is_compiled_with_cinn", "is_compiled_with_cuda",
    "is_compiled_with_distribute", "is_compiled_with_ipu", "is_compiled_with_rocm", "is_compiled_with_xpu", "is_grad_enabled", "kernels", "last_recording", "linalg", "load", "load_ipython_extension", "nan",
    "newaxis", "nn", "no_grad", "optimizer", "pi", "record", "regularizer", "save", "set_default_dtype", "set_device", "set_grad_enabled",
    "set_language", "set_printoptions", "shares_storage", "show", "uint8", "version",
]  # fmt: skip
_NAMES = tuple(dict.fromkeys((*__all__, *_RENAMED)))
del __all__

# Division by zero gives inf and nan without a warning, as in Paddle. Only warnings raised by our own calls are silenced.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"inplacelab(\..*)?$")


def __getattr__(name: str) -> Any:
    """Imports what is used first: importing the package should be quick, and a program that is only watched needs no engine."""
    if name in _TOOLS:
        value = getattr(import_module(f"inplacelab.{_TOOLS[name]}"), name)
    elif name in _HOMES or name == "__all__" or find_spec(f"inplacelab.{name}") is None:
        return _of_engine(name)
    else:
        value = import_module(f"inplacelab.{name}")
    globals()[name] = value
    return value


def _of_engine(name: str) -> Any:
    """Returns a name that needs the engine. Functions of the table are generated on first use."""
    functions = import_module("inplacelab.ops").FUNCTIONS
    if name in functions:
        return functions.give(name, globals())
    if name == "__all__":
        return [*_NAMES, *functions]
    if name not in _HOMES:
        raise errors.not_there(
            __name__, name, [*_NAMES, *functions], homes=("nn.functional", "nn", "optimizer", "linalg")
        )
    value = getattr(import_module(f"inplacelab.{_HOMES[name]}"), _RENAMED.get(name, name))
    if name not in _RENAMED:
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_of_engine("__all__")})
