"""Tests the wheel: what a user gets who installs inplacelab without a clone."""

from __future__ import annotations

import re
import runpy
import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import files
from pathlib import Path

import pytest

from inplacelab.version import __version__

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    "README.md",
    "README.zh.md",
    *(
        f"docs/{each}/{page}.md"
        for each in ("en", "zh")
        for page in ("step_a_cell", "pages_and_pictures", "right_or_refused")
    ),
]
"""Documents whose examples need no notebook and no framework."""
PACKAGES = {"inplacelab": ROOT / "inplacelab", "inplacelab_widgets": ROOT / "widgets" / "inplacelab_widgets"}
LESSONS = Path("lessons", "notebooks")
DEVELOPERS = {Path("ops", "table", "generate.py")}
"""What only a clone needs."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_every_file_of_both_packages(wheel: zipfile.ZipFile) -> None:
    for name, folder in PACKAGES.items():
        files = {p.relative_to(folder) for p in folder.rglob("*") if p.is_file() and "__pycache__" not in p.parts}
        packed = {Path(n).relative_to(name) for n in wheel.namelist() if n.startswith(f"{name}/")}
        assert {path for path in packed if not path.is_relative_to(LESSONS)} == files - DEVELOPERS
        assert Path("py.typed") in packed


def test_the_wheel_holds_the_built_lessons_byte_by_byte(wheel: zipfile.ZipFile) -> None:
    notebooks = [path for language in ("en", "zh") for path in (ROOT / "notebooks" / language).glob("*.ipynb")]
    assert notebooks
    for path in notebooks:
        packed = Path("inplacelab") / LESSONS / path.relative_to(ROOT / "notebooks")
        assert wheel.read(packed.as_posix()) == path.read_bytes()


def test_an_editable_installation_gets_no_copy_of_the_lessons() -> None:
    """A copy would hide the current lessons."""
    hook = runpy.run_path(str(ROOT / "hatch_build.py"))["Lessons"](str(ROOT), {}, None, None, "", "wheel")
    for version, packs in (("editable", False), ("standard", True)):
        build_data: dict[str, dict[str, str]] = {"force_include": {}}
        hook.initialize(version, build_data)
        assert bool(build_data["force_include"]) == packs


def test_the_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {Path(name).parts[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == set(PACKAGES)


def test_running_it_needs_numpy_only(wheel: zipfile.ZipFile) -> None:
    (metadata,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    lines = wheel.read(metadata).decode().splitlines()
    needed = [line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line]
    assert {line.split(":")[1].split(">")[0].strip() for line in needed} == {"numpy"}


# ---- the description -------------------------------------------------------------------------------------------------------------


def metadata(wheel: zipfile.ZipFile) -> str:
    (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
    return wheel.read(name).decode()


def test_every_link_and_picture_of_the_description_is_absolute(wheel: zipfile.ZipFile) -> None:
    description = metadata(wheel).split("\n\n", 1)[1]
    assert "# inplacelab" in description
    targets = re.findall(r"\]\(([^)\s]+)", description)
    assert len(targets) > 20
    leads_to_a_file = re.compile(rf"/inplacelab/(?:blob/)?v{re.escape(__version__)}/(?P<path>.+)")
    paths = [found["path"] for each in targets if (found := leads_to_a_file.search(each))]
    assert len(paths) > 15
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert [each for each in targets if not each.startswith(("https://", "#"))] == []


def test_the_description_names_nothing_that_only_a_clone_has(wheel: zipfile.ZipFile) -> None:
    description = metadata(wheel).split("\n\n", 1)[1]
    assert "python -m pip install inplacelab\n" in description
    assert re.findall(r"\.venv|\bmake [a-z]+\b|PATH_OF_THE_CLONE|<!--|\bclone\b", description) == []


def test_a_link_leads_to_the_file_of_this_version() -> None:
    absolute = runpy.run_path(str(ROOT / "hatch_build.py"))["absolute"]
    repository = "https://github.com/some-one/a.fork"
    text = "[a](docs/A.md) ![p](docs/p.svg) [w](https://x.org) [here](#there) [![b](badge.svg)](docs/B.md)"
    assert absolute(text, repository, "1.2.3") == (
        f"[a]({repository}/blob/v1.2.3/docs/A.md) ![p](https://raw.githubusercontent.com/some-one/a.fork/v1.2.3/docs/p.svg) "
        f"[w](https://x.org) [here](#there) [![b](badge.svg)]({repository}/blob/v1.2.3/docs/B.md)"
    )


def test_the_classifiers_name_the_pythons_that_are_tested_but_the_newest(wheel: zipfile.ZipFile) -> None:
    named = re.findall(r"^Classifier: Programming Language :: Python :: (3\.\d+)$", metadata(wheel), re.MULTILINE)
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"^ +python: \[(.*)\]$", text, re.MULTILINE)
    assert [*named, "3.14"] == re.findall(r'"(3\.\d+)"', matrix)
    assert (
        tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
        == f">={named[0]}"
    )


# ---- the wheel, with NumPy alone ---------------------------------------------------------------------------------------------------

RUNNER = r"""
import re, sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from inplacelab.cli import main
from inplacelab.recording import codec

names, printed, compared = {"__name__": "__main__"}, None, 0
text = Path(sys.argv[1]).read_text(encoding="utf-8")
for kind, block in re.findall(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
    if kind == "text" and printed is not None:
        assert block == printed, (block, printed)
        compared += 1
    if kind != "python":
        continue
    if re.search("Stepper|View", block):  # a widget
        printed = None
        continue
    first, _, cell = block.partition("\n")
    if first.startswith("%%stepper"):
        Path("cell.py").write_text("import inplacelab as paddle; " * ("paddle." in cell) + cell, encoding="utf-8")
        with redirect_stdout(StringIO()):
            assert main(["record", "cell.py", "-o", "cell.json"]) == 0
        names[re.search(r"--name (\w+)|$", first)[1] or "rec"] = codec.load(Path("cell.json"))
        block = cell
    with redirect_stdout(StringIO()) as out:
        exec(compile("".join(each for each in block.splitlines(True) if each[0] != "%"), "README", "exec"), names)
    printed = out.getvalue()
print(compared, sorted(each for each in sys.modules if each in ("IPython", "anywidget", "scipy", "matplotlib")))
"""


@pytest.fixture(scope="module")
def python(wheel: zipfile.ZipFile, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a fresh environment in which the wheel and NumPy are all there is."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=False, symlinks=sys.platform != "win32")
    packages = next(folder.glob("[Ll]ib/**/site-packages"))
    wheel.extractall(packages)
    for each in {Path(str(file.locate())).parts for file in files("numpy") or () if ".." not in file.parts}:
        top = next(k for k, part in enumerate(each) if part == "site-packages") + 1
        link = packages / each[top]
        if not link.exists():
            link.symlink_to(Path(*each[: top + 1]))
    return next(folder.glob("[Bb]in/python")) if (folder / "bin").exists() else folder / "Scripts" / "python.exe"


def ran(python: Path, *words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(python), "-I", *words], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.standard
def test_only_numpy_is_there(python: Path, tmp_path: Path) -> None:
    for name in ("IPython", "anywidget", "scipy", "pytest", "hypothesis"):
        assert "ModuleNotFoundError" in ran(python, "-c", f"import {name}", folder=tmp_path).stderr
    done = ran(python, "-c", "import inplacelab, inplacelab_widgets; print(inplacelab.__file__)", folder=tmp_path)
    assert "site-packages" in done.stdout, done.stderr


@pytest.mark.standard
def test_the_commands_run(python: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text("import inplacelab as paddle\nx = paddle.ones([2])\nx.scale_(2.)\n")
    for words in (
        ["record", "program.py", "-o", "page.html"],
        ["record", "program.py", "-o", "rec.json"],
        ["show", "rec.json", "-o", "p.svg"],
    ):
        done = ran(python, "-m", "inplacelab", *words, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        assert (tmp_path / words[-1]).stat().st_size > 1000
    refused = ran(python, "-m", "inplacelab", "show", "rec.json", "-o", "p.png", folder=tmp_path)
    assert (refused.returncode, "pip install" in refused.stderr, (tmp_path / "p.png").exists()) == (1, True, False)
    names = "import inplacelab.torch as torch\nx = torch.ones(2)\nx += 1\nprint(x)"
    assert ran(python, "-c", names, folder=tmp_path).stdout == "tensor([2., 2.])\n"


@pytest.mark.standard
@pytest.mark.parametrize("document", EXAMPLES)
def test_the_examples_of_the_documents_run(python: Path, tmp_path: Path, document: str) -> None:
    (tmp_path / "runner.py").write_text(RUNNER, encoding="utf-8")
    done = ran(python, "runner.py", str(ROOT / document), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    compared, others = done.stdout.split(" ", 1)
    assert (int(compared) >= 1, others) == (True, "[]\n")
