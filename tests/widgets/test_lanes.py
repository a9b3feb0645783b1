"""Tests the version lanes: which storages get one, and that the number of marks depends on the width, not on the steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

import inplacelab as paddle
from inplacelab.cli.script import run_script
from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab_widgets import words
from inplacelab_widgets.scene.svg import Mark, Panel
from inplacelab_widgets.scene.text_layout import SMALL, width_of
from inplacelab_widgets.scene.timeline import LEFT, NARROWEST, RIGHT, WIDTH, Axis
from inplacelab_widgets.scene.versions_panel import GRAIN, MOST_ROWS, versions_panel
from tests.recorders.golden.renew import run


def marks(panel: Panel) -> list[Mark]:
    return [mark for group in panel.groups for mark in group.marks]


def texts(panel: Panel) -> list[str]:
    said = {look.text for mark in marks(panel) for _, look in mark.runs if look and look.text}
    return [each.en if isinstance(each, Text) else each for each in said]


def of_style(panel: Panel, style: str) -> list[Mark]:
    return [mark for mark in marks(panel) if mark.runs[0][1] and style in mark.runs[0][1].style.split()]


def written_often(times: int) -> Recording:
    with paddle.record("often") as run:
        x = paddle.ones([2])
        for _ in range(times):
            x.scale_(1.01)
    assert run.recording is not None
    return run.recording


def test_only_storages_that_are_named_written_or_kept_get_a_lane() -> None:
    with paddle.record("temporaries") as run:
        a = paddle.ones([2])
        a.stop_gradient = False
        b = ((a * 2) + 1.0).exp()
        (a * 3).detach().scale(2.0).scale(2.0).scale_(2.0)
    assert run.recording is not None
    panel = versions_panel(run.recording)
    lanes = {key for mark in of_style(panel, "lane") for key in mark.keys}
    every = {key for step in run.recording.steps for key, facts in step.storages if facts}
    named = {t.storage for s in run.recording.steps for _, t in s.tensors if t and t.names}
    kept = {saved.storage for s in run.recording.steps for _, n in s.nodes if n for saved in n.saved}
    written = {write.storage for s in run.recording.steps for write in s.writes}
    assert b is not a
    assert lanes == {f"s{key}" for key in named | kept | written}
    left_out = len(every) - len(lanes)
    assert left_out > 1
    assert f"{left_out} more storages, never named, written or kept" in texts(panel)


def test_thousands_of_raises_are_bounded_by_the_width() -> None:
    panel = versions_panel(written_often(1500))
    most = (WIDTH - LEFT) / GRAIN
    assert len(of_style(panel, "bump")) <= most + 1
    assert len(marks(panel)) <= 2 * most
    assert "v1500" in texts(panel)


def test_a_raise_says_which_step_it_leads_to_and_stands_there() -> None:
    recording = written_often(20)
    axis = Axis(len(recording))
    bumps = of_style(versions_panel(recording), "bump")
    assert [mark.keys for mark in bumps] == [(f"step:{s.index}",) for s in recording.steps if s.writes]
    for mark in bumps:
        step = int(mark.keys[0].removeprefix("step:"))
        assert str(dict(mark.place)["d"]).startswith(f"M{axis.x(step):g} ")


def test_a_long_training_loop_is_bounded_by_the_width_of_each_row() -> None:
    with paddle.record("training") as run:
        w = paddle.ones([2])
        w.stop_gradient = False
        for _ in range(120):
            (w * w).sum().backward()
            with paddle.no_grad():
                w.subtract_(w.grad.scale(0.1))
            w.clear_gradient()
    assert run.recording is not None
    panel = versions_panel(run.recording)
    rows = len(of_style(panel, "text")) and round(panel.height / 24)
    assert len(marks(panel)) <= rows * 4 * (WIDTH - LEFT) / GRAIN


def test_the_names_beside_a_row_follow_who_lives_there(sample: Callable[[str], Recording]) -> None:
    recording = sample("lesson")
    panel = versions_panel(recording)
    assert "S1 x, y" in texts(panel)
    assert "S0 a" in texts(panel)


def lanes_of(panel: Panel) -> set[str]:
    return {key for mark in of_style(panel, "lane") for key in mark.keys}


def written_each_once(count: int) -> Recording:
    with paddle.record("each") as run:
        kept = [paddle.ones([2]) for _ in range(count)]
        for each in kept:
            each.zero_()
    assert run.recording is not None
    return run.recording


def test_no_more_rows_than_can_be_compared_and_the_rest_is_a_row_that_says_so() -> None:
    panel = versions_panel(written_each_once(MOST_ROWS))
    assert panel.more is None
    panel = versions_panel(written_each_once(MOST_ROWS + 5))
    assert len(lanes_of(panel)) == MOST_ROWS
    assert "5 more storages" in texts(panel)
    assert panel.more is not None
    (hidden,) = panel.more.groups
    assert len({key for mark in hidden.marks for key in mark.keys if "step" not in key} - lanes_of(panel)) == 5


def test_what_tells_least_of_versions_is_folded_first(tmp_path: Path) -> None:
    names = ", ".join(f"a{k}" for k in range(14))
    program = tmp_path / "program.py"
    program.write_text(
        f"import inplacelab as paddle\n{names} = [paddle.full([2], float(k)) for k in range(14)]\n"
        "x = paddle.ones([2]); x.stop_gradient = False\ny = x * a12\na13.zero_()\n",
        encoding="utf-8",
    )
    recording, raised = run_script(program, [], title="many", limit=200)
    assert raised is None
    panel = versions_panel(recording)
    tensors = {name: t.storage for s in recording.steps for _, t in s.tensors if t for name in t.names}
    assert {f"s{tensors[name]}" for name in ("a12", "a13", "a0")} <= lanes_of(panel)
    assert f"s{tensors['a11']}" not in lanes_of(panel)
    assert panel.more is not None
    assert panel.more.says.en.endswith("more storages: never written, never kept for backward")


def test_the_number_of_the_present_version_is_never_veiled(sample: Callable[[str], Recording]) -> None:
    recording = sample("lesson")
    step = next(s.index for s in recording.steps if s.writes)
    drawn = [(mark, look) for mark in marks(versions_panel(recording)) if (look := mark.at(step))]
    veil = next(k for k, (_, look) in enumerate(drawn) if look.style == "veil")
    assert [look.style for _, look in drawn[veil:] if look.text == "v1"] == ["text tiny"]
    before = [look.style for mark in marks(versions_panel(recording)) if (look := mark.at(0)) and look.text == "v1"]
    assert before == ["text tiny ahead"], "faint until it comes"


def test_threads_of_one_lane_are_one_and_nothing_runs_through_words(sample: Callable[[str], Recording]) -> None:
    drawn = marks(versions_panel(sample("kept_often")))
    end = len(sample("kept_often")) - 1
    (thread,) = (mark for mark in drawn if (look := mark.at(end)) and look.style == "thread")
    assert len(thread.keys) == 3
    (said,) = (mark for mark in drawn if (look := mark.at(end)) and look.text == words.UNPACK_FAILS)
    assert {look.style for _, look in said.runs if look} == {"text tiny alarm end"}, "left of the step"
    right = float(dict(said.place)["x"])
    left = right - width_of(words.UNPACK_FAILS)
    pieces = [
        tuple(map(float, each)) for each in re.findall(r"M([\d.]+) [\d.]+H([\d.]+)", str(dict(thread.place)["d"]))
    ]
    assert pieces
    assert all(b <= left or a >= right - 0.2 for a, b in pieces)
    crosses = [float(dict(mark.place)["x"]) for mark in drawn if (look := mark.at(end)) and look.text == "✗"]
    assert len(crosses) == len(set(crosses))


def trained(turns: int) -> Recording:
    with paddle.record("trained") as run:
        w = paddle.to_tensor([1.0], stop_gradient=False)
        sgd = paddle.optimizer.SGD(0.1, parameters=[w])
        for _ in range(turns):
            (w * w).sum().backward()
            sgd.step()
            sgd.clear_grad()
    assert run.recording is not None
    return run.recording


def of_long_lines() -> Recording:
    """Its code has no room on the axis, nor have the numbers of all lines."""
    recording = run("x = paddle.ones([2])\n" + "x.add_(paddle.to_tensor([1., 2.]))\n" * 28).recording
    assert recording is not None
    return recording


@pytest.mark.parametrize("make", [partial(trained, 1), partial(trained, 4), of_long_lines])
def test_words_along_the_axis_are_apart_where_it_is_narrowest(make: Callable[[], Recording]) -> None:
    narrow = (NARROWEST - LEFT - RIGHT) / (WIDTH - LEFT - RIGHT)
    head = versions_panel(make()).groups[-1]
    rows: dict[float, list[tuple[float, float]]] = {}
    for mark in head.marks:
        place = dict(mark.place)
        look = mark.runs[0][1]
        if mark.tag == "text" and float(place["x"]) >= LEFT and look is not None:
            x = LEFT + (float(place["x"]) - LEFT) * narrow
            x -= width_of(look.text) / 2 if "middle" in look.style else 0
            rows.setdefault(float(place["y"]), []).append((x, x + width_of(look.text)))
    assert len(rows) == 2, "phases, and numbers of lines"
    for row in rows.values():
        # More than a blank, or two numbers would read as one, and a number as part of the code before it.
        assert all(end + 7.5 < after for (_, end), (after, _) in pairwise(sorted(row)))


def test_the_playhead_stands_above_the_words_of_the_axis() -> None:
    head = versions_panel(trained(1)).groups[-1]
    foot_of_playhead = 7.0
    tops = [float(dict(mark.place)["y"]) - SMALL for mark in head.marks if mark.tag == "text"]
    assert min(tops) >= foot_of_playhead - 1
