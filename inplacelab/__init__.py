"""inplacelab: see what in-place tensor operations do.

The learner's vocabulary is PaddlePaddle's; nothing is computed in this file.

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
from typing import TYPE_CHECKING, Any

from inplacelab import device, nn
from inplacelab.autograd.engine import grad
from inplacelab.autograd.modes import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from inplacelab.device import get_device, set_device
from inplacelab.devices.base import Place
from inplacelab.dtypes import (
    DType as dtype,
)
from inplacelab.dtypes import (
    bool_ as bool,
)
from inplacelab.dtypes import (
    complex64,
    complex128,
    float16,
    float32,
    float64,
    get_default_dtype,
    int8,
    int16,
    int32,
    int64,
    set_default_dtype,
    uint8,
)
from inplacelab.language import get_language, set_language
from inplacelab.ops import FUNCTIONS as _FUNCTIONS
from inplacelab.printing import set_printoptions
from inplacelab.tensor import Parameter, Size, Tensor

if TYPE_CHECKING:
    from inplacelab.ipython import last_recording, load_ipython_extension
    from inplacelab.recorders.block import record

__version__ = "0.1.0"

_LAZY = {
    "record": "inplacelab.recorders.block",
    "last_recording": "inplacelab.ipython",
    "load_ipython_extension": "inplacelab.ipython",
}

__all__ = [  # noqa: PLE0604  # the functions of the table are strings too
    "Parameter", "Place", "Size", "Tensor", "bool", "complex64", "complex128", "device", "dtype", "enable_grad", "float16",
    "float32", "float64", "get_default_dtype", "get_device", "get_language", "grad", "int8", "int16", "int32", "int64",
    "is_grad_enabled", "last_recording", "load_ipython_extension", "nn", "no_grad", "record", "set_default_dtype",
    "set_device", "set_grad_enabled", "set_language", "set_printoptions", "uint8", *_FUNCTIONS,
]  # fmt: skip

# Division by zero gives inf and nan without a word, as in Paddle. Only warnings raised by our own calls are silenced.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"inplacelab(\..*)?$")


def __getattr__(name: str) -> Any:
    """Functions of the table are written out when first asked for; recorders and the notebook are imported then."""
    if name in _LAZY:
        value = getattr(import_module(_LAZY[name]), name)
    elif name in _FUNCTIONS:
        value = _FUNCTIONS[name]()
    else:
        raise AttributeError(f"module 'inplacelab' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
