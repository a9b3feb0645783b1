"""Tests which part of a program is recorded: from a step or a condition on, up to the limit, until it is stopped; and that the rest of the
program runs as if there were no recorder.
"""

from __future__ import annotations

import ast
import builtins
import sys
import textwrap
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import inplacelab as paddle
from inplacelab import errors, modes
from inplacelab.language import LANGUAGES
from inplacelab.recorders import instrument
from inplacelab.recorders.detection import Use
from inplacelab.recorders.part import FromCondition, FromStep, Part, PartError
from inplacelab.recorders.program import Program
from inplacelab.recorders.run import ProgramStopped, Session
from inplacelab.recording import Recording
from tests.recorders.runs import SHORT, names_for

FRAMEWORKS = [
    pytest.param(each, marks=pytest.mark.skipif(find_spec(each) is None, reason=f"{each} is not installed"))
    for each in ("inplacelab", "torch", "paddle", "numpy")
]
pytestmark = pytest.mark.filterwarnings("ignore:No ccache found")  # by Paddle, when it is imported
every_framework = pytest.mark.parametrize("framework", FRAMEWORKS)

LOOP = """\
x = {0}.ones([2])
y = {0}.zeros([3])
for epoch in range(40):
    x *= 2
    z = x + 1
"""


class Ran(NamedTuple):
    recording: Recording
    names: dict[str, Any]
    raised: BaseException | None
    session: Session

    @property
    def notes(self) -> str:
        return " ".join(map(str, self.recording.notes))


def run(text: str, framework: str, part: Part, **names: Any) -> Ran:
    """Runs a program of which a part is recorded. In its text, {0} is what it calls its framework."""
    text, filename = textwrap.dedent(text).replace("{0}", SHORT.get(framework, framework)), "<python-input-part>"
    tree, known = ast.parse(text), names_for(framework, **names)
    session = Session(Program.of(tree, text, filename), use=Use(framework), part=part)
    raised = session.run([compile(instrument.instrumented(tree), filename, "exec")], known)
    return Ran(session.recording(), known, raised, session)


def lines(recording: Recording) -> list[int | None]:
    return [step.line for step in recording.steps]


# ---- where it begins -----------------------------------------------------------------------------------------------------


@every_framework
def test_a_recording_begins_at_a_step(framework: str) -> None:
    ran = run(LOOP, framework, Part(start=FromStep(40)))
    whole = run(LOOP, framework, Part())
    assert ran.notes.startswith("39 earlier steps were not recorded")
    assert [(step.op, step.line) for step in ran.recording.steps] == [
        (step.op, step.line) for step in whole.recording.steps if step.turn >= 40
    ]
    assert (ran.names["epoch"], ran.raised, ran.session.missed) == (39, None, None)


@every_framework
def test_what_is_there_already_has_its_names_and_was_made_before(framework: str) -> None:
    text = LOOP + "x *= 2; y += 1\nw = x[1:]\n"
    ran = run(text, framework, Part(start=FromCondition("epoch == 39 and y is not None")))
    first = ran.recording.state(0)
    assert first.storage_of("x").values == (2.0**40, 2.0**40)
    x, z = first.tensor("x"), first.tensor("z") if framework != "inplacelab" else None
    assert z is None or z.storage != x.storage
    assert ran.recording.live_before > 0
    last = ran.recording.state()
    assert last.tensor("w").storage == last.tensor("x").storage


GRADIENT = {
    "inplacelab": "a = {0}.ones([2])\na.stop_gradient = False\n",
    "paddle": "a = {0}.ones([2])\na.stop_gradient = False\n",
    "torch": "a = {0}.ones(2, requires_grad=True)\n",
}


@pytest.mark.parametrize("framework", FRAMEWORKS[:3])
def test_versions_and_edges_from_before_are_known(framework: str) -> None:
    text = GRADIENT[framework] + "b = a * 2\nc = b.exp()\nb.detach().zero_()\nc.sum().backward()\n"
    begin = len(text.splitlines()) - 1  # at the write
    ran = run(text, framework, Part(start=FromStep(begin)))
    assert lines(ran.recording)[0] == begin
    state = ran.recording.state(len(ran.recording.on_line(begin)) - 1)
    assert state.versions(state.tensor("b").storage) == (1,)
    used = run(text, framework, Part(start=FromStep(begin + 1))).recording
    node = used.state(0).tensor("c").node
    assert node is not None
    assert used.state(0).nodes[node].edges
    grad = used.state().storage_of("a.grad").values
    assert grad == run(text, framework, Part()).recording.state().storage_of("a.grad").values


def test_the_names_of_a_function_are_those_of_its_frame() -> None:
    text = """
        import inplacelab as paddle
        def train(step):
            inner = paddle.ones([1]) * step
            return inner
        for k in range(5):
            found = train(k)
    """
    ran = run(text, "inplacelab", Part(start=FromCondition("step == 3 and any(step == each for each in [3])")))
    assert lines(ran.recording)[0] == 4
    assert ran.recording.steps[0].op == "ones"
    ran = run(text, "inplacelab", Part(start=FromCondition("inner.sum() == 4")))
    assert ran.recording.steps[0].line == 5
    assert ran.names["k"] == 4


def test_a_condition_may_call_functions_of_the_program() -> None:
    text = """
        import inplacelab as paddle
        def late(x):
            doubled = x * 2
            return doubled > 6
        x = 0
        for k in range(6):
            x = x + 1
            t = paddle.ones([1])
    """
    ran = run(text, "inplacelab", Part(start=FromCondition("late(x)")))
    assert ran.names["k"] == 5
    assert ran.recording.steps[0].op == "ones"
    assert len(ran.recording.on_line(9)) == 3


def test_a_condition_keeps_no_tensor_alive() -> None:
    text = """
        import gc, weakref
        import inplacelab as paddle
        class Holder: pass
        def f():
            held = Holder()
            seen = weakref.ref(held)
            other = 1
            del held
            other = 2
            alive.append(seen())
        f()
    """
    alive: list[object] = []
    ran = run(text, "inplacelab", Part(start=FromCondition("other == 3")), alive=alive)
    assert alive == [None]
    assert ran.session.missed is not None


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("epoc == 3", "`epoc` was never a name"),
        ("epoch == 300", "was never true before any of the 83 statements"),
        ("epoch.foo == 3", "AttributeError: 'int' object has no attribute 'foo'"),
        ("epoch > 1 and 1 / 0", "ZeroDivisionError: division by zero"),
        ("[each.foo for each in [epoch]]", "AttributeError"),
        ("exit(3)", "SystemExit: 3"),
        ("epoch >= 0 and (lambda: nowhere)()", "`nowhere` was never a name"),
    ],
)
def test_a_condition_that_is_never_true_says_why(condition: str, says: str) -> None:
    ran = run(LOOP, "inplacelab", Part(start=FromCondition(condition)), exit=sys.exit)
    assert (len(ran.recording), ran.raised, ran.names["epoch"]) == (0, None, 39)
    missed = ran.session.missed
    assert missed is not None
    for language in LANGUAGES:
        assert condition in missed.in_language(language)
    assert says in str(missed)


def test_a_step_that_does_not_exist_says_how_many_there_were() -> None:
    missed = run(LOOP, "inplacelab", Part(start=FromStep(84))).session.missed
    assert "step 84 does not exist, because the program ended after 83" in str(missed)
    assert run(LOOP, "inplacelab", Part(start=FromStep(83))).session.missed is None


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ((0, None, None, None), "--from-step: 0 is not"),
        (("-1", None, None, None), "--from-step: '-1' is not"),
        ((None, None, "x", None), "--limit: 'x' is not"),
        ((None, None, None, "1.5"), "--stop-after: '1.5' is not"),
        ((None, None, 3, 4), "--limit 3 ends the recording before the 4 steps"),
        ((3, "x", None, None), "leave one of them out"),
        ((None, " ", None, None), "the condition is empty"),
        ((None, "epoch = 3", None, None), "`epoch = 3` is an assignment"),
        ((None, "epoch += 3", None, None), "is an assignment"),
        ((None, "epoch ==", None, None), "`epoch ==` is not a Python expression"),
        ((None, "(y := 3)", None, None), "`:=`"),
        ((None, "[y := 3 for x in z]", None, None), "`:=`"),
        ((None, "(yield)", None, None), "`yield`"),
        ((None, "await x", None, None), "`await`"),
        ((None, "x\0", None, None), "is not a Python expression"),
        ((None, "-" * 100_000 + "1", None, None), "is not a Python expression"),
    ],
)
def test_values_that_choose_no_part_are_refused(values: tuple[Any, ...], says: str) -> None:
    with pytest.raises(PartError) as refused:
        Part.of(*values)
    assert says in str(refused.value)
    assert refused.value.why.zh != refused.value.why.en


def test_a_condition_does_not_change_the_program() -> None:
    text = "x = 1\ntry:\n    1 / 0\nexcept ZeroDivisionError as error:\n    seen = error\n    y = x\nnames = sorted(globals())\n"
    ran = run(text, "inplacelab", Part(start=FromCondition("nowhere == 1 or [each for each in nothing]")))
    plain = names_for("inplacelab")
    exec(text, plain)
    assert ran.names["names"] == plain["names"]
    assert ran.names["seen"].__context__ is None
    assert ran.names["seen"].__traceback__.tb_next is None


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
def test_modes_of_the_program_end_as_they_do_unrecorded() -> None:
    text = """
        import torch
        from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack as stack
        class Counts(TorchFunctionMode):
            seen = 0
            def __torch_function__(self, func, types, args=(), kwargs=None):
                Counts.seen += 1
                return func(*args, **(kwargs or {}))
        with Counts(), torch.device("cpu"):
            a = torch.ones(2)
            begin = True
            b = a + 1
        c = b * 2
        left = Counts.seen, [type(each).__name__ for each in stack()]
        d = c * 2
        again = Counts.seen
    """
    ran = run(text, "torch", Part(start=FromCondition("begin")))
    assert ran.raised is None
    assert [step.op for step in ran.recording.steps if step.op] == ["add", "mul", "mul"]
    seen, left = ran.names["left"]
    assert set(left) == {"Mode"}  # of the recorder, and of the watch
    assert ran.names["again"] == seen


# ---- where it ends -------------------------------------------------------------------------------------------------------


def intercepted(framework: str) -> Callable[[], Any]:
    """Returns what tells whether a framework's functions are those that an unrecorded program calls, and whether code is traced."""
    if framework == "torch":
        torch = import_module("torch")

        def state() -> Any:
            return (
                torch.overrides._get_current_function_mode_stack(),
                torch.autograd._engine_run_backward,
                torch.Tensor.set_,
                torch.nn.MultiheadAttention.forward,
            )

    elif framework == "paddle":
        real = import_module("paddle")

        def state() -> Any:
            return real._C_ops.add, vars(real.Tensor).get("__add__"), real.base.core.eager.run_backward

    else:

        def state() -> Any:
            return modes.current().listeners, list(errors.watchers)

    return lambda: (state(), sys.gettrace(), list(instrument._listeners))


@every_framework
def test_after_the_limit_nothing_of_the_recorder_is_left(framework: str) -> None:
    before = intercepted(framework)()
    text = LOOP + "after = state(); heard = call()\nw = x - 1\n"
    calls: dict[str, Any] = {"call": lambda: builtins.__dict__[instrument.CALL]}
    ran = run(text, framework, Part(5), state=intercepted(framework), **calls)
    assert (len(ran.recording), ran.raised) == (5, None)
    assert ran.recording.truncated >= 1
    assert ran.names["after"] == before
    assert ran.names["heard"] is not instrument.statement_begins
    assert ran.names["epoch"] == 39


@every_framework
def test_after_the_limit_of_a_block_nothing_of_the_recorder_is_left(framework: str) -> None:
    names = names_for(framework)
    module = names[SHORT.get(framework, framework)]
    x, y = module.ones([2]), module.ones([2])
    state = intercepted(framework)
    before, after = state(), []

    def train() -> None:
        nonlocal x
        for _ in range(30):
            x = x + y
        after.append(state())

    with paddle.record(limit=7, framework=framework) as block:
        train()
        after.append(state())
        x = x * 2
    assert after == [before, before]
    assert state() == before
    assert block.recording is not None
    assert (len(block.recording), block.recording.truncated > 0) == (7, True)


def test_a_loop_that_had_begun_before_has_no_numbers() -> None:
    text = "x = paddle.ones([2])\nfor k in range(4):\n    x.exp_()\n    for l in range(2):\n        x.sin_()\n"
    steps = run("import inplacelab as paddle\n" + text, "inplacelab", Part(start=FromStep(7))).recording.steps
    inside = [(step.op, tuple((each.line, each.number, each.count) for each in step.loops)) for step in steps]
    assert {*inside} == {("exp_", ()), ("sin_", ((5, 1, 2),)), ("sin_", ((5, 2, 2),))}
    assert len({step.loops for step in steps}) == 1 + 6, "each run of the inner loop is one of its own"


def test_lines_alone_reach_the_limit() -> None:
    text = "x = paddle.ones([2])\nfor k in range(100):\n    y = x\n    y = None\nheard = call()\n"
    ran = run(
        "import inplacelab as paddle\n" + text, "inplacelab", Part(9), call=lambda: builtins.__dict__[instrument.CALL]
    )
    assert (len(ran.recording), ran.recording.truncated > 0) == (9, True)
    assert ran.names["heard"] is not instrument.statement_begins


@pytest.mark.parametrize("framework", FRAMEWORKS[:3])
def test_a_limit_inside_a_backward_pass_ends_the_recording_after_it(framework: str) -> None:
    hook = "a.register_hook(lambda gradient: seen.append(gradient + 1) or None)\n"
    text = GRADIENT[framework] + hook + "c = (a * 2).sum()\nc.backward()\nafter = state()\nd = a + 1\n"
    before = intercepted(framework)()
    whole = run(text, framework, Part(), seen=[], state=intercepted(framework)).recording
    inside = [step.index for step in whole.steps if step.phase == "backward"]
    for limit in range(inside[0], inside[-1] + 1):
        seen: list[object] = []
        ran = run(text, framework, Part(limit), seen=seen, state=intercepted(framework))
        assert (len(ran.recording), ran.raised, len(seen)) == (limit, None, 1)
        assert ran.names["after"] == before


@pytest.mark.parametrize("framework", FRAMEWORKS[:3])
def test_a_failure_after_the_limit_is_the_program_s_own_and_is_told(framework: str) -> None:
    text = (
        GRADIENT[framework]
        + "b = a * 2\nc = b.exp()\n"
        + "d = a + 1\n" * 20
        + "c.detach().zero_()\nc.sum().backward()\n"
    )
    ran = run(text, framework, Part(6))
    assert isinstance(ran.raised, RuntimeError)
    assert len(ran.recording) == 6
    assert "After the recording had ended, the program failed with" in ran.notes
    assert ran.recording.steps[-1].error is None


# ---- the program is stopped ----------------------------------------------------------------------------------------------


@every_framework
def test_a_program_is_stopped_after_as_many_steps(framework: str) -> None:
    text = """
        ended = []
        x = {0}.ones([2])
        try:
            while True:
                try:
                    x = x + 1
                except Exception:
                    ended.append("except")
        finally:
            ended.append("finally")
    """
    ran = run(text, framework, Part(12, stop_after=12))
    assert isinstance(ran.raised, ProgramStopped)
    assert len(ran.recording) == 12
    assert ran.recording.truncated == 0
    assert ran.names["ended"] == ["finally"]
    assert "The program was stopped here, after step 12" in ran.notes


def test_a_program_that_catches_everything_goes_on_and_that_is_told() -> None:
    text = "for k in range(30):\n    try:\n        x = {0}.ones([2])\n        y = x + 1\n        z = x + 2\n    except BaseException as error:\n        caught = error\n"
    ran = run(text, "inplacelab", Part(4, stop_after=4))
    assert (ran.raised, ran.names["k"], type(ran.names["caught"])) == (None, 29, ProgramStopped)
    assert "which it caught" in ran.notes


def test_a_program_that_ends_before_is_not_stopped() -> None:
    ran = run("x = {0}.ones([2])\ny = x + 1\n", "inplacelab", Part(2, stop_after=2))
    assert (ran.raised, ran.notes, len(ran.recording)) == (None, "", 2)


def test_steps_are_counted_from_where_the_recording_begins() -> None:
    ran = run(LOOP, "inplacelab", Part(3, FromStep(50), 3))
    assert (len(ran.recording), ran.session.ended_at) == (3, 52)
    assert isinstance(ran.raised, ProgramStopped)


# ---- blocks in any file --------------------------------------------------------------------------------------------------

MODULE = """\
import {1}
import inplacelab

def scaled(x, factor):
    with inplacelab.record(framework="{0}") as block:
        y = x * factor
        z = y + 1
    return block, z

class Trainer:
    def __init__(self):
        self.blocks = []
        self.again = inplacelab.record(framework="{0}")
        self.recordings = []

    def step(self, x):
        for k in range(3):
            with inplacelab.record(framework="{0}") as block:
                x = x * 2
            self.blocks.append(block)
            with self.again:
                x = x + 1
            self.recordings.append(self.again.recording)
        return x
"""


@pytest.fixture
def module(framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Returns the name of a module of the program with blocks in a function, a method and a loop."""
    name = f"with_blocks_{framework}"
    import_as = "numpy as np" if framework == "numpy" else framework
    (tmp_path / f"{name}.py").write_text(MODULE.replace("{0}", framework).replace("{1}", import_as), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


@every_framework
def test_blocks_in_functions_methods_and_loops_of_a_module(framework: str, module: str) -> None:
    imported: ModuleType = __import__(module)
    x = names_for(framework)[SHORT.get(framework, framework)].ones([2])
    check_blocks(imported.scaled(x, 3)[0], trainer := imported.Trainer(), trainer.step(x))


@every_framework
def test_blocks_inside_a_program_that_is_recorded(framework: str, module: str) -> None:
    text = f"""
        import {module}
        x = {{0}}.ones([2])
        block, z = {module}.scaled(x, 3)
        trainer = {module}.Trainer()
        last = trainer.step(x)
    """
    ran = run(text, framework, Part())
    assert ran.raised is None
    check_blocks(ran.names["block"], ran.names["trainer"], ran.names["last"])
    assert len([step for step in ran.recording.steps if step.op]) >= 9
    assert not [each for each in ran.recording.notes if "stopped" in str(each)]


def check_blocks(block: Any, trainer: Any, last: Any) -> None:
    """Checks what the blocks of `MODULE` have recorded of ones."""
    assert block.recording.source.splitlines() == ["y = x * factor", "z = y + 1"]
    assert [step.line for step in block.recording.steps if step.op] == [1, 2]
    assert [len(each.recording.on_line(1)) > 0 for each in trainer.blocks] == [True] * 3
    assert [each.recording.source.strip() for each in trainer.blocks] == ["x = x * 2"] * 3
    assert len({id(each) for each in trainer.recordings}) == 3
    assert trainer.again.recording is trainer.recordings[-1]
    assert last.tolist() == [15.0, 15.0]


# ---- compiled code -------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize("part", ["never", "later", "until"])
def test_compiled_code_is_compiled_as_it_is_unrecorded(part: str) -> None:
    text = """
        import torch
        @torch.compile(backend=backend, fullgraph=True)
        def f(x):
            y = x * 2
            return y + 1
        x = torch.ones(2)
        for k in range(9):
            x = f(x) * 0.1
    """
    graphs: list[list[str]] = []

    def backend(module: Any, _: object) -> Any:
        graphs.append([str(each.target) for each in module.graph.nodes if each.op == "call_function"])
        return module.forward

    parts = {
        "never": Part(start=FromStep(1000)),
        "later": Part(start=FromCondition("k == 5")),
        "until": Part(3),
    }
    ran = run(text, "torch", parts[part], backend=backend)
    assert ran.raised is None
    assert {tuple(each) for each in graphs} == {("<built-in function mul>", "<built-in function add>")}
    assert ran.names["x"].tolist() == pytest.approx([0.125, 0.125], rel=1e-5)
