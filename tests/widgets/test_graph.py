"""The graph panel: what each state looks like, how a rewritten history is shown, and graphs that are too large."""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab_widgets.scene import scene_of
from inplacelab_widgets.scene.graph_layout import layout
from inplacelab_widgets.scene.graph_panel import PANES, graph_panel
from inplacelab_widgets.scene.palette import resolved
from inplacelab_widgets.scene.svg import Look, Mark, Panel
from tests.recorders.golden.renew import run
from tests.recorders.runs import run as run_in


def recorded(program: Callable[[], object]) -> Recording:
    run = paddle.record(program.__name__)
    with contextlib.suppress(RuntimeError), run:
        program()
    assert run.recording is not None
    return run.recording


def alive(panel: Panel, step: int) -> Iterator[tuple[Mark, Look]]:
    for mark in panel.groups[0].marks:
        look = mark.at(step)
        if look is not None:
            yield mark, look


def said(panel: Panel, step: int) -> list[str]:
    return [look.text.en if isinstance(look.text, Text) else look.text for _, look in alive(panel, step) if look.text]


def boxes(panel: Panel) -> list[Mark]:
    return [
        mark
        for mark in panel.groups[0].marks
        if mark.tag == "rect" and any(look and "node" in look.style.split() for _, look in mark.runs)
    ]


def nodes(panel: Panel, step: int) -> list[str]:
    return [look.style for mark, look in alive(panel, step) if mark.tag == "rect" and "node" in look.style.split()]


# --- the states of backward ---------------------------------------------------------------------------------------------


def stale() -> None:
    a = paddle.to_tensor([1.0, 2.0])
    a.stop_gradient = False
    b = a * 2
    c = b * b
    b.add_(paddle.to_tensor([10.0, 10.0]))
    c.sum().backward()


@cache
def refused() -> tuple[Recording, Panel]:
    recording = recorded(stale)
    return recording, graph_panel(recording)


def step_of(recording: Recording, action: str) -> int:
    """The first step of backward in which something begins, runs or is unpacked, or a gradient arrives."""
    if action == "arrived":
        return next(s.index for s in recording.steps for _, node in s.nodes if node and node.status == "arrived")
    return next(s.index for s in recording.steps if s.backward and s.backward.action == action)


@pytest.mark.parametrize(
    ("action", "style", "words"),
    [
        ("begin", "node waiting", "◌ waiting"),
        ("arrived", "node arrived", "● gradient arrived"),
        ("unpack", "node unpacking", "▷ b: kept v0, finds v1 ✗"),
        ("run", "node running", "▶ runs"),
    ],
)
def test_each_state_of_backward_has_its_look_and_its_words(action: str, style: str, words: str) -> None:
    recording, panel = refused()
    step = step_of(recording, action)
    assert style in nodes(panel, step)
    assert any(words.replace("x:", name) in said(panel, step) for name in ("x:", "y:"))


def test_after_a_refusal_one_node_has_failed_and_the_rest_is_not_reached() -> None:
    recording, panel = refused()
    last = len(recording) - 1
    assert recording.steps[last].error is not None
    assert nodes(panel, last).count("node failed") == 1
    assert "node unreached" in nodes(panel, last)
    assert {"✗ failed", "○ not reached", "✓ done"} <= set(said(panel, last))
    assert not any(style == "node waiting" for style in nodes(panel, last))


def test_once_a_refusal_is_caught_no_node_waits_any_more() -> None:
    program = """\
a = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
b = a.exp()
c = b * b
b.add_(paddle.ones([2]))
try:
    c.sum().backward()
except RuntimeError:
    caught = True
"""
    recording = run(program).recording
    panel, last = graph_panel(recording), len(recording) - 1
    assert recording.steps[last - 1].error is not None
    states = {word for style in nodes(panel, last) for word in style.split()}
    assert not {"waiting", "arrived", "ready", "unreached"} & states
    assert any("✗ stale" in each for each in said(panel, last)), "what the others keep is repeated"


def test_a_node_says_at_the_write_that_what_it_keeps_is_stale() -> None:
    recording, panel = refused()
    (write,) = (step.index for step in recording.steps if step.op == "add_")
    pins = [[words for words in said(panel, step) if words.startswith("keeps b")] for step in (write - 1, write)]
    assert [len(each) for each in pins] == [1, 1]
    assert pins[1] == [f"{pins[0][0]} ✗ stale"]


def test_a_gradient_travels_along_the_edge_of_the_node_that_runs() -> None:
    recording, panel = refused()
    step = step_of(recording, "run")
    assert sum(look.style == "edge fresh" for _, look in alive(panel, step)) == 1
    assert not any(look.style == "edge fresh" for _, look in alive(panel, step + 1))


def test_a_running_node_has_a_second_border() -> None:
    recording, panel = refused()
    step = step_of(recording, "run")
    assert sum(look.style == "inner" for _, look in alive(panel, step)) == 1


def test_the_states_differ_without_their_colors() -> None:
    states = ("", "waiting", "arrived", "ready", "unpacking", "done", "failed", "unreached", "new")
    looks = [resolved(f"node {state}".strip()) for state in states]
    shapes = [(look["stroke-width"], look.get("stroke-dasharray"), look["fill"]) for look in looks]
    assert len(set(shapes)) == len(states) - 1
    # "new" and "arrived" share a look: they never meet in one step, and their words tell them apart.
    assert shapes[states.index("new")] == shapes[states.index("arrived")]


# --- rewritten histories ------------------------------------------------------------------------------------------------


def through_a_view() -> paddle.record:
    with paddle.record("view") as run:
        a = paddle.ones([2, 3])
        a.stop_gradient = False
        b = a * 2
        v = b[0]
        v.scale_(3.0)
        b.sum()
    return run


def through_the_base() -> paddle.record:
    with paddle.record("base") as run:
        a = paddle.ones([2, 3])
        a.stop_gradient = False
        b = a * 2
        v = b[0]
        b.scale_(3.0)
        b.sum()
    assert v is not b
    return run


def by_setting_an_item() -> paddle.record:
    with paddle.record("item") as run:
        a = paddle.ones([3])
        a.stop_gradient = False
        b = a * 2
        b[0] = paddle.to_tensor(5.0)
        b.sum()
    return run


def through_a_chain() -> paddle.record:
    with paddle.record("chain of views") as run:
        a = paddle.ones([2, 3, 4])
        a.stop_gradient = False
        b = a * 2
        v = b[0]
        w = v[1]
        w.scale_(3.0)
        b.sum()
    return run


@pytest.mark.parametrize(
    ("program", "moved"),
    [
        (through_a_view, {"b": "CopySlices", "v": "AsStridedGradNode"}),
        (through_the_base, {"b": "ScaleGradNode", "v": "AsStridedGradNode"}),
        (by_setting_an_item, {"b": "CopySlices"}),
        (through_a_chain, {"b": "CopySlices", "v": "AsStridedGradNode", "w": "AsStridedGradNode"}),
    ],
)
def test_a_rewritten_history_shows_where_each_tensor_was_and_is(
    program: Callable[[], paddle.record], moved: dict[str, str]
) -> None:
    recording = program().recording
    assert recording is not None
    panel = graph_panel(recording)
    step = next(s for s in recording.steps if s.rewired)
    shown = said(panel, step.index)
    state = recording.state(step.index)
    for name, kind in moved.items():
        node = state.tensor(name).node
        assert node is not None
        assert state.nodes[node].name == kind
        assert f"was {name}" in shown
        assert name in shown
    assert f"NEW at line {step.line}" in shown
    assert not any(each.startswith("was ") for each in said(panel, step.index + 1)), "only for one step"


def test_an_arrow_leads_from_where_a_name_was_to_where_it_is() -> None:
    recording = through_a_view().recording
    assert recording is not None
    panel = graph_panel(recording)
    step = next(s for s in recording.steps if s.rewired)

    shown = list(alive(panel, step.index))
    ways = [dict(look.attributes).get("d") for mark, look in shown if mark.tag == "path" and look.style == "ghost"]
    starts = [tuple(map(float, str(way)[1:].split("C")[0].split())) for way in ways if way]
    for name in ("b", "v"):
        place = next(dict(mark.place) for mark, look in shown if str(look.text) == f"was {name}")
        assert any(0 < x - float(place["x"]) < 60 and abs(y - float(place["y"])) < 8 for x, y in starts)
    later = [look for mark, look in alive(panel, step.index + 1) if mark.tag == "path" and look.style == "ghost"]
    assert not later, "only for one step"


def test_a_write_without_gradients_rewrites_nothing() -> None:
    def without_gradients() -> None:
        a = paddle.ones([3])
        a.stop_gradient = False
        b = a * 2
        with paddle.no_grad():
            b.scale_(3.0)

    panel = graph_panel(recorded(without_gradients))
    texts = {look.text.en for m in panel.groups[0].marks for _, look in m.runs if look and isinstance(look.text, Text)}
    assert not any(each.startswith("was ") for each in texts)


# --- graphs that are too large ------------------------------------------------------------------------------------------


def recurrent() -> None:
    paddle.seed(1)
    w = paddle.randn([2, 2])
    w.stop_gradient = False
    hidden = paddle.zeros([1, 2])
    for _ in range(20):
        hidden = paddle.tanh(hidden @ w + hidden @ w)
    hidden.sum().backward()


def test_a_recurrent_loop_is_one_box_that_counts_its_turns_and_opens_into_all_of_them() -> None:
    recording = recorded(recurrent)
    panel = graph_panel(recording)
    last_forward = next(s.index for s in recording.steps if s.phase == "backward") - 2
    assert panel.width <= PANES[1][0]
    assert any(each.endswith(" ×20") for each in said(panel, last_forward))
    inside = max((each.panel for each in panel.opens), key=lambda each: len(nodes(each, last_forward)))
    assert len(nodes(inside, last_forward)) >= 20


def chain() -> None:
    x = paddle.ones([3])
    x.stop_gradient = False
    y = x
    for _ in range(200):
        y = y.scale(1.01)
    y.sum().backward()


def test_a_long_chain_is_one_box_that_names_the_node_of_each_step() -> None:
    recording = recorded(chain)
    panel = graph_panel(recording)
    assert panel.width <= PANES[-1][0]
    names = {node.id: node.name for step in recording.steps for _, node in step.nodes if node}
    for step in recording.steps:
        facts = step.backward
        if facts and facts.node is not None and facts.action in {"arrived", "run"} and "Scale" in names[facts.node]:
            assert any(f" Scale #{facts.node}" in each for each in said(panel, step.index)), step.index
    for step in recording.steps:
        if step.kept is not None and "Scale" in names[step.kept]:
            assert f"Scale #{step.kept}" in said(panel, step.index) or step.index < 4


def test_a_loop_that_keeps_nothing_needs_the_boxes_of_one_turn() -> None:
    def training() -> None:
        w = paddle.ones([2])
        w.stop_gradient = False
        for _ in range(40):
            (w * w).sum().backward()
            w.clear_gradient()

    panel = graph_panel(recorded(training))
    assert len(panel.groups[0].marks) < 60
    assert not any("boxes" in note.en for _, note in panel.notes)


def test_as_long_as_there_is_no_node_the_panel_says_where_the_graph_begins(sample: Callable[[str], Recording]) -> None:
    recording = sample("stale")
    panel, begins = graph_panel(recording), next(step for step in recording.steps if step.nodes)
    (first, blank), (then, said_then) = panel.notes
    assert (first, then, said_then.en) == (0, begins.index, "")
    assert blank.en == f"No grad node yet. The graph begins at line {begins.line}."
    assert said(panel, begins.index - 1) == []
    assert said(panel, begins.index) != []


def test_when_the_last_node_is_gone_the_panel_says_so_until_there_is_another() -> None:
    def twice() -> None:
        w = paddle.to_tensor([2.0], stop_gradient=False)
        loss = w * w
        loss = w.detach()
        assert loss is not None
        paddle.ones([1])
        loss = w * w
        paddle.ones([1])
        assert loss is not None

    panel = graph_panel(recorded(twice))
    told = [note.en for _, note in panel.notes]
    left = next(k for k, note in enumerate(told) if note.startswith("No grad node is left"))
    assert said(panel, panel.notes[left][0]) == []
    assert told[left + 1] == ""
    assert said(panel, panel.notes[left + 1][0]) != []


def test_a_node_of_a_gradient_says_that_backward_made_it() -> None:
    def twice() -> None:
        x = paddle.to_tensor([2.0, 3.0], stop_gradient=False)
        (g,) = paddle.grad((x * x * x).sum(), x, create_graph=True)
        assert g is not None
        g.sum().backward()

    recording = recorded(twice)
    node = next(
        node
        for step in recording.steps
        for _, node in step.nodes
        if node and node.line is None and not node.op and node.leaf is None
    )
    born = next(step.index for step in recording.steps if node.id in dict(step.nodes))
    assert "by backward" in said(graph_panel(recording), born)


def irregular() -> None:
    """Each operation at random and each result used twice: nothing repeats, and there are no straight chains."""
    choose = random.Random(1)
    x = paddle.ones([2])
    x.stop_gradient = False
    y = x * 0.5
    for _ in range(160):
        y = getattr(y, choose.choice(("tanh", "sin", "cos", "abs")))() * y
    y.sum().backward()


def block(x: Any, weight: Any) -> Any:
    return x + (x @ weight).tanh().matmul(weight)


def layered() -> None:
    weights = [paddle.eye(2) for _ in range(12)]
    for weight in weights:
        weight.stop_gradient = False
    x = paddle.ones([1, 2])
    for weight in weights:
        x = block(x, weight)
    loss = (x * x).mean()
    loss.backward()


PROGRAMS = (stale, recurrent, chain, layered, pytest.param(irregular, marks=pytest.mark.standard))


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_graph_fits_its_pane_and_each_node_is_in_one_box_of_each_layout(program: Callable[[], None]) -> None:
    recording = recorded(program)
    panel = graph_panel(recording)
    made = {f"n{key}" for step in recording.steps for key, _ in step.nodes}
    layouts = [panel, *panel.narrower]
    assert layouts[-1].width <= PANES[-1][0]
    assert all(wide.width > narrow.width for wide, narrow in pairwise(layouts))
    for layout_there in layouts:
        assert layout_there.height <= next(height for width, height in PANES[::-1] if layout_there.width <= width) + 120
        keys = [key for box in boxes(layout_there) for key in box.keys if key.startswith("n")]
        assert sorted(keys) == sorted(made)


@pytest.mark.parametrize("program", PROGRAMS)
def test_boxes_open_down_to_single_nodes(program: Callable[[], None]) -> None:
    recording = recorded(program)
    panel = graph_panel(recording)
    single = {key for each in panel.opens for box in boxes(each.panel) for key in box.keys if len(box.keys) == 1}
    for layout_there in (panel, *panel.narrower):
        folded = [box for box in boxes(layout_there) if len(box.keys) > 1]
        assert {key for box in folded for key in box.keys if key.startswith("n")} <= single
        assert all(panel.opens[int(box.keys[-1].removeprefix("box:"))].within is None for box in folded)


@pytest.mark.parametrize("program", PROGRAMS)
def test_no_arrow_and_no_word_is_cut_at_a_side(program: Callable[[], None]) -> None:
    panel = graph_panel(recorded(program))
    for each in (panel, *panel.narrower, *(opened.panel for opened in panel.opens)):
        for mark in each.groups[0].marks:
            place = dict(mark.place)
            left = float(place.get("x", 0))
            assert left >= 0
            assert left + float(place.get("width", 0)) <= each.width + 2


def test_a_failed_node_is_named_on_its_box() -> None:
    def broken() -> None:
        weights = [paddle.eye(2) for _ in range(12)]
        for weight in weights:
            weight.stop_gradient = False
        x = paddle.ones([1, 2])
        for weight in weights:
            x = block(x, weight)
        weights[3].data.add_(paddle.ones([2, 2]))
        (x * x).mean().backward()

    recording = recorded(broken)
    panel, last = graph_panel(recording), len(recording) - 1
    assert recording.steps[last].error is not None
    line = next(step.line for step in recording.steps if step.op == "matmul")
    for each in (panel, *panel.narrower):
        assert nodes(each, last).count("node failed") == 1
        assert any(words.startswith("✗ Matmul") for words in said(each, last))
        write = next(step for step in recording.steps if step.op == "add_")
        assert [words for words in said(each, write.index) if words.startswith("✗")] == [f"✗ Matmul:{line}×2"]
        assert nodes(each, write.index).count("node turned stale") == 1
        assert any(words.endswith(" stale") for words in said(each, write.index + 1))


def test_three_hundred_nodes_are_laid_out_at_once() -> None:
    edges = [(k + 1, k) for k in range(299)] + [(k, max(0, k - 7)) for k in range(0, 300, 5) if k]
    begin = time.process_time()
    layout(300, [(299 - a, 299 - b) for b, a in edges])
    assert time.process_time() - begin < 1.0


def test_a_former_name_is_not_cut_where_there_is_room() -> None:
    def moved() -> None:
        h = paddle.to_tensor([1.0, 2.0], stop_gradient=False) * 2.0
        first = h[0]
        first.scale_(3.0)
        paddle.ones([1])

    recording = recorded(moved)
    wrote = next(step.index for step in recording.steps if step.writes)
    assert "was first" in said(graph_panel(recording), wrote)


def test_a_node_that_is_made_again_is_tagged_with_the_line_of_its_first_step() -> None:
    pytest.importorskip("torch")
    program = (
        "a = torch.ones(4, requires_grad=True)\nb = a.exp()\nc = b.reshape(2, 2)\nb.detach()[2] = 9.\ntop = c[0]\n"
    )
    recording = run_in(program, "torch").recording
    step = next(step.index for step in recording.steps if step.writes)
    here = said(graph_panel(recording), step)
    assert [each for each in here if "NEW" in each] == [f"NEW at line {recording.steps[step].line}"]


def many() -> None:
    weight = paddle.eye(2)
    weight.stop_gradient = False
    x = paddle.ones([1, 2])
    kept = [block(x, weight) for _ in range(12)]
    total = kept[0] + kept[1] + kept[2] + kept[3]
    weight.data.add_(paddle.ones([2, 2]))
    total.sum().backward()


def test_at_a_statement_all_that_it_has_made_is_new() -> None:
    recording = recorded(many)
    whole = scene_of(recording).by_statement
    assert whole is not None
    made = next(step for step in reversed(whole.recording.steps) if step.phase == "forward" and step.nodes)
    before = whole.recording.state(made.index - 1).nodes
    born = [key for key, node in made.nodes if node is not None and key not in before]
    assert len(born) > 1
    for panel in (whole.graph, *(each.panel for each in whole.graph.opens)):
        for key in born:
            shown = [
                look.style
                for mark, look in alive(panel, made.index)
                if f"n{key}" in mark.keys and "node" in look.style.split()
            ]
            assert all("new" in style.split() for style in shown)
    assert any("NEW" in words for words in said(whole.graph, made.index))
    assert not any("NEW" in words for words in said(whole.graph, made.index + 1))


def test_the_graphs_of_events_and_of_statements_have_one_layout() -> None:
    recording = recorded(many)
    scene = scene_of(recording)
    assert scene.by_statement is not None
    one, other = scene.graph, scene.by_statement.graph

    def places(panel: Panel) -> list[tuple[Any, ...]]:
        return [mark.place for mark in boxes(panel)]

    for a, b in zip(faces(one), faces(other), strict=True):
        assert (a.width, a.height) == (b.width, b.height)
        assert set(places(b)) <= set(places(a))


def faces(panel: Panel) -> list[Panel]:
    return [panel, *panel.narrower, *(each.panel for each in panel.opens)]


def test_a_box_names_what_goes_stale_with_its_line_and_counts_the_others() -> None:
    def mixed(x: Any, weight: Any) -> Any:
        return ((x @ weight) * weight).tanh()

    def program() -> None:
        weight = paddle.eye(2)
        weight.stop_gradient = False
        kept = [mixed(weight, weight) for _ in range(12)]
        weight.data.add_(paddle.ones([2, 2]))
        kept[0].sum().backward()

    recording = recorded(program)
    write, line = (next(step for step in recording.steps if step.op == op) for op in ("add_", "matmul"))
    here = {words for each in faces(graph_panel(recording)) for words in said(each, write.index) if "✗" in words}
    assert {f"✗ Matmul:{line.line}", f"✗ Matmul:{line.line} +1", f"✗ Matm…:{line.line} +23"} <= here


def test_statements_that_free_their_nodes_leave_an_empty_graph() -> None:
    recording = run("x = paddle.to_tensor([1., 2.], stop_gradient=False)\n(x * 2.).sum().backward()\n").recording
    joined = scene_of(recording).by_statement
    assert joined is not None
    assert joined.graph.notes == ((0, Text("No statement leaves a grad node.", "没有语句留下梯度节点。")),)
