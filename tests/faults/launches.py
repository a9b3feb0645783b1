"""Wraps the kernels of the generated operations, so that one of their launches can fail."""

from __future__ import annotations

import gc
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from inplacelab.ops import generated, template
from inplacelab.ops.table import FUNCTIONAL, FUNCTIONS, LazyFunction, LazyMethod
from inplacelab.ops.table.row import Row
from inplacelab.tensor import Tensor

GENERATED = "<inplacelab operation"
"""How the file names of operations begin that are compiled when they are first used."""
_CHAPTERS = f"{os.path.dirname(generated.__file__)}{os.sep}"
"""How those of the other operations begin."""

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
    plain = template.function, template.compiled
    before: list[tuple[dict[str, Any], dict[str, Any]]] = []
    known: set[int] = set()

    def wrap(scope: dict[str, Any]) -> None:
        if id(scope) not in known:
            known.add(id(scope))
            wrappers = _wrappers(scope)
            before.append((scope, {name: scope[name] for name in wrappers}))
            scope.update(wrappers)

    def wrapping(made_by: Callable[[Row, str], Callable[..., Any]]) -> Callable[[Row, str], Callable[..., Any]]:
        def generate(row: Row, variant: str) -> Callable[..., Any]:
            made: FunctionType = made_by(row, variant)  # type: ignore[assignment]  # a callable, for those who use it
            wrap(made.__globals__)
            return made

        return generate

    for scope in _scopes():
        wrap(scope)
    function, compiled = map(wrapping, plain)
    template.function, template.compiled, _wrapped = function, compiled, True  # type: ignore[assignment]
    try:
        yield
    finally:
        (template.function, template.compiled), _wrapped = plain, False
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
    scopes = {
        id(f.__globals__): f.__globals__ for f in functions if f.__code__.co_filename.startswith((GENERATED, _CHAPTERS))
    }
    return list(scopes.values())


def _launch_ufunc(ufunc: Any, *given: Any) -> Any:
    """Launches a ufunc, which allocates its result if it is not given an array for it."""
    out = given[ufunc.nin] if len(given) > ufunc.nin else np.empty_like(given[0])
    _launch(lambda: ufunc(*given[: ufunc.nin], out), out)
    return out


def _wrappers(scope: dict[str, Any]) -> dict[str, Any]:
    """The names by which generated code calls kernels, wrapped."""
    found: dict[str, Any] = {}
    for name, launched in scope.items():
        if launched is not None and (name == "UFUNC" or name.endswith("_UFUNC")):
            found[name] = partial(_launch_ufunc, launched)
        elif launched is not None and (name == "KERNEL" or name.endswith("_KERNEL")):
            names = list(inspect.signature(launched).parameters)
            if "out" in names:  # not in a kernel of `inplacelab.kernels`, which takes a plan
                found[name] = partial(_launch_kernel, launched, names.index("out"))
    return found


def _launch_kernel(kernel: Callable[..., Any], written: int, *given: Any) -> Any:
    return _launch(lambda: kernel(*given), given[written])
