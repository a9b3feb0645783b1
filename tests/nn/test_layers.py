"""Layers: their parameters, buffers and sublayers, and refusals that change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, nn
from inplacelab.nn import functional as F  # noqa: N812  # the name in Paddle's documentation

LOSSES = {
    "mse_loss": lambda x: F.mse_loss(x, paddle.full([2, 3], 0.3, "float64")),
    "l1_loss": lambda x: F.l1_loss(x, paddle.full([2, 3], 0.3, "float64")),
    "with_logits": lambda x: F.binary_cross_entropy_with_logits(x, paddle.full([2, 3], 0.25, "float64")),
    "cross_entropy": lambda x: F.cross_entropy(x, paddle.to_tensor([0, 2])),
    "cross_entropy, weights": lambda x: F.cross_entropy(
        x, paddle.to_tensor([0, 2]), paddle.to_tensor([0.5, 1.0, 2.0], dtype="float64"), ignore_index=0
    ),
    "cross_entropy, one-hot": lambda x: F.cross_entropy(x, F.one_hot(paddle.to_tensor([0, 2]), 3), label_smoothing=0.3),
    "smooth_l1_loss": lambda x: F.smooth_l1_loss(x, paddle.full([2, 3], 0.3, "float64"), delta=0.7),
    "binary_cross_entropy": lambda x: F.binary_cross_entropy(x.sigmoid(), paddle.full([2, 3], 0.25, "float64")),
    "hardswish": F.hardswish,
    "prelu": lambda x: F.prelu(x, paddle.to_tensor([0.25, 0.5, 0.75], dtype="float64")),
    "embedding": lambda x: F.embedding(paddle.to_tensor([[0, 1], [1, 1]]), x, padding_idx=0),
    "log_softmax": lambda x: F.log_softmax(x, 0),
    "gelu": F.gelu,
    "gelu, tanh": lambda x: F.gelu(x, "tanh"),
    "normalize": F.normalize,
    "layer_norm": lambda x: F.layer_norm(x, 3),
    "batch_norm": lambda x: F.batch_norm(x, paddle.zeros([3], "float64"), paddle.ones([3], "float64"), training=True),
    "silu, in place": lambda x: F.silu(x * 1.0, inplace=True),
}


@pytest.mark.parametrize("name", LOSSES)
def test_derivatives_of_first_and_second_order(name: str) -> None:
    x = paddle.to_tensor(np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]), stop_gradient=False)
    assert paddle.autograd.gradcheck(LOSSES[name], [x])
    assert paddle.autograd.gradgradcheck(LOSSES[name], [x])


def test_a_parameter_that_two_layers_share_is_updated_once() -> None:
    class Tied(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.into = nn.Linear(2, 2, bias_attr=False)
            self.back = nn.Linear(2, 2, bias_attr=False)
            self.back.weight = self.into.weight

        def forward(self, x: paddle.Tensor) -> paddle.Tensor:
            return self.back(self.into(x))

    model = Tied()
    assert [name for name, _ in model.named_parameters()] == ["into.weight"]
    model(paddle.ones([1, 2])).sum().backward()
    before, gradient = model.into.weight.numpy(), model.into.weight.grad.numpy()
    paddle.optimizer.SGD(0.5, model.parameters()).step()
    np.testing.assert_allclose(model.into.weight.numpy(), before - 0.5 * gradient, rtol=1e-6)


def test_a_state_that_does_not_fit_is_not_loaded_by_half() -> None:
    layer = nn.Linear(2, 2)
    before = {name: (value.tolist(), value.inplace_version) for name, value in layer.state_dict().items()}
    with pytest.raises(errors.ShapeError, match="bias receives a shape"):
        layer.set_state_dict({"weight": np.zeros((2, 2), "float32"), "bias": np.zeros(3, "float32")})
    assert {name: (value.tolist(), value.inplace_version) for name, value in layer.state_dict().items()} == before


def test_a_layer_that_knows_the_one_around_it_has_no_endless_list() -> None:
    inner, outer = nn.Linear(1, 1), nn.Sequential()
    outer.add_sublayer("inner", inner)
    inner.owner = outer
    assert [name for name, _ in outer.named_parameters()] == ["inner.weight", "inner.bias"]
    assert list(outer.state_dict()) == ["inner.weight", "inner.bias"]
    assert outer.eval().training is inner.training is False


def test_loading_a_state_raises_versions() -> None:
    layer = nn.Linear(2, 2)
    weight = layer.weight
    assert layer.set_state_dict({"weight": np.ones((2, 2), "float32")}) == (["bias"], [])
    assert layer.weight is weight
    assert weight.inplace_version == 1


def test_batch_norm_remembers_in_place_and_not_in_evaluation() -> None:
    layer = nn.BatchNorm1D(2, momentum=0.5)
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 6.0]])
    layer(x)
    assert layer._mean.tolist() == [1.0, 2.0]
    assert layer._variance.tolist() == [1.0, 2.5]
    versions = [buffer.inplace_version for buffer in layer.buffers()]
    layer.eval()
    layer(x)
    assert [buffer.inplace_version for buffer in layer.buffers()] == versions


def test_a_batch_between_forward_and_backward_does_not_change_the_gradient() -> None:
    """What backward needs was computed from the running numbers before the batch overwrote them."""
    layer = nn.BatchNorm1D(1)
    x = paddle.to_tensor([[1.0], [2.0]], stop_gradient=False)
    layer.eval()
    result = layer(x)
    layer.train()
    layer(x)
    result.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 1.0, rtol=1e-5)


def test_dropout_draws_by_the_seed_and_keeps_a_mask_of_one_byte_an_element() -> None:
    paddle.seed(0)
    x = paddle.ones([1000])
    x.stop_gradient = False
    y = F.dropout(x * 1.0, 0.25, inplace=True)
    kept = y.numpy() != 0
    assert 700 < kept.sum() < 800
    np.testing.assert_allclose(y.numpy()[kept], 4 / 3, rtol=1e-6)
    (saved,) = y.node.saved
    assert saved.storage.nbytes == 1000
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), y.numpy())
    paddle.seed(0)
    np.testing.assert_array_equal(F.dropout(paddle.ones([1000]), 0.25).numpy(), y.numpy())


def test_a_refused_dropout_draws_nothing_and_writes_nothing() -> None:
    x = paddle.ones([4])
    x.stop_gradient = False
    paddle.seed(3)
    with pytest.raises(errors.LeafWriteError):
        F.dropout(x, 0.5, inplace=True)
    after = paddle.rand([2]).tolist()
    paddle.seed(3)
    assert paddle.rand([2]).tolist() == after
    assert (x.tolist(), x.inplace_version) == ([1.0] * 4, 0)


def test_dropout_along_an_axis_drops_whole_rows() -> None:
    paddle.seed(1)
    rows = F.dropout(paddle.ones([64, 3]), 0.5, axis=0).numpy()
    assert {tuple(row) for row in rows} == {(0.0, 0.0, 0.0), (2.0, 2.0, 2.0)}


def test_silu_in_place_on_what_backward_needs_is_found_out() -> None:
    x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    y = x * 2.0
    z = y * y
    F.silu(y, inplace=True)
    with pytest.raises(errors.StaleSavedTensorError):
        z.sum().backward()


MODULES = [
    "nn", "nn.functional", "nn.initializer", "nn.utils", "optimizer", "optimizer.lr", "autograd", "regularizer", "io", "base", "device", "device.cuda", "version",
]  # fmt: skip


@pytest.mark.parametrize(("shape", "axis"), [((5,), 0), ((4, 3), -1), ((2, 3, 4), 1), ((2, 2, 3), 1), ((3, 4, 2), 0)])
def test_smoothed_class_numbers_are_smoothed_probabilities(shape: tuple[int, ...], axis: int) -> None:
    """In each of their forms, they give the loss that is written out here."""
    random = np.random.default_rng(3)
    scores = random.standard_normal(shape)
    numbers = random.integers(0, shape[axis], np.delete(shape, axis))
    hot = np.moveaxis(np.eye(shape[axis])[numbers], -1, axis)
    logs = scores - np.log(np.exp(scores).sum(axis, keepdims=True))
    expected = -((0.75 * hot + 0.25 / shape[axis]) * logs).sum(axis, keepdims=True)
    for label in (numbers, np.expand_dims(numbers, axis), hot, hot.astype("float32"), hot.astype("int64")):
        made = F.cross_entropy(
            paddle.to_tensor(scores), paddle.to_tensor(label), axis=axis, label_smoothing=0.25, reduction="none"
        )
        np.testing.assert_allclose(made.numpy(), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize(
    ("label", "options", "words"),
    [
        ([[0, 0, 1]], {}, r"soft_label\) == false(.|\n)*axis 1 of the labels of shape \[1, 3\] has more than one"),
        ([[0.0, 1.0]], {"label_smoothing": 0.1}, r"soft_label\) == true(.|\n)*the labels of shape \[1, 2\]"),
        ([[1.0]], {"soft_label": True}, r"soft_label\) == true(.|\n)*give labels of shape \[1, 3\]"),
        ([2], {"soft_label": True}, r"soft_label\) == true(.|\n)*class numbers of type int64 without `soft_label`"),
        ([2.0], {"label_smoothing": 0.1}, r"kernel `one_hot` is not registered(.|\n)*`x = x.astype\('int64'\)`"),
    ],
)
def test_labels_that_do_not_fit_the_scores_are_refused(label: object, options: dict[str, Any], words: str) -> None:
    with pytest.raises((ValueError, RuntimeError), match=words):
        F.cross_entropy(paddle.ones([1, 3]), paddle.to_tensor(label), **options)


def test_a_table_with_sparse_gradients_gets_dense_ones() -> None:
    table = paddle.nn.Embedding(4, 2, padding_idx=0, sparse=True)
    table(paddle.to_tensor([1, 1, 3, 0])).sum().backward()
    assert table.weight.grad is not None
    assert table.weight.grad.tolist() == [[0.0, 0.0], [2.0, 2.0], [0.0, 0.0], [1.0, 1.0]]


@pytest.mark.parametrize("module", ["", *(f"{each}." for each in MODULES)])
def test_a_name_that_is_not_there_is_refused_with_what_is_near(module: str) -> None:
    name = max(eval(f"paddle.{module}__all__"), key=len)
    with pytest.raises(AttributeError, match=rf"has no attribute '{name}s'(.|\n)*Why: (.|\n)*did you mean .*`{name}`"):
        eval(f"paddle.{module}{name}s")
    assert not hasattr(eval(f"paddle.{module[:-1]}" if module else "paddle"), "no_such_thing_at_all")


@pytest.mark.parametrize(
    ("asked", "right"),
    [("relu", "nn.functional.relu"), ("Linear", "nn.Linear"), ("SGD", "optimizer.SGD"), ("nn.relu", "functional.relu")],
)
def test_a_name_of_another_module_is_found_there(asked: str, right: str) -> None:
    with pytest.raises(AttributeError, match=rf"Why: the name is in another module\.\n  Instead: write `{right}`\.$"):
        eval(f"paddle.{asked}")


def test_options_that_could_not_be_obeyed_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="'learning_rate' is not supported"):
        paddle.ParamAttr(learning_rate=0.5)
    with pytest.raises(TypeError):
        nn.ReLU(5, 6)
    with pytest.raises(TypeError):
        nn.Sequential(paddle.ones([1]))


@pytest.mark.parametrize("axis", [2, 5, -3])
def test_classes_along_an_axis_that_is_not_there_are_refused(axis: int) -> None:
    with pytest.raises(errors.AxisError):
        F.cross_entropy(paddle.ones([2, 3]), paddle.to_tensor([0, 1]), axis=axis)
