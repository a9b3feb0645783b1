"""A kernel on a tensor is an operation like any other: checked, counted, recorded, differentiated; and its launch is reported."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import kernels, observe
from inplacelab.kernels import on_cpu
from inplacelab.kernels.launch import Launch, Operand
from inplacelab.kernels.sources import Source
from inplacelab.language import speak

pytestmark = pytest.mark.usefixtures("compiler")


def tensor(*values: float, **options: Any) -> paddle.Tensor:
    return paddle.to_tensor(list(values), **options)


def gradient(x: paddle.Tensor) -> Any:
    assert x.grad is not None
    return x.grad.numpy()


# ---- the one way to write -------------------------------------------------------------------------------------------------


def test_in_place_is_the_same_tensor_one_version_later() -> None:
    x = tensor(-1.0, 2.0, -3.0)
    view = x[1:]
    assert kernels.run("relu_", x) is x
    assert (x.tolist(), x.inplace_version, view.tolist()) == ([0.0, 2.0, 0.0], 1, [2.0, 0.0])


def test_out_of_place_has_a_storage_of_its_own() -> None:
    x = tensor(-1.0, 2.0)
    y = kernels.run("relu", x)
    assert (x.tolist(), x.inplace_version, y.tolist(), y.storage is x.storage) == ([-1.0, 2.0], 0, [0.0, 2.0], False)


def test_a_leaf_is_refused_and_left_as_it_was() -> None:
    w = tensor(-1.0, 2.0, stop_gradient=False)
    with kernels.launches() as seen, pytest.raises(ValueError, match="Leaf Var"):
        kernels.run("relu_", w)
    assert (w.tolist(), w.inplace_version, seen) == ([-1.0, 2.0], 0, [])


@pytest.mark.parametrize("name", ["relu_", "scale_", "exp_", "square_"])
def test_the_derivative_is_that_of_the_row(name: str) -> None:
    gradients = []
    for call in (kernels.get(name), getattr(paddle.Tensor, name)):
        w = tensor(-1.0, 2.0, 0.5, stop_gradient=False)
        y = w.scale(2.0)
        call(y)
        y.sum().backward()
        gradients.append(gradient(w))
    np.testing.assert_allclose(gradients[0], gradients[1], rtol=1e-6)


def test_what_backward_needs_and_a_kernel_overwrites_is_noticed() -> None:
    w = tensor(1.0, 2.0, stop_gradient=False)
    y = w.scale(1.0).exp()
    kernels.run("relu_", y.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_normalizing_has_the_derivative_of_its_definition() -> None:
    values = np.random.default_rng(3).normal(size=(2, 5))
    weights = paddle.to_tensor(np.arange(10.0).reshape(2, 5))
    gradients = []
    for how in ("kernel", "definition"):
        w = paddle.to_tensor(values, stop_gradient=False)
        y = w.scale(1.0)
        if how == "kernel":
            kernels.run("normalize_", y)
        else:
            centered = y - y.mean(axis=-1, keepdim=True)
            y = centered / y.var(axis=-1, unbiased=False, keepdim=True).scale(1.0, 1e-5).sqrt()
        (y * weights).sum().backward()
        gradients.append(gradient(w))
    np.testing.assert_allclose(gradients[0], gradients[1], atol=1e-12)


def test_transposes_and_additions_have_derivatives() -> None:
    w = paddle.to_tensor(np.arange(9.0).reshape(3, 3), stop_gradient=False)
    y = w.scale(1.0)
    kernels.run("transpose_square_", y)
    (y * paddle.to_tensor(np.arange(9.0).reshape(3, 3))).sum().backward()
    assert gradient(w).tolist() == np.arange(9.0).reshape(3, 3).T.tolist()
    added = tensor(1.0, 2.0, 3.0, stop_gradient=False)
    x = paddle.zeros([4])
    kernels.run("add_at_", x, paddle.to_tensor([0, 2, 2]), added)
    (x * tensor(1.0, 10.0, 100.0, 1000.0)).sum().backward()
    assert (x.tolist(), gradient(added).tolist()) == ([1.0, 0.0, 5.0, 0.0], [1.0, 100.0, 100.0])


# ---- fused chains ---------------------------------------------------------------------------------------------------------


def test_a_chain_is_its_steps_in_one_launch() -> None:
    fused = kernels.fuse("scale_", "add_", "scale_", "relu_")
    assert fused.parameters == (
        "x",
        "y",
        "scale",
        "bias",
        "bias_after_scale",
        "alpha",
        "scale_3",
        "bias_3",
        "bias_after_scale_3",
    )
    x, y = (paddle.to_tensor(np.random.default_rng(k).normal(size=(3, 7)).astype("float32")) for k in (1, 2))
    expected = x.clone().scale_(2.0, 1.0).add_(y).scale_(-1.5).relu_()
    with kernels.launches() as seen:
        assert fused(x, y, scale=2.0, bias=1.0, scale_3=-1.5) is x
    assert (x.tolist(), x.inplace_version) == (expected.tolist(), 1)
    assert [(each.kernel, each.bytes_read, each.bytes_written) for each in seen] == [
        ("scale_ add_ scale_ relu_", 168, 84)
    ]


def test_a_chain_out_of_place() -> None:
    x = tensor(-4.0, 4.0)
    assert kernels.fuse("abs", "sqrt")(x).tolist() == [2.0, 2.0]
    assert x.inplace_version == 0


@pytest.mark.parametrize(
    "names",
    [
        (),
        ("scale_", "relu"),
        ("scale_", "normalize_"),
        ("greater_than", "relu"),
        ("remainder_", "abs_"),
        ("relu_", "fill_"),  # takes nothing from the step before
    ],
)
def test_what_is_no_step_is_refused(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="cannot be a step of a fused kernel"):
        kernels.fuse(*names)


@pytest.mark.parametrize("names", [("add_", "relu"), ("add", "relu_")])
def test_steps_in_place_and_not_are_refused_as_such(names: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="all in place, or none is"):
        kernels.fuse(*names)


# ---- operands and attributes ------------------------------------------------------------------------------------------------


def test_numbers_and_smaller_tensors_are_broadcast() -> None:
    x = paddle.ones([2, 3])
    kernels.run("add_", x, tensor(1.0, 2.0, 3.0), alpha=2)
    kernels.run("lerp_", x, paddle.zeros([2, 1]), 0.5)
    assert x.tolist() == [[1.5, 2.5, 3.5]] * 2


def test_an_operand_may_be_what_is_written() -> None:
    x = tensor(1.0, 2.0, 3.0)
    kernels.run("multiply_", x, x)
    assert x.tolist() == [1.0, 4.0, 9.0]


def test_a_bound_that_is_none_bounds_nothing() -> None:
    assert kernels.run("clip", tensor(-9.0, 9.0), max=1).tolist() == [-9.0, 1.0]
    assert kernels.run("clip", paddle.to_tensor([-9, 9]), min=1).tolist() == [1, 9]


def test_an_attribute_that_the_expression_leaves_out_is_refused() -> None:
    x = tensor(5.0, 7.0)
    with pytest.raises(ValueError, match="cannot take rounding_mode='floor'"):
        kernels.run("divide_", x, tensor(2.0, 2.0), rounding_mode="floor")
    assert (x.tolist(), x.inplace_version) == ([5.0, 7.0], 0)


def test_in_place_a_result_that_does_not_fit_is_refused() -> None:
    x = paddle.to_tensor([1, 2, 3])
    with pytest.raises(RuntimeError, match="cannot hold this result"):
        kernels.run("clip_", x, max=0.9)
    assert (x.tolist(), x.inplace_version) == ([1, 2, 3], 0)


@pytest.mark.parametrize(
    ("name", "shape", "words"),
    [
        ("transpose_square_", (2, 3), "a square matrix"),
        ("transpose_tiled", (2,), "a matrix"),
        ("normalize_", (), "rows"),
    ],
)
def test_shapes_that_do_not_fit_are_refused_in_both_languages(name: str, shape: tuple[int, ...], words: str) -> None:
    x = paddle.ones(list(shape))
    with pytest.raises(ValueError, match=f"It needs {words}|it needs {words}"):
        kernels.run(name, x)
    with speak("zh"), pytest.raises(ValueError, match="它需要"):
        kernels.run(name, x)
    assert x.inplace_version == 0


def test_elements_apart_are_refused_where_a_kernel_needs_them_side_by_side() -> None:
    x = paddle.ones([4, 6])[:, ::2]
    with pytest.raises(ValueError, match="side by side"):
        kernels.run("normalize_", x)
    assert x.inplace_version == 0


def test_places_beyond_the_end_are_refused() -> None:
    x = paddle.zeros([3])
    with pytest.raises(ValueError, match="indices from 0 to 2"):
        kernels.run("add_at_", x, paddle.to_tensor([3]), paddle.ones([1]))


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="inplacelab has no kernel of its own for 'matmul'"):
        kernels.get("matmul")
    with pytest.raises(ValueError, match="inplacelab has no kernel of its own for 'isnan_'"):
        kernels.get("isnan_")
    assert kernels.get("equal_").dtypes == ("bool",)  # in place in name only for all others
    with pytest.raises(RuntimeError, match="for int32"):
        kernels.source("exp", "int32")


# ---- the launch -------------------------------------------------------------------------------------------------------------


class Listener(observe.Observer):
    def __init__(self) -> None:
        self.received: list[Any] = []

    def launched(self, launch: Launch, storages: Any) -> None:
        self.received.append(launch)

    def operation(self, name: str, category: str, inputs: Any, output: Any, node: Any, **_: Any) -> None:
        self.received.append((name, category))


def test_a_launch_is_reported_before_its_operation() -> None:
    listener, base = Listener(), paddle.zeros([4, 7])
    x = base[1:, ::2]
    with observe.listening(listener):
        kernels.run("relu_", x)
    launch, operation = listener.received
    assert operation == ("relu_", "in-place")
    assert launch == Launch(
        "relu_", "strided", (1, 1, 1), (256, 1, 1), 1, "float32",
        (Operand("x", "both", "float32", (3, 4), (7, 2), 7, 112),), 48, 48, "", True,
    )  # fmt: skip


def test_a_launch_goes_through_a_file_unchanged() -> None:
    with kernels.launches() as seen:
        kernels.run("add", paddle.ones([2, 3]), paddle.ones([3]))
    (launch,) = seen
    assert Launch.from_json(json.loads(json.dumps(launch.to_json()))) == launch


@pytest.mark.standard
def test_a_launch_leads_to_the_text_that_ran(monkeypatch: pytest.MonkeyPatch) -> None:
    ran, plain = [], on_cpu.run

    def noted(source: Source, *rest: Any) -> None:
        ran.append(source)
        plain(source, *rest)

    monkeypatch.setattr(on_cpu, "run", noted)
    fused, x = kernels.fuse("scale_", "relu_"), paddle.ones([40])
    with kernels.launches() as seen:
        kernels.run("relu_", x)
        kernels.run("relu_", x[1:])
        kernels.run("relu", x[::2])
        kernels.run("greater_than", x, x)
        fused(x)
        kernels.run("normalize_", x)
    assert [kernels.source_of(each) for each in seen] == ran
    assert len(set(ran)) == 6


def test_on_the_simulated_gpu_the_launch_is_the_same_and_marked_simulated() -> None:
    seen: list[Launch] = []
    for device in ("cpu", "gpu"):
        paddle.set_device(device, simulate=device == "gpu")
        x = paddle.ones([1000])
        with kernels.launches() as here:
            kernels.run("relu_", x)
        seen += here
    assert seen[0] == seen[1]
    assert (seen[1].simulated, seen[1].device) == (True, "")


def test_no_elements_no_threads() -> None:
    x = paddle.zeros([0, 3])
    with kernels.launches() as seen:
        kernels.run("relu_", x)
    assert (x.inplace_version, seen[0].bytes_read) == (1, 0)


def test_a_recording_has_it_under_its_name() -> None:
    with paddle.record() as recorded:
        x = tensor(-1.0, 2.0)
        kernels.run("relu_", x)
    assert recorded.recording is not None
    step = recorded.recording.steps[-1]
    assert (step.op, step.category, len(step.writes)) == ("relu_", "in-place", 1)


def test_all_are_listed() -> None:
    listing = kernels.available()
    assert len(listing) > 80
    assert "x > 0 ? x : 0" in str(listing.about("relu_"))
