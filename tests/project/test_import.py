"""Tests that `import inplacelab` is fast and imports only NumPy."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import inplacelab

ONLY_ON_DEMAND = {
    "IPython",
    "anywidget",
    "cupy",
    "inplacelab_widgets",
    "ipykernel",
    "ipywidgets",
    "jupyter_client",
    "jupyter_core",
    "matplotlib",
    "nbformat",
    "paddle",
    "scipy",
    "torch",
    "traitlets",
}

LOADED = "import sys, inplacelab; print(*{name.partition('.')[0] for name in sys.modules})"

TIMES_NUMPYS = """
from time import process_time
begin = process_time()
import numpy
between = process_time()
import inplacelab
inplacelab.Tensor
print((process_time() - between) / (between - begin))
"""
LIMIT = 0.7
ATTEMPTS = 10


def run(program: str, **environment: str) -> str:
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=inherited | environment).stdout


def test_import_takes_no_jupyter_no_cupy_and_no_other_framework() -> None:
    assert set(run(LOADED).split()) & ONLY_ON_DEMAND == set()


def test_import_leaves_what_a_first_program_does_not_need() -> None:
    names = (
        "inplacelab.nn",
        "inplacelab.device",
        "inplacelab.optimizer",
        "inplacelab.errors.catalogue",
        "difflib",
        "tomllib",
    )
    program = f"import sys, inplacelab; inplacelab.ones([1]).add_(inplacelab.ones([1])); print(*sys.modules.keys() & {set(names)})"
    assert run(program).split() == []


WITHOUT_ENGINE = """
import sys, inplacelab
inplacelab.explain, inplacelab.get_language, inplacelab.version
print(*[name for name in sys.modules if name.startswith(("inplacelab.ops", "inplacelab.tensor"))])
"""


@pytest.mark.parametrize(
    "first", ["inplacelab", "inplacelab.tensor", "inplacelab.autograd.gradients", "inplacelab.optimizer"]
)
def test_whatever_is_imported_first_the_engine_is_whole(first: str, tmp_path: Path) -> None:
    """The engine is imported when its first name is used, which is not always one of the package."""
    (tmp_path / "kept.pkl").write_bytes(pickle.dumps(inplacelab.to_tensor([1.0, 2.0])))
    kept = f"pickle.load(open({str(tmp_path / 'kept.pkl')!r}, 'rb'))"
    assert run(f"import pickle, {first}; print({kept}.scale_(2.0).tolist())").split() == ["[2.0,", "4.0]"]
    assert run(f"import inplacelab, {first}; print(inplacelab.tensor([1.0]).exp_().inplace_version)").split() == ["1"]


def test_all_names_are_there_before_the_engine_is() -> None:
    assert run("from inplacelab import *; print(zeros([1]).dtype, Tensor.__name__, no_grad.__name__)").split() == [
        "paddle.float32",
        "Tensor",
        "no_grad",
    ]
    assert (
        run("import inplacelab; print({'add', 'Tensor', 'float32', 'record', 'nn'} - {*dir(inplacelab)})") == "set()\n"
    )


def test_what_looks_at_programs_imports_no_engine() -> None:
    assert run(WITHOUT_ENGINE).split() == []


def test_import_adds_less_than_the_limit_to_numpys_time(tmp_path: Path) -> None:
    """Compares processor times with NumPy's, so that a slow or busy machine does not matter, and takes the best of some attempts.

    The first attempt compiles, as the first import after an installation does; the others use the compiled files.
    """
    assert any(float(run(TIMES_NUMPYS, PYTHONPYCACHEPREFIX=str(tmp_path))) < LIMIT for _ in range(ATTEMPTS))
