"""Sees a step of one of PyTorch's optimizers as one operation.

A mode would be called for each parameter several times, and nothing in such a step makes nodes, views or other ways to the same memory. So it
is away meanwhile, or does nothing but count bytes, and the versions of what the step may write tell what it has written. A step in which
other code runs, such as a closure or a hook of the program, is seen as any code is; so is one that writes without raising versions, or that
may be refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import torch
from torch.optim import optimizer as optimizers

from inplacelab.dependence import Dependence
from inplacelab.frameworks.torch.interception import TorchKind
from inplacelab.frameworks.torch.readings import (
    gradient_held,
    kind_of_layout,
    shape_of,
    strides_of,
    version_of,
)

if TYPE_CHECKING:
    from inplacelab.frameworks.torch.calls import TorchCall

_Tensor: Any = torch.Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step that runs.

    Attributes:
        optimizer: the optimizer.
        tensors, versions: what it may write, and the versions before it.
        parts: the same, by parameter.
    """

    optimizer: Any
    tensors: Sequence[Any]
    versions: Sequence[int]
    parts: Sequence[Part]


class Part(NamedTuple):
    """A parameter that a step changes.

    Attributes:
        tensors: itself, as "param", its "grad", and the tensors of its state, by the optimizer's names for them.
        group: the settings of the optimizer for it.
    """

    tensors: Mapping[str, Any]
    group: Mapping[str, Any]


def step_of(optimizer: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Step | None:
    """Returns a step that begins; None if it is not to be seen as one operation."""
    kind = type(optimizer)
    if not all(f"{each.__module__}.".startswith("torch.optim.") for each in (kind, kind.step)):
        return None
    if len(args) > 1 or any(each is not None for each in kwargs.values()) or _has_hooks(optimizer):
        return None
    if any(group.get("fused") or group.get("differentiable") for group in optimizer.param_groups):
        return None
    parts = parts_of(optimizer)
    tensors = [tensor for each in parts for tensor in each.tensors.values()]
    if not _ORDINARY.issuperset(map(type, tensors)) or any(map(_is_refused, tensors)):
        return None
    try:
        return Step(optimizer, tensors, [*map(version_of, tensors)], parts)
    except RuntimeError:  # tensors made in `torch.inference_mode()` have no versions
        return None


def parts_of(optimizer: Any) -> list[Part]:
    """Returns each parameter that has a gradient, with what belongs to it."""
    parts: list[Part] = []
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            gradient = gradient_held(parameter)
            if gradient is not None:
                found = {"param": parameter, "grad": gradient, **optimizer.state.get(parameter, {})}
                tensors = {name: each for name, each in found.items() if issubclass(type(each), torch.Tensor)}
                parts.append(Part(tensors, group))
    return parts


def _has_hooks(optimizer: Any) -> bool:
    of_all = optimizers._global_optimizer_pre_hooks, optimizers._global_optimizer_post_hooks
    its_own = optimizer._optimizer_step_pre_hooks, optimizer._optimizer_step_post_hooks
    hooks = chain.from_iterable(each.values() for each in (*of_all, *its_own))
    return not all(getattr(each, "__module__", "") == _OWN for each in hooks)


_OWN = "inplacelab.frameworks.torch.watch"


def _is_refused(tensor: Any) -> bool:
    """Whether to write a tensor is refused."""
    return kind_of_layout(tensor) is torch.strided and 0 in strides_of(tensor)


_ORDINARY = frozenset({torch.Tensor, torch.nn.Parameter})
"""Tensors that call nothing of the program."""


# ---- steps that are recorded -------------------------------------------------------------------------------------------------

FEW = 16
"""A step of up to so many parameters is recorded call by call: then a reader sees how it works, and in a larger one no longer finds it."""
STEP = TorchKind("step")


class RecordedStep:
    """A step that is recorded as one operation, while it runs. It counts the bytes of what the step makes.

    Args:
        step: the step.
        call: what is known of its tensors before it.
    """

    def __init__(self, step: Step, call: TorchCall) -> None:
        self.optimizer, self.call, self._parts = step.optimizer, call, step.parts
        self._live = self._peak = 0
        self._made: dict[int, Any] = {}  # references to tensors, by their addresses
        self._held = Counter(each.storage.address for each in call.known)  # how many of them are on each storage

    def counts(self, tensor: Any) -> None:
        """Counts the bytes of a tensor that a function has returned, until it is gone."""
        if id(tensor) in self._made:
            return
        storage = _Tensor.untyped_storage(tensor)
        address, size = storage._cdata, storage.nbytes()
        self._made[id(tensor)] = ref(tensor, partial(self._gone, id(tensor), address, size))
        self._held[address] += 1
        if self._held[address] == 1:
            self._live += size
            self._peak = max(self._peak, self._live)

    def _gone(self, tensor: int, address: int, size: int, _: Any) -> None:
        del self._made[tensor]
        self._held[address] -= 1
        if not self._held[address]:
            self._live -= size

    def ended(self) -> int:
        """Ends that. Returns the most bytes that there were at once."""
        self._made.clear()
        return self._peak

    def calls(self) -> Iterator[TorchCall]:
        """Yields what is known of the step for each parameter, as of a call that is given it, its gradient and its state."""
        call, first = self.call, 0
        for part in self._parts:
            own = slice(first, first := first + len(part.tensors))
            yield replace(
                call, known=call.known[own], tensors=call.tensors[own], operands=call.operands[own],
                versions=call.versions[own], depends=_depends(self.optimizer, part),
            )  # fmt: skip


def _depends(optimizer: Any, part: Part) -> tuple[Dependence | None, ...]:
    """Returns how what a step may write depends on a parameter, its gradient and its state; None where that is not known."""
    tensors, shape = part.tensors, shape_of(part.tensors["param"])
    if type(optimizer).__name__ not in _ELEMENT_BY_ELEMENT:
        return (None,) * len(tensors)
    alike = {name for name, tensor in tensors.items() if shape_of(tensor) == shape and name != "step"}
    decays = part.group.get("weight_decay") and not part.group.get("decoupled_weight_decay")
    read = {"grad", "param"} if decays else {"grad"}
    of = {"param": alike, "step": {"step"}, **{each: {each, *read} for each in _FROM_THE_GRADIENT}}
    left_out = (
        [k for k, other in enumerate(tensors) if other not in of[name]] if name in of else None for name in tensors
    )
    return tuple(None if each is None else Dependence("pointwise", tuple(each)) for each in left_out)


_ELEMENT_BY_ELEMENT = frozenset({
    "SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "Adadelta", "Adagrad", "RMSprop", "ASGD", "Rprop",
})  # fmt: skip
"""Optimizers that compute each element of a parameter from its own gradient and state."""
_FROM_THE_GRADIENT = ("momentum_buffer", "exp_avg", "exp_avg_sq", "square_avg", "sum")
"""States of which each element is computed from itself and from the gradient, to which the parameter may have been added."""


def beginning(args: Sequence[Any], frame: FrameType) -> tuple[FrameType, Any, Sequence[Any], Mapping[str, Any]] | None:
    """Returns the frame of the optimizer's step that begins, the optimizer and the arguments of the step; None if none does.

    PyTorch runs a step in a range for its profiler, which ends also if the step raises.

    Args:
        args: those of the function that begins a range.
        frame: the frame that has called it.
    """
    outer = range_around(frame)
    names = outer.f_locals if outer is not None and str(args[0]).startswith("Optimizer.step#") else {}
    optimizer = names.get("self")
    if outer is None or not isinstance(optimizer, torch.optim.Optimizer):
        return None
    return outer, optimizer, names.get("args", (optimizer, None)), names.get("kwargs", {})


def range_around(frame: FrameType | None) -> FrameType | None:
    """Returns the frame of an optimizer in which a range begins or ends, given one in the function for it."""
    while frame is not None and frame.f_code.co_filename != optimizers.__file__:
        frame = frame.f_back
    return frame
