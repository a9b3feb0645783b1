"""Tests bindings: tensors are found through all kinds of names, and a scan that is skipped would have found nothing new."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import inplacelab as paddle
from inplacelab.recorders import names_and_lines
from inplacelab.recorders.bindings import ATTRIBUTES, FIRST, Bindings, Watched
from inplacelab.recorders.program import Scope
from inplacelab.recording import Recording
from tests.tiers import examples

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


def _look_at_everything(patched: pytest.MonkeyPatch) -> None:
    """Makes every scan start without the result of the last one."""
    look = Bindings.look

    def thorough(self: Bindings, scopes: Any, *, done: bool) -> Any:
        self._seen, self._leads_on = None, True
        return look(self, scopes, done=done)

    patched.setattr(Bindings, "look", thorough)


@settings(
    max_examples=examples(60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(statements=st.lists(STATEMENTS, min_size=3, max_size=12))
def test_a_change_is_found_as_a_look_at_everything_finds_it(run: Callable[..., Any], statements: list[str]) -> None:
    text = START + "\n".join(statements) + "\n"
    quick = _called(run(text).recording)
    with pytest.MonkeyPatch.context() as patched:
        _look_at_everything(patched)
        thorough = _called(run(text).recording)
    assert quick == thorough


@settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(statements=st.lists(STATEMENTS, min_size=3, max_size=8), loop=st.integers(0, 8))
def test_the_same_in_a_block(run_block: Callable[[str], Recording], statements: list[str], loop: int) -> None:
    inside = [f"    {statement}" for statement in statements[loop:]]
    text = START + "\n".join([*statements[:loop], *(["for k in range(2):", *inside] if inside else [])]) + "\n"
    quick = _called(run_block(text))
    with pytest.MonkeyPatch.context() as patched:
        _look_at_everything(patched)
        thorough = _called(run_block(text))
    assert quick == thorough


def test_a_look_that_sees_nothing_new_goes_no_further(run: Callable[..., Any]) -> None:
    looked: list[Any] = []
    look = Bindings.look

    def counted(self: Bindings, scopes: Any, *, done: bool) -> Any:
        looked.append(look(self, scopes, done=done))
        return looked[-1]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Bindings, "look", counted)
        run("x = paddle.ones([2])\nfor k in range(20):\n    x.add_(x)\n")
    assert len(looked) > 20
    assert sum(found is not None for found in looked) <= 3  # at the beginning, with `x`, and at the end


def test_statements_of_a_block_that_span_lines_are_one_statement(run_block: Callable[[str], Recording]) -> None:
    text = "x = paddle.ones([2])\ny = (\n    x.scale(2.)\n    .add(x)\n    .exp()\n)\nz = y * 2.\n"
    assert [step.turn for step in run_block(text).steps] == [1, 2, 2, 2, 3]


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
        ("x = paddle.ones([2])\nxs = [x]", {"x", "xs[0]"}),
        ("x = paddle.ones([2])\nxs = [paddle.ones([1])]\nx = xs[0]", {"x", "xs[0]"}),
        ("x = paddle.ones([2])\nxs = [x, x]", {"x", "xs[0]", "xs[1]"}),
        ("xs = [paddle.ones([2])] * 3", {"xs[0]", "xs[1]", "xs[2]"}),
        ("class Net:\n    pass\nnet = Net()\nnet.w = paddle.ones([2])\nnet.w = net.w.scale(2.)", {"net.w"}),
    ],
)
def test_names_lead_through_dictionaries_and_objects_of_the_program(
    run: Callable[..., Any], text: str, names: set[str]
) -> None:
    last = run(f"{text}\nimport math\n").recording.state(-1)
    assert {name for tensor in last.tensors.values() for name in tensor.names} == names


ALIASES = """
w = paddle.to_tensor([1., 2.], stop_gradient=False)
(w * w).sum().backward()
g = w.grad
held = {'g': w.grad}
v = w
del w
v.clear_gradient(False)
held = None
"""


@pytest.mark.parametrize(
    ("line", "names"),
    [
        (2, {("w.grad",)}),
        (3, {("g", "w.grad")}),
        (4, {("g", "held['g']", "w.grad")}),
        (5, {("g", "held['g']", "w.grad", "v.grad")}),
        (6, {("g", "held['g']", "v.grad")}),
        (7, {("g", "held['g']")}),
        (8, {("g",)}),
    ],
)
def test_a_gradient_has_all_names_that_lead_to_it(run: Callable[..., Any], line: int, names: set[Any]) -> None:
    state = run(ALIASES.lstrip()).recording.after_line(line)
    assert {each.names for each in state.tensors.values()} - {("w",), ("w", "v"), ("v",)} == names


def test_a_path_stays_a_name_when_a_function_has_another_one(run: Callable[..., Any]) -> None:
    text = "class Net:\n    pass\ndef f(net):\n    net.w = paddle.ones([2])\n    global w\n    w = net.w\n    w.zero_()\nf(Net())\n"
    recording = run(text).recording
    (bound,) = recording.on_line(6)
    assert [each.names for each in recording.state(bound.index).tensors.values()] == [("w", "net.w")]


def test_a_method_gives_attributes_no_further_names(run: Callable[..., Any]) -> None:
    text = "net = paddle.nn.Linear(2, 2)\nnet(paddle.ones([1, 2])).sum().backward()\n"
    names = {name for state in run(text).recording.states() for t in state.tensors.values() for name in t.names}
    assert {name.partition(".")[0] for name in names} == {"net"}


TRAINED = """
x, w = paddle.ones([1]), paddle.ones([2])
w.stop_gradient = False
class Mine(paddle.optimizer.Momentum):
    def __init__(self):
        self.begun = 1
        self.still_to_be_made = paddle.ones([1])
        super().__init__(0.1, parameters=[x, w])
opt = Mine()
w.sum().backward()
opt.step()
"""


def test_what_an_optimizer_remembers_is_named_by_the_place_of_its_parameter(run: Callable[..., Any]) -> None:
    names = {name for tensor in run(TRAINED).recording.state(-1).tensors.values() for name in tensor.names}
    assert names == {"x", "w", "w.grad", "opt.velocity[1]", "opt.still_to_be_made"}


def test_an_attribute_is_named_while_its_object_is_made(run: Callable[..., Any]) -> None:
    body = "self.w = paddle.ones([2])\n        self.w.zero_()\n        self.w.scale_(2.)"
    text = f"class Net:\n    def __init__(self):\n        {body}\nnet = Net()\n"
    recording = run(text).recording
    (zeroed,) = recording.on_line(4)
    assert [tensor.names for tensor in recording.state(zeroed.index).tensors.values()] == [("self.w",)]


def test_what_is_run_as_text_binds_names(run: Callable[..., Any]) -> None:
    recording = run("y = paddle.ones([1])\nexec('x = paddle.ones([2])')\ny.zero_()\nx.zero_()\n").recording
    assert recording.after_line(3).tensor("x").names == ("x",)


def test_the_classes_of_a_block_are_those_of_its_module() -> None:
    class Net:
        def __init__(self) -> None:
            self.w = paddle.ones([2])

    with paddle.record() as block:
        net = Net()
        net.w.zero_()
    assert block.recording is not None
    assert [tensor.names for tensor in block.recording.state(-1).tensors.values()] == [("net.w",)]


# ---- containers and objects --------------------------------------------------------------------------------------------

SECRETIVE = """
asked = []
class Meta(type):
    def __getattribute__(cls, name):
        asked.append(name)
        return type.__getattribute__(cls, name)
class Ordinary:
    def __getattribute__(self, name):
        asked.append(name)
        return object.__getattribute__(self, name)
    def __getattr__(self, name):
        asked.append(name)
        return 1
class Other(metaclass=Meta):
    __class__ = property(lambda self: asked.append("__class__") or int)
    __dict__ = property(lambda self: asked.append("__dict__") or {})
    value = property(lambda self: asked.append("value"))
    def __eq__(self, other):
        asked.append("==")
        return True
    __hash__ = None
class Slots:
    __slots__ = ("w",)
    def __getattr__(self, name):
        asked.append(name)
        return 1
class Many(list):
    def __getitem__(self, key):
        asked.append(key)
    def __iter__(self):
        asked.append("in")
        return iter(())
class Known(dict):
    def items(self):
        asked.append("items")
        return []
class Deep(paddle.nn.Layer):
    def named_sublayers(self, *_, **__):
        asked.append("named_sublayers")
        return iter(())
some = [Ordinary(), Other(), Slots(), Many([1]), Known(x=1), Deep()]
one, two, three, four, five, six = some
asked.clear()
x = paddle.ones([2])
y = x.scale_(2.)
x.zero_()
"""


def test_nothing_of_the_program_is_called(run: Callable[..., Any], run_block: Callable[[str], Recording]) -> None:
    assert run(SECRETIVE).names["asked"] == []
    recording = run_block(SECRETIVE + "shown = paddle.ones([1 + len(asked)])\n")
    assert [step.op for step in recording.steps] == ["ones", "scale_", "zero_", "ones"]
    assert recording.state(-1).tensors[1].shape == (1,)


@pytest.mark.parametrize(
    ("text", "name", "many"),
    [
        ("held = {k: paddle.ones([1]) for k in range(100)}", "held", FIRST),
        ("held = [paddle.ones([1]) for k in range(100)]", "held", FIRST),
        (
            "class Net:\n    pass\nnet = Net()\nvars(net).update({f'w{k}': x for k in range(3000)})",
            "net",
            ATTRIBUTES,
        ),
        ("net = paddle.nn.Layer()\nvars(net).update({f'w{k}': x for k in range(3000)})", "net", ATTRIBUTES),
    ],
)
def test_only_so_much_is_gone_through(run: Callable[..., Any], text: str, name: str, many: int) -> None:
    last = run(f"x = paddle.ones([1])\n{text}\ndel x\nimport math\n").recording.state(-1)
    named = [label for tensor in last.tensors.values() for label in tensor.names if label.startswith(name)]
    assert many - 16 < len(named) <= many


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class Net: pass\nnet = Net()\nnet.net, net.w = net, paddle.ones([1])", {"net.w"}),
        ("net = paddle.nn.Layer()\nnet.inner = paddle.nn.Layer()\nnet.inner.outer = net\nnet.inner.w = paddle.ones([1])", {"net.inner.w"}),
        ("held = {}\nheld['held'], held['w'] = held, paddle.ones([1])", {"held['w']"}),
        ("import functools\nheld = functools.reduce(lambda inner, _: {'held': inner}, range(3000), {})\nheld['w'] = paddle.ones([1])", {"held['w']"}),
        (
            "import functools\ndef around(inner, _):\n    net = paddle.nn.Layer()\n    net.net = inner\n    return net\n"
            "net = functools.reduce(around, range(30), paddle.nn.Layer())\nnet.w = paddle.ones([1])",
            {"net.w"},
        ),
    ],
)  # fmt: skip
def test_what_leads_to_itself_or_deep_down(run: Callable[..., Any], text: str, names: set[str]) -> None:
    last = run(f"{text}\nimport math\n").recording.state(-1)
    assert {name for tensor in last.tensors.values() for name in tensor.names} == names


def test_a_tensor_is_not_taken_for_what_lay_at_its_address_before(monkeypatch: pytest.MonkeyPatch) -> None:
    # As if all objects had one address, each made after the one before was freed.
    monkeypatch.setattr(names_and_lines, "id", lambda _: 0, raising=False)
    held: dict[str, Any] = {"first": object()}
    scopes = [Scope({"held": held}, "")]
    looking = Bindings({"held"}, Watched(paddle.Tensor))
    assert looking.look(scopes, done=True) == []
    for _ in range(2):
        held["first"] = paddle.ones([1])
        found = looking.look(scopes, done=True)
        assert found is not None
        assert [names for _, names in found] == [("held['first']",)]
        del found
        assert looking.look(scopes, done=True) is None
        held["first"] = None  # it is freed
