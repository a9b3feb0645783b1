"""Convolution, pooling and padding of pictures: values, gradients and refusals, here and in PaddlePaddle 3.3.1."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab.autograd import gradcheck, gradgradcheck

pytestmark = pytest.mark.filterwarnings("ignore")  # Paddle warns while it trains

Function = Callable[..., Any]


def numbers(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape)


PICTURE, FILTERS, GROUPED, BIAS = numbers(2, 4, 7, 6), numbers(6, 4, 3, 2), numbers(6, 2, 3, 3), numbers(6)
LAST = np.ascontiguousarray(PICTURE.transpose(0, 2, 3, 1))
SMALL, FEW = numbers(1, 2, 4, 3), numbers(2, 2, 2, 2)


def _conv(**options: Any) -> Function:
    return lambda m, *given: m.nn.functional.conv2d(*given, **options)


def _pool(name: str, *options: Any, **named: Any) -> Function:
    return lambda m, x: getattr(m.nn.functional, name)(x, *options, **named)


def _pad(*options: Any, **named: Any) -> Function:
    return lambda m, x: m.nn.functional.pad(x, *options, **named)


CALLS: list[tuple[str, Function, tuple[Any, ...]]] = [
    *(
        (f"conv2d {options}", _conv(**options), (PICTURE, FILTERS, BIAS))
        for options in (
            {}, {"stride": 2, "padding": 1}, {"padding": [1, 2, 0, 1]}, {"padding": [1, 2], "stride": [2, 1]}, {"padding": "SAME", "stride": 2},
            {"padding": "VALID"}, {"dilation": 2, "padding": 2}, {"padding": [[0, 0], [0, 0], [1, 2], [0, 1]]},
        )
    ),
    ("conv2d, no bias", _conv(), (PICTURE, FILTERS)),
    ("conv2d, groups", _conv(groups=2), (PICTURE, GROUPED)),
    ("conv2d, channels last", _conv(data_format="NHWC", padding=1), (LAST, FILTERS)),
    *(
        (f"{name} {options}", _pool(name, **options), (PICTURE,))
        for name in ("max_pool2d", "avg_pool2d")
        for options in (
            {"kernel_size": 2}, {"kernel_size": [3, 2], "stride": 2, "padding": 1}, {"kernel_size": 3, "stride": 2, "ceil_mode": True},
            {"kernel_size": 3, "stride": 2, "ceil_mode": True, "padding": 1},
        )
    ),
    *((f"max_pool2d, mask, {padding}", _pool("max_pool2d", 3, 2, padding, return_mask=True), (PICTURE,)) for padding in (0, 1)),
    ("max_pool2d of equal elements", _pool("max_pool2d", 2), (np.ones((1, 1, 4, 4)),)),
    ("max_pool2d, channels last", _pool("max_pool2d", 2, data_format="NHWC"), (LAST,)),
    ("avg_pool2d, all count", _pool("avg_pool2d", 3, 2, 1, exclusive=False), (PICTURE,)),
    ("avg_pool2d, divided by 3", _pool("avg_pool2d", 2, divisor_override=3), (PICTURE,)),
    *((f"pad, {mode}", _pad([1, 2, 0, 1], mode=mode, value=1.5), (PICTURE,)) for mode in ("constant", "reflect", "replicate", "circular")),
    ("pad, some sides", _pad([1, 0]), (PICTURE,)),
    ("pad, all axes", _pad([1, 0, 2, 0, 0, 1, 1, 1], value=2.0), (PICTURE,)),
    ("pad, a matrix", _pad([1, 2, 3, 4]), (PICTURE[0, 0],)),
    ("pad, a matrix from the right", _pad([1, 2, 3, 4], pad_from_left_axis=False), (PICTURE[0, 0],)),
    ("pad, sequences", _pad([1, 2], mode="reflect"), (PICTURE[0],)),
    ("pad, channels last", _pad([1, 2], mode="replicate", data_format="NLC"), (PICTURE[0],)),
]  # fmt: skip


def _answers(module: Any, call: Function, arrays: tuple[Any, ...]) -> list[Any]:
    """The results, and the gradients of a sum of their squares with different weights."""
    tensors = [module.to_tensor(a, stop_gradient=False) for a in arrays]
    made = call(module, *tensors)
    results = list(made) if isinstance(made, tuple | list) else [made]
    weights = module.to_tensor(np.arange(results[0].size).reshape(results[0].shape).astype("float64"))
    gradients = module.grad((results[0] * results[0] * weights).sum(), tensors)
    return [each.numpy() for each in (*results, *gradients)]


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install -e '.[oracle]'")


@pytest.mark.oracle
@pytest.mark.parametrize(("call", "arrays"), [c[1:] for c in CALLS], ids=[c[0] for c in CALLS])
def test_values_and_gradients(paddle: Any, call: Function, arrays: tuple[Any, ...]) -> None:
    for ours, theirs in zip(_answers(inplacelab, call, arrays), _answers(paddle, call, arrays), strict=True):
        assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-7)


SECOND: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "conv2d": (_conv(padding=1, stride=2), (SMALL, FEW)),
    "max_pool2d": (_pool("max_pool2d", 2, 1), (SMALL,)),
    "avg_pool2d": (_pool("avg_pool2d", 2, 1, 1), (SMALL,)),
    "pad": (_pad([1, 0, 0, 1]), (SMALL,)),
    "pad, circular": (_pad([1, 0, 0, 1], mode="circular"), (SMALL,)),
}


@pytest.mark.parametrize("name", SECOND)
def test_first_and_second_derivatives(name: str) -> None:
    call, arrays = SECOND[name]
    tensors = [inplacelab.to_tensor(a, stop_gradient=False) for a in arrays]
    assert gradcheck(lambda *t: call(inplacelab, *t).square(), tensors)
    assert gradgradcheck(lambda *t: call(inplacelab, *t).square(), tensors)


def test_known_values() -> None:
    functional = inplacelab.nn.functional
    x = inplacelab.arange(16, dtype="float32").reshape([1, 1, 4, 4])
    assert functional.conv2d(x, inplacelab.ones([1, 1, 3, 3])).tolist() == [[[[45.0, 54.0], [81.0, 90.0]]]]
    largest, places = functional.max_pool2d(x, 2, return_mask=True)
    assert (largest.tolist(), places.tolist()) == ([[[[5.0, 7.0], [13.0, 15.0]]]], [[[[5, 7], [13, 15]]]])
    assert functional.avg_pool2d(x, 2).tolist() == [[[[2.5, 4.5], [10.5, 12.5]]]]


LAYERS: list[tuple[str, Function]] = [
    ("Conv2D", lambda nn: nn.Conv2D(4, 6, 3)),
    ("Conv2D, options", lambda nn: nn.Conv2D(4, 6, [3, 2], stride=2, padding=1, dilation=2, groups=2, bias_attr=False)),
    ("Conv2D, circular", lambda nn: nn.Conv2D(4, 6, 3, padding=1, padding_mode="circular")),
    ("MaxPool2D", lambda nn: nn.MaxPool2D(2, 1)),
    ("AvgPool2D", lambda nn: nn.AvgPool2D(2, 2, 1)),
    ("BatchNorm2D", lambda nn: nn.BatchNorm2D(4)),
]


@pytest.mark.oracle
@pytest.mark.parametrize("make", [make for _, make in LAYERS], ids=[name for name, _ in LAYERS])
def test_layers(paddle: Any, make: Function) -> None:
    answers = []
    for module in (inplacelab, paddle):
        layer = make(module.nn)
        parameters = [
            p for p in layer.parameters() if not p.stop_gradient
        ]  # in Paddle running means are parameters, too
        for parameter in parameters:
            parameter.set_value(numbers(*parameter.shape).astype("float32"))
        result = layer(module.to_tensor(PICTURE.astype("float32")))
        answers.append((repr(layer), [*layer.state_dict()], [p.shape for p in parameters], result.numpy()))
    ours, theirs = answers
    assert ours[:3] == theirs[:3]
    np.testing.assert_allclose(ours[3], theirs[3], rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda f, x: f.conv2d(x, inplacelab.ones([2, 3, 2, 2])), ValueError, "input's channels is 4"),
        (lambda f, x: f.conv2d(x[0], inplacelab.ones([2, 4, 2, 2])), ValueError, "images and filters of 4 axes"),
        (lambda f, x: f.conv2d(x, inplacelab.ones([2, 4, 9, 9])), ValueError, "size"),
        (lambda f, x: f.max_pool2d(x, [1, 2, 3]), ValueError, "kernel_size"),
        (lambda f, x: f.avg_pool2d(x, 2, data_format="NC"), ValueError, "data_format"),
        (lambda f, x: f.conv2d(x, inplacelab.ones([2, 4, 2, 2]), padding="FULL"), ValueError, "padding"),
        (lambda f, x: f.pad(x, [1, 2, 3]), ValueError, "pad"),
        (lambda f, x: f.pad(x, [9, 0], mode="reflect"), ValueError, "at most 5"),
        (lambda f, x: f.pad(x, [1, 0], mode="mirror"), ValueError, "mode"),
        (lambda f, x: f.pad(x, [1, 0], data_format="NLC"), ValueError, "data_format"),
    ],
)
def test_refusals(call: Function, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        call(inplacelab.nn.functional, inplacelab.to_tensor(PICTURE))


def test_a_layer_leaves_a_list() -> None:
    nn = inplacelab.nn
    layers = nn.LayerList([nn.Linear(1, 2), nn.ReLU(), nn.Tanh()])
    del layers[1]
    assert [type(each).__name__ for each in layers] == ["Linear", "Tanh"]
    assert [*layers.state_dict()] == ["0.weight", "0.bias"]
