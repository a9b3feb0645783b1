"""`nn.Layer`: a function with parameters, and other layers inside it."""

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

    Attributes that are parameters or layers are found by `parameters()` and `named_parameters()`; tensors that are not trained
    are found when they have been registered as buffers.

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
        self._numbers = {"w": 0, "b": 0}  # how many parameters of either kind it has made
        self._before: dict[int, Callable[..., Any]] = {}
        self._after: dict[int, Callable[..., Any]] = {}

    # ---- computing ------------------------------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes. To be defined by each layer."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward(): say there what the layer computes")

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
        """Call `hook(layer, inputs)` before `forward`; what it returns, if anything, takes the inputs' place."""
        return _hang(self._before, hook)

    def register_forward_post_hook(self, hook: Callable[[Any, tuple[Any, ...], Any], Any]) -> HookHandle:
        """Call `hook(layer, inputs, outputs)` after `forward`; what it returns, if anything, takes the outputs' place."""
        return _hang(self._after, hook)

    def train(self, mode: bool = True) -> Self:
        """Switch this layer and those inside to training, or to evaluation if `mode` is False."""
        for layer in self.sublayers(include_self=True):
            layer.training = mode
        return self

    def eval(self) -> Self:
        """Switch this layer and those inside to evaluation."""
        return self.train(False)

    # ---- making what it consists of ---------------------------------------------------------------------------------------

    def create_parameter(
        self,
        shape: Any,
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any:
        """A new parameter: Xavier-uniform numbers for weights, zeros for biases, as Paddle does by default.

        Args:
            shape: of the parameter.
            attr: a `ParamAttr`, a name or an initializer alone; False: there is no parameter, and None is returned.
            dtype: of the parameter; the layer's, or the default.
            is_bias: whether it is one: then it is called so, and begins with zeros.
            default_initializer: writes the first values, where `attr` does not say otherwise.
        """
        if attr is False:
            return None
        asked = attributes(attr)
        sizes = tuple(int(n) for n in shape)
        limit = 0.0 if is_bias or not sizes else float(np.sqrt(6.0 / (sizes[0] + sizes[-1])))
        with observe.silence(), modes.no_grad():
            parameter = as_parameter(
                to_tensor(generator().uniform(-limit, limit, sizes), dtype=dtype or self._dtype or get_default_dtype())
            )
            kind = "b" if is_bias else "w"
            parameter.name = asked.name or f"{self._full_name}.{kind}_{self._numbers[kind]}"
            self._numbers[kind] += not asked.name
            write = asked.initializer or default_initializer
            if write is not None:
                write(parameter)
                parameter.storage.version = 0  # it is only now that anybody sees it
            parameter.stop_gradient = not asked.trainable
        if observe.listeners:
            observe.notify("create_parameter", "create", (), parameter, None)
        return parameter

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Put a parameter into this layer under `name`."""
        setattr(self, name, parameter)
        return parameter

    def add_sublayer(self, name: str, sublayer: Layer) -> Layer:
        """Put a layer inside this one under `name`."""
        setattr(self, name, sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Make a tensor part of this layer that is not trained: running means, masks, tables.

        Args:
            name: the attribute.
            tensor: its value; another tensor may be assigned later.
            persistable: whether it belongs to `state_dict()`.

        Raises:
            ArgumentKindError: if it is no tensor.
            TakenNameError: if the layer has another attribute of this name, or no attribute can have it.
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

    # ---- finding what it consists of --------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """The layers directly inside, each once."""
        return _once(inside(self))

    def children(self) -> Iterator[Layer]:
        """The layers directly inside."""
        return (layer for _, layer in self.named_children())

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False, *, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Layer]]:
        """The layers inside, with dotted names, outermost first; one that is there twice counts once."""
        found = _walk(self, prefix)
        if not include_self:
            next(found)
        return _once(found) if remove_duplicate else found

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """The layers inside."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True, *, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The parameters of this layer and of those inside, with dotted names; one that two layers share counts once."""
        found = self._named(_parameters_of, prefix, include_sublayers)
        return _once(found) if remove_duplicate else found

    def parameters(self, include_sublayers: bool = True) -> list[Tensor]:
        """The parameters of this layer and of those inside."""
        return [parameter for _, parameter in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(self, prefix: str = "", include_sublayers: bool = True) -> Iterator[tuple[str, Tensor]]:
        """The buffers of this layer and of those inside, with dotted names."""
        return _once(self._named(_buffers_of, prefix, include_sublayers))

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """The buffers of this layer and of those inside."""
        return [buffer for _, buffer in self.named_buffers(include_sublayers=include_sublayers)]

    def _named(
        self, of: Callable[[Layer], Iterable[tuple[str, T]]], prefix: str, deep: bool
    ) -> Iterator[tuple[str, T]]:
        for path, layer in _walk(self, prefix) if deep else ((prefix, self),):
            for name, value in of(layer):
                yield _join(path, name), value

    def apply(self, fn: Callable[[Layer], object]) -> Self:
        """Call `fn` with each layer inside, and with this one at last."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    # ---- the state --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """The parameters and the persistable buffers by name: the tensors themselves, no copies."""
        return OrderedDict(self._named(_state_of, "", True))

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """Write values into the parameters and buffers, in place: each raises its version.

        Args:
            state_dict: tensors or arrays by name.

        Returns:
            The names that were not given, and those that there are not.

        Raises:
            ShapeError: if one has another shape; then nothing has been written.
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
        """Fill the gradients of all parameters with zeros, or drop them if `set_to_zero` is False."""
        for parameter in self.parameters():
            parameter.clear_gradient(set_to_zero)

    # ---- what it is called ------------------------------------------------------------------------------------------------

    def full_name(self) -> str:
        """The layer's name: "linear_0"."""
        return self._full_name

    def extra_repr(self) -> str:
        """What stands between the parentheses when a layer is printed."""
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
    """A parameter that belongs to no layer, made as `Layer.create_parameter` makes them.

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
    """LayerNorm as "layer_norm", MSELoss as "mse_loss": Paddle's names of layers."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=.)(?=[A-Z][a-z])", "_", name).lower()


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _walk(layer: Layer, path: str, around: tuple[Layer, ...] = ()) -> Iterator[tuple[str, Layer]]:
    """A layer and those inside, as often as they are there; but one that is inside itself is not gone into again."""
    yield path, layer
    around = (*around, layer)
    for name, value in inside(layer):
        if not any(value is each for each in around):
            yield from _walk(value, _join(path, name), around)


def inside(layer: Layer) -> Iterator[tuple[str, Layer]]:
    """The layers directly inside, by name, as often as they are there."""
    return ((name, value) for name, value in vars(layer).items() if isinstance(value, Layer))


def _once(named: Iterable[tuple[str, T]]) -> Iterator[tuple[str, T]]:
    """Each thing at the first of its names only."""
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
