"""What can be told of these names without PyTorch: identity, sharing, refusals, recordings, and what is not there."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
import weakref
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab.errors.catalogue import entries
from inplacelab.recorders.detection import _from_before, framework_used
from inplacelab.recorders.sources import parsed
from inplacelab.torch.__main__ import listing
from inplacelab.torch.generate import LINES
from inplacelab.torch.refusals import _PADDLE_WORDS, words

torch: Any = import_module("inplacelab.torch")
nn: Any = torch.nn
STALE = "one of the variables needed for gradient computation has been modified by an inplace operation: [torch.FloatTensor [3]]"


def test_in_place_returns_the_same_object() -> None:
    x = torch.ones(3)
    before = x
    x += 1
    assert x is before
    assert x.add_(1) is before
    assert x.relu_() is before
    assert nn.ReLU(inplace=True)(x) is before
    assert x._version == 4


def test_a_tensor_is_the_engines_tensor_under_other_names() -> None:
    x = paddle.ones([3])
    y = torch.as_tensor(x)
    assert torch.as_tensor(x) is y
    y.mul_(3)
    x.scale_(2.0)
    assert (y.tolist(), y._version, x.inplace_version) == ([6.0, 6.0, 6.0], 2, 2)


def test_a_tensor_dies_with_its_last_name() -> None:
    x = torch.ones(3)
    engine = weakref.ref(x._tensor)
    del x
    gc.collect()
    assert engine() is None


def test_refusals_have_pytorchs_first_line_and_our_reason() -> None:
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = w.exp()
    y += 1
    with pytest.raises(RuntimeError) as stale:
        y.sum().backward()
    assert str(stale.value).startswith(
        f"{STALE}, which is output 0 of Exp, is at version 1; expected version 0 instead."
    )
    assert "\n  Why: ExpBackward0 kept its result" in str(stale.value)
    with pytest.raises(
        RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"
    ) as leaf:
        w += 1
    assert "no_grad" in str(leaf.value)
    assert w._version == 0
    with pytest.raises(RuntimeError, match="a view of a leaf Variable"):
        w[0].add_(1)


def test_the_engines_own_words_stay_paddles() -> None:
    w = paddle.to_tensor([1.0], stop_gradient=False)
    torch.ones(1).add_(1)
    with pytest.raises(ValueError, match="Leaf Var"):
        w.scale_(2.0)


@pytest.mark.parametrize(
    ("name", "nearest"), [("sigmod", "sigmoid"), ("masked_fil_", "masked_fill_"), ("zeross", "zeros")]
)
def test_what_is_not_there_names_the_nearest(name: str, nearest: str) -> None:
    for holder in (torch, torch.ones(2)):
        with pytest.raises(AttributeError) as refused:
            getattr(holder, name)
        assert nearest in str(refused.value) or (holder is torch) == (nearest == "masked_fill_") or nearest == "zeros"
    assert not hasattr(torch.ones(2), "stop_gradient")
    assert not hasattr(torch.ones(2), "scale_")


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("scale_", "write `mul_`."),
        ("stop_gradient", "write `requires_grad`, which means the opposite."),
        ("clear_grad", "write `x.grad = None`."),
        ("softmax_", "use `softmax`, which makes a new tensor."),
    ],
)
def test_paddles_name_leads_to_pytorchs(name: str, fix: str) -> None:
    with pytest.raises(AttributeError) as refused:
        getattr(torch.ones(2), name)
    assert f"\n  Instead: {fix}" in str(refused.value)


def test_what_is_written_for_paddles_names_is_there() -> None:
    for name in _PADDLE_WORDS.values():
        if isinstance(name, str):
            assert name == "x.grad = None" or hasattr(torch.Tensor, name) or hasattr(torch, name)


def test_compile_is_not_mistaken_for_a_number_type() -> None:
    with pytest.raises(AttributeError, match="Instead: leave it out"):
        _ = torch.compile


@pytest.mark.parametrize("name", ["require_grad", "stop_gradient"])
def test_a_flag_that_pytorch_does_not_have_is_set_with_a_warning(name: str) -> None:
    x = torch.ones(2)
    with pytest.warns(UserWarning, match="Did you mean `requires_grad`"):
        setattr(x, name, False)
    assert (getattr(x, name), x.requires_grad) == (False, False)


@pytest.mark.parametrize("op", ["mul_", "sub_", "div_", "add_"])
def test_a_refused_write_is_named_as_the_program_writes_it(op: str) -> None:
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=rf"Why: `{op}` would overwrite a leaf"):
        getattr(w, op)(2.0)


@pytest.mark.parametrize("call", [lambda: torch.matmul(torch.ones(2), 1.0), lambda: torch.cat([1.0])])
def test_what_is_no_tensor_is_not_told_in_the_words_of_the_engine(call: Callable[[], object]) -> None:
    with pytest.raises(TypeError, match="a tensor is needed where something else was given"):
        call()


def test_every_name_is_there() -> None:
    for module in (torch, torch.nn, torch.optim, torch.autograd, nn.functional, nn.init, nn.utils):
        for name in dir(module):
            assert getattr(module, name) is not None or name == "newaxis"
    for name in dir(torch.Tensor):
        getattr(torch.Tensor, name)


def test_the_table_is_printed() -> None:
    printed = str(listing())
    assert all(line.name in printed for line in LINES)
    result = subprocess.run(
        [sys.executable, "-m", "inplacelab.torch", "masked_fill"], capture_output=True, text=True, check=True
    )
    assert "masked_fill_(input, mask, value)" in result.stdout


def test_importing_the_package_imports_none_of_it() -> None:
    said = "import sys, inplacelab; print([m for m in sys.modules if m.startswith('inplacelab.torch')])"
    assert (
        subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


def test_training_writes_parameters_in_place() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(inplace=True), nn.Linear(4, 1))
    x = torch.randn(16, 2)
    target = (x[:, :1] - 2 * x[:, 1:]).detach()
    for optimizer in (
        torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9),
        torch.optim.Adam(net.parameters(), lr=0.01),
        torch.optim.AdamW(net.parameters(), lr=0.01),
        torch.optim.RMSprop(net.parameters(), lr=0.001),
    ):
        losses, before = [], net[0].weight._version
        for _ in range(20):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(x), target)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        assert losses[-1] < losses[0]
        assert net[0].weight._version >= before + 20


def test_copies_and_pickles() -> None:
    net = nn.Linear(2, 1)
    other = copy.deepcopy(net)
    assert other.weight is not net.weight
    assert torch.equal(other.weight, net.weight)
    assert isinstance(other.weight, nn.Parameter)
    again = pickle.loads(pickle.dumps(torch.tensor([1, 2])))
    assert again.tolist() == [1, 2]
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(net.weight * 2)
    with torch.no_grad():
        net.weight.zero_()
    net.load_state_dict(other.state_dict())
    assert torch.equal(other.weight, net.weight)
    with pytest.raises(RuntimeError, match=r"loading state_dict for Linear: .*weight"):
        net.load_state_dict({"bias": torch.zeros(1)})


def test_numpy_shares_memory() -> None:
    x = torch.zeros(2)
    x.numpy()[0] = 5
    array = np.ones(2)
    y = torch.from_numpy(array)
    y.add_(1)
    assert (x.tolist(), array.tolist(), x._version) == ([5.0, 0.0], [2.0, 2.0], 0)
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        torch.ones(2, requires_grad=True).numpy()


def test_hooks_and_gradients() -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    handle = y.register_hook(lambda gradient: gradient * 2)
    y.retain_grad()
    y.sum().backward(retain_graph=True)
    handle.remove()
    y.sum().backward()
    assert x.grad.tolist() == [9.0, 9.0]
    assert not x.grad.requires_grad
    (first,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    assert second.tolist() == [6.0, 12.0]


@pytest.mark.parametrize(
    "program",
    [
        "import inplacelab.torch as torch\nx = torch.ones(2)",
        "from inplacelab import torch\nx = torch.ones(2)",
        "from inplacelab.torch import nn\nx = nn.Linear(1, 1)",
        "import sys, inplacelab.torch\nsys.modules['torch'] = inplacelab.torch\nimport torch",
    ],
)
def test_a_program_with_these_names_is_detected(program: str) -> None:
    assert framework_used(parsed(program), {}).framework == "inplacelab.torch"
    assert framework_used(parsed("y = torch.ones(2)"), {"torch": torch}).framework == "inplacelab.torch"


def test_a_recording_has_pytorchs_words(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import inplacelab.torch as torch\n"
        "w = torch.tensor([1., 2., 3.], requires_grad=True)\n"
        "y = (w - 1).sigmoid()\n"
        "y += 1\n"
        "y.sum().backward()\n"
    )
    command = [sys.executable, "-m", "inplacelab", "explain", str(script)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    assert "3 | y = (w - 1).sigmoid()" in told
    assert "kept: `SigmoidBackward0` keeps `y`, its result (float32 [" in told
    assert "4 | y += 1" in told


def test_record_names_operations_and_nodes() -> None:
    with paddle.record(framework="inplacelab.torch") as rec:
        w = torch.ones(2, requires_grad=True)
        y = (w - 1) * w
        y.mul_(2)
    assert rec.recording is not None
    assert rec.recording.framework == "inplacelab.torch"
    assert [step.op for step in rec.recording.steps if step.op] == ["ones", "sub", "mul", "mul_"]


@pytest.mark.parametrize(
    ("call", "recorded"),
    [
        ("x.mul_(2)", ["mul_"]), ("x.multiply_(2)", ["multiply_"]), ("x.__imul__(y)", ["mul_"]), ("x.sub_(1)", ["sub_"]), ("x.div_(2)", ["div_"]),
        ("x.true_divide_(2)", ["true_divide_"]), ("x.clamp_(0, 1)", ["clamp_"]), ("x.clip_(0, 1)", ["clip_"]), ("x.clamp_min_(0)", ["clamp_min_"]),
        ("x.absolute_()", ["absolute_"]), ("x.abs_()", ["abs_"]), ("x.negative_()", ["negative_"]), ("x.relu_()", ["relu_"]),
        ("x.sign_()", ["sign_"]), ("x.sgn()", ["sgn"]), ("x.floor_divide_(2)", ["floor_divide_"]), ("x.lerp_(y, 0.5)", ["lerp_"]),
        ("x.arctan2_(y)", ["arctan2_"]), ("torch.true_divide(x, y)", ["true_divide"]), ("x.expand(2, 3)", ["expand"]), ("x.chunk(2)", ["chunk", "chunk"]),
        ("x.copy_(y[:1])", ["getitem", "as_strided", "copy_"]), ("nn.functional.leaky_relu_(x)", ["leaky_relu_"]),
        ("x.scatter_(0, torch.tensor([0]), 1.0)", ["tensor", "scatter_"]),
    ],
)  # fmt: skip
def test_a_recording_has_the_names_that_the_program_called(call: str, recorded: list[str]) -> None:
    space = {"x": torch.ones(3), "y": torch.ones(3), "torch": torch, "nn": nn}
    with paddle.record(framework="inplacelab.torch") as rec:
        eval(call, space)
    assert rec.recording is not None
    assert [step.op for step in rec.recording.steps if step.op] == recorded


@pytest.mark.parametrize(
    "name",
    [
        "mul_",
        "multiply_",
        "sub_",
        "div_",
        "true_divide_",
        "add_",
        "clamp_",
        "clip_",
        "absolute_",
        "negative_",
        "relu_",
        "fill_",
    ],
)
def test_a_refusal_has_the_name_that_the_program_called(name: str) -> None:
    w = torch.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=f"`{name}` would overwrite a leaf"):
        getattr(w, name)(
            *[1] * (name in {"mul_", "multiply_", "sub_", "div_", "true_divide_", "add_", "clamp_", "clip_", "fill_"})
        )
    with pytest.raises(RuntimeError, match="`mul_` would overwrite a leaf"):
        w *= 2


def test_every_refusal_is_one_of_the_engine_or_raised_here() -> None:
    own = Path(torch.__file__).parent
    code = "".join(path.read_text(encoding="utf-8") for path in own.rglob("*.py"))
    unused = [name for name in words() if name not in entries() and f'"{name}"' not in code]
    assert unused == []


def test_a_refusal_of_the_engine_without_words_of_pytorch_is_told_in_its_terms() -> None:
    with pytest.raises(RuntimeError) as refused:
        torch.ones(2).unfold(0, 5, 1)
    assert "paddle.unfold" not in str(refused.value)
    assert "(InvalidArgument)" not in str(refused.value)
    assert "\n  Instead: choose a size from 0 to 2." in str(refused.value)


@pytest.mark.parametrize(
    ("program", "used"),
    [
        ("x = 1\nx + 1", False),
        ("x = x + 1", True),
        ("x += 1", True),
        ("for x in range(3):\n    y = x", False),
        ("if y:\n    x = 1\nx + 1", True),
        ("for k in range(3):\n    x = k\nx + 1", False),
        ("def f(x):\n    return x", False),
        ("def f():\n    return x", True),
        ("[x for x in range(3)]", False),
        ("with x:\n    x = 1", True),
        ("try:\n    x = 1\nexcept ValueError:\n    pass\nx", True),
        ("import x\nx.y", False),
    ],
)
def test_what_a_name_was_before_counts_only_if_the_program_may_read_it(program: str, used: bool) -> None:
    assert ("x" in _from_before(parsed(program).body, set())) == used


def test_the_gradient_of_one_input_is_refused_if_what_the_other_needs_was_overwritten() -> None:
    b, c = (torch.ones(3, requires_grad=True) for _ in range(2))
    x = b * 2
    y = (x * c).sum()
    x.sub_(1)
    with pytest.raises(RuntimeError) as refused:
        torch.autograd.grad(y, [b])
    assert str(refused.value).startswith(STALE)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward(inputs=[b])
    assert (b.grad, c.grad) == (None, None)


def test_new_axes_have_the_strides_of_unsqueeze() -> None:
    y = torch.zeros(2, 3)
    assert [each.stride() for each in (y[:, None], y[0, None], y[..., None], y[None])] == [
        (3, 3, 1),
        (3, 1),
        (3, 1, 1),
        (6, 3, 1),
    ]


def test_what_a_function_returns_as_it_was_is_not_written() -> None:
    class Same(torch.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            return gradient

    y = Same.apply(torch.ones(2, requires_grad=True) * 2)
    with pytest.raises(
        RuntimeError,
        match=r"Output 0 of Same is a view and is being modified inplace\. This view was created inside a custom",
    ):
        y.add_(1)
    assert y.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("module", ["distributions", "nn.utils.parametrize", "utils.checkpoint"])
def test_a_module_that_is_not_here_is_refused_with_a_sentence(module: str) -> None:
    with pytest.raises(
        ModuleNotFoundError, match=f"No module named 'torch.{module}'\n.*inplacelab.torch has only the part"
    ):
        import_module(f"inplacelab.torch.{module}")


def test_methods_of_modules_that_are_not_here_are_refused_and_slips_are_told_as_python_tells_them() -> None:
    layer = nn.Linear(1, 1)
    with pytest.raises(AttributeError, match=r"python -m inplacelab\.torch"):
        layer.register_full_backward_pre_hook(print)
    with pytest.raises(AttributeError, match=r"^'Linear' object has no attribute 'wieght'$"):
        _ = layer.wieght


@pytest.mark.parametrize(
    "call",
    [
        "ones(2, device='cuda')",
        "zeros_like(torch.ones(2), device='cuda:1')",
        "ones(2).new_full((2,), 1.0, device='meta')",
        "tensor([1.0], device='cuda')",
        "as_tensor([1.0], device='cuda')",
        "ones(2).to(device='cuda')",
        "nn.Linear(2, 3, device='cuda')",
        "nn.Linear(2, 3).to(device='cuda')",
    ],
)
def test_another_device_than_the_cpu_is_refused(call: str) -> None:
    assert eval(f"torch.{call}".replace("cuda:1", "cpu").replace("cuda", "cpu").replace("meta", "cpu")) is not None
    with pytest.raises(RuntimeError, match=r"inplacelab\.torch has no device '(cuda|meta)'"):
        eval(f"torch.{call}")
