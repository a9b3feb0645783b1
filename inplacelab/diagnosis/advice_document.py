"""Writes what `inplacelab advise` has found as JSON, which `advice_schema.json` describes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from inplacelab.diagnosis.document import Json, Names, said
from inplacelab.language import Text, get_language
from inplacelab.recording.facts import EditFacts
from inplacelab.recording.fixes import diff_of
from inplacelab.recording.places import file_of
from inplacelab.recording.savings.advice import Advice
from inplacelab.recording.savings.sites import Site
from inplacelab.recording.savings.written import saving_nothing
from inplacelab.recording.sentences.savings import Verdict, held_bytes, reason, reason_of_written, verdict
from inplacelab.version import __version__

SCHEMA = 1
"""The version of the schema. Keys may be added to it; if one was renamed or removed, this number would rise."""
SCHEMA_FILE = Path(__file__).with_name("advice_schema.json")


@dataclass(frozen=True)
class Advised:
    """What came of looking for operations of a script that may write in place.

    Attributes:
        script: the script.
        framework: its framework; "" if it did not run.
        version: that framework's version; "" if it is not known.
        advice: what was found; None if nothing could be.
        why_not: why not.
        edits: the edits that write in place what is offered.
        changes: the texts of the files that they change, before and after.
        written: whether they were written to the files.
    """

    script: Path
    framework: str = ""
    version: str = ""
    advice: Advice | None = None
    why_not: Text | None = None
    edits: tuple[EditFacts, ...] = ()
    changes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    written: bool = False


def to_json(found: Advised, names: Names) -> bytes:
    """Returns it as a JSON document, in the current language."""
    advice = found.advice
    document = {
        "schema": SCHEMA,
        "inplacelab": __version__,
        "language": get_language(),
        "framework": {"name": found.framework, "version": found.version},
        "script": names.of(str(found.script)),
        "not_run": None if found.why_not is None else said(found.why_not),
        "tried": None if advice is None else _tried(advice),
        "operations": [] if advice is None else [_operation(advice, each, found, names) for each in advice.sites],
        "in_place": [] if advice is None else _in_place(advice, found, names),
        "bytes": None if advice is None else _bytes(advice),
        "diff": diff_of(found.changes, names.of) or None,
        "edits": [{**asdict(each), "file": names.of(each.file)} for each in found.edits],
        "written": found.written,
    }
    # Half of a surrogate pair, which UTF-8 cannot express, becomes an escape, as JSON has it.
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode(errors="backslashreplace")


def _tried(advice: Advice) -> Json | None:
    tried = advice.measured
    return None if tried is None else {"data_sets": tried.seeds, "runs": tried.runs, "early": tried.early}


def _operation(advice: Advice, site: Site, found: Advised, names: Names) -> Json:
    judged: Verdict = verdict(advice, site)
    return {
        **_place(advice, site, found, names),
        "runs": len(site.calls),
        "verdict": judged,
        "bytes": site.bytes if judged == "offered" else 0,
        "obstacle": None if site.obstacle is None else site.obstacle.why,
        "message": said(reason(advice, site)),
    }


def _in_place(advice: Advice, found: Advised, names: Names) -> list[Json]:
    return [
        {
            **_place(advice, each.site, found, names),
            "runs": len(each.steps),
            "copy": each.copy,
            "message": said(reason_of_written(advice, each)),
        }
        for each in saving_nothing(advice.recording, advice.before)
    ]


def _place(advice: Advice, site: Site, found: Advised, names: Names) -> Json:
    file = file_of(advice.recording, site.source) or str(found.script)
    return {
        "file": names.of(file), "line": site.line, "column": site.column if site.node is not None else None,
        "operation": site.op, "text": site.code or None,
    }  # fmt: skip


def _bytes(advice: Advice) -> Json:
    recording, tried = advice.recording, advice.measured
    held = [held_bytes(recording, each) for each in (advice.before, advice.after)]
    return {
        "peak": {
            "recorded": [advice.before.peak, advice.after.peak],
            "counted": tried and [tried.peak, tried.peak_after],
        },
        "when_backward_begins": {"recorded": held, "counted": tried and [tried.held, tried.held_after]},
    }
