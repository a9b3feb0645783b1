"""`-m`: a module runs as `python -m` runs it, is explained and recorded, and its fixes are tried and written where it is."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from inplacelab.cli import main
from inplacelab.recording import codec
from tests.tiers import choose

ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
TELLS = """\
import concurrent.futures, json, multiprocessing, os, sys

def twice(x):
    return 2 * x

if __name__ == "__main__":
    spec = __spec__ and [__spec__.name, __spec__.origin, __spec__.parent, __spec__.cached, type(__spec__.loader).__name__]
    told = [__name__, __package__, spec, os.path.abspath(__file__), sys.argv, sys.path, sorted(n for n in sys.modules if n.startswith(("pkg", "ns")))]
    if __spec__ is not None:
        told += [__cached__, type(__loader__).__name__, __file__ == __spec__.origin]
    told.append(sys.modules["__main__"].twice is twice)
    if not __file__.endswith("__main__.py"):  # which Python does not import in the children that it spawns
        with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            told.append(pool.submit(twice, 4).result())
    print(json.dumps(told))
"""
PACKAGE = {
    "pkg/__init__.py": "import sys\nprint(sys.argv, sys.path[0])\n",
    "pkg/__main__.py": TELLS,
    "pkg/here.py": "",
    "pkg/inner/__init__.py": "",
    "pkg/inner/train.py": "from .. import here\nfrom . import train as itself\n" + TELLS,
    "ns/train.py": TELLS,
    "folder/script.py": TELLS,
}


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, env=ENVIRONMENT)


def write(files: dict[str, str]) -> None:
    for name, text in files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("command", ["explain", "record"])
@pytest.mark.parametrize("program", ["-m pkg", "-m pkg.inner.train", "-m ns.train", "folder/script.py"])
def test_it_is_what_python_runs(program: str, command: str) -> None:
    write(PACKAGE)
    words = [*program.split(), "--lr", "3"]
    plain, ours = python(*words), python("-m", "inplacelab", command, *words)
    assert (plain.returncode, ours.returncode) == (0, 0), ours.stderr
    assert ours.stdout == plain.stdout
    assert json.loads(plain.stdout.splitlines()[-1])[-1] in (True, 8)


def test_what_is_written_has_the_name_of_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    write({"made/__main__.py": "import inplacelab as paddle\nx = paddle.ones([2])\nx.scale_(2.)\n"})
    assert main(["record", "-m", "made", "--format", "json"]) == 0
    assert capsys.readouterr().err == "wrote made.json: 2 steps\n"
    assert codec.load("made.json").title == "made"
    assert main(["share", "-m", "made.__main__", "--markdown"]) == 0
    assert capsys.readouterr().out.startswith("**made: step 2 of 2")
    assert main(["compare", "-m", "made", "-m", "made.__main__"]) == 0
    assert "left: made: " in capsys.readouterr().out


# --- what cannot be run ---------------------------------------------------------------------------------------------------

BROKEN = {
    "empty/__init__.py": "",
    "alone.py": "open('ran', 'w')\n",
    "broken/__init__.py": "\n1 / 0\n",
    "broken/train.py": "",
    "wrong/__init__.py": "x = (\n",
    "wrong/train.py": "",
    "lacks/__init__.py": "import not_there_at_all\n",
    "lacks/train.py": "",
    "leaves/__init__.py": "raise ValueError('two\\nlines')\n",
    "leaves/train.py": "",
}
REFUSED = {
    "not_there_at_all": ("No module named not_there_at_all", "run this in the folder that holds 'not_there_at_all'"),
    "empty.train": ("No module named empty.train", "'empty' has no module of that name"),
    "empty": ("No module named empty.__main__; 'empty' is a package and cannot be directly executed", "name one of its modules"),
    ".train": ("Relative module names not supported", "give the full name"),
    "sys": ("No code object available for sys", "name a module that has a source file"),
    "broken.train": ("ZeroDivisionError: division by zero", "in line 2 of "),
    "wrong.train": ("'(' was never closed", "SyntaxError: '(' was never closed (__init__.py, line 1)"),
    "lacks.train": ("No module named 'not_there_at_all'", '`python -c "import lacks"` shows the whole error'),
    "leaves.train": ("ValueError: two", "leaves"),
    "packed.train": ("", "inside an archive ("),
    "compiled": ("", "is compiled; name a module that is a .py file"),
    "alone.train": ("Error while finding module", "'alone' is a module, not a package"),
    "alone.py": ("Error while finding module", "that is a file; run it without -m"),
}  # fmt: skip
"""Names of modules, what Python says of them, and what we say beside."""


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_run_is_refused_in_one_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(BROKEN)
    Path("compiled.pyc").write_bytes(b"")
    with zipfile.ZipFile("packed.zip", "w") as archive:
        archive.writestr("packed/__init__.py", "")
        archive.writestr("packed/train.py", "")
    monkeypatch.syspath_prepend(str(Path("packed.zip").resolve()))
    words, advice = REFUSED[name]
    before = sys.argv, [*sys.path]
    for command in ("explain", "record"):
        assert main([command, "-m", name]) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"inplacelab {command}: ")
        assert said.count("\n") == 1
        assert advice in said
        assert not Path("ran").exists()
        if not words.startswith("Error"):
            assert words in said
    assert (sys.argv, sys.path) == before
    if words:
        assert words in python("-m", name).stderr


def test_a_module_that_its_package_has_imported_already() -> None:
    write({"twice/__init__.py": "from twice import train\n", "twice/train.py": "print(__name__)\n"})
    ours, plain = python("-m", "inplacelab", "explain", "-m", "twice.train"), python("-m", "twice.train")
    assert ours.stdout == plain.stdout == "twice.train\n__main__\n"
    warning = re.compile("RuntimeWarning: 'twice.train' found in sys.modules after import of package 'twice'")
    assert warning.search(plain.stderr)
    assert warning.search(ours.stderr)


# --- fixes ----------------------------------------------------------------------------------------------------------------

NETS = """\
from torch import exp

def act(x):
    h = exp(x)
    h[0] = 5.0
    return h
"""
PASS = """\
from . import settings
import {0}

if __name__ == "__main__":
    a = {1}
    {2}h.sum().backward()
    print("done")
"""
LEAF = "torch.ones(3, requires_grad=True)"
PROGRAMS = {
    "torch": (
        {
            "__init__.py": "",
            "settings.py": "",
            "nets.py": NETS,
            "train.py": "from .nets import act\n" + PASS.format("torch", LEAF, "h = act(a)\n    "),
        },
        "nets.py",
    ),
    "inplacelab": (
        {
            "__init__.py": "",
            "settings.py": "",
            "__main__.py": PASS.format(
                "inplacelab", "inplacelab.to_tensor([1.0], stop_gradient=False)", "h = a.exp()\n    h.scale_(5.0)\n    "
            ),
        },
        "__main__.py",
    ),
}

OURS = ("inplacelab",)


@pytest.mark.oracle
@pytest.mark.parametrize("framework", choose(OURS, OURS, tuple(PROGRAMS)))  # twelve processes import PyTorch
def test_a_fix_is_tried_as_a_module_and_written_into_the_right_file(framework: str) -> None:
    pytest.importorskip(framework, reason="needs PyTorch: python -m pip install --group oracle")
    texts, fixed = PROGRAMS[framework]
    write({f"src/pkg/tasks/{name}": text for name, text in texts.items()})
    os.chdir("src")
    module = "pkg.tasks" if "__main__.py" in texts else "pkg.tasks.train"
    assert python("-m", module).returncode == 1
    done = python("-m", "inplacelab", "explain", "-m", module, "--fix")
    assert done.returncode == 1, done.stderr
    changed = {name for name, text in texts.items() if Path("pkg/tasks", name).read_text(encoding="utf-8") != text}
    assert changed == {fixed}, done.stderr
    after = python("-m", module)
    assert (after.returncode, after.stdout) == (0, "done\n"), after.stderr


@pytest.mark.oracle
def test_the_framework_is_found_in_modules_that_are_imported_relatively() -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    write({
        "pkg/__init__.py": "",
        "pkg/nets.py": NETS + "def ones():\n    import torch\n    return torch.ones(3, requires_grad=True)\n",
        "pkg/train.py": "from . import nets\nnets.act(nets.ones()).sum().backward()\n",
    })  # fmt: skip
    said = python("-m", "inplacelab", "explain", "-m", "pkg.train").stderr
    assert "kept: `ExpBackward0` keeps " in said
    assert f"{Path('pkg', 'nets.py')}\n" in said
