"""The lessons in a learner's folder: theirs is theirs, and ours is brought up to date."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inplacelab.language import LANGUAGES
from inplacelab.lessons.delivery import RECORD, Outcome, deliver, shipped, without_outputs

NAME = "01_first.ipynb"


def notebook(source: str, *outputs: str) -> str:
    cell = {"cell_type": "code", "execution_count": len(outputs) or None, "outputs": list(outputs), "source": source}
    prose = {"cell_type": "markdown", "source": "# 第 1 课"}
    return json.dumps({"cells": [prose, cell], "nbformat": 4}, ensure_ascii=False, indent=1) + "\n"


class Learner:
    """A folder, and what is shipped to it."""

    def __init__(self, tmp_path: Path) -> None:
        self.ours, self.folder = tmp_path / "ours", tmp_path / "mine" / "en"
        self.ours.mkdir()

    def get(self, content: str) -> Outcome:
        (self.ours / NAME).write_text(notebook(content, "what it printed"))
        (delivered,) = deliver((self.ours / NAME,), self.folder)
        return delivered.outcome

    def works(self, content: str, name: str = NAME) -> None:
        (self.folder / name).write_text(content)

    def has(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self.folder.iterdir() if path.name != RECORD}


@pytest.fixture
def learner(tmp_path: Path) -> Learner:
    return Learner(tmp_path)


def test_a_lesson_is_copied_once(learner: Learner) -> None:
    assert learner.get("a") is Outcome.NEW
    before = {path: path.stat().st_mtime_ns for path in learner.folder.iterdir() if path.name != RECORD}
    assert learner.get("a") is Outcome.SAME
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert learner.has() == {NAME: notebook("a")}


def test_one_that_the_learner_has_not_touched_is_brought_up_to_date(learner: Learner) -> None:
    learner.get("a")
    assert learner.get("b") is Outcome.UPDATED
    assert learner.has() == {NAME: notebook("b")}


def test_one_that_the_learner_has_changed_is_kept_as_long_as_there_is_nothing_newer(learner: Learner) -> None:
    learner.get("a")
    learner.works("mine")
    assert learner.get("a") is Outcome.KEPT
    assert learner.has() == {NAME: "mine"}


def test_a_newer_one_is_put_beside_what_the_learner_has_changed(learner: Learner) -> None:
    learner.get("a")
    learner.works("mine")
    assert learner.get("b") is Outcome.BESIDE
    assert learner.get("b") is Outcome.SAME
    assert learner.has() == {NAME: "mine", "01_first.new.ipynb": notebook("b")}
    assert learner.get("c") is Outcome.UPDATED
    assert learner.has() == {NAME: "mine", "01_first.new.ipynb": notebook("c")}


def test_what_was_put_beside_can_be_changed_too(learner: Learner) -> None:
    learner.get("a")
    learner.works("mine")
    learner.get("b")
    learner.works("mine as well", "01_first.new.ipynb")
    assert learner.get("b") is Outcome.KEPT
    assert learner.get("c") is Outcome.BESIDE
    assert learner.has() == {NAME: "mine", "01_first.new.ipynb": "mine as well", "01_first.new2.ipynb": notebook("c")}


@pytest.mark.parametrize("record", [None, "", "[]", "{", "\x00"])
def test_without_a_record_every_file_is_the_learners(learner: Learner, record: str | None) -> None:
    learner.folder.mkdir(parents=True)
    learner.works("from somewhere")
    if record is not None:
        learner.works(record, RECORD)
    assert learner.get("a") is Outcome.BESIDE
    assert learner.has() == {NAME: "from somewhere", "01_first.new.ipynb": notebook("a")}


def test_one_that_the_learner_has_thrown_away_comes_again(learner: Learner) -> None:
    learner.get("a")
    (learner.folder / NAME).unlink()
    assert learner.get("a") is Outcome.NEW


@pytest.mark.parametrize("language", LANGUAGES)
def test_lessons_are_shipped_in_every_language_and_the_first_comes_first(language: str) -> None:
    names = [path.name for path in shipped(language)]
    assert names[0] == "01_storage_and_views.ipynb"
    assert "glossary.ipynb" in names


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_learner_gets_no_answer_with_the_question(language: str, tmp_path: Path) -> None:
    ours = shipped(language)
    for delivered in deliver(ours, tmp_path):
        code = [cell for cell in json.loads(delivered.path.read_bytes())["cells"] if cell["cell_type"] == "code"]
        assert not [cell["source"] for cell in code if cell["outputs"] or cell["execution_count"]]
    assert any(b'"output_type"' in path.read_bytes() for path in ours)


def test_only_outputs_are_taken_away() -> None:
    assert without_outputs(notebook("a", "b").encode()) == notebook("a").encode()
