"""Writes what `inplacelab explain` has found as JSON, which `report_schema.json` describes; and as annotations of a GitHub workflow, which GitHub
shows beside the lines.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inplacelab.diagnosis.findings import Finding, Report
from inplacelab.diagnosis.wrong_gradients import why_ended, why_left_out
from inplacelab.language import Text, get_language
from inplacelab.recorders.judging.judgment import Judgment
from inplacelab.recording.facts import AliasFacts, BlamedFacts, FixFacts, GradientFacts, RefusalFacts, SiteFacts
from inplacelab.recording.file_text import visible
from inplacelab.recording.fixes import diff_of
from inplacelab.recording.outcomes import OUTCOMES
from inplacelab.recording.sentences import aliases
from inplacelab.recording.sentences.failures import Mark, marks, reasons, remarks
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.version import __version__

SCHEMA = 1
"""The version of the schema. Keys may be added to it; if one was renamed or removed, this number would rise."""
SCHEMA_FILE = Path(__file__).with_name("report_schema.json")

Json = dict[str, Any]


@dataclass(frozen=True)
class Names:
    """Names files as they are seen from a folder.

    Attributes:
        start: where the script was started, to which names that are not whole paths refer.
        root: the folder.
    """

    start: Path
    root: Path

    def of(self, filename: str) -> str:
        """Returns the name of a file: its whole path if it is not below the folder."""
        if filename.startswith("<"):  # a cell, which is no file
            return filename
        path = os.path.normpath(self.start / filename)
        return Path(os.path.relpath(path, self.root) if Path(path).is_relative_to(self.root) else path).as_posix()

    def diff(self, found: Finding, fix: FixFacts) -> str:
        """Returns what a fix changes, as `diff -u` shows it."""
        return diff_of(found.changes(fix), self.of)


def said(text: Text) -> str:
    """Returns a text in the current language."""
    return str(closed_up(text))


def to_json(report: Report, names: Names) -> bytes:
    """Returns a report as a JSON document, in the current language."""
    document = {
        "schema": SCHEMA,
        "inplacelab": __version__,
        "language": get_language(),
        "framework": {"name": report.framework, "version": report.version},
        "script": names.of(str(report.script)),
        "exit_status": report.status,
        "raised": _error(report.raised),
        "watched": {"operations": report.operations, "storages": report.storages},
        "failures": [_failure(each, names) for each in report.findings],
        "remarks": [*map(said, report.remarks)],
        "trials": None if report.tried is None else {"count": report.tried.count, "message": report.tried.said},
        "comparison": None if report.judgment is None else _comparison(report.judgment),
        "aliases": None if report.aliases is None else [_alias(each, names) for each in report.aliases],
        "not_run": None if report.not_run is None else said(report.not_run),
    }
    # Half of a surrogate pair, which UTF-8 cannot express, becomes an escape, as JSON has it.
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode(errors="backslashreplace")


def _failure(found: Finding, names: Names) -> Json:
    facts = found.facts
    said_of_all = [*(each for value in facts.values for each in remarks(value)), *reasons(facts), *facts.remarks]
    return {
        "kind": facts.kind,
        "error": _error(found.error),
        "ended": found.ended,
        "message": said(found.says),
        "wrong_gradients": [*facts.wrong],
        "gradients": [*map(_gradient, facts.gradients)],
        "cause": None if facts.blamed is None else _cause(facts.blamed),
        "refusal": _refusal(facts.refusal),
        "places": [_place(each, names) for each in marks(facts)],
        "remarks": [*map(said, said_of_all)],
        "advice": None if found.advice is None else said(found.advice),
        "fixes": [_fix(found, each, names) for each in found.fixes],
    }


def _gradient(facts: GradientFacts) -> Json:
    return {
        "tensor": facts.tensor or None, "found": facts.found or None, "expected": facts.expected,
        "element": None if facts.element is None else [*facts.element], "differing": facts.differing, "dtype": facts.dtype or None,
        "finite_difference": facts.slope or None,
    }  # fmt: skip


def _cause(blamed: BlamedFacts) -> Json:
    return {"operation": blamed.op, "operand": _gradient(blamed.operand), "instead": said(blamed.instead) or None}


def _comparison(judgment: Judgment) -> Json:
    ended = why_ended(judgment)
    return {
        "equal": judgment.compared,
        "passes": judgment.passes,
        "not_compared": [
            {
                "tensor": names[0] if names else None,
                "operation": (gap and gap.name) or None,
                "line": gap.place.line if gap and gap.place else None,
                "reason": said(why_left_out(gap)),
            }
            for names, gap in judgment.left_out.items()
        ],
        "ended": None if ended is None else said(ended),
    }


def _refusal(refusal: RefusalFacts | None) -> Json | None:
    if refusal is None:
        return None
    return {
        "rule": refusal.rule, "tensor": refusal.name or None, "in_model": refusal.whole or None, "view_of": refusal.base or None,
        "operation": refusal.op or None, "missing": refusal.missing or None,
    }  # fmt: skip


def _alias(facts: AliasFacts, names: Names) -> Json:
    return {
        "kind": facts.kind,
        "name": facts.name,
        "written_through": facts.through or None,
        "operation": facts.op or None,
        "places": [_place(each, names) for each in aliases.marks(facts)],
        "advice": said(aliases.advice(facts)),
    }


def _place(mark: Mark, names: Names) -> Json:
    at, value, write, span = mark.at, mark.value, mark.write, mark.at.span
    kept = value if mark.role == "kept" else None
    counted = write if write is not None and write.after > write.before and mark.role == "overwritten" else None
    named = (
        (value.names or (value.there,) * bool(value.there))
        if value is not None and mark.role in ("kept", "read")
        else ()
    )
    tensor = write.through if write is not None else named
    did = write.op if write is not None else kept.op if kept is not None else ""
    return {
        "role": mark.role,
        "value": mark.number,
        "file": names.of(at.file),
        "line": at.line,
        "end_line": max(at.line, at.end_line),
        "column": None if span is None else span[0],
        "end_column": None if span is None else span[1],
        "function": at.function,
        "text": at.text,
        "message": said(mark.says),
        "called_from": [_call(each, names) for each in mark.sites[1:]],
        "calls": said(mark.calls) or None,
        "loops": _loops(at),
        "tensor": [*tensor],
        "tensor_of_caller": kept and (kept.called or None),
        "version": {
            "kept": kept and kept.kept,
            "before": counted and counted.before,
            "after": counted and counted.after,
            "found": value.found if value is not None and mark.role == "needed" else None,
        },
        "operation": did or None,
        "node": (value.node or None) if value is not None and write is None else None,
        "dtype": kept and (kept.dtype or None),
        "shape": None if kept is None or kept.shape is None else [*kept.shape],
        "certain": value is None or (value.certain and not (value.inferred and mark.role == "kept")),
    }


def _call(at: SiteFacts, names: Names) -> Json:
    return {
        "file": names.of(at.file), "line": at.line, "end_line": max(at.line, at.end_line), "function": at.function, "text": at.text, "loops": _loops(at),
    }  # fmt: skip


def _loops(at: SiteFacts) -> list[Json]:
    return [{"line": each.line, "variable": each.name or None, "value": each.value} for each in at.loops]


def _fix(found: Finding, fix: FixFacts, names: Names) -> Json:
    return {
        "message": said(fix.says),
        "reason": said(fix.reason) or None,
        "price": said(fix.price) or None,
        "diff": names.diff(found, fix) or None,
        "edits": [{**asdict(each), "file": names.of(each.file)} for each in fix.edits],
        "checked": fix.checked or None,
        "checked_message": said(OUTCOMES[fix.checked].wholly),
        "differs": [*fix.differs],
        "finite_differences": fix.slopes,
        "written": fix is found.written,
    }


def _error(error: tuple[str, str] | None) -> Json | None:
    return None if error is None else {"type": error[0], "message": error[1]}


_BLAMED = ("wrong", "overwritten", "refused", "needed")
"""Where the error stands: at the first of these that there is."""


def to_annotations(report: Report, names: Names) -> bytes:
    """Returns the workflow commands: for each failure an error, and notices at the other lines that led to it."""
    lines = dict.fromkeys(line for each in report.findings for line in _of(each, names))
    # A command begins on a line of its own: what the script has printed last may not end with its line.
    return "".join(f"{line}\n" for line in ("", *lines) if lines).encode(errors="backslashreplace")


def _of(found: Finding, names: Names) -> Iterator[str]:
    shown = [mark for mark in marks(found.facts) if mark.role != "made"]
    blamed = next((mark for role in _BLAMED for mark in shown if mark.role == role), None)
    title = said(found.says)
    ways = [
        f"{said(each.says)} ({said(OUTCOMES[each.checked].wholly)})\n{names.diff(found, each)}".rstrip("\n")
        for each in found.fixes
    ]
    if not ways and found.advice is not None:
        ways = [said(found.advice)]
    if blamed is None:
        beside = [said(each) for value in found.facts.values for each in remarks(value)]
        yield _command("error", {"title": title}, [title, *beside, *ways])
    elif blamed.role == "refused" and found.error is not None:
        kind, message = found.error
        error = f"{kind}: {message.partition(chr(10))[0]}"
        yield _command("error", {**_where(blamed, names), "title": error}, [title, *_lines(blamed.calls), *ways])
    else:
        yield _command("error", {**_where(blamed, names), "title": title}, [_told(blamed), *ways])
    for mark in shown:
        if mark is not blamed:
            yield _command("notice", {**_where(mark, names), "title": title}, [_told(mark)])


def _told(mark: Mark) -> str:
    return "\n".join([said(mark.says), *_lines(mark.calls)])


def _lines(text: Text) -> list[str]:
    return [said(text)] if said(text) else []


def _where(mark: Mark, names: Names) -> Mapping[str, object]:
    # Columns count from 1.
    columns = {} if mark.at.span is None else {"col": mark.at.span[0] + 1, "endColumn": mark.at.span[1] + 1}
    end = max(mark.line, mark.at.end_line)
    return {"file": names.of(mark.at.file), "line": mark.line, "endLine": end, **columns}


def _command(level: str, properties: Mapping[str, object], message: list[str]) -> str:
    """Returns a workflow command, escaped as GitHub's toolkit does."""
    escaped = {name: _escaped(str(value)).replace(":", "%3A").replace(",", "%2C") for name, value in properties.items()}
    return (
        f"::{level} {','.join(f'{name}={value}' for name, value in escaped.items())}::{_escaped(chr(10).join(message))}"
    )


def _escaped(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
