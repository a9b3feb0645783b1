"""One failure is said in the same words at every door: terminal, JSON, recording, marks beside the code, sentences, and notes of the error."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from inplacelab.cli.script import run_script
from inplacelab.diagnosis.document import Names, to_json
from inplacelab.diagnosis.explain import explain
from inplacelab.diagnosis.findings import Finding, Report, completed
from inplacelab.diagnosis.recorded_failures import error_report, finding
from inplacelab.diagnosis.report import report
from inplacelab.errors import Refusal
from inplacelab.language import LANGUAGES, speak
from inplacelab.recorders.main_module import Main, main_module
from inplacelab.recorders.own_code import OWNS
from inplacelab.recording import Recording, from_json
from inplacelab.recording import to_json as recording_to_json
from inplacelab.recording.fixes import way
from inplacelab.recording.sentences import sentence
from inplacelab.recording.sentences.failures import marks
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.recording.trace import failure_at, in_file, trace
from tests.gallery.programs import GALLERY, Program
from tests.lesson_recordings import LESSONS, recordings_of
from tests.recorders.failing_programs import failing_programs
from tests.tiers import choose, sample

CALL = re.compile(r", called from .*$|，由.*调用$")
FAIL = ("modified", "second backward")
"""The kinds of the gallery's programs whose backward fails."""
OF_FRAMEWORK = {
    name: [each for each in GALLERY if each.framework == name and each.kind in FAIL] for name in ("torch", "paddle")
}


def messages_of(found: Finding) -> list[tuple[str, str, int]]:
    """The role, the message and the line of each place that the JSON document has for the first value."""
    made = Report(Path("train.py"), 1, raised=found.error, findings=[found])
    (failure,) = json.loads(to_json(made, Names(Path.cwd(), Path.cwd())))["failures"]
    return [(each["role"], each["message"], each["line"]) for each in failure["places"] if not each["value"]]


def check_recording(recording: Recording, found: Finding, own: str) -> None:
    """Checks that the end of a recording says of a failure what a finding says, in both languages: in marks, notes, the sentence of the step,
    and in the report; also once it was written and read again.
    """
    index, again = len(recording) - 1, from_json(recording_to_json(recording))
    for language in LANGUAGES:
        with speak(language):
            said = report(found, advice=False)
            places = [each for each in messages_of(found) if each[0] != "made"]
            assert places
            assert [message for _, message, _ in places if message not in said] == []
            for each in (recording, again):
                facts = failure_at(each, index)
                assert facts is not None
                assert (
                    report(Finding(in_file(facts, own), found.error, found.why, fixes=found.fixes), advice=False)
                    == said
                )
                # The picture has no line of its own for the call.
                shown = [(mark.role, CALL.sub("", str(closed_up(mark.says))), mark.line) for mark in trace(each, index)]
                assert shown == [place for place in places if place in shown] or not facts.values
                error = each.steps[index].error
                assert error is not None
                sentence_of_step = str(sentence(each, index))
                if facts.values and facts.values[0].sites:
                    assert shown
                    assert [
                        message for role, message, _ in shown if role != "needed" and message not in sentence_of_step
                    ] == []


@contextmanager
def without_this_file() -> Iterator[None]:
    """Leaves the call of the program out of the chains of calls; for `explain`, that call would be the reader's."""
    OWNS[__file__] = False
    try:
        yield
    finally:
        OWNS.pop(__file__, None)


def watched_run(path: Path, framework: str = "torch") -> Finding:
    """What a watch finds out about a program that fails."""
    text = path.read_text(encoding="utf-8")
    code = compile(text, str(path), "exec")
    with main_module(Main(path), []) as module:
        watching = explain(framework, str(path))
        with pytest.raises(Exception), watching, without_this_file():  # noqa: B017, PT011  # of several kinds
            exec(code, vars(module))
    return completed(next(each for each in reversed(watching.failures) if each.facts.kind != "silent"))


def fixes_of(found: Finding) -> list[tuple[str, object]]:
    """What the fixes say and edit."""
    return [(way(each).en, each.edits) for each in found.fixes]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch: python -m pip install --group oracle")
@pytest.mark.parametrize("program", sample(OF_FRAMEWORK["torch"], one_in=choose(8, 1, 1)), ids=lambda each: each.name)
def test_a_program_of_pytorch(program: Program) -> None:
    watched = watched_run(program.path)
    recording, raised = run_script(program.path, [], title=None, limit=5000)
    assert raised is not None
    check_recording(recording, watched, str(program.path))
    found = finding(raised, recording, str(program.path))
    assert found is not None
    assert (found.error, found.advice) == (watched.error, watched.advice)
    of_both = (
        [(mark.role, mark.at, mark.says, mark.number) for mark in marks(each.facts)] for each in (found, watched)
    )
    assert next(of_both) == next(of_both)
    assert fixes_of(found) == fixes_of(watched)


UNTRIED = {
    "an optimizer has no ordinary form": (
        "net = torch.nn.Linear(3, 1)\nopt = torch.optim.SGD(net.parameters(), lr=0.1)\nh = torch.ones(2, 3, requires_grad=True)\n"
        "loss = net(h).sum()\nloss.backward(retain_graph=True)\nopt.step()\nloss.backward()",
        "after line 7 compute `loss = net(h).sum()` again, from the new values",
    ),
    "nor has an assignment to a part": (
        "a = torch.ones(3, requires_grad=True)\nh = torch.zeros(4, 3)\nfor t in range(3):\n"
        "    h[t + 1] = (a * h[t]).sin()\nh.sum().backward()",
        "let line 5 write to a clone of `h`",
    ),
    "the written tensor is not copied": (
        "a = torch.ones(3, requires_grad=True)\nh = a * 1\nh.mul_(h.sin())\nh.sum().backward()",
        "let line 4 keep a copy: `h.mul_(h.clone().sin())`",
    ),
    "a pass inside a pass reads no copy": (
        "a = torch.ones(3, requires_grad=True)\nf = a * 1\n(g,) = torch.autograd.grad((f ** 3).sum(), f, create_graph=True)\n"
        "f.sub_(g)\nf.sum().backward()",
        "in line 5 write `f = f.sub(g)`",
    ),
}
"""Programs of PyTorch, and how a fix that was not tried begins."""


@pytest.mark.oracle
@pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch: python -m pip install --group oracle")
@pytest.mark.parametrize("name", UNTRIED)
def test_untried_fixes(tmp_path: Path, name: str) -> None:
    text, begins = UNTRIED[name]
    path = tmp_path / "program.py"
    path.write_text(f"import torch\n{text}\n", encoding="utf-8")
    recording, raised = run_script(path, [], title=None, limit=5000)
    assert raised is not None
    found = finding(raised, recording, str(path))
    assert found is not None
    assert [said for said, _ in fixes_of(found) if said.startswith(begins)]
    assert fixes_of(found) == fixes_of(watched_run(path))


@pytest.mark.oracle
@pytest.mark.skipif(find_spec("torch") is None, reason="needs PyTorch: python -m pip install --group oracle")
def test_a_recording_with_a_fix_of_another_file_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "squashed.py").write_text(
        "# long enough\n" * 9 + "def squashed(h):\n    return h.sigmoid()\n", encoding="utf-8"
    )
    path = tmp_path / "program.py"
    path.write_text(
        "import torch\nfrom squashed import squashed\na = torch.ones(3, requires_grad=True)\nh = squashed(a)\nh.mul_(2)\nh.sum().backward()\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    recording, _ = run_script(path, [], title=None, limit=5000)
    error = recording.steps[-1].error
    assert error is not None
    assert [Path(edit.file).name for fix in error.fixes for edit in fix.edits] == ["squashed.py"]
    assert from_json(recording_to_json(recording)) == recording


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(find_spec("paddle") is None, reason="needs PaddlePaddle: python -m pip install --group oracle")
@pytest.mark.parametrize("program", OF_FRAMEWORK["paddle"], ids=lambda each: each.name)
def test_a_program_of_paddle(program: Program) -> None:
    found = check_program(program.path)
    assert fixes_of(found) == fixes_of(watched_run(program.path, "paddle"))


def check_program(path: Path) -> Finding:
    """Checks a program whose facts come from its recording. Returns what is said of it."""
    recording, raised = run_script(path, [], title=None, limit=5000)
    assert raised is not None
    found = finding(raised, recording, str(path))
    assert found is not None
    check_recording(recording, found, str(path))
    for language in LANGUAGES:
        with speak(language):
            assert report(found) in str(error_report(raised, recording, str(path)))
    if isinstance(raised, Refusal):  # its notes are in the language in which it was raised
        notes = "\n".join(getattr(raised, "__notes__", []))
        assert [
            message
            for role, message, _ in messages_of(found)
            if role not in ("made", "refused") and message not in notes
        ] == []
    return found


@pytest.mark.parametrize("seed", range(choose(6, 12, 300)))
def test_a_random_program_of_the_engine(tmp_path: Path, seed: int) -> None:
    (text,) = failing_programs(1000 * seed, 1)
    path = tmp_path / "program.py"
    path.write_text("import inplacelab as paddle\n" + text, encoding="utf-8")
    check_program(path)


@pytest.mark.parametrize(
    "end",
    ["a.exp_()", "b = a.exp().sum()\nb.backward()\nb.backward()", "paddle.reshape(a, [7])"],
    ids=["leaf", "again", "refused"],
)
def test_other_refusals(tmp_path: Path, end: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        f"import inplacelab as paddle\na = paddle.ones([3])\na.stop_gradient = False\n{end}\n", encoding="utf-8"
    )
    check_program(path)


LESSONS_TRIED: list[Path] = sample(LESSONS, one_in=choose(9, 2, 1), name=lambda each: each.name)


@pytest.mark.parametrize("lesson", LESSONS_TRIED, ids=[each.stem for each in LESSONS_TRIED])
def test_what_fails_in_a_lesson(lesson: Path) -> None:
    for recording in recordings_of(lesson):
        last = recording.steps[-1].error if recording.steps else None
        facts = None if last is None else failure_at(recording, len(recording) - 1)
        if last is not None and facts is not None:
            found = Finding(facts, (last.type, last.message), last.explanation, fixes=last.fixes)
            check_recording(recording, found, "")
