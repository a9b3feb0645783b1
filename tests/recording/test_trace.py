"""The lines to which a stale value goes back: where it was kept, where it was overwritten, where it was missed."""

from __future__ import annotations

from dataclasses import replace

from inplacelab.recording import Recording
from inplacelab.recording.facts import SourceFacts
from inplacelab.recording.sentences.failures import Mark, marks
from inplacelab.recording.trace import failure_at, trace
from tests.recorders.golden.renew import run

HEAD = "h = paddle.to_tensor([0.5, -1.0, 2.0], stop_gradient=False)\n"


def recorded(source: str) -> Recording:
    recording: Recording = run(HEAD + source).recording
    return recording


def lines_of(recording: Recording, found: tuple[Mark, ...]) -> list[tuple[int, str, str, str | None]]:
    """Line, role, the few words, and the part of the line that is meant."""
    lines = recording.source.splitlines()
    return [
        (each.line, each.role, each.brief.en, lines[each.line - 1][slice(*each.at.span)] if each.at.span else None)
        for each in found
    ]


def of_last(source: str) -> list[tuple[int, str, str, str | None]]:
    recording = recorded(source)
    return lines_of(recording, trace(recording, len(recording) - 1))


def test_a_failure_goes_back_to_the_line_that_kept_and_the_line_that_wrote() -> None:
    assert of_last("a = h * 2.\ny = a.exp()\nloss = (y * a).sum()\na.relu_()\nloss.backward()\n") == [
        (4, "kept", "kept v0", "y * a"),
        (5, "overwritten", "v0 → v1", "a.relu_()"),
        (6, "needed", "finds v1", "loss.backward()"),
    ]


def test_a_line_that_wrote_several_times_is_marked_once() -> None:
    writes = "for _ in range(3):\n    a.scale_(2.)\na[0].zero_()\na.exp_()\na.abs_()\n"
    source = f"a = h * 2.\nb = a * a\n{writes}b.sum().backward()\n"
    assert of_last(source) == [
        (3, "kept", "kept v0", "a * a"),
        (5, "overwritten", "v0 → v3", "a.scale_(2.)"),
        (6, "overwritten", "v3 → v4", "a[0].zero_()"),
        (7, "overwritten", "v4 → v5", "a.exp_()"),
        (8, "overwritten", "v5 → v6", "a.abs_()"),
        (9, "needed", "finds v6", "b.sum().backward()"),
    ]


def test_the_step_that_makes_a_value_stale_names_the_line_that_kept_it() -> None:
    recording = recorded("a = h * 2.\nb = a.exp()\nc = a * h\nb[1].zero_()\na.relu_()\n")
    traces = [(step.op, lines_of(recording, trace(recording, step.index))) for step in recording.steps]
    assert [each for each in traces if each[1]] == [
        ("zero_", [(3, "kept", "kept v0", "a.exp()"), (5, "overwritten", "v0 → v1", "b[1].zero_()")]),
        ("relu_", [(4, "kept", "kept v0", "a * h"), (6, "overwritten", "v0 → v1", "a.relu_()")]),
    ]


def test_a_write_that_spares_the_slots_says_so() -> None:
    recording = recorded("a = h * 2.\nfirst = a[0]\nb = first * first\na[2].zero_()\nb.backward()\n")
    _, written, _ = trace(recording, len(recording) - 1)
    assert "other elements of its storage written by `zero_`" in written.says.en


def test_what_is_refused_for_another_reason_has_no_story_but_its_line() -> None:
    recording = recorded("h.scale_(2.)\n")
    last = len(recording) - 1
    assert trace(recording, last) == ()
    facts = failure_at(recording, last)
    assert facts is not None
    assert lines_of(recording, marks(facts)) == [(2, "refused", "refused", "h.scale_(2.)")]


def test_a_statement_on_several_lines_is_marked_at_its_first_without_a_part() -> None:
    source = "a = h * 2.\ny = paddle.exp(\n    a\n)\ny.scale_(\n    2.\n)\ny.sum().backward()\n"
    assert [(line, role, part) for line, role, _, part in of_last(source)] == [
        (3, "kept", None),
        (6, "overwritten", None),
        (9, "needed", "y.sum().backward()"),
    ]


def test_a_source_that_is_not_python_alone_is_marked_without_parts() -> None:
    source = "a = h * 2.\ny = a.exp()\ny.scale_(2.)\ny.sum().backward()\n"
    recording = recorded(source)
    *steps, last = recording.steps
    assert last.error is not None
    last = replace(last, error=replace(last.error, failure=None))
    shell = replace(recording, sources=(SourceFacts("", "!ls\n" + source),), steps=(*steps, last))
    assert all(part is None for *_, part in lines_of(shell, trace(shell, len(shell) - 1)))
