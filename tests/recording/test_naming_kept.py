"""What backward keeps is called by the name that the learner's program had for it then, whatever the derivative calls it."""

from __future__ import annotations

import pytest

from inplacelab.recording import Recording
from inplacelab.recording.naming import namings
from tests.recorders.golden.renew import run

HEAD = "h = paddle.to_tensor([0.5, -1.0, 2.0], stop_gradient=False)\na = h * 2.0\n"


def saved_names(recording: Recording, index: int = -1) -> list[str]:
    """What is said of all that is kept after a step."""
    state = recording.state(index)
    return [
        each.phrase().en for key, node in state.nodes.items() for each in namings(recording, state, key, node.saved)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = a.sin()", ["`a`"]),
        ("y = a.exp()", ["its result `y`"]),
        ("a.exp().detach()", []),
        ("y = a.exp() + a", ["its result"]),
        ("y = h * 1.\nz = y * a", ["`y` (as its first operand)", "`a` (as its second operand)"]),
        ("y = a * a", ["`a` (as its first and second operands)"]),
        ("d = a.detach()\ny = a * d", ["`d` (as its second operand)"]),
        ("y = (a + 1.) * h", ["`a + 1.` (as its first operand)", "`h` (as its second operand)"]),
        ("y = a[0].sin()", ["`a[0]`"]),
        ("b = a\ny = b.sin()", ["`b`"]),
        ("def f(t):\n    return t.sin()\ny = f(a)", ["`t`"]),
        ("pair = [a, h]\ny = pair[1] * 1. + pair[0].sin()", ["`pair[0]`"]),
        ("net = paddle.nn.Linear(3, 1)\ny = net(h).sum()", ["`h` (as its first operand)", "`net.weight` (as its second operand)"]),
        ("a.sin_()", ["a copy of `a`"]),
        ("a.multiply_(h)", ["a copy of `a` (as its first operand)", "`h` (as its second operand)"]),
        ("y = a.exp()\ny = y + 1.", ["its result, the former `y`"]),
        ("y = a.sin()\na = h * 3.", ["the former `a`"]),
        ("y = a.sin()\ndel a", ["`a`"]),
    ],
)  # fmt: skip
def test_a_kept_value_is_called_as_the_program_calls_it(text: str, expected: list[str]) -> None:
    recording = run(HEAD + text + "\n").recording
    assert saved_names(recording) == expected


def test_a_name_is_former_only_once_it_leads_elsewhere() -> None:
    recording = run(HEAD + "y = a.sin()\na = h * 3.\n").recording
    kept, rebound = recording.on_line(3)[0].index, recording.on_line(4)[0].index
    assert saved_names(recording, kept) == ["`a`"]
    assert saved_names(recording, rebound) == ["the former `a`"]


def test_where_there_is_little_room_a_name_is_cut_and_the_role_is_short() -> None:
    recording = run(HEAD + "y = a * a\n").recording
    state = recording.state()
    (key,) = (key for key, node in state.nodes.items() if node.saved)
    (name,) = namings(recording, state, key, state.nodes[key].saved, lambda name: name + "…")
    assert (name.short.en, name.short.zh) == ("`a…` (operands 1 and 2)", "`a…`（操作数 1 和 2）")
    assert [saved.name for saved in name.saved] == ["x", "y"]


def test_a_layer_of_ones_own_says_under_which_number_it_keeps() -> None:
    layer = (
        "class Own(paddle.autograd.PyLayer):\n    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n"
        "        return x * x\n    @staticmethod\n    def backward(ctx, g):\n        return g\n"
    )
    recording = run(HEAD + layer + "y = Own.apply(a)\n").recording
    assert saved_names(recording) == ["`a`"]
