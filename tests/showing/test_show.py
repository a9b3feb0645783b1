"""Tests `inplacelab.show`: what it says of existing tensors is so, and looking changes nothing."""

from __future__ import annotations

import functools
import gc
import re
import subprocess
import sys
import weakref
from collections import OrderedDict
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given

import inplacelab as lab
import inplacelab.torch as names
from inplacelab import shares_storage, show
from inplacelab.language import LANGUAGES, speak
from inplacelab.recorders import existing
from inplacelab.recording import Recording
from inplacelab_widgets.shown_tensors import look_html, look_svg, look_text
from tests.showing.looks import looked, programs, state_of


def texts(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


class TestWhatIsSaid:
    def test_storage_strides_offset_version_and_values(self) -> None:
        x = lab.arange(6.0).reshape([2, 3])
        t = x.t()
        row = t[1]
        x.scale_(1.0, bias=1.0)
        state = state_of(x=x, t=t, row=row)
        facts = {name: state.tensor(name) for name in ("x", "t", "row")}
        assert len({each.storage for each in facts.values()}) == 1
        assert (facts["t"].shape, facts["t"].strides) == ((3, 2), (1, 3))
        assert (facts["row"].offset, facts["row"].strides) == (1, (3,))
        assert state.version(facts["x"]) == x.inplace_version
        assert state.storages[facts["x"].storage].values == (1, 2, 3, 4, 5, 6)

    def test_what_the_graph_has_saved_and_that_it_is_stale(self, capsys: pytest.CaptureFixture[str]) -> None:
        a = lab.ones([3])
        a.stop_gradient = False
        h = a.exp()
        y = (h * h).sum()
        h.add_(a)
        with speak("en"):
            show(h, y)
        said = texts(capsys)
        assert (
            "ExpGradNode and MultiplyGradNode saved version 0 of S0, which is at version 1 now: that is stale" in said
        )
        assert "h (result) @ v0" in said
        assert "✗ stale, now v1" in said
        with pytest.raises(RuntimeError, match="modified by an inplace"):
            y.backward()

    def test_a_view_shares_with_its_base_though_that_was_not_given(self) -> None:
        view = lab.arange(6.0)[1:3]
        said = look_text(looked(view=view), "en")
        assert "view and T1 (unnamed) share storage S0." in said

    def test_a_dictionary_of_a_layer(self) -> None:
        net = lab.nn.Linear(2, 2)
        net.state = {"keys": [lab.ones([2])]}
        assert state_of(net=net).tensor("net.state['keys'][0]").shape == (2,)

    def test_two_names_of_one_tensor(self) -> None:
        net = lab.nn.Sequential(lab.nn.Linear(2, 2), lab.nn.Linear(2, 2))
        net[1].weight = net[0].weight
        assert "net.0.weight and net.1.weight are one and the same tensor." in look_text(looked(net=net), "en")

    def test_a_graph_that_backward_has_released(self) -> None:
        a = lab.ones([2])
        a.stop_gradient = False
        loss = a.exp().sum()
        loss.backward()
        assert "ExpGradNode has released what it had saved" in look_text(looked(loss=loss), "en")

    def test_a_gradient_that_is_given_with_its_owner_has_one_name(self) -> None:
        a = lab.ones([2])
        a.stop_gradient = False
        a.exp().sum().backward()
        state = state_of(**{"a": a, "a.grad": a.grad})
        assert sorted(each.names for each in state.tensors.values()) == [("a",), ("a.grad",)]

    def test_tensors_in_containers_layers_and_optimizers(self) -> None:
        class Pair(NamedTuple):
            one: Any
            other: Any

        net = lab.nn.Sequential(lab.nn.Linear(2, 2), lab.nn.ReLU())
        opt = lab.optimizer.Adam(parameters=net.parameters())
        net(lab.ones([1, 2])).sum().backward()
        opt.step()
        given = {"a": [[lab.ones([1])]], "b": OrderedDict(k={3: lab.ones([1])}), "c": Pair(lab.ones([1]), 2)}
        found = {each for tensor in state_of(net=net, opt=opt, **given).tensors.values() for each in tensor.names}
        assert {"net.0.weight", "net.0.bias", "a[0][0]", "b['k'][3]", "c[0]"} <= found
        assert any(name.startswith("opt.") for name in found)
        assert state_of(opt=opt).tensors.keys()

    def test_names_of_pytorch_on_the_engine(self) -> None:
        net = names.nn.Linear(2, 2)
        opt = names.optim.SGD(net.parameters(), lr=0.1)
        recording = looked(net=net, opt=opt, x=names.ones(2, requires_grad=True) * 2)
        found = {each for tensor in recording.state().tensors.values() for each in tensor.names}
        assert {"net.weight", "net.bias", "x"} <= found
        assert not any(name.startswith("opt") for name in found)  # the parameters have shorter names
        assert {node.name for node in recording.state().nodes.values()} >= {"MulBackward0", "AccumulateGrad"}
        assert "requires_grad" in look_text(recording, "en")

    def test_arrays(self) -> None:
        x = np.arange(6.0)
        state = state_of(x=x, every_other=x[::2], backwards=x[::-1])
        assert {each.storage for each in state.tensors.values()} == {0}
        assert state.tensor("every_other").strides == (2,)
        assert (state.tensor("backwards").offset, state.tensor("backwards").strides) == (5, (-1,))

    def test_of_a_large_tensor_only_the_ends_are_shown(self) -> None:
        for x in (lab.zeros([100_000]), np.zeros(100_000)):
            (storage,) = state_of(x=x).storages.values()
            assert storage.values is not None
            assert not isinstance(storage.values, tuple)
            assert (storage.values.minimum, len(storage.values.head), len(storage.values.tail)) == (None, 8, 8)
            assert "…" in look_text(looked(x=x), "en")


VIEWS = (
    "x[0]",
    "x[1:]",
    "x[..., ::2]",
    "x.t()",
    "x.reshape([-1])",
    "x.detach()",
    "x.clone()",
    "x * 2.0",
    "x.expand([2, *x.shape])",
)
WRITES = ("x.scale_(2.0)", "x.zero_()", "x.detach().exp_()", "x.stop_gradient = True", "x.detach_()")


def made(lines: list[str]) -> dict[str, Any]:
    """The tensors that a program makes. Lines that are refused do nothing."""
    names: dict[str, Any] = {"lab": lab}
    exec("leaf = lab.arange(12.0).reshape([3, 4]).detach(); leaf.stop_gradient = False; t0 = leaf * 1.0", names)
    for line in lines:
        with suppress(ValueError, RuntimeError, IndexError, NameError):
            exec(line, names)
    return {name: each for name, each in names.items() if isinstance(each, lab.Tensor)}


def gradient(tensors: dict[str, Any]) -> Any:
    """The gradient of the leaf, or what is said instead."""
    try:
        lab.add_n(
            [each.sum() * float(k) for k, each in enumerate(tensors.values(), 1) if not each.stop_gradient]
        ).backward()
    except (ValueError, RuntimeError) as error:
        return str(error)
    return None if tensors["leaf"].grad is None else tensors["leaf"].grad.tolist()


@example(["t1 = leaf[0]", "leaf.stop_gradient = True", "leaf.scale_(2.0)"])
@example(["t1 = t0[0]", "t0.stop_gradient = True", "t0.scale_(2.0)", "t0.stop_gradient = False"])
@given(programs(VIEWS, WRITES))
def test_what_is_shown_of_random_views_is_so(lines: list[str]) -> None:
    tensors, twin = made(lines), made(lines)
    before = {name: (each.inplace_version, each._seen, each.node, each._stop) for name, each in tensors.items()}
    state = state_of(**tensors)
    assert {name: (each.inplace_version, each._seen, each.node, each._stop) for name, each in tensors.items()} == before
    nodes = {name: state.nodes[key].name for name in tensors if (key := state.tensor(name).node) is not None}
    for name, tensor in tensors.items():
        facts, layout = state.tensor(name), tensor.layout
        assert (facts.shape, facts.strides, facts.offset) == (tuple(tensor.shape), layout.strides, layout.offset)
        assert state.version(facts) == tensor.inplace_version
        for other, its in tensors.items():
            same = tensor.storage is its.storage
            assert (facts.storage == state.tensor(other).storage) == shares_storage(tensor, its) == same
    for name, tensor in tensors.items():  # to ask a view that was written brings it up to date
        with suppress(RuntimeError):  # or is refused
            node = tensor.grad_fn
            assert state.tensor(name).needs_gradient is not tensor.stop_gradient
            assert tensor.stop_gradient or nodes.get(name) == (None if tensor.is_leaf else node.name())
    assert gradient(tensors) == gradient(twin)


class TestNames:
    def test_arguments_are_called_as_the_call_calls_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        x, pair = lab.ones([2]), {"k": lab.ones([1])}
        show(
            x,
            pair["k"], x.detach(),
            other=x[0],
        )  # fmt: skip
        said = texts(capsys)
        assert all(each in said for each in ("x ", "pair['k']", "x.detach()", "other"))

    def test_a_call_whose_arguments_cannot_be_told_apart_numbers_them(self, capsys: pytest.CaptureFixture[str]) -> None:
        two = [lab.ones([2]), lab.ones([3])]
        show(*two)
        assert "x0 " in (said := texts(capsys))
        assert "x1 " in said
        functools.partial(show, two[0])(two[1])
        assert "x0 " in (said := texts(capsys))
        assert "x1 " in said
        show(lab.ones([2]), lab.ones([2]))  # one text, two tensors
        assert "lab.ones([2])" in (said := texts(capsys))
        assert "x1 " in said

    def test_numbers_are_free_ones(self, capsys: pytest.CaptureFixture[str]) -> None:
        two, x0 = [lab.ones([1]), lab.ones([2])], lab.ones([3])
        show(lab.ones([4]).reshape([1, 4]).reshape([2, 2]), x0)  # too long for a name
        assert re.search(r"x1 .*\[2, 2\]", said := texts(capsys))
        assert re.search(r"x0 .*\[3\]", said)
        show(*two, x0=x0)
        said = texts(capsys)
        assert [
            re.search(rf"{name} .*\[{size}\]", said) is None for name, size in (("x1", 1), ("x2", 2), ("x0", 3))
        ] == [False] * 3

    def test_without_a_source_arguments_are_numbered(self, capsys: pytest.CaptureFixture[str]) -> None:
        x = lab.ones([2])
        exec("show(x, v)", {"show": show, "x": x, "v": x[1:]})
        assert "x0 and x1 share storage S0" in texts(capsys)


class TestUnchanged:
    def test_looking_makes_no_node_raises_no_version_and_keeps_nothing(self) -> None:
        a = lab.ones([4])
        a.stop_gradient = False
        b = a * 2.0
        v = b[:2]
        b.scale_(1.0, bias=1.0)
        seen, node, version = v._seen, v.node, b.inplace_version
        recording = looked(a=a, b=b, v=v)
        assert (v._seen, v.node is node, b.inplace_version) == (seen, True, version)
        shown = recording.state().tensor("v")
        assert shown.node is not None
        assert recording.state().nodes[shown.node].name == "AsStridedGradNode"  # the node that it will get
        v.sum().backward()
        assert a.grad.tolist() == [2, 2, 0, 0]
        gone = weakref.ref(v)
        del v
        assert gone() is None

    def test_looking_leaves_no_objects_and_no_random_numbers_behind(self) -> None:
        x, array = lab.ones([4]), np.ones(4)
        state = np.random.get_state(legacy=False)["state"]["key"].tolist()  # noqa: NPY002  # which a program may draw from
        looked(x=x)
        looked(array=array)
        gc.collect()
        before = len(gc.get_objects())
        for _ in range(10):
            looked(x=x)
            looked(array=array)
        gc.collect()
        assert len(gc.get_objects()) - before < 50
        assert np.random.get_state(legacy=False)["state"]["key"].tolist() == state  # noqa: NPY002
        assert sys.getrefcount(x) == 2
        array.resize(8, refcheck=True)  # NumPy refuses it while something refers to the array

    def test_nothing_else_is_imported(self) -> None:
        program = "import inplacelab, sys; x = inplacelab.ones([2]); inplacelab.show(x)"
        checks = "assert not {'torch', 'paddle', 'IPython', 'ipywidgets'} & sys.modules.keys()"
        done = subprocess.run(
            [sys.executable, "-c", f"{program}; {checks}"], capture_output=True, text=True, check=True
        )
        assert "S0" in done.stdout

    def test_a_recording_that_runs_sees_nothing_of_it(self) -> None:
        with lab.record() as rec:
            x = lab.ones([2])
            existing.recordings_of(existing.find({"x": x}))
            y = x + 1.0
        assert rec.recording is not None
        assert [step.op for step in rec.recording.steps] == ["ones", "scale"]
        assert y.tolist() == [2, 2]


class TestRefused:
    @pytest.mark.parametrize(
        ("value", "kind"), [(3, "int"), ("text", "str"), (None, "NoneType"), ({}, "dict"), ([[]], "list")]
    )
    def test_what_holds_no_tensor(self, value: Any, kind: str) -> None:
        with pytest.raises(TypeError, match=f"There is no tensor in `value` \\(of type {kind}\\)"):
            show(value)

    def test_an_iterator_is_not_used_up(self) -> None:
        tensors = iter([lab.ones([1])])
        with pytest.raises(TypeError, match=re.escape("show(*model.parameters())")):
            show(tensors)
        assert len([*tensors]) == 1
        with speak("zh"), pytest.raises(TypeError, match="）中没有张量。`show` 查找"):
            show(tensors)

    @pytest.mark.parametrize("array", [np.array("text"), np.array([{}]), np.zeros(3, [("a", "f4"), ("b", "i2")])["b"]])
    def test_arrays_without_plain_numbers_are_refused_with_the_reason(self, array: Any) -> None:
        with pytest.raises(
            ValueError, match=r"Not shown: `array`\. Arrays were left out whose elements are not numbers"
        ):
            show(array)

    def test_a_layer_without_parameters(self) -> None:
        with pytest.raises(TypeError, match="of type ReLU"):
            show(lab.nn.ReLU())

    def test_nothing(self) -> None:
        with pytest.raises(TypeError, match="was given nothing"):
            show()

    def test_one_of_several_without_a_tensor_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        x = lab.ones([2])
        show(x, x.grad)
        assert "There is no tensor in x.grad (of type NoneType)." in texts(capsys)

    def test_a_list_that_contains_itself(self) -> None:
        ring: list[Any] = []
        ring.append(ring)
        with pytest.raises(TypeError, match="no tensor"):
            show(ring)
        ring.append({"x": (lab.ones([2]), ring)})
        assert [each.names for each in state_of(ring=ring).tensors.values()] == [("ring[1]['x'][0]",)]

    def test_of_many_tensors_the_first_are_shown(self, capsys: pytest.CaptureFixture[str]) -> None:
        many = [lab.ones([1]) for _ in range(500)]
        show(many)
        said = texts(capsys)
        assert "first 64 of 500 tensors: the other 436 were left out" in said
        assert "many[63]" in said
        assert "many[64]" not in said

    def test_of_a_long_graph_the_nearest_nodes_are_shown(self) -> None:
        x = lab.ones([1])
        x.stop_gradient = False
        for _ in range(300):
            x = x * 1.5
        recording = looked(x=x)
        assert len(recording.state().nodes) == existing.MOST_NODES
        assert "201 grad nodes further back" in recording.notes[-1].en
        assert look_svg(recording, "en").startswith("<svg")

    def test_an_attribute_that_raises_is_not_asked(self) -> None:
        class Hostile(dict[str, Any]):
            def __getattr__(self, name: str) -> Any:
                raise AssertionError(name)

            def items(self) -> Any:
                raise AssertionError

        assert state_of(h=Hostile(x=lab.ones([1]))).tensor("h['x']").shape == (1,)


class TestSeveralFrameworks:
    def test_each_framework_has_a_picture_and_shared_memory_is_said(self, capsys: pytest.CaptureFixture[str]) -> None:
        x, a = lab.ones([2]), np.ones(3)
        show(x, a)
        said = texts(capsys)
        assert "x shares its storage S0 with no other tensor" in said
        assert "a shares its storage S0 with no other NumPy array" in said
        assert "share memory" not in said


def test_a_recording_is_shown_as_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    with lab.record() as rec:
        x = lab.ones([2])
        x.scale_(2.0)
    for each in (rec, rec.recording):
        show(each)
        assert texts(capsys).startswith("step 2 of 2")


class TestPicture:
    def recording(self) -> Recording:
        a = lab.ones([2, 3])
        a.stop_gradient = False
        h = a.exp()
        v = h[0]
        y = (h * h).sum()
        h.add_(a)
        return looked(a=a, h=h, v=v, y=y)

    def test_it_has_no_step_no_line_and_nothing_new(self) -> None:
        drawn = look_svg(self.recording(), "en")
        assert not any(each in drawn for each in ("step 1", "line ", ">NEW<", "made by", "first seen", "peak"))
        assert all(each in drawn for each in ("share storage", "leaf", "view of h", "stale", "ExpGradNode"))

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_as_html_it_has_the_tables_too(self, language: str) -> None:
        html = look_html(self.recording(), language)
        assert html.startswith("<img alt=")
        assert html.count("<table>") == 4

    def test_a_notebook_displays_it(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        display = pytest.importorskip("IPython.display")
        displayed: list[dict[str, str]] = []
        monkeypatch.setattr(display, "display", lambda data, raw: displayed.append(data) if raw else None)
        monkeypatch.setattr("IPython.get_ipython", lambda: object())
        x = lab.ones([2])
        show(x)
        assert not texts(capsys)
        (shown,) = displayed
        assert shown["text/html"].startswith("<img")
        assert shown["text/plain"].startswith("x shares its storage")

    def test_without_the_package_that_draws_a_sentence_is_printed(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setitem(sys.modules, "inplacelab_widgets.shown_tensors", None)
        x = lab.ones([2])
        show(x, x[0])
        said = texts(capsys)
        assert "share storage S0" in said
        assert "install inplacelab again" in said
