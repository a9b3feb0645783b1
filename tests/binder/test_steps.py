"""The folder `binder/`: what repo2docker makes of it, and that it installs nothing twice."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.binder.steps import PYTHON, ROOT, base_packages, dockerfile, own_steps

pytest.importorskip("repo2docker", reason="needs repo2docker: python -m pip install jupyter-repo2docker")

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
COURSES = {"en": ROOT / "docs/en/course.md", "zh": ROOT / "docs/zh/course.md"}
OPENS = re.compile(
    r"\]\(https://mybinder\.org/v2/gh/(?P<repository>[\w-]+/[\w-]+)/HEAD\?urlpath=lab/tree/(?P<path>[^)]+)\)"
)


def test_the_lessons_packages_are_installed_and_then_our_own_step_runs() -> None:
    assert own_steps() == [
        '${KERNEL_PYTHON_PREFIX}/bin/pip install --no-cache-dir -r "binder/requirements.txt"',
        "chmod +x binder/postBuild",
        "./binder/postBuild",
    ]


def test_the_whole_repository_is_there_before_it_is_installed() -> None:
    text = dockerfile()
    assert text.index("COPY --chown=1000:1000 src/ ${REPO_DIR}/\n") < text.index('-r "binder/requirements.txt"')


def test_the_image_has_a_python_that_we_support() -> None:
    assert base_packages()["python"].startswith(f"{PYTHON}.")
    assert Requirement(f"python{PROJECT['requires-python']}").specifier.contains(base_packages()["python"])


def test_what_the_image_has_already_is_new_enough() -> None:
    """Otherwise pip would put another JupyterLab over the one that the image starts."""
    base = base_packages()
    needed = [Requirement(line) for line in PROJECT["optional-dependencies"]["lab"]]
    had = [requirement for requirement in needed if requirement.name in base]
    assert {requirement.name for requirement in had} >= {"ipykernel", "ipywidgets", "jupyterlab"}
    assert [str(each) for each in had if not each.specifier.contains(base[each.name])] == []


def test_the_step_of_our_own_can_be_run_and_is_correct_shell() -> None:
    step = ROOT / "binder" / "postBuild"
    assert os.access(step, os.X_OK)
    subprocess.run(["bash", "-n", str(step)], check=True)


@pytest.mark.parametrize("language", COURSES)
def test_the_badges_open_what_exists(language: str) -> None:
    badges = list(OPENS.finditer(COURSES[language].read_text(encoding="utf-8")))
    assert [Path(badge["path"]).parts[:2] for badge in badges] == [("notebooks", "en"), ("notebooks", "zh")] * 2
    assert [badge["path"] for badge in badges if not (ROOT / badge["path"]).exists()] == []
    assert {f"https://github.com/{badge['repository']}" for badge in badges} == {PROJECT["urls"]["Repository"]}


def test_the_lessons_on_kernels_find_a_compiler() -> None:
    (step,) = (line for line in dockerfile().splitlines() if "g++" in line.split())
    assert (ROOT / "binder" / "apt.txt").read_text(encoding="utf-8").split() == ["g++"]
    assert "apt-get" in dockerfile()[: dockerfile().index(step)].rsplit("RUN", 1)[1]
