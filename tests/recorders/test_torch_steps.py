"""Tests recordings of steps of PyTorch's optimizers: a large one is one operation, and a small one is recorded call by call."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from torch.optim.optimizer import register_optimizer_step_post_hook  # noqa: E402  # they need PyTorch
from torch.overrides import TorchFunctionMode  # noqa: E402

from inplacelab.frameworks.torch.steps import FEW  # noqa: E402  # they need PyTorch
from inplacelab.recording import Recording, Step, sentence  # noqa: E402
from inplacelab.recording.origins import origins  # noqa: E402
from tests.recorders.torch_runs import bits, plain, remarks, run  # noqa: E402

pytestmark = [pytest.mark.oracle]

LARGE = FEW + 2
OPTIMIZERS = (
    "SGD(net.parameters(), 0.1)",
    "SGD(net.parameters(), 0.1, momentum=0.9, weight_decay=0.1, foreach=True)",
    "Adam(net.parameters(), amsgrad=True, weight_decay=0.1)",
    "AdamW(net.parameters(), foreach=True)",
    "RMSprop(net.parameters(), momentum=0.9, centered=True)",
    "Adagrad(net.parameters())",
    "Adadelta(net.parameters())",
    "Adamax(net.parameters())",
    "ASGD(net.parameters())",
    "Rprop(net.parameters())",
)


def training(optimizer: str = "Adam(net.parameters())", *, parameters: int = LARGE, step: str = "opt.step()") -> str:
    """A program with two steps of an optimizer, each on line 6."""
    return (
        "torch.manual_seed(0)\n"
        f"net = torch.nn.Sequential(*[torch.nn.Linear(2, 2) for _ in range({parameters // 2})])\n"
        f"opt = torch.optim.{optimizer}\n"
        "for k in range(2):\n"
        "    net(torch.ones(1, 2)).sum().backward()\n"
        f"    {step}\n"
        "    opt.zero_grad()\n"
        "y = torch.ones(1)\n"
    )


def steps_of(recording: Recording) -> list[Step]:
    return [step for step in recording.on_line(6) if step.kind == "operation"]


def at_the_end(recording: Recording) -> dict[str, tuple[Any, ...]]:
    """By name: version, values, and whether a gradient is needed."""
    state = recording.state()
    return {
        name: (state.version(name), state.storage_of(name).values, tensor.needs_gradient, tensor.node)
        for tensor in state.tensors.values()
        for name in tensor.names
    }


def memory(recording: Recording) -> list[tuple[int, int]]:
    """Live bytes and their peak after each statement."""
    return list({step.turn: (step.live, step.peak) for step in recording.steps}.values())


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_a_large_step_leaves_what_its_calls_leave(optimizer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = training(optimizer)
    batched = run(text)
    monkeypatch.setattr("inplacelab.frameworks.torch.recorder.FEW", LARGE)
    singly = run(text)
    assert {step.op for step in steps_of(batched.recording)} == {"step"}
    assert "step" not in {step.op for step in steps_of(singly.recording)}
    assert at_the_end(batched.recording) == at_the_end(singly.recording)
    assert memory(batched.recording) == memory(singly.recording)
    assert bits(dict(batched.names["net"].named_parameters())) == bits(dict(singly.names["net"].named_parameters()))
    assert remarks(batched.recording) == []


def test_a_large_step_is_one_write_for_each_tensor() -> None:
    recording = run(training()).recording
    second = [step for step in steps_of(recording) if step.turn == steps_of(recording)[-1].turn]
    assert len(second) == 4 * LARGE
    state = recording.state()
    write = next(step for step in second if step.output == state.tensor("net.0.weight").id)
    names = "net.0.weight", *(f"opt.state[net.0.weight]['{each}']" for each in ("step", "exp_avg", "exp_avg_sq"))
    weight, count, mean, square = (state.tensor(name).id for name in names)
    assert (write.inputs[0], *write.inputs[2:]) == (weight, count, mean, square)
    assert [(each.before, each.after, each.slots) for each in write.writes] == [(2, 3, ((0, 4),))]
    assert write.category == "in-place"
    assert write.place is not None
    assert (write.place.line, write.place.depth) == (6, 1)
    assert sentence(recording, write.index).en.startswith("Line 6 `step` wrote slots 0-3 of S0 through `net.0.weight`.")
    squared = next(step for step in second if step.output == square)
    assert [(each.before, each.after) for each in squared.writes] == [(2, 4)]  # by two calls


def test_what_a_large_step_computes_is_known_where_it_goes_element_by_element() -> None:
    found = origins(run(training()).recording, "net.0.weight", (1, 0))
    called = {each.called.en for each in found.origins}
    assert "`net.0.weight[1,0]`" in called or "`net.0.weight[1, 0]`" in called
    assert not any("[0, 0]" in each or "[0,0]" in each for each in called)
    factored = run(training("Adafactor(net.parameters())")).recording
    assert [step.depends for step in steps_of(factored) if step.op == "step"] == [None] * len(steps_of(factored))


def test_a_small_step_is_recorded_call_by_call() -> None:
    found = {step.op for step in steps_of(run(training(parameters=FEW)).recording)}
    assert {"lerp_", "addcmul_", "sqrt", "addcdiv_"} <= found
    assert "step" not in found


HOOKS = {
    "before": "opt.register_step_pre_hook(lambda *_: None)",
    "after": "opt.register_step_post_hook(lambda *_: None)",
    "of all": "after_all(lambda *_: None)",
}


@pytest.mark.parametrize("hook", HOOKS)
def test_a_step_with_a_hook_of_the_program_is_recorded_call_by_call(hook: str) -> None:
    text = training(step=f"h = {HOOKS[hook]}; opt.step(); h.remove()")
    found = {step.op for step in steps_of(run(text, after_all=register_optimizer_step_post_hook).recording)}
    assert "addcdiv_" in found
    assert "step" not in found


OTHERS = {
    "closure": "opt.step(lambda: net(torch.ones(1, 2)).sum())",
    "mode": "with Own():\n        opt.step()",
    "shared storage": "[setattr(each, 'grad', torch.ones(2)) for each in halves]; k or opt.add_param_group({'params': halves}); opt.step()",
}


@pytest.mark.parametrize("how", OTHERS)
def test_a_step_in_which_other_code_may_run_is_recorded_call_by_call(how: str) -> None:
    class Own(TorchFunctionMode):  # type: ignore[misc]  # torch is skipped by mypy
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    flat = torch.zeros(4)
    halves = [torch.nn.Parameter(each) for each in flat.split(2)]
    recording = run(training(step=OTHERS[how]), Own=Own, halves=halves).recording
    ops = [step.op for step in recording.steps]
    assert "addcdiv_" in ops
    assert "step" not in ops


FAILS = """
net = torch.nn.ParameterList([torch.ones(2) for _ in range({many})])
opt = torch.optim.Adam(net.parameters())
sum(net).sum().backward()
opt.step()
opt.state[net[-1]]["exp_avg"] = torch.ones(3)
try:
    opt.step()
except {error}:
    failed = True
with torch.no_grad():
    net[0].mul_(2)
"""


@pytest.mark.parametrize("how", ["fused", "differentiable"])
def test_a_step_that_raises_no_versions_or_keeps_history_is_recorded_call_by_call(how: str) -> None:
    optimizer = f"SGD([each.detach().clone() for each in net.parameters()], 0.1, {how}=True)"
    gradients = "[setattr(each, 'grad', torch.ones_like(each)) for each in opt.param_groups[0]['params']]"
    ops = {step.op for step in run(training(optimizer, step=f"{gradients}; opt.step()")).recording.steps}
    assert ("_fused_sgd_" if how == "fused" else "add_") in ops
    assert "step" not in ops


def test_a_step_that_raises_is_recorded_as_far_as_it_went() -> None:
    done = run(FAILS.format(many=LARGE, error="RuntimeError"))
    recording, net = done.recording, done.names["net"]
    assert done.names["failed"]
    state, names = recording.state(), [f"net.{k}" for k in range(LARGE)]
    assert [state.storage_of(each).values for each in names] == [tuple(each.tolist()) for each in net]
    assert [state.version(each) for each in names] == [each._version for each in net]
    wrote = [step.output for step in recording.on_line(8) if step.op == "step"]
    assert state.tensor("net.0").id in wrote
    assert state.tensor(names[-1]).id not in wrote
    assert [step.op for step in recording.on_line(12)] == ["mul_"]  # operations are recorded again
    assert remarks(recording) == []


def test_what_ends_the_program_inside_a_step_is_said_with_what_it_was_given() -> None:
    recording = run(FAILS.format(many=LARGE, error="KeyError")).recording
    error, tensors = recording.steps[-1], recording.state().tensors
    assert error.kind == "error"
    assert error.place is not None
    assert error.place.line == 8
    assert (f"opt.state[net.{LARGE - 1}]['exp_avg']",) in {tensors[each].names for each in error.inputs}


def test_a_limit_that_is_reached_inside_a_step_ends_the_recording_there() -> None:
    text = training()
    complete = run(text).recording
    begins = steps_of(complete)[0].index
    recording = run(text, limit=begins + 3).recording
    assert recording.truncated
    assert [step.op for step in recording.steps[begins:]] == ["step"] * 3
    assert len(recording.steps) == begins + 3


def test_a_scheduler_and_a_scaler_leave_it_one_operation() -> None:
    setup = "; s = torch.amp.GradScaler('cpu', init_scale=1.0); lr = torch.optim.lr_scheduler.StepLR(opt, 1)"
    step = "s.scale(torch.ones(1)); s.step(opt); s.update(); lr.step()"
    done = run(training(f"Adam(net.parameters()){setup}", step=step))
    ops = [each.op for each in steps_of(done.recording)]
    assert ops.count("step") == LARGE + 4 * LARGE
    assert "addcdiv_" not in ops
    names, _ = plain(training(f"Adam(net.parameters()){setup}", step=step))
    assert bits(dict(done.names["net"].named_parameters())) == bits(dict(names["net"].named_parameters()))


def test_a_step_in_a_hook_of_backward_is_recorded_call_by_call() -> None:
    text = training(step="pass").replace(
        "for k in range(2):",
        "net[0].weight.register_post_accumulate_grad_hook(lambda p: opt.step())\nfor k in range(2):",
    )
    ops = {step.op for step in run(text).recording.steps}
    assert "addcdiv_" in ops
    assert "step" not in ops


@pytest.mark.parametrize("do", [run, plain])
def test_a_large_step_keeps_nothing_alive(do: Callable[..., Any]) -> None:
    seen: list[bool] = []
    gone = "seen.append(gradient() is None)"
    text = training(step="import weakref; gradient = weakref.ref(net[0].weight.grad); opt.step()")
    do(text.replace("opt.zero_grad()", f"opt.zero_grad(); {gone}"), seen=seen)
    assert seen == [True, True]


def test_code_of_the_program_that_runs_in_a_step_after_all_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    function = "def stepped(*args, **kwargs):\n    z = torch.zeros(1)\n    add(*args, **kwargs)\n    z.add_(1)\n"
    sgd = import_module("torch.optim.sgd")
    monkeypatch.setattr(sgd, "_single_tensor_sgd", add := vars(sgd)["_single_tensor_sgd"])  # put back at the end
    step = "sgd._single_tensor_sgd = stepped; opt.step()"
    done = run(f"{function}{training('SGD(net.parameters(), 0.1)', step=step)}", sgd=sgd, add=add)
    recording, state = done.recording, done.recording.state()
    assert [step.op for step in recording.on_line(2)] == ["zeros", "zeros"]
    assert [step.op for step in recording.on_line(4)] == ["add_", "add_"]
    assert [step.op for step in recording.on_line(3)].count("add_") == 2 * LARGE
    for name, parameter in done.names["net"].named_parameters():
        assert state.storage_of(f"net.{name}").values == tuple(parameter.flatten().tolist())
        assert state.version(f"net.{name}") == parameter._version


def test_a_fused_write_of_what_the_memory_held_by_chance_is_recorded() -> None:
    recording = run("""
import ctypes
p, g = [torch.zeros(3)], [torch.ones(3)]
momentum = torch.empty(3)
ctypes.memmove(momentum.data_ptr(), g[0].data_ptr(), 12)
torch._fused_sgd_(
    p, g, [momentum], weight_decay=0.0, momentum=0.9, lr=0.1, dampening=0.0, nesterov=False, maximize=False, is_first_step=True
)
""").recording
    assert recording.state().storage_of("momentum").values == (1.0, 1.0, 1.0)
