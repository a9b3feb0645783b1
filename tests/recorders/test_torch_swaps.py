"""Tests that tensors which become each other (`torch.utils.swap_tensors`) do so while they are recorded, and are recorded so."""

from __future__ import annotations

import textwrap

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.recorders.run import record  # noqa: E402  # they need PyTorch
from inplacelab.recording import Recording, sentence  # noqa: E402
from inplacelab.recording.quiz import questions_at  # noqa: E402
from tests.recorders.torch_runs import bits, plain, remarks, run  # noqa: E402

pytestmark = pytest.mark.oracle


def recorded(text: str) -> Recording:
    """Records a program that does what it does unrecorded."""
    text = textwrap.dedent(text)
    torch.manual_seed(0)
    names, error = plain(text)
    torch.manual_seed(0)
    ran = run(text)
    assert (type(ran.failure), str(ran.failure)) == (type(error), str(error))
    assert bits(ran.names) == bits(names)
    return ran.recording


def test_tensors_swap_storages_counters_and_flags() -> None:
    recording = recorded(
        """
        a = torch.ones(2).add_(1)
        b = torch.zeros(3, requires_grad=True)
        torch.utils.swap_tensors(a, b)
        c = a * 2
        b.mul_(3)
        """
    )
    (swap,) = recording.on_line(4)
    before, after = recording.before(swap.index), recording.after_line(4)
    for one, other in (("a", "b"), ("b", "a")):
        was, now = before.tensor(other), after.tensor(one)
        assert (now.storage, now.counter, now.shape, now.needs_gradient) == (
            was.storage, was.counter, was.shape, was.needs_gradient,
        )  # fmt: skip
        assert now.id == before.tensor(one).id
    assert (after.version("a"), after.version("b"), recording.state().version("b")) == (0, 1, 2)
    assert swap.writes == ()
    assert "swapped `a` and `b`: `a` now points into the storage S1, `b` into S0" in sentence(recording, swap.index).en
    assert [question.kind for question in questions_at(recording, swap.index)] == ["bytes"]
    assert remarks(recording) == []


def test_the_node_of_a_leaf_goes_with_it() -> None:
    recording = recorded(
        """
        a, b = torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)
        loss = a.sum()
        torch.utils.swap_tensors(a, b)
        loss.backward()
        """
    )
    state = recording.state()
    (leaf,) = [node for node in state.nodes.values() if node.name == "AccumulateGrad"]
    assert leaf.leaf == state.tensor("b").id


def test_a_swap_that_pytorch_refuses_changes_nothing() -> None:
    recording = recorded(
        """
        a, b = torch.ones(2, requires_grad=True), torch.ones(2)
        loss = (a * a).sum()
        try:
            torch.utils.swap_tensors(b, a)
        except RuntimeError:
            b.add_(1)
        """
    )
    assert recording.state().version("b") == 1
    assert [step.op for step in recording.on_line(5)] == [None]


def test_a_tensor_that_cannot_be_recorded() -> None:
    recording = recorded(
        """
        a, b = torch.ones(2), torch.zeros(2).to_sparse()
        torch.utils.swap_tensors(a, b)
        b.add_(1)
        a = a.to_dense()
        """
    )
    assert recording.state().version("b") == 1
    assert not any("stopped" in each for each in remarks(recording))


@pytest.mark.parametrize(
    "kept", ["", "net(torch.ones(1, 2)).sum().backward()"], ids=["without gradients", "with gradients"]
)
def test_modules_that_swap_their_parameters(kept: str) -> None:
    recording = recorded(
        f"""
        torch.__future__.set_swap_module_params_on_conversion(True)
        try:
            net = torch.nn.Linear(2, 1)
            {kept}
            w = net.weight
            net.to(torch.float64)
            net.load_state_dict({{key: value * 2 for key, value in net.state_dict().items()}})
            net.to_empty(device="cpu")
            with torch.no_grad():
                w.fill_(1)
                net.bias.fill_(0)
        finally:
            torch.__future__.set_swap_module_params_on_conversion(False)
        """
    )
    assert [step.op for step in recording.on_line(7)].count("swap_tensors") == (4 if kept else 2)
    state = recording.state()
    assert (state.tensor("w").dtype, state.version("w"), state.storage_of("w").values) == ("float64", 1, (1.0, 1.0))


def test_blocks_that_overlap() -> None:
    first, second = record(framework="torch"), record(framework="torch")
    before = torch.utils.swap_tensors
    first.__enter__()
    a, b = torch.ones(2), torch.zeros(3)
    second.__enter__()
    torch.utils.swap_tensors(a, b)
    first.__exit__(None, None, None)
    torch.utils.swap_tensors(a, b)
    second.__exit__(None, None, None)
    assert torch.utils.swap_tensors is before
    assert first.recording is not None
    assert second.recording is not None
    assert [step.op for step in first.recording.steps if step.op] == ["ones", "zeros", "swap_tensors"]
    assert [step.op for step in second.recording.steps if step.op] == ["swap_tensors", "swap_tensors"]
