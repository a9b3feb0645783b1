"""Invalid writes are refused before any change, with Paddle's exception and first line."""

from __future__ import annotations

import gc
import pickle
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import Tensor, errors
from inplacelab.language import speak
from tests.row_cases.each import WRITE, for_each_variant

Make = Callable[[Any], Tensor]
Write = Callable[[Tensor], object]
LEAF = r"^\(InvalidArgument\) Leaf Var \({}\) that doesn't stop gradient can't use inplace strategy\.\n"


def state(x: Tensor) -> tuple[Any, ...]:
    """The state that a refused operation must not change."""
    base = None if x.base is None else state(x.base)
    facts = (x.numpy().tobytes(), x.shape, x.strides, x.offset, x.dtype, x.inplace_version, x.stop_gradient, x.is_leaf)
    return (*facts, x.grad_fn, id(x.storage), x.storage.device.ledger.live, base)


@contextmanager
def uncollected() -> Iterator[None]:
    """Memory of other tests must not be released meanwhile: it counts as live."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def refused(write: Callable[[], object], error: type[Exception], match: str, *tensors: Tensor) -> str:
    """The message of a refusal, after which all tensors are as they were."""
    text, kind = "", None
    with uncollected():
        before = [state(t) for t in tensors]
        try:
            write()
        except errors.Refusal as refusal:
            text, kind = str(refusal), type(refusal)
        after = [state(t) for t in tensors]
    assert kind is not None, "it was not refused"
    assert issubclass(kind, error)
    assert re.search(match, text), text
    assert after == before
    return text


# ---- leaves ---------------------------------------------------------------------------------------------------------


@for_each_variant(*WRITE, only=lambda case: case.row.name not in ("setitem", "_put"))
def test_a_leaf_is_never_written_while_history_is_recorded(case: Any, variant: str) -> None:
    inputs = [paddle.to_tensor(a) for a in case.arrays()]
    inputs[0].stop_gradient = False
    if case.row.name == "cast":
        case = case._replace(attrs={"dtype": "float32"})
    refused(lambda: case.call(variant, inputs), ValueError, LEAF.format(""), inputs[0])


WRITES: list[Write] = [
    lambda x: x.scale_(2.0),
    lambda x: x.t_(),
    lambda x: x.zero_(),
    lambda x: x.copy_(paddle.ones([2, 2])),
    lambda x: x.cast_("float32"),
    lambda x: x.add_(paddle.ones([2, 2], "float64")),
    lambda x: paddle.assign(paddle.ones([2, 2]), x),
]


@pytest.mark.parametrize("write", WRITES)
def test_a_view_of_a_leaf_counts_as_the_leaf(leaf: Make, write: Write) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    for view in (a[:], a.t(), a.reshape([4]).reshape([2, 2])):
        text = refused(lambda view=view: write(view), ValueError, LEAF.format(""), a, view)  # type: ignore[misc]
        assert "a view of a leaf" in text


def test_the_parentheses_hold_the_name_that_the_program_gave(leaf: Make) -> None:
    a = leaf([1.0])
    refused(a.zero_, ValueError, LEAF.format(""), a)
    a.name = "w0"
    refused(a.zero_, ValueError, LEAF.format("w0"), a)
    linear = paddle.nn.Linear(2, 2)
    refused(linear.weight.zero_, ValueError, LEAF.format(r"linear_\d+\.w_0"), linear.weight)


@pytest.mark.parametrize(
    "write",
    [
        lambda a: a.__setitem__(0, 9.0),
        lambda a: a.__setitem__([0], 9.0),
        lambda a: a.__setitem__(a > 1, 9.0),
        lambda a: a[0].__setitem__(0, 9.0),
    ],
)
def test_setting_items_of_a_leaf_names_the_tensor(leaf: Make, write: Write) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    a.name = "w0"
    first_line = r"^\(InvalidArgument\) Leaf Tensor \(w0\) that doesn't stop gradient can't use inplace strategy\.\n"
    refused(lambda: write(a), ValueError, first_line, a)


def test_an_integer_leaf_is_a_leaf_too() -> None:
    i = paddle.to_tensor([1, 2], stop_gradient=False)
    refused(lambda: i.add_(paddle.to_tensor([1, 1])), ValueError, LEAF.format(""), i)


def test_what_a_leaf_allows(leaf: Make) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    a.set_value(np.ones((2, 2)))
    a.detach().scale_(2.0)
    with paddle.no_grad():
        a.add_(paddle.ones([2, 2], "float64"))
        a[0] = 0.0
        a.t_()
    assert a.tolist() == [[0.0, 3.0], [0.0, 3.0]]
    assert (a.is_leaf, a.stop_gradient, a.inplace_version) == (True, False, 5)


def test_a_leaf_keeps_its_flag_when_it_gets_a_new_storage(leaf: Make) -> None:
    for change in (lambda x: x.cast_("float32"), lambda x: x.t_().reshape_([4])):
        a = leaf([[1.0, 2.0], [3.0, 4.0]])
        with paddle.no_grad():
            change(a)
        assert (a.is_leaf, a.stop_gradient) == (True, False)


def test_a_refusal_that_the_program_catches_does_no_harm(leaf: Make) -> None:
    """(Paddle 3.3.1 computes before it refuses: the gradient is then e**a times something.)"""
    a = leaf([1.0, 2.0])
    loss = (a * a).sum()
    for write in (a.exp_, a.zero_, lambda: a.reshape_([2, 1])):
        refused(write, ValueError, LEAF.format(""), a)
    loss.backward()
    assert a.grad is not None
    assert a.grad.tolist() == [2.0, 4.0]


def test_a_gradient_is_a_leaf(leaf: Make) -> None:
    a = leaf([1.0, 2.0])
    (a * a).sum().backward()
    assert a.grad is not None
    refused(lambda: a.grad.scale_(10.0) if a.grad is not None else None, ValueError, LEAF.format(""), a.grad)
    with paddle.no_grad():
        a.grad.scale_(10.0)
    assert a.grad.tolist() == [20.0, 40.0]


# ---- writes without a meaning ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("write", "same"),
    [
        (lambda x: x.copy_(x.t()), lambda x: x.copy_(x.t().clone())),
        (lambda x: x.__setitem__(..., x.t()), lambda x: x.copy_(x.t().clone())),
        (lambda x: x[:, 1:].copy_(x[:, :-1]), lambda x: x[:, 1:].copy_(x[:, :-1].clone())),
        (lambda x: x.__setitem__(slice(None), x[1]), lambda x: x.copy_(x[1].clone())),
        (lambda x: x.__setitem__([0, 2], x[1:]), lambda x: x.__setitem__([0, 2], x[1:].clone())),
    ],
)
def test_what_is_only_copied_is_read_first(leaf: Make, write: Write, same: Write) -> None:
    values = [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]
    answers = []
    for way in (write, same):
        a = leaf(values)
        x = a * 2
        way(x)
        (x * x).sum().backward()
        assert a.grad is not None
        answers.append((x.tolist(), a.grad.tolist()))
    assert answers[0] == answers[1]


@pytest.mark.parametrize(
    ("write", "match"),
    [
        (lambda x: x.add_(x[0]), r"^\(InvalidArgument\) add_: the operand and the tensor"),
        (
            lambda x: x.subtract_(x.t()),
            "the operand and the tensor that is written share slots, but at different indices",
        ),
        (
            lambda x: x[1:].add_(x[:-1]),
            "the operand and the tensor that is written share slots, but at different indices",
        ),
        (
            lambda x: x.detach().multiply_(x[:, :1]),
            "the operand and the tensor that is written share slots, but at different indices",
        ),
        (
            lambda x: x.add_(paddle.ones([2, 3, 3], "float64")),
            r"^The shape of broadcast output \[2, 3, 3\] is different",
        ),
        (lambda x: x[0].add_(x[1].reshape([3, 1])), r"broadcast output \[3, 3\] is different .* \[3\] in the Inplace"),
        (lambda x: x.add_(paddle.ones([2], "float64")), r"^\(InvalidArgument\) Broadcast dimension mismatch"),
        (lambda x: x.__setitem__(0, paddle.ones([2], "float64")), "Broadcast dimension mismatch"),
        (lambda x: x.__setitem__([0], paddle.ones([2, 3], "float64")), "broadcast output"),
        (lambda x: x._window(over_itself(x)).zero_(), "more than one element of the written tensor"),
    ],
)
def test_conflicts(constant: Make, leaf: Make, write: Write, match: str) -> None:
    for x in (constant(np.arange(9.0).reshape(3, 3)), leaf(np.arange(9.0).reshape(3, 3)) * 1):
        refused(lambda x=x: write(x), Exception, match, x)  # type: ignore[misc]


def over_itself(x: Tensor) -> Any:
    return x.layout._replace(strides=(1, 1))


def test_the_same_window_is_no_conflict(leaf: Make) -> None:
    a = leaf([[1.0, 2.0], [3.0, 4.0]])
    x = a * 1
    x.multiply_(x).add_(x[:]).add_(x.t().t()).subtract_(x.detach())
    assert x.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    x.set_value(a)
    x[0].add_(x[1])  # other slots of the same storage
    x[:, 0].add_(x[:, 1])
    assert x.tolist() == [[10.0, 6.0], [7.0, 4.0]]


def test_a_view_made_under_no_grad_is_outside_the_history(leaf: Make) -> None:
    b = leaf([[1.0, 2.0], [3.0, 4.0]]) * 2
    with paddle.no_grad():
        view = b[0]
    refused(lambda: view.scale_(2.0), RuntimeError, "a view created under no_grad", b, view)
    with paddle.no_grad():
        view.scale_(2.0)
    assert b.tolist() == [[4.0, 8.0], [6.0, 8.0]]


def test_tensors_on_two_devices_do_not_meet() -> None:
    x = paddle.ones([2])
    paddle.set_device("gpu", simulate=True)
    y = paddle.ones([2])
    for operation in (lambda: x.add_(y), lambda: x + y, lambda: y.copy_(x), lambda: x @ y):
        refused(
            operation,
            ValueError,
            "the operands are on different devices, (cpu and gpu:0 simulated|gpu:0 simulated and cpu)",
            x,
            y,
        )
    assert x.add_(y.cpu()).tolist() == [2.0, 2.0]
    assert y.add_(x.cuda()).tolist() == [3.0, 3.0]


# ---- what a refusal is ------------------------------------------------------------------------------------------------


def test_it_shows_as_the_exception_that_paddle_raises(leaf: Make) -> None:
    with pytest.raises(ValueError, match="Leaf Var") as caught:
        leaf([1.0]).zero_()
    assert type(caught.value).__name__ == "ValueError"
    assert type(caught.value).__module__ == "builtins"
    assert isinstance(caught.value, errors.LeafWriteError)


def test_a_refusal_has_reason_and_fix_in_the_current_language(leaf: Make) -> None:
    a = leaf([1.0])
    with pytest.raises(
        ValueError, match=r"(?s)Leaf Var.*\n  Why: `zero_` would overwrite a leaf.*\n  Instead: write to"
    ):
        a.zero_()
    with (
        speak("zh"),
        pytest.raises(
            ValueError,
            match=r"(?s)Leaf Var[^\n]*\n  译文：这是[^\n]*\n  原因：`zero_` 会覆盖需要梯度的叶子张量.*\n  改法",
        ),
    ):
        a.zero_()


def test_it_is_pickled_as_the_built_in_exception(leaf: Make) -> None:
    with pytest.raises(ValueError, match="Leaf Var") as caught:
        leaf([1.0]).zero_()
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is ValueError
    assert str(again) == str(caught.value)


# ---- operands and numbers of the wrong kind -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["hypot", "hypot_", "ldexp", "ldexp_", "sinc", "sinc_"])
def test_what_paddle_checks_in_python_is_a_type_error(name: str) -> None:
    x = paddle.ones([2])
    call = getattr(paddle, name)
    first = (3.0,) if name.startswith("sinc") else (3.0, x)
    refused(lambda: call(*first), TypeError, r"^x must be tensor type, but got <class 'float'>\n", x)
    if len(first) == 2:
        refused(lambda: call(x, [1]), TypeError, r"^y must be tensor type, but got <class 'list'>\n", x)


@pytest.mark.parametrize("power", [Tensor.pow, Tensor.pow_])
def test_an_exponent_that_is_no_number_is_a_type_error(power: Callable[..., Tensor]) -> None:
    x = paddle.ones([2])
    refused(lambda: power(x, [2]), TypeError, r"^y must be scalar type, but received: <class 'list'> \n", x)


@pytest.mark.parametrize("name", ["gcd_", "lcm_", "divide_", "bitwise_and_"])
def test_in_place_the_shapes_are_looked_at_before_the_dtypes(name: str) -> None:
    x, y = paddle.zeros([1, 2]), paddle.zeros([3, 1], "bool")
    refused(lambda: getattr(x, name)(y), ValueError, "^The shape of broadcast output", x, y)


STORED: dict[str, Write] = {
    "fill_": lambda x: x.fill_(float("inf")),
    "full_like": lambda x: paddle.full_like(x, float("nan")),
    "masked_fill_": lambda x: x.masked_fill_(paddle.to_tensor([True, False]), float("nan")),
    "index_fill_": lambda x: x.index_fill_(paddle.to_tensor([0]), 0, float("-inf")),
    "put_along_axis_": lambda x: x.put_along_axis_(paddle.to_tensor([0]), float("nan"), 0),
    "setitem": lambda x: x.__setitem__(0, float("nan")),
    "setitem by a mask": lambda x: x.__setitem__(paddle.to_tensor([True, False]), np.float32("inf")),
    "scale_": lambda x: x.scale_(float("inf")),
}


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
@pytest.mark.parametrize("stored", STORED)
def test_nan_and_infinity_are_refused_for_integers(stored: str, dtype: str) -> None:
    x = paddle.to_tensor([1, 2], dtype=dtype)
    said = f"should not be (NaN|infinite).*\n.*no number of {dtype} represents"
    refused(lambda: STORED[stored](x), ValueError, said, x)


def test_as_a_truth_value_nan_is_true() -> None:
    x = paddle.to_tensor([False, False, False])
    x[0] = float("nan")
    x.masked_fill_(paddle.to_tensor([False, True, False]), float("inf"))
    assert x.tolist() == [True, True, False]
    assert paddle.full([1], float("nan"), "bool").tolist() == x.fill_(float("nan")).tolist()[:1] == [True]


COMPLEX: dict[str, Write] = {
    "setitem": lambda x: x.__setitem__(0, paddle.to_tensor(1 + 2j)),
    "setitem, a number": lambda x: x.__setitem__(0, 1 + 2j),
    "setitem, a mask": lambda x: x.__setitem__(x > 0, 2j),
    "setitem, an array": lambda x: x.__setitem__(slice(None), np.array([1j, 2.0])),
    "copy_": lambda x: x.copy_(paddle.to_tensor([1j, 2.0])),
}


@pytest.mark.parametrize("write", COMPLEX)
def test_no_imaginary_part_is_lost_by_writing_it_into_real_numbers(write: str) -> None:
    x = paddle.to_tensor([1.0, 2.0])
    refused(lambda: COMPLEX[write](x), TypeError, "imaginary parts would be silently lost", x)


NOT_FINITE = pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
CAST: dict[str, Write] = {
    "to_tensor": lambda x: paddle.to_tensor([1.0, x[1].item()], dtype="int32"),
    "to_tensor of an array": lambda x: paddle.to_tensor(x.numpy(), dtype="int32"),
    "astype": lambda x: x.astype("int32"),
    "cast": lambda x: paddle.cast(x, "int32"),
    "cast_": lambda x: x.cast_("int32"),
    "a view": lambda x: x[1:].astype("int32"),
    "copy_": lambda x: paddle.zeros([2], "int32").copy_(x),
    "set_value": lambda x: paddle.zeros([2], "int32").set_value(x.tolist()),
    "setitem": lambda x: paddle.zeros([2], "int32").__setitem__(slice(None), x),
}


@NOT_FINITE
@pytest.mark.parametrize("cast", CAST)
def test_what_is_not_finite_is_cast_to_no_integer(cast: str, number: float) -> None:
    x = paddle.to_tensor([1.5, number])
    refused(
        lambda: CAST[cast](x), ValueError, rf"{number} cannot be cast to int32\.\n.*no number of int32 represents", x
    )


def test_what_is_finite_is_cast_and_nan_is_a_truth_value() -> None:
    assert paddle.to_tensor([1.9, -2.9]).astype("int32").tolist() == [1, -2]
    assert paddle.to_tensor([float("nan"), 0.0]).astype("bool").tolist() == [True, False]
    assert paddle.ones([0]).astype("int8").shape == [0]
    assert paddle.to_tensor([complex(2, float("nan"))]).astype("int32").tolist() == [2]
