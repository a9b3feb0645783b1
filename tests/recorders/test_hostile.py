"""Tests that programs with objects and exceptions that misbehave run as without a recorder, and that looking runs none of their code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import inplacelab as paddle
from inplacelab import errors, modes
from inplacelab.recording import Recording, from_json, to_json
from inplacelab.recording.sentences import sentence

Runner = Callable[..., Any]

EXCEPTIONS = {
    "its text raises": "def __str__(self): raise KeyError('no')",
    "its text is no string": "def __str__(self): return 7",
    "its text recurses": "def __str__(self): return str(self)",
    "its text exits": "def __str__(self): raise SystemExit(3)",
    "its text is huge": "def __str__(self): return 'x' * 3_000_000",
    "its text holds surrogates": "def __str__(self): return 'a\\ud800b\\x00c'",
    "its text is of another class": "def __str__(self): return type('S', (str,), {'encode': None, '__len__': None})('text')",
    "its form raises": "def __repr__(self): raise KeyError('no')",
    "its notes are no list": "__notes__ = 5",
    "its notes raise": "__notes__ = property(lambda self: 1 / 0)",
    "its arguments raise": "args = property(lambda self: 1 / 0)",
    "its class lies": "__class__ = property(lambda self: ValueError)",
    "its class raises": "__class__ = property(lambda self: 1 / 0)",
    "its class recurses": "__class__ = property(lambda self: self.__class__)",
    "its traceback raises": "__traceback__ = property(lambda self: 1 / 0)",
    "its traceback is none": "__traceback__ = property(lambda self: 'none')",
    "its method for notes raises": "def add_note(self, note): raise KeyError(note)",
    "its method for tracebacks raises": "def with_traceback(self, trace): raise KeyError(trace)",
    "it is false": "def __bool__(self): raise KeyError('no')",
    "it is equal to nothing": "def __eq__(self, other): raise KeyError('no')\n    def __hash__(self): raise KeyError('no')",
    "it has no attributes": "def __getattribute__(self, name): raise KeyError(name)",
    "it sets no attributes": "def __setattr__(self, name, value): raise KeyError(name)",
}
RAISING = """\
class Odd(Exception):
    {}
x = paddle.ones([2])
x.exp_()
odd = Odd("first", 2)
raise odd
"""


def recorded_error(recording: Recording) -> Any:
    return recording.steps[-1].error


def check_readable(recording: Recording) -> None:
    """Checks that a recording can be stored and described."""
    text = to_json(recording)
    text.encode("utf-8")
    assert from_json(text) == recording
    assert all(sentence(recording, step.index).en for step in recording.steps)


@pytest.mark.parametrize("body", EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_an_exception_that_misbehaves_reaches_the_program(run: Runner, body: str) -> None:
    found = run(RAISING.format(body))
    assert type(found.error).__name__ == "Odd"
    assert BaseException.__dict__["__traceback__"].__get__(found.error) is not None
    error = recorded_error(found.recording)
    assert error.type == "Odd"
    assert found.recording.steps[-1].line == RAISING.format(body).count("\n")
    assert len(error.message) < 20_000
    if "__str__" in body and any(word in body for word in ("raise", "return 7", "str(self)")):
        assert "could not be read" in error.message
    assert modes.current().listeners == ()
    assert errors.watchers == []
    check_readable(found.recording)


@pytest.mark.parametrize("framework", ["inplacelab", "numpy"])
@pytest.mark.parametrize("body", EXCEPTIONS.values(), ids=EXCEPTIONS)
def test_an_exception_that_misbehaves_leaves_a_block(body: str, framework: str) -> None:
    names: dict[str, Any] = {}
    exec(f"class Odd(Exception):\n    {body}\n", names)
    odd = names["Odd"]()
    block = paddle.record(framework=framework)
    caught = None
    try:
        with block:
            paddle.ones([2])
            raise odd
    except BaseException as error:  # noqa: BLE001
        caught = error
    assert caught is odd
    assert block.recording is not None
    assert recorded_error(block.recording).type == "Odd"


VALUES = {
    "repr": "def __repr__(self): called('repr')",
    "eq": "def __eq__(self, other): called('eq')\n    __hash__ = None",
    "bool": "def __bool__(self): called('bool')",
    "hash": "def __hash__(self): called('hash')",
    "len": "def __len__(self): called('len')",
    "iter": "def __iter__(self): called('iter')",
    "getitem": "def __getitem__(self, key): called('getitem')",
    "getattr": "def __getattr__(self, name): called('getattr')",
    "getattribute": "def __getattribute__(self, name): called('getattribute')",
    "class": "__class__ = property(lambda self: called('class'))",
    "dict": "__dict__ = property(lambda self: called('dict'))",
    "slots": "__slots__ = ('w',)",
    "module": "__module__ = type('Odd', (), {'__eq__': lambda self, other: called('eq of module')})()",
    "property": "w = property(lambda self: called('property'))",
    "array": "def __array__(self, *_): called('array')\n    __array_interface__ = property(lambda self: called('interface'))",
    "instancecheck": "def __instancecheck__(cls, other): called('instancecheck')",
    "call": "__call__ = property(lambda self: called('call'))",
}
LOOKING = """\
seen = []
def called(what):
    seen.append(what)
    raise RuntimeError(what)
class Odd:
    {}
class Kind(type):
    {}
class OddOfOddKind(metaclass=Kind):
    pass
class Holder:
    pass
class OddList(list):
    {}
class OddDict(dict):
    {}
one, kind, other = Odd(), OddOfOddKind, OddOfOddKind()
odd_list, odd_dict = OddList(), OddDict()
holder = Holder()
holder.odd = one
net = paddle.nn.Linear(2, 2)
net.extra = [one]
listed, mapped = [one, other], {{"odd": one, 7: other, 10 ** 5000: one, "\\ud800": one, "x" * 5000: one}}
x = paddle.ones([2])
x.exp_()
def inside(a):
    b = a.scale_(2.0)
    return b
inside(x)
y = x + 1
"""


@pytest.mark.parametrize("body", VALUES.values(), ids=VALUES)
def test_looking_at_names_runs_nothing_of_the_program(run: Runner, body: str) -> None:
    text = LOOKING.format(*[body] * 4)
    try:
        exec(compile(text, "<unrecorded>", "exec"), {"paddle": paddle, "__name__": "odd_program"})
    except Exception:  # noqa: BLE001
        pytest.skip("Python itself does not define such classes")
    found = run(text)
    assert found.error is None
    assert found.names["seen"] == []
    assert found.recording.notes == ()
    operations = [step.op for step in found.recording.steps if step.kind == "operation"]
    assert operations[-4:] == ["ones", "exp_", "scale_", "scale"]
    check_readable(found.recording)


def test_a_module_with_lazy_attributes(run: Runner) -> None:
    text = """\
import types
seen = []
class Lazy(types.ModuleType):
    def __getattr__(self, name):
        seen.append(name)
        return paddle.ones([2])
    def __getattribute__(self, name):
        seen.append(name)
        raise ImportError(name)
    @property
    def weights(self):
        seen.append("weights")
lazy = Lazy("lazy")
x = paddle.ones([2])
x.exp_()
"""
    found = run(text)
    assert (found.error, found.names["seen"], found.recording.notes) == (None, [], ())


class Names(dict):  # type: ignore[type-arg]
    """Globals that are not a plain dictionary."""

    called: ClassVar[list[str]] = []

    def get(self, *_: Any) -> Any:
        self.called.append("get")
        raise KeyError("get")

    keys = values = items = __iter__ = get


def test_globals_that_are_not_a_plain_dictionary() -> None:
    text = "with paddle.record() as block:\n    x = paddle.ones([2])\n    x.exp_()\n    y = x\n    y.zero_()\n"
    names = Names(paddle=paddle)
    dict.__setitem__(names, 5, "a key that is no string")
    exec(compile(text, "<odd globals>", "exec"), names)
    block = dict.__getitem__(names, "block")
    assert [step.op for step in block.recording.steps] == ["ones", "exp_", "zero_"]
    assert Names.called == []


def test_keys_that_misbehave_in_globals(run: Runner) -> None:
    text = """\
class Key:
    def __hash__(self):
        return 5 if quiet else 1 / 0
quiet = True
globals()[Key()] = 1
globals()["\\ud800"] = 2
quiet = False
x = paddle.ones([2])
x.exp_()
"""
    found = run(text)
    assert [step.op for step in found.recording.steps if step.kind == "operation"] == ["ones", "exp_"]


def test_the_body_of_a_class_with_a_namespace_of_its_own(run: Runner) -> None:
    text = """\
seen = []
class Space(dict):
    def keys(self):
        seen.append("keys")
        raise KeyError
    def items(self):
        seen.append("items")
        raise KeyError
class Kind(type):
    def __prepare__(*_):
        return Space()
    def __new__(kind, name, bases, space):
        return type.__new__(kind, name, bases, dict.copy(space))
class Layer(metaclass=Kind):
    weight = paddle.ones([2])
    weight.exp_()
"""
    found = run(text)
    assert (found.error, found.names["seen"], found.recording.notes) == (None, [], ())
    assert [step.op for step in found.recording.steps if step.kind == "operation"] == ["ones", "exp_"]


def test_arrays_of_a_class_of_the_program() -> None:
    seen: list[str] = []

    class Odd(np.ndarray):
        def __getattribute__(self, name: str) -> Any:
            seen.append(name)
            raise AttributeError(name)

        def __eq__(self, other: object) -> Any:
            seen.append("eq")

        __hash__ = None

    with paddle.record(framework="numpy") as block:
        x = np.zeros(3).view(Odd)
        y = np.zeros(2)
        y += 1
        np.ndarray.fill(x, 2.0)
        y += 1
    assert seen == []
    assert block.recording is not None
    assert block.recording.notes == ()
    state = block.recording.state()
    assert (state.storage_of("x").values, state.storage_of("y").values) == ((2.0, 2.0, 2.0), (2.0, 2.0))


def test_frames_that_were_cleared(run: Runner) -> None:
    text = """\
import sys
def fails():
    inner = paddle.ones([2])
    inner.exp_()
    raise KeyError("x")
try:
    fails()
except KeyError as error:
    kept = error
kept.__traceback__.tb_next.tb_frame.clear()
raise kept
"""
    found = run(text)
    assert found.error is found.names["kept"]
    assert recorded_error(found.recording).type == "KeyError"


def test_a_refusal_whose_notes_the_program_has_replaced(run: Runner) -> None:
    text = """\
x = paddle.ones([2])
x.stop_gradient = False
y = x * 2
z = y.exp()
y.zero_()
z.exp_()
try:
    z.sum().backward()
except RuntimeError as error:
    error.__notes__ = 5
    raise
"""
    found = run(text)
    assert "Tensor" in str(found.error) or "modified" in str(found.error)
    assert found.error.__notes__ == 5


def test_a_block_whose_lines_have_less_indentation(run_block: Callable[[str], Recording]) -> None:
    recording = run_block(
        'text = """\\\nfirst\n  second\n"""\nx = paddle.ones([2])\nx.exp_()\n'.replace("\n    ", "\n")
    )
    assert [step.op for step in recording.steps] == ["ones", "exp_"]
