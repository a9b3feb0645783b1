"""Tests that each offered fix, applied to the program, gives a program that runs, with the gradients of ordinary operations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from inplacelab.language import Text
from inplacelab.recording import Recording
from inplacelab.recording.facts import EditFacts, FixFacts, SourceFacts
from inplacelab.recording.fixes import block, fixes, in_one_sentence
from inplacelab.recording.fixes.proposals import proposals
from inplacelab.recording.fixes.spots import Spot, Trail, changed, lines_of
from inplacelab.recording.source_tree import applied
from tests.recorders.golden.renew import run
from tests.recording.conftest import any_recordings
from tests.tiers import choose, examples, sample

HEAD = "h = paddle.to_tensor([[0.5, -1.0], [2.0, 3.0]], stop_gradient=False)\na = h * 2.0\n"
OPTIMIZER = (
    "w = h\nsgd = paddle.optimizer.SGD(0.1, parameters=[w])\nloss = (w * w).sum()\nloss.backward(retain_graph=True)\n"
)
LINES = (
    "w = h\nsgd = paddle.optimizer.SGD(0.1, parameters=[w])\nu = w * w\nloss = (u * 2.).sum()\n"
    "loss.backward(retain_graph=True)\n"
)
LAYERS = (
    "paddle.seed(1); one, two = (paddle.nn.Linear(2, 2) for _ in range(2))\nsgd = paddle.optimizer.SGD(0.1, parameters=[*one.parameters(), "
    "*two.parameters()])\nu = one(h)\nv = two(u)\nsecond = (v * v).sum()\nfirst = v.sum()\n"
    "first.backward(retain_graph=True)\n"
)
LAYER = """\
class Own(paddle.autograd.PyLayer):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensor()
        return g * x * 2.
"""

PROGRAMS: dict[str, tuple[str, dict[str, str]]] = {
    "directly": (
        "y = a.exp()\nloss = (y * a).sum()\na.relu_()\nloss.backward()\n",
        {
            "call `loss.backward()` before line 5": "y = a.exp()\n(y * a).sum().backward()\n",
            "in line 5 write `a = a.relu()`, which makes a new tensor": "y = a.exp()\n(y * a).sum().backward()\n",
        },
    ),
    "used afterwards": (
        "y = a * a\na.sin_()\n(y + a).sum().backward()\n",
        {"write `a = a.sin()`": (used := "(a * a + a.sin()).sum().backward()\n"), "before it, and write `y = a_kept * a_kept`": used},
    ),
    "its own result": (
        "y = a.exp()\ny.add_(h)\ny.sum().backward()\n",
        {"write `y = y.add(h)`": (own := "(a.exp() + h).sum().backward()\n"), "keep a copy: `y = a.exp().clone()`": own},
    ),
    "assigned": (
        "y = a * a\nz = a.sin_()\n(y + a * z).sum().backward()\n",
        {"write `z = a = a.sin()`": (both := "s = a.sin()\n(a * a + s * s).sum().backward()\n"), "keep a copy": both},
    ),
    "a chain": (
        "y = a * a\na.sin_().scale_(3.)\n(y + a).sum().backward()\n",
        {"write `a = a.sin().scale(3.)`": (chain := "(a * a + a.sin() * 3.).sum().backward()\n"), "keep a copy": chain},
    ),
    "a function": (
        "y = a * a\npaddle.nn.functional.relu_(a)\n(y + a).sum().backward()\n",
        {
            "write `a = paddle.nn.functional.relu(a)`": (called := "(a * a + paddle.nn.functional.relu(a)).sum().backward()\n"),
            "keep a copy": called,
        },
    ),
    "without an ordinary form": (
        "y = a * a\na.zero_()\n(y + a).sum().backward()\n",
        {"put `a = a.clone()` before line 4": "(a * a).sum().backward()\n", "keep a copy": "(a * a).sum().backward()\n"},
    ),
    "an assignment to a part": (
        "y = a * a\na[0] = 1.\n(y.sum() + a.sum()).backward()\n",
        {"put `a = a.clone()` before line 4": (part := "((a * a).sum() + a[1].sum()).backward()\n"), "keep a copy": part},
    ),
    "a part computed with": (
        "y = a * a\na[0] += 1.\n(y.sum() + a.sum()).backward()\n",
        {"put `a = a.clone()` before line 4": (added := "((a * a).sum() + a.sum()).backward()\n"), "keep a copy": added},
    ),
    "through a view made for it": (
        "y = a * a\na[0].sin_()\n(y.sum() + a.sum()).backward()\n",
        {
            "put `a = a.clone()` before line 4": (seen := "((a * a).sum() + a[0].sin().sum() + a[1].sum()).backward()\n"),
            "keep a copy": seen,
        },
    ),
    "through a view": (
        "y = a * a\nv = a[0]\nv.sin_()\n(y.sum() + a.sum()).backward()\n",
        {"put `a = a.clone()` before line 4, so that `v` is a view of the clone": seen, "keep a copy": seen},
    ),
    "through a view that was there before": (
        "v = a[0]\ny = a * a\nv.sin_()\n(y.sum() + a.sum()).backward()\n",
        {"let line 4 keep a copy: put `a_kept = a.clone()` before it, and write `y = a_kept * a_kept`": seen},
    ),
    "through a view, with backward by itself": (
        "v = a[0]\nloss = (a * a).sum()\nv.sin_()\nloss.backward()\n",
        {"call `loss.backward()` before line 5": (plain := "(a * a).sum().backward()\n"), "keep a copy": plain},
    ),
    "another name": (
        "b = a\nloss = (a * a).sum()\na.sin_()\n(loss + b.sum()).backward()\n",
        {"keep a copy": "((a * a).sum() + a.sin().sum()).backward()\n"},
    ),
    "detached": (
        "loss = (a * a).sum()\nd = a.detach()\nd.zero_()\nloss.backward()\n",
        {"call `loss.backward()` before line 5": plain, "let line 3 keep a copy": plain},
    ),
    "in a loop": (
        "total = 0.\nfor k in range(3):\n    total = total + a * a\n    a.add_(h)\ntotal.sum().backward()\n",
        {
            "in line 6 write `a = a.add(h)`": (turns := "b, c = a + h, a + h + h\n(a * a + b * b + c * c).sum().backward()\n"),
            "and write `total = total + a_kept * a_kept`": turns,
        },
    ),
    "the same line": (
        "for k in range(2):\n    y = (a * a); a.add_(y)\n(y + a).sum().backward()\n",
        {"let line 4 write to a clone of `a`": ""},
    ),
    "a state that is kept in an object": (
        "class C:\n    pass\nc = C()\nc.s = a * 1.\ntotal = 0.\nfor k in range(2):\n    c.s.sin_().scale_(2.)\n"
        "    y = c.s = (c.s * 3.).tanh()\n    total = total + y * y\ntotal.sum().backward()\n",
        {"write `c.s = c.s.sin().scale(2.)`, which makes a new tensor that the other names of the old one do not see": ""},
    ),
    "in a function": (
        "def f(x):\n    s = x * x\n    x.scale_(3.)\n    return s + x\nf(a * 1.).sum().backward()\n",
        {"in line 5 write `x = x.scale(3.)`": (inside := "(a * a + a * 3.).sum().backward()\n"), "keep a copy": inside},
    ),
    "in a function, of the caller's": (
        "def f(x):\n    s = x * x\n    x.scale_(3.)\n    return s\n(f(a) + a).sum().backward()\n",
        {"and write `s = x_kept * x_kept`": inside},
    ),
    "a step of an optimizer": (
        OPTIMIZER + "sgd.step()\nloss.backward()\n",
        {
            "after line 7 compute `loss = (w * w).sum()` again": OPTIMIZER + "sgd.step()\n(w * w).sum().backward()\n",
        },
    ),
    "a step of an optimizer, and lines in between": (
        LINES + "sgd.step()\nloss.backward()\n",
        {
            "after line 8 compute `u = w * w` and `loss = (u * 2.).sum()` again": LINES
            + "sgd.step()\n(w * w * 2.).sum().backward()\n",
        },
    ),
    "an optimizer, and a tensor written in between": (
        LINES.replace("loss = (u", "u.sin_()\nloss = (u") + "sgd.step()\nloss.backward()\n",
        {"compute the loss again after line 9, from the new values": ""},
    ),
    "an optimizer in a loop": (
        LINES + "for _ in range(1):\n    sgd.step()\nloss.backward()\n",
        {
            "after line 9 compute `u = w * w` and `loss = (u * 2.).sum()` again": LINES
            + "sgd.step()\n(w * w * 2.).sum().backward()\n",
        },
    ),
    "an optimizer of layers": (
        LAYERS + "sgd.step()\nsgd.clear_grad()\nsecond.backward()\n",
        {
            "after line 10 compute `u = one(h)` and `v = two(u)` again, and `second = (v * v).sum()` only there": LAYERS
            + "sgd.step()\nsgd.clear_grad()\nv = two(one(h))\n(v * v).sum().backward()\n",
        },
    ),
    "an optimizer of layers, and a loss of many lines": (
        LAYERS.replace("v = two(u)", "r = u + 1.\nv = two(r)") + "sgd.step()\nsecond.backward()\n",
        {"compute the loss again after line 11, from the new values": ""},
    ),
    "under no_grad": (
        "y = (a * a).sum()\nwith paddle.no_grad():\n    a.zero_()\ny.backward()\n",
        {"call `y.backward()` before line 4": plain, "let line 3 keep a copy": plain},
    ),
    "a custom operation": (
        LAYER + "y = Own.apply(a)\na.sin_()\n(y + a).sum().backward()\n",
        {"in line 13 write `a = a.sin()`": used, "let line 12 keep a copy: `y = Own.apply(a.clone())`": used},
    ),
    "a leaf": (
        "h.scale_(2.)\nloss = (h * h).sum()\nloss.backward()\nfound = h.grad\n",
        {
            "`h_new = h.scale(2.)` in line 3, and `h_new` in place of `h` in line 4": "b = h.scale(2.)\n(b * b).sum().backward()\n",
            "put line 3 inside `with paddle.no_grad()`": "b = h.detach() * 2.\n(h * b * 2.).sum().backward()\n",
        },
    ),
    "a leaf in a function": (
        "def double(x):\n    return x.scale_(2.)\ndouble(h).sum().backward()\n",
        {"write to `h.clone()` and go on with that": "", "put line 4 inside": "h.sum().backward()\n"},
    ),
    "a leaf in a function that goes on with it": (
        "def centered(t):\n    t.subtract_(t.mean())\n    return t\n(centered(h) * a.detach()).sum().backward()\n",
        {
            "in line 4 write `t = t.subtract(t.mean())`, which makes a new tensor": "((h - h.mean()) * a.detach()).sum().backward()\n",
            "put line 4 inside": "(h * a.detach()).sum().backward()\n",
        },
    ),
    "a part of a leaf": (
        "h[0] = 2.\nloss = (h * h).sum()\nloss.backward()\n",
        {
            "`h_new = h.clone()` before line 3, and `h_new` in place of `h` in lines 3 and 4": "(h[1] * h[1]).sum().backward()\n",
            "put line 3 inside": "((h[1] * h[1]).sum() + h[0].sum() * 4.).backward()\n",
        },
    ),
    "a view of a leaf": (
        "v = h[0]\nv.zero_()\nloss = (h * h).sum()\nloss.backward()\n",
        {"in place of `h` in lines 3 and 5": "(h[1] * h[1]).sum().backward()\n", "put line 4 inside": "(h[1] * h[1]).sum().backward()\n"},
    ),
    "twice": (
        "loss = (a * a).sum()\nloss.backward()\nloss.backward()\n",
        {"let line 4 keep the graph: `loss.backward(retain_graph=True)`": "((a * a).sum() * 2.).backward()\n"},
    ),
    "read while it is written": (
        "b = a.flatten()\nb[1:].add_(b[:-1])\nb.sum().backward()\n",
        {"in line 4 read from a copy: `b[1:].add_(b[:-1].clone())`": "b = a.flatten()\n(b.sum() + b[:-1].sum()).backward()\n"},
    ),
    "too large a result": (
        "c = paddle.ones([2])\nc.add_(a)\nc.sum().backward()\n",
        {"in line 4 write `c = c.add(a)`": "(paddle.ones([2]) + a).sum().backward()\n"},
    ),
    "a number for a tensor": (
        "a.add_(1.)\n(a * a).sum().backward()\n",
        {"in line 3 make it a tensor: `a.add_(paddle.to_tensor(1.))`": "b = a + 1.\n(b * b).sum().backward()\n"},
    ),
    "a whole number, by its name": (
        "b = paddle.multiply(a, y=3)\n(b * a).sum().backward()\n",
        {'`b = paddle.multiply(a, y=paddle.to_tensor(3, dtype="float32"))`': "(a * 3. * a).sum().backward()\n"},
    ),
    "a list for a tensor": (
        "k = 2\na.maximum([k, 0.5]).sum().backward()\n",
        {'`a.maximum(paddle.to_tensor([k, 0.5], dtype="float32")).sum().backward()`': (
            "a.maximum(paddle.to_tensor([2., 0.5])).sum().backward()\n"
        )},
    ),
    "a number for a leaf that may not be written": ("h.add_(1.)\n", {}),
    "a number that does not suit": ("k = paddle.ones([2], dtype='int32')\nk.add_(1.5)\n", {}),
}  # fmt: skip


def offered(recording: Recording) -> tuple[FixFacts, ...]:
    return fixes(recording)


def gradient(text: str) -> Any:
    ran = run(text)
    assert ran.error is None, (text, ran.error)
    return ran.names["h"].grad.tolist()


@pytest.mark.parametrize("name", sample(PROGRAMS, one_in=choose(4, 1, 1)))
def test_every_fix_that_is_offered_fixes(name: str) -> None:
    body, wanted = PROGRAMS[name]
    recording = run(HEAD + body).recording
    found = offered(recording)
    assert recording.steps[-1].error is not None
    assert [next((words for words in wanted if words in each.says.en), each.says.en) for each in found] == list(wanted)
    for fix, ordinary in zip(found, wanted.values(), strict=True):
        assert bool(fix.edits) == bool(ordinary)
        if not fix.edits:
            continue
        np.testing.assert_allclose(gradient(applied(recording.source, fix.edits)), gradient(HEAD + ordinary), rtol=1e-6)


REFUSED_TO_MOVE = {
    "computed from what was written": "y = a * a\na.sin_()\nloss = (y + a).sum()\nloss.backward()\n",
    "gradients are looked at": "loss = (a * a).sum()\na.sin_()\nprint(h.grad)\nloss.backward()\n",
    "one line": "loss = (a * a).sum()\na.sin_(); loss.backward()\n",
    "the name is another one by then": "loss = a.sum()\ny = a * a\na.sin_()\nloss = y.sum()\nloss.backward()\n",
}


@pytest.mark.parametrize("name", REFUSED_TO_MOVE)
def test_backward_is_not_moved_where_that_would_change_something(name: str) -> None:
    assert not [
        each for each in offered(run(HEAD + REFUSED_TO_MOVE[name]).recording) if each.says.en.startswith("call")
    ]


def test_a_name_is_not_rebound_where_another_scope_would_lose_it() -> None:
    text = "def spoil():\n    a.sin_()\ny = a * a\nspoil()\ny.sum().backward()\n"
    assert not [each for each in offered(run(HEAD + text).recording) if "`a = a" in each.says.en]


def test_a_leaf_is_not_to_be_written_under_no_grad_where_its_value_is_kept() -> None:
    says = [each.says.en for each in offered(run(HEAD + "y = h * h\nh.sin_()\ny.sum().backward()\n").recording)]
    assert [each.partition(":")[0] for each in says] == [
        "to compute with the changed values, give them a name of their own"
    ]


def test_a_write_within_a_call_is_advised_by_the_name_of_the_operation() -> None:
    layers = "paddle.nn.Sequential(paddle.nn.ReLU(), paddle.nn.Dropout(0.5, inplace=True))"
    recording = run(
        f"import inplacelab as paddle\nnet = {layers}\nx = paddle.ones([2])\nx.stop_gradient = False\nnet(x).sum().backward()"
    ).recording
    (advice,) = offered(recording)
    assert "in the code that line 5 calls, use the ordinary form of `dropout`" in str(advice.says)
    assert advice.edits == ()


def test_advice_names_every_value_that_was_overwritten() -> None:
    program = "def clear(each):\n    each.zero_()\nfor k in range(1):\n    h, g = map(paddle.exp, (a, a))\n    for each in (h, g):\n        clear(each)\n    (h + g).sum().backward()\n"
    (advice,) = offered(run(HEAD + program).recording)
    assert "let line 4 write to a clone of `g` and of `h`" in advice.says.en
    assert "让第 4 行写入 `g` 和 `h` 的副本" in advice.says.zh


def test_what_is_not_python_alone_is_given_no_particular_advice() -> None:
    recording = run(HEAD + PROGRAMS["directly"][0]).recording
    assert offered(recording)
    assert offered(replace(recording, sources=(SourceFacts("", "!ls\n" + recording.source),))) == ()


@pytest.mark.standard
@settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(any_recordings())
def test_no_recording_is_too_strange(recording: Recording) -> None:
    assert offered(recording) == offered(recording)


MODEL = "def act(x):\n    h = x.exp()\n    h.add_(1)\n    return h\n"
IN_A_MODEL = Trail(
    "stale", (Spot("lib/model.py", 2, 2, 8, 15, "exp", ("h",), 12),), True, ((Spot("lib/model.py", 3, 3, 4, 13, "add_", ("h",), 12),),),
    needed=(Spot("train.py", 2, 2),),
)  # fmt: skip


def test_lines_of_other_files_are_said_with_their_names() -> None:
    texts = {"lib/model.py": MODEL, "train.py": "import model\nmodel.act(x).sum().backward()\n"}
    first, *_ = proposals([IN_A_MODEL], texts.__getitem__, lines_of("train.py"))
    assert first.says.en == "in line 3 of `lib/model.py` write `h = h.add(1)`, which makes a new tensor"
    assert first.says.zh == "把 `lib/model.py` 第 3 行改写为 `h = h.add(1)`，它产生一个新张量"
    assert {each.file for each in first.edits} == {"lib/model.py"}


def test_what_is_proposed_first_costs_least() -> None:
    dear = replace(IN_A_MODEL, writes=((replace(IN_A_MODEL.writes[0][0], bytes=99),),))
    first, *_ = proposals([dear], lambda _: MODEL, lines_of("lib/model.py"))
    assert first.says.en == "let line 2 keep a copy: `h = x.exp().clone()`"
    assert first.facts().price.en == "12 bytes more"


def test_edits_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(SyntaxError):
        changed([EditFacts(1, 0, 1, 5, "x"), EditFacts(1, 3, 1, 7, "y")], lambda _: "a = b + c\n")
    with pytest.raises(SyntaxError):
        changed([EditFacts(1, 0, 1, 1, "(")], lambda _: "a = b + c\n")


def test_fixes_that_were_checked_differently_are_said_apart() -> None:
    one, other = (
        FixFacts(Text("do this", "这样做"), (), "runs"),
        FixFacts(Text("do that", "那样做"), (), "gradients", differs=("a",)),
    )
    head, item, second_head, second_item = block([one, other])
    assert head.en.startswith("To fix it (checked: ")
    assert item.en == "  - do that; the final values of `a` differ, so check whether you need the write"
    assert second_head.en == "Or (the program then runs; what it computes was not checked):"
    assert second_item.zh == "  - 这样做"
    assert in_one_sentence([one, other]).en.endswith(
        "Or do this. (The program then runs; what it computes was not checked.)"
    )


def test_a_trail_of_an_edited_program_is_one_of_the_original() -> None:
    put = EditFacts(1, 0, 1, 0, "import x\n", "lib/model.py")
    assert IN_A_MODEL.before([]) == IN_A_MODEL
    moved = IN_A_MODEL.before([put])
    assert moved is not None
    assert [each.line for each in moved.kept] == [1]
