"""Writes what `inplacelab explain` has found as annotations of a GitHub workflow, which GitHub shows beside the lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inplacelab.diagnosis.document import Names, Report, said
from inplacelab.diagnosis.findings import Finding
from inplacelab.recording.file_text import visible
from inplacelab.recording.fixes import OUTCOMES
from inplacelab.recording.sentences.failures import Mark, marks, remarks

_BLAMED = ("overwritten", "refused", "needed")
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
        yield _command("error", {**_where(blamed, names), "title": error}, [title, *ways])
    else:
        yield _command("error", {**_where(blamed, names), "title": title}, [said(blamed.says), *ways])
    for mark in shown:
        if mark is not blamed:
            yield _command("notice", {**_where(mark, names), "title": title}, [said(mark.says)])


def _where(mark: Mark, names: Names) -> Mapping[str, object]:
    # Columns count from 1.
    columns = {} if mark.at.span is None else {"col": mark.at.span[0] + 1, "endColumn": mark.at.span[1] + 1}
    end = max(mark.line, mark.at.end_line)
    return {"file": names.of(mark.at.file), "line": mark.line, "endLine": end, **columns}


def _command(level: str, properties: Mapping[str, object], message: list[str]) -> str:
    """Returns a workflow command, escaped as GitHub's toolkit does."""
    written = (f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{level} {','.join(written)}::{_escaped(chr(10).join(message))}"


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))
