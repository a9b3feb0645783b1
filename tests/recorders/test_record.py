"""Tests `record()` in a script: the block's lines and names, errors included; and the calls that `%%stepper` inserts."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest

import inplacelab as paddle
from inplacelab import Tensor
from inplacelab.recorders import instrument
from inplacelab.recorders.bindings import Bindings, Watched
from inplacelab.recorders.detection import Use, framework_of_script, framework_used
from inplacelab.recorders.main_module import Main
from inplacelab.recorders.program import Block, Scope, with_block
from inplacelab.recorders.sources import identifiers
from inplacelab.recording import Recording, queries


def finished(block: paddle.record) -> Recording:
    assert block.recording is not None
    return block.recording


def test_a_block() -> None:
    outside = paddle.ones([2])
    with paddle.record(title="halves") as block:
        inside = outside * 2
        shown = inside[:1]
        shown.scale_(0.5)
    recording = finished(block)
    assert recording.title == "halves"
    assert recording.source == "inside = outside * 2\nshown = inside[:1]\nshown.scale_(0.5)\n"
    assert [(s.line, s.op) for s in recording.steps] == [(1, "scale"), (2, "getitem"), (3, "scale_")]
    state = recording.state()
    assert {t.names for t in state.tensors.values()} == {("outside",), ("inside",), ("shown",)}
    assert queries.visible_values(state, "inside") == (1.0, 2.0)
    assert inside.tolist() == [1.0, 2.0]


def _helper(x: Tensor) -> Tensor:
    return x.exp_()


def test_a_block_in_a_loop_and_calls_to_functions() -> None:
    x = paddle.zeros([1])
    found = []
    for _ in range(2):
        with paddle.record() as block:
            _helper(x)
        found.append([s.op for s in finished(block).steps])
    assert found == [["exp_"], ["exp_"]]


def test_a_block_that_raises() -> None:
    block = paddle.record()
    with pytest.raises(ValueError, match="Leaf Var"), block:  # noqa: PT012  # the block is what is tested
        w = paddle.to_tensor([1.0], stop_gradient=False)
        w.zero_()
    recording = finished(block)
    last = recording.steps[-1]
    assert (last.kind, last.line) == ("error", 2)
    assert last.error is not None
    assert last.error.type == "ValueError"


def test_the_limit() -> None:
    x = paddle.zeros([1])
    with paddle.record(limit=2) as block:
        for _ in range(5):
            x.scale_(1.0)
    assert (len(finished(block)), finished(block).truncated) == (2, 1)


def _peak() -> int:
    """Returns the peak bytes of a loop beyond those at its start."""
    x = paddle.ones([1000])
    paddle.device.reset_max_memory_allocated()
    start = paddle.device.memory_allocated()
    for _ in range(4):
        x = x.scale(0.5).relu_()
    return paddle.device.max_memory_allocated() - start


def test_nothing_lives_longer_in_a_function_that_is_recorded() -> None:
    """(Up to Python 3.12, reading a frame's locals leaves a copy of them on the frame.)"""
    with paddle.record():
        recorded = _peak()
    assert recorded == _peak() == 4000


def test_before_the_end_there_is_no_recording() -> None:
    with paddle.record() as block:
        assert block.recording is None


# ---- where names and lines come from ------------------------------------------------------------------------------------

STATEMENTS = '''\
"""A docstring stays the first statement."""
from __future__ import annotations
x = 1
def f(a):
    """Its own docstring."""
    if a:
        return a
    else:
        a += 1
    return a
for k in range(2):
    x = f(k)
try:
    x = [
        1,
    ]
finally:
    x = 3
class C:
    y = 2
while x > 2: x -= 1
with open(__file__) as handle: pass
'''


def test_instrumentation_changes_neither_lines_nor_results() -> None:
    tree = instrument.instrumented(ast.parse(STATEMENTS))
    lines: list[int] = []
    instrumented: dict[str, Any] = {
        instrument.CALL: lambda line, *_: lines.append(line),
        instrument.LOOP: lambda *_: None,
        "__file__": __file__,
    }
    plain: dict[str, Any] = {"__file__": __file__}
    exec(compile(tree, "<instrumented>", "exec"), instrumented)
    exec(compile(STATEMENTS, "<plain>", "exec"), plain)
    assert (instrumented["x"], instrumented["k"], instrumented["C"].y) == (plain["x"], plain["k"], plain["C"].y)
    assert instrumented["__doc__"] == plain["__doc__"] == "A docstring stays the first statement."
    assert instrumented["f"].__doc__ == "Its own docstring."
    assert lines == [3, 11, 12, 6, 9, 10, 12, 6, 7, 13, 14, 18, 20, 21, 21, 21, 22]


def test_instrumentation_leaves_tracebacks_alone() -> None:
    tree = instrument.instrumented(ast.parse("x = 1\n\n1 / 0\n"))
    with pytest.raises(ZeroDivisionError) as caught:
        exec(compile(tree, "<instrumented>", "exec"), {instrument.CALL: lambda line, *_: None})
    assert caught.traceback[-1].lineno == 2  # counted from 0


def test_identifiers() -> None:
    assert identifiers(ast.parse("x = y[0].z + f(a=b)")) == {"x", "y", "f", "b"}


def test_only_names_of_the_program_count() -> None:
    x = paddle.ones([1])
    scopes = [Scope({"x": x, "other": x, "_": [x]}, "")]
    assert Bindings({"x"}, Watched(Tensor)).look(scopes, done=True) == [(x, ("x",))]


def test_a_block_whose_file_cannot_be_read() -> None:
    assert with_block("<nowhere>", 3) == Block("", 1)


def test_the_strides_of_what_has_no_elements() -> None:
    x = paddle.ones([2, 3])
    with paddle.record() as block:
        nothing = x[1:0].tanh()
    (facts,) = [t for t in finished(block).state().tensors.values() if t.names == ("nothing",)]
    assert (*facts.strides,) == (*nothing.strides,) == (3, 1)


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("import inplacelab\nsys.modules['paddle'] = inplacelab\nimport paddle", "inplacelab"),
        ("import inplacelab as engine\nsys.modules.update({'paddle': engine})\nimport paddle", "inplacelab"),
        ("engine = importlib.import_module('inplacelab')\nsys.modules['paddle'] = engine\nimport paddle", "inplacelab"),
        ("import inplacelab.torch\nsys.modules['torch'] = inplacelab.torch\nimport torch", "inplacelab.torch"),
        ("from inplacelab import torch as t\nsys.modules.setdefault('torch', t)\nimport torch.nn", "inplacelab.torch"),
        ("sys.modules['runlogger'] = ModuleType('runlogger')\nimport numpy\nimport runlogger", "numpy"),
        ("import numpy\nsys.modules['runlogger'] = Stub()\nimport runlogger", "numpy"),
        ("sys.modules['numpy.plots'] = stub\nimport runlogger\nfrom numpy.plots import plot", "numpy"),
        ("for name in ('runlogger', 'wandb'):\n    sys.modules[name] = Stub(name)\nimport numpy, wandb", "numpy"),
        ("with patch.dict(sys.modules, {'wandb': Stub()}):\n    import numpy, wandb", "numpy"),
        ("sys.modules['torch'] = ModuleType('torch')\nimport torch\nimport numpy", "numpy"),
        ("import numpy\nsys.modules['numpy'] = None", "numpy"),
    ],
)
def test_a_program_that_replaces_modules_uses_what_it_imports(text: str, framework: str) -> None:
    tree = ast.parse(f"import sys\n{text}\n")
    assert framework_used(tree, {}) == Use(framework)
    assert framework_of_script(Main(Path("program.py")), tree) == Use(framework)


@pytest.mark.parametrize(
    ("text", "framework"),
    [
        ("import inplacelab\ninplacelab.show(a)", "numpy"),
        ("import inplacelab as lab\nwith lab.record() as r:\n    lab.set_language('zh')", "numpy"),
        ("from inplacelab import explain, shares_storage", "numpy"),
        ("import inplacelab\ninplacelab.show(inplacelab.ones([2]))", "inplacelab"),
        ("import inplacelab\ninplacelab.show(a)\nf(inplacelab)", "inplacelab"),
        ("import inplacelab\nimport inplacelab.nn\ninplacelab.show(a)", "inplacelab"),
        ("from inplacelab import explain, ones", "inplacelab"),
        ("import inplacelab", "inplacelab"),
    ],
)
def test_a_program_that_only_looks_through_this_package_uses_another(text: str, framework: str) -> None:
    tree = ast.parse(f"import numpy\na = numpy.ones(2)\n{text}\n")
    assert framework_used(tree, {}) == Use(framework)
    assert framework_of_script(Main(Path("program.py")), tree) == Use(framework)


def test_a_module_that_an_earlier_cell_has_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paddle", paddle)
    assert framework_used(ast.parse("import paddle\nx = paddle.ones([2])"), {}) == Use("inplacelab")
