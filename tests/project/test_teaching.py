"""The teacher's guide and the list of lessons: they name every lesson, lead there, and give the answers that are tested."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise, zip_longest
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.language import get_language, speak
from lesson_source import Code, read_lesson

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
GUIDES = {"en": ROOT / "docs" / "TEACHING.md", "zh": ROOT / "docs" / "TEACHING.zh-CN.md"}
COURSES = {"en": ROOT / "docs/en/course.md", "zh": ROOT / "docs/zh/course.md"}
LESSONS = sorted(path.stem for path in (NOTEBOOKS / "lessons").glob("[0-9]*.md"))
PAGES = sorted(path.stem for path in (NOTEBOOKS / "lessons").glob("*.md") if path.stem not in LESSONS)

HEADING = {
    "en": re.compile(r"^## Lesson (\d+)\. ", re.MULTILINE),
    "zh": re.compile(r"^## 第 (\d+) 课　", re.MULTILINE),
}
NUMBER = re.compile(r"^(Lesson \d+\. |第 \d+ 课　)")
LINK = re.compile(r"\[(?P<text>[^\]]*)\]\((?P<target>[^)#\s]+)\)")
BLOCK = re.compile(r"^```(?P<kind>python|text)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)

in_both_languages = pytest.mark.parametrize("language", ["en", "zh"])
of_each_lesson = pytest.mark.parametrize("lesson", LESSONS)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def links(path: Path) -> dict[Path, set[str]]:
    """Where a document's links lead in the repository, with what stands on them."""
    found: dict[Path, set[str]] = {}
    for match in LINK.finditer(text_of(path)):
        if not match["target"].startswith("https://"):
            found.setdefault((path.parent / match["target"]).resolve(), set()).add(match["text"])
    return found


def section(language: str, lesson: str) -> str:
    """What the guide says about a lesson."""
    pieces = HEADING[language].split(text_of(GUIDES[language]))
    sections = {int(number): said.split("\n## ")[0] for number, said in zip(pieces[1::2], pieces[2::2], strict=True)}
    return sections[int(lesson[:2])]


def title(language: str, notebook: str) -> str:
    cells = json.loads(text_of(NOTEBOOKS / language / f"{notebook}.ipynb"))["cells"]
    return NUMBER.sub("", "".join(cells[0]["source"]).splitlines()[0].removeprefix("# "))


@in_both_languages
def test_the_links_of_the_guide_lead_somewhere(language: str) -> None:
    assert [target for target in links(GUIDES[language]) if not target.exists()] == []


@in_both_languages
@pytest.mark.parametrize("document", [GUIDES, COURSES], ids=["guide", "course"])
def test_every_lesson_and_page_is_named_with_its_title_and_linked(document: dict[str, Path], language: str) -> None:
    found = links(document[language])
    for notebook in LESSONS + PAGES:
        path = (NOTEBOOKS / language / f"{notebook}.ipynb").resolve()
        assert title(language, notebook) in found.get(path, ()), notebook
    if document is COURSES:
        assert GUIDES[language].resolve() in found
        other = {"en": "zh", "zh": "en"}[language]
        for lesson in LESSONS:
            assert (NOTEBOOKS / other / f"{lesson}.ipynb").resolve() in found, lesson


@in_both_languages
def test_every_lesson_has_a_section_in_its_order(language: str) -> None:
    numbers = HEADING[language].findall(text_of(GUIDES[language]))
    assert [int(number) for number in numbers] == [int(lesson[:2]) for lesson in LESSONS]


@in_both_languages
@of_each_lesson
def test_the_guide_gives_the_solution_of_every_exercise(language: str, lesson: str) -> None:
    """Each line of a solution that the exercise has not stands in the lesson's section."""
    said = section(language, lesson)
    codes = [block for block in read_lesson(NOTEBOOKS / "lessons" / f"{lesson}.md") if isinstance(block, Code)]
    exercises = 0
    for given, solution in pairwise(codes):
        if "solution" in solution.tags:
            exercises += 1
            known = {line.strip() for line in given.text.splitlines()}
            new = [line.strip() for line in solution.text.splitlines() if line.strip() not in known]
            assert [line for line in new if line not in said] == []
    numbered = re.findall(r"^(\d)\. ", said, re.MULTILINE)
    assert numbered == [str(number + 1) for number in range(exercises)]


@in_both_languages
@of_each_lesson
def test_the_cells_to_ask_before_are_in_the_lesson(language: str, lesson: str) -> None:
    source = text_of(NOTEBOOKS / "lessons" / f"{lesson}.md")
    rows = [row.split("|")[1] for row in section(language, lesson).splitlines() if row.startswith("| ")]
    names = [name for first in rows for name in re.findall(r"`(\w+)`", first)]
    assert names
    assert [name for name in names if f"--name {name}" not in source and f"def {name}(" not in source] == []


@in_both_languages
@of_each_lesson
def test_predict_mode_is_said_where_the_lesson_uses_it(language: str, lesson: str) -> None:
    source = text_of(NOTEBOOKS / "lessons" / f"{lesson}.md")
    word = {"en": "(predict mode)", "zh": "（预测模式）"}[language]
    rows = [row for row in section(language, lesson).splitlines() if word in row]
    asked = re.findall(r"^%%stepper --name (\w+) --predict", source, re.MULTILINE)
    assert [row.split("`")[1] for row in rows] == asked


def test_both_guides_have_the_same_code_and_the_same_shape() -> None:
    def shape(language: str) -> list[str]:
        starts = re.findall(r"^(#+ |\| |\d\. |- |```\w*)", text_of(GUIDES[language]), re.MULTILINE)
        return [start.strip() for start in starts]

    differing = [pair for pair in zip_longest(shape("en"), shape("zh")) if pair[0] != pair[1]]
    assert differing == []
    codes = [[match["text"] for match in BLOCK.finditer(text_of(guide))] for guide in GUIDES.values()]
    assert codes[0] == codes[1]


@pytest.fixture
def notebook_session() -> Iterator[InteractiveShell]:
    """What a notebook runs its cells in; the language is put back afterwards."""
    with speak(get_language()):
        shell = InteractiveShell.instance()
        yield shell
        shell.reset()
        InteractiveShell.clear_instance()


@in_both_languages
def test_answers_can_be_read_as_the_guide_says(
    language: str, notebook_session: InteractiveShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = {match["text"]: match["kind"] for match in BLOCK.finditer(text_of(GUIDES[language]))}
    recorded, asked, report, printed, counted = blocks
    assert blocks[printed] == "text"

    def run(cell: str) -> str:
        with capture_output() as captured:
            notebook_session.run_cell(cell).raise_error()
        return captured.stdout

    run("%load_ext inplacelab\nimport inplacelab as paddle")
    run(recorded)
    run(asked)
    stepper = notebook_session.user_ns["stepper"]
    first, second, third = stepper.questions
    stepper.answers = [
        {"step": first.step, "kind": first.kind, "chosen": list(first.right), "right": True},
        {"step": second.step, "kind": second.kind, "chosen": [], "right": False},
        {"step": third.step, "kind": third.kind, "chosen": None, "right": None},
    ]
    assert run(report) == printed

    lesson = json.loads(text_of(NOTEBOOKS / language / f"{LESSONS[0]}.ipynb"))
    cells = [cell for cell in lesson["cells"] if "check.which_is_it()" in "".join(cell["source"])]
    cells[0]["outputs"] = [{"output_type": "display_data", "data": {"text/plain": "✓"}, "metadata": {}}]
    (tmp_path / "handed-in").mkdir()
    (tmp_path / "handed-in" / "ada.ipynb").write_text(json.dumps(lesson), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run(counted) == "ada.ipynb 1 / 3 row_of_its_own rotated_board\n"
