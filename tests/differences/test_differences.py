"""The page of differences: every program is run again, here and in the real frameworks, and judged by finite differences."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import inplacelab
from differences import data
from differences.page import PAGES, page
from differences.queries import ENDLESS, all_answers, finite_difference, paddle_answer, torch_answer
from inplacelab.language import LANGUAGES, Text, speak
from inplacelab.lessons import differences
from inplacelab.lessons.differences import (
    DTYPES,
    FRAMEWORKS,
    Answers,
    Difference,
    Kind,
    Verdict,
    answer_in_words,
    close,
    ours,
    run,
)
from inplacelab.listing import Group, Listing
from tests.subtests import for_each

ROOT = Path(__file__).parents[2]
RENEW = "if the change is meant: python docs/write_differences.py --record"
UNSTEADY = {"column-onto-column", "rows-assigned-by-index"}
"""Programs to which Paddle's answer differs from run to run: then only the verdict is the same."""
SOMETIMES_REFUSED = {"axes-left-out"}
"""Programs that Paddle checks with memory that was never written: it may also refuse them."""

ENTRIES = [each for _, each in differences.every()]
RECORDED = differences.recorded()

each_entry = for_each("entry", ENTRIES, ids=lambda entry: entry.key)
each_gradient = for_each("entry", [e for e in ENTRIES if e.asks_gradient], ids=lambda entry: entry.key)
each_refusal = for_each(
    "entry", [e for e in ENTRIES if RECORDED[e.key].inplacelab.refused], ids=lambda entry: entry.key
)


@pytest.fixture(autouse=True)
def _in_english() -> Iterator[None]:
    with speak("en"):
        yield


# ---- what the entries claim ------------------------------------------------------------------------------------------

Claim = Callable[[Answers, Verdict, Verdict, Verdict], bool]
CLAIMS: dict[Kind, Claim] = {
    Kind.RIGHT: lambda _, ours, paddle, torch: ours is Verdict.RIGHT and paddle is Verdict.WRONG,
    Kind.REFUSED: lambda _, ours, paddle, torch: ours is Verdict.REFUSED and paddle is Verdict.WRONG,
    Kind.ACCEPTED: lambda _, ours, paddle, torch: ours is Verdict.RIGHT and Verdict.REFUSED in (paddle, torch),
    Kind.STRICTER: lambda _, ours, paddle, torch: ours is Verdict.REFUSED and Verdict.RIGHT in (paddle, torch),
    Kind.ESCAPE: lambda answers, ours, paddle, torch: (
        ours is Verdict.WRONG and answers.inplacelab.agrees(answers.paddle)
    ),
    Kind.DESIGN: lambda answers, ours, paddle, torch: not answers.inplacelab.agrees(answers.paddle),
    Kind.FOLLOWS: lambda answers, ours, paddle, torch: (
        ours is paddle and (ours is Verdict.REFUSED or answers.inplacelab.agrees(answers.paddle)) and _parts(answers)
    ),
}


def _parts(answers: Answers) -> bool:
    """True if PyTorch's answer is another one."""
    return answers.torch is not None and not answers.inplacelab.agrees(answers.torch)


def _holds(entry: Difference, answers: Answers) -> bool:
    """True if the answers are what the entry says they are."""
    return CLAIMS[entry.kind](answers, *map(answers.verdict, FRAMEWORKS))


@each_entry
def test_the_answers_are_what_the_entry_says_they_are(entry: Difference) -> None:
    assert _holds(entry, RECORDED[entry.key])


def test_inplacelab_is_never_silently_wrong() -> None:
    escapes = {each.key for each in ENTRIES if each.kind is Kind.ESCAPE}
    wrong = {each.key for each in ENTRIES if RECORDED[each.key].verdict("inplacelab") is Verdict.WRONG}
    assert wrong == escapes


def test_the_record_holds_the_entries_and_nothing_else() -> None:
    assert list(RECORDED) == [each.key for each in ENTRIES], RENEW
    assert len(set(RECORDED)) == len(ENTRIES)


# ---- the programs, run again -------------------------------------------------------------------------------------------


@each_entry
def test_inplacelab_answers_as_recorded(entry: Difference) -> None:
    assert ours(entry).agrees(RECORDED[entry.key].inplacelab), RENEW


@each_gradient
def test_the_finite_difference_is_as_recorded(entry: Difference) -> None:
    assert close(finite_difference(entry), RECORDED[entry.key].finite_difference), RENEW


@each_gradient
def test_what_is_not_refused_has_the_gradient_of_the_finite_difference(entry: Difference) -> None:
    for dtype in DTYPES:
        answer = ours(entry, dtype)
        if answer.refused is None and entry.kind is not Kind.ESCAPE:
            assert close(answer.gradient, finite_difference(entry)), dtype


@each_refusal
def test_a_refused_program_has_a_fixed_form_that_is_right(entry: Difference) -> None:
    if entry.fixed is None:
        assert not entry.asks_gradient
        return
    answer = run(entry.fixed, inplacelab)
    assert answer.refused is None
    if entry.asks_gradient:
        assert close(answer.gradient, RECORDED[entry.key].finite_difference)


one_by_one = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.key)
"""The others' answers may crash the process: then it is seen at which entry."""


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
class TestOracles:
    """The recorded answers of the other two are those of the packages that are installed."""

    @pytest.fixture(scope="class")
    def paddle(self) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")

    @pytest.fixture(scope="class")
    def torch(self) -> Any:
        return pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")

    @one_by_one
    def test_paddle_answers_as_recorded(self, entry: Difference, paddle: Any) -> None:
        recorded, answer = RECORDED[entry.key], paddle_answer(entry, paddle, entry.dtypes[0])
        if entry.key in SOMETIMES_REFUSED and answer.refused:
            return
        assert replace(recorded, paddle=answer).verdict("paddle") is recorded.verdict("paddle")
        assert entry.key in UNSTEADY or answer.agrees(recorded.paddle), RENEW

    @one_by_one
    def test_torch_answers_as_recorded(self, entry: Difference, torch: Any) -> None:
        answer, recorded = torch_answer(entry, torch, entry.dtypes[0]), RECORDED[entry.key].torch
        assert (answer is None) == (recorded is None)
        assert answer is None or recorded is None or answer.agrees(recorded), RENEW

    @one_by_one
    def test_the_frameworks_differ_in_the_dtypes_of_the_entry_only(
        self, entry: Difference, paddle: Any, torch: Any
    ) -> None:
        found = {dtype: all_answers(entry, paddle, torch, dtype) for dtype in DTYPES}
        assert entry.dtypes == tuple(dtype for dtype in DTYPES if _holds(entry, found[dtype]))

    @pytest.mark.parametrize("dtype", DTYPES)
    @pytest.mark.parametrize(
        ("assignment", "wrong"),
        [
            ("z[[0, 2]] = a * 3", "float64"),
            ("z[np.array([0, 2])] = a * 3", "float64"),
            ("z[paddle.to_tensor([0, 2])] = a * 3", "float64"),
            ("z[paddle.to_tensor([True, False, True])] = a * 3", "float64"),
            ("z[0:2] = a * 5", ""),  # 5: no memory with the right gradient of the others must be left behind
            ("z.index_put_((paddle.to_tensor([0, 2]),), a * 5)", ""),
        ],
    )
    def test_paddle_loses_what_is_assigned_by_an_index_in_float64(
        self, assignment: str, wrong: str, dtype: str, paddle: Any
    ) -> None:
        program = f"z = paddle.zeros([3, 2])\n{assignment}\nloss = (z * z).sum()\n"
        right = run(program, inplacelab, dtype=dtype)
        assert run(program, paddle, dtype=dtype).agrees(right) is (dtype != wrong)

    def test_the_versions_are_those_that_answered(self, paddle: Any, torch: Any) -> None:
        assert differences.load().versions == {"paddle": paddle.__version__, "torch": torch.__version__.split("+")[0]}


# ---- what is shown -----------------------------------------------------------------------------------------------------


def test_the_data_are_those_of_the_chapters() -> None:
    written = data.as_text(differences.load().versions, data.chapters(), RECORDED)
    assert written == data.FILE.read_text(encoding="utf-8"), "run: python docs/write_differences.py"


def test_the_lessons_read_what_the_chapters_say() -> None:
    assert differences.load().chapters == data.chapters()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_are_those_of_the_data(language: str) -> None:
    kept = (ROOT / "docs" / PAGES[language]).read_text(encoding="utf-8")
    assert page(language) == kept, "run: python docs/write_differences.py"


def test_an_entry_that_stands_alone_says_what_its_program_begins_and_ends_with() -> None:
    assert [said in str(differences.show("data-written")) for said in ("`a` is [[1, 2]", "`loss.backward()` is")] == [
        True
    ] * 2
    assert "At the" not in str(differences.show("half-precision"))
    assert "At the" not in str(differences.show("data-written", alone=False))


def test_endless_and_unsteady_programs_are_entries() -> None:
    assert {key for key, answers in RECORDED.items() if answers.paddle.endless} == ENDLESS
    assert set(RECORDED) >= UNSTEADY | SOMETIMES_REFUSED


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_can_be_shown_in_both_languages(language: str) -> None:
    with speak(language):
        tables = {key: differences.table(chapter=key).to_markdown() for key in {c.key for c, _ in differences.every()}}
        for chapter, entry in differences.every():
            shown = differences.show(entry.key)._repr_markdown_()
            assert str(entry.heading) in shown
            assert str(entry.why) in shown
            assert entry.program in shown
            assert str(entry.heading) in tables[chapter.key]


def test_an_entry_that_holds_in_one_dtype_says_so_in_its_heading() -> None:
    heading = differences.find("column-onto-column").heading
    assert heading.en == "A column is copied to another with a list as index (float64 only)"
    assert heading.zh == "用列表作下标把一列写到另一列（仅 float64）"
    assert differences.find("row-scaled").heading.en == "A row is scaled"


def test_the_whole_table_holds_every_entry_under_the_title_of_its_chapter() -> None:
    table = differences.table()
    assert [(group.title, row[0]) for group in table.groups for row in group.rows] == [
        (chapter.title, entry.heading) for chapter, entry in differences.every()
    ]


def test_a_table_of_one_kind_holds_the_entries_of_that_kind() -> None:
    table = differences.table(kind=Kind.STRICTER)
    found = [row[0] for group in table.groups for row in group.rows]
    assert found == [entry.heading for entry in ENTRIES if entry.kind is Kind.STRICTER]
    assert all(group.rows for group in table.groups)


def test_a_refusal_that_has_backquotes_itself_is_shown_as_one_piece_of_code() -> None:
    said = next(found for each in RECORDED.values() if (found := answer_in_words(each.paddle)) and "``" in str(found))
    listing = Listing(Text("refusals", "拒绝"), ("said",), [Group(None, [(said,)])])
    assert str(listing).splitlines()[1] == str(said).removeprefix("``").removesuffix("``")
    assert listing._repr_html_().count("<code>") == 1


def test_the_counts_add_up() -> None:
    (group,) = differences.counts().groups
    assert sum(int(str(number)) for _, number in group.rows) == len(ENTRIES)
    (group,) = differences.verdicts().groups
    judged = sum(each.asks_gradient and each.kind is not Kind.ESCAPE for each in ENTRIES)
    assert [sum(int(str(row[column])) for row in group.rows) for column in (1, 2, 3)] == [judged] * 3


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(KeyError, match="no difference 'nowhere'"):
        differences.find("nowhere")
