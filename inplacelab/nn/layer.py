"""`nn.Layer`: a function with parameters and other layers inside it."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from reprlib import recursive_repr
from typing import Any, Self, TypeVar

import numpy as np

from inplacelab import errors, observe
from inplacelab.autograd import modes
from inplacelab.autograd.grad_fn import HookHandle
from inplacelab.dtypes import get_default_dtype
from inplacelab.nn.attributes import Parts
from inplacelab.nn.layer_transfers import Movable
from inplacelab.nn.parameters import Initializer, as_parameter, attributes
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.results.random_stream import generator
from inplacelab.tensor import Parameter, Tensor

_serials: dict[str, Iterator[int]] = {}

T = TypeVar("T")


class Layer(Movable, Parts):
    """The base of every layer: define `forward`, call the layer.

    `parameters()` and `named_parameters()` find attributes that are parameters or layers. Tensors that are not trained are
    registered as buffers.

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
        kind = name_scope.lower() if name_scope else _snake(type(self).__name__)
        self._full_name = f"{kind}_{next(_serials.setdefault(kind, count()))}"
        self._dtype, self.training = dtype, True
        self._numbers = {"w": 0, "b": 0}  # the number of parameters of either kind that it has made
        self._before: dict[int, Callable[..., Any]] = {}
        self._after: dict[int, Callable[..., Any]] = {}

    # ---- computing ------------------------------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes the layer's result. Each layer defines it."""
        raise NotImplementedError(f"{type(self).__name__} does not define forward(), which computes the result")

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
        """Calls `hook(layer, inputs)` before `forward`. A result other than None replaces the inputs.

        Returns:
            A handle whose `remove()` removes the hook.
        """
        return _hang(self._before, hook)

    def register_forward_post_hook(self, hook: Callable[[Any, tuple[Any, ...], Any], Any]) -> HookHandle:
        """Calls `hook(layer, inputs, outputs)` after `forward`. A result other than None replaces the outputs.

        Returns:
            A handle whose `remove()` removes the hook.
        """
        return _hang(self._after, hook)

    def train(self, mode: bool = True) -> Self:
        """Switches this layer and those inside to training, or to evaluation if `mode` is False. Returns this layer."""
        for layer in self.sublayers(include_self=True):
            layer.training = mode
        return self

    def eval(self) -> Self:
        """Switches this layer and those inside to evaluation. Returns this layer."""
        return self.train(False)

    # ---- parameters, layers, buffers --------------------------------------------------------------------------------------

    def create_parameter(
        self,
        shape: Any,
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any:
        """Creates a parameter: by default with Xavier-uniform numbers for weights and zeros for biases, as in Paddle.

        Args:
            shape: its shape.
            attr: a `ParamAttr`, a name, or an initializer; False for no parameter.
            dtype: its dtype; that of the layer, or the default type, if None.
            is_bias: whether it is a bias: then it gets the name of one, and zeros.
            default_initializer: writes the values if `attr` has no initializer.

        Returns:
            The parameter, which is not yet part of the layer; None if `attr` is False.
        """
        if attr is False:
            return None
        options = attributes(attr)
        sizes = tuple(int(n) for n in shape)
        limit = 0.0 if is_bias or not sizes else float(np.sqrt(6.0 / (sizes[0] + sizes[-1])))
        with observe.silence(), modes.no_grad():
            parameter = as_parameter(
                to_tensor(generator().uniform(-limit, limit, sizes), dtype=dtype or self._dtype or get_default_dtype())
            )
            kind = "b" if is_bias else "w"
            parameter.name = options.name or f"{self._full_name}.{kind}_{self._numbers[kind]}"
            self._numbers[kind] += not options.name
            write = options.initializer or default_initializer
            if write is not None:
                write(parameter)
                parameter.storage.version = 0  # the program has not seen it before
            parameter.stop_gradient = not options.trainable
        if observe.listeners:
            observe.notify("create_parameter", "create", (), parameter, None)
        return parameter

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Adds a parameter to this layer under `name`."""
        setattr(self, name, parameter)
        return parameter

    def add_sublayer(self, name: str, sublayer: Layer) -> Layer:
        """Adds a layer to this one under `name`."""
        setattr(self, name, sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Adds a tensor to this layer that is not trained: running means, masks, tables.

        Args:
            name: the name of the attribute.
            tensor: its value; another tensor may be assigned later.
            persistable: whether it is part of `state_dict()`.

        Raises:
            ArgumentKindError: if it is not a tensor.
            TakenNameError: if the layer has another attribute of this name, or the name is invalid.
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

    # ---- traversal -------------------------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """Yields the layers directly inside, with their names, each once."""
        return _once(inside(self))

    def children(self) -> Iterator[Layer]:
        """Yields the layers directly inside."""
        return (layer for _, layer in self.named_children())

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False, *, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Layer]]:
        """Yields the layers inside, with dotted names, outermost first, each once."""
        found = _walk(self, prefix)
        if not include_self:
            next(found)
        return _once(found) if remove_duplicate else found

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """Returns the layers inside."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True, *, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yields the parameters of this layer and of those inside, with dotted names, each once."""
        found = self._named(_parameters_of, prefix, include_sublayers)
        return _once(found) if remove_duplicate else found

    def parameters(self, include_sublayers: bool = True) -> list[Tensor]:
        """Returns the parameters of this layer and of those inside."""
        return [parameter for _, parameter in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Yields the buffers of this layer and of those inside, with dotted names."""
        return _once(self._named(_buffers_of, prefix, include_sublayers))

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """Returns the buffers of this layer and of those inside."""
        return [buffer for _, buffer in self.named_buffers(include_sublayers=include_sublayers)]

    def _named(
        self, of: Callable[[Layer], Iterable[tuple[str, T]]], prefix: str, deep: bool
    ) -> Iterator[tuple[str, T]]:
        for path, layer in _walk(self, prefix) if deep else ((prefix, self),):
            for name, value in of(layer):
                yield _join(path, name), value

    def apply(self, fn: Callable[[Layer], object]) -> Self:
        """Calls `fn` with each layer inside, and then with this one. Returns this layer."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    # ---- the state --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """Returns the parameters and the persistable buffers by name: the tensors themselves, not copies."""
        return OrderedDict(self._named(_state_of, "", True))

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """Writes values into the parameters and buffers, in place: each write raises a version.

        Args:
            state_dict: tensors or arrays by name.

        Returns:
            The names that are missing in `state_dict`, and those that the layer does not have.

        Raises:
            ShapeError: if one has another shape; nothing is written then.
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
        """Fills the gradients of all parameters with zeros, or sets them to None if `set_to_zero` is False."""
        for parameter in self.parameters():
            parameter.clear_gradient(set_to_zero)

    # ---- names ------------------------------------------------------------------------------------------------------------

    def full_name(self) -> str:
        """Returns the layer's name: "linear_0"."""
        return self._full_name

    def extra_repr(self) -> str:
        """Returns the text between the parentheses when the layer is printed."""
        return ""

    @recursive_repr("...")
    def __repr__(self) -> str:
        parts = [f"({name}): {value!r}".replace("\n", "\n  ") for name, value in inside(self)]
        said = self.extra_repr()
        if not parts:
            return f"{type(self).__name__}({said})"
        return "\n  ".join([f"{type(self).__name__}(", *([said] if said else []), *parts]) + "\n)"


def create_parameter(
    shape: Any,
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Any:
    """Creates a parameter without a layer.

    Args:
        shape: its shape.
        dtype: its dtype.
        name: its name; generated if None.
        attr: a `ParamAttr`, a name, or an initializer.
        is_bias: whether it is a bias, which is filled with zeros by default.
        default_initializer: writes the values if `attr` has no initializer.

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
    """The class name in Paddle's style: LayerNorm as "layer_norm", MSELoss as "mse_loss"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", name).lower()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _walk(layer: Layer, path: str, around: tuple[Layer, ...] = ()) -> Iterator[tuple[str, Layer]]:
    """A layer and those inside, with repetitions, but without endless recursion for a layer that contains itself."""
    yield path, layer
    around = (*around, layer)
    for name, value in inside(layer):
        if not any(value is each for each in around):
            yield from _walk(value, _join(path, name), around)


def inside(layer: Layer) -> Iterator[tuple[str, Layer]]:
    """Yields the layers directly inside, by name, with repetitions."""
    return ((name, value) for name, value in vars(layer).items() if isinstance(value, Layer))


def _once(named: Iterable[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Each object only under its first name."""
    met = set()
    for name, value in named:
        if id(value) not in met:
            met.add(id(value))
            yield name, value


def _parameters_of(layer: Layer) -> Iterator[tuple[str, Tensor]]:
    return ((name, value) for name, value in vars(layer).items() if isinstance(value, Parameter))


def _buffers_of(layer: Layer) -> Iterator[tuple[str, Tensor]]:
    return ((name, value) for name in layer._buffers if (value := vars(layer).get(name)) is not None)


def _state_of(layer: Layer) -> Iterator[tuple[str, Tensor]]:
    yield from _parameters_of(layer)
    yield from ((name, value) for name, value in _buffers_of(layer) if layer._buffers[name])


def _hang(hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> HookHandle:
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return HookHandle(hooks, key)
