"""Random PyTorch programs: their recordings are compared, statement by statement, with what PyTorch itself reports.

A program is run three times: recorded; plain, for its results and its error; and observed, when each statement is followed by reading what
PyTorch says of every named tensor.
"""

from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import pytest

from inplacelab.recording import Recording, from_json, to_json
from tests.recorders.torch_runs import bits, flat, needs_saved, plain, remarks, run
from tests.tiers import examples

torch = pytest.importorskip("torch", reason="needs PyTorch: python -m pip install -e '.[oracle]'")
pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore"),
]  # PyTorch warns of `.grad` of a tensor that is no leaf

PROGRAMS = examples(120)


# ---- programs -------------------------------------------------------------------------------------------------------

VIEWS = (
    "{x}[0]", "{x}[..., 1:]", "{x}[:1]", "{x}.view(-1)", "{x}.reshape(-1)", "{x}.unsqueeze(0)", "{x}.t()", "{x}.T",
    "{x}.diagonal()", "{x}.unbind()[0]", "{x}.chunk(2)[0]", "{x}.detach()", "{x}.data", "{x}.flatten()",
    "{x}.narrow(0, 0, 1)", "{x}.squeeze()", "{x}.view_as({x})",
)  # fmt: skip
VALUES = (
    "{x} * 2", "{x} * {x}", "{x} + {y}.mean()", "{x}.exp()", "{x}.sigmoid()", "{x}.pow(2)", "torch.relu({x})", "{x} / 3",
    "{x} * {y}.sum()", "{x}.clone()", "{x}.tanh()", "torch.cat([{x}, {x}])", "{x} - {y}.detach().mean()", "{x}.sum()",
    "torch.softmax({x}, -1)", "torch.stack([{x}, {x}])", "torch.zeros_like({x})", "{x}[[0]]", "torch.where({x} > 0, {x}, {x} * 2)",
)  # fmt: skip
WRITES = (
    "{x}.add_(1)", "{x}.mul_(2)", "{x} += 1", "{x} *= {y}.mean()", "{x}.sigmoid_()", "{x}.zero_()", "{x}.copy_({y}.sum())",
    "{x}[0] = 2", "{x}[..., :1] = {y}.mean()", "{x}[[0]] = 3.0", "{x}[{x} > 1] = 0.5", "{x}.fill_(0.5)", "{x}.clamp_(-1, 1)",
    "{x}.masked_fill_({x} > 0, 0.25)", "{x}.index_fill_(0, torch.tensor([0]), 1.5)", "{x}.mul_({x})", "{x}.t_()", "{x}.unsqueeze_(0)",
    "torch.mul({y}.detach(), 2, out={z})", "torch.nn.functional.relu({x}, inplace=True)", "{x}.data.add_(1)", "{x}.detach().mul_(2)",
    "{x}[0].add_(1)", "torch._foreach_add_([{x}], 1.0)", "{x}.tanh_()", "{x}.addcmul_({x}.detach(), {y}.mean())",
)  # fmt: skip
OTHERS = (
    "del {x}", "{x}.requires_grad_()", "{x}.grad = None", "{x} = {y}", "{x}.retain_grad()", "{x}.shape", "{x}.data = {y}.detach().clone()",
    "{x}.detach_()", "{x}.requires_grad = True",
)  # fmt: skip
PASSES = (
    "{x}.sum().backward()", "{x}.sum().backward(retain_graph=True)", "{n} = torch.autograd.grad({x}.sum(), {y}, allow_unused=True)[0]",
    "{x}.backward(torch.ones_like({x}))", "torch.autograd.backward([{x}.sum(), {y}.sum()])", "{x}.mean().backward(inputs=[{y}])",
)  # fmt: skip


def program(seed: int) -> str:
    """Returns a random program. Statements that PyTorch refuses are left out, except the last one of a program and those of backward."""
    chance = random.Random(seed)
    lines = [
        "a = torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)",
        "b = torch.tensor([0.5, 1.5, -2.5], requires_grad=True)",
    ]
    space: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), space)
    for number in range(chance.randint(4, 14)):
        tensors = sorted(name for name, value in space.items() if isinstance(value, torch.Tensor))
        if not tensors:
            break
        x, y, z = (chance.choice(tensors) for _ in range(3))
        kind = chance.choices(("view", "value", "write", "other", "pass"), (4, 5, 6, 1, 1.2))[0]
        templates = {"view": VIEWS, "value": VALUES, "write": WRITES, "other": OTHERS, "pass": PASSES}[kind]
        line = chance.choice(templates).format(x=x, y=y, z=z, n=f"g{number}")
        if kind in ("view", "value"):
            line = f"v{number} = {line}"
        if kind in ("view", "write") and chance.random() < 0.2:
            line = f"with torch.no_grad(): {line}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(line, space)
        except Exception:  # noqa: BLE001  # whatever PyTorch refuses
            if kind == "pass" or chance.random() < 0.05:
                return "\n".join([*lines, line])
            if kind == "write":  # it may have written something
                return "\n".join(lines)
            continue
        lines.append(line)
    return "\n".join(lines)


# ---- what PyTorch says ----------------------------------------------------------------------------------------------


class Said(NamedTuple):
    """What PyTorch says of a named tensor, or a recording."""

    version: int
    storage: Any
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    dtype: str
    base: bool
    needs: bool
    leaf: bool
    node: str
    edges: tuple[str, ...]
    values: tuple[Any, ...]
    grad: tuple[Any, ...] | None


def observed(text: str) -> Iterator[dict[str, Said]]:
    """Runs a program, and yields what PyTorch says of its tensors after each statement."""
    space: dict[str, Any] = {"torch": torch}
    for line in text.splitlines():
        try:
            exec(line, space)
        except Exception:  # noqa: BLE001
            return
        yield {name: said(value) for name, value in space.items() if isinstance(value, torch.Tensor)}


def said(tensor: Any) -> Said:
    try:
        node = tensor.grad_fn
    except RuntimeError:  # one of several views of an operation, overwritten: it has no history any more
        node = "refused"
    names = (
        () if node in (None, "refused") else tuple(_name(each) for each, _ in node.next_functions if each is not None)
    )
    grad = tensor.grad if node is None or (node != "refused" and tensor.retains_grad) else None
    return Said(
        tensor._version, tensor.untyped_storage().data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.storage_offset(),
        str(tensor.dtype).removeprefix("torch."), tensor._base is not None, tensor.requires_grad, node is None,
        "refused" if node == "refused" else "" if node is None else _name(node), names, flat(tensor), None if grad is None else flat(grad),
    )  # fmt: skip


def _name(node: Any) -> str:
    return type(node).__name__


def recorded(recording: Recording, line: int) -> dict[str, Said]:
    """What a recording says of the named tensors after a line."""
    step = max((step.index for step in recording.steps if step.line is not None and step.line <= line), default=-1)
    if step < 0:
        return {}
    state = recording.state(step)
    found: dict[str, Said] = {}
    for facts in state.tensors.values():
        storage = state.storages[facts.storage].values
        assert isinstance(storage, tuple)
        node = state.nodes.get(-1 if facts.node is None else facts.node)
        grad = state.tensors.get(-1 if facts.grad is None else facts.grad)
        told = Said(
            state.counters[facts.counter].version, facts.storage, facts.shape, facts.strides, facts.offset, facts.dtype,
            facts.base is not None, facts.needs_gradient, facts.leaf, node.name if node else "",
            tuple(state.nodes[edge.to].name for edge in node.edges) if node else (),
            tuple(storage[slot] for slot in slots(facts.shape, facts.strides, facts.offset)),
            None if grad is None else values_of(state, grad),
        )  # fmt: skip
        found |= dict.fromkeys((name for name in facts.names if name.isidentifier()), told)
    return found


def values_of(state: Any, facts: Any) -> tuple[Any, ...]:
    storage = state.storages[facts.storage].values
    return tuple(storage[slot] for slot in slots(facts.shape, facts.strides, facts.offset))


def slots(shape: tuple[int, ...], strides: tuple[int, ...], offset: int) -> list[int]:
    found = [offset]
    for size, stride in zip(shape, strides, strict=True):
        found = [slot + k * stride for slot in found for k in range(size)]
    return found


# ---- tests ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_a_recording_says_what_pytorch_says(seed: int) -> None:
    text = program(seed)
    ran, (names, error) = run(text), plain(text)
    assert not remarks(ran.recording), text
    assert (type(ran.failure), str(ran.failure)) == (type(error), str(error))
    assert bits(ran.names) == bits(names)
    encoded = to_json(ran.recording)
    assert to_json(from_json(encoded)) == encoded
    before: dict[int, tuple[Any, ...]] = {}
    for line, expected in enumerate(observed(text), 1):
        found = recorded(ran.recording, line)
        assert found.keys() == expected.keys(), (text, line)
        for name, theirs in expected.items():
            ours = found[name]
            if theirs.node == "refused":
                unknown: dict[str, Any] = {"node": "", "edges": (), "leaf": False, "grad": None}
                assert ours._replace(storage=0, **unknown) == theirs._replace(storage=0, **unknown), (text, line, name)
            else:
                assert ours._replace(storage=0) == theirs._replace(storage=0), (text, line, name)
        assert len({(found[name].storage, expected[name].storage) for name in found}) == len(
            {expected[name].storage for name in found}
        ), (text, line)
        before = _writes_cover_changes(ran.recording, line, before)


def _writes_cover_changes(
    recording: Recording, line: int, before: dict[int, tuple[Any, ...]]
) -> dict[int, tuple[Any, ...]]:
    """Checks that each slot that has another value than before the line was written on it, or in a slot's storage that is new."""
    steps = [step for step in recording.steps if step.line == line]
    if not steps:
        return before
    written: dict[int, set[int]] = {}
    for step in steps:
        for write in step.writes:
            written.setdefault(write.storage, set()).update(
                slot for first, end in write.slots for slot in range(first, end)
            )
    after = {key: tuple(each.values) for key, each in recording.state(steps[-1].index).storages.items()}  # type: ignore[arg-type]
    for key in after.keys() & before.keys():
        pairs = enumerate(zip(before[key], after[key], strict=False))  # `resize_` changes how many there are
        changed = {slot for slot, (old, new) in pairs if repr(old) != repr(new)}
        assert changed <= written.get(key, set()), (recording.source, line)
    return after


@needs_saved
@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_the_line_that_kept_a_stale_value_is_that_of_anomaly_mode(seed: int) -> None:
    text = program(seed)
    ran = run(text)
    if "modified by an inplace operation" not in str(ran.failure):
        return
    error = next(step for step in ran.recording.steps if step.kind == "error").error
    assert error is not None
    if error.node is None:  # inside a CopySlices: PyTorch does not show it
        assert any("CopySlices" in note.en for note in ran.recording.notes), text
        return
    node = ran.recording.state().nodes[error.node]
    assert node.line == kept_line(text), text


def kept_line(text: str) -> int | None:
    """The line whose operation kept the value, as anomaly mode says."""
    with warnings.catch_warnings(record=True) as caught, torch.autograd.set_detect_anomaly(True, check_nan=False):
        warnings.simplefilter("always")
        plain(text)
    said = " ".join(str(each.message) for each in caught)
    found = re.findall(r'File "<plain>", line (\d+)', said)
    return int(found[-1]) if found else None


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_nodes_ran_in_the_order_that_their_hooks_tell(seed: int) -> None:
    listed = (
        "[each for name, each in sorted(globals().items()) if isinstance(each, torch.Tensor) and each.requires_grad]"
    )
    text = "\n".join(
        [*program(seed).splitlines()[:-1], f"total = sum(each.sum() for each in {listed})", "total.backward()"]
    )
    told: list[str] = []
    names: dict[str, Any] = {"torch": torch}
    try:
        exec("\n".join(text.splitlines()[:-1]), names)
        if not wants_gradient(names["total"]):
            return
        for node in reachable(names["total"].grad_fn):
            node.register_hook(partial(_tell, told, _name(node)))
        names["total"].backward()
    except RuntimeError:
        return
    ran = run(text)
    last = max(
        step.index for step in ran.recording.steps if step.backward is not None and step.backward.action == "begin"
    )
    state = ran.recording.state()
    order = [
        state.nodes[step.backward.node].name
        for step in ran.recording.steps[last:]
        if step.backward is not None and step.backward.action == "run" and step.backward.node is not None
    ]
    assert order == told, text


def _tell(told: list[str], name: str, *_: object) -> None:
    told.append(name)


def wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def reachable(root: Any) -> list[Any]:
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.append(node)
            waiting += [following for following, _ in node.next_functions]
    return found
