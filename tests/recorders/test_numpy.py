"""Recordings of plain NumPy programs: what they say is compared with what NumPy itself says of the same arrays, run without a recorder."""

from __future__ import annotations

import ast
import linecache
import sys
import textwrap
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inplacelab
from inplacelab.language import LANGUAGES, speak
from inplacelab.recorders.detection import framework_used
from inplacelab.recorders.run import record
from inplacelab.recording import Recording, Summary, queries
from inplacelab.supported import frameworks
from inplacelab_widgets import to_html, to_svg
from tests.recorders.numpy_runs import run, says

# NumPy 2.5 deprecates these assignments. Programs have them all the same.
still_assigned = pytest.mark.filterwarnings("ignore:Setting the (shape|dtype):DeprecationWarning")


def done(recording: Recording) -> list[tuple[int | None, str | None, str | None]]:
    """Line, operation and category of every step."""
    return [(step.line, step.op, step.category) for step in recording.steps]


def written(recording: Recording, line: int) -> list[tuple[int, ...]]:
    """The slots that each write on a line reached."""
    writes = [write for step in recording.on_line(line) for write in step.writes]
    return [tuple(slot for first, end in write.slots for slot in range(first, end)) for write in writes]


def draws(recording: Recording) -> None:
    """A recording obeys the schema, comes back from JSON, and is said and drawn in both languages."""
    says(recording)
    for language in LANGUAGES:
        with speak(language):
            assert to_svg(recording).startswith("<svg")
            assert "</html>" in to_html(recording)


# ---- one feature each -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = np.zeros(3)", ("zeros", "create")),
        ("y = x[1:]", ("getitem", "view")),
        ("y = x[[0, 1]]", ("getitem", "ordinary")),
        ("y = m.T", ("T", "view")),
        ("y = x.reshape(2, 3)", ("reshape", "view")),
        ("y = m.T.reshape(6)", ("reshape", "ordinary")),
        ("y = x.copy()", ("copy", "ordinary")),
        ("y = x + m[0, 0]", ("+", "ordinary")),
        ("y = x > 2", (">", "ordinary")),
        ("y = -x", ("-", "ordinary")),
        ("y = np.sort(x)", ("sort", "ordinary")),
        ("y = abs(x)", ("abs", "ordinary")),
        ("y = np.broadcast_to(x, (2, 6))", ("broadcast_to", "view")),
        ("y = np.lib.stride_tricks.sliding_window_view(x, 2)", ("sliding_window_view", "view")),
        ("y = rng.random(3)", ("random", "create")),
        ("x += 1", ("+=", "in-place")),
        ("x[2:4] -= 1", ("-=", "in-place")),
        ("x[...] = 7", ("setitem", "in-place")),
        ("m.T[0] = 7", ("setitem", "in-place")),
        ("m.flat = 7", ("flat", "in-place")),
        ("np.add(x, 1, out=x)", ("add", "in-place")),
        ("np.copyto(x, 7)", ("copyto", "in-place")),
        ("np.add.at(x, [0], 1)", ("at", "in-place")),
        ("x.fill(7)", ("fill", "in-place")),
        ("rng.shuffle(x)", ("shuffle", "in-place")),
        ("x.shape = 3, 2", ("shape", "relayout")),
        ("y = x", (None, None)),
        ("x *= 1", (None, None)),  # the same bytes: not seen
        ("y = others[0][0]", (None, None)),  # it was there: nothing has made it
        ("y = m.base", (None, None)),
        ("y = [x + 1]", (None, None)),  # the text does not say which operation made it
    ],
)  # fmt: skip
@still_assigned
def test_what_a_statement_did(text: str, expected: tuple[str | None, str | None]) -> None:
    ready: dict[str, Any] = {
        "rng": np.random.default_rng(0),
        "others": [[np.ones(2)]],
        "x": np.arange(6.0),
        "m": np.ones((2, 3)),
    }
    recording = run(text, **ready).recording
    assert done(recording) == [(1, *expected)]
    draws(recording)


def test_views_aliases_and_writes() -> None:
    recording = run("""\
        b = np.zeros((2, 3))
        column = b[:, 1]
        column += 4
        b[1] = 5
        other = b
        b = b + 1
    """).recording
    assert done(recording) == [
        (1, "zeros", "create"), (2, "getitem", "view"), (3, "+=", "in-place"), (4, "setitem", "in-place"), (5, None, None),
        (6, "+", "ordinary"),
    ]  # fmt: skip
    assert [written(recording, line) for line in (3, 4)] == [[(1, 4)], [(3, 4, 5)]]
    before, state = recording.after_line(5), recording.state()
    assert queries.same_object(before, "b", "other")
    assert queries.shares_storage(state, "other", "column")
    assert not queries.shares_storage(state, "b", "column")
    assert queries.overlap(before, "b", "column") == ((1, 2), (4, 5))
    assert (state.tensor("column").base, state.tensor("column").strides) == (state.tensor("other").id, (3,))
    assert queries.visible_values(state, "column") == (4.0, 5.0)
    storage = state.storage_of("other")
    assert state.version("other") == 2
    by = [(step.line, step.op, write.tensor) for step, write in queries.who_raised(recording, storage.id)]
    assert by == [(3, "+=", state.tensor("column").id), (4, "setitem", state.tensor("other").id)]
    assert queries.changed_values(recording, recording.on_line(3)[0].index) == (
        before.tensor("b").id,
        before.tensor("column").id,
    )


def test_functions_and_loops() -> None:
    recording = run("""\
        def twice(a):
            a *= 2
            return a + a

        def through(a):
            return twice(a)

        x = np.ones(2)
        y = through(x)
        z = twice(x) * twice(x)
        w = twice(x + 1)
        for row in np.zeros((2, 2)):
            row[0] = 1
    """).recording
    assert [each for each in done(recording) if each[1]] == [
        (8, "ones", "create"), (2, "*=", "in-place"),
        (2, "*=", "in-place"), (2, "*=", "in-place"), (10, "*", "ordinary"),
        (2, "*=", "in-place"), (13, "setitem", "in-place"), (13, "setitem", "in-place"),
    ]  # fmt: skip
    returned = recording.on_line(3)[
        0
    ]  # what a function of the program's own returns is new, and no operation is emitted
    assert (returned.kind, returned.op) == ("line", None)
    assert recording.state(returned.index).tensor("y").shape == (2,)
    assert recording.state().version("x") == 3


def test_functions_that_a_comprehension_calls() -> None:
    recording = run("def f(v):\n    v *= 2\n    v += 1\nm = np.ones((2, 2))\n[f(row) for row in m]\n").recording
    assert [each for each in done(recording) if each[1]] == [
        (4, "ones", "create"),
        *[(2, "*=", "in-place"), (3, "+=", "in-place")] * 2,
    ]


def test_attributes_and_items() -> None:
    recording = run("""\
        class Net:
            def __init__(self):
                self.w = np.ones((2, 2))
                self.row = self.w[0]

            def step(self):
                self.w -= 1
                self.row[:] = 9

        net = Net()
        net.step()
        known = {"x": net.w + 1}
        known["y"] = net.row * 2
    """).recording
    assert [each for each in done(recording) if each[1]] == [
        (3, "ones", "create"), (4, "getitem", "view"), (7, "-=", "in-place"), (8, "setitem", "in-place"), (13, "*", "ordinary"),
    ]  # fmt: skip
    assert {name for tensor in recording.state().tensors.values() for name in tensor.names} == {
        "net.w", "net.row", "known['x']", "known['y']",
    }  # fmt: skip


def test_two_arrays_of_one_statement() -> None:
    recording = run(
        "q, r = np.divmod(np.arange(4.0), 3)\nq[:], r[:] = r.copy(), q.copy()\na, b = q + 1, r - 1"
    ).recording
    assert done(recording) == [
        (1, "divmod", "create"), (1, "divmod", "create"), (2, "setitem", "in-place"), (2, "setitem", "in-place"),
        (3, "+", "ordinary"), (3, "-", "ordinary"),
    ]  # fmt: skip


def test_memory_is_that_of_the_storages_with_its_peak() -> None:
    recording = run("x = np.ones(8)\nx = x * 2\nx *= 2\nv = x[:2]\ndel x\ndel v\n").recording
    assert [(step.live, step.peak) for step in recording.steps] == [
        (64, 64), (64, 128), (64, 128), (64, 128), (64, 128), (0, 128),
    ]  # fmt: skip
    before = run("x += 1\ny = x * 2", x=np.zeros(8)).recording
    assert (before.live_before, before.steps[-1].live) == (64, 64)


def test_an_exception_is_the_last_step_after_what_was_done() -> None:
    found = run("def f(a):\n    a[0] = 1\n    a[1] = 2; a + np.ones(3)\nx = np.zeros(2)\nf(x)\n")
    assert type(found.failure) is ValueError
    last = found.recording.steps[-1]
    assert (last.line, last.error and last.error.type) == (3, "ValueError")
    assert queries.visible_values(found.recording.state(), "x") == (1.0, 2.0)
    draws(found.recording)


def test_the_limit_is_kept() -> None:
    recording = run("x = np.zeros(1)\nfor k in range(50):\n    x += 1\n", limit=10).recording
    assert (len(recording), recording.truncated) == (10, 1)


# ---- arrays of all kinds --------------------------------------------------------------------------------------------


KINDS = {
    "0-d": "np.array(1.0)",
    "empty": "np.zeros((0, 3))",
    "Fortran": "np.asfortranarray(np.arange(6.0).reshape(2, 3))",
    "axes swapped": "np.arange(6.0).reshape(1, 2, 3).transpose(2, 0, 1).copy('K')",
    "negative strides": "np.arange(6)[::-2]",
    "steps": "np.arange(6)[1::2]",
    "stride 0": "np.broadcast_to(np.arange(3.0), (2, 3))",
    "overlapping": "np.lib.stride_tricks.as_strided(np.arange(4.0), (3, 2), (8, 8))",
    "read-only": "np.frombuffer(b'12345678', np.float32)",
    "part of a buffer": "np.frombuffer(bytearray(20), np.int32, offset=4)",
    "a memory view": "np.asarray(memoryview(bytearray(8)))",
    "ctypes": "np.ctypeslib.as_array((__import__('ctypes').c_float * 3)(1, 2, 3))",
    "truth values": "np.array([True, False])",
    "half": "np.ones(3, np.float16)",
    "complex": "np.array([1 + 2j, 3])",
    "part of complex": "np.array([1 + 2j, 3]).imag",
    "other dtype": "np.arange(4.0).view(np.int32)[1:]",
    "unsigned": "np.arange(4.0).view(np.uint16)[4:8]",
    "matrix": "np.ones((2, 2)).view(np.matrix)",
    "masked": "np.ma.masked_array([1.0, 2.0], [True, False])",
    "special values": "np.array([np.nan, np.inf, -0.0])",
    "large": "np.arange(10_000.0)[::3]",
}  # fmt: skip


@pytest.mark.parametrize("made", KINDS.values(), ids=KINDS)
def test_every_kind_of_array(made: str) -> None:
    found = run(f"x = {made}\ny = x[...]\nz = x.copy()\n")
    array, state = np.asarray(found.names["x"]), found.recording.state()
    facts = state.tensor("x")
    assert (facts.shape, facts.dtype) == (array.shape, array.dtype.name)
    if array.size:
        assert tuple(stride * array.itemsize for stride in facts.strides) == array.strides
    assert queries.shares_storage(state, "x", "y")
    assert not queries.shares_storage(state, "x", "z")
    values = queries.visible_values(state, "x")
    if values is None:
        assert isinstance(state.storage_of("x").values, Summary)
    else:
        assert np.array_equal(np.array(values, array.dtype), array.ravel(), equal_nan=array.dtype.kind in "fc")
    draws(found.recording)


@pytest.mark.parametrize(
    "made",
    ["np.array([object()])", "np.array(['a'])", "np.zeros(2, 'M8[s]')", "np.zeros(2, [('a', 'i4')])", "np.ones(2, np.longdouble)",
     "np.ones(2, '>f8')", "np.zeros(3, 'i1,f4')['f1']", "np.zeros(3, 'f4,f4')['f1']", "np.frombuffer(bytearray(9), 'f4', 2, 1)", "np.float64(1)"],
)  # fmt: skip
def test_other_arrays_are_left_out(made: str) -> None:
    found = run(f"x = {made}\ny = np.ones(2)\nz = y[:1]\n")
    state = found.recording.state()
    assert found.failure is None
    assert {name for tensor in state.tensors.values() for name in tensor.names} == {"y", "z"}
    assert queries.shares_storage(state, "y", "z")
    draws(found.recording)


def test_arrays_on_one_buffer_share_it() -> None:
    found = run(
        "b = bytearray(16)\nx = np.frombuffer(b, np.int32)\ny = np.frombuffer(b, np.int32, 2, 8)\nb[8] = 1\ny += 1\n"
    )
    state = found.recording.state()
    assert queries.overlap(state, "x", "y") == ((2, 4),)
    assert done(found.recording)[-2:] == [(4, "write", "in-place"), (5, "+=", "in-place")]
    assert written(found.recording, 4) == [(2,)]
    assert queries.visible_values(state, "x") == (0, 0, 2, 1)


def test_memory_that_is_a_part_of_a_storage_is_left_out() -> None:
    recording = run(
        "x = np.frombuffer(b, np.int32)\ny = np.frombuffer(memoryview(b)[8:], np.int32)\n", b=bytearray(16)
    ).recording
    assert {name for tensor in recording.state().tensors.values() for name in tensor.names} == {"x"}


def test_an_array_is_known_while_it_lives_though_it_has_no_name() -> None:
    recording = run("""\
        hidden = [[np.zeros(2)]]
        x = hidden[0][0]
        x += 1
        del x
        x = hidden[0][0]
    """).recording
    assert [(len(state.tensors), state.version("x")) for state in (recording.after_line(3), recording.state())] == [
        (1, 1)
    ] * 2


@still_assigned
def test_an_array_that_gets_a_type_that_is_left_out() -> None:
    recording = run("x = np.zeros(2)\nv = x[:1]\nx.dtype = 'M8[s]'\nx.dtype = 'f8'\nx[0] = 1\n").recording
    assert set(recording.after_line(3).tensors) == {recording.after_line(2).tensor("v").id}
    assert queries.shares_storage(recording.state(), "x", "v")
    assert queries.visible_values(recording.state(), "x") == (1.0, 0.0)


def test_a_file_in_memory(tmp_path: Any) -> None:
    found = run("m = np.memmap(path, np.float32, 'w+', shape=(4,))\nv = m[2:]\nv += 1\n", path=tmp_path / "m")
    assert written(found.recording, 3) == [(2, 3)]
    assert queries.shares_storage(found.recording.state(), "m", "v")


def test_large_storages_and_slots_apart() -> None:
    recording = run("x = np.zeros(10_000)\nx[5000:5004] = 1\nx[::2500] = 2\n").recording
    assert [written(recording, line) for line in (2, 3)] == [[(5000, 5001, 5002, 5003)], [(0, 2500, 5000, 7500)]]
    values = recording.state().storage_of("x").values
    assert isinstance(values, Summary)
    assert [slot for slot, _ in values.runs] == [0, 2500, 5000, 7500]


@pytest.mark.skipif(
    sys.gettrace() is not None, reason="a tracer, as of `make coverage`, holds references, which NumPy counts"
)
def test_resize_is_not_refused_because_of_the_recorder() -> None:
    found = run("x = np.arange(3.0)\nkept = [np.ones(1)]\nx.resize(5)\nx += 1\ny = kept[0]\n")
    assert found.failure is None
    assert found.names["x"].tolist() == [1, 2, 3, 1, 1]
    state = found.recording.state()
    assert [each for each in done(found.recording) if each[0] in (3, 4)] == [
        (3, "resize", "reallocated"),
        (4, "+=", "in-place"),
    ]
    assert (state.storage_of("x").bytes, state.tensor("y").names, len(state.storages)) == (40, ("kept[0]", "y"), 2)


def test_an_address_that_is_used_again_is_another_storage() -> None:
    recording = run("for k in range(5):\n    x = np.full(64, k)\n    x += 1\n    del x\n").recording
    assert [step.op for step in recording.steps if step.op] == ["full", "+="] * 5
    assert len({number for step in recording.steps for number, facts in step.storages if facts}) == 5


# ---- the ways in ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("import numpy as np\nx = np.zeros(2)", "numpy"), ("from numpy.random import rand\nrand()", "numpy"),
        ("import inplacelab", "inplacelab"), ("import numpy\nimport inplacelab as paddle", "inplacelab"), ("x = 1", "inplacelab"),
        ("np.zeros(2)", "numpy"), ("a += 1", "numpy"), ("t.add_(t)", "inplacelab"), ("t + a", "inplacelab"), ("paddle.ones([2])", "inplacelab"),
        ("f()", "numpy"), ("g()", "inplacelab"), ("zeros(3)", "numpy"),
    ],
)  # fmt: skip
def test_which_framework_a_program_uses(text: str, framework: str) -> None:
    names: dict[str, Any] = {
        "np": np,
        "zeros": np.zeros,
        "a": np.ones(2),
        "paddle": inplacelab,
        "t": inplacelab.ones([1]),
    }
    exec("def f():\n    return np.zeros(1)\ndef g():\n    return paddle.tensor(f())", names)
    assert framework_used(ast.parse(text), names).framework == framework


@pytest.fixture
def block() -> Callable[[str], Recording]:
    """Runs a program inside `with record():` in a function, as a script would."""

    def recorded(text: str, head: str = "record()") -> Recording:
        script = f"def program():\n    with {head} as block:\n{textwrap.indent(textwrap.dedent(text), ' ' * 8)}\n    return block"
        filename = "<a block of NumPy>"
        linecache.cache[filename] = (len(script), None, script.splitlines(keepends=True), filename)
        names: dict[str, Any] = {"np": np, "record": record}
        exec(compile(script, filename, "exec"), names)
        recording: Recording = names["program"]().recording
        return recording

    return recorded


def test_a_block_is_traced(block: Callable[[str], Recording]) -> None:
    recording = block("x = np.zeros(3)\nv = x[1:]\nfor k in (1, 2):\n    v += (k +\n          1)\nx = x + 1\ndel v")
    assert recording.framework == "numpy"
    assert [each for each in done(recording) if each[1]] == [
        (1, "zeros", "create"), (2, "getitem", "view"), (4, "+=", "in-place"), (4, "+=", "in-place"), (6, "+", "ordinary"),
    ]  # fmt: skip
    assert queries.visible_values(recording.state(), "x") == (1.0, 6.0, 6.0)
    assert len(recording.state().storages) == 1


def test_the_framework_used_a_block_can_be_given() -> None:
    assert tuple(frameworks()) == ("inplacelab.torch", "inplacelab", "torch", "paddle", "numpy")
    with record(framework="inplacelab") as engine:
        np.zeros(2)
    assert engine.recording is not None
    assert engine.recording.framework == "inplacelab"
    with pytest.raises(ValueError, match=r"inplacelab\.torch, inplacelab, torch, paddle, numpy"):
        record(framework="jax")
