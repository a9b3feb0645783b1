"""Writes what `inplacelab explain` has found as JSON. `report_schema.json` describes it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from inplacelab.diagnosis.findings import Finding, Fix
from inplacelab.diagnosis.quoting import Quoted
from inplacelab.diagnosis.source_file import unified_diff
from inplacelab.language import Text, get_language
from inplacelab.recording.fixes.outcomes import OUTCOMES
from inplacelab.recording.sentences.phrases import closed_up
from inplacelab.version import __version__

SCHEMA = 1
"""The version of the schema. Keys may be added to it; if one was renamed or removed, this number would rise."""
SCHEMA_FILE = Path(__file__).with_name("report_schema.json")

Json = dict[str, Any]


@dataclass(frozen=True)
class Attempts:
    """How many fixes were tried, and what is said if none works: what helps instead, or why none was tried."""

    count: int
    said: str | None


@dataclass(frozen=True)
class Report:
    """How a script ran, and what was found.

    Attributes:
        script: the script.
        status: the script's exit status.
        framework: the framework that was watched; "" if the script did not run.
        version: its version; "" if it is not known.
        raised: the type and the message of the exception that ended it; None if none did, or if it left by `sys.exit`.
        operations, storages: how many were watched.
        findings: the failures.
        remarks: what was not watched.
        tried: what came of trying fixes; None if that was not asked for.
        not_run: why it could not be run to its end, and nothing can be said of it; None if it was.
    """

    script: Path
    status: int
    framework: str = ""
    version: str = ""
    raised: tuple[str, str] | None = None
    operations: int = 0
    storages: int = 0
    findings: Sequence[Finding] = ()
    remarks: Sequence[Text] = ()
    tried: Attempts | None = None
    not_run: Text | None = None


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

    def diff(self, fix: Fix) -> str:
        """Returns what a fix changes, as `diff -u` shows it."""
        return "".join(unified_diff(self.of(each), *texts) for each, texts in fix.changes.items())


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
        "not_run": None if report.not_run is None else said(report.not_run),
    }
    # Half of a surrogate pair, which UTF-8 cannot express, becomes an escape, as JSON has it.
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode(errors="backslashreplace")


def _failure(found: Finding, names: Names) -> Json:
    places = [_place(mark, number, names) for number, value in enumerate(found.values) for mark in value.marks]
    remarks = [*(each for value in found.values for each in value.remarks), *found.remarks]
    return {
        "kind": found.kind,
        "error": _error(found.error),
        "ended": found.ended,
        "message": said(found.says),
        "wrong_gradients": [*found.wrong],
        "places": places,
        "remarks": [*map(said, remarks)],
        "advice": None if found.advice is None else said(found.advice),
        "fixes": [_fix(each, names) for each in found.fixes],
    }


def _place(mark: Quoted, number: int, names: Names) -> Json:
    known, span = mark.details, mark.span
    return {
        "role": mark.role,
        "value": number,
        "file": names.of(mark.filename),
        "line": mark.line,
        "end_line": max(mark.line, mark.end_line or 0),
        "column": None if span is None else span[0],
        "end_column": None if span is None else span[1],
        "function": mark.function,
        "text": mark.text,
        "message": said(mark.says),
        "tensor": [*known.tensor],
        "version": {"kept": known.kept, "before": known.before, "after": known.after, "found": known.found},
        "operation": known.op or None,
        "node": known.node or None,
        "dtype": known.dtype or None,
        "shape": None if known.shape is None else [*known.shape],
        "certain": known.certain,
    }


def _fix(fix: Fix, names: Names) -> Json:
    return {
        "message": said(fix.says),
        "diff": names.diff(fix) or None,
        "edits": [{**asdict(each), "file": names.of(filename)} for filename, each in fix.edits],
        "checked": fix.checked or None,
        "checked_message": said(OUTCOMES[fix.checked].wholly),
        "differs": [*fix.differs],
        "finite_differences": fix.slopes,
        "written": fix.written,
    }


def _error(error: tuple[str, str] | None) -> Json | None:
    return None if error is None else {"type": error[0], "message": error[1]}
