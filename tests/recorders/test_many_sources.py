"""Tests that steps of a program of several files stand on the lines that a debugger would show, with the calls that led there."""

from __future__ import annotations

import inspect
import pickle
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab.cli.script import run_script
from inplacelab.place import Place
from inplacelab.recorders.run import record
from inplacelab.recording import Recording, Step, from_json, sentence, to_json
from inplacelab.recording.queries import changes_nothing

PADDLE_NAMES = {
    "ones": "F.ones([2])",
    "tracked": "F.to_tensor([1., 2.], stop_gradient=False)",
    "layer": "F.nn.Layer",
    "function": "F.autograd.PyLayer",
    "hook": "register_hook",
    "saved": "ctx.saved_tensor()",
    "import": "import {framework} as F",
}
TORCH_NAMES = PADDLE_NAMES | {
    "ones": "F.ones(2)",
    "tracked": "F.tensor([1., 2.], requires_grad=True)",
    "layer": "F.nn.Module",
    "function": "F.autograd.Function",
    "saved": "ctx.saved_tensors",
}
NAMES = {"inplacelab": PADDLE_NAMES, "paddle": PADDLE_NAMES, "torch": TORCH_NAMES, "inplacelab.torch": TORCH_NAMES}

SHAPES = """\
{import}


def plain(x):
    return x.add_(x)  # plain


def wrap(function):
    def inside(*args):
        return function(*args).add_(args[0])  # inside
    return inside


@wrap
def decorated(x):
    y = x.multiply(
        x.exp())  # decorated
    return y


def listed(x):
    return [x.scale(k) if hasattr(x, "scale") else x.mul(k)  # listed
            for k in (1.0, 2.0)]


def generated(x):
    for k in range(2):
        yield x.add_(x)  # generated


def again(x, k):
    if k:
        return again(x.add_(x), k - 1)  # again
    return x.exp()  # deepest


def calls(x, back):
    return back(x.sqrt_())  # calls


class Twice({function}):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2.0  # twice

    @staticmethod
    def backward(ctx, g):
        (x,) = {saved}
        return g.multiply(x * 0.0 + 2.0)  # back


def hook(g):
    return g.multiply(g)  # hook


class Block({layer}):
    def __init__(self):
        super().__init__()
        self.w = {ones}  # made

    def forward(self, x):
        h = x.multiply(self.w)  # weight
        return self.twice(h)

    def twice(self, h):
        return (lambda t: t.add_(self.w))(h)  # method
"""

MAIN = """\
{import}
from {package} import shapes
from {package}.shapes import Block, Twice, again, calls, decorated, generated, hook, listed, plain

a = {ones}
plain(a)
b = decorated(a)
c = listed(b)
for each in generated(a):
    pass
again(a, 2)
calls(a, lambda t: t.add_(t))  # callback
net = Block()
d = net(a)
t = {tracked}
u = Twice.apply(t * 1.0)
u.{hook}(hook)
u.sum().backward()
"""


@pytest.fixture(params=["inplacelab", "inplacelab.torch", "torch", "paddle"])
def framework(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


@pytest.fixture
def package(tmp_path: Path) -> Iterator[str]:
    """The name of a package that no other test imports."""
    name = f"own_{tmp_path.name.rstrip('0123456789')}{abs(hash(tmp_path))}"
    yield name
    for each in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[each]


def written(folder: Path, framework: str, package: str, text: str) -> str:
    names = {name: each.replace("{framework}", framework) for name, each in NAMES[framework].items()}
    for name, each in {**names, "package": package}.items():
        text = text.replace(f"{{{name}}}", each)
    return text


@pytest.fixture
def recording(tmp_path: Path, framework: str, package: str) -> Recording:
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").touch()
    (tmp_path / package / "shapes.py").write_text(written(tmp_path, framework, package, SHAPES))
    main = tmp_path / "main.py"
    main.write_text(written(tmp_path, framework, package, MAIN))
    found, raised = run_script(main, [], title=None, limit=1000, framework=framework)
    assert raised is None, raised
    return found


def line(recording: Recording, place: Place) -> str:
    return recording.text_of(place.source).splitlines()[place.line - 1]


def marks(recording: Recording, step: Step) -> list[str]:
    """The marks at the ends of the lines of a step and of the calls that led there; "main" for the others."""
    assert step.place is not None
    return [line(recording, each).partition("  # ")[2] or each.function or "main" for each in step.place.calls]


def test_operations_stand_where_a_debugger_would(recording: Recording) -> None:
    assert [each.name.rpartition("/")[2] for each in recording.sources] == ["", "shapes.py"]
    operations = [step for step in recording.steps if step.kind == "operation"]
    found = {tuple(marks(recording, step)) for step in operations}
    assert found >= {
        ("plain", "main"),
        ("decorated", "inside", "main"),
        ("inside", "main"),
        ("listed", "main"),
        ("generated", "main"),
        ("again", "main"),
        ("again", "again", "main"),
        ("deepest", "again", "again", "main"),
        ("calls", "callback"),
        ("callback", "calls", "callback"),
        ("made", "main"),
        ("weight", "main"),
        ("method", "method", "Block.forward", "main"),
    }
    assert (("twice", "main") in found) == (recording.framework == "torch")  # elsewhere it is one operation
    for step in operations:  # what is written on its line is what ran
        assert step.place is not None
        assert step.op is not None
        shown = line(recording, step.place)
        assert step.op in shown or any(sign in shown for sign in "*+=["), (step.op, shown)


def test_functions_and_owners_are_named(recording: Recording) -> None:
    functions = {each.function: each.owner for step in recording.steps if step.place for each in step.place.calls}
    assert {
        "plain",
        "decorated",
        "inside",
        "listed",
        "generated",
        "again",
        "calls",
        "Block.forward",
    } <= functions.keys()
    assert functions["Block.forward"] == functions["Block.twice"] == "net"
    assert functions["plain"] == ""


def test_code_of_the_program_in_backward_is_seen(recording: Recording) -> None:
    backward = [
        marks(recording, step) for step in recording.steps if step.phase == "backward" and step.kind == "operation"
    ]
    assert any("back" in each for each in backward) or recording.framework == "paddle"
    assert any("hook" in each for each in backward)


def test_it_is_saved_and_described(recording: Recording) -> None:
    assert from_json(to_json(recording)) == recording
    assert all(sentence(recording, step.index).en for step in recording.steps)


def test_a_call_into_another_source_is_a_step_and_so_is_its_result(recording: Recording) -> None:
    (number,) = [k + 1 for k, each in enumerate(recording.source.splitlines()) if each == "b = decorated(a)"]
    first, *_, last = recording.on_line(number)
    assert (first.kind, last.kind) == ("line", "line")
    assert recording.state(last.index).bound("b") == last.tensors[-1][0]
    assert recording.before(last.index).bound("b") is None


def test_names_of_frames_and_of_other_modules(tmp_path: Path, package: str) -> None:
    (tmp_path / f"{package}.py").write_text(
        dedent("""\
        import inplacelab as paddle

        cache = paddle.zeros([2])

        def f(x, k):
            y = x + 1.0
            cache.add_(y)
            return f(y, k - 1) if k else y
    """)
    )
    main = tmp_path / "main.py"
    main.write_text(f"import inplacelab as paddle\nfrom {package} import f\nx = paddle.ones([2])\ny = f(x * 2.0, 1)\n")
    recording, _ = run_script(main, [], title=None, limit=100)
    names = {name for step in recording.steps for _, facts in step.tensors if facts for name in facts.names}
    assert names == {f"{package}.cache", "x", "f: x", "f#2: x", "y", "f: y"}


NUMPY = {
    "work.py": "def halve(a):\n    a *= 0.5\n    b = a[1:]\n    b += 1\n    return b\n",
    "main.py": "import numpy as np\nfrom {package}.work import halve\nx = np.ones(3)\ny = halve(x)\ny[0] = 7\n",
}


def test_numpy(tmp_path: Path, package: str) -> None:
    (tmp_path / package).mkdir()
    (tmp_path / package / "work.py").write_text(NUMPY["work.py"])
    main = tmp_path / "main.py"
    main.write_text(NUMPY["main.py"].replace("{package}", package))
    recording, _ = run_script(main, [], title=None, limit=100)
    assert recording.framework == "numpy"
    found = [(step.op, [each.line for each in step.place.calls]) for step in recording.steps if step.place and step.op]
    assert found == [("ones", [3]), ("*=", [2, 4]), ("getitem", [3, 4]), ("+=", [4, 4]), ("setitem", [5])]
    assert recording.state().tensor("y").base == recording.state().tensor("x").id


# --- what was there before --------------------------------------------------------------------------------------------


def test_a_module_that_was_imported_before_is_seen(
    tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"{package}.py").write_text("def f(x):\n    y = x\n    return y.add_(y)\n")
    import_module(package)
    main = tmp_path / "main.py"
    main.write_text(f"import inplacelab as paddle\nfrom {package} import f\na = paddle.ones([2])\nb = f(a)\n")
    recording, _ = run_script(main, [], title=None, limit=100)
    inside = [(step.kind, step.line) for step in recording.steps if step.place and step.place.source]
    assert inside == [("line", 2), ("operation", 3)]
    assert sys.gettrace() is None


def test_a_block_shows_functions_of_other_files(tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / f"{package}.py").write_text("def f(x):\n    return x.add_(x)\n")
    f = import_module(package).f
    with record() as rec:
        x = paddle.ones([2])
        f(x)
    assert rec.recording is not None
    assert [(step.op, [(each.source, each.line) for each in step.place.calls]) for step in rec.recording.steps if step.place] == [
        ("ones", [(0, 1)]), ("add_", [(1, 2), (0, 2)]),
    ]  # fmt: skip


# --- what recording does not change ---------------------------------------------------------------------------------------


def test_a_module_that_was_instrumented_is_as_it_would_be(tmp_path: Path, package: str) -> None:
    text = "import inplacelab as paddle\nfrom __main__ import sent\n\n\ndef f(x):\n    y = x + 1\n    sent.append(y)\n    return y / 0\n"
    (tmp_path / f"{package}.py").write_text(text)
    main = tmp_path / "main.py"
    main.write_text(
        f"import inplacelab\nsent = []\nimport {package} as module\ntry:\n    module.f(1)\nexcept ZeroDivisionError as error:\n    caught = error\n"
    )
    finders = list(sys.meta_path)
    _, raised = run_script(main, [], title=None, limit=100)
    assert raised is None
    module: Any = sys.modules[package]
    assert sys.meta_path == finders
    assert inspect.getsource(module.f).splitlines() == text.splitlines()[4:]
    assert pickle.loads(pickle.dumps(module.f)) is module.f
    assert vars(module.__spec__.loader).keys() == vars(type(module.__spec__.loader)("a", "b")).keys()
    assert not (tmp_path / "__pycache__").exists()
    with pytest.raises(ZeroDivisionError) as info:
        module.f(1)
    assert traceback.extract_tb(info.tb)[-1][:3] == (module.__file__, 8, "f")


def test_a_module_that_is_not_python_fails_as_it_would(tmp_path: Path, package: str) -> None:
    (tmp_path / f"{package}.py").write_text("def f(:\n")
    main = tmp_path / "main.py"
    main.write_text(f"import inplacelab\nimport {package}\n")
    _, raised = run_script(main, [], title=None, limit=100)
    assert isinstance(raised, SyntaxError)
    assert raised.filename == str(tmp_path / f"{package}.py")


# --- bad input ----------------------------------------------------------------------------------------------------------


def remarks(
    folder: Path, text: str, main: str = "from {module} import f\nf(paddle.ones([2]))\n", *, data: bytes = b""
) -> Recording:
    name = f"odd_{abs(hash(folder))}"
    (folder / f"{name}.py").write_bytes(data or text.encode())
    script = folder / "main.py"
    script.write_text("import inplacelab as paddle\n" + main.replace("{module}", name).replace("{folder}", str(folder)))
    recording, raised = run_script(script, [], title=None, limit=100)
    sys.modules.pop(name, None)
    assert raised is None, raised
    assert from_json(to_json(recording)) == recording
    return recording


def test_an_encoding_that_a_file_declares(tmp_path: Path) -> None:
    text = "# -*- coding: gbk -*-\ndef f(x):\n    return x.add_(x)  # 原地\n"
    recording = remarks(tmp_path, "", data=text.encode("gbk"))
    assert recording.sources[1].text == text
    assert recording.sources[1].remark.en == ""


def test_a_source_that_is_in_no_file(tmp_path: Path) -> None:
    main = 'exec(compile("def g(x):\\n    return x.add_(x)\\n", "made_up.py", "exec"))\ng(paddle.ones([2]))\n'
    recording = remarks(tmp_path, "", main)
    assert recording.steps[-1].place is not None
    (place,) = [step.place for step in recording.steps if step.op == "add_"]
    assert place is not None
    source = recording.sources[place.source]
    assert (place.line, source.text) == (2, "")
    assert "`made_up.py` was made while the program ran" in source.remark.en
    assert "`made_up.py` 是程序运行时生成的" in source.remark.zh


def test_code_without_a_file_name_is_where_it_is_run(tmp_path: Path) -> None:
    recording = remarks(tmp_path, "", 'x = paddle.ones([2])\nexec("x.add_(x)")\n')
    assert [(step.op, step.line) for step in recording.steps] == [("ones", 2), ("add_", 3)]


def test_a_file_that_changes_while_the_program_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def f(x):\n    return x.add_(x)\n"
    main = "from pathlib import Path\nimport {module}\nPath({module}.__file__).write_text('# gone')\n{module}.f(paddle.ones([2]))\n"
    recording = remarks(tmp_path, text, main)
    assert recording.sources[1].text == text  # as it was when it ran
    assert recording.sources[1].remark.en == ""


def test_a_file_that_was_changed_after_it_was_imported(
    tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / f"{package}.py"
    file.write_text("def f(x):\n    return x.add_(x)\n")
    import_module(package)
    file.write_text("\n\ndef f(x):\n    return x.add_(x)\n")
    main = tmp_path / "main.py"
    main.write_text(f"import inplacelab as paddle\nfrom {package} import f\nf(paddle.ones([2]))\n")
    recording, _ = run_script(main, [], title=None, limit=100)
    assert "has changed since the program read it" in recording.sources[1].remark.en


def test_one_file_under_two_names(tmp_path: Path, package: str) -> None:
    (tmp_path / f"{package}.py").write_text("def f(x):\n    return x.add_(x)\n")
    other = f"{package}_other"
    (tmp_path / f"{other}.py").symlink_to(tmp_path / f"{package}.py")
    main = tmp_path / "main.py"
    main.write_text(
        f"import inplacelab as paddle\nfrom {package} import f\nfrom {other} import f as g\nf(g(paddle.ones([2])))\n"
    )
    recording, _ = run_script(main, [], title=None, limit=100)
    sys.modules.pop(other, None)
    assert len(recording.sources) == 2
    assert {step.place.source for step in recording.steps if step.op == "add_" and step.place} == {1}


def test_the_script_imported_again(tmp_path: Path) -> None:
    main = tmp_path / "itself.py"
    main.write_text(
        "import inplacelab as paddle\ndef f(x):\n    return x.add_(x)\nif __name__ == '__main__':\n    import itself\n    itself.f(f(paddle.ones([2])))\n"
    )
    recording, raised = run_script(main, [], title=None, limit=100)
    sys.modules.pop("itself", None)
    assert raised is None
    assert len(recording.sources) == 1
    assert {(step.place.source, step.line) for step in recording.steps if step.op == "add_" and step.place} == {(0, 3)}


def test_a_long_file(tmp_path: Path) -> None:
    recording = remarks(tmp_path, "pass\n" * 20_000 + "def f(x):\n    return x.add_(x)\n")
    assert [step.line for step in recording.steps if step.op == "add_"] == [20_002]


def test_a_deep_recursion(tmp_path: Path) -> None:
    text = "def f(x, k=200):\n    return f(x, k - 1) if k else x.add_(x)\n"
    (step,) = [each for each in remarks(tmp_path, text).steps if each.op == "add_"]
    assert step.place is not None
    assert len(list(step.place.calls)) == 64
    assert step.place.depth == 202
    assert sum(each.skipped for each in step.place.calls) == 202 - 64


@pytest.mark.skipif(sys.version_info < (3, 12), reason="needs `sys.monitoring` of Python 3.12")
@pytest.mark.parametrize("tools", [(), (4,), (3, 4)])
def test_both_ways_of_tracing(
    tmp_path: Path, package: str, monkeypatch: pytest.MonkeyPatch, tools: tuple[int, ...]
) -> None:
    python: Any = getattr(sys, "monitoring", None)
    for each in tools:
        python.use_tool_id(each, "another")
    try:
        test_a_module_that_was_imported_before_is_seen(tmp_path, package, monkeypatch)
    finally:
        for each in tools:
            python.free_tool_id(each)
    assert [python.get_tool(each) for each in (3, 4)] == [None, None]


def test_a_call_into_another_source_is_said_and_stopped_at(tmp_path: Path, package: str) -> None:
    (tmp_path / f"{package}.py").write_text("def f(x):\n    return x.add_(x)\n")
    main = tmp_path / "main.py"
    main.write_text(f"import inplacelab as paddle\nfrom {package} import f\nx = paddle.ones([2])\nn = 3\nf(x)\n")
    recording, _ = run_script(main, [], title=None, limit=100)
    call, plain = (
        next(step for step in recording.steps if step.line == line and step.kind == "line") for line in (5, 4)
    )
    assert sentence(recording, call.index).en == f"Line 5 calls `f` in `{package}.py`."
    assert sentence(recording, call.index).zh == f"第 5 行调用 `{package}.py` 中的 `f`。"
    assert not changes_nothing(recording, call.index)
    assert changes_nothing(recording, plain.index)


PROFILED = """\
import sys
{import}


def traced(frame, event, argument):
    seen = (event, frame.f_lineno)
    return traced


def inner(x, k):
    y = x + k
    return y.add_(y)


def run(set_tracer):
    x = {ones}
    set_tracer(traced)
    try:
        return inner(x, 1)
    finally:
        set_tracer(None)


both = run(sys.settrace) + run(sys.setprofile)
"""


def test_a_program_that_traces_itself_keeps_its_names(tmp_path: Path, framework: str) -> None:
    main = tmp_path / "main.py"
    main.write_text(written(tmp_path, framework, "", PROFILED))
    found, raised = run_script(main, [], title=None, limit=1000, framework=framework)
    assert raised is None, raised
    assert "add_" in {step.op for step in found.steps}


PREPARED = """\
class Looked(dict):
    def __missing__(self, name):
        self[name] = len(self)
        return self[name]


class Members(type):
    @classmethod
    def __prepare__(cls, *_):
        return Looked()


class Colours(metaclass=Members):
    '''Its docstring.'''
    red
    if red:
        green


assert Colours.__doc__ == "Its docstring."
assert [each for each in vars(Colours) if each[:2] != "__" or "inplacelab" in each] == ["red", "green"], vars(Colours)
"""


def test_a_namespace_that_a_metaclass_makes_is_as_it_would_be(tmp_path: Path, package: str) -> None:
    (tmp_path / f"{package}.py").write_text(PREPARED)
    main = tmp_path / "main.py"
    for text in (f"import torch\nimport {package}\n", f"import torch\n{PREPARED}"):
        main.write_text(text)
        _, raised = run_script(main, [], title=None, limit=1000, framework="torch")
        assert raised is None, raised


def test_the_file_of_a_program_that_goes_to_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "main.py").write_text("import os, torch\nos.chdir('elsewhere')\nassert os.path.isfile(__file__)\n")
    monkeypatch.chdir(tmp_path)
    _, raised = run_script(Path("main.py"), [], title=None, limit=1000, framework="torch")
    assert raised is None, raised


def test_equal_functions_of_two_files_are_two(tmp_path: Path, package: str) -> None:
    """A traceback ends where it does without a recorder, and a warning names the file that it is about."""
    text = "def fails(x):\n    y = x.exp()\n    y.add_(1)\n    y.sum().backward()\n"
    names = [f"{package}_one", f"{package}_two"]
    for name in names:
        (tmp_path / f"{name}.py").write_text(text)
    main = tmp_path / "main.py"
    called = "".join(
        f"import {each}\ntry:\n    {each}.fails(x)\nexcept RuntimeError as e:\n    found.append(e)\n" for each in names
    )
    main.write_text(
        f"import torch\nfound = []\nx = torch.ones(2, requires_grad=True)\n{called}raise ExceptionGroup('', found)\n"
    )
    _, raised = run_script(main, [], title=None, limit=1000, framework="torch")
    assert isinstance(raised, ExceptionGroup)
    frames = [traceback.extract_tb(each.__traceback__) for each in raised.exceptions]
    assert [each.name for each in frames[0]] == [each.name for each in frames[1]]
