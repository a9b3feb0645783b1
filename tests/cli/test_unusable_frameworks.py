"""A framework that is missing, broken, of another version, or not the only one: the program runs as with `python`, and one sentence says so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from inplacelab import explain, record
from inplacelab.cli import main
from inplacelab.installing import command
from inplacelab.recording import codec
from inplacelab.supported import frameworks

HIDES = """\
import os, sys
from importlib.machinery import PathFinder

class Hides:
    def find_spec(self, name, path=None, target=None):
        if name in ("torch", "paddle"):
            if (found := PathFinder.find_spec(name, [os.environ["FAKES"]])) is None:
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return found

sys.meta_path.insert(0, Hides())
"""
"""Has Python find these packages in one folder, wherever they are installed."""
BROKEN = 'from {0} import helper\nraise ImportError("libc10.so: cannot open shared object file")\n'
OLD = '__version__ = "1.4.0"\nclass Tensor: pass\ndef ones(*sizes): return Tensor()\n'
PROGRAM = """\
import sys
print("before", file=sys.stderr)
import {0} as framework
x = framework.ones([2])
sys.exit(type(x).__name__)
"""


class Done(NamedTuple):
    status: int
    out: str
    err: str


Runs = Callable[..., Done]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    """Runs a script where PyTorch and Paddle are what is given here, by `python`, or under a command."""
    fakes = tmp_path / "fakes"
    fakes.mkdir()
    (tmp_path / "hides").mkdir()
    (tmp_path / "hides" / "sitecustomize.py").write_text(HIDES)

    def run(script: str, *words: str, **packages: str | None) -> Done:
        for name, code in packages.items():
            (fakes / name).mkdir(exist_ok=True)
            if code is not None:
                (fakes / name / "__init__.py").write_text(code)
                (fakes / name / "helper.py").write_text("")
        (tmp_path / "script.py").write_text(script)
        path = os.pathsep.join([str(tmp_path / "hides"), *map(os.path.abspath, filter(None, sys.path))])
        environment = os.environ | {"PYTHONPATH": path, "FAKES": str(fakes)}
        under = ("-m", "inplacelab", words[0]) if words else ()
        done = subprocess.run(
            [sys.executable, *under, str(tmp_path / "script.py"), *words[1:]],
            capture_output=True, text=True, check=False, cwd=tmp_path, env=environment, encoding="utf-8",
        )  # fmt: skip
        return Done(done.returncode, done.stdout, done.stderr)

    return run


UNDER = [("explain",), ("record", "-o", "out.json")]


@pytest.mark.parametrize("words", UNDER, ids=" ".join)
@pytest.mark.parametrize(("name", "title"), [("torch", "PyTorch"), ("paddle", "PaddlePaddle")])
def test_a_framework_that_cannot_be_imported(runs: Runs, name: str, title: str, words: tuple[str, ...]) -> None:
    broken = {name: BROKEN.format(name)}
    plain, done = runs(PROGRAM.format(name), **broken), runs(PROGRAM.format(name), *words, **broken)
    assert (plain.status, done.status) == (1, 1)
    assert done.err.startswith(plain.err)  # with the traceback of the program's own `import`
    said = f"{title} is installed in this Python, but `import {name}` fails there (ImportError: libc10.so: cannot open shared object file)"
    assert done.err.count(said) == 1


@pytest.mark.parametrize("words", UNDER, ids=" ".join)
def test_a_folder_without_code(runs: Runs, words: tuple[str, ...]) -> None:
    plain, done = runs(PROGRAM.format("torch"), torch=None), runs(PROGRAM.format("torch"), *words, torch=None)
    assert (plain.status, done.status) == (1, 1)
    assert done.err.startswith(plain.err)
    assert "AttributeError" in plain.err
    assert done.err.count("`torch` is a folder without code here (") == 1


@pytest.mark.parametrize("words", [*UNDER, ("explain", "-o", "out.json"), ("explain", "--try")], ids=" ".join)
@pytest.mark.parametrize(("name", "tested"), [("torch", "2.13"), ("paddle", "3.3")])
def test_a_version_without_what_is_needed(runs: Runs, name: str, tested: str, words: tuple[str, ...]) -> None:
    plain, done = runs(PROGRAM.format(name), **{name: OLD}), runs(PROGRAM.format(name), *words, **{name: OLD})
    assert (plain.status, plain.err) == (1, "before\nTensor\n")
    assert (done.status, done.out) == (plain.status, plain.out)
    assert done.err.startswith(plain.err)
    assert done.err.count("1.4.0 can be recorded or explained: what inplacelab needs of it cannot be used there (") == 1
    assert f"inplacelab was tested with version {tested}." in done.err


def test_the_sentence_is_in_chinese_too(runs: Runs) -> None:
    done = runs(PROGRAM.format("torch"), "explain", "--lang", "zh", torch=OLD)
    assert "PyTorch 1.4.0 的操作无法记录，也无法解释" in done.err
    assert "inplacelab 在 2.13 版上测试过。" in done.err


@pytest.mark.parametrize("words", UNDER, ids=" ".join)
def test_a_framework_that_is_not_installed(runs: Runs, words: tuple[str, ...]) -> None:
    plain, done = runs(PROGRAM.format("torch")), runs(PROGRAM.format("torch"), *words)
    assert (plain.status, done.status) == (1, 1)
    assert done.err.startswith(plain.err)
    assert done.err.count("PyTorch is not installed in this Python") == 1
    assert command("torch") in done.err
    named = runs(PROGRAM.format("torch"), *words, "--framework", "torch")
    assert (named.status, "before" in named.err, "PyTorch is not installed" in named.err) == (2, False, True)


@pytest.mark.parametrize("words", UNDER, ids=" ".join)
def test_a_program_may_do_without_it(runs: Runs, words: tuple[str, ...]) -> None:
    script = "try:\n    import torch\nexcept ImportError:\n    print('none')\n"
    done = runs(script, *words, torch=BROKEN.format("torch"))
    assert (done.status, done.out.splitlines()[-1]) == (0, "none")
    assert done.err.count("`import torch` fails there") == 1


def test_what_a_program_has_put_in_place_of_a_framework(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stub has no `__spec__`, and `None` blocks an import."""
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    monkeypatch.delitem(sys.modules, "inplacelab.frameworks.torch.recorder", raising=False)  # from an earlier test
    assert frameworks()["torch"].is_installed
    with record(framework="torch") as block:
        x = [1]
    assert x == [1]
    assert block.recording is not None
    (note,) = block.recording.notes
    assert note.en.startswith("Nothing of PyTorch can be recorded or explained: ")
    monkeypatch.setitem(sys.modules, "torch", None)
    assert not frameworks()["torch"].is_installed


# --- with the real frameworks ------------------------------------------------------------------------------------------

FAILS = """\
import torch
a = torch.ones(2, requires_grad=True)
h = a.sigmoid()
h.mul_(2)
h.sum().backward()
"""
UNTESTED = "inplacelab was tested with PyTorch 2.13; this is PyTorch 2.9.1, of which some things may not be seen."


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Runs:
    """Carries out a command for a script in this process."""
    monkeypatch.chdir(tmp_path)

    def carry_out(script: str, *words: str) -> Done:
        Path("script.py").write_text(script)
        status = main([words[0], "script.py", *words[1:]])
        return Done(status, *capsys.readouterr())

    return carry_out


@pytest.fixture
def torch() -> Any:
    return pytest.importorskip("torch")


@pytest.mark.parametrize("words", [*UNDER, ("explain", "-o", "out.json")], ids=" ".join)
@pytest.mark.parametrize("script", [FAILS, "import torch\ntorch.ones(2)\n"])
def test_an_untested_version_is_said_once(
    run: Runs, torch: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], script: str
) -> None:
    done = run(script, *words)
    assert "tested with" not in done.err
    monkeypatch.setattr(torch, "__version__", "2.9.1")
    done = run(script, *words)
    assert done.status == (script is FAILS)
    assert done.err.count(UNTESTED) == 1
    if words[0] == "record":
        assert [each.en for each in codec.load("out.json").notes] == [UNTESTED]
    elif len(words) > 1:
        assert json.loads(Path("out.json").read_text())["remarks"] == [UNTESTED]


@pytest.mark.parametrize("version", ["2.13.1", "2.13.0+cpu", "2.13.0a0+git"])
def test_a_patch_of_a_tested_version_is_tested(
    run: Runs, torch: Any, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    assert "tested with" not in run("import torch\ntorch.ones(2)\n", "explain").err


@pytest.mark.parametrize("words", UNDER, ids=" ".join)
def test_a_private_name_that_is_missing(
    run: Runs, torch: Any, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """Without it, no backward pass would be seen, and "No backward pass failed" would be false."""
    monkeypatch.delattr(torch.autograd, "_engine_run_backward")
    done = run("import torch\nprint((torch.ones(2) * 3).tolist())\n", *words)
    assert (done.status, done.out) == (0, "[3.0, 3.0]\n")
    assert (
        done.err.count("what inplacelab needs of it cannot be used there (AttributeError: _engine_run_backward)") == 1
    )


@pytest.mark.parametrize("words", UNDER, ids=" ".join)
def test_a_version_of_paddle(run: Runs, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]) -> None:
    paddle = pytest.importorskip("paddle")
    script = "import paddle\nprint((paddle.ones([2]) * 3).tolist())\n"
    monkeypatch.setattr(paddle, "__version__", "3.1.0")
    said = (
        "inplacelab was tested with PaddlePaddle 3.3; this is PaddlePaddle 3.1.0, of which some things may not be seen."
    )
    assert run(script, *words).err.count(said) == 1
    monkeypatch.delattr(paddle.base.core.eager, "run_partial_grad")
    done = run(script, *words)
    assert (done.status, done.out) == (0, "[3.0, 3.0]\n")
    assert done.err.count("Nothing of PaddlePaddle 3.1.0 can be recorded or explained: ") == 1


def test_a_block_runs_without_what_is_needed(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch.autograd, "_engine_run_backward")
    with explain("torch") as found, record(framework="torch") as block:
        y = torch.ones(2) * 3
    assert y.tolist() == [3.0, 3.0]
    (said,) = found.remarks
    assert "what inplacelab needs of it cannot be used there (AttributeError" in said.en
    assert str(found) == str(said)
    assert block.recording is not None
    assert [each.en for each in block.recording.notes] == [said.en]


@pytest.mark.parametrize("words", [*UNDER, ("explain", "-o", "out.json")], ids=" ".join)
def test_the_other_framework_is_said_to_be_left_out(run: Runs, torch: Any, words: tuple[str, ...]) -> None:
    assert torch
    said = "This is about PyTorch alone: the program also uses Vectors, and what it did there was left out."
    pytest.importorskip("paddle")
    done = run(f"import paddle\n{FAILS}", *words)
    said = said.replace("Vectors", "PaddlePaddle")
    assert done.status == 1
    assert done.err.count(said) == 1
    if words[0] == "record":
        assert [each.en for each in codec.load("out.json").notes] == [said]
    elif len(words) > 1:
        assert json.loads(Path("out.json").read_text())["remarks"] == [said]
