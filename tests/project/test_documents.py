"""Tests the documents: their examples run with the printed output, their links have targets, their commands exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import draw
from inplacelab.cli import main
from inplacelab.language import get_language, speak
from inplacelab.lessons import recorded
from tests.tiers import choose

ROOT = Path(__file__).parents[2]
READMES = (ROOT / "README.md", ROOT / "README.zh.md")
PAGES = [path.name for path in sorted(ROOT.glob("docs/en/*.md"))]
"""What the documentation consists of, in each language."""
BILINGUAL = [READMES, *((ROOT / "docs/en" / page, ROOT / "docs/zh" / page) for page in PAGES)]
TAUGHT = [document for pair in BILINGUAL for document in pair]
DOCUMENTS = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *TAUGHT})

REDRAW = "run `make lessons`"
BLOCK = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)#\s]+)")
COMMAND = "inplacelab "
MAKE_COMMAND = re.compile(r"\bmake ([a-z-]+)")


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


by_name = pytest.mark.parametrize("document", DOCUMENTS, ids=named)
in_both_languages = pytest.mark.parametrize("language", ["en", "zh"])


def page(name: str, language: str) -> Path:
    return ROOT / "docs" / language / f"{name}.md"


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


@pytest.mark.parametrize("document", TAUGHT, ids=named)
def test_examples_print_what_the_document_says(document: Path, notebook_session: InteractiveShell) -> None:
    printed = ""
    for kind, text in blocks(document):
        if kind == "text":
            assert text == printed
        elif kind == "python":
            with capture_output() as captured:
                notebook_session.run_cell(text).raise_error()
            printed = captured.stdout


def test_there_are_examples() -> None:
    kinds = [kind for document in TAUGHT for kind, _ in blocks(document)]
    assert (kinds.count("text") >= 20, kinds.count("python") >= 30) == (True, True)


def explained(language: str, folder: Path, *options: str, number: int = 0) -> subprocess.CompletedProcess[str]:
    """What `inplacelab explain` prints of a program of that page: the first one fails, in the second one a gradient is wrong."""
    scripts = [text for kind, text in blocks(page("explain_a_failure", language)) if kind == "ipython"]
    assert scripts[0] == recorded(draw.FAILING).source, "the picture in the READMEs shows this program"
    script = scripts[number]
    (folder / "train.py").write_text(script)
    command = [sys.executable, "-m", "inplacelab", "explain", *options, "--lang", language, "train.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment)


@in_both_languages
def test_a_row_of_the_table_is_added_as_the_page_says(language: str) -> None:
    """In a process of its own, since a row stays in the table."""
    (code, shown) = (
        text for kind, text in blocks(page("write_an_operation", language)) if kind in ("ipython", "output")
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == (shown, "")


@pytest.mark.oracle
@pytest.mark.parametrize("language", choose(["en"], ["en"], ["en", "zh"]))  # each tries edits in ten processes
def test_what_explain_says_is_what_the_documents_show(language: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    said = explained(language, tmp_path, "--try").stderr
    shown = [text for kind, text in blocks(page("explain_a_failure", language)) if kind == "output"]
    shown = [text for text in shown if text not in of_wrong_gradients(language)]
    assert [text for text in shown if text.rstrip("\n") not in said] == []
    (in_readme,) = (text for kind, text in blocks(READMES[language == "zh"]) if kind == "output")
    assert in_readme in shown


def of_wrong_gradients(language: str) -> list[str]:
    """What that page shows after its second program, up to the next section."""
    _, _, after = (
        page("explain_a_failure", language).read_text(encoding="utf-8").partition("```ipython\nimport paddle\n")
    )
    section, _, _ = after.partition("\n## ")
    return [match["text"] for match in BLOCK.finditer("```ipython\n" + section) if match["kind"] == "output"]


@pytest.mark.oracle
@in_both_languages
def test_what_explain_says_of_wrong_gradients_is_what_the_page_shows(language: str, tmp_path: Path) -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")
    said = explained(language, tmp_path, number=1).stderr
    (shown,) = of_wrong_gradients(language)
    assert shown in said


@pytest.mark.oracle
@in_both_languages
def test_what_explain_says_to_programs_is_what_the_page_shows(language: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    found = blocks(page("explain_a_failure", language))
    shown, workflow = (json.loads(text) if kind == "json" else text for kind, text in found if kind in ("json", "yaml"))
    assert part_of(shown, json.loads(explained(language, tmp_path, "--format", "json").stdout)) == shown
    _, _, options = workflow.partition("run: inplacelab explain ")
    assert options.split()[-1] == "train.py"
    annotated = explained(language, tmp_path, *options.split()[:-1]).stdout
    assert re.findall(r"^::(\w+) file=train.py,line=(\d)", annotated, re.MULTILINE) == [
        ("error", "6"), ("notice", "4"), ("notice", "7")
    ]  # fmt: skip


@pytest.mark.oracle
@pytest.mark.parametrize("language", choose(["en"], ["en"], ["en", "zh"]))  # each runs a program ten times
def test_what_advise_says_is_what_the_page_shows(language: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")
    script, shown = (text for kind, text in blocks(page("save_memory", language)) if kind in ("ipython", "output"))
    (tmp_path / "train.py").write_text(script)
    command = [sys.executable, "-m", "inplacelab", "advise", "--lang", language, "train.py"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert (done.stdout, done.returncode) == (shown, 0)


def part_of(shown: Any, whole: Any) -> Any:
    """What a document has under the keys that are shown."""
    if isinstance(shown, dict):
        return {key: part_of(each, whole[key]) for key, each in shown.items()}
    if isinstance(shown, list):
        return [part_of(*pair) for pair in zip(shown, whole, strict=True)]
    return whole


@pytest.mark.standard
def test_the_pictures_of_the_documents_are_those_of_their_programs(tmp_path: Path) -> None:
    """Drawn in a separate process, since the memory ledger counts other live objects."""
    subprocess.run([sys.executable, str(ROOT / "docs" / "draw.py"), str(tmp_path)], check=True)
    assert not [*tmp_path.glob("*.gif")], REDRAW  # an animation is drawn again only if it would show something else
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert len(drawn) == 4
    assert drawn == {path.name: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.svg")}, REDRAW


def test_the_animation_shows_the_program_of_the_readmes() -> None:
    program = (ROOT / "docs" / "one_write.py").read_text(encoding="utf-8").splitlines()[2:]
    written = [re.sub(r"(\d\.)0\b", r"\1", line) for line in program]
    for readme in READMES:
        cell = next(text for _, text in blocks(readme) if text.startswith("%%stepper"))
        assert cell.splitlines()[1:-1] == written


@in_both_languages
def test_the_differences_are_counted_as_their_page_does(language: str) -> None:
    counted = ROOT / "docs" / {"en": "DIFFERENCES.md", "zh": "DIFFERENCES.zh-CN.md"}[language]
    tables = re.findall(r"(?:^\|.*\n)+", counted.read_text(encoding="utf-8"), re.MULTILINE)
    assert tables[1] in page("right_or_refused", language).read_text(encoding="utf-8")


@pytest.mark.parametrize("pair", BILINGUAL, ids=lambda pair: named(pair[0]))
def test_both_languages_show_the_same_commands_in_the_same_order(pair: tuple[Path, Path]) -> None:
    commands = [
        [re.sub("/zh/|/en/| LESSONS=zh| --lang zh", "", text) for kind, text in blocks(document) if kind == "console"]
        for document in pair
    ]
    assert commands[0] == commands[1]


@pytest.mark.parametrize("pair", BILINGUAL, ids=lambda pair: named(pair[0]))
def test_each_document_leads_to_the_other_language(pair: tuple[Path, Path]) -> None:
    for document, other in (pair, pair[::-1]):
        targets = [match["target"] for match in LINK.finditer(document.read_text(encoding="utf-8"))]
        assert (document.parent / targets[0]).resolve() == other


def targets_of(document: Path) -> set[Path]:
    """The files to which a document links."""
    found = (match["target"] for match in LINK.finditer(document.read_text(encoding="utf-8")))
    return {(document.parent / target).resolve() for target in found if not target.startswith("https://")}


@in_both_languages
def test_every_page_is_reached_from_the_readme_or_the_front_page(language: str) -> None:
    front = page("index", language)
    from_readme = targets_of(READMES[language == "zh"])
    assert front in from_readme
    pages = {ROOT / "docs" / language / name for name in PAGES}
    assert pages - from_readme - targets_of(front) == set()


@in_both_languages
def test_the_commands_that_record_a_script_write_what_they_say(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = blocks(page("pages_and_pictures", language))
    program, printed = next((text, said) for (kind, text), (_, said) in pairwise(found) if kind == "python")
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(program, encoding="utf-8")
    commands = [shlex.split(line)[1:] for _, text in found for line in text.splitlines() if line.startswith(COMMAND)]
    assert [words[0] for words in commands] == ["record", "record", "record", "record", "record", "show", "share"]
    trained = "for epoch in range(9):\n    for k in range(300):\n        x.zero_(); x.scale_(2.)\n"
    Path("train.py").write_text(program + trained, encoding="utf-8")
    for words in commands:
        _, *written = [Path(word) for word in words if "." in word]  # the first is what is read
        for file in written:
            file.unlink(missing_ok=True)
        assert main(words) == 0
        assert capsys.readouterr().out == ("" if words[0] == "show" else printed)
        assert all(file.stat().st_size > 1000 for file in written)


@in_both_languages
def test_the_command_that_opens_the_lessons_is_one(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = {"en": "lab", "zh": "lab --lang zh"}[language]
    assert f"\n{COMMAND}{words}\n" in page("course", language).read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
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
        "\n".join(
            re.findall(r"`make [^`]*`|^make [a-z-]+(?: \w+=.*)?$", document.read_text(encoding="utf-8"), re.MULTILINE)
        )
    )
    assert set(named) <= targets
