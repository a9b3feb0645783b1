"""Random programs: what is offered changes no bit, and the bytes that it leaves alive are those of the edited program."""

from __future__ import annotations

import io
import warnings
from contextlib import redirect_stdout
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inplacelab.recording import Recording
from inplacelab.recording.savings.advice import Advice, advice, overwritten_names
from inplacelab.recording.source_tree import applied
from tests.recorders import runs
from tests.tiers import examples

NAMES = "abcd"
UNARY = ["F.relu({x})", "torch.tanh({x})", "{x}.sigmoid()", "{x}.exp()", "F.leaky_relu({x}, 0.1)", "-{x}", "{x} * 2", "{x} + 1", "{x}.cos()",
         "F.elu({x})", "{x}.clamp(min=0.1)", "{x}.clone()", "{x}.abs()", "F.hardtanh({x})", "2 * {x}", "{x} / 3", "{x} ** 2", "F.silu({x})",
         "torch.softmax({x}, 0)", "{x}.detach()", "{x}.masked_fill({x} > 0.5, 0.25)", "{x}.double().float()", "{x}.square()"]  # fmt: skip
BINARY = [
    "{x} + {y}",
    "{x} * {y}",
    "{x} - {y}",
    "torch.add({x}, {y})",
    "{x} / ({y} + 3)",
    "torch.maximum({x}, {y})",
    "{x} @ {y}.t()",
    "{x} + {y}[0]",
]
VIEWS = [
    "{x}[:]",
    "{x}.view(4, 4)",
    "{x}.t()",
    "{x}[[2, 0, 1, 3]]",
    "torch.cat([{x}[:1] * 2, {x}[1:]])",
    "torch.cat([{x}[:, 1:], {x}[:, :1].exp()], 1)",
]


@st.composite
def programs(draw: st.DrawFn) -> str:
    lines = [
        "import torch",
        "import torch.nn.functional as F",
        "torch.manual_seed(0)",
        "w = torch.randn(4, 4, requires_grad=True)",
    ]
    beginning = st.sampled_from(["", " @ w", " * w", " + w"])
    lines += [f"{name} = torch.randn(4, 4){draw(beginning)}" for name in NAMES]
    expressions = st.sampled_from([*UNARY, *BINARY, *VIEWS])
    name = st.sampled_from(NAMES)
    block = ""
    for _ in range(draw(st.integers(2, 9))):
        kind = draw(st.integers(0, 19))
        x, y, target = draw(name), draw(name), draw(name)
        code = draw(expressions).format(x=x, y=y)
        if kind == 0 and not block:
            lines.append(draw(st.sampled_from(["with torch.no_grad():", "for _ in range(2):", "if True:"])))
            block = "    "
        elif kind == 1:
            lines.append(f"print({x}.sum())")
            block = ""
        elif kind == 2:
            code = draw(st.sampled_from(UNARY)).format(x=f"({code})")
        lines.append(f"{block}{target} = {code}")
    lines.append("loss = (" + " + ".join(f"{each}.sum()" for each in NAMES) + ")")
    lines.append("if loss.requires_grad: loss.backward()")
    lines.append(f"del {', '.join(NAMES)}")
    return "\n".join(lines) + "\n"


def recorded(text: str) -> Advice | None:
    with redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = runs.run(text, "torch")
    return None if run.failure is not None else advice(run.recording, ends=True)


def results(text: str, but: frozenset[str]) -> dict[str, Any]:
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        names, error = runs.plain(text, "torch")
    w = names["w"]
    bits = {name: each.detach().numpy().tobytes() for name, each in names.items() if hasattr(each, "untyped_storage")}
    bits = {name: each for name, each in bits.items() if name not in but}
    return bits | {
        "printed": printed.getvalue(),
        "error": repr(error),
        "grad": None if w.grad is None else w.grad.numpy().tobytes(),
    }


def counted_again(found: Advice) -> list[int]:
    """The live bytes after each step, with storages that would be one counted once, as long as one of them is alive."""
    recording: Recording = found.recording
    whole: dict[int, int] = {}
    for site in found.offered:
        for call in site.calls:
            whole[call.made] = call.storage

    def root(key: int) -> int:
        while key in whole:
            key = whole[key]
        return key

    sizes: dict[int, int] = {}
    alive: dict[int, int] = {}
    after = []
    for step, live in zip(recording.steps, found.before.after, strict=True):
        for key, facts in step.storages:
            if facts is None:
                alive.pop(key, None)
            else:
                alive[key] = facts.bytes
                sizes[root(key)] = max(sizes.get(root(key), 0), facts.bytes)
        after.append(live - sum(alive.values()) + sum(sizes[each] for each in {root(key) for key in alive}))
    return after


@pytest.mark.oracle
@settings(max_examples=examples(16))
@given(programs())
def test_what_is_offered_changes_no_bit_and_saves_what_it_says(text: str) -> None:
    pytest.importorskip("torch")
    found = recorded(text)
    if found is None or not found.offered:
        return
    edited = applied(text, found.edits)
    but = overwritten_names(found.recording, found.offered)
    assert results(edited, but) == results(text, but), edited
    assert list(found.after.after) == counted_again(found), text
    again = recorded(edited)
    assert again is not None
    # What a sum of four bytes costs for a moment is not known so exactly.
    assert abs(again.before.peak - found.after.peak) <= 16, (
        edited,
        found.before.peak,
        found.after.peak,
        again.before.peak,
    )
