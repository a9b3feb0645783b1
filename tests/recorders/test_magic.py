"""Tests `%%stepper` in a real IPython shell: the cell prints, shows and raises the same as without the magic."""

from __future__ import annotations

import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import inplacelab
from inplacelab.installing import command, requirement
from inplacelab.language import LANGUAGES, speak
from inplacelab.lessons import recorded
from inplacelab.recording import Recording, codec
from inplacelab.recording.sentences import sentence

interactiveshell = pytest.importorskip(
    "IPython.core.interactiveshell", reason="needs IPython: python -m pip install -e '.[lab]'"
)
Config = pytest.importorskip("traitlets.config").Config


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    with new_shell() as made:
        yield made


@contextmanager
def new_shell() -> Iterator[Any]:
    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # IPython's own
        made = interactiveshell.InteractiveShell(config=config)
        made.run_cell("%load_ext inplacelab\nimport inplacelab as paddle", store_history=True)
        yield made


class Shown:
    """The output of one cell."""

    def __init__(self, result: Any, out: str, displayed: list[Any]) -> None:
        self.error: BaseException | None = result.error_in_exec or result.error_before_exec
        self.result, self.out, self.displayed = result.result, out, displayed


@pytest.fixture
def cell(shell: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Shown]:
    """Runs a cell and returns its output."""
    return running_in(shell, capsys, monkeypatch)


@pytest.fixture
def alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Shown]]:
    """The same in a shell of its own."""
    with new_shell() as made:
        yield running_in(made, capsys, monkeypatch)


def running_in(
    shell: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Shown]:
    displayed: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda shown: displayed.append(shown))

    def run(text: str, number: str | None = None) -> Shown:
        displayed.clear()
        capsys.readouterr()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = shell.run_cell(text, store_history=True, cell_id=number)
        return Shown(result, capsys.readouterr().out, list(displayed))

    return run


Run = Callable[..., Shown]


def test_a_cell_is_run_recorded_and_shown(cell: Run, shell: Any) -> None:
    shown = cell(
        "%%stepper --name rec --title 'twice as much'\nx = paddle.ones([2])\ny = x.scale_(2.)\nprint(y.tolist())\n"
    )
    assert shown.error is None
    assert shown.out == "[2.0, 2.0]\n"
    assert shell.user_ns["x"] is shell.user_ns["y"]
    recording = shell.user_ns["rec"]
    assert isinstance(recording, Recording)
    assert recording is inplacelab.last_recording()
    assert (recording.title, [(s.line, s.op) for s in recording.steps][:2]) == (
        "twice as much",
        [(1, "ones"), (2, "scale_")],
    )
    assert recording.source.startswith("x = paddle.ones([2])\n")
    assert len(shown.displayed) == 1
    assert shown.displayed[0].recording is recording


def test_predict_mode_is_an_option(cell: Run) -> None:
    text = "x = paddle.ones([2])\nx.scale_(2.)\n"
    assert not cell(f"%%stepper\n{text}").displayed[0].predict
    assert cell(f"%%stepper --predict\n{text}").displayed[0].predict


def test_a_stepper_opens_at_the_most_telling_step_or_at_the_beginning(cell: Run) -> None:
    program = "n = 2\nx = paddle.ones([n])\nx.scale_(2.)\ny = x"

    def opened(options: str = "") -> int:
        (shown,) = [each for each in cell(f"%%stepper {options}\n{program}").displayed if hasattr(each, "n_steps")]
        step: int = shown.step
        return step

    assert opened() == 2
    assert opened("--from-start") == 1, "not at the first line, which changes nothing"
    cell("%stepper --from-start")
    assert opened() == 1
    cell("%stepper")
    assert opened() == 2


def test_at_the_beginning_the_value_of_the_last_line_is_not_told(cell: Run) -> None:
    program = "x = paddle.ones([2])\nx.scale_(7.)"
    assert "7." in cell(f"%%stepper\n{program}").out
    assert cell(f"%%stepper --from-start\n{program}").out == ""
    assert cell(f"%%stepper --predict\n{program}").out == ""


def test_from_the_start_the_steps_to_come_are_not_named(cell: Run) -> None:
    program = "x = paddle.ones([2])\nx.scale_(7.)"
    assert cell(f"%%stepper\n{program}").displayed[0]._tells_ahead
    assert not cell(f"%%stepper --from-start\n{program}").displayed[0]._tells_ahead


def test_ranks_open_at_the_most_telling_step_or_at_the_beginning(cell: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inplacelab.lessons.ranks.can_run", lambda: False)
    program = recorded("extra-rank0").source

    def opened(options: str = "") -> tuple[int, bool]:
        (shown,) = cell(f"%%ranks 2 --name extra {options}\n{program}").displayed
        return shown.step, shown._tells_ahead

    telling = opened()
    assert telling[0] > 0
    assert telling[1]
    assert opened("--from-start") == (0, False)
    cell("%stepper --from-start")
    assert opened() == (0, False)
    cell("%stepper")
    assert opened() == telling


def test_how_a_program_is_fixed_can_be_left_to_the_learner(cell: Run) -> None:
    text = "a = paddle.ones([2])\na.stop_gradient = False\nb = a * 2.\nc = b * b\nb.add_(a)\nc.sum().backward()\n"
    texts = {}
    for option in ("", " --no-fix"):
        shown = cell(f"%%stepper{option}\n{text}")
        recording = inplacelab.last_recording()
        notes = getattr(shown.error, "__notes__", [])
        texts[option] = "\n".join([str(shown.error), *notes, sentence(recording, len(recording) - 1).en])
    assert all("Line 5: overwritten by `add_`" in each for each in texts.values())
    assert texts[""].count("`b.clone()`") + texts[""].count("b = b.add(a)") >= 2
    assert "clone" not in texts[" --no-fix"]
    assert texts[" --no-fix"].count("yours to find") == 2


def test_the_last_expression_shows_its_value(cell: Run) -> None:
    assert "42" in cell("%%stepper\nz = 1\nz + 41\n").out
    assert "42" not in cell("%%stepper\nz = 1\nz + 41;\n").out
    assert cell("%%stepper\nz = 1\n").out == ""


def test_names_are_those_of_the_notebook(cell: Run, shell: Any) -> None:
    cell("first = paddle.zeros([1])")
    cell("%%stepper\nsecond = first\nthird = second[0]\n")
    assert shell.user_ns["second"] is shell.user_ns["first"]
    recording = inplacelab.last_recording()
    assert recording.state().tensor("second").names == ("first", "second")


def test_functions_of_an_earlier_cell(cell: Run) -> None:
    cell("%%stepper\n\n\ndef f(x):\n    y = x * 2\n    return y\nt = f(paddle.ones([1]))\n")
    later = cell("f(paddle.ones([1])).tolist()")
    assert later.error is None
    assert later.result == [2.0]
    cell("%%stepper\nz = f(paddle.ones([1]))\n")
    recording = inplacelab.last_recording()
    found = [
        (step.op, [(each.source, each.line, each.function) for each in step.place.calls])
        for step in recording.steps
        if step.place
    ]
    assert found == [("ones", [(0, 1, "")]), ("scale", [(1, 2, "f"), (0, 1, "")]), (None, [(0, 1, "")])]
    assert [each.text for each in recording.sources] == [
        "z = f(paddle.ones([1]))",
        "def f(x):\n    y = x * 2\n    return y\nt = f(paddle.ones([1]))\n",
    ]


EARLIER = """\
class Block({layer}):
    def __init__(self):
        super().__init__()
        self.w = {kept}

    def forward(self, x):
        h = x * self.w
        return h.exp_()
net = lib.nn.Sequential(Block(), Block())
"""


@pytest.mark.parametrize("framework", ["inplacelab", "torch", "paddle"])
def test_steps_into_the_forward_of_a_class_of_an_earlier_cell(cell: Run, framework: str) -> None:
    pytest.importorskip(framework)
    kind, ones = ("Module", "lib.ones(2)") if framework == "torch" else ("Layer", "lib.ones([2])")
    kept = f"lib.nn.Parameter({ones})" if framework == "torch" else ones
    cell(f"import {framework} as lib\n" + EARLIER.replace("{layer}", f"lib.nn.{kind}").replace("{kept}", kept))
    cell("1 + 1")
    cell(f"%%stepper\ny = net({ones})\n")
    recording = inplacelab.last_recording()
    (source,) = recording.sources[1:]
    assert re.fullmatch(r"In \[\d+\]", source.name)
    found = [
        (source.text.splitlines()[step.line - 1].strip(), step.place.owner, step.place.function)
        for step in recording.steps
        if step.place and step.line and step.place.source == 1
    ]
    for owner in ("net.0", "net.1"):
        assert [(line, function) for line, named, function in found if named == owner] == [
            ("h = x * self.w", "Block.forward"),
            ("return h.exp_()", "Block.forward"),
        ]


def test_other_magics_and_shell_lines_work_inside(cell: Run) -> None:
    shown = cell("%%stepper\n%precision 3\nx = paddle.ones([1])\n")
    assert shown.error is None
    assert inplacelab.last_recording().steps[-1].line == 2


def test_a_refusal_shows_the_learners_lines_only(cell: Run) -> None:
    shown = cell("%%stepper\na = paddle.to_tensor([1.], stop_gradient=False)\ndef f(x):\n    x.zero_()\nf(a)\n")
    assert isinstance(shown.error, ValueError)
    assert "Leaf Var () that doesn't stop gradient" in shown.out
    assert "f(a)" in shown.out
    assert "x.zero_()" in shown.out
    assert "inplacelab operation" not in shown.out
    assert "ipython.py" not in shown.out
    assert inplacelab.last_recording().steps[-1].kind == "error"
    assert len(shown.displayed) == 1


def test_a_refusal_outside_the_magic_shows_the_learners_lines_only(cell: Run) -> None:
    shown = cell("def g(x):\n    x.zero_()\ng(paddle.to_tensor([1.], stop_gradient=False))\n")
    assert "Leaf Var () that doesn't stop gradient" in shown.out
    assert "x.zero_()" in shown.out
    assert "inplacelab operation" not in shown.out
    assert "interactiveshell" not in shown.out


def test_a_row_that_contradicts_itself_is_refused_in_few_words(cell: Run) -> None:
    said = "from inplacelab.ops.table import elementwise\nelementwise('odd', 'x', ('x', 'x'), kernel=abs, d_x=lambda g, y: g)\n"
    shown = cell(said)
    assert "odd : the derivative `d_x` asks for `y`." in shown.out
    assert len(shown.out.splitlines()) < 12


def test_what_the_recorder_knows_is_shown_as_notes(cell: Run) -> None:
    text = "%%stepper\na = paddle.to_tensor([1.], stop_gradient=False)\nb = a * 2\nc = b * b\nb.zero_()\nc.backward()\n"
    assert "Line 4: overwritten by `zero_`: version 0 → 1." in cell(text).out


def test_any_other_error_shows_as_without_the_magic(cell: Run) -> None:
    text = "import json\ndef f():\n    return json.loads('{')\nf()\n"
    plain, stepped = cell(text), cell(f"%%stepper\n{text}")
    assert type(plain.error) is type(stepped.error)
    assert "decoder.py" in stepped.out
    assert "ipython.py" not in stepped.out
    assert plain.out.strip().splitlines()[-1] == stepped.out.strip().splitlines()[-1]


@pytest.mark.parametrize(
    "body",
    [
        "def __str__(self): raise KeyError('no')",
        "__class__ = property(lambda self: 1 / 0)",
        "__traceback__ = property(lambda self: 1 / 0)",
        "def __setattr__(self, name, value): raise KeyError(name)",
        "def __bool__(self): raise KeyError('no')",
    ],
)
def test_an_error_that_misbehaves_leaves_nothing_on(cell: Run, shell: Any, body: str) -> None:
    cell(f"%%stepper --name r\nclass Odd(Exception):\n    {body}\nx = paddle.ones([2])\nraise Odd\n")
    assert shell.user_ns["r"].steps[-1].error.type == "Odd"
    shown = cell("%%stepper --name s\nx.exp_()\n")
    assert shown.error is None
    assert [step.op for step in shell.user_ns["s"].steps] == ["exp_"]


def test_a_traceback_has_the_number_of_its_cell(cell: Run) -> None:
    text = "1 / 0\n"
    number = re.compile(r"(?:Cell In\[|ipython-input-)(\d+)")
    before, stepped, after = (number.search(cell(each).out) for each in (text, f"%%stepper\n{text}", text))
    assert before is not None
    assert stepped is not None
    assert after is not None
    assert int(stepped[1]) == int(before[1]) + 1 == int(after[1]) - 1


def test_a_syntax_error_shows_as_without_the_magic(cell: Run) -> None:
    before = inplacelab.last_recording()
    plain, shown = cell("x = (\n"), cell("%%stepper\nx = (\n")
    assert "incomplete input" in plain.out
    assert plain.out.splitlines()[-2:] == shown.out.splitlines()[-2:]
    assert "ipython.py" not in shown.out
    assert inplacelab.last_recording() is before
    assert shown.displayed == []


@pytest.mark.parametrize(("text", "said"), [("return 3", "'return' outside function"), ("await x", "of its own")])
def test_what_cannot_be_compiled_shows_no_frames_of_ours(cell: Run, text: str, said: str) -> None:
    shown = cell(f"%%stepper\n{text}\n")
    assert said in shown.out
    assert "ipython.py" not in shown.out
    assert shown.displayed == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--xyz", "%%stepper does not know --xyz.\nUsage"),
        ("--nme x", "does not know --nme. Did you mean --name?"),
        ("twice", "does not know twice."),
        ("--name", "cannot read --name."),
        ("--name 1x", "must be a Python name, not '1x'"),
        ("--title 'open", "cannot read --title 'open."),
        ("--limit 0", "--limit: '0' is not a whole number above 0"),
        ("--from-step x", "--from-step: 'x' is not a whole number above 0"),
        ("--from 'x = 1'", "`x = 1` is an assignment"),
        ("--from x --from-step 2", "leave one of them out"),
    ],
)
def test_bad_options_run_nothing(cell: Run, shell: Any, options: str, said: str) -> None:
    shown = cell(f"%%stepper {options}\nnever = 1\n")
    assert type(shown.error).__name__ == "UsageError"
    assert said in str(shown.error)
    assert "never" not in shell.user_ns


def test_bad_options_are_refused_in_both_languages(cell: Run) -> None:
    with speak("zh"):
        assert "不认识 --xyz。\n用法：%%stepper" in str(cell("%%stepper --xyz\nx = 1\n").error)


def test_a_part_of_a_cell_is_recorded(cell: Run, shell: Any) -> None:
    loop = "x = paddle.ones([2])\nfor k in range(30):\n    x.scale_(2.)\nlast = k\n"
    shown = cell(f"%%stepper --from 'k == 20' --limit 3\n{loop}")
    recording = inplacelab.last_recording()
    assert ([step.line for step in recording.steps], shell.user_ns["last"]) == ([3, 3, 3], 29)
    assert "22 earlier steps were not recorded" in str(recording.notes[0])
    assert len(shown.displayed) == 1
    stopped = cell(f"%%stepper --from-step 5 --stop-after 2\n{loop}")
    assert (stopped.error, len(inplacelab.last_recording()), shell.user_ns["k"]) == (None, 2, 4)
    never = cell(f"%%stepper --from 'nowhere == 1'\n{loop}")
    assert (never.error, never.displayed, shell.user_ns["k"]) == (None, [], 29)
    assert "`nowhere` was never a name" in never.out


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_cell_that_uses_numpy_alone(cell: Run, shell: Any, language: str) -> None:
    cell("import numpy as np\ndef scaled(a):\n    a *= 2\n    return a")
    with speak(language):
        shown = cell("%%stepper\nn = np.arange(4)\nm = n[1:]\nscaled(m)\n")
    recording = inplacelab.last_recording()
    assert shown.error is None
    assert (recording.framework, [(s.line, s.op) for s in recording.steps]) == (
        "numpy",
        [(1, "arange"), (2, "getitem"), (3, None), (3, "*="), (3, None)],
    )
    assert shown.displayed[0].recording is recording
    assert shell.user_ns["n"].tolist() == [0, 2, 4, 6]


def test_the_framework_used_a_cell_can_be_given(cell: Run) -> None:
    cell("import numpy as np")
    cell("%%stepper\nx = paddle.to_tensor(np.ones(2))\n")
    assert inplacelab.last_recording().framework == "inplacelab"
    cell("%%stepper --framework numpy\nx = paddle.to_tensor(np.ones(2)).numpy()\ny = x[1:]\n")
    assert [(s.line, s.op) for s in inplacelab.last_recording().steps] == [(1, None), (2, "getitem")]
    refused = cell("%%stepper --framework jax\nnever = 1\n").error
    assert "must be one of inplacelab.torch, inplacelab, torch, paddle, numpy, not 'jax'" in str(refused)


def test_an_interrupt_is_recorded_too(cell: Run) -> None:
    shown = cell("%%stepper\nx = paddle.ones([1])\nraise KeyboardInterrupt\n")
    assert "KeyboardInterrupt" in shown.out
    last = inplacelab.last_recording().steps[-1]
    assert last.error is not None
    assert last.error.type == "KeyboardInterrupt"


@pytest.mark.parametrize("text", ["\n", "import math\n"])
def test_a_cell_without_tensors(cell: Run, text: str) -> None:
    assert cell(f"%%stepper\n{text}").error is None
    assert len(inplacelab.last_recording()) == 0


def test_without_the_widgets_a_line_says_what_to_install(cell: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inplacelab_widgets", None)
    shown = cell("%%stepper\nx = paddle.ones([1])\n")
    assert command(requirement("lab")) in shown.out


def test_there_is_no_last_recording_in_a_new_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inplacelab.ipython._last", None)
    with pytest.raises(LookupError, match="begins with %%stepper"):
        inplacelab.last_recording()


# --- beside another cell -----------------------------------------------------------------------------------------------


def test_a_cell_is_shown_beside_a_recording(cell: Callable[[str], Shown]) -> None:
    cell("%%stepper --name shared\nx = paddle.ones([2])\ny = x.detach()\ny.scale_(2.0)")
    shown = cell("%%stepper --against shared --name copied\nx = paddle.ones([2])\ny = x.clone()\ny.scale_(2.0)")
    (widget,) = shown.displayed
    assert type(widget).__name__ == "Comparison"
    assert [each.title for each in widget.recordings] == ["shared", "copied"]
    assert widget.conclusion == "`x.detach()` shares its storage with `x`, `x.clone()` does not"


def test_a_cell_that_raises_is_shown_beside_and_raises(cell: Callable[[str], Shown]) -> None:
    cell("%%stepper --name fine\nx = paddle.ones([2])")
    shown = cell("%%stepper --against fine\nx = paddle.ones([2])\n1 / 0")
    assert isinstance(shown.error, ZeroDivisionError)
    assert len(shown.displayed) == 1


@pytest.mark.parametrize("name", ["nobody", "paddle", "1x"])
def test_what_is_no_recording_is_refused_in_a_sentence_and_the_cell_does_not_run(
    cell: Callable[[str], Shown], name: str
) -> None:
    cell("ran = False")
    shown = cell(f"%%stepper --against {name}\nran = True")
    assert (
        f"What follows --against must be the name of a recording, and '{name}' is not one"
        in str(shown.error) + shown.out
    )
    assert not shown.displayed
    assert cell("ran").result is False


def test_questions_are_about_one_program(cell: Callable[[str], Shown]) -> None:
    cell("%%stepper --name one\nx = paddle.ones([2])")
    shown = cell("%%stepper --against one --predict\nx = paddle.ones([2])")
    assert "leave one of them out" in str(shown.error) + shown.out


@pytest.mark.parametrize(
    "imports",
    [
        "import torch",
        "import torch.nn\nimport torch.nn.functional as F\nF.relu",
        "import torch as t\ntorch = t",
        "from torch import tensor\nimport torch",
    ],
)
def test_an_optional_cell_runs_on_the_engine_where_its_framework_is_missing(
    cell: Callable[[str], Shown], monkeypatch: pytest.MonkeyPatch, imports: str
) -> None:
    monkeypatch.setattr("inplacelab.recorders.detection.is_installed", lambda name: name != "torch")
    shown = cell(f"%%stepper --optional --name rec\n{imports}\nx = torch.tensor([1., 2.])\nx.mul_(2)")
    assert shown.error is None
    assert "This cell ran on inplacelab.torch: PyTorch is not installed" in shown.out
    recording = inplacelab.last_recording()
    assert recording.framework == "inplacelab.torch"
    assert recording.steps[-1].op == "mul_"


def test_an_optional_cell_of_the_engine_runs_as_any_other(cell: Callable[[str], Shown]) -> None:
    assert isinstance(cell("%%stepper --optional\n1 / 0").error, ZeroDivisionError)


# ---- a cell that runs again ------------------------------------------------------------------------------------------------

TWICE = "x = paddle.ones([2])\nx.scale_(2.)\n"


def _is_open(widget: Any) -> bool:
    return widget.comm is not None


@pytest.mark.parametrize(
    "first", ["%%stepper\n", "%%stepper --predict --name twice\n", "%%predict value\nwhat: 1 | 2\n"]
)
def test_a_cell_that_runs_again_closes_what_it_displayed(cell: Run, first: str) -> None:
    text = first if first.startswith("%%predict") else first + TWICE
    (before,) = cell(text, "a").displayed
    (other,) = cell(text, "b").displayed  # another cell with the same text
    (after,) = cell(text + "\n", "a").displayed
    assert [_is_open(each) for each in (before, other, after)] == [False, True, True]
    assert not _is_open(before.layout)


def test_a_cell_that_fails_when_it_runs_again_closes_the_old_stepper(cell: Run) -> None:
    (before,) = cell("%%stepper\n" + TWICE, "c").displayed
    assert type(cell("%%stepper\nx = (\n", "c").error).__name__ == "SyntaxError"
    assert not _is_open(before)


def test_what_is_compared_is_closed_too(cell: Run) -> None:
    cell("%%stepper --name one\n" + TWICE, "e")
    (before,) = cell("%%stepper --against one\n" + TWICE, "f").displayed
    (after,) = cell("%%stepper --against one\n" + TWICE, "f").displayed
    assert [_is_open(each) for each in (before, after)] == [False, True]


FAILS = "a = paddle.ones([2])\na.stop_gradient = False\nh = a.exp()\nh.scale_(2.)\n"


def test_a_cell_whose_fixes_cannot_be_checked_in_this_process_has_them_tried_in_others(
    alone: Callable[[str], Shown],
) -> None:
    """The first time it raises, too: of such cells only the last is a part of the program."""
    alone("class Box: pass\nbox = Box()")
    alone("x = 1\nno_such_name")
    alone(FAILS + "box.h = h")
    alone("%%stepper\nbox.h.sum().backward()\n")
    (stepper,) = alone("%%stepper --name told\nbox.h.sum().backward()\n").displayed
    assert [said for said, _ in stepper._trial][1] == "Look for a fix"
    stepper._trying.press()
    given_up = time.monotonic() + 240
    while stepper._trial and time.monotonic() < given_up and stepper._trial[1][0] == "Cancel":
        time.sleep(0.05)
    error = stepper.recording.steps[-1].error
    assert stepper._trial == [], stepper._trial
    assert [each.checked for each in error.fixes] == ["gradients"]
    assert re.match(r"in line 4 of cell \[\d+\] write `h = h.scale\(2.\)`", error.fixes[0].says.en)
    assert error.fixes[0].edits[0].file.startswith("In [")
    assert alone("told").result is stepper.recording


@pytest.mark.parametrize(
    "text",
    [
        "%%stepper --no-fix\nbox.h.sum().backward()\n",
        "%%stepper\nh2 = a.exp()\nh2.scale_(2.)\nh2.sum().backward()\n",  # checked in this process
        "%%stepper\nbox.h.no_such_name\n",
    ],
)
def test_a_cell_without_untried_fixes_has_no_button(alone: Callable[[str], Shown], text: str) -> None:
    alone("class Box: pass\nbox = Box()\n" + FAILS + "box.h = h")
    (stepper,) = alone(text).displayed
    assert stepper._trial == []


def test_a_block_in_a_cell_has_a_button_and_a_file_has_none(alone: Callable[[str], Shown], tmp_path: Path) -> None:
    alone("class Box: pass\nbox = Box()\n" + FAILS + "box.h = h")
    alone("with paddle.record() as rec:\n    box.h.sum().backward()\n")
    assert alone("from inplacelab_widgets import Stepper\nStepper(rec)._trial").result != []
    recorded_before = alone("rec.recording").result
    (tmp_path / "saved.json").write_text(codec.to_json(recorded_before), encoding="utf-8")
    stepper = alone("Stepper").result
    assert stepper(codec.load(tmp_path / "saved.json"))._trial == []


SAVES = "h = paddle.matmul(h, w)\nh = paddle.nn.functional.relu(h)\nh = h * 0.5\n"


def test_where_a_cell_may_write_in_place_is_tried_in_all_cells_at_a_button(
    alone: Callable[[str], Shown], tmp_path: Path
) -> None:
    alone("w, h = paddle.ones([8, 8]), paddle.ones([64, 8])")
    (stepper,) = alone("%%stepper --name saving\n" + SAVES).displayed
    assert stepper._saving["button"][0] == "Try"
    assert "at most 40 times" in stepper._saving["says"][0]
    stepper._trying_to_save.press()
    given_up = time.monotonic() + 240
    while "report" not in stepper._saving and time.monotonic() < given_up and stepper._saving["button"][0] == "Cancel":
        time.sleep(0.05)
    report = "\n".join(each if isinstance(each, str) else each[0] for each in stepper._saving["report"])
    assert re.search(r"Peak: [\d,]+ → [\d,]+ bytes, by the recording; [\d,]+ → [\d,]+ bytes, as", report), report
    diff = stepper._saving["diff"]
    assert re.search(r"^--- .*In \[\d+\]", diff), diff
    assert "+h = paddle.nn.functional.relu_(h)" in diff
    (tmp_path / "saved.json").write_text(codec.to_json(alone("saving").result), encoding="utf-8")
    assert (
        alone("from inplacelab_widgets import Stepper\nStepper").result(codec.load(tmp_path / "saved.json"))._saving
        == {}
    )
    (other,) = alone("%%stepper\nq = paddle.ones([2])\nr = q * 2\n").displayed
    assert other._saving == {}
    alone("with paddle.record() as rec:\n" + "".join(f"    {each}\n" for each in SAVES.splitlines()))
    assert alone("Stepper(rec)._saving").result["button"][0] == "Try"
