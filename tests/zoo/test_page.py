"""Tests the page that says what was tried: nothing that is wrong or missing is left unsaid."""

from __future__ import annotations

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from inplacelab.language import speak
from tests.zoo import __main__ as zoo
from tests.zoo import table
from tests.zoo.entry import Entry

TRAINED = Entry(
    "timm one",
    "timm",
    "residual",
    "import timm\nmodel = 1",
    "model",
    "torch.optim.Adam(model.parameters(), fused=True)",
)
RUN = Entry("timm two", "timm", "attention", "import timm\nmodel = 2", "model", train=False, autocast=True)
FOUND: Any = {
    "version": "1.2+cpu", "faults": [], "compared": 9, "parameters": 1234, "seconds": {"plain": 2.0, "recorded": 6.0, "limited": 2.0, "explained": 3.0},
    "recorded": {"events": 50, "notes": []}, "judged": {"compared": 7, "ended": ""},
    "replayed": {
        "steps": 20, "replayed": 20, "left_out": {}, "gradients": 3, "memory": {"statements": 12, "differing": 0, "where": []},
    },
    "planted": {"fails": True, "found": True, "compiled": False},
}  # fmt: skip


PROMISED = 150
"""So many architectures were tried, and none has a fault."""


def page(language: str = "en", **changed: Any) -> str:
    """The page of two entries, of which the second has other facts."""
    other = {**deepcopy(FOUND), **changed}
    other.pop("planted")
    with speak(language):
        return table.page([TRAINED, RUN], {"timm one": deepcopy(FOUND), "timm two": other})


def rows(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if "timm 1.2" in line]


def test_a_row_says_what_was_run_and_what_came_of_it() -> None:
    (two, one) = rows(page())
    assert one[:9] == ["one", "timm 1.2", "training, Adam, fused", "1,234", "50", "20 / 20", "12 / 12", "found", "3.0"]
    assert one[9:] == ["1.0", "1.5", ""]
    assert two[:3] == ["two", "timm 1.2", "evaluation, autocast"]
    assert two[7] == "—"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"faults": ["recorded: differs: model.weight"]}, "**not as it should be**: recorded: differs: model.weight"),
        ({"recorded": {"events": 50, "notes": [["Compiled code was not recorded.", "…"]]}}, "Compiled code was not recorded."),
        ({"judged": {"compared": 1, "ended": "it computes too much"}}, "compared only a part of the gradients"),
        ({"replayed": {**FOUND["replayed"], "left_out": {"a tensor that is gone": 2}}}, "an argument was gone when the operation ended"),
        ({"replayed": {**FOUND["replayed"], "left_out": {"stft raises ValueError: no": 2}}}, "`stft` cannot be called"),
        ({"replayed": {**FOUND["replayed"], "memory": {"statements": 12, "differing": 1, "where": [[4, 96]]}}}, "was allocated and not counted"),
        ({"replayed": {**FOUND["replayed"], "memory": {"statements": 12, "differing": 1, "where": [[4, -8]]}}}, "memory was counted that PyTorch has not allocated"),
        ({}, "nothing was planted: no backward pass is run"),
    ],
)  # fmt: skip
def test_what_was_not_seen_or_is_wrong_is_said(changed: Any, said: str) -> None:
    text = page(**changed)
    (number,) = re.findall(rf"^(\d+)\. .*{re.escape(said)}", text, re.MULTILINE)
    (two, _) = rows(text)
    assert number in two[-1].split(", ")


def test_the_summary_counts() -> None:
    text = page(faults=["recorded: differs: model.weight"])
    assert "In 1 of 2, weights" in text
    assert "Of 40 recorded operations 40 were run again" in text
    assert "found in 1" not in text
    assert "Backward failed for it in 1 of 1 that are trained, and `explain` named the line in 1, and said in 0" in text
    assert "recorded 3.0 in the median and 3.0 at the worst" in text


def test_a_write_in_compiled_code_is_not_counted_as_found() -> None:
    found = {"timm one": {**deepcopy(FOUND), "planted": {"fails": True, "found": False, "compiled": True}}}
    text = table.page([TRAINED], found)
    assert "`explain` named the line in 0, and said in 1" in text
    assert rows(text)[0][7] == "compiled"


def test_the_page_of_the_documentation_has_the_rows_that_are_promised() -> None:
    for page in table.PAGES.values():
        text = page.read_text(encoding="utf-8")
        assert len(re.findall(r"^\| .*\d+ / \d+", text, re.MULTILINE)) >= PROMISED
        assert str(table._FAULT.en.partition(":")[0]) not in text
        assert str(table._FAULT.zh.partition("：")[0]) not in text


def test_what_was_not_tried_is_named() -> None:
    text = table.page([TRAINED, RUN], {"timm one": FOUND})
    assert "Not tried in this run: timm two." in text


def test_both_languages_have_the_same_numbers() -> None:
    found = [[re.findall(r"[\d.,]+", "".join(row[3:7])) for row in rows(page(language))] for language in ("en", "zh")]
    assert found[0] == found[1] != []


def test_what_was_found_is_kept_in_a_file_for_each_entry(tmp_path: Path) -> None:
    assert zoo.file_of(TRAINED, tmp_path).name == "timm_one.json"
    assert table.load(zoo.file_of(TRAINED, tmp_path)) is None


def test_packages_that_are_not_installed_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(zoo, "ENTRIES", (Entry("absent one", "absent_package", "residual"),))
    assert zoo.main(["--build", str(tmp_path)]) == 0
    assert "Skipped: absent_package" in capsys.readouterr().out
