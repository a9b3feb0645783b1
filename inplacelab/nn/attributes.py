"""Attributes of layers, guarded so that an assignment does not silently remove a parameter, layer or buffer."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.tensor import Parameter, Tensor


class Parts:
    """The attributes of a layer. An assignment that would remove a parameter, layer or buffer is refused, as in Paddle.

    A tensor that is assigned is a buffer too, but not part of the state, as in Paddle.

    Attributes:
        _buffers: the names of the buffers, and whether each is part of the state.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, bool] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute.

        Raises:
            ArgumentKindError: if the name belongs to a parameter, layer or buffer, and the value is not one.
            ArgumentError: if `super().__init__()` has not been called yet.
        """
        buffers = self.__dict__.get("_buffers")
        if isinstance(value, Parameter | Parts):
            if buffers is None:
                raise errors.super_init_not_called()
        elif value is not None:
            self._check_stays(name, value)
            if isinstance(value, Tensor) and buffers is not None:
                buffers.setdefault(name, False)
        super().__setattr__(name, value)

    def _check_stays(self, name: str, value: Any) -> None:
        there = self.__dict__.get(name)
        if isinstance(there, Parameter):
            raise errors.parameter_replaced(name=name, given=value)
        if isinstance(there, Parts):
            raise errors.sublayer_replaced(name=name, given=value)
        if name in self.__dict__.get("_buffers", ()) and not isinstance(value, Tensor):
            raise errors.buffer_replaced(name=name, given=value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._buffers.pop(name, None)
