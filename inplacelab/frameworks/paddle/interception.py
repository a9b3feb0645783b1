"""Takes the places of Paddle's functions while a recording runs.

Paddle calls its kernels through the functions of `paddle._C_ops` and, a few of them, of `paddle._legacy_C_ops`, some of which its modules
have imported by name, and through methods of `paddle.Tensor` that are written in C++: operators do not pass through `_C_ops`. Functions in Python that call neither, such as
`to_tensor` and `set_value`, are watched themselves. Passes of backward enter `core.eager`.

There is one replacement for each function, however many recordings run: it calls them one inside the other, so they may end in any
order. With the last one everything is put back, except what the program has replaced meanwhile.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, wraps
from threading import Lock
from types import FrameType
from typing import Any, NamedTuple, Protocol

import paddle
from paddle.base import core

from inplacelab.frameworks.paddle.calls import METHODS, PROPERTIES, PaddleKind, kind_of


class Caller(Protocol):
    """A recorder that calls Paddle's functions for the program. The frame is one that the program, or Paddle's code, has called."""

    def called(
        self, kind: PaddleKind, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:  # fmt: skip
        """Calls a function."""

    def runs_pass(
        self, name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Runs a backward pass through the function of this name in `core.eager`."""

    def applied(
        self, layer: Any, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls the `apply` of a `PyLayer`."""

    def runs_init(
        self, name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls the `__init__` of a layer."""

    def saves(
        self, name: str, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], frame: FrameType
    ) -> Any:
        """Calls the `save_for_backward` of a `PyLayer`."""


class _Place(NamedTuple):
    """Where a function was replaced."""

    owner: Any
    name: str
    before: Any
    now: Any


_callers: tuple[Caller, ...] = ()
_paused = False
_places: list[_Place] = []
_lock = Lock()


def begin(caller: Caller) -> None:
    """Has a recorder called for each function of Paddle."""
    global _callers  # one for the process, as Paddle's functions are
    with _lock:
        if not _callers:
            _replace_all()
        _callers = (*_callers, caller)


def end(caller: Caller) -> None:
    """Ends that, whether or not it has begun."""
    global _callers
    with _lock:
        _callers = tuple(each for each in _callers if each is not caller)
        while _places and not _callers:
            place = _places.pop()
            if vars(place.owner).get(place.name) is place.now:
                if place.before is None:
                    delattr(place.owner, place.name)
                else:
                    setattr(place.owner, place.name, place.before)


@contextmanager
def paused() -> Iterator[None]:
    """Has no recorder called inside a `with` block: what runs there is not the program's."""
    global _paused
    before, _paused = _paused, True
    try:
        yield
    finally:
        _paused = before


def _replace_all() -> None:
    _replace_functions()
    for name in METHODS:
        method = vars(paddle.Tensor).get(name)
        if method is not None:
            _replace(paddle.Tensor, name, _replacement("called", kind_of(name), method))
    for name in PROPERTIES:
        _replace(paddle.Tensor, name, _watched_property(name, vars(paddle.Tensor)[name]))
    creates = getattr(paddle.tensor.creation, "_to_tensor_non_static", None)
    if creates is not None:
        _replace(
            paddle.tensor.creation,
            "_to_tensor_non_static",
            _replacement("called", kind_of("_to_tensor_non_static"), creates),
        )
    for name in ("run_backward", "run_partial_grad"):
        _replace(core.eager, name, _replacement("runs_pass", name, getattr(core.eager, name)))
    save, context = "save_for_backward", paddle.autograd.PyLayerContext
    _replace(context, save, _replacement("saves", save, vars(context)[save]))
    init = "__init__"
    _replace(paddle.nn.Layer, init, _replacement("runs_init", init, vars(paddle.nn.Layer)[init]))
    _replace(paddle.autograd.PyLayer, "apply", classmethod(_watched_layer(vars(core.eager.PyLayer)["apply"])))


def _replace_functions() -> None:
    replaced: dict[int, Any] = {}
    for owner in (paddle._C_ops, paddle._legacy_C_ops):
        for name, function in list(vars(owner).items()):
            if not name.startswith("_") and type(function) is _BUILT_IN:
                replaced[id(function)] = _replacement("called", kind_of(name), function)
                _replace(owner, name, replaced[id(function)])
    for module, name, function in list(_imported(replaced)):
        _replace(module, name, replaced[id(function)])


_BUILT_IN = type(paddle._C_ops.add)


def _replace(owner: Any, name: str, now: Any) -> None:
    before = vars(owner).get(name)
    _places.append(_Place(owner, name, before, now))
    setattr(owner, name, now)


def _imported(replaced: Mapping[int, Any]) -> Iterator[tuple[Any, str, Any]]:
    """Yields where modules of Paddle have imported functions of `_C_ops` by name."""
    for name, module in list(sys.modules.items()):
        if name.startswith("paddle.") and not name.startswith(_OWN) and module is not None:
            for key, value in list(vars(module).items()):
                if type(value) is _BUILT_IN and id(value) in replaced:
                    yield module, key, value


_OWN = ("paddle.base.libpaddle", "paddle._C_ops", "paddle._pir_ops", "paddle.pir", "paddle.decomposition")


def _replacement(method: str, about: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what takes the place of a function: it has recorders call it by this method, which is told what it is about."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not _callers or _paused:  # without recorders, if the program has kept the replacement
            return function(*args, **kwargs)
        run, *others = _callers
        beneath = function
        for each in others:
            beneath = partial(_call_by, getattr(each, method), about, beneath)
        return getattr(run, method)(about, beneath, args, kwargs, sys._getframe())

    return call


def _call_by(called: Callable[..., Any], about: Any, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    return called(about, function, args, kwargs, sys._getframe())


def _watched_layer(apply: Any) -> Callable[..., Any]:
    @wraps(apply)
    def call(layer: Any, *args: Any, **kwargs: Any) -> Any:
        return _replacement("applied", layer, apply.__get__(None, layer))(*args, **kwargs)

    return call


def _watched_property(name: str, place: Any) -> property:
    kind = kind_of(name)
    get = _replacement("called", kind, place.__get__) if name == "data" else place.__get__
    return property(get, _replacement("called", kind, place.__set__), None, place.__doc__)
