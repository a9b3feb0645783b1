"""The bytes panel: what was there before the program began is said, because it is in every count."""

from __future__ import annotations

from dataclasses import replace

from inplacelab.recording.recording import Recording
from inplacelab_widgets import to_svg

EARLIER = 64


def test_bytes_from_earlier_in_the_session_are_said(recording: Recording) -> None:
    alone, after_others = replace(recording, live_before=0), replace(recording, live_before=EARLIER)
    assert "64 B at the start" not in to_svg(alone)
    assert "64 B at the start" in to_svg(after_others, language="en")
    assert "开始时 64 B" in to_svg(after_others, language="zh")
