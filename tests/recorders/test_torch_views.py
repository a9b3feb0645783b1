"""Views whose base was written: their recorded nodes are those that PyTorch makes, whatever the view."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from inplacelab import record
from inplacelab.recording import State
from inplacelab.recording.unnoticed_writes import unnoticed_writes

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

from inplacelab.frameworks.torch.readings import is_outdated  # noqa: E402  # they need PyTorch
from tests.recorders.torch_runs import needs_saved, run  # noqa: E402

pytestmark = pytest.mark.oracle

REAL = (
    "b.as_strided((2,), (1,))", "b.diagonal()", "b.unfold(0, 2, 1)", "b.narrow(0, 0, 1)", "b.chunk(2)[0]", "b.view(torch.int32)",
    "b.view(torch.float32)", "torch.view_as_complex(b.view(4, 2, 2))", "torch.view_as_complex(b.view(4, 2, 2)).real", "b.t()", "b.T",
    "b.expand(2, 4, 4)", "b.split(2)[1]", "b.unbind()[0]", "b.detach()", "b.view(2, 8)", "b.permute(1, 0)", "b.movedim(0, 1)",
    "b.squeeze(0)", "b.unsqueeze(0)", "b.transpose(0, 1)", "b.select(0, 1)", "b[1]", "b[1:]", "b[1:][..., 0]", "b.unflatten(0, (2, 2))",
    "b.flatten()", "b.mT", "b.view_as(b)", "b.tensor_split(2)[0]", "b.hsplit(2)[0]", "b.adjoint()", "b.real", "torch._neg_view(b)",
    "torch._neg_view(b)[0].t()", "b.data", "b.reshape(2, 8)[0]", "torch.linalg.diagonal(b)", "torch.broadcast_to(b, (2, 4, 4))",
)  # fmt: skip
COMPLEX = (
    "b.real", "b.imag", "b.real[0]", "b.imag.t()", "torch.view_as_real(b)", "torch.view_as_real(b)[0].t()", "torch.view_as_real(b[1:])",
    "b.conj()", "b.conj().imag", "b[0].conj()[1:]", "b.adjoint()", "b.mH.real", "torch._neg_view(b)", "b.t()",
)  # fmt: skip
BASES = {
    "b = w * 1": REAL, "b = (w * 1).to(torch.complex64)": COMPLEX, "b = torch.ones(4, 4)": REAL, "b = torch.ones(4, 4).to(torch.complex64)": COMPLEX,
}  # fmt: skip
WRITES = (
    "b.mul_(w)",
    "v.mul_(2)",
    "v.mul_(2)\nwith torch.no_grad():\n    v.mul_(2)",
    "b.mul_(w)\nz = v * 2",
    "v += 1\nb.mul_(2)\nv *= 2",
)


@pytest.mark.parametrize("base", BASES)
def test_the_node_of_a_written_view_is_the_one_that_pytorch_makes(base: str) -> None:
    compared, wrong = 0, []
    for number, view in enumerate(BASES[base]):
        for write in (WRITES[number % len(WRITES)], WRITES[(number + 2) % len(WRITES)]):
            text = f"w = torch.ones(4, 4, requires_grad=True)\n{base}\nv = {view}\n{write}\n"
            names = _plain(text)
            if names is None:
                continue
            state = run(text).recording.state(-1)
            for name in ("b", "v"):
                compared += 1
                theirs, ours = _nodes(names[name]), _recorded(state, name)
                wrong += [(view, write, name, ours, theirs)] if ours != theirs else []
    assert wrong == []
    assert compared > len(BASES[base])


def _plain(text: str) -> dict[str, Any] | None:
    """The names of a program when it has ended; None if PyTorch refuses it."""
    names: dict[str, Any] = {"torch": torch}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(text, names)
            names["v"].grad_fn  # noqa: B018  # of one of several views, that is refused
    except RuntimeError:
        return None
    return names


def _nodes(tensor: Any) -> list[str]:
    """The nodes from a tensor on, as far as they lead to the first operand."""
    found, node = [], tensor.grad_fn
    while node is not None:
        found.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return found


def _recorded(state: State, name: str) -> list[str]:
    found, number = [], state.tensor(name).node
    while number is not None:
        node = state.nodes[number]
        found.append(node.name)
        first = [edge.to for edge in node.edges if edge.input != "input 1"]
        number = first[0] if first else None
    return found


# ---- what is older than the recording --------------------------------------------------------------------------------------------


@needs_saved
def test_what_older_nodes_have_saved_is_shown_at_its_version() -> None:
    w = torch.ones(2, 3, requires_grad=True)
    h = w.exp()
    row, loss = h[0], (h * h).sum()
    squared = row * row
    h.add_(1)
    with record() as rec:
        total = loss + squared.sum()
        both = (row, total)
    assert both[0] is row
    assert is_outdated(row)  # to look at it has made no node
    assert rec.recording is not None
    state = rec.recording.state()
    saved = {(node.name, each.version, state.is_stale(each)) for node in state.nodes.values() for each in node.saved}
    assert saved == {("ExpBackward0", 0, True), ("MulBackward0", 0, True)}


def test_a_view_that_is_written_again_before_it_is_used_gets_another_node() -> None:
    text = """
a = torch.ones(4, 3, requires_grad=True)
b = a * 2
v = b.t()
v[0] = 1.
v.add_(1.), v.exp_()
v.sum().backward()
"""
    recording = run(text).recording
    nodes = []
    for step in recording.steps:
        if step.op in ("setitem", "add_", "exp_"):
            after = recording.state(step.index)
            tensor = after.tensor("v")
            assert tensor.node in after.nodes
            nodes.append(tensor.node)
    assert len(set(nodes)) == 3
    assert unnoticed_writes(recording) == []
