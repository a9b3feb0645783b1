"""Tests the documents: their examples run with the printed output, their links have targets, their commands exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

from inplacelab.cli import main
from inplacelab.language import get_language, speak

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
READMES = [path for path in DOCUMENTS if path.name.startswith("README")]

REDRAW = "run `make lessons`"
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)")
COMMAND = ".venv/bin/inplacelab "
MAKE_COMMAND = re.compile(r"\bmake ([a-z-]+)")

by_name = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


def blocks(document: Path) -> list[tuple[str, str]]:
    return [(match["kind"], match["text"]) for match in BLOCK.finditer(document.read_text(encoding="utf-8"))]


@pytest.fixture
def notebook_session() -> Iterator[InteractiveShell]:
    """An IPython shell as in a notebook; the language is restored afterwards."""
    with speak(get_language()):
        shell = InteractiveShell.instance()
        yield shell
        shell.reset()
        InteractiveShell.clear_instance()


@pytest.mark.parametrize("document", READMES, ids=lambda path: path.name)
def test_examples_print_what_the_readme_says(document: Path, notebook_session: InteractiveShell) -> None:
    examples = [block for block in blocks(document) if block[0] in {"python", "text"}]
    printed = ""
    for kind, text in examples:
        if kind == "text":
            assert text == printed
        with capture_output() as captured:
            if kind == "python":
                notebook_session.run_cell(text).raise_error()
        printed = captured.stdout
    assert [kind for kind, _ in examples].count("text") == 8


@pytest.mark.oracle
@pytest.mark.parametrize(("document", "language"), list(zip(READMES, ("en", "zh"), strict=True)))
def test_the_lines_that_explain_says_are_those_in_the_readme(document: Path, language: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install -e '.[oracle]'")
    script = next(text for kind, text in blocks(document) if kind == "ipython" and "import torch" in text)
    said = next(text for kind, text in blocks(document) if kind == "output" and "train.py" in text)
    (tmp_path / "train.py").write_text(script.removeprefix("%%stepper\n"))
    command = [sys.executable, "-m", "inplacelab", "explain", "--lang", language, "train.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert said in ran.stderr


@pytest.mark.standard
def test_the_pictures_in_the_readmes_are_those_of_their_programs(tmp_path: Path) -> None:
    """Drawn in a separate process, since the memory ledger counts other live objects."""
    subprocess.run([sys.executable, str(ROOT / "docs" / "draw.py"), str(tmp_path)], check=True)
    assert not [*tmp_path.glob("*.gif")], REDRAW  # an animation is drawn again only if it would show something else
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert len(drawn) == len(READMES)
    assert drawn == {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.svg")}, REDRAW


@pytest.mark.parametrize(
    ("document", "page"), list(zip(READMES, ("DIFFERENCES.md", "DIFFERENCES.zh-CN.md"), strict=True))
)
def test_the_readmes_count_the_differences_as_their_page_does(document: Path, page: str) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert tables[1] in document.read_text(encoding="utf-8")


def test_both_readmes_show_the_same_commands_in_the_same_order() -> None:
    commands = [
        [re.sub("/zh/|/en/| LESSONS=zh| --lang zh", "", text) for kind, text in blocks(r) if kind == "console"]
        for r in READMES
    ]
    assert commands[0]
    assert commands[0] == commands[1]


@pytest.mark.parametrize("document", READMES, ids=lambda path: path.name)
def test_the_commands_that_record_a_script_write_what_they_say(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = blocks(document)
    cell, printed = next(
        (text, said) for (_, text), (_, said) in pairwise(found) if text.startswith("%%stepper") and "print" in text
    )
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text("import inplacelab as paddle\n" + cell.split("\n", 1)[1], encoding="utf-8")
    lines = [line for _, text in found for line in text.splitlines() if line.startswith(COMMAND)]
    commands = [words for line in lines if (words := line.split()[1:])[0] != "lab"]
    assert [words[0] for words in commands] == ["record", "record", "show", "share"]
    for words in commands:
        written = [Path(word) for word in words[2:] if "." in word]
        for file in written:
            file.unlink(missing_ok=True)
        assert main(words) == 0
        assert capsys.readouterr().out == ("" if words[0] == "show" else printed)
        assert all(file.stat().st_size > 1000 for file in written)


@pytest.mark.parametrize("document", READMES, ids=lambda path: path.name)
def test_the_command_that_opens_the_lessons_is_one(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"\n{COMMAND}lab\n" in document.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    language = "zh" if ".zh" in document.name else "en"
    assert main(["lab", "--no-open", "--lang", language]) == 0
    assert str(Path("inplacelab-lessons", language)) in capsys.readouterr().out


@by_name
def test_links_lead_to_files_that_exist(document: Path) -> None:
    targets = [match["target"] for match in LINK.finditer(document.read_text(encoding="utf-8"))]
    missing = [t for t in targets if not t.startswith("https://") and not (document.parent / t).exists()]
    assert missing == []


@by_name
def test_commands_of_make_exist(document: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = MAKE_COMMAND.findall(
        "".join(
            re.findall(r"`make [^`]*`|^make [a-z-]+(?: \w+=.*)?$", document.read_text(encoding="utf-8"), re.MULTILINE)
        )
    )
    assert set(named) <= targets
