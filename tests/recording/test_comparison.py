"""What the comparison of two programs comes to, and what is new at each position."""

from __future__ import annotations

from hypothesis import given

from inplacelab.recording import Recording
from inplacelab.recording.compare import SIDES, Comparison, conclusion
from inplacelab.recording.compare.alignment import align
from tests.recorders.golden.renew import run
from tests.recording.test_alignment import programs, recorded

HEAD = "x = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)\ny = x * 2.0\n"
KEPT = "f = y.detach()\ns = (y * y).sum()\nf.zero_()\ns.backward()"


def compared(left: str, right: str) -> Comparison:
    return Comparison(align(run(left).recording, run(right).recording))


def said(left: str, right: str) -> str:
    return conclusion(compared(left, right)).en


def test_a_single_line_that_differs_decides() -> None:
    assert (
        said(HEAD + KEPT, HEAD + KEPT.replace("detach()", "detach().clone()"))
        == "`y.detach()` shares its storage with `y`, `y.detach().clone()` does not"
    )
    assert (
        said(HEAD + "f = y.clone()", HEAD + "f = y.detach()")
        == "`y.clone()` shares no storage with `y`, `y.detach()` does"
    )
    assert (
        said("x = paddle.ones([2])\nv = x[1:]\nx.scale_(3.0)", "x = paddle.ones([2])\nv = x[1:]\nx = x.scale(3.0)")
        == "After `x.scale_(3.0)`, `v` is [3]; after `x = x.scale(3.0)`, it is [1]"
    )
    assert (
        said("x = paddle.ones([2])\nx = x.scale_(3.0)", "x = paddle.ones([2])\nx = x.scale(3.0)")
        == "After `x.scale_(3.0)`, `x` is at version 1; after `x.scale(3.0)`, at version 0"
    )
    assert (
        said(HEAD + "x.scale_(2.0)", HEAD + "y.scale_(2.0)")
        == "`x.scale_(2.0)` raises `ValueError`, `y.scale_(2.0)` does not"
    )


def test_the_names_of_the_conclusion_are_those_of_the_program_also_on_the_other_side() -> None:
    found = said(HEAD + "g = y.clone()\ng = g * 1.0", HEAD + "g = y.detach()\ng = g * 1.0")
    assert found == "`y.clone()` shares no storage with `y`, `y.detach()` does"


def test_several_lines_that_differ_leave_how_the_programs_end() -> None:
    stale = HEAD + KEPT
    fine = HEAD + "f = y.detach().clone()\ns = (y * y * 1.0).sum()\nf.zero_()\ns.backward()"
    assert (
        said(stale, fine)
        == "The left program raises `RuntimeError` in line 6, the right one gives `x.grad = [8, 16, 24]`"
    )
    assert (
        said(fine, stale)
        == "The left program gives `x.grad = [8, 16, 24]`, the right one raises `RuntimeError` in line 6"
    )
    assert (
        said(HEAD + "y.sum().backward()\na = 1", HEAD + "z = y * y\nz.sum().backward()")
        == "`x.grad` is [2, 2, 2] on the left, [8, 16, 24] on the right"
    )


def test_programs_that_end_alike() -> None:
    same = HEAD + "y.sum().backward()"
    assert said(same, same) == "No step differs in values, versions, sharing or bytes"
    more = HEAD + "a = paddle.ones([9])\ndel a\ny.sum().backward()"
    assert said(same, more).startswith("Both give `x.grad = [2, 2, 2]`, but on the way they differ: ")
    assert (
        said("x = paddle.ones([2])\ny = x + 1.0", "x = paddle.ones([2])\ny = x * 1.0 + 1.0")
        == "Both run to their ends; only memory differs: at most 16 bytes on the left, 24 bytes on the right"
    )


def test_programs_without_a_common_line_are_not_compared() -> None:
    found = compared("q = paddle.ones([2])", "from math import inf")
    assert not found.alignment.pairs
    assert conclusion(found).en.startswith("Nothing was aligned")
    assert found.key_position == len(found.alignment.positions) - 1
    assert not any(found.found)


def test_rounding_is_no_news() -> None:
    one = run("x = paddle.to_tensor([0.1, 2.0])\ny = x * 3.0").recording
    found = Comparison(align(one, run("x = paddle.to_tensor([0.10000001, 2.0])\ny = x * 3.0").recording))
    kinds = {each.kind for each in found.found[-1]}
    assert kinds == {"rounding"}
    assert conclusion(found).en == "Both run to their ends; only rounding differs"
    assert found.told(found.alignment.ends[0], by_line=True).clause.en == "`x` differs by rounding only"
    assert not any(map(found.is_telling, range(len(found.alignment.positions))))


def test_the_key_position_is_where_values_first_differ() -> None:
    found = compared(HEAD + KEPT, HEAD + KEPT.replace("detach()", "detach().clone()"))
    reached = found.alignment.reached[found.key_position]
    assert found.alignment.left.steps[reached.left or 0].line == 5
    told = found.told(found.key_position, by_line=True)
    assert told.clause.en == "`y` is [0, 0, 0] on the left, [2, 4, 6] on the right"
    assert told.clause.zh == "`y` 的值：左侧 [0, 0, 0]，右侧 [2, 4, 6]"


def test_a_side_that_raises_is_said_where_it_raises_and_waits_afterwards() -> None:
    found = compared(
        HEAD + KEPT + "\nz = x * 1.0", HEAD + KEPT.replace("detach()", "detach().clone()") + "\nz = x * 1.0"
    )
    raising = [end for end in found.alignment.ends if found.raised(end, by_line=True)]
    assert len(raising) == 1
    assert (
        found.told(raising[0], by_line=True).clause.en
        == "The left program raises `RuntimeError` here, the right one does not"
    )
    last = found.alignment.ends[-1]
    waiting = found.waiting(last, "left", by_line=True)
    assert waiting is not None
    assert waiting.en == "The left program was ended by `RuntimeError`."
    assert found.waiting(last, "right", by_line=True) is None


def test_a_loop_with_fewer_turns_waits_for_the_other() -> None:
    loop = "x = paddle.ones([2])\nfor k in range({0}): x.scale_(2.0)\ny = x + 1.0"
    found = compared(loop.format(3), loop.format(1))
    waits = [end for end in found.alignment.ends if found.waiting(end, "right", by_line=True) is not None]
    assert len(waits) == 2
    assert all(found.waiting(end, "left", by_line=True) is None for end in waits)


def test_lines_that_differ_are_known_on_both_sides() -> None:
    found = compared(
        "# one\nx = paddle.ones([2])\n\ny = x * 2.0", "# two\nx = paddle.ones([2])\ny = x + 2.0\nz = y * 1.0"
    )
    assert found.changed_lines == ((4,), (3, 4))


@given(programs, programs)
def test_news_add_up_to_what_differs_in_the_end(left: str, right: str) -> None:
    found = Comparison(align(recorded(left), recorded(right)))
    alignment = found.alignment
    assert alignment.ends[-1] == len(alignment.positions) - 1
    assert list(alignment.ends) == sorted(set(alignment.ends))
    assert [alignment.starts[0], *(end + 1 for end in alignment.ends[:-1])] == sorted(set(alignment.starts))
    told = {each.says for end in alignment.ends for each in found.new(end, by_line=True)}
    assert {each.says for each in found.found[-1]} <= told
    assert 0 <= found.key_position < len(alignment.positions)
    assert found.key_position in alignment.ends


@given(programs, programs)
def test_everything_is_said_in_both_languages_and_at_most_one_side_waits(left: str, right: str) -> None:
    found = Comparison(align(recorded(left), recorded(right)))
    assert all(conclusion(found).in_language(language) for language in ("en", "zh"))
    for position in range(len(found.alignment.positions)):
        for by_line in (False, True):
            told = found.told(position, by_line=by_line)
            assert told.clause.en
            assert told.clause.zh
            assert not told.clause.en.endswith(".")
            waiting = [found.waiting(position, side, by_line=by_line) for side in SIDES]
            assert None in waiting


def test_a_program_compared_with_itself_differs_nowhere() -> None:
    one: Recording = run(HEAD + KEPT).recording
    found = Comparison(align(one, one))
    assert not any(found.found)
    assert found.changed_lines == ((), ())
    assert conclusion(found).en == "No step differs in values, versions, sharing or bytes"
