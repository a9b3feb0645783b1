"""What is said of where a program may write in place: each reason is a recorded fact, in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inplacelab.language import Text
from inplacelab.recording.savings.advice import Advice, Measured, advice
from inplacelab.recording.sentences.savings import lines, lowering_together, reason, short_code, verdict
from tests.recorders.golden.renew import run

HEAD = "w = paddle.ones([4])\nw.stop_gradient = False\nx = paddle.ones([4])\n"


def advised(text: str, *, ends: bool = True) -> Advice:
    return advice(run(HEAD + text).recording, ends=ends)


def said_of(found: Advice, line: int) -> Text:
    (site,) = (each for each in found.sites if each.line == line)
    return reason(found, site)


REASONS = {
    "y = w * 2.0": (4, "forbidden", "`w` is a leaf that needs a gradient", "`w` 是需要梯度的叶子"),
    "y = w[:2]\nz = y.exp()": (5, "forbidden", "`y` is a view of `w`, which is a leaf that needs a gradient", "`y` 是 `w` 的视图，而后者是需要梯度的叶子"),
    "y = x.exp()\nz = y.tanh()\ny.sum()": (5, "forbidden", "line 6 reads `y` again", "第 6 行还要读取 `y`"),
    "v = x[:2]\nz = x.exp()\nv.sum()": (5, "forbidden", "line 6 reads the memory of `x` again, through `v`", "第 6 行还要通过 `v` 读取 `x` 的内存"),
    "y = x.exp()\nz = y.tanh()\ny.zero_()\nz.sum()": (5, "forbidden", "line 6 writes to `y` later", "第 6 行之后还要写入 `y`"),
    "h = w.exp()\ny = h.tanh()": (5, "forbidden", "`ExpGradNode` (line 4) keeps `h`", "`ExpGradNode`（第 4 行）保存着 `h`"),
    "y = x * x": (4, "forbidden", "it reads `x` twice", "它两次读取 `x`"),
    "y = x - paddle.ones([2, 4])": (4, "forbidden", "its result has another shape ([2, 4])", "结果的形状不同（[2, 4]）"),
    "h = w * 2.0\ny = h.sin()": (5, "saves_nothing", "the in-place form would keep a copy of what it overwrites", "原地形式会把将被覆盖的值另存一份副本"),
    "h = w * 2.0\ny = h.exp()": (5, "offered", "`ExpGradNode` keeps the result and not `h`, and nothing reads `h` afterwards", "`ExpGradNode` 保存的是结果而非 `h`，并且此后 `h` 不再被读取"),
    "h = w * 2.0\ny = h * 3.0": (5, "offered", "nothing reads `h` afterwards, and no grad node keeps it", "此后 `h` 不再被读取，并且没有梯度节点保存它"),
    "y = x.exp()": (4, "offered", "nothing reads `x` afterwards", "此后 `x` 不再被读取"),
    "y = (x + 1.0)\ny = y.exp()": (5, "offered", "only while it runs: `y` is freed right after it, so the result takes its place anyway", "只在该操作执行期间节省：`y` 随即被释放，结果本来就会取而代之"),
}  # fmt: skip


@pytest.mark.parametrize("text", REASONS)
def test_the_reason_is_the_fact(text: str) -> None:
    line, judged, en, zh = REASONS[text]
    found = advised(text)
    (site,) = (each for each in found.sites if each.line == line)
    assert (verdict(found, site), said_of(found, line).en) == (judged, en)
    assert not zh or any(zh in each.zh for each in lines(found))


def test_a_name_that_lives_on_forbids_it_in_a_notebook() -> None:
    assert said_of(advised("y = x.exp()", ends=False), 4).en == "later code may use `x`: it still has a name"


def test_it_says_in_how_many_runs_a_fact_forbids_it() -> None:
    found = advised(
        "kept = []\nfor k in range(3):\n    y = x + 1.0\n    z = y.exp()\n    if k == 1:\n        y.sum()\n"
    )
    assert said_of(found, 7).en == "line 9 reads `y` again (in 1 of 3 runs)"


WRITTEN = {
    "y = (x + 1.0).exp_()": "out of place, its operand would be freed right after it, and the result would take its place",
    "y = x + 1.0\ny.exp_()": "out of place, `y` would be freed right after it, and the result would take its place",
    "h = w * 2.0\nh.sin_()": "`SinGradNode` keeps a copy of what it overwrites (16 bytes); out of place, it would keep `h` itself",
    "y = x + 1.0\nz = y\ny.exp_()": "",  # `z` sees the write
    "y = x + 1.0\ny[:2].exp_()": "",
    "y = (x + 1.0)\nz = y.exp_()": "",  # out of place, `y` would stay
    "class Net: pass\nnet = Net()\nnet.state = x + 1.0\nnet.state.exp_()": "",
}


@pytest.mark.parametrize("text", WRITTEN)
def test_what_is_in_place_and_saves_nothing(text: str) -> None:
    more = "\nu = paddle.ones([400]).sum()"  # the peak is elsewhere
    shown = [
        each.en.partition("`: ")[2] for each in _below(advised(text + more), "In place already, and saves 0 bytes:")
    ]
    assert shown == ([WRITTEN[text]] if WRITTEN[text] else [])


def test_a_write_that_lowers_the_peak_saves_something() -> None:
    assert _below(advised("y = (x + 1.0).exp_()"), "In place already, and saves 0 bytes:") == []


def _below(found: Advice, heading: str) -> list[Text]:
    said = lines(found)
    start = next((k + 1 for k, each in enumerate(said) if each.en == heading), len(said))
    end = next((k for k, each in enumerate(said) if k > start and not each.en), len(said))
    return said[start:end]


def test_the_whole_report_says_what_was_tried_and_what_it_saves() -> None:
    found = advised("h = w * 2.0\nh = h * 3.0 + 1.0\nh.sum().backward()")
    assert lines(found)[0].en == "Not tried: this is what one recorded run tells."
    tried = Measured(3, 10, (), 100, 84, 60, 60, early=True)
    said = [each.en for each in lines(replace(found, measured=tried))]
    assert said[0].startswith("Tried with 3 sets of data: losses, gradients, updates, ")
    assert said[0].endswith("The program ran 10 times. Each run was ended before the program would have ended.")
    assert any(each.endswith("; 100 → 84 bytes, as the engine counts.") for each in said)
    assert all(each.zh.count("？") == 0 and "{" not in each.en + each.zh for each in lines(found))


def test_a_peak_that_only_the_recording_sees_fall_is_not_said_to_fall() -> None:
    found = advised("h = w * 2.0\nh = h * 3.0 + 1.0\nh.sum().backward()")
    stays = Measured(3, 10, (), 100, 100, 60, 60, early=False)
    falls = replace(stays, peak_after=84)
    ends = [lines(replace(found, measured=each))[-1].en for each in (stays, falls)]
    assert ends[0] == "None of this lowers the peak that the engine counts."
    assert ends[1] != ends[0]


def test_an_operation_on_several_lines_is_said_on_one() -> None:
    [site] = advised("y = paddle.exp(\n    x,\n)").sites
    assert short_code(site) == "paddle.exp(x,)"


def test_what_did_not_work_is_left_out() -> None:
    found = advised("y = x.exp()")
    tried = Measured(3, 7, found.offered, 100, 100, 0, 0, early=False)
    said = [each.en for each in lines(replace(found, offered=(), measured=tried))]
    assert said[0] == "Tried: the program fails or gives other results whichever of them is in place. It ran 7 times."
    assert said[2:4] == [
        "Tried and left out, as the program fails or gives other results with them:",
        "  line 4 `x.exp()`",
    ]


def test_without_operations_there_is_nothing_to_try() -> None:
    said = [each.en for each in lines(advised("x.sum()"))]
    assert said[0] == "Nothing was tried: no operation may write in place and save memory."
    assert said[-1] == "No operation that the program runs out of place has an in-place form."


def test_what_lowers_the_peak_only_together() -> None:
    pair = "a = paddle.ones([400])\nb = a + 1.0\ndel a, b\nc = paddle.ones([400])\nd = c + 1.0\ndel c, d\n"
    found = advised(pair)
    assert [each.line for each in lowering_together(found)] == [5, 8]
    assert lines(found)[-1].en == (
        "The peak falls only if these write in place together: line 5 `a + 1.0`, line 8 `c + 1.0`."
    )
    assert lowering_together(advised(pair.partition("c =")[0])) == ()
