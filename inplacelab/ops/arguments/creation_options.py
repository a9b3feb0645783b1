"""Options of the functions that create tensors: `device=`, `requires_grad=`, `pin_memory=`, `out=`, as in PaddlePaddle 3.3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from inplacelab import backends, modes
from inplacelab.ops.results import destinations
from inplacelab.tensor import Tensor

CREATION_OPTIONS: Mapping[str, tuple[str, ...]] = {
    function: tuple(words.split())
    for words, functions in {
        "out device requires_grad pin_memory": "arange empty eye full ones rand randn randperm zeros",
        "out device requires_grad": "linspace standard_normal uniform",
        "device requires_grad pin_memory": "empty_like full_like ones_like zeros_like",
        "device requires_grad": "rand_like randn_like",
    }.items()
    for function in functions.split()
}
"""The options, and the functions that accept them: measured on PaddlePaddle 3.3.1."""

DEFAULTS: Mapping[str, Any] = {"out": None, "device": None, "requires_grad": False, "pin_memory": False}


def device_for(like: Tensor | None = None) -> backends.Device:
    """Returns the device of a new tensor: that of the option `device=`, else that of `like`, else the current one."""
    chosen: backends.Device | None = modes.current().device_option
    return chosen or (backends.current() if like is None else like.storage.device)


class _MadeOn(modes.Block):
    """Makes tensors on the device of the option `device=`, if it is given."""

    def __init__(self, device: Any) -> None:
        self._device = None if device is None else backends.find(device)

    def change(self, modes: modes.Modes) -> None:
        modes.device_option = self._device


def with_options(op: str, make: Callable[..., Tensor], values: tuple[Any, ...], named: dict[str, Any]) -> Tensor:
    """Returns the tensor that `make` makes, with the options in `named` applied."""
    options = {word: named.pop(word, DEFAULTS[word]) for word in CREATION_OPTIONS[op]}

    def compute() -> Tensor:
        return modes.run_inside(_MadeOn(options["device"]), make, *values, **named)

    if options.get("out") is not None:
        return destinations.into(op, options["out"], (), compute)
    return finished(compute(), options["requires_grad"], options.get("pin_memory", False))


def finished(tensor: Tensor, requires_grad: bool, pin_memory: bool) -> Tensor:
    """Applies `requires_grad` and `pin_memory` to a new tensor."""
    if pin_memory:
        tensor = tensor.pin_memory()
    if requires_grad:
        tensor.stop_gradient = False
    return tensor
