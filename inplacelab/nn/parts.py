"""What a layer is made of: parameters, buffers and other layers, and under which names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

from inplacelab import errors
from inplacelab.tensor import Parameter, Tensor

_T = TypeVar("_T")


class Parts:
    """The account that a layer keeps of its attributes: those that are parameters or layers, and the buffers, which are listed.

    A tensor that is simply assigned is a buffer too, but no part of the state, as in Paddle.
    """

    def __init__(self) -> None:
        self._kept: dict[str, bool] = {}  # the names of the buffers, and whether each is a part of the state

    # ---- what is put into it ---------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses what would silently take a parameter, layer or buffer out of the layer, as Paddle does.

        Raises:
            LayerKindError: if the name stands for a parameter, layer or buffer, and the value is none.
            LayerStateError: if `super().__init__()` has not been called yet.
        """
        begun, there = "_kept" in self.__dict__, self.__dict__.get(name)
        if not begun and isinstance(value, Parameter | Parts):
            raise errors.layer_not_begun()
        if value is not None and not isinstance(value, Parameter | Parts):
            for kind, part in ((Parameter, "parameter"), (Parts, "sublayer")):
                if isinstance(there, kind):
                    raise errors.other_kind_of_part(part, name, value)
            if begun and name in self._kept and not isinstance(value, Tensor):
                raise errors.other_kind_of_part("buffers", name, value)
        if begun and isinstance(value, Tensor) and not isinstance(value, Parameter):
            self._kept.setdefault(name, False)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._kept.pop(name, None)

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Put a parameter into this layer under `name`."""
        if not isinstance(parameter, Parameter | None):
            raise errors.bad_part("parameter to be added", "Parameter", parameter)
        return self._put("parameter", name, parameter)

    def add_sublayer(self, name: str, sublayer: Parts) -> Parts:
        """Put a layer inside this one under `name`."""
        if not isinstance(sublayer, Parts | None):
            raise errors.bad_part("layer to be added", "Layer", sublayer)
        setattr(self, name, sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Make a tensor a part of the layer that is not trained, under `name`: a running average, a counter.

        Args:
            name: its name as an attribute of the layer.
            tensor: the tensor itself, not a copy: operations in place show through either.
            persistable: whether it is a part of `state_dict()`.

        Raises:
            LayerKindError: if it is a parameter, or no tensor.
            LayerNameError: if the name is empty, has a dot, or stands for something else already.
        """
        if isinstance(tensor, Parameter) or not isinstance(tensor, Tensor | None):
            raise errors.bad_part("registered buffer", "Tensor", tensor)
        self._put("buffer", name, tensor)
        self._kept[name] = bool(persistable)

    def _put(self, part: str, name: str, value: _T) -> _T:
        if "_kept" not in self.__dict__:
            raise errors.layer_not_begun()
        if not name or "." in name:
            raise errors.bad_part_name(part, name)
        if hasattr(self, name) and not (
            name in self._kept if part == "buffer" else isinstance(self.__dict__.get(name), Parameter)
        ):
            raise errors.name_taken(name)
        setattr(self, name, value)
        return value

    # ---- what is in it ---------------------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Any]]:
        """The layers directly inside, with their names; each once."""
        return _once(self._inside())

    def _inside(self) -> Iterator[tuple[str, Any]]:
        return ((name, value) for name, value in vars(self).items() if isinstance(value, Parts))

    def children(self) -> Iterator[Any]:
        """The layers directly inside."""
        return (layer for _, layer in self.named_children())

    def named_sublayers(self, prefix: str = "", include_self: bool = False) -> Iterator[tuple[str, Any]]:
        """The layers inside, with dotted names, outermost first; each once."""
        return _once(self.every_layer(prefix, include_self=include_self))

    def every_layer(self, prefix: str, *, include_self: bool) -> Iterator[tuple[str, Any]]:
        """As `named_sublayers`, but a layer that stands in two places comes twice."""
        if include_self:
            yield prefix, self
        for name, layer in self._inside():
            yield from layer.every_layer(dotted(prefix, name), include_self=True)

    def sublayers(self, include_self: bool = False) -> list[Any]:
        """The layers inside."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_parameters(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The parameters of this layer, then those of the layers inside, with dotted names; each once."""
        return _once(
            (dotted(path, name), value)
            for path, layer in self._layers(prefix, include_sublayers)
            for name, value in vars(layer).items()
            if isinstance(value, Parameter)
        )

    def parameters(self, include_sublayers: bool = True) -> list[Tensor]:
        """The parameters of this layer and of those inside."""
        return [parameter for _, parameter in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this layer, then those of the layers inside, with dotted names; each once."""
        return _once(
            (dotted(path, name), getattr(layer, name))
            for path, layer in self._layers(prefix, include_sublayers)
            for name in layer._kept
            if getattr(layer, name) is not None
        )

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """The buffers of this layer and of those inside."""
        return [buffer for _, buffer in self.named_buffers(include_sublayers=include_sublayers)]

    def _layers(self, prefix: str, deep: bool) -> Iterator[tuple[str, Any]]:
        return self.named_sublayers(prefix, include_self=True) if deep else iter([(prefix, self)])

    def own_state(self) -> dict[str, Tensor]:
        """The parameters and the persistable buffers of this layer itself."""
        own: dict[str, Tensor] = {name: value for name, value in vars(self).items() if isinstance(value, Parameter)}
        kept = [name for name, persistable in self._kept.items() if persistable and getattr(self, name) is not None]
        return own | {name: getattr(self, name) for name in kept}

    def apply(self, fn: Callable[[Parts], Any]) -> Self:
        """Call `fn` with each layer inside, innermost first, then with this one."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self


def dotted(path: str, name: str) -> str:
    """A name with the way to it."""
    return f"{path}.{name}" if path else name


def _once(named: Iterator[tuple[str, _T]]) -> Iterator[tuple[str, _T]]:
    """Each thing under its first name only: a layer may stand in two places."""
    seen: list[Any] = []
    for name, thing in named:
        if all(thing is not each for each in seen):
            seen.append(thing)
            yield name, thing
