"""`inplacelab explain --format github`: annotations as GitHub's runner reads them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from inplacelab.diagnosis.document import Names, to_annotations
from inplacelab.diagnosis.findings import Finding, Report
from inplacelab.language import Text
from inplacelab.recording.facts import FailureFacts, KeptFacts, OverwriteFacts, SiteFacts, Sites
from tests.diagnosis.test_report_document import STALE, run

COMMAND = re.compile(r"::(\w+) (.*?)::(.*)")


def commands(printed: str) -> list[tuple[str, dict[str, str], str]]:
    """The level, the properties and the message of each command, read as GitHub's runner does."""
    found = []
    for line in printed.splitlines():
        if match := COMMAND.fullmatch(line):
            pairs = [pair.partition("=") for pair in match[2].split(",")]
            properties = {name: undone(value, ":", ",") for name, _, value in pairs}
            found.append((match[1], properties, undone(match[3])))
    return found


def undone(text: str, *more: str) -> str:
    for each in ("\r", "\n", *more, "%"):
        text = text.replace(f"%{ord(each):02X}", each)
    return text


def at(line: int, file: str = "t.py") -> Sites:
    return (SiteFacts(file, line, line, 0, 1, "x"),)


def printed_of(finding: Finding) -> str:
    report = Report(Path("train.py"), 1, "torch", findings=[finding])
    return to_annotations(report, Names(Path.cwd(), Path.cwd())).decode()


def test_an_error_at_the_write_and_notices_at_the_other_lines(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('in no line', end='')\n" + STALE)
    ran = run(script, "--format", "github", GITHUB_WORKSPACE="")
    found = commands(ran.stdout)
    where = [
        (level, each["file"], *(int(each[key]) for key in ("line", "endLine", "col", "endColumn")))
        for level, each, _ in found
    ]
    assert where == [
        ("error", "train.py", 6, 6, 1, 16),
        ("notice", "train.py", 4, 4, 5, 18),
        ("notice", "train.py", 7, 7, 1, 19),
    ]
    assert {each["title"] for _, each, _ in found} == {"Backward needed a value that was overwritten"}
    error, kept, needed = (message for _, _, message in found)
    assert (
        error.splitlines()[0] == "overwritten by `scale_` through `row`, a view of `h` (`h[:2]`, line 5): version 0 → 1"
    )
    assert "\n--- train.py\n+++ train.py\n@@ " in error
    assert (kept[:6], needed) == ("kept: ", "needed here: it finds version 1")
    assert ran.stdout.startswith("in no line\n")
    assert kept in ran.stderr  # the report is there, too


def test_files_are_named_from_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    script = tmp_path / "part" / "train.py"
    script.write_text(STALE)
    for workspace, name in ((tmp_path, "part/train.py"), (Path(os.devnull), str(script.resolve()))):
        found = commands(run(script, "--format", "github", GITHUB_WORKSPACE=str(workspace)).stdout)
        assert {each["file"] for _, each, _ in found} == {name}


def test_an_operation_that_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import inplacelab as paddle\na = paddle.ones([3])\na.stop_gradient = False\na.exp_()\n")
    ((level, where, message),) = commands(run(script, "--format", "github").stdout)
    assert (level, where["line"]) == ("error", "4")
    assert where["title"].startswith("ValueError: (InvalidArgument) Leaf Var ()")
    assert message.startswith("`exp_` would overwrite a leaf that requires a gradient.")


def test_nothing_is_printed_if_nothing_failed(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import inplacelab\nprint('done')\n")
    assert run(script, "--format", "github").stdout == "done\n"


@pytest.mark.parametrize("text", ["50% of a::b, c=d", "two\nlines\r\nand %0A", "a\x1b[2Jb"])
def test_what_has_a_meaning_in_commands_is_escaped(text: str) -> None:
    facts = FailureFacts("refused", at(3, "a, b:c.py"))
    printed = printed_of(Finding(facts, why=Text(text, text)))
    assert "\x1b" not in printed
    ((_, where, message),) = commands(printed)
    shown = text.replace("\x1b", "\\x1b")
    assert (where["file"], where["title"], message) == ("a, b:c.py", shown, "refused")


def test_a_failure_without_a_line_is_an_error_without_one() -> None:
    value = KeptFacts("ExpBackward0", "result", dtype="float32", shape=(3,), kept=0)
    printed = printed_of(Finding(FailureFacts("stale", (), (value,)), advice=Text("Clone.", "")))
    title = "Backward needed a value that was overwritten"
    remark = "`ExpBackward0` keeps its result (float32 [3]) at version 0, from code that was not watched."
    assert commands(printed) == [("error", {"title": title}, f"{title}\n{remark}\nClone.")]


def test_of_several_values_that_may_be_meant_one_write_is_the_error() -> None:
    def value(line: int) -> KeptFacts:
        write = OverwriteFacts("mul_", 0, 1, at(line + 1), relation="view", made=at(9))
        return KeptFacts("ExpBackward0", sites=at(line), writes=(write,), found=1)

    found = commands(printed_of(Finding(FailureFacts("stale", at(8), (value(1), value(4))))))
    assert [(level, int(where["line"])) for level, where, _ in found] == [
        ("error", 2), ("notice", 1), ("notice", 8), ("notice", 4), ("notice", 5)
    ]  # fmt: skip
