"""Four programs, forward and backward, in each framework that can run them, and by hand in NumPy.

`compare.py` measures them. A maker gets the framework's module and arrays; it returns a function without arguments that runs the
program once and returns the gradients, which are compared with those of NumPy.

The programs by hand are what an expert writes: forward in place, the derivative of each operation in turn, and of the values only
those saved that a derivative needs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
Run = Callable[[], list[Any]]
Make = Callable[[Any, Mapping[str, Array]], Run]

BATCH, INPUTS, HIDDEN, OUTPUTS = 64, 784, 256, 10
RATE = 1e-6
"""The learning rate: so small that each step computes with nearly the same numbers."""
SIDE = 32
"""The chain, and the writes, are on a square of this side."""
STEPS = 1000
CYCLE = 5
"""Operations in place of the chain before it begins again."""
FACTOR = 0.99
"""What is multiplied by. The other numbers are chosen so that values and gradients stay far from zero and infinity."""
VIEWS = 10
"""Views that are alive while their base is written."""


class Program(NamedTuple):
    """A program.

    Attributes:
        shapes: what it computes with, as the table says it.
        goal: the most it may take, as a multiple of the same program by hand.
        arrays: makes its inputs, the same in every process.
        makers: for each spelling (`contestants.Framework.spelled`) what makes the program.
    """

    shapes: str
    goal: float
    arrays: Callable[[], Mapping[str, Array]]
    makers: Mapping[str, Make]


def _uniform(low: float, high: float, **shapes: tuple[int, ...]) -> dict[str, Array]:
    draw = np.random.default_rng(7)
    return {name: draw.uniform(low, high, shape).astype(np.float32) for name, shape in shapes.items()}


# ---- one step of training a network of two layers -----------------------------------------------------------------------


def _network_arrays() -> dict[str, Array]:
    return _uniform(
        -0.5, 0.5,
        x=(BATCH, INPUTS), target=(BATCH, OUTPUTS),
        w1=(INPUTS, HIDDEN), b1=(HIDDEN,), w2=(HIDDEN, OUTPUTS), b2=(OUTPUTS,),
    )  # fmt: skip


_PARAMETERS = ("w1", "b1", "w2", "b2")


def _network_by_hand(_: Any, arrays: Mapping[str, Array]) -> Run:
    x, target = arrays["x"], arrays["target"]
    w1, b1, w2, b2 = parameters = [arrays[name].copy() for name in _PARAMETERS]
    factor, rate, zero = np.float32(2 / target.size), np.float32(RATE), np.zeros((), np.float32)

    def run() -> list[Any]:
        h = x @ w1
        np.add(h, b1, out=h)
        np.maximum(h, zero, out=h)
        error = h @ w2
        np.add(error, b2, out=error)
        np.subtract(error, target, out=error)
        np.square(error).mean()  # the loss
        np.multiply(error, factor, out=error)
        g_h = error @ w2.T
        np.multiply(g_h, h > zero, out=g_h)
        gradients = [x.T @ g_h, g_h.sum(0), h.T @ error, error.sum(0)]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            np.subtract(parameter, gradient * rate, out=parameter)
        return gradients

    return run


def _network_of_paddle(lib: Any, arrays: Mapping[str, Array]) -> Run:
    functional = lib.nn.functional
    x, target = lib.to_tensor(arrays["x"]), lib.to_tensor(arrays["target"])
    w1, b1, w2, b2 = parameters = [lib.to_tensor(arrays[name], stop_gradient=False) for name in _PARAMETERS]

    def run() -> list[Any]:
        for parameter in parameters:
            parameter.clear_gradient(False)  # those of the run before
        h = functional.relu(functional.linear(x, w1, b1))
        functional.mse_loss(functional.linear(h, w2, b2), target).backward()
        gradients = [parameter.grad for parameter in parameters]
        with lib.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.subtract_(gradient * RATE)
        return gradients

    return run


def _network_of_torch(lib: Any, arrays: Mapping[str, Array]) -> Run:
    functional = lib.nn.functional
    x, target = lib.tensor(arrays["x"]), lib.tensor(arrays["target"])
    w1, b1, w2, b2 = parameters = [lib.tensor(arrays[name], requires_grad=True) for name in _PARAMETERS]

    def run() -> list[Any]:
        h = lib.relu(lib.addmm(b1, x, w1))
        functional.mse_loss(lib.addmm(b2, h, w2), target).backward()
        gradients = [parameter.grad for parameter in parameters]
        with lib.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter.sub_(gradient, alpha=RATE)
                parameter.grad = None
        return gradients

    return run


def _network_of_mygrad(lib: Any, arrays: Mapping[str, Array]) -> Run:
    x, target = arrays["x"], arrays["target"]
    w1, b1, w2, b2 = parameters = [lib.tensor(arrays[name].copy()) for name in _PARAMETERS]
    rate, zero = np.float32(RATE), np.zeros((), np.float32)

    def run() -> list[Any]:
        h = lib.maximum(lib.matmul(x, w1) + b1, zero)
        lib.mean((lib.matmul(h, w2) + b2 - target) ** 2).backward()
        gradients = [parameter.grad for parameter in parameters]
        for parameter, gradient in zip(parameters, gradients, strict=True):
            np.subtract(parameter.data, gradient * rate, out=parameter.data)
            parameter.null_grad()
        return gradients

    return run


def _network_of_autograd(lib: Any, arrays: Mapping[str, Array]) -> Run:
    from autograd import grad  # noqa: PLC0415  # only where it is installed

    x, target = arrays["x"], arrays["target"]
    parameters = [arrays[name].copy() for name in _PARAMETERS]
    rate = np.float32(RATE)

    def loss(parameters: list[Any]) -> Any:
        w1, b1, w2, b2 = parameters
        h = lib.maximum(lib.dot(x, w1) + b1, np.float32(0))
        return lib.mean((lib.dot(h, w2) + b2 - target) ** 2)

    derivative = grad(loss)

    def run() -> list[Any]:
        gradients = derivative(parameters)
        for parameter, gradient in zip(parameters, gradients, strict=True):
            np.subtract(parameter, gradient * rate, out=parameter)
        return list(gradients)

    return run


# ---- a chain of operations in place on one tensor -----------------------------------------------------------------------


def _chain_arrays() -> dict[str, Array]:
    return _uniform(0.02, 0.04, leaf=(SIDE, SIDE), a=(SIDE, SIDE)) | {"b": np.full((SIDE, SIDE), 1.02, np.float32)}


def _chain_by_hand(_: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a, b = arrays["leaf"], arrays["a"], arrays["b"]
    factor = np.array(FACTOR, np.float32)

    def run() -> list[Any]:
        x, cosines = leaf.copy(), []
        for _ in range(STEPS // CYCLE):
            np.add(x, a, out=x)
            np.multiply(x, b, out=x)
            cosines.append(np.cos(x))
            np.sin(x, out=x)
            np.subtract(x, a, out=x)
            np.multiply(x, factor, out=x)
        x.sum()
        g = np.ones_like(x)
        for cosine in reversed(cosines):
            np.multiply(g, factor, out=g)
            np.multiply(g, cosine, out=g)
            np.multiply(g, b, out=g)
        return [g]

    return run


def _chain_of_paddle(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf = lib.to_tensor(arrays["leaf"], stop_gradient=False)
    a, b = lib.to_tensor(arrays["a"]), lib.to_tensor(arrays["b"])

    def run() -> list[Any]:
        leaf.clear_gradient(False)  # that of the run before
        x = leaf.clone()
        for _ in range(STEPS // CYCLE):
            x.add_(a)
            x.multiply_(b)
            x.sin_()
            x.subtract_(a)
            x.scale_(FACTOR)
        x.sum().backward()
        return [leaf.grad]

    return run


def _chain_of_torch(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf = lib.tensor(arrays["leaf"], requires_grad=True)
    a, b = lib.tensor(arrays["a"]), lib.tensor(arrays["b"])

    def run() -> list[Any]:
        x = leaf.clone()
        for _ in range(STEPS // CYCLE):
            x.add_(a)
            x.mul_(b)
            x.sin_()
            x.sub_(a)
            x.mul_(FACTOR)
        x.sum().backward()
        gradient, leaf.grad = leaf.grad, None
        return [gradient]

    return run


def _chain_of_mygrad(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a, b = lib.tensor(arrays["leaf"]), arrays["a"], arrays["b"]
    factor = np.float32(FACTOR)

    def run() -> list[Any]:
        x = +leaf
        for _ in range(STEPS // CYCLE):
            x += a
            x *= b
            lib.sin(x, out=x)
            x -= a
            x *= factor
        x.sum().backward()
        gradient = leaf.grad
        leaf.null_grad()
        return [gradient]

    return run


# ---- writes through views that are made for the purpose ------------------------------------------------------------------


def _view_arrays() -> dict[str, Array]:
    return _uniform(0.2, 0.4, leaf=(SIDE, SIDE), a=(SIDE,)) | {"w": np.full(SIDE, 0.99, np.float32)}


def _views_by_hand(_: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a, w = arrays["leaf"], arrays["a"], arrays["w"]

    def run() -> list[Any]:
        b = leaf.copy()
        for i in range(STEPS // 2):
            v = b[i % SIDE]
            np.multiply(v, w, out=v)
            v = b[(i + 1) % SIDE]
            np.add(v, a, out=v)
        b.sum()
        g = np.ones_like(b)
        for i in reversed(range(STEPS // 2)):
            v = g[i % SIDE]
            np.multiply(v, w, out=v)
        return [g]

    return run


def _views_of_paddle(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf = lib.to_tensor(arrays["leaf"], stop_gradient=False)
    a, w = lib.to_tensor(arrays["a"]), lib.to_tensor(arrays["w"])

    def run() -> list[Any]:
        leaf.clear_gradient(False)  # that of the run before
        b = leaf.clone()
        for i in range(STEPS // 2):
            b[i % SIDE].multiply_(w)
            b[(i + 1) % SIDE].add_(a)
        b.sum().backward()
        return [leaf.grad]

    return run


def _views_of_torch(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf = lib.tensor(arrays["leaf"], requires_grad=True)
    a, w = lib.tensor(arrays["a"]), lib.tensor(arrays["w"])

    def run() -> list[Any]:
        b = leaf.clone()
        for i in range(STEPS // 2):
            b[i % SIDE].mul_(w)
            b[(i + 1) % SIDE].add_(a)
        b.sum().backward()
        gradient, leaf.grad = leaf.grad, None
        return [gradient]

    return run


def _views_of_mygrad(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a, w = lib.tensor(arrays["leaf"]), arrays["a"], arrays["w"]

    def run() -> list[Any]:
        b = +leaf
        for i in range(STEPS // 2):
            v = b[i % SIDE]
            v *= w
            v = b[(i + 1) % SIDE]
            v += a
        b.sum().backward()
        gradient = leaf.grad
        leaf.null_grad()
        return [gradient]

    return run


# ---- writes to a base that has views -------------------------------------------------------------------------------------


def _base_by_hand(_: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a = arrays["leaf"], arrays["a"]
    factor = np.float32(FACTOR)

    def run() -> list[Any]:
        base = leaf.copy()
        views = [base[i] for i in range(VIEWS)]
        for _ in range(STEPS // 2):
            np.multiply(base, factor, out=base)
            np.add(base, a, out=base)
        base.sum() + views[3].sum()
        g = np.ones_like(base)
        g[3] += 1.0
        for _ in range(STEPS // 2):
            np.multiply(g, factor, out=g)
        return [g]

    return run


def _base_of_paddle(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a = lib.to_tensor(arrays["leaf"], stop_gradient=False), lib.to_tensor(arrays["a"])

    def run() -> list[Any]:
        leaf.clear_gradient(False)  # that of the run before
        base = leaf.clone()
        views = [base[i] for i in range(VIEWS)]
        for _ in range(STEPS // 2):
            base.scale_(FACTOR)
            base.add_(a)
        (base.sum() + views[3].sum()).backward()
        return [leaf.grad]

    return run


def _base_of_torch(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a = lib.tensor(arrays["leaf"], requires_grad=True), lib.tensor(arrays["a"])

    def run() -> list[Any]:
        base = leaf.clone()
        views = [base[i] for i in range(VIEWS)]
        for _ in range(STEPS // 2):
            base.mul_(FACTOR)
            base.add_(a)
        (base.sum() + views[3].sum()).backward()
        gradient, leaf.grad = leaf.grad, None
        return [gradient]

    return run


def _base_of_mygrad(lib: Any, arrays: Mapping[str, Array]) -> Run:
    leaf, a = lib.tensor(arrays["leaf"]), arrays["a"]
    factor = np.float32(FACTOR)

    def run() -> list[Any]:
        base = +leaf
        views = [base[i] for i in range(VIEWS)]
        for _ in range(STEPS // 2):
            base *= factor
            base += a
        (base.sum() + views[3].sum()).backward()
        gradient = leaf.grad
        leaf.null_grad()
        return [gradient]

    return run


def _spelled(numpy: Make, paddle: Make, torch: Make, **others: Make) -> dict[str, Make]:
    return {"numpy": numpy, "ours": paddle, "paddle": paddle, "torch": torch, **others}


PROGRAMS = {
    "a training step": Program(
        f"{BATCH} x {INPUTS}, layers of {HIDDEN} and {OUTPUTS}",
        1.3,
        _network_arrays,
        _spelled(
            _network_by_hand, _network_of_paddle, _network_of_torch,
            mygrad=_network_of_mygrad, autograd=_network_of_autograd,
        ),
    ),
    "chain in place": Program(
        f"{STEPS} operations on {SIDE} x {SIDE}",
        2.5,
        _chain_arrays,
        _spelled(_chain_by_hand, _chain_of_paddle, _chain_of_torch, mygrad=_chain_of_mygrad),
    ),
    "writes through views": Program(
        f"{STEPS} writes to rows of {SIDE} x {SIDE}",
        2.3,
        _view_arrays,
        _spelled(_views_by_hand, _views_of_paddle, _views_of_torch, mygrad=_views_of_mygrad),
    ),
    "writes to a base": Program(
        f"{STEPS} writes to {SIDE} x {SIDE} with {VIEWS} views",
        1.5,
        lambda: _uniform(0.2, 0.4, leaf=(SIDE, SIDE), a=(SIDE, SIDE)),
        _spelled(_base_by_hand, _base_of_paddle, _base_of_torch, mygrad=_base_of_mygrad),
    ),
}  # fmt: skip
