"""Wraps the kernels of the generated operations, so that one of their launches can fail."""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from inplacelab.ops import template
from inplacelab.ops.table import LazyFunction
from inplacelab.ops.table.exports import FUNCTIONAL, FUNCTIONS, LazyMethod
from inplacelab.ops.table.row import Row
from inplacelab.tensor import Tensor

GENERATED = "<inplacelab operation"
"""How the file names of generated operations begin."""

Launch = Callable[[Callable[[], Any], Any], Any]
"""Is called instead of a kernel, with what runs the kernel, and the array that it writes."""


def _run(kernel: Callable[[], Any], _: Any) -> Any:
    return kernel()


_launch: Launch = _run


@contextmanager
def replaced(launch: Launch) -> Iterator[None]:
    """Passes every launch to `launch`. Inside `wrapped()`."""
    global _launch
    assert _wrapped, "the kernels are not wrapped"
    _launch = launch
    try:
        yield
    finally:
        _launch = _run


_wrapped = False


@contextmanager
def wrapped() -> Iterator[None]:
    """Wraps the kernels of all generated operations, also of those that are generated inside the block.

    It searches all objects for them, so it is entered once for many programs; inside itself it does nothing.
    """
    global _wrapped
    if _wrapped:
        yield
        return
    plain = template.function
    before: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def wrap(scope: dict[str, Any]) -> None:
        before.append((scope, {name: scope[name] for name in ("KERNEL", "UFUNC")}))
        scope.update(_wrappers(scope))

    def generate(row: Row, variant: str, otherwise: Callable[..., Any] | None = None) -> Callable[..., Any]:
        made: FunctionType = plain(row, variant, otherwise)  # type: ignore[assignment]  # a callable, for those who use it
        wrap(made.__globals__)
        return made

    for scope in _scopes():
        wrap(scope)
    template.function, _wrapped = generate, True
    try:
        yield
    finally:
        template.function, _wrapped = plain, False
        for scope, kernels in before:
            scope.update(kernels)


def generate_all() -> None:
    """Generates every operation, so that a program runs the same bytecodes whichever programs ran before."""
    for function in (*FUNCTIONS.values(), *FUNCTIONAL.values()):
        if isinstance(getattr(function, "__self__", None), LazyFunction):
            function()
    for name in [name for name, member in vars(Tensor).items() if isinstance(member, LazyFunction | LazyMethod)]:
        getattr(Tensor, name)


def _scopes() -> list[dict[str, Any]]:
    """The globals of the operations generated so far."""
    frozen = gc.get_freeze_count()
    gc.unfreeze()
    functions = [each for each in gc.get_objects() if type(each) is FunctionType]
    if frozen:
        gc.freeze()
    scopes = {id(f.__globals__): f.__globals__ for f in functions if f.__code__.co_filename.startswith(GENERATED)}
    return list(scopes.values())


def _launch_ufunc(ufunc: Any, given: tuple[Any, ...]) -> Any:
    """Launches a ufunc, which allocates its result if it is not given an array for it."""
    out = given[ufunc.nin] if len(given) > ufunc.nin else np.empty_like(given[0])
    _launch(lambda: ufunc(*given[: ufunc.nin], out), out)
    return out


def _wrappers(scope: dict[str, Any]) -> dict[str, Any]:
    """The two names by which generated code calls a kernel, wrapped."""
    kernel, ufunc = scope["KERNEL"], scope["UFUNC"]
    found: dict[str, Any] = {}
    if ufunc is not None:
        found["UFUNC"] = lambda *given: _launch_ufunc(ufunc, given)
    names = [] if kernel is None else list(inspect.signature(kernel).parameters)
    if "out" in names:  # not in a kernel of `inplacelab.kernels`, which takes a plan
        written = names.index("out")
        found["KERNEL"] = lambda *given: _launch(lambda: kernel(*given), given[written])
    return found
