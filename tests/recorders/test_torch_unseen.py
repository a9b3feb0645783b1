"""What the recorder of PyTorch cannot see: it says so, and programs do what they do unrecorded."""

from __future__ import annotations

import textwrap
import threading
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.recording import Recording, from_json, to_json  # noqa: E402  # they need PyTorch
from tests.recorders.torch_runs import bits, needs_saved, plain, remarks, run  # noqa: E402

pytestmark = [pytest.mark.oracle, pytest.mark.filterwarnings("ignore")]


def same(text: str, **names: Any) -> Recording:
    """Records a program; checks that its results and errors are those of the unrecorded run, and the final versions those recorded."""
    text = textwrap.dedent(text)
    torch.manual_seed(0)
    expected, error = plain(text, **names)
    torch.manual_seed(0)
    ran = run(text, **names)
    assert (type(ran.failure), str(ran.failure)) == (type(error), str(error))
    assert bits(ran.names) == bits(expected)
    assert to_json(from_json(to_json(ran.recording))) == to_json(ran.recording)
    state = ran.recording.state()
    for facts in state.tensors.values():
        for name in facts.names:
            if isinstance(ran.names.get(name), torch.Tensor):
                assert state.version(name) == ran.names[name]._version, name
    return ran.recording


# ---- other threads -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        """
        def work():
            made.append(torch.ones(3).add_(1))
        made = []
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """,
        """
        x = torch.zeros(2)
        thread = threading.Thread(target=x.add_, args=(1,))
        thread.start()
        thread.join()
        y = x * 2
        """,
        """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(2) as pool:
            a, b = pool.map(torch.exp, [torch.zeros(2), torch.ones(2)])
        c = a + b
        """,
    ],
    ids=["of its own code", "that writes a tensor", "of a pool that calls a function of PyTorch"],
)
def test_threads(text: str) -> None:
    (said,) = remarks(same(text, threading=threading))
    assert "thread" in said


# ---- compiled code -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        """
        @torch.compile(backend="eager", fullgraph=True)
        def f(t):
            t.add_(1)
            u = t * 2
            return u
        x = torch.ones(2)
        y = f(x)
        z = y + 1
        """,
        """
        net = torch.nn.Linear(2, 2)
        net.compile(backend="eager")
        y = net(torch.ones(1, 2))
        z = y + 1
        z.sum().backward()
        """,
        """
        f = torch.compile(lambda t: t.sin(), backend="eager", fullgraph=True)
        def step(t):
            return f(t) * 2
        z = step(torch.ones(2, requires_grad=True)) + 1
        z.sum().backward()
        """,
        """
        import compiled_helper
        helper = compiled_helper.Helper()
        z = helper.step(torch.ones(1, 2)) + 1
        z.sum().backward()
        """,
    ],
    ids=["a function of the program", "a module", "inside a function", "in another file"],
)
def test_compiled_code(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "compiled_helper.py").write_text(
        textwrap.dedent("""
        import torch
        class Helper:
            def __init__(self):
                self.function = torch.compile(lambda t: t * 2 + 1, backend="eager", fullgraph=True)
                self.net = torch.compile(torch.nn.Linear(2, 2), backend="eager")
            def step(self, x):
                return self.net(self.function(x))
        """)
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    recording = same(text)
    assert any("torch.compile" in each for each in remarks(recording))
    assert "add" in [step.op for step in recording.steps]  # what comes after it is recorded
    assert torch.overrides._get_current_function_mode_stack() == []


def test_compiling_warns_of_nothing_else() -> None:
    text = "net = torch.compile(torch.nn.Linear(2, 2), backend='eager')\ny = net(torch.ones(1, 2))"
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always")
        assert run(text).failure is None
    assert [each.message for each in recorded if "hooks" in str(each.message)] == []


def test_nothing_of_pytorch_stays_replaced() -> None:
    before = torch.nn.MultiheadAttention.forward, torch.Tensor.set_
    same("f = torch.compile(lambda t: t + 1, backend='eager')\ny = f(torch.ones(2))")
    assert (torch.nn.MultiheadAttention.forward, torch.Tensor.set_) == before
    assert "set_" not in vars(torch.Tensor)
    assert "CompilerPatch" not in repr(torch._dynamo.eval_frame._maybe_set_eval_frame)
    assert not torch.nn.modules.module._global_forward_hooks


def test_a_traced_function_is_left_out() -> None:
    recording = same("f = torch.jit.trace(lambda t: t * t.shape[0], torch.ones(2))\ny = f(torch.ones(2))\nz = y + 1")
    assert any("torch.jit.trace" in each for each in remarks(recording))


# ---- writes that no call reports -----------------------------------------------------------------------------------


def test_a_function_that_marks_its_input_as_dirty() -> None:
    recording = same(
        """\
        class Increment(torch.autograd.Function):
            @staticmethod
            def forward(ctx, t):
                ctx.mark_dirty(t)
                return t.add_(1)
            @staticmethod
            def backward(ctx, g):
                return g
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        z = Increment.apply(y)
        w = z * 1
        w.sum().backward()
        """
    )
    following = recording.on_line(12)[0]
    assert recording.before(following.index).version("y") == 2
    assert "dirty" in remarks(recording)[0]


def test_set_is_an_operation() -> None:
    recording = same("x, y = torch.ones(3), torch.zeros(4)\nx.set_(y)\nx.add_(1)")
    assert [(step.op, step.category) for step in recording.on_line(2)] == [("set_", "reallocated")]
    assert recording.after_line(2).tensor("x").storage == recording.after_line(2).tensor("y").storage
    assert remarks(recording) == []


def test_a_gradient_scaler_writes_gradients() -> None:
    recording = same(
        """\
        w = torch.nn.Parameter(torch.ones(2))
        opt = torch.optim.SGD([w], lr=0.1)
        scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
        scaler.scale(w.sum()).backward()
        scaler.unscale_(opt)
        g = w.grad
        """
    )
    assert recording.after_line(4).storage_of("w.grad").values == (8.0, 8.0)
    assert recording.after_line(6).storage_of("g").values == (1.0, 1.0)


def test_memory_of_numpy() -> None:
    text = "x = torch.from_numpy(np.zeros(3))\nx.add_(1)"
    assert any("NumPy" in each for each in remarks(same(text, np=np)))


# ---- passes, views, tensors of other kinds -------------------------------------------------------------------------


def test_gradients_of_a_pass_that_a_checkpoint_runs_inside_another() -> None:
    recording = same(
        """
        from torch.utils.checkpoint import checkpoint
        w = torch.ones(3, requires_grad=True)
        x = torch.ones(3, requires_grad=True)
        y = checkpoint(lambda t: t * w, x, use_reentrant=True)
        y.sum().backward()
        """
    )
    assert recording.state().tensor("w").grad is not None


@needs_saved
def test_what_a_node_keeps_of_a_real_view_of_complex_numbers() -> None:
    recording = same(
        """
        w = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
        r = (w * 2).real
        loss = (r ** 2).sum()
        """
    )
    nodes = [node for step in recording.steps for _, node in step.nodes if node]
    assert "float32" in [saved.dtype for node in nodes for saved in node.saved]


def test_a_conjugated_view_is_said() -> None:
    assert "conj" in remarks(same("z = torch.ones(2, dtype=torch.complex64)\nc = z.conj()"))[0]


def test_functions_of_functions() -> None:
    recording = same("w = torch.ones(2)\nh = torch.func.hessian(lambda v: (v ** 3).sum())(w)\nw.add_(1)")
    assert not any("stopped" in each for each in remarks(recording))


def test_the_program_s_own_dispatch_mode_sees_the_program_alone() -> None:
    text = """
    from torch.utils._python_dispatch import TorchDispatchMode
    class Count(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            seen.append(str(func))
            return func(*args, **(kwargs or {}))
    x = torch.ones(2, requires_grad=True)
    with Count():
        y = (x * 2).add_(1)
        y[[0]] = 3
        y.sum().backward()
    """
    recorded: list[str] = []
    unrecorded: list[str] = []
    assert run(textwrap.dedent(text), seen=recorded).failure is None
    plain(text, seen=unrecorded)
    assert recorded == unrecorded
