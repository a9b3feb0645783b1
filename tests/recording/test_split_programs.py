"""Tests that a program split over two modules says the same as the program in one file, but for the places."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from inplacelab.cli.script import run_script
from inplacelab.place import Place
from inplacelab.recording import Recording, sentence
from inplacelab.recording.facts import FixFacts, Step
from inplacelab.recording.fixes import of_recording
from inplacelab.recording.fixes.spots import changed
from inplacelab.recording.trace import trace

NAMES = {
    "inplacelab": {"tracked": "F.to_tensor([0.5, 1., 2.], stop_gradient=False)"},
    "paddle": {"tracked": "F.to_tensor([0.5, 1., 2.], stop_gradient=False)"},
    "torch": {"tracked": "F.tensor([0.5, 1., 2.], requires_grad=True)"},
    "inplacelab.torch": {"tracked": "F.tensor([0.5, 1., 2.], requires_grad=True)"},
    "numpy": {"tracked": "F.array([0.5, 1., 2.])"},
}
FUNCTIONS = {
    "its own result": "def act(x):\n    y = x.exp()\n    y.add_(x)\n    return y\n",
    "an operand": "def act(x):\n    h = x * 1.0\n    y = h * h\n    h.sin_()\n    y = y + h\n    return y\n",
    "in another function": "def act(x):\n    u = x.exp()\n    change(u)\n    y = u * x\n    return y\n\ndef change(v):\n    v.sqrt_()\n",
}
MAIN = "x = {tracked}\na = x * 2.0\nb = act(a)\nc = act(b)\nloss = c.sum()\nloss.backward()\n"
ALIASES = "def act(x):\n    part = x[1:]\n    part += 2\n    return part\n"
OF_NUMPY = "x = {tracked}\na = x * 2.0\nb = act(a)\nc = act(b)\n"

FILE = r"`\w+\.py`"
PLACE = re.compile(
    rf", called from line \d+(?: of {FILE})?|line \d+(?: of {FILE})?|，由 ?(?:{FILE} )?第 \d+ 行调用| ?(?:{FILE} )?第 \d+ 行",
    re.IGNORECASE,
)
CHECKED = re.compile(r"\((?:Not checked|Checked)\.\)|（(?:未经检验|已检验)。）")


@pytest.fixture(params=NAMES)
def framework(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(request.param)
    return str(request.param)


@pytest.fixture
def module(tmp_path: Path) -> Iterator[str]:
    """The name of a module that no other test imports."""
    name = f"own{abs(hash(tmp_path))}"
    yield name
    sys.modules.pop(name, None)


class Both:
    """A program in one file, and split over two.

    Args:
        folder: where they are written.
        framework: what they use.
        functions: the text of the functions.
        main: the text that calls them.
        module: the module of the functions, when split.
    """

    def __init__(self, folder: Path, framework: str, functions: str, main: str, module: str) -> None:
        imports = f"import {framework} as F\n"
        main = main.replace("{tracked}", NAMES[framework]["tracked"])
        self.head, self.module = f"{imports}from {module} import act\n", f"{module}.py"
        (folder / self.module).write_text(functions)
        (folder / "one.py").write_text(imports + functions + main)
        (folder / "main.py").write_text(self.head + main)
        self.one, self.split = (
            run_script(folder / name, [], title=None, limit=500, framework=framework)[0]
            for name in ("one.py", "main.py")
        )
        self.one_head = imports

    def joined(self, recording: Recording, fix: FixFacts) -> str:
        """The fixed program as one text without its imports."""
        read, _ = of_recording(recording)
        after = {file: text for file, (_, text) in changed(fix.edits, read).items()}
        if recording is self.one:
            return after[""].removeprefix(self.one_head).rstrip("\n")
        name = next(each.name for each in recording.sources[1:])
        functions, main = after.get(name, read(name)), after.get("", read(""))
        return (functions + main.removeprefix(self.head)).rstrip("\n")


def of_program(recording: Recording) -> list[Step]:
    """The steps that ran an operation, went back or failed."""
    return [step for step in recording.steps if step.kind != "line"]


def text_at(recording: Recording, place: Place | None) -> str:
    assert place is not None
    return recording.text_of(place.source).splitlines()[place.line - 1]


def without_places(text: str) -> str:
    """A sentence without lines and files, and without what trying has shown: programs of several files are not tried while they are recorded."""
    return CHECKED.sub("", PLACE.sub("", text))


@pytest.fixture(params=FUNCTIONS)
def both(request: pytest.FixtureRequest, tmp_path: Path, framework: str, module: str) -> Both:
    functions, main = FUNCTIONS[request.param], MAIN
    if framework == "numpy":
        functions, main = ALIASES, OF_NUMPY
    return Both(tmp_path, framework, functions, main, module)


def test_steps_and_sentences(both: Both) -> None:
    one, split = of_program(both.one), of_program(both.split)
    assert [each.name.rpartition("/")[2] for each in both.split.sources] == ["", both.module]
    assert len(both.one.sources) == 1
    assert len(one) == len(split)
    for mine, other in zip(one, split, strict=True):
        assert (mine.kind, mine.op, mine.category) == (other.kind, other.op, other.category)
        calls = [[text_at(found, each) for each in step.place.calls] for found, step in ((both.one, mine), (both.split, other)) if step.place]  # fmt: skip
        assert calls[0] == calls[1]
        said = sentence(both.one, mine.index), sentence(both.split, other.index)
        assert without_places(said[0].en) == without_places(said[1].en)
        assert without_places(said[0].zh) == without_places(said[1].zh)


def test_marks_and_fixes(both: Both) -> None:
    one, split = both.one.steps[-1].error, both.split.steps[-1].error
    if both.one.framework == "numpy":
        assert one is split is None
        return
    assert one is not None
    assert split is not None
    found = [trace(each, len(each) - 1) for each in (both.one, both.split)]
    assert [(each.role, each.at.text, each.brief) for each in found[0]] == [(each.role, each.at.text, each.brief) for each in found[1]]  # fmt: skip
    assert {each.at.file for each in found[0]} == {""}
    assert {each.at.file.rpartition("/")[2] for each in found[1] if each.role != "needed"} == {both.module}
    assert len(one.fixes) == len(split.fixes) > 0
    for mine, other in zip(one.fixes, split.fixes, strict=True):
        assert without_places(mine.says.en) == without_places(other.says.en)
        assert both.joined(both.one, mine) == both.joined(both.split, other)
