"""Layers: linear, normalization, dropout, embeddings; activations and losses; and containers of layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from inspect import Parameter, Signature
from math import prod
from typing import Any

from inplacelab import errors
from inplacelab.autograd.grad_mode import without_history
from inplacelab.nn import functional
from inplacelab.nn.functional import padding_row
from inplacelab.nn.initializer import Constant
from inplacelab.nn.layer import Layer, direct_sublayers
from inplacelab.nn.losses import check_reduction
from inplacelab.ops.activations import check_dropout
from inplacelab.tensor import Tensor


class Linear(Layer):
    """Computes `x @ weight + bias`.

    Args:
        in_features: the size of the last axis of the input.
        out_features: the size of the last axis of the result.
        weight_attr: a `ParamAttr`, a name or an initializer for the weight.
        bias_attr: the same for the bias; False for no bias.
        name: accepted for compatibility with Paddle; ignored.

    Attributes:
        weight: of shape [in_features, out_features].
        bias: of shape [out_features], or None.

    >>> import inplacelab as paddle
    >>> paddle.nn.Linear(2, 3)(paddle.ones([4, 2])).shape
    paddle.Size([4, 3])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Linear_en.html
    """

    def __init__(
        self,
        in_features: int,
        out_features: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self.weight = self.create_parameter([in_features, out_features], weight_attr)
        self.bias = self.create_parameter([out_features], bias_attr, is_bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """Computes `x @ weight + bias` for `x` of shape [*, in_features]; the result is of shape [*, out_features]."""
        return functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        inputs, outputs = self.weight.shape
        return f"in_features={inputs}, out_features={outputs}, dtype={self.weight.dtype.name}"


class Dropout(Layer):
    """Sets elements to zero at random in training; passes its input on in evaluation. See `nn.functional.dropout`.

    Args:
        p: the probability that an element is set to zero.
        inplace: whether to write the result into the input.
        axis: the axes along which elements are dropped independently; None for all.
        mode: "upscale_in_train" divides the kept elements by `1 - p` in training; "downscale_in_infer" multiplies by
            `1 - p` in evaluation instead.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `p` is not from 0 to 1, or `mode` is not one of these.
        ArgumentKindError: if `p` is not a number, or `axis` not an integer or a list of integers.

    >>> import inplacelab as paddle
    >>> drop = paddle.nn.Dropout(0.5)
    >>> drop.eval()(paddle.ones([2])).tolist()
    [1.0, 1.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Dropout_en.html
    """

    def __init__(
        self,
        p: float = 0.5,
        inplace: bool = False,
        axis: int | Sequence[int] | None = None,
        mode: str = "upscale_in_train",
        name: str | None = None,
    ) -> None:
        super().__init__()
        check_dropout(p, axis, mode)
        self.p, self.inplace, self.axis, self.mode = p, inplace, axis, mode

    def forward(self, x: Tensor) -> Tensor:
        """Applies dropout to `x`, of any shape, in training."""
        result: Tensor = functional.dropout(x, self.p, self.axis, self.training, self.inplace, self.mode)
        return result

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"p={self.p}, axis={self.axis}, mode={self.mode}, inplace={self.inplace}"


class LayerNorm(Layer):
    """Normalizes each example over the last axes, then scales and shifts it. See `nn.functional.layer_norm`.

    Args:
        normalized_shape: the sizes of the last axes.
        epsilon: added to the variance to avoid division by zero.
        weight_attr: a `ParamAttr`, a name or an initializer for the weight; False for no weight.
        bias_attr: the same for the bias.
        name: accepted for compatibility with Paddle; ignored.

    Attributes:
        weight: one number for each normalized element, in one axis.
        bias: of the same shape.

    >>> import inplacelab as paddle
    >>> paddle.nn.LayerNorm(2)(paddle.to_tensor([[1., 3.]])).numpy().round(2).tolist()
    [[-1.0, 1.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/LayerNorm_en.html
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-05,
        *,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._sizes = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        self._epsilon = epsilon
        self.weight = self.create_parameter([prod(self._sizes)], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([prod(self._sizes)], bias_attr, is_bias=True)

    def forward(self, x: Tensor) -> Tensor:
        """Normalizes `x`, of shape [*, *normalized_shape]."""
        return functional.layer_norm(x, self._sizes, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return f"normalized_shape={self._sizes}, epsilon={self._epsilon}"


class Flatten(Layer):
    """Merges the axes from `start_axis` to `stop_axis` into one: a view where that is possible.

    Args:
        start_axis: the first of these axes; counted from the end if negative.
        stop_axis: the last of them, included.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Flatten_en.html
    """

    def __init__(self, start_axis: int = 1, stop_axis: int = -1) -> None:
        super().__init__()
        self._axes = start_axis, stop_axis

    def forward(self, x: Tensor) -> Tensor:
        """Returns `x` with these axes merged."""
        result: Tensor = x.flatten(*self._axes)
        return result


class Identity(Layer):
    """Returns its input: the same tensor. All arguments of the constructor are ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Identity_en.html
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, x: Any) -> Any:
        """Returns `x` itself."""
        return x


class Applied(Layer):
    """The base of the layers that apply one function, to which the options of the constructor are passed.

    Attributes:
        function: the name of the function in `nn.functional`.
    """

    function: str
    __signature__: Signature

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        given = self.__signature__.bind(*args, **kwargs)
        given.apply_defaults()
        self._options = {option: value for option, value in given.arguments.items() if option != "name"}


class Activation(Applied):
    """The base of the activation layers."""

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function to `x`, of any shape."""
        result: Tensor = getattr(functional, self.function)(x, **self._options)
        return result

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        return ", ".join(f"{option}={value}" for option, value in self._options.items())


REQUIRED = Parameter.empty
"""Stands for the default of an option that has none."""


def layer_of(base: type[Applied], name: str, function: str, **defaults: Any) -> type[Applied]:
    """Makes the class of a layer that applies `function`; `defaults` are the function's other parameters, as in Paddle."""
    parameters = [
        Parameter(option, Parameter.POSITIONAL_OR_KEYWORD, default=value)
        for option, value in (defaults | {"name": None}).items()
    ]
    doc = f"`nn.functional.{function}` as a layer.\n\n`nn.functional.{function}` 对应的层。"
    body = {"function": function, "__signature__": Signature(parameters), "__doc__": doc, "__module__": "inplacelab.nn"}
    return type(name, (base,), body)


ReLU = layer_of(Activation, "ReLU", "relu")
ReLU6 = layer_of(Activation, "ReLU6", "relu6")
LeakyReLU = layer_of(Activation, "LeakyReLU", "leaky_relu", negative_slope=0.01)
GELU = layer_of(Activation, "GELU", "gelu", approximate=False)
Sigmoid = layer_of(Activation, "Sigmoid", "sigmoid")
Tanh = layer_of(Activation, "Tanh", "tanh")
Softmax = layer_of(Activation, "Softmax", "softmax", axis=-1)
Hardswish = layer_of(Activation, "Hardswish", "hardswish")


class PReLU(Layer):
    """Applies `nn.functional.prelu` with trainable slopes.

    Args:
        num_parameters: the number of slopes: 1 or the number of channels.
        init: the first value of every slope.
        weight_attr: a `ParamAttr`, a name or an initializer for the slopes.
        data_format: if it ends in "C", channels are the last axis; otherwise the second.
        name: accepted for compatibility with Paddle; ignored.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/PReLU_en.html
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))
        self._init, self._data_format = init, data_format

    def forward(self, x: Tensor) -> Tensor:
        """Applies the function to `x`, of shape [N, C, *] or [N, *, C]."""
        return functional.prelu(x, self._weight, self._data_format)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        slopes, dtype = self._weight.size, self._weight.dtype.name
        return f"num_parameters={slopes}, data_format={self._data_format}, init={self._init}, dtype={dtype}"


class Loss(Applied):
    """The base of the loss layers.

    Raises:
        ArgumentError: if `reduction` is not "mean", "sum" or "none".
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        check_reduction(type(self).__name__, self._options["reduction"])
        for option, value in self._options.items():
            setattr(self, option, value)  # a weight is a buffer of the layer

    def forward(self, input: Tensor, label: Tensor) -> Tensor:
        """Returns the loss of predictions `input` and targets `label`."""
        options = {option: getattr(self, option) for option in self._options}
        result: Tensor = getattr(functional, self.function)(input, label, **options)
        return result


MSELoss = layer_of(Loss, "MSELoss", "mse_loss", reduction="mean")
BCELoss = layer_of(Loss, "BCELoss", "binary_cross_entropy", weight=None, reduction="mean")
BCEWithLogitsLoss = layer_of(
    Loss, "BCEWithLogitsLoss", "binary_cross_entropy_with_logits", weight=None, reduction="mean", pos_weight=None
)
CrossEntropyLoss = layer_of(
    Loss, "CrossEntropyLoss", "cross_entropy", weight=None, ignore_index=-100, reduction="mean", soft_label=False, axis=-1,
    use_softmax=True, label_smoothing=0.0,
)  # fmt: skip


class _IndexedLayers(Layer):
    """Layers that are indexed by number or name."""

    def _numbered(self) -> list[tuple[str, Layer]]:
        return list(direct_sublayers(self))

    def __len__(self) -> int:
        return len(self._numbered())

    def __iter__(self) -> Iterator[Layer]:
        return iter([layer for _, layer in self._numbered()])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            part = type(self)()
            part._put(list(self)[index])
            return part
        if isinstance(index, str):
            return dict(self._numbered())[index]
        return list(self)[index]

    def __setitem__(self, index: int | str, layer: Layer) -> None:
        name = index if isinstance(index, str) else self._numbered()[index][0]
        self.add_sublayer(name, _layer(layer))

    def __delitem__(self, index: int | slice) -> None:
        layers = list(self)
        del layers[index]
        for name, _ in self._numbered():
            delattr(self, name)
        self._put(layers)

    def _put(self, layers: Iterable[Layer]) -> None:
        for layer in layers:
            self.add_sublayer(str(len(self)), _layer(layer))


class Sequential(_IndexedLayers):
    """Applies layers one after another.

    Args:
        layers: the layers, or pairs of a name and a layer.

    Raises:
        ArgumentKindError: if an argument is neither.

    >>> import inplacelab as paddle
    >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.ReLU())
    >>> net(paddle.ones([4, 2])).shape
    paddle.Size([4, 3])

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Sequential_en.html
    """

    def __init__(self, *layers: Layer | tuple[str, Layer]) -> None:
        super().__init__()
        for number, each in enumerate(layers):
            name, layer = each if isinstance(each, tuple | list) else (str(number), each)
            self.add_sublayer(name, _layer(layer))

    def append(self, layer: Layer) -> Sequential:
        """Adds a layer at the end, and returns the container."""
        self._put([layer])
        return self

    def forward(self, x: Any) -> Any:
        """Applies the layers to `x` in order, and returns the last output."""
        for layer in self:
            x = layer(x)
        return x


class LayerList(_IndexedLayers):
    """A list of layers. Their parameters belong to the parent layer; the list itself computes nothing.

    Args:
        sublayers: the layers; None for an empty list.

    Raises:
        ArgumentKindError: if an item is not a layer.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/LayerList_en.html
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None) -> None:
        super().__init__()
        self._put(sublayers or ())

    def append(self, sublayer: Layer) -> LayerList:
        """Adds a layer at the end, and returns the list."""
        self._put([sublayer])
        return self

    def extend(self, sublayers: Iterable[Layer]) -> LayerList:
        """Adds several layers at the end, and returns the list."""
        self._put(sublayers)
        return self


def _layer(value: Any) -> Layer:
    if not isinstance(value, Layer):
        raise errors.not_a_layer(given=value)
    return value


class Embedding(Layer):
    """A trainable table of vectors: `nn.functional.embedding` as a layer.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the length of a row.
        padding_idx: this row is filled with zeros and gets no gradient; None for no such row.
        sparse: only printed. The gradient is always dense: it has a row for each row of the table. (PaddlePaddle 3.3.1 then keeps
            only the rows that were read, once for each time.)
        weight_attr: a `ParamAttr`, a name or an initializer for the table.
        name: accepted for compatibility with Paddle; ignored.

    Raises:
        ArgumentError: if `padding_idx` is out of range.

    >>> import inplacelab as paddle
    >>> table = paddle.nn.Embedding(3, 2, padding_idx=0)
    >>> table(paddle.to_tensor([0])).tolist()
    [[0.0, 0.0]]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/nn/Embedding_en.html
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        sparse: bool = False,
        weight_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        padding = padding_row(padding_idx, num_embeddings)
        self.weight = self.create_parameter([num_embeddings, embedding_dim], weight_attr)
        self._given_padding_idx, self.padding_idx, self._sparse = padding_idx, padding, sparse
        if padding is not None:
            without_history(self.weight.__setitem__, padding, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        """Returns the rows for the numbers in `x`, of shape [*]; a tensor of shape [*, embedding_dim]."""
        return functional.embedding(x, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        """Returns the options as they are printed."""
        rows, length = self.weight.shape
        padding = f", padding_idx={self._given_padding_idx}" if self._given_padding_idx is not None else ""
        return f"{rows}, {length}{padding}, sparse={self._sparse}, scale_grad_by_freq=False"
