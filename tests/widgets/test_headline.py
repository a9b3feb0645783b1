"""Tests what is said of a step in one clause: it names what changed, and no more."""

from __future__ import annotations

import re

import pytest

from inplacelab.recording import Recording
from inplacelab.recording.sentences import headline, line_headline, sentence
from inplacelab.recording.slots import slots_of
from tests.recorders.failing_programs import failing_programs
from tests.recorders.golden.renew import run
from tests.tiers import choose

VIEWS = """
m = paddle.arange(16, dtype="float32").reshape([4, 4])
t = m.t()
row = t[1]
row.scale_(10.)
m[0, 0] = 100.
"""
CLASH = """
w = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
target = w * 2.
frozen = target.detach()
loss = (target * target).sum()
frozen.zero_()
loss.backward()
"""


def clauses(program: str) -> list[tuple[str, str]]:
    recording = run(program).recording
    found = [headline(recording, step) for step in range(len(recording))]
    return [(each.clause.en, each.clause.zh) for each in found]


def test_a_write_names_the_others_that_it_changed() -> None:
    said = clauses(VIEWS)
    assert said[2:] == [
        ("`t` shares its storage with `m`", "`t` 与 `m` 共享同一存储"),
        ("`row` shares its storage with `m` and `t`", "`row` 与 `m` 和 `t` 共享同一存储"),
        ("`row.scale_(10.)` changed `m` and `t` too", "`row.scale_(10.)` 同时改变了 `m` 和 `t`"),
        ("`m[0, 0] = 100.` changed `t` too", "`m[0, 0] = 100.` 同时改变了 `t`"),
    ]


def test_a_refusal_names_the_lines_of_all_writes() -> None:
    def said(writes: int) -> tuple[str, str]:
        lines = "".join("a.scale_(2.)\n" for _ in range(writes))
        program = f"x = paddle.ones([2])\nx.stop_gradient = False\na = x * 1.\nb = a * a\n{lines}b.sum().backward()\n"
        return clauses(program)[-1]

    first = int(said(1)[0].partition("line ")[2].split()[0])
    assert said(2)[0].endswith(f"lines {first} and {first + 1} had overwritten `a`")
    assert said(3)[0].endswith(f"lines {first}, {first + 1} and {first + 2} had overwritten `a`")
    assert said(3)[1].endswith(f"第 {first}、{first + 1}、{first + 2} 行已覆盖 `a`")
    assert said(4)[0].endswith(f"line {first} and 3 other lines had overwritten `a`")


def test_a_value_that_goes_stale_is_in_the_headline_of_the_write_and_of_the_refusal() -> None:
    said = clauses(CLASH)
    assert said[5] == (
        "`frozen.zero_()` changed `target` too, and backward needs the old `target`",
        "`frozen.zero_()` 同时改变了 `target`，而反向传播还需要原来的 `target`",
    )
    assert said[-1] == (
        "`loss.backward()` was refused: line 6 had overwritten `target`",
        "`loss.backward()` 被拒绝：第 6 行已覆盖 `target`",
    )


def test_a_refusal_names_the_value_that_was_kept_even_if_its_function_has_ended() -> None:
    layer = "def layer(x):\n    h = x.exp()\n    c = h.reshape([2, 1])\n    d = c * c\n    h.zero_()\n    return d\n"
    program = f"{layer}x = paddle.ones([2])\nx.stop_gradient = False\nlayer(x).sum().backward()\n"
    assert clauses(program)[-1][0].endswith("was refused: line 5 had overwritten `c`")


@pytest.mark.parametrize(
    ("program", "clause"),
    [
        ("x = paddle.zeros([3])\nx.zero_()\n", "`x.zero_()` wrote the values that were already there"),
        ("x = paddle.zeros([3])\nx.add_(x + 1.)\n", "`x.add_(x + 1.)` changed `x`"),
        ("x = paddle.zeros([3])\nx[1:].add_(x[1:] + 1.)\n", "`x[1:].add_(x[1:] + 1.)` changed `x`"),
        (
            "x = paddle.zeros([3])\nx.add_(paddle.to_tensor([1.25, 2.25, 3.25]))\n",
            "`x.add_(…)` changed `x`",
        ),
        ("x = paddle.zeros([3])\nx.add_(x.exp_())\n", "`add_` changed `x`"),
        (
            "x = paddle.zeros([2])\ndef step(y):\n    y.fill_(1.)\n    y.fill_(2.)\nstep(x)\n",
            "`y.fill_(1.)` changed `x`",
        ),
        ("x = paddle.zeros([3])\nx.fill_(2.)\n", "`x.fill_(2.)` changed `x`"),
        ("x = paddle.ones([2, 3])\nx.t_()\n", "`x.t_()` changed metadata, not values"),
        ("x = paddle.ones([3])\ny = x.exp()\n", "`y` has a storage of its own"),
    ],
)
def test_what_is_said_of_other_writes(program: str, clause: str) -> None:
    assert clause in [en for en, _ in clauses(program)]


def test_names_are_exactly_those_that_show_other_values() -> None:
    """Compared with the elements of each tensor, read one by one before and after the write."""
    checked = 0
    for program in failing_programs(0, choose(8, 40, 400)):
        recording = run(program).recording
        for step in recording.steps:
            if step.kind != "operation" or not step.writes:
                continue
            clause = headline(recording, step.index).clause.en
            if "metadata" in clause or not any(write.slots for write in step.writes):
                continue
            changed = changed_names(recording, step.index)
            if changed is None:
                continue
            body = clause.partition(" changed ")[2].partition(", and backward")[0].removesuffix(" too")
            writers = {recording.state(step.index).called(write.tensor).first for write in step.writes}
            named = {*re.findall(r"`([^`]+)`", body)}
            assert named <= changed, (program, clause)
            assert changed - named <= writers, (program, clause)
            checked += 1
    assert checked > 10


def changed_names(recording: Recording, index: int) -> set[str] | None:
    """The first names, also those that are bound later on the line, of tensors with other elements than before; None if not all values
    were recorded.
    """
    before, after = recording.before(index), recording.state(index)
    found = set()
    for key, tensor in after.tensors.items():
        if not after.called(key).names:
            continue
        now, was = after.storages[tensor.storage].values, before.storages.get(tensor.storage)
        if was is None:
            continue
        if not isinstance(now, tuple) or not isinstance(was.values, tuple):
            return None
        if any(repr(now[slot]) != repr(was.values[slot]) for slot in slots_of(tensor)):
            found.add(after.called(key).first)
    return found


def test_every_headline_is_one_clause_and_loses_nothing(recording: Recording) -> None:
    for step in range(len(recording)):
        whole = sentence(recording, step)
        for told in (headline(recording, step), line_headline(recording, step)):
            assert told.clause.en
            assert told.clause.zh
            assert not told.clause.en.endswith(".")
            assert not told.clause.zh.endswith("。")
            outside = re.sub(r"`[^`]*`|\[[^\]]*\]", "", told.clause.zh)
            assert not re.search(r"[,;:!?]", outside), outside
        told = headline(recording, step)
        assert told.detail == whole or whole.en.startswith(told.clause.en)


def test_a_long_message_of_an_error_stands_below_the_headline() -> None:
    message = "the input has a shape that nothing fits " * 4
    recording = run(f"x = paddle.ones([2])\nraise KeyError({message!r})\n").recording
    clause, detail = headline(recording, len(recording) - 1)
    assert "KeyError" in clause.en
    assert "KeyError" in clause.zh
    assert message.strip() not in clause.en
    assert message.strip() in detail.en
    assert len(clause.en) < 110


def test_a_write_to_a_copy_that_is_dropped_does_not_say_that_the_values_were_the_same() -> None:
    said = clauses("x = paddle.to_tensor([1., 2.])\nx[[0, 1]].zero_()\n")
    assert said[-1] == (
        "`x[[0, 1]].zero_()` changed no tensor that has a name",
        "`x[[0, 1]].zero_()` 没有改变任何具名张量的值",
    )


def test_a_write_names_a_tensor_that_gets_its_name_at_the_end_of_the_line() -> None:
    said = clauses("a = paddle.to_tensor([1., 2.])\nb = (a * 2.).scale_(3.).exp()\nc = a.exp().scale_(2.).sqrt_()\n")
    assert said[-2][0] == "`scale_` changed `→c`"
