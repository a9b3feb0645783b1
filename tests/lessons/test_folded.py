"""What is shown only if it is asked for: HTML of lines, prints, plots, tables and Markdown."""

from __future__ import annotations

import pytest

from inplacelab.language import speak
from inplacelab.lessons import differences
from inplacelab.lessons.folded import folded, in_html


def test_lines_and_texts_are_escaped_and_code_is_marked() -> None:
    assert in_html("`a < b` & c") == "<code>a &lt; b</code> &amp; c"
    shown = folded(["`x`: <1>"], ["<y>", ""], [])
    assert "<li><code>x</code>: &lt;1&gt;</li>" in shown
    assert shown.count("<pre") == 1
    assert "&lt;y&gt;</pre>" in shown


def test_a_picture_is_described_by_its_text() -> None:
    shown = folded([], [], [{"image/png": b"png", "text/plain": 'a "line"'}])
    assert 'alt="a &quot;line&quot;" src="data:image/png;base64,cG5n">' in shown


def test_the_summary_is_in_the_language_of_the_notebook() -> None:
    with speak("zh"):
        assert folded([], [], []).startswith("<details><summary>直接看答案</summary>")


@pytest.mark.parametrize("key", [difference.key for _, difference in differences.every()])
def test_programs_on_which_frameworks_differ_are_shown_as_html(key: str) -> None:
    markdown = differences.show(key).markdown
    shown = folded([], [], [{"text/markdown": markdown}])
    assert "```" not in shown
    assert "| ---" not in shown
    assert shown.count("<pre") == shown.count("</pre>") == markdown.count("```") // 2
    assert shown.count("<tr>") == sum(line.startswith("|") for line in markdown.splitlines()) - 1
    rows = [row.count("<td>") for row in shown.split("<tr>")[1:]]
    assert set(rows) == {3}
