"""Runs a Paddle program for a trial (see `trial_run.py`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import paddle
from paddle.base import core

from inplacelab.diagnosis.recorded_trial import recorded
from inplacelab.diagnosis.trial_run import Ran, named
from inplacelab.recorders.bindings import Bindings
from inplacelab.recorders.paddle.names import WATCHED
from inplacelab.recorders.program import identifiers, parsed, scopes_of


class Copies:
    """Has every grad node save a copy, and counts their bytes."""

    def __init__(self) -> None:
        self.bytes = 0
        self.block = paddle.autograd.saved_tensors_hooks(self._pack, lambda packed: packed)

    def _pack(self, saved: Any) -> Any:
        copy = _copied(saved.detach())
        self.bytes += copy.size * copy.element_size()
        return copy


def _copied(tensor: Any) -> Any:
    """Returns a copy with the same strides and offset: Paddle 3.3 reads what a hook has packed with those of the original."""
    if tensor.is_contiguous() and not tensor.offset:
        return tensor.clone()
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides, strict=True))
    slots = tensor.offset // tensor.element_size() + last + 1 if tensor.size else 0
    whole = paddle.as_strided(tensor, [slots], [1], 0).clone()
    return paddle.as_strided(whole, tensor.shape, tensor.strides, tensor.offset)


class Gradients:
    """Collects the gradients of the leaves that have names in a script, after each backward pass.

    Paddle does not show to which tensor a grad node of a leaf belongs.
    """

    def __init__(self, script: Path, text: str) -> None:
        self.passes: list[dict[str, Any]] = []
        self._filename, self._names = str(script), identifiers(parsed(text))

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Collects them inside a `with` block."""
        before = {name: getattr(core.eager, name) for name in ("run_backward", "run_partial_grad")}
        for name, run in before.items():
            setattr(core.eager, name, self._followed(run))
        try:
            yield
        finally:
            for name, run in before.items():
                setattr(core.eager, name, run)

    def _followed(self, run: Callable[..., Any]) -> Callable[..., Any]:
        def followed(*args: Any, **kwargs: Any) -> Any:
            result = run(*args, **kwargs)
            found = {f"result {k}": each for k, each in enumerate(result or ())}
            for tensor, names in self._leaves(sys._getframe(1)):
                found |= dict.fromkeys(names, tensor.grad)
            self.passes.append({name: None if each is None else _array(each) for name, each in found.items()})
            return result

        return followed

    def _leaves(self, frame: FrameType | None) -> Iterator[tuple[Any, tuple[str, ...]]]:
        frames = []
        while frame is not None:
            if frame.f_code.co_filename == self._filename:
                frames.append(frame)
            frame = frame.f_back
        for tensor, names in Bindings(self._names, WATCHED).look(scopes_of(frames), done=True) or ():
            if tensor.is_leaf and not tensor.stop_gradient:
                yield tensor, names


def _array(tensor: Any) -> Any:
    """Returns a copy of the values as a NumPy array, which has no `bfloat16`."""
    values = tensor.detach()
    return (values.astype("float32") if values.dtype == paddle.bfloat16 else values).numpy().copy()


def run(script: Path, text: str, names: dict[str, Any], *, reference: bool) -> Ran:
    """Runs a script; see `trial_run.Run`."""
    paddle.seed(0)
    gradients, copies = Gradients(script, text), Copies()
    with gradients.collected(), copies.block if reference else nullcontext():
        ran = recorded("paddle", script, text, names)
    values = named(names, text, WATCHED, _array)
    return Ran(ran.raised, gradients.passes, ran.trails, copies.bytes, values, ran.unnoticed)
