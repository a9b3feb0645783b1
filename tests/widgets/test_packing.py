"""Tests that a packed text is unpacked unchanged in the browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplacelab_widgets.page import packed, packed_json, payload_of, unpacked, whole_page

UNPACK = Path(__file__).parents[2] / "widgets/inplacelab_widgets/player/unpack.js"


@given(st.text())
def test_a_text_comes_back(text: str) -> None:
    assert unpacked(packed(text)) == text


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
@pytest.mark.parametrize("payload", [{"said": ["a view", "视图", "</script>\n"]}, {"runs": [0.5, -1, None, True]}, {}])
def test_a_payload_arrives_packed_or_plain(payload: Any) -> None:
    script = (
        f"import {{ arrived }} from {json.dumps(str(UNPACK))};\n"
        f"console.log(JSON.stringify([await arrived({json.dumps(packed_json(payload))}), await arrived({json.dumps(payload)})]));"
    )
    command = ["node", "--input-type=module", "-e", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [payload, payload]


def test_what_repeats_is_sent_once() -> None:
    once, often = ([{"en": "S1 is written", "zh": "S1 被写入"}] * times for times in (1, 1000))
    assert len(packed_json(often)) < 10 * len(packed_json(once))


def test_a_page_gives_back_what_it_plays() -> None:
    written = whole_page(
        packed_json({"said": ["</script>"]}),
        player="export default {}",
        style="",
        folder="here",
        title="<b>",
        language="zh",
        options={},
    )
    assert payload_of(written) == {"said": ["</script>"]}
    assert "<title>&lt;b&gt;</title>" in written
    assert "its readable source is the folder here" in written
    with pytest.raises(ValueError, match="not a page"):
        payload_of("<html></html>")
