"""The context of a custom operation: what its `forward` hands on to its `backward`."""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.custom.kept_tensors import Kept, Memory
from inplacelab.tensor import Tensor


class PyLayerContext:
    """What `forward` hands on to `backward`, and what it says about its arguments and results: their first argument, `ctx`.

    Anything may be put on it as an attribute. Tensors are then kept as by `save_for_backward`: checked by version, and without
    the reference cycle that an ordinary attribute would make of a result.
    """

    _memory: Memory
    _materialize: bool
    _not_in_place: tuple[Tensor, ...]
    _constants: tuple[Tensor, ...]

    def __init__(self, memory: Memory | None = None) -> None:
        self.__dict__.update(_memory=memory or Memory([]), _materialize=True, _not_in_place=(), _constants=())

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for `backward`: as they are now. If one is overwritten before `backward` asks for it, that is refused."""
        keep = self._memory.keep
        self._memory.listed = [
            keep(f"saved_tensor()[{k}]", each) if isinstance(each, Tensor) else each for k, each in enumerate(tensors)
        ]

    def saved_tensor(self) -> tuple[Any, ...] | None:
        """What was saved, in order; None if nothing was.

        Raises:
            StaleSavedTensorError: if one of them has been overwritten since.
        """
        memory = self._memory
        return tuple(memory.take(each) if isinstance(each, Kept) else each for each in memory.listed) or None

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Say that these arguments, though returned, are not to be taken as written: a copy is returned."""
        self._not_in_place = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say that these results need no gradient. `backward` is given zeros for them."""
        self._constants = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether `backward` is given zeros (True, as by default) or None for a result whose gradient did not come."""
        self._materialize = bool(value)

    def __setattr__(self, name: str, value: Any) -> None:
        self._memory.named.pop(name, None)
        self.__dict__.pop(name, None)
        if isinstance(value, Tensor):
            self._memory.named[name] = self._memory.keep(f"ctx.{name}", value)
        else:
            self.__dict__[name] = value

    def __getattr__(self, name: str) -> Any:
        kept = self.__dict__["_memory"].named.get(name)
        if kept is None:
            raise AttributeError(f"nothing was put on the context under the name {name!r}")
        return self._memory.take(kept)
