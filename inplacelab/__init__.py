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

import sys
import warnings
from importlib import import_module
from math import e, inf, nan, pi
from types import ModuleType
from typing import TYPE_CHECKING, Any

from inplacelab import autograd, errors, ops, version
from inplacelab.autograd import tensor_methods as _tensor_methods  # noqa: F401  # gives `Tensor` what it can do with its history
from inplacelab.autograd.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from inplacelab.autograd.gradients import grad
from inplacelab.backends import get_device, set_device
from inplacelab.backends.base import Place
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
from inplacelab.language import get_language, set_language
from inplacelab.printing import set_printoptions
from inplacelab.tensor import Parameter, Size, Tensor

if TYPE_CHECKING:
    from inplacelab import base, device, distributed, io, kernels, linalg, nn, optimizer, regularizer
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
    from inplacelab.ipython import last_recording, load_ipython_extension
    from inplacelab.nn.layer import create_parameter
    from inplacelab.nn.parameters import ParamAttr
    from inplacelab.recorders.existing import shares_storage
    from inplacelab.recorders.run import record
    from inplacelab.saving import load, save
    from inplacelab.showing import advise, show

newaxis = None

__version__ = version.Own(version.__version__)

_FUNCTIONS = ops.FUNCTIONS

_SHORT = {
    "cdouble": complex128, "cfloat": complex64, "double": float64, "float": float32, "half": float16, "int": int32, "long": int64,
    "short": int16,
}  # fmt: skip
"""Data types under their shorter names: given by `__getattr__`, so that `int` and `float` are Python's in this file."""

_LAZY = {
    **dict.fromkeys(("base", "device", "distributed", "io", "kernels", "linalg", "nn", "optimizer", "regularizer"), ""),
    **dict.fromkeys((
        "CPUPlace", "CUDAPlace", "disable_signal_handler", "disable_static", "enable_static", "in_dynamic_mode", "is_compiled_with_cinn", "is_compiled_with_cuda",
        "is_compiled_with_distribute", "is_compiled_with_ipu", "is_compiled_with_rocm", "is_compiled_with_xpu",
    ), "device.places"),
    "last_recording": "ipython", "load_ipython_extension": "ipython",
    "create_parameter": "nn.layer", "ParamAttr": "nn.parameters",
    "DataParallel": "distributed.replicas", "record": "recorders.run", "explain": "diagnosis.explain", "shares_storage": "recorders.existing", "show": "showing",
    "advise": "showing", "load": "saving", "save": "saving",
}  # fmt: skip
"""What is imported on first use, and from which module; a name with "" is a module itself. A first program with tensors needs
none of these, and importing the package should be quick."""

__all__ = [  # noqa: PLE0604  # the functions of the table are strings too
    "CPUPlace", "CUDAPlace", "DataParallel", "ParamAttr", "Parameter", "Place", "Size", "Tensor", "advise", "autograd", "base", "bool", "complex128", "complex64", "create_parameter",
    "device", "disable_signal_handler", "disable_static", "distributed", "dtype", "e", "enable_grad", "enable_static", "explain", "finfo", "float16", "float32", "float64",
    "get_default_dtype", "get_device", "get_language", "grad", "iinfo", "in_dynamic_mode", "inf", "int16", "int32", "int64",
    "int8", "io", "is_compiled_with_cinn", "is_compiled_with_cuda",
    "is_compiled_with_distribute", "is_compiled_with_ipu", "is_compiled_with_rocm", "is_compiled_with_xpu", "is_grad_enabled", "kernels", "last_recording", "linalg", "load", "load_ipython_extension", "nan",
    "newaxis", "nn", "no_grad", "optimizer", "pi", "record", "regularizer", "save", "set_default_dtype", "set_device", "set_grad_enabled",
    "set_language", "set_printoptions", "shares_storage", "show", "uint8", "version", *_SHORT, *_FUNCTIONS,
]  # fmt: skip

# Division by zero gives inf and nan without a warning, as in Paddle. Only warnings raised by our own calls are silenced.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"inplacelab(\..*)?$")


class _TensorModule(ModuleType):
    """`inplacelab.tensor` is a module, and can be called like PyTorch's `torch.tensor`: as in Paddle."""

    def __call__(self, data: Any, dtype: Any = None, device: Any = None, requires_grad: object = False) -> Tensor:
        made: Tensor = _FUNCTIONS["to_tensor"]()(data, dtype, device, not requires_grad)
        return made


sys.modules[Tensor.__module__].__class__ = _TensorModule


def __getattr__(name: str) -> Any:
    """Functions of the table are generated on first use; modules that a first program does not need are imported then."""
    if name in _LAZY:
        home = _LAZY[name]
        value = getattr(import_module(f"inplacelab.{home}"), name) if home else import_module(f"inplacelab.{name}")
    elif name in _FUNCTIONS:
        return _FUNCTIONS.give(name, globals())
    elif name in _SHORT:
        return _SHORT[name]
    else:
        raise errors.not_there(__name__, name, __all__, homes=("nn.functional", "nn", "optimizer", "linalg"))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
