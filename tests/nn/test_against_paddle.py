"""Layers and their functions in PaddlePaddle 3.3.1 and here: values, gradients, names, what is printed, and refusals.

Each program is run in both. Random numbers differ, so parameters begin with numbers that are the same in both.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inplacelab

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]  # Paddle warns while it trains and loads

Program = Callable[[Any], Any]


@pytest.fixture(scope="module")
def paddle() -> Iterator[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Paddle warns about its own dependencies while it is imported
        yield pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


SCORES, PICTURE = numbers(4, 3), numbers(2, 3, 4)
LABELS = np.array([0, 2, 1, 2])
SHARES = np.abs(numbers(4, 3, seed=1)) / np.abs(numbers(4, 3, seed=1)).sum(1, keepdims=True)
EDGES = np.array([-7.0, -3.0, -1.0, 0.0, 0.5, 2.0, 3.0, 9.0], "float32")
FACTORS = np.array([0.5, 1.0, 2.0], "float32")


FUNCTIONS: dict[str, tuple[Any, Callable[[Any, Any, Callable[[Any], Any]], Any]]] = {
    "linear": (SCORES, lambda f, x, t: f.linear(x, t(numbers(3, 2)), t(numbers(2)))),
    "linear, no bias": (PICTURE, lambda f, x, t: f.linear(x, t(numbers(4, 2)))),
    "mse_loss": (SCORES, lambda f, x, t: f.mse_loss(x, t(SHARES))),
    "mse_loss, none": (SCORES, lambda f, x, t: f.mse_loss(x, t(SHARES), "none")),
    "l1_loss": (SCORES, lambda f, x, t: f.l1_loss(x, t(SHARES), reduction="sum")),
    "log_softmax": (PICTURE, lambda f, x, t: f.log_softmax(x, axis=1)),
    "gelu": (SCORES, lambda f, x, t: f.gelu(x)),
    "gelu, tanh": (SCORES, lambda f, x, t: f.gelu(x, approximate=True)),
    "normalize": (PICTURE, lambda f, x, t: f.normalize(x)),
    "normalize, 1-norm": (PICTURE, lambda f, x, t: f.normalize(x, p=1, axis=-1)),
    "normalize, zeros": (np.zeros((2, 2), "float32"), lambda f, x, t: f.normalize(x + 1e-20)),
    "layer_norm": (PICTURE, lambda f, x, t: f.layer_norm(x, 4)),
    "batch_norm": (PICTURE, lambda f, x, t: f.batch_norm(x, t(numbers(3)), t(FACTORS), t(FACTORS), t(FACTORS))),
    "batch_norm, training": (
        PICTURE,
        lambda f, x, t: f.batch_norm(x, t(numbers(3)), t(FACTORS), t(FACTORS), t(FACTORS), training=True),
    ),
    "batch_norm, channels last": (
        PICTURE,
        lambda f, x, t: f.batch_norm(x, t(numbers(4)), t(numbers(4) ** 2), training=True, data_format="NLC"),
    ),
    "batch_norm, global": (
        SCORES,
        lambda f, x, t: f.batch_norm(
            x, t(numbers(3)), t(FACTORS), training=True, use_global_stats=True, data_format="NC"
        ),
    ),
    "with_logits": (SCORES, lambda f, x, t: f.binary_cross_entropy_with_logits(x, t(SHARES))),
    "with_logits, weights": (
        SCORES * 100,
        lambda f, x, t: f.binary_cross_entropy_with_logits(x, t(SHARES), t(FACTORS), "none", t(FACTORS)),
    ),
    "cross_entropy": (SCORES, lambda f, x, t: f.cross_entropy(x, t(LABELS))),
    "cross_entropy, int32, sum": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(LABELS.astype("int32")), reduction="sum"),
    ),
    "cross_entropy, none": (SCORES, lambda f, x, t: f.cross_entropy(x, t(LABELS), reduction="none")),
    "cross_entropy, column": (SCORES, lambda f, x, t: f.cross_entropy(x, t(LABELS[:, None]), reduction="none")),
    "cross_entropy, weights": (SCORES, lambda f, x, t: f.cross_entropy(x, t(LABELS), t(FACTORS))),
    "cross_entropy, weights, none": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(LABELS), t(FACTORS), reduction="none"),
    ),
    "cross_entropy, ignored": (SCORES, lambda f, x, t: f.cross_entropy(x, t(LABELS), ignore_index=2)),
    "cross_entropy, ignored, weights": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(LABELS), t(FACTORS), ignore_index=2),
    ),
    "cross_entropy, all ignored": (SCORES, lambda f, x, t: f.cross_entropy(x, t(LABELS * 0 + 1), ignore_index=1)),
    "cross_entropy, soft": (SCORES, lambda f, x, t: f.cross_entropy(x, t(SHARES), soft_label=True)),
    "cross_entropy, soft, none": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(SHARES), soft_label=True, reduction="none"),
    ),
    "cross_entropy, soft, weights": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(SHARES), t(FACTORS), soft_label=True),
    ),
    "cross_entropy, axis": (
        PICTURE,
        lambda f, x, t: f.cross_entropy(x, t(np.array([[0, 2, 1, 1], [2, 2, 0, 1]])), axis=1, reduction="none"),
    ),
    "cross_entropy, probabilities": (SHARES, lambda f, x, t: f.cross_entropy(x, t(LABELS), use_softmax=False)),
    "cross_entropy, smoothed": (SCORES, lambda f, x, t: f.cross_entropy(x, t(LABELS), label_smoothing=0.1)),
    "cross_entropy, one-hot, smoothed": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, f.one_hot(t(LABELS), SCORES.shape[1]), label_smoothing=0.4),
    ),
    "cross_entropy, double labels, smoothed": (
        SCORES,
        lambda f, x, t: f.cross_entropy(
            x, t(SHARES.astype("float64")), t(FACTORS), label_smoothing=0.4, reduction="none"
        ),
    ),
    "cross_entropy, soft, smoothed": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(SHARES), soft_label=True, label_smoothing=0.1, reduction="sum"),
    ),
    "cross_entropy, classes as soft, smoothed": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(LABELS), soft_label=True, label_smoothing=0.1, reduction="none"),
    ),
    "cross_entropy, a negative label ignored": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(LABELS - 3 * (LABELS == 2)), ignore_index=-1),
    ),
    "cross_entropy, a negative label ignored, weights": (
        SCORES,
        lambda f, x, t: f.cross_entropy(x, t(LABELS - 3 * (LABELS == 2)), t(FACTORS), ignore_index=-1),
    ),
    "smooth_l1_loss": (SCORES, lambda f, x, t: f.smooth_l1_loss(x, t(SHARES))),
    "smooth_l1_loss, delta": (SCORES, lambda f, x, t: f.smooth_l1_loss(x, t(SHARES), "none", 0.5)),
    "smooth_l1_loss, not Huber's": (SCORES, lambda f, x, t: f.smooth_l1_loss(x, t(SHARES), "sum", 0.5, is_huber=False)),
    "binary_cross_entropy": (SHARES, lambda f, x, t: f.binary_cross_entropy(x, t((SCORES > 0).astype("float32")))),
    "binary_cross_entropy, weights": (SHARES, lambda f, x, t: f.binary_cross_entropy(x, t(SHARES), t(FACTORS), "none")),
    "hardswish": (EDGES, lambda f, x, t: f.hardswish(x)),
    "prelu": (EDGES, lambda f, x, t: f.prelu(x, t(np.array([0.25], "float32")))),
    "prelu, channels": (PICTURE, lambda f, x, t: f.prelu(x, t(FACTORS))),
    "prelu, channels last": (PICTURE, lambda f, x, t: f.prelu(x, t(numbers(4)), "NLC")),
    "embedding": (SCORES, lambda f, x, t: f.embedding(t(np.array([[0, 3], [3, 1]])), x)),
    "embedding, padding": (SCORES, lambda f, x, t: f.embedding(t(np.array([0, 3, 0], "int32")), x, padding_idx=-1)),
    "dropout, p = 0": (SCORES, lambda f, x, t: f.dropout(x, 0)),
    "dropout, p = 1": (SCORES, lambda f, x, t: f.dropout(x, 1.0)),
    "dropout, evaluation": (SCORES, lambda f, x, t: f.dropout(x, 0.25, training=False)),
    "dropout, scaled afterwards": (
        SCORES,
        lambda f, x, t: f.dropout(x, 0.25, training=False, mode="downscale_in_infer"),
    ),
    "silu": (SCORES, lambda f, x, t: f.silu(x)),
    "silu, in place": (SCORES, lambda f, x, t: f.silu(x * 2.0, True)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_and_gradients(paddle: Any, name: str) -> None:
    array, function = FUNCTIONS[name]

    def run(module: Any) -> list[Any]:
        x = module.to_tensor(array, stop_gradient=False)
        result = function(module.nn.functional, x, module.to_tensor)
        (result * result).sum().backward()
        return [result.numpy(), x.grad.numpy()]

    for ours, theirs in zip(run(inplacelab), run(paddle), strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)


def in_place(module: Any) -> list[Any]:
    f, x = module.nn.functional, module.to_tensor(SCORES, stop_gradient=False)
    seen = []
    for written in (
        lambda y: f.silu(y, inplace=True),
        lambda y: f.dropout(y, 1.0, inplace=True),
        lambda y: f.dropout(y, 0.0, inplace=True),
        lambda y: f.dropout(y, 0.5, training=False, inplace=True),
    ):
        x.clear_grad()
        y = x * 2.0
        view = y[0]
        z = written(y)
        (z * 3.0).sum().backward()
        seen += [
            z is y,
            y.inplace_version,
            view.inplace_version,
            y.numpy().round(5).tolist(),
            x.grad.numpy().round(4).tolist(),
        ]
    return seen


def what_may_not_be_done(module: Any) -> list[Any]:
    f, nn, x = module.nn.functional, module.nn, module.to_tensor(SCORES, stop_gradient=False)
    refused = []
    for call in (
        lambda: f.silu(x, True),
        lambda: f.dropout(x, 0.5, inplace=True),
        lambda: f.dropout(x, -0.1),
        lambda: f.dropout(x, "a"),
        lambda: f.dropout(x, 0.5, mode="both"),
        lambda: f.dropout(x, 0.5, axis=0, inplace=True),
        lambda: f.dropout(module.to_tensor([1, 2]), 0.5),
        lambda: f.mse_loss(x, x, "average"),
        lambda: f.cross_entropy(x, x, reduction="average"),
        lambda: f.cross_entropy(x, module.to_tensor([[[1]]])),
        lambda: f.cross_entropy(x, module.to_tensor([0, 1, -1, 0])),
        lambda: f.layer_norm(x, 4),
        lambda: nn.MSELoss("average"),
        lambda: f.embedding(module.to_tensor([4]), x),
        lambda: f.embedding(module.to_tensor([1.0]), x),
        lambda: f.embedding(module.to_tensor([1]), x, padding_idx=4),
        lambda: nn.Linear(1, 1, weight_attr=5),
        lambda: nn.Linear(1, 1).register_buffer("bias", x),
        lambda: nn.Linear(1, 1).register_buffer("mask", 5),
        lambda: nn.initializer.KaimingNormal(nonlinearity="swish")(x),
    ):
        with pytest.raises(Exception) as caught:  # noqa: PT011  # the exceptions are compared
            call()
        refused.append(type(caught.value).__name__)
    return refused


def constant(module: Any, number: float) -> Any:
    return module.nn.initializer.Constant(number)


def what_a_model_says(module: Any) -> list[Any]:
    nn = module.nn

    class Head(nn.Layer):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(2, 2, weight_attr=constant(module, 0.5))
            self.scale = self.create_parameter([1], default_initializer=constant(module, 3.0))
            self.again = self.inner
            self.register_buffer("steps", module.zeros([1]))
            self.register_buffer("hidden", module.ones([1]), persistable=False)

        def forward(self, x: Any) -> Any:
            return self.again(self.inner(x)) * self.scale

    head = Head()
    model = nn.Sequential(
        ("head", head), ("act", nn.LeakyReLU(0.2)), ("rest", nn.Sequential(nn.Dropout(0.5), nn.LayerNorm(2), nn.Flatten(), nn.GELU()))
    )  # fmt: skip
    model.eval()
    unknown = model.set_state_dict({"head.scale": np.array([2.0], "float32"), "nowhere": np.zeros(1)})
    doubled = model["act"].register_forward_post_hook(lambda layer, inputs, out: out * 2.0)
    halved = head.register_forward_pre_hook(lambda layer, inputs: (inputs[0] * 0.5,))
    first = model(module.ones([1, 2])).tolist()
    doubled.remove()
    halved.remove()
    order: list[str] = []
    model.apply(lambda layer: order.append(type(layer).__name__))
    return [
        repr(nn.Embedding(5, 3, padding_idx=-1)), repr(nn.Embedding(5, 3)), repr(nn.Embedding(5, 3, sparse=True)), repr(nn.PReLU(2)),
        nn.Embedding(5, 3, padding_idx=-1).weight[4].tolist(), module.create_parameter([2], "float64", is_bias=True).tolist(),
        module.create_parameter([2], "float32", "own").name, repr(nn.Hardswish()),
        repr(model), repr(nn.LayerList([nn.Linear(1, 1)])), unknown, first, order,
        [name for name, _ in model.named_parameters()], [name for name, _ in model.named_buffers()], list(model.state_dict()),
        [name for name, _ in model.named_sublayers()], [name for name, _ in head.named_children()], len(model.parameters()),
        len(model), type(model[1]).__name__, [type(each).__name__ for each in model[1:]], model.training, head.inner.training,
        head.inner.weight.inplace_version, head.parameters(include_sublayers=False)[0] is head.scale,
    ]  # fmt: skip


def what_parameters_are(module: Any) -> list[Any]:
    nn = module.nn

    class Two(nn.Layer):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = self.create_parameter([2, 2]), self.create_parameter([2], is_bias=True)
            self.c, self.none = self.create_parameter([3]), self.create_parameter([1], attr=False)

    two = Two()
    fixed = nn.Linear(2, 2, module.ParamAttr("mine", constant(module, 2.0), trainable=False), False)
    kinds = (nn.Linear(1, 1), nn.LayerNorm(2), nn.BatchNorm1D(2), two)
    return [
        [each.full_name().rsplit("_", 1)[0] for each in kinds], [p.name.split(".")[1] for p in (two.a, two.b, two.c)], two.none,
        fixed.weight.name, fixed.weight.stop_gradient, fixed.weight.tolist(), fixed.weight.inplace_version, fixed.bias,
    ]  # fmt: skip


def training(module: Any) -> list[Any]:
    nn = module.nn
    layers = [
        nn.Linear(3, 4, weight_attr=nn.initializer.Assign(numbers(3, 4))), nn.BatchNorm1D(4), nn.Tanh(), nn.LayerNorm(4),
        nn.Linear(4, 3, weight_attr=nn.initializer.Assign(numbers(4, 3, seed=3))),
    ]  # fmt: skip
    model, loss_of = nn.Sequential(*layers), nn.CrossEntropyLoss()
    optimizer = module.optimizer.Momentum(0.1, parameters=model.parameters())
    losses = []
    for _ in range(4):
        loss = loss_of(model(module.to_tensor(SCORES)), module.to_tensor(LABELS))
        loss.backward()
        optimizer.step()
        optimizer.clear_grad()
        losses.append(float(loss))
    model.eval()
    state = [value.numpy() for value in model.state_dict().values()]
    return [*losses, *state, model(module.to_tensor(SCORES)).numpy()]


@pytest.mark.parametrize("program", [in_place, what_may_not_be_done, what_a_model_says, what_parameters_are])
def test_the_same_answers(paddle: Any, program: Program) -> None:
    assert program(inplacelab) == program(paddle)


def test_the_same_training(paddle: Any) -> None:
    for ours, theirs in zip(training(inplacelab), training(paddle), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_layer_norm_over_two_axes() -> None:
    """Compared with PyTorch, since PaddlePaddle 3.3.1 computes another gradient on the CPU."""
    torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    found = []
    for module, leaf in ((inplacelab, {"stop_gradient": False}), (torch, {"requires_grad": True})):
        x = (module.to_tensor if module is inplacelab else module.tensor)(PICTURE, **leaf)
        scale = module.ones([12]) * 1.5 if module is inplacelab else module.ones([3, 4]) * 1.5
        result = module.nn.functional.layer_norm(x, [3, 4], scale, scale)
        (result * result * result).sum().backward()
        found.append([result.tolist(), x.grad.tolist()])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-5)
