"""Tests that the program's own `except` sees the traceback of the unrecorded run: no frames of a recorder."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import inplacelab
from inplacelab.recorders.program import learners_traceback

pytestmark = pytest.mark.oracle

REPORTS = """
import logging, sys, traceback
log = logging.getLogger("program")
log.addHandler(logging.StreamHandler())
log.propagate = False
def report(error):
    log.exception("while it was handled")
    print([(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)], file=sys.stderr)
    print([(frame.name, frame.lineno) for frame in traceback.extract_tb(sys.exc_info()[2])], file=sys.stderr)
    traceback.print_exc()
"""
TORCH = """
import torch
def multiply(x):
    return torch.nn.functional.linear(x, torch.ones(3, 3))
def attempt(x):
    try:
        multiply(x)
    except RuntimeError as error:
        raise ValueError("no such shape") from error
def refuse(g):
    raise KeyError("in a hook")
try:
    attempt(torch.ones(2))
except ValueError as error:
    report(error)
try:
    torch.nn.functional.cross_entropy(torch.ones(2, 3), torch.zeros(3))
except Exception as error:
    report(error)
x = torch.ones(2, requires_grad=True)
y = x.exp()
y.add_(1)
try:
    y.sum().backward()
except RuntimeError as error:
    report(error)
z = x * 2
z.register_hook(refuse)
try:
    try:
        z.sum().backward()
    finally:
        y = None
except KeyError as error:
    report(error)
multiply(x)
"""
PADDLE = """
import paddle
def multiply(x):
    return x @ paddle.ones([5])
def refuse(g):
    raise KeyError("in a hook")
try:
    multiply(paddle.ones([2]))
except ValueError as error:
    report(error)
x = paddle.ones([2])
x.stop_gradient = False
y = x.exp()
y.add_(x)
try:
    y.sum().backward()
except Exception as error:
    report(error)
try:
    paddle.concat([paddle.ones([2]), paddle.ones([2, 2])])
except ValueError as error:
    report(error)
multiply(x)
"""
RECORD = ("-m", "inplacelab", "record", "--format", "txt", "-o", "-")


@pytest.mark.parametrize(("framework", "text"), [("torch", TORCH), ("paddle", PADDLE)], ids=["torch", "paddle"])
def test_handled_errors_have_the_tracebacks_of_the_unrecorded_run(framework: str, text: str, tmp_path: Path) -> None:
    pytest.importorskip(framework)
    script = tmp_path / "fails.py"
    script.write_text(REPORTS + text)
    recorded, unrecorded = _errors_of(*RECORD, str(script)), _errors_of(str(script))
    assert unrecorded.count("while it was handled") >= 3
    assert recorded == unrecorded


def _errors_of(*arguments: str) -> str:
    """What a process of Python prints to its error output, without Paddle's log, which tells the time."""
    printed = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False).stderr
    return re.sub(r"^W\d{4} .*\n", "", printed, flags=re.MULTILINE)


def test_a_program_whose_name_begins_like_the_package_keeps_its_frames() -> None:
    name = f"{Path(str(inplacelab.__file__)).parent}_programs.py"
    with pytest.raises(inplacelab.errors.Refusal) as raised:
        exec(compile("inplacelab.ones([2]) + inplacelab.ones([3])", name, "exec"), {"inplacelab": inplacelab})
    trace = learners_traceback(raised.value, name)
    assert trace is not None
    assert trace.tb_frame.f_code.co_filename == name
