"""Warns of gradients that are wrong without an error, since backward does not know of a write (`recording/unnoticed_writes.py`).

Nothing failed, but backward did not know of a write. The gradient of `a` is computed as if it had not happened:

  5 | v.scale_(3.)
    | ~~~~~~~~~~~~ written by `scale_` through `v`, a view of `b` (`b[0]`, line 4): `b` keeps the grad node of the value before
  6 | loss = b.sum()
    |        ^^^^^^^ reads `b` after that
  7 | loss.backward()
    | ^^^^^^^^^^^^^^^ used here
"""

from __future__ import annotations

from inplacelab.diagnosis.findings import Finding
from inplacelab.diagnosis.quoting import Paint, plain
from inplacelab.diagnosis.report import report
from inplacelab.language import Text
from inplacelab.recording.recording import Recording
from inplacelab.recording.sentences.failures import advice_for
from inplacelab.recording.trace import in_file
from inplacelab.recording.unnoticed_writes import unnoticed_failures

__all__ = ["findings", "warnings_of"]

MOST = 5
"""So many are shown."""
_MORE = Text("({0} more of this kind.)", "（另有 {0} 处同类情况。）")


def warnings_of(recording: Recording, filename: str = "", paint: Paint = plain) -> list[str]:
    """Returns a warning for each write that a backward pass did not know of, in the current language."""
    found = findings(recording, filename)
    shown = [report(each, paint=paint) for each in found[:MOST]]
    return [*shown, str(_MORE.format(len(found) - MOST))] if len(found) > MOST else shown


def findings(recording: Recording, filename: str) -> list[Finding]:
    """Returns what is known of each of these writes, as data.

    Args:
        recording: the recording.
        filename: the program's file.
    """
    return [Finding(in_file(each, filename), advice=advice_for(each)) for each in unnoticed_failures(recording)]
