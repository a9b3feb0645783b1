"""What is the program's own code, in the layouts in which Python and its packages are installed."""

from __future__ import annotations

import ast
import json
import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

import inplacelab
from inplacelab.recorders import own_code
from inplacelab.recorders.own_code import OWNS, is_own, program_is

INSTALLED = "mylib/__init__.py,sha256=1,2\nmylib/model.py,,\nsix.py,,\n../../bin/mylib,,\n"


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test begins with nothing that was decided, or named, before."""
    monkeypatch.setattr(own_code, "_named", set())
    monkeypatch.setattr(own_code, "_folder", None)
    OWNS.clear()
    yield
    OWNS.clear()


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., str]:
    def make(name: str, text: str = "") -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    return make


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("project/train.py", True),
        ("project/nets/model.py", True),
        ("project/.venv/lib/python3.11/site-packages/torch/nn/functional.py", False),
        ("project/.venv/lib/python3.11/site-packages/six.py", False),
        ("project/.venv/lib/python3.11/site-packages", False),
        ("project/.venv", True),  # but no code is there
        ("home/.local/lib/python3.11/site-packages/anylib/x.py", False),
        ("usr/lib/python3/dist-packages/anylib/x.py", False),
        ("conda/envs/e/Lib/site-packages/anylib/x.py", False),
        ("site-packages-study/train.py", True),
        ("my-dist-packages/train.py", True),
    ],
)
def test_by_the_names_of_folders(made: Callable[..., str], tmp_path: Path, name: str, own: bool) -> None:
    if name.endswith(".py"):
        made(name)
    assert is_own(str(tmp_path / name)) is own


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("mylib/model.py", False),
        ("six.py", False),
        ("mylib-1.0.dist-info/x.py", False),
        ("train.py", True),
        ("mylibs/x.py", True),
    ],
)
def test_a_folder_on_the_path_into_which_packages_are_installed(
    made: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, own: bool
) -> None:
    """As `pip install --target` does; a program may stand beside them."""
    made("deps/mylib-1.0.dist-info/RECORD", INSTALLED)
    file = made(f"deps/{name}")
    assert is_own(file)  # nothing is imported from there
    OWNS.clear()
    monkeypatch.syspath_prepend(tmp_path / "deps")
    assert is_own(file) is own
    monkeypatch.undo()
    program_is(tmp_path / "deps" / "main.py")  # whose folder is on the path while it runs
    assert is_own(file) is own


def test_a_package_that_is_installed_later(
    made: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    assert is_own(made("before.py"))
    made("mylib-1.0.dist-info/RECORD", INSTALLED)
    os.utime(tmp_path, (1, 1))  # whatever the clock of the file system
    assert not is_own(made("mylib/model.py"))


def test_a_package_of_the_user_that_is_installed_editable(
    made: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made("src/mylib.egg-info/top_level.txt", "mylib\n")
    monkeypatch.syspath_prepend(tmp_path / "src")
    assert is_own(made("src/mylib/model.py"))


@pytest.mark.parametrize("imported", [False, True])
@pytest.mark.parametrize("name", ["torch", "paddle", "numpy"])
def test_a_checkout_of_a_framework(
    made: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, imported: bool
) -> None:
    init = made(f"checkout/{name}/__init__.py")
    monkeypatch.delitem(sys.modules, name, raising=False)
    if imported:
        module = ModuleType(name)
        module.__file__, module.__path__ = init, [os.path.dirname(init)]
        monkeypatch.setitem(sys.modules, name, module)
    else:
        monkeypatch.syspath_prepend(tmp_path / "checkout")
    assert not is_own(made(f"checkout/{name}/nn/functional.py"))
    assert is_own(made(f"checkout/{name}_programs/train.py"))
    assert is_own(made("checkout/test/train.py"))
    program_is(init)
    assert not is_own(made(f"checkout/{name}/autograd.py"))  # `python -m torch.distributed.run` does not make it hers


@pytest.mark.parametrize("stub", [False, True])
def test_a_folder_with_programs_for_a_framework_is_none(
    made: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stub: bool
) -> None:
    monkeypatch.delitem(sys.modules, "paddle", raising=False)
    if stub:
        monkeypatch.setitem(sys.modules, "paddle", ModuleType("paddle"))
    monkeypatch.syspath_prepend(tmp_path)
    assert is_own(made("paddle/train.py"))


def test_python_itself() -> None:
    standard = sysconfig.get_path("stdlib")
    assert not is_own(ast.__file__)
    assert not is_own(json.__file__)
    assert not is_own(os.path.join(standard, "lib-dynload", "math.py"))
    assert not is_own(os.path.join(sysconfig.get_path("purelib"), "anylib", "x.py"))
    assert not is_own(os.path.join(sysconfig.get_path("scripts"), "pytest"))
    assert is_own(f"{standard}-project{os.sep}train.py")
    assert is_own(os.path.join(os.path.dirname(standard), "train.py"))
    program_is(ast.__file__)
    assert not is_own(ast.__file__)


def test_this_package() -> None:
    package = os.path.dirname(str(inplacelab.__file__))
    assert not is_own(own_code.__file__)
    assert not is_own("<inplacelab operation add>")
    assert is_own(f"{package}-project{os.sep}train.py")
    assert is_own(__file__)


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("<stdin>", True),
        ("<ipython-input-3-0a1b>", True),
        ("<python-input-0>", True),
        ("<doctest train[0]>", True),
        ("<string>", False),
        ("<frozen runpy>", False),
        ("<eval_with_key>.1", False),
        ("cell.py", True),
    ],
)
def test_code_that_is_in_no_file(name: str, own: bool) -> None:
    assert is_own(name) is own


@pytest.mark.parametrize("named", ["mylib/train.py", "mylib/sub/train.py", "mylib/__main__.py"])
def test_what_the_user_names_is_hers_with_its_package(made: Callable[..., str], tmp_path: Path, named: str) -> None:
    library = "venv/lib/python3.11/site-packages"
    model, other = made(f"{library}/mylib/model.py"), made(f"{library}/mylibs/model.py")
    assert not is_own(model)
    program_is(Path(made(f"{library}/{named}")))
    assert is_own(str(tmp_path / library / named))
    assert is_own(model)
    assert not is_own(other)


def test_a_module_alone_and_a_command(made: Callable[..., str]) -> None:
    script, other = (made(f"venv/lib/python3.11/site-packages/{each}.py") for each in ("script", "other"))
    program_is(script)
    assert (is_own(script), is_own(other)) == (True, False)
    command = os.path.join(sysconfig.get_path("scripts"), "train")
    program_is(command)
    assert is_own(command)


def test_links(made: Callable[..., str], tmp_path: Path) -> None:
    library = tmp_path / "store" / "site-packages"
    made("store/site-packages/anylib/x.py")
    (tmp_path / "venv").symlink_to(library)
    assert not is_own(str(tmp_path / "venv" / "anylib" / "x.py"))
    made("src/mylib/model.py")
    (library / "mylib").symlink_to(tmp_path / "src" / "mylib")  # as `flit install --symlink` does
    assert is_own(str(library / "mylib" / "model.py"))
    made("cache/y.py")
    (library / "anylib" / "y.py").symlink_to(tmp_path / "cache" / "y.py")  # as uv does, file by file
    assert not is_own(str(library / "anylib" / "y.py"))


def test_where_the_current_folder_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert is_own("train.py")
    assert not is_own(ast.__file__)
