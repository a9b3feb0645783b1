"""Programs of several sources: where something happened is said with its source, and a name with its frame."""

from __future__ import annotations

from dataclasses import replace

import pytest

from inplacelab.place import Place
from inplacelab.recording import Recording, from_json, sentence, to_json
from inplacelab.recording.code_of_steps import code_of
from inplacelab.recording.codec import RecordingFormatError
from inplacelab.recording.compare.alignment import align
from inplacelab.recording.facts import EditFacts, SourceFacts
from inplacelab.recording.fixes import fixes, of_recording
from inplacelab.recording.fixes.proposals import proposals
from inplacelab.recording.fixes.recorded import trails_of
from inplacelab.recording.fixes.spots import changed
from inplacelab.recording.naming import node_label
from inplacelab.recording.origins import origins
from inplacelab.recording.origins.words import comes_from
from inplacelab.recording.places import bare_name, bound_at, function_of, names_at, said_line, said_lines, short_place
from inplacelab.recording.places import said_one_by_one as one_by_one
from inplacelab.recording.quiz import quiz
from inplacelab.recording.ranks import align_ranks
from inplacelab.recording.sentences import headline_of
from inplacelab.recording.trace import failure_at, marks_in, trace
from tests.recording.conftest import SHIFT, SQUARE, Tape, of_three_sources, placed, views_and_stale

NAMES = ("", "own/train.py", "own/gan/model.py", "other/gan/model.py", "In [3]")
SOURCES = tuple(SourceFacts(name, "") for name in NAMES)


@pytest.fixture(name="several")
def _several() -> Recording:
    return of_three_sources()


def last(recording: Recording) -> int:
    return len(recording) - 1


# --- how a place is said -----------------------------------------------------------------------------------------------


def test_a_line_is_said_with_its_source_unless_that_is_read() -> None:
    here = Place(1, 2)
    said = [said_line(SOURCES, Place(7, source), here) for source in range(len(NAMES))]
    assert [each.en for each in said] == [
        "line 7 of the main program",
        "line 7 of `train.py`",
        "line 7",
        "line 7 of `other/gan/model.py`",
        "line 7 of cell [3]",
    ]
    assert [each.zh for each in said] == [
        "主程序第 7 行",
        "`train.py` 第 7 行",
        "第 7 行",
        "`other/gan/model.py` 第 7 行",
        "单元格 [3] 第 7 行",
    ]


def test_a_picture_says_it_shortly() -> None:
    here = Place(1, 1)
    assert [short_place(SOURCES, Place(7, source), here) for source in range(len(NAMES))] == [
        "7", "7", "own/gan/model.py:7", "other/gan/model.py:7", "In [3]:7"
    ]  # fmt: skip


def test_in_a_program_of_one_text_a_line_is_a_line() -> None:
    assert said_line(SOURCES[1:2], Place(7)).en == "line 7"
    assert said_lines(SOURCES[1:2], 0, 3, 5).en == "lines 3 to 5"
    assert short_place(SOURCES[1:2], Place(7)) == "7"


def test_several_lines_are_said_together_if_they_are_in_the_source_that_is_read() -> None:
    places = [Place(3), Place(5), Place(6)]
    assert one_by_one(SOURCES, places, Place(1)).en == "lines 3, 5 and 6"
    assert one_by_one(SOURCES, [Place(3), Place(5, 1)], Place(1)).en == "line 3 and line 5 of `train.py`"
    assert said_lines(SOURCES, 1, 3, 5, Place(1)).zh == "`train.py` 第 3 至 5 行"


# --- names in frames ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "function", "bare"),
    [
        ("x", "", "x"),
        ("net.w", "", "net.w"),
        ("Block.forward: x", "Block.forward", "x"),
        ("walk#2: self.h[0]", "walk", "self.h[0]"),
        ("f: x.grad", "f", "x.grad"),
        ("known['a: b']", "", "known['a: b']"),
        ("f: known['a: b']", "f", "known['a: b']"),
        ("main.<locals>.f: x", "main.<locals>.f", "x"),
    ],
)
def test_a_name_is_read(name: str, function: str, bare: str) -> None:
    assert (function_of(name), bare_name(name)) == (function, bare)


def test_a_name_of_another_function_is_none_here() -> None:
    names = ("a", "Block.forward: x", "f: y")
    assert names_at(names, Place(3)) == ("a",)
    assert names_at(names, Place(3, function="Block.forward")) == ("a", "x")
    assert names_at(names, Place(3, function="main.<locals>.f")) == ("a", "y")


def test_what_a_name_stands_for_in_a_function() -> None:
    tape = Tape()
    both = tape.tensor(0, 0, (1,), "x"), replace(tape.tensor(1, 1, (1,)), names=("f: x",))
    tape.step("line", 1, tape.storage(0, (1.0,)), tape.storage(1, (2.0,)), *both)
    state = tape.recording().state()
    assert [bound_at(state, "x", Place(1, function=each)) for each in ("", "f", "g")] == [both[0], both[1], both[0]]
    assert bound_at(state, "y", Place(1)) is None


# --- a program of three files ------------------------------------------------------------------------------------------


def test_an_operation_is_written_as_its_own_source_writes_it(several: Recording) -> None:
    assert code_of(several, several.steps[4]) == "b * b"
    other = SourceFacts("own/lib/model.py", "def square(b):\n    return b + b\n")
    elsewhere = replace(several, sources=(several.sources[0], other, several.sources[2]))
    assert code_of(elsewhere, several.steps[4]) == "multiply"
    assert sentence(several, 4).en.startswith("Line 2 `b * b` read `b`")
    assert "`MultiplyGradNode` (line 2 of `lib/model.py`) kept is now stale" in sentence(several, 5).en


def test_a_failure_names_the_innermost_line_and_the_call_that_led_there(several: Recording) -> None:
    assert sentence(several, last(several)).en == (
        "`RuntimeError`. Line 2 of `lib/model.py`: kept: `MultiplyGradNode` keeps `b`, its first and second operands (float32 [4]) at version 0, "
        "in `square`, called from line 4 of `train.py`. Line 3 of `tools/model.py`: overwritten by `add_` through `v`, a view of `b` "
        "(`b[1:3]`, line 3 of `train.py`): version 0 → 1, in `Shift.forward`, called from line 5 of `train.py`."
    )
    assert "`tools/model.py` 第 3 行：被 `add_`" in sentence(several, last(several)).zh
    said = headline_of(several, last(several), sentence(several, last(several)))
    assert said.clause.en == "`c.backward()` was refused: line 3 of `tools/model.py` had overwritten `b`"


def test_marks_are_given_with_their_source(several: Recording) -> None:
    found = trace(several, last(several))
    assert [(each.role, each.at.file, each.line, each.at.expression) for each in found] == [
        ("kept", "own/lib/model.py", 2, "b * b"),
        ("overwritten", "own/tools/model.py", 3, "v.add_(10)"),
        ("needed", "", 6, "c.backward()"),
    ]
    assert [[each.role for each in marks_in(several, last(several), source)] for source in range(3)] == [
        ["needed"], ["kept"], ["overwritten"]
    ]  # fmt: skip
    facts = failure_at(several, last(several))
    assert facts is not None
    assert [each.expression for each in facts.values[0].sites] == ["b * b", "c = square(b)"]


def test_a_node_is_told_by_the_source_that_made_it(several: Recording) -> None:
    state = several.state()
    assert node_label(state, state.nodes[3], Place(1, 1)).en == "`MultiplyGradNode` (line 2)"
    assert node_label(state, state.nodes[3], Place(1)).en == "`MultiplyGradNode` (line 2 of `lib/model.py`)"
    # Line 2 of `train.py` has made another node: the text is not about that line.
    assert node_label(state, state.nodes[3], Place(2)).en == "`MultiplyGradNode` (line 2 of `lib/model.py`)"


def test_where_a_number_comes_from(several: Recording) -> None:
    found = comes_from(several, origins(several, "v", (0,)))
    assert "line 3 of `tools/model.py`" in found.en


def test_questions_are_asked_on_a_line_of_a_source(several: Recording) -> None:
    asked = quiz(several, at="own/tools/model.py:3", kinds="version")
    assert {each.step for each in asked} == {5}
    with pytest.raises(LookupError, match="lines with steps: \\[1, 2, 3, 6\\]"):
        quiz(several, at="line:5")
    with pytest.raises(ValueError, match="is not a place"):
        quiz(several, at="gone.py:3")


# --- one function, several calls ---------------------------------------------------------------------------------------

TWICE = (
    "def act(t):\n    return t * t\na = ones([4])\nb = act(a)\nv = b[1:3]\nc = act(b)\nw = v.add_(10)\nc.backward()\n"
)


def test_of_a_function_that_is_called_several_times_the_call_is_said() -> None:
    calls = {2: Place(2, function="act", called_from=Place(4)), 4: Place(2, function="act", called_from=Place(6))}
    recording = placed(views_and_stale(), {"": TWICE}, {1: Place(3), **calls, 3: Place(5), 5: Place(7), 6: Place(8)})
    kept, written, needed = trace(recording, last(recording))
    assert kept.says.en.endswith(", in `act`, called from line 6")
    assert kept.says.zh.endswith("（在 `act` 中），由第 6 行调用")
    assert "called from" not in written.says.en + needed.says.en


def test_of_a_function_that_is_called_once_it_is_not() -> None:
    call = {4: Place(2, function="act", called_from=Place(6))}
    recording = placed(views_and_stale(), {"": TWICE}, {**call, 1: Place(3), 2: Place(4), 3: Place(5), 5: Place(7), 6: Place(8)})  # fmt: skip
    assert trace(recording, last(recording))[0].says.en.endswith(" at version 0, in `act`")


# --- fixes -------------------------------------------------------------------------------------------------------------


def test_fixes_edit_the_source_of_their_place(several: Recording) -> None:
    order, copy = fixes(several)
    assert (order.says.en, {each.file for each in order.edits}) == ("call `c.backward()` before line 5", {""})
    assert copy.says.en.startswith("let line 2 of `lib/model.py` keep a copy: put `b_kept = b.clone()` before it")
    assert copy.says.zh.startswith("让 `lib/model.py` 第 2 行保存副本")
    assert {each.file for each in copy.edits} == {"own/lib/model.py"}
    read, _ = of_recording(several)
    assert changed(copy.edits, read)["own/lib/model.py"] == (
        SQUARE,
        "def square(b):\n    b_kept = b.clone()\n    return b_kept * b_kept\n",
    )


def test_a_fix_across_two_sources_edits_both(several: Recording) -> None:
    trail = trails_of(several)[0]
    here = replace(
        trail.writes[0][0], filename="", line=5, end_line=5, column=4, end_column=12, op="add_", names=("v",)
    )
    read, lines = of_recording(replace(several, sources=(SourceFacts("", "a\nb\nc\nd\nw = v.add_(9)\n"), *several.sources[1:])))  # fmt: skip
    found = proposals([replace(trail, writes=(*trail.writes, (here,)), needed=())], read, lines)
    assert {"", "own/tools/model.py"} in [{each.file for each in one.edits} for one in found]
    both = next(each for each in found if len({edit.file for edit in each.edits}) == 2)
    after = {file: text for file, (_, text) in changed(both.edits, read).items()}
    assert after["own/tools/model.py"] == SHIFT.replace("add_", "add")
    assert "w = v = v.add(9)" in after[""]


def test_edits_are_checked_against_the_text_of_their_source(several: Recording) -> None:
    *steps, failed = several.steps
    error = failed.error
    assert error is not None
    fix = fixes(several)[1]

    def with_edit(**places: int) -> str:
        edit = replace(EditFacts(2, 0, 2, 0, "", "own/lib/model.py"), **places)  # type: ignore[arg-type]
        facts = replace(error, fixes=(replace(fix, edits=(edit,)),))
        return to_json(replace(several, steps=(*steps, replace(failed, error=facts))))

    assert from_json(with_edit()).steps[-1].error is not None
    with pytest.raises(RecordingFormatError):
        from_json(with_edit(line=5, end_line=5))  # line 5 is in the main program, but not in this source
    with pytest.raises(RecordingFormatError):
        from_json(with_edit(end_column=90))


# --- several recordings ------------------------------------------------------------------------------------------------


def test_two_programs_are_aligned_by_the_names_of_their_sources(several: Recording) -> None:
    names = [each.name for each in several.sources]
    turned = placed(
        views_and_stale(),
        {"": several.source, names[2]: SHIFT, names[1]: "import x\n" + SQUARE},
        {4: Place(3, 2, "square", called_from=Place(4)), 5: Place(3, 1, "Shift.forward", called_from=Place(5))},
    )
    found = align(several, turned)
    assert [(one, other) for one, other in found.positions] == [(k, k) for k in range(len(several))]
    assert ((1, 2), (2, 3)) in found.lines


def test_steps_on_one_line_of_two_sources_do_not_stand_side_by_side(several: Recording) -> None:
    texts = {each.name: each.text for each in several.sources}
    elsewhere = placed(views_and_stale(), texts, {4: Place(3, 2), 5: Place(3, 2)})
    positions = align(several, elsewhere).positions
    assert (4, 4) not in positions
    ranks = align_ranks([several, elsewhere]).positions
    assert not any(each[0] == 4 and each[1] == 4 for each in ranks)
