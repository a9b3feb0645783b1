"""`nn.Layer`, the base of every layer: a function with parameters, buffers and sublayers."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from reprlib import recursive_repr
from typing import Any, Self, TypeVar

import numpy as np

from inplacelab import errors, modes, observe
from inplacelab.autograd.grad_mode import without_history
from inplacelab.autograd.tensor_methods import HookHandle
from inplacelab.dtypes import get_default_dtype
from inplacelab.nn.parameters import Initializer, Movable, Parts, as_parameter, attributes
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.results.random_stream import generator
from inplacelab.tensor import Parameter, Tensor

_serials: dict[str, Iterator[int]] = {}

T = TypeVar("T")


class Layer(Movable, Parts):
    """The base of every layer: a subclass defines `forward`; a program calls the layer.

    `parameters()` and `named_parameters()` find attributes that are parameters or layers. Tensors that are not trained belong
    to the layer's state when they are registered as buffers.

    Args:
        name_scope: the first part of the layer's name; None for the name of the class in lower case.
        dtype: the dtype of its parameters; None for the default dtype.

    Attributes:
        training: True in training, False in evaluation; see `train()` and `eval()`.

    >>> import inplacelab as paddle
    >>> class Double(paddle.nn.Layer):
    ...     def forward(self, x):
    ...         return x.scale(2.)
    >>> Double()(paddle.ones([2])).tolist()
    [2.0, 2.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Layer_en.html
    """

    training: bool

    def __init__(self, name_scope: str | None = None, dtype: str | None = None) -> None:
        super().__init__()
        for each in modes.current().listeners:
            each.constructed(self)
        kind = name_scope.lower() if name_scope else _snake(type(self).__name__)
        self._full_name = f"{kind}_{next(_serials.setdefault(kind, count()))}"
        self._dtype, self.training = dtype, True
        self._numbers = {"w": 0, "b": 0}  # the number of weights and biases created so far
        self._before: dict[int, Callable[..., Any]] = {}
        self._after: dict[int, Callable[..., Any]] = {}

    # ---- computing ------------------------------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes the outputs of the layer. Every subclass defines it.

        Raises:
            NotImplementedError: if the subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define forward(), which computes its outputs")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        for hook in tuple(self._before.values()):
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        outputs = self.forward(*inputs, **kwargs)
        for hook in tuple(self._after.values()):
            changed = hook(self, inputs, outputs)
            outputs = outputs if changed is None else changed
        return outputs

    def register_forward_pre_hook(self, hook: Callable[[Any, tuple[Any, ...]], Any]) -> HookHandle:
        """Registers a hook that runs before `forward`.

        Args:
            hook: called as `hook(layer, inputs)` with a tuple of inputs. Unless it returns None, its result replaces the inputs.

        Returns:
            A handle; `handle.remove()` removes the hook.
        """
        return _add_hook(self._before, hook)

    def register_forward_post_hook(self, hook: Callable[[Any, tuple[Any, ...], Any], Any]) -> HookHandle:
        """Registers a hook that runs after `forward`.

        Args:
            hook: called as `hook(layer, inputs, outputs)`. Unless it returns None, its result replaces the outputs.

        Returns:
            A handle; `handle.remove()` removes the hook.
        """
        return _add_hook(self._after, hook)

    def train(self, mode: bool = True) -> Self:
        """Switches this layer and all sublayers to training, or to evaluation if `mode` is False; returns the layer."""
        for layer in self.sublayers(include_self=True):
            layer.training = mode
        return self

    def eval(self) -> Self:
        """Switches this layer and all sublayers to evaluation, and returns the layer."""
        return self.train(False)

    # ---- adding parameters, sublayers and buffers --------------------------------------------------------------------------

    def create_parameter(
        self,
        shape: Any,
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any:
        """Creates a parameter: Xavier-uniform numbers for weights, zeros for biases, as Paddle does by default.

        Args:
            shape: the shape of the parameter.
            attr: a `ParamAttr`, a name or an initializer; False for no parameter.
            dtype: its dtype; None for the layer's or the default dtype.
            is_bias: whether it is a bias, which determines its name and first values.
            default_initializer: writes the first values if `attr` has no initializer.

        Returns:
            The parameter, or None if `attr` is False.

        Raises:
            ArgumentKindError: if `attr` is of another kind.
        """
        if attr is False:
            return None
        attribute = attributes(attr)
        sizes = tuple(int(n) for n in shape)
        write = attribute.initializer or default_initializer

        def made() -> Parameter:
            limit = 0.0 if is_bias or not sizes else float(np.sqrt(6.0 / (sizes[0] + sizes[-1])))
            parameter = as_parameter(
                to_tensor(generator().uniform(-limit, limit, sizes), dtype=dtype or self._dtype or get_default_dtype())
            )
            kind = "b" if is_bias else "w"
            parameter.name = attribute.name or f"{self._full_name}.{kind}_{self._numbers[kind]}"
            self._numbers[kind] += not attribute.name
            if write is not None:
                write(parameter)
                parameter.storage.version = 0  # no other code has seen it yet
            parameter.stop_gradient = not attribute.trainable
            return parameter

        parameter = without_history(observe.silently, made)
        if modes.current().listeners:
            observe.notify("create_parameter", "create", (), parameter, None)
        return parameter

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Adds a parameter to this layer.

        Args:
            name: the name of the attribute.
            parameter: the parameter, or None.

        Returns:
            The parameter.
        """
        setattr(self, name, parameter)
        return parameter

    def add_sublayer(self, name: str, sublayer: Layer) -> Layer:
        """Adds a sublayer to this layer.

        Args:
            name: the name of the attribute.
            sublayer: the layer.

        Returns:
            The sublayer.
        """
        setattr(self, name, sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Adds a tensor to this layer that is not trained: running means, masks, tables.

        Args:
            name: the name of the attribute.
            tensor: its value, or None; another tensor may be assigned later.
            persistable: whether it is part of `state_dict()`.

        Raises:
            ArgumentKindError: if `tensor` is a parameter or not a tensor.
            TakenNameError: if the layer has another attribute of this name, or the name is empty or contains a dot.
        """
        if isinstance(tensor, Parameter) or not isinstance(tensor, Tensor | None):
            raise errors.buffer_is_not_a_tensor(given=tensor)
        if not name:
            raise errors.buffer_name_empty()
        if "." in name:
            raise errors.buffer_name_has_dot()
        if hasattr(self, name) and name not in self._buffers:
            raise errors.name_taken(name=name)
        self._buffers[name] = persistable
        setattr(self, name, tensor)

    # ---- finding parameters, sublayers and buffers -------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """Iterates over the direct sublayers as (name, layer), each layer once."""
        return _once(direct_sublayers(self))

    def children(self) -> Iterator[Layer]:
        """Iterates over the direct sublayers."""
        return (layer for _, layer in self.named_children())

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False, *, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Layer]]:
        """Iterates over all sublayers as (dotted name, layer), outer layers first.

        Args:
            prefix: the first part of every name.
            include_self: whether to begin with this layer, under the name `prefix`.
            remove_duplicate: whether a layer with several names appears once only.
        """
        found = _walk(self, prefix)
        if not include_self:
            next(found)
        return _once(found) if remove_duplicate else found

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """Returns all sublayers, after this layer if `include_self` is True."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True, *, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterates over the parameters as (dotted name, parameter).

        Args:
            prefix: the first part of every name.
            include_sublayers: whether to include the parameters of sublayers.
            remove_duplicate: whether a parameter that several layers share appears once only.
        """
        found = self._named(_parameters_of, prefix, include_sublayers)
        return _once(found) if remove_duplicate else found

    def parameters(self, include_sublayers: bool = True) -> list[Tensor]:
        """Returns the parameters of this layer, and of its sublayers unless `include_sublayers` is False."""
        return [parameter for _, parameter in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Iterates over the buffers as (dotted name, tensor), each once.

        Args:
            prefix: the first part of every name.
            include_sublayers: whether to include the buffers of sublayers.
        """
        return _once(self._named(_buffers_of, prefix, include_sublayers))

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """Returns the buffers of this layer, and of its sublayers unless `include_sublayers` is False."""
        return [buffer for _, buffer in self.named_buffers(include_sublayers=include_sublayers)]

    def _named(
        self, of: Callable[[Layer], Iterable[tuple[str, T]]], prefix: str, deep: bool
    ) -> Iterator[tuple[str, T]]:
        for path, layer in _walk(self, prefix) if deep else ((prefix, self),):
            for name, value in of(layer):
                yield _join(path, name), value

    def apply(self, fn: Callable[[Layer], object]) -> Self:
        """Calls `fn(layer)` for all sublayers and then for this layer, and returns this layer."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    # ---- the state --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """Returns the parameters and the persistable buffers by dotted name: the tensors themselves, not copies."""
        return OrderedDict(self._named(_state_of, "", True))

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """Writes values into the parameters and buffers, in place: each write raises the version.

        Args:
            state_dict: tensors or arrays by dotted name, as `state_dict()` returns them.

        Returns:
            The names that are missing in `state_dict`, and the names that the layer does not have.

        Raises:
            ShapeError: if a value has another shape. Nothing is written then.

        >>> import inplacelab as paddle
        >>> layer = paddle.nn.Linear(1, 1)
        >>> layer.set_state_dict({"weight": paddle.ones([1, 1]), "scale": paddle.ones([1])})
        (['bias'], ['scale'])
        """
        own = self.state_dict()
        given = {name: state_dict[name] for name in own if name in state_dict}
        for name, value in given.items():
            if tuple(np.shape(value)) != own[name].array.shape:
                raise errors.state_shape_differs(name=name, given=np.shape(value), wanted=own[name].shape)
        for name, value in given.items():
            own[name].set_value(value)
        return [name for name in own if name not in given], [name for name in state_dict if name not in own]

    set_dict = load_dict = set_state_dict

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Fills the gradients of all parameters with zeros, or removes them if `set_to_zero` is False."""
        for parameter in self.parameters():
            parameter.clear_gradient(set_to_zero)

    # ---- names and printing -----------------------------------------------------------------------------------------------

    def full_name(self) -> str:
        """Returns the layer's name, such as "linear_0"."""
        return self._full_name

    def extra_repr(self) -> str:
        """Returns the text between the parentheses when the layer is printed. Subclasses may define it."""
        return ""

    @recursive_repr("...")
    def __repr__(self) -> str:
        parts = [f"({name}): {value!r}".replace("\n", "\n  ") for name, value in direct_sublayers(self)]
        options = self.extra_repr()
        if not parts:
            return f"{type(self).__name__}({options})"
        return "\n  ".join([f"{type(self).__name__}(", *([options] if options else []), *parts]) + "\n)"


def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Any:
    """Creates a parameter that belongs to no layer. See `Layer.create_parameter`.

    Args:
        shape: the shape of the parameter.
        dtype: its dtype.
        name: its name; None for a generated one.
        attr: a `ParamAttr`, a name or an initializer; False for no parameter.
        is_bias: whether it is a bias, which begins with zeros.
        default_initializer: writes the first values if `attr` has no initializer.

    Returns:
        The parameter, or None if `attr` is False.

    Raises:
        ArgumentKindError: if `attr` is of another kind.

    >>> import inplacelab as paddle
    >>> paddle.create_parameter([2], "float32", is_bias=True).tolist()
    [0.0, 0.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/create_parameter_en.html
    """
    parameter = Layer("create_parameter").create_parameter(shape, attr, dtype, is_bias, default_initializer)
    if name is not None and parameter is not None:
        parameter.name = name
    return parameter


def _snake(name: str) -> str:
    """Converts a class name to Paddle's name of a layer: LayerNorm to "layer_norm", MSELoss to "mse_loss"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", name).lower()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _walk(layer: Layer, path: str, around: tuple[Layer, ...] = ()) -> Iterator[tuple[str, Layer]]:
    """Iterates over a layer and all sublayers with duplicates. A layer that contains itself is not entered again."""
    yield path, layer
    around = (*around, layer)
    for name, value in direct_sublayers(layer):
        if not any(value is each for each in around):
            yield from _walk(value, _join(path, name), around)


def direct_sublayers(layer: Layer) -> Iterator[tuple[str, Layer]]:
    """Iterates over the direct sublayers of `layer` as (name, layer), with duplicates."""
    return ((name, value) for name, value in vars(layer).items() if isinstance(value, Layer))


def _once(named: Iterable[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Iterates over the pairs, each value under its first name only."""
    seen = set()
    for name, value in named:
        if id(value) not in seen:
            seen.add(id(value))
            yield name, value


def _parameters_of(layer: Layer) -> Iterator[tuple[str, Tensor]]:
    return ((name, value) for name, value in vars(layer).items() if isinstance(value, Parameter))


def _buffers_of(layer: Layer) -> Iterator[tuple[str, Tensor]]:
    return ((name, value) for name in layer._buffers if (value := vars(layer).get(name)) is not None)


def _state_of(layer: Layer) -> Iterator[tuple[str, Tensor]]:
    yield from _parameters_of(layer)
    yield from ((name, value) for name, value in _buffers_of(layer) if layer._buffers[name])


def _add_hook(hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> HookHandle:
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return HookHandle(hooks, key)
