"""A framework is added with one folder: `small_framework`, to which docs/en/add_a_framework.md leads. Nothing else is changed here."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from inplacelab import explain, record, show
from inplacelab import frameworks as package
from inplacelab.cli import main
from inplacelab.recorders import detection, events
from inplacelab.recorders.log import EventLog
from inplacelab.recorders.program import Program
from inplacelab.recorders.recorder import Recorder
from inplacelab.recording import Recording, codec, queries
from inplacelab.recording.origins import origins
from inplacelab.supported import frameworks, loaded
from inplacelab_widgets import to_html, to_text
from tests.recorders.runs import run

if TYPE_CHECKING:
    from tests.recorders.small_framework.recorder import VectorRecorder

    RECORDER: type[Recorder] = VectorRecorder
    """mypy checks here that it has what a recorder has."""

HERE = Path(__file__).parent
PROGRAM = """\
a = vectors.vector([1., 2., 3.])
row = a.part(0, 2)
b = row.plus(row)
row.plus_(b)
c = row
"""
SCRIPT = f"import vectors\n{PROGRAM}print(a.tolist())\n"


@pytest.fixture(autouse=True)
def _its_folder_is_there(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts the folder of the framework beside those of the others."""
    monkeypatch.setattr(package, "__path__", [*package.__path__, str(HERE)])
    frameworks.cache_clear()
    yield
    frameworks.cache_clear()


@pytest.fixture
def vectors(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The framework, installed."""
    monkeypatch.syspath_prepend(HERE / "installed")
    return import_module("vectors")


@pytest.fixture
def recorder(vectors: Any) -> Any:
    assert vectors
    return loaded(frameworks()["vectors"].recorder)


@pytest.fixture
def recording(vectors: Any) -> Recording:
    assert vectors
    return run(PROGRAM, "vectors").recording


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Carries out a command for a script. Returns its exit status, its output, and what it says."""
    monkeypatch.chdir(tmp_path)

    def carry_out(script: str, *words: str) -> tuple[int, str, str]:
        Path("script.py").write_text(script)
        try:
            status: Any = main([words[0], "script.py", *words[1:]])
        except SystemExit as ended:
            status = ended.code
        said = capsys.readouterr()
        return status, said.out, said.err

    return carry_out


def test_steps_are_the_calls_of_the_program(recording: Recording) -> None:
    assert recording.framework == "vectors"
    assert [(step.line, step.op, step.category) for step in recording.steps] == [
        (1, "vector", "create"), (2, "part", "view"), (3, "plus", "ordinary"), (4, "plus_", "in-place"), (5, None, None),
    ]  # fmt: skip


def test_a_write_through_a_view_reaches_its_storage(recording: Recording) -> None:
    after = recording.state()
    ((step, write),) = queries.who_raised(recording, after.tensor("a").storage)
    assert (step.line, write.before, write.after, write.slots) == (4, 0, 1, ((0, 2),))
    assert queries.visible_values(after, "a") == (3.0, 6.0, 3.0)
    assert after.tensor("a").storage == after.tensor("row").storage != after.tensor("b").storage


def test_it_is_drawn_and_described_in_its_words_without_gradients(recording: Recording) -> None:
    text = to_text(recording, step=3)
    assert "Version of S0: 0 → 1" in text
    assert "\nVectors\n" in text
    assert "stop_gradient" not in text
    assert "stop_gradient" not in to_html(recording)


def test_origins_follow_from_what_an_operation_says_of_its_result(recording: Recording) -> None:
    found = origins(recording, "row", (1,))
    assert (found.line, found.how, [str(each.called) for each in found.origins]) == (
        4, "computed", ["`row[1]`", "`b[1]`"],
    )  # fmt: skip


def test_a_block_is_recorded_if_its_framework_is_named_or_used(vectors: Any) -> None:
    with record(framework="vectors") as block:
        x = vectors.vector([1.0, 2.0])
        x.part(1, 2).plus_(x.part(0, 1))
    assert block.recording is not None
    assert [step.op for step in block.recording.steps] == ["vector", "part", "part", "plus_"]
    used = detection.framework_used(ast.parse(SCRIPT), {})
    assert used == detection.Use("vectors")
    beside = detection.framework_used(ast.parse(f"import inplacelab\n{SCRIPT}"), {})
    assert beside == detection.Use("inplacelab", ("vectors",))


def test_what_was_there_before_is_described_before_it_is_written(vectors: Any) -> None:
    x = vectors.vector([1.0, 2.0])
    x.plus_(x)
    with record(framework="vectors") as block:
        x.plus_(x)
    assert block.recording is not None
    (step,) = block.recording.steps
    assert [(write.before, write.after) for write in step.writes] == [(1, 2)]
    assert (step.live, block.recording.live_before) == (0, 16)
    assert str(origins(block.recording, "x", (0,)).arithmetic) == "4 = plus(?, ?)"


def test_an_error_of_the_program_ends_the_recording_and_the_functions_are_put_back(recorder: Any) -> None:
    functions = sys.modules[recorder.__module__].FUNCTIONS
    before = [getattr(owner, name) for owner, name, _ in functions]
    done = run("a = vectors.vector([1., 2.])\na.plus(vectors.vector([1., 2., 3.]))\n", "vectors")
    assert isinstance(done.failure, ValueError)
    assert [(step.kind, step.line) for step in done.recording.steps][-1] == ("error", 2)
    assert [getattr(owner, name) for owner, name, _ in functions] == before


@pytest.mark.usefixtures("vectors")
def test_no_more_steps_than_the_limit_are_recorded() -> None:
    recording = run(PROGRAM, "vectors", limit=2).recording
    assert len(recording) == 2
    assert 0 < recording.truncated <= len(run(PROGRAM, "vectors").recording) - 2


def test_existing_vectors_are_described_and_shown(
    vectors: Any, recorder: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    x = vectors.vector([1.0, 2.0, 3.0])
    v = x.part(1, 3)
    log = EventLog()
    recorder(Program("", "", frozenset({"x", "v"})), log).look({"x": x, "v": v})
    made = [each for each in log if isinstance(each, events.TensorMade)]
    assert [each.names for each in made] == [("x",), ("v",)]
    assert made[0].operand.storage == made[1].operand.storage
    assert recorder.memory_of(x).is_shared_with(recorder.memory_of(v))
    assert not recorder.memory_of(x).is_shared_with(recorder.memory_of(x.plus(x)))
    show(x, v)
    assert "x and v share storage S0." in capsys.readouterr().out


# --- from the command line, and in a notebook ---------------------------------------------------------------------------


@pytest.mark.usefixtures("vectors")
@pytest.mark.parametrize("options", [(), ("--framework", "vectors")])
def test_a_script_is_recorded(command: Callable[..., Any], options: tuple[str, ...]) -> None:
    assert command(SCRIPT, "record", "-o", "out.json", *options) == (
        0, "[3.0, 6.0, 3.0]\n", "wrote out.json: 6 steps\n",
    )  # fmt: skip
    assert codec.load("out.json").framework == "vectors"


@pytest.mark.parametrize("word", ["record", "explain"])
def test_the_commands_offer_it(command: Callable[..., Any], word: str) -> None:
    status, out, _ = command("", word, "--help")
    assert (status, "vectors" in out) == (0, True)


@pytest.mark.usefixtures("vectors")
def test_a_script_is_explained(command: Callable[..., Any]) -> None:
    status, out, said = command(SCRIPT, "explain")
    assert (status, out) == (0, "[3.0, 6.0, 3.0]\n")
    assert said.startswith("No backward pass failed in what was watched. Operations: 4; ")
    status, _, said = command(f"{SCRIPT}a.plus(b)\n", "explain")
    assert (status, "could not be broadcast" in said) == (1, True)


@pytest.mark.usefixtures("vectors")
def test_it_has_no_watch_and_says_what_to_do_instead() -> None:
    with pytest.raises(ValueError, match=r"'vectors' are not watched; record them"):
        explain("vectors")


@pytest.mark.parametrize("word", ["record", "explain"])
def test_it_is_refused_where_it_is_not_installed(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.delitem(sys.modules, "vectors", raising=False)
    status, out, said = command(SCRIPT, word, "--framework", "vectors", "-o", "out.json")
    assert (status, out) == (2, "")
    assert "Vectors is not installed in this Python" in said
    assert "-m pip install vectors" in said
    with pytest.raises(ValueError, match="Vectors is not installed"):
        record(framework="vectors")


@pytest.mark.usefixtures("vectors")
def test_a_cell_is_recorded() -> None:
    embed = pytest.importorskip(
        "IPython.core.interactiveshell", reason="needs IPython: python -m pip install -e '.[lab]'"
    )
    shell = embed.InteractiveShell()
    shell.run_cell("%load_ext inplacelab").raise_error()
    for options in ("", "--framework vectors "):
        shell.run_cell(f"%%stepper {options}--name made\n{SCRIPT}").raise_error()
        assert shell.user_ns["made"].framework == "vectors"
    refused = (
        shell.run_cell("%%stepper --framework jax\n1").error_before_exec
        or shell.run_cell("%%stepper --framework jax\n1").error_in_exec
    )
    assert "numpy, vectors, not 'jax'" in str(refused)
