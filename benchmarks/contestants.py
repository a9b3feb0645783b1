"""How `compare.py` uses each framework: its name, its module, and how it makes a tensor. It is imported by `worker.py`.

`TWIN` is NumPy once more, in a process of its own: what it differs from NumPy is the noise. `BEFORE` is this package at an earlier
commit.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

OURS, BEFORE, NUMPY, TWIN = "ours", "before", "numpy", "numpy again"
FRAMEWORKS = {
    NUMPY: "numpy",
    TWIN: "numpy",
    OURS: "inplacelab",
    BEFORE: "inplacelab",
    "torch": "torch",
    "paddle": "paddle",
    "mygrad": "mygrad",
    "autograd": "autograd",
}
"""The module of each contestant."""


def installed() -> list[str]:
    """The contestants that can be measured here, without the earlier commit."""
    return [name for name, module in FRAMEWORKS.items() if name != BEFORE and find_spec(module)]


class Framework(NamedTuple):
    """What a worker needs of a framework.

    Attributes:
        spelled: whose spelling of an operation it understands, a key of `operations.Operation`.
        lib: its module of functions.
        functional: its module of activations; None if it has none.
        tensor: makes a tensor of an array; the flag says whether it needs a gradient.
        array: the array of a tensor.
        copy: the statement that makes a tensor with a history of a leaf; empty if it has no operations in place.
        graphs: whether it can be measured without a graph, with one, or both.
        without_graph: the block in which none are.
    """

    spelled: str
    lib: Any
    functional: Any
    tensor: Callable[[Array, bool], Any]
    array: Callable[[Any], Array]
    copy: str
    graphs: tuple[bool, ...] = (False, True)
    without_graph: Callable[[], AbstractContextManager[Any]] = nullcontext


def _numpy() -> Framework:
    # The graph is somebody else's: NumPy's time is the same with and without one.
    return Framework("numpy", np, None, lambda array, _: array, np.asarray, "x = leaf")


def _paddle_like(name: str, spelled: str) -> Framework:
    lib = import_module(name)

    def tensor(array: Array, gradient: bool) -> Any:
        return lib.to_tensor(array, stop_gradient=not gradient)

    return Framework(spelled, lib, lib.nn.functional, tensor, lambda t: np.asarray(t.numpy()), "x = leaf.clone()")


def _torch() -> Framework:
    lib = import_module("torch")
    lib.set_num_threads(1)

    def tensor(array: Array, gradient: bool) -> Any:
        return lib.tensor(array, requires_grad=gradient)

    return Framework(
        "torch", lib, lib.nn.functional, tensor, lambda t: np.asarray(t.detach().numpy()), "x = leaf.clone()"
    )


def _mygrad() -> Framework:
    lib = import_module("mygrad")

    def tensor(array: Array, gradient: bool) -> Any:
        return lib.tensor(array.copy(), constant=not gradient)

    return Framework(
        "mygrad", lib, None, tensor, lambda t: np.asarray(getattr(t, "data", t)), "x = +leaf", without_graph=lambda: lib.no_autodiff
    )  # fmt: skip


def _autograd() -> Framework:
    core, tracer = import_module("autograd.core"), import_module("autograd.tracer")

    def tensor(array: Array, gradient: bool) -> Any:
        # A function that is differentiated gets a box, and each operation on it makes a node.
        return tracer.new_box(array, 0, core.VJPNode.new_root()) if gradient else array

    special = import_module("autograd.scipy.special")
    lib = import_module("autograd.numpy")
    return Framework(
        "autograd", lib, special, tensor, lambda t: np.asarray(getattr(t, "_value", t)), "", graphs=(True,)
    )


def framework(name: str) -> Framework:
    """Import a contestant.

    Args:
        name: a key of `FRAMEWORKS`.
    """
    if name in (OURS, BEFORE, "paddle"):
        return _paddle_like(FRAMEWORKS[name], "paddle" if name == "paddle" else "ours")
    return {NUMPY: _numpy, TWIN: _numpy, "torch": _torch, "mygrad": _mygrad, "autograd": _autograd}[name]()
