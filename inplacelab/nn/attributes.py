"""Guards the attributes of a layer: no assignment removes a parameter, sublayer or buffer silently."""

from __future__ import annotations

from typing import Any

from inplacelab import errors
from inplacelab.tensor import Parameter, Tensor


class Parts:
    """The parameters, sublayers and buffers of a layer. As in Paddle, assigning a value of another kind to one is an error.

    As in Paddle, a tensor that is assigned becomes a buffer, but not part of `state_dict()`.

    Attributes:
        _buffers: the names of the buffers, and whether each is part of `state_dict()`.
    """

    def __init__(self) -> None:
        self._buffers: dict[str, bool] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute.

        Args:
            name: the attribute.
            value: the new value; None is always allowed.

        Raises:
            ArgumentKindError: if the attribute is a parameter, sublayer or buffer, and the value is of another kind.
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
        present = self.__dict__.get(name)
        if isinstance(present, Parameter):
            raise errors.parameter_replaced(name=name, given=value)
        if isinstance(present, Parts):
            raise errors.sublayer_replaced(name=name, given=value)
        if name in self.__dict__.get("_buffers", ()) and not isinstance(value, Tensor):
            raise errors.buffer_replaced(name=name, given=value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._buffers.pop(name, None)
