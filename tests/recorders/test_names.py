"""Names: looking at what has changed finds what looking at everything finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inplacelab as paddle
from inplacelab.recorders.between import Between
from inplacelab.recorders.names import Names
from inplacelab.recording import Recording

NAMES = ("x", "y", "z")
STATEMENTS = st.one_of(
    st.builds("{} = paddle.ones([1])".format, st.sampled_from(NAMES)),
    st.builds("{} = {}".format, st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.builds("{} = {}.scale(2.)".format, st.sampled_from(NAMES), st.sampled_from(NAMES)),
    st.builds("{}, {} = {}, {}".format, *[st.sampled_from(NAMES)] * 4),
    st.builds("{}.zero_()".format, st.sampled_from(NAMES)),
    st.builds("{} = [{}, {}]; {} = {}[1]".format, st.just("w"), *[st.sampled_from(NAMES)] * 3, st.just("w")),
    st.builds("w = {}[:1]; del w".format, st.sampled_from(NAMES)),
    st.builds("w = {}".format, st.sampled_from(("None", "1.5", "'word'", "paddle"))),
)


START = "".join(f"{name} = paddle.ones([{k + 1}])[:1]\n" for k, name in enumerate(NAMES))


def _called(recording: Recording) -> list[set[tuple[str, ...]]]:
    return [{tensor.names for tensor in state.tensors.values()} for state in recording.states()]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(statements=st.lists(STATEMENTS, min_size=3, max_size=12))
def test_a_change_is_found_as_a_look_everywhere_finds_it(run: Callable[..., Any], statements: list[str]) -> None:
    text = START + "\n".join(statements) + "\n"
    quick = _called(run(text).recording)
    with pytest.MonkeyPatch.context() as patched:
        for shorter in ("look_at", "_look_again", "_all_as_before"):
            patched.setattr(Names, shorter, lambda *_: False)
        thorough = _called(run(text).recording)
    assert quick == thorough


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(statements=st.lists(STATEMENTS, min_size=3, max_size=8), loop=st.integers(0, 8))
def test_a_block_is_looked_at_where_its_names_can_have_changed(
    run_block: Callable[[str], Recording], statements: list[str], loop: int
) -> None:
    inside = [f"    {statement}" for statement in statements[loop:]]
    text = START + "\n".join([*statements[:loop], *(["for k in range(2):", *inside] if inside else [])]) + "\n"
    quick = _called(run_block(text))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Between, "names", lambda *_: None)
        thorough = _called(run_block(text))
    assert quick == thorough


@pytest.mark.parametrize(
    ("before", "now", "names"),
    [
        (3, 3, ()),
        (3, 4, ("x",)),
        (3, 5, ("x", "y")),
        (4, 6, ("k", "y", "z")),
        (7, 7, ("k", "z")),
        (7, 8, None),
        (8, 9, None),
        (9, 9, ("u", "v")),
        (9, 10, ("u", "v", "w")),
        (10, 10, ("w",)),
        (5, 4, None),
        (3, 99, None),
    ],
)
def test_what_a_block_can_have_bound(before: int, now: int, names: tuple[str, ...] | None) -> None:
    text = "x = a.exp()\ny = x + 1\nx.sin()\nfor k in range(3):\n    z = y\nf(x)\nu = x; v = x\nprint(w := x)\n"
    assert Between(text, 3).names(before, now) == names


def test_a_function_of_a_block_that_binds_a_global_name_is_noticed(run_block: Callable[[str], Recording]) -> None:
    text = "def f():\n    global x\n    x = y\nx = paddle.ones([2])\ny = paddle.ones([3])\nf()\ny.exp()\n"
    names = [tensor.names for tensor in run_block(text).state(-1).tensors.values()]
    assert ("x", "y") in names


def test_a_name_that_an_old_tensor_has_lost() -> None:
    kept = []
    with paddle.record() as block:
        x = paddle.ones([2])
        kept.append(x)
        x = x * 2
        x.zero_()
    assert block.recording is not None
    names = [t.names for t in block.recording.state(-1).tensors.values()]
    assert ("x",) in names
    assert names.count(("x",)) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("held = {'w': paddle.ones([2]), 3: paddle.ones([1])}", {"held['w']", "held[3]"}),
        ("held = {}\nheld['w'] = paddle.ones([2])", {"held['w']"}),
        ("held = {}\nheld['w'] = paddle.ones([2])\nw = held['w']\ndel held['w']", {"w"}),
        ("class Net:\n    def __init__(self):\n        self.w = paddle.ones([2])\nnet = Net()", {"net.w"}),
        ("x = paddle.ones([2])\nxs = [x]", {"x"}),
        ("x = paddle.ones([2])\nxs = [x, x]", {"x", "xs[0]", "xs[1]"}),
        ("xs = [paddle.ones([2])] * 3", {"xs[0]", "xs[1]", "xs[2]"}),
        ("class Net:\n    pass\nnet = Net()\nnet.w = paddle.ones([2])\nnet.w = net.w.scale(2.)", {"net.w"}),
    ],
)
def test_names_lead_through_dictionaries_and_objects_of_the_program(
    run: Callable[..., Any], text: str, names: set[str]
) -> None:
    last = run(f"__name__ = '__main__'\n{text}\nimport math\n").recording.state(-1)
    assert {name for tensor in last.tensors.values() for name in tensor.names} == names


def test_an_attribute_is_named_while_its_object_is_made(run: Callable[..., Any]) -> None:
    body = "self.w = paddle.ones([2])\n        self.w.zero_()\n        self.w.scale_(2.)"
    text = f"__name__ = '__main__'\nclass Net:\n    def __init__(self):\n        {body}\nnet = Net()\n"
    recording = run(text).recording
    (zeroed,) = recording.on_line(5)
    assert [tensor.names for tensor in recording.state(zeroed.index).tensors.values()] == [("self.w",)]


def test_what_is_run_as_text_binds_names(run: Callable[..., Any]) -> None:
    recording = run("y = paddle.ones([1])\nexec('x = paddle.ones([2])')\ny.zero_()\nx.zero_()\n").recording
    assert recording.after_line(3).tensor("x").names == ("x",)
