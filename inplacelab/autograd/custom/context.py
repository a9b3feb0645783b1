"""The context of a custom operation, which passes values from its `forward` to its `backward`."""

from __future__ import annotations

from typing import Any

from inplacelab.autograd.custom.kept_tensors import Kept, Memory
from inplacelab.tensor import Tensor


class PyLayerContext:
    """The first argument, `ctx`, of `forward` and `backward`: values for backward, and marks on arguments and results.

    Any value may be set as an attribute. Tensors are then kept as by `save_for_backward`: checked by version, and without the
    reference cycle of an ordinary attribute that holds a result.
    """

    _memory: Memory
    _materialize: bool
    _not_in_place: tuple[Tensor, ...]
    _constants: tuple[Tensor, ...]

    def __init__(self, memory: Memory | None = None) -> None:
        self.__dict__.update(_memory=memory or Memory([]), _materialize=True, _not_in_place=(), _constants=())

    def save_for_backward(self, *tensors: Any) -> None:
        """Saves tensors for `backward`. If one is overwritten before `backward` uses it, backward refuses it.

        Args:
            *tensors: the tensors, which `saved_tensor()` returns in the same order; other values are kept, too.
        """
        keep = self._memory.keep
        self._memory.listed = [
            keep(f"saved_tensor()[{k}]", each) if isinstance(each, Tensor) else each for k, each in enumerate(tensors)
        ]

    def saved_tensor(self) -> tuple[Any, ...] | None:
        """Returns the saved tensors, in order; None if there are none.

        Raises:
            StaleSavedTensorError: if one of them has been overwritten since.
        """
        memory = self._memory
        return tuple(memory.take(each) if isinstance(each, Kept) else each for each in memory.listed) or None

    def mark_not_inplace(self, *tensors: Tensor) -> None:
        """Marks arguments that are returned but not as in-place results: the call returns copies of them."""
        self._not_in_place = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Marks results that need no gradient. `backward` receives zeros for them."""
        self._constants = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Sets what `backward` receives for a result without a gradient: zeros (True, the default) or None."""
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
            raise AttributeError(f"the context has no attribute {name!r}")
        return self._memory.take(kept)
