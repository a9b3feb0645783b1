"""`nn.Layer`: a function with parameters and buffers, and other layers inside it."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any, Self

import numpy as np

from inplacelab import errors, observe
from inplacelab.autograd import modes
from inplacelab.autograd.methods import HookHandle
from inplacelab.dtypes import get_default_dtype
from inplacelab.nn.parts import Parts, dotted
from inplacelab.ops.distributions import generator
from inplacelab.ops.factories import to_tensor
from inplacelab.tensor import Parameter, Tensor, adopt

_serials: dict[str, Iterator[int]] = {}


class Layer(Parts):
    """The base of every layer: define `forward`, call the layer.

    Attributes that are parameters or layers are found by `parameters()` and `sublayers()`; tensors that belong to the state but
    are not trained, such as running averages, are made known by `register_buffer`.

    >>> import inplacelab as paddle
    >>> class Counted(paddle.nn.Layer):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = self.create_parameter([1])
    ...         self.register_buffer("calls", paddle.zeros([1]))
    ...     def forward(self, x):
    ...         self.calls.add_(1.)                # in place: the buffer stays the same tensor
    ...         return x * self.factor
    >>> layer = Counted()
    >>> y = layer(paddle.ones([2]))
    >>> layer.calls.tolist(), list(layer.state_dict())
    ([1.0], ['factor', 'calls'])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Layer_en.html
    """

    training: bool

    def __init__(self, name_scope: str | None = None, dtype: str | None = None) -> None:
        kind = (name_scope or type(self).__name__).lower()
        self._full_name = f"{kind}_{next(_serials.setdefault(kind, count()))}"
        super().__init__()
        self._dtype, self.training = dtype, True
        self._numbers = {"w": 0, "b": 0}  # how many parameters of either kind it has been given
        self._before: dict[int, Callable[..., Any]] = {}
        self._after: dict[int, Callable[..., Any]] = {}

    # ---- to be called ----------------------------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes. To be defined by each layer."""
        raise NotImplementedError(f"{type(self).__name__} defines no forward(): say there what the layer computes")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        for hook in tuple(self._before.values()):
            changed = hook(self, inputs)
            inputs = inputs if changed is None else changed if isinstance(changed, tuple) else (changed,)
        output = self.forward(*inputs, **kwargs)
        for hook in tuple(self._after.values()):
            changed = hook(self, inputs, output)
            output = output if changed is None else changed
        return output

    def register_forward_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call `hook(layer, inputs)` before each `forward`; what it returns, if anything, takes the inputs' place."""
        return _hooked(self._before, hook)

    def register_forward_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call `hook(layer, inputs, output)` after each `forward`; what it returns, if anything, takes the output's place."""
        return _hooked(self._after, hook)

    def full_name(self) -> str:
        """The layer's name: "linear_0"."""
        return self._full_name

    def extra_repr(self) -> str:
        """What stands between the brackets when the layer prints. To be defined by layers that have something to say."""
        return ""

    def __repr__(self) -> str:
        lines = self.extra_repr().split("\n")
        inside = [f"({name}): {layer!r}".replace("\n", "\n  ") for name, layer in self.named_children()]
        if inside or len(lines) > 1:
            return (
                f"{type(self).__name__}(" + "".join(f"\n  {line}" for line in (*filter(None, lines), *inside)) + "\n)"
            )
        return f"{type(self).__name__}({lines[0]})"

    def create_parameter(
        self, shape: Any, attr: Any = None, dtype: Any = None, is_bias: bool = False, default_initializer: Any = None
    ) -> Parameter:
        """A new parameter: Xavier-uniform numbers for weights, zeros for biases, as Paddle does by default.

        Args:
            shape: the sizes of the axes.
            attr: None.
            dtype: that of the layer if None, else the default dtype.
            is_bias: zeros instead of random numbers.
            default_initializer: called with the parameter, writes its first values in place (see `nn.initializer`).
        """
        if attr is not None:
            raise errors.unknown_attribute_of_parameter("attr", attr)
        sizes = tuple(int(n) for n in shape)
        limit = 0.0 if is_bias or not sizes else float(np.sqrt(6.0 / (sizes[0] + sizes[-1])))
        with observe.silence(), modes.no_grad():
            parameter = as_parameter(
                to_tensor(generator().uniform(-limit, limit, sizes), dtype=dtype or self._dtype or get_default_dtype())
            )
            letter = "b" if is_bias else "w"
            parameter.name = f"{self._full_name}.{letter}_{self._numbers[letter]}"
            self._numbers[letter] += 1
            if default_initializer is not None:
                default_initializer(parameter)
        if observe.listeners:
            observe.tell("create_parameter", "create", (), parameter, None)
        return parameter

    # ---- its state -------------------------------------------------------------------------------------------------------

    def state_dict(self, include_sublayers: bool = True, structured_name_prefix: str = "") -> OrderedDict[str, Tensor]:
        """The parameters and the persistable buffers by name: the tensors themselves, no copies."""
        state: OrderedDict[str, Tensor] = OrderedDict()
        for path, layer in self.every_layer("", include_self=True) if include_sublayers else [("", self)]:
            own = layer.own_state().items()
            state.update({structured_name_prefix + dotted(path, name): value for name, value in own})
        return state

    def set_state_dict(
        self, state_dict: Mapping[str, Any], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Write values that `state_dict()` gave into the parameters and buffers, in place.

        Args:
            state_dict: values by name.
            use_structured_name: whether the names are the dotted ones; otherwise those of the tensors.

        Returns:
            The names for which there is nothing that fits, with a warning for each; and the names that are not known here.
        """
        missing, found = [], {}
        for key, target in self.state_dict().items():
            name = key if use_structured_name else target.name
            given = state_dict.get(name)
            if given is None:
                warnings.warn(str(errors.skipped_in_loading(name)), stacklevel=2)
            elif list(given.shape) != list(target.shape):
                warnings.warn(str(errors.other_shape_in_loading(name, given.shape, target.shape)), stacklevel=2)
            else:
                found[name] = (target, given)
                continue
            missing.append(name)
        for target, given in found.values():
            target.set_value(given)
        return missing, [name for name in state_dict if name not in found]

    set_dict = load_dict = set_state_dict

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Fill the gradients of all parameters with zeros, or drop them if `set_to_zero` is False."""
        for parameter in self.parameters():
            parameter.clear_gradient(set_to_zero)

    def train(self, mode: bool = True) -> Self:
        """Switch this layer and those inside to training (or, if `mode` is False, to evaluation)."""
        return self.apply(lambda layer: setattr(layer, "training", mode))

    def eval(self) -> Self:
        """Switch this layer and those inside to evaluation."""
        return self.train(mode=False)


def as_parameter(values: Tensor) -> Parameter:
    """A parameter over the storage of `values`."""
    parameter = object.__new__(Parameter)
    parameter._name = parameter._hooks = parameter._grad = None
    adopt(parameter, values)
    parameter._stop = False
    return parameter


def _hooked(hooks: dict[int, Callable[..., Any]], hook: Callable[..., Any]) -> HookHandle:
    key = max(hooks, default=-1) + 1
    hooks[key] = hook
    return HookHandle(hooks, key)
