"""Tests the workflows of GitHub Actions: they call what exists, with no more rights than they need."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
CALLS = re.compile(r"- run: (?:make|\.ci/run) (.*)$", re.MULTILINE)
ACTIONS = re.compile(r"\buses: (\S+)")

each = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)


def test_there_are_workflows() -> None:
    assert {workflow.stem for workflow in WORKFLOWS} == {"tests", "nightly", "release", "pages"}


@each
def test_a_workflow_calls_targets_of_the_makefile_and_files_that_exist(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    called = [target for call in CALLS.findall(text) for target in call.split()]
    scripts = re.findall(r"\bpython (\S+\.py)", text)
    workflows = [name for name in ACTIONS.findall(text) if name.startswith("./")]
    assert called or scripts
    assert set(called) <= TARGETS
    assert [name for name in scripts + workflows if not (ROOT / name).is_file()] == []


@each
def test_an_action_has_a_major_version_and_a_workflow_may_read_only(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    foreign = [name for name in ACTIONS.findall(text) if not name.startswith("./")]
    assert [name for name in foreign if not re.search(r"@(v\d+|release/v\d+)$", name)] == []
    assert re.search(r"^permissions:\n  contents: read\n\n", text, re.MULTILINE)
    assert re.search(r"^concurrency:$", text, re.MULTILINE)


def test_together_the_tests_run_what_make_test_runs() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    (recipe,) = re.findall(r"^test: .*\n((?:\t.*\n)+)", makefile, re.MULTILINE)
    parts = {word for line in recipe.splitlines() for word in line.split()[1:] if word in TARGETS}
    (tests,) = (workflow for workflow in WORKFLOWS if workflow.stem == "tests")
    assert parts
    assert parts <= {word for call in CALLS.findall(tests.read_text(encoding="utf-8")) for word in call.split()}


def test_every_python_from_the_oldest_one_on_is_tested() -> None:
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"^ +python: \[(.*)\]$", text, re.MULTILINE)
    minors = [int(minor) for minor in re.findall(r'"3\.(\d+)"', matrix)]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["requires-python"] == f">=3.{minors[0]}"
    assert minors == list(range(minors[0], 15))


def test_the_oldest_versions_are_tried_on_every_python_that_the_classifiers_name() -> None:
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    (matrix,) = re.findall(r"^ +version: \[(.*)\]$", text, re.MULTILINE)
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    named = [each.rpartition(" ")[2] for each in classifiers if re.search(r":: 3\.\d+$", each)]
    assert re.findall(r'"(3\.\d+)"', matrix) == named
    assert "--resolution lowest-direct" in text


def test_the_constraints_of_binder_are_within_the_bounds() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [Requirement(each) for each in (*project["dependencies"], *extras["lab"], *extras["special"])]
    lines = (ROOT / "binder" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("==") for line in lines if not line.startswith("#"))
    assert pins.keys() >= {"numpy", "scipy", "matplotlib", "scikit-learn", "anywidget"}
    assert [str(each) for each in needed if each.name in pins and not each.specifier.contains(pins[each.name])] == []
    assert "-c constraints.txt" in (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
