"""`inplacelab share`: a step as a picture, an animation, a page or Markdown; and the formats that a file's suffix asks for."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from inplacelab.cli import main
from inplacelab.installing import command, requirement
from inplacelab.language import speak
from inplacelab_widgets.page import payload_of

PROGRAM = """\
import inplacelab as paddle

m = paddle.to_tensor([[1., 2.], [3., 4.]])
row = m.t()[1]
row.scale_(10.)
print(m.tolist())
"""
STEPS = 5
FAILING = PROGRAM + "raise SystemExit(3)\n"


class Done(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Carries out a command in a folder of its own, which has a program."""
    monkeypatch.chdir(tmp_path)
    Path("program.py").write_text(PROGRAM, encoding="utf-8")

    def carry_out(*words: str) -> Done:
        try:
            status = main(words)
        except SystemExit as leaving:  # argparse's own way out
            status = int(leaving.code or 0)
        return Done(status, *capsys.readouterr())

    return carry_out


@pytest.fixture
def pixels() -> None:
    pytest.importorskip("resvg_py", reason="needs resvg: python -m pip install -e '.[png]'", exc_type=ImportError)
    pytest.importorskip("PIL", reason="needs Pillow: python -m pip install -e '.[share]'", exc_type=ImportError)


def size_of(png: bytes) -> tuple[int, ...]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


@pytest.mark.usefixtures("pixels")
def test_without_a_wish_a_card_is_written(run: Run) -> None:
    done = run("share", "program.py")
    assert done == Done(0, "[[1.0, 20.0], [3.0, 40.0]]\n", f"wrote program.png: {STEPS} steps\n")
    assert size_of(Path("program.png").read_bytes()) == (1200, 675)
    assert {path.name for path in Path.cwd().iterdir()} == {"program.py", "program.png"}


@pytest.mark.usefixtures("pixels")
def test_all_are_written_at_once(run: Run) -> None:
    done = run("share", "program.py", "--step", "2", "--card", "a.png", "--gif", "b.gif", "--html", "c.html")
    assert done.status == 0
    assert Path("b.gif").read_bytes().startswith(b"GIF89a")
    assert "row.scale_(10.)" in payload_of(Path("c.html").read_text(encoding="utf-8"))["source"]
    assert "the link to the step: c.html#step=2\n" in done.err
    run("share", "program.py", "--card", "other.png")
    assert Path("a.png").read_bytes() != Path("other.png").read_bytes()


@pytest.mark.usefixtures("pixels")
def test_the_suffix_says_what_is_written(run: Run) -> None:
    by_suffix = ("a.png", "b.gif", "c.htm", "d.md")
    assert run("share", "program.py", *(word for name in by_suffix for word in ("-o", name))).status == 0
    run("share", "program.py", "--card", "1.png", "--gif", "2.gif", "--html", "3.htm")
    for one, other in (("a.png", "1.png"), ("b.gif", "2.gif"), ("c.htm", "3.htm")):
        assert Path(one).read_bytes() == Path(other).read_bytes()
    assert run("share", "program.py", "--markdown").out == Path("d.md").read_text(encoding="utf-8")


def test_a_recording_takes_no_arguments(run: Run) -> None:
    run("record", "program.py", "-o", "saved.json")
    done = run("share", "saved.json", "5", "--markdown")
    assert (done.status, done.out) == (2, "")
    assert done.err.endswith("saved.json is a recording, and nothing is run that could be given 5\n")
    assert run("share", "saved.json", "--markdown", "--").status == 0


def test_a_saved_recording_is_shared_as_its_program_is(run: Run) -> None:
    run("record", "program.py", "-o", "saved.json")
    assert run("share", "saved.json", "--step", "3", "--markdown") == (
        run("share", "program.py", "--step", "3", "--markdown")._replace(err="")
    )


def test_markdown_has_the_standard_output_to_itself(run: Run) -> None:
    done = run("share", "program.py", "--markdown")
    assert done.out.startswith(f"**program.py: step {STEPS - 1} of {STEPS}, line 5")
    assert "20.0" not in done.out.splitlines()[0]
    assert done.err == "[[1.0, 20.0], [3.0, 40.0]]\n"


def test_a_page_says_the_link_to_its_key_step(run: Run) -> None:
    assert run("share", "program.py", "--html", "page.html").err.endswith(f"page.html#step={STEPS - 1}\n")


def test_a_program_that_fails_is_shared_with_its_status(run: Run) -> None:
    Path("program.py").write_text(FAILING, encoding="utf-8")
    assert run("share", "program.py", "--markdown").status == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--card", "out.jpg"), "--card writes a file with the suffix .png"),
        (("--card", "out.jpg"), "name it out.png"),
        (("--card", "-"), "name it -.png"),
        (("--card", "."), "name it program.png"),
        (("--gif", "out.png"), "name it out.gif"),
        (("--html", "out.pdf"), "name it out.html"),
        (("--card", "nowhere/out.png"), "cannot write nowhere/out.png"),
        (("--step", "0"), "0 is not above 0"),
        (("--gif", "out.gif", "--step", "2"), "an animation shows all steps"),
        (("--seconds", "2"), "--seconds is only for an animation"),
        (("-o", "out.jpg"), "suffix of out.jpg; it writes .png, .gif, .html, .md"),
        (("-o", "-"), "share cannot write a file with the suffix of -"),
        (("--gif", "out.gif", "--seconds", "nan"), "nan is not between 0.02 and 600"),
        (("--gif", "out.gif", "--seconds", "x"), "--seconds cannot be 'x'"),
    ],
)
def test_what_makes_no_sense_is_refused_before_the_program_runs(run: Run, words: tuple[str, ...], says: str) -> None:
    done = run("share", "program.py", *words)
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert {path.name for path in Path.cwd().iterdir()} == {"program.py"}


def test_a_step_that_does_not_exist_is_refused(run: Run) -> None:
    done = run("share", "program.py", "--step", "99", "--markdown")
    assert (done.status, done.out) == (1, "")
    assert f"there is no step 99: the recording has {STEPS} steps" in done.err


@pytest.mark.parametrize(
    ("words", "module", "extra"),
    [
        (("share", "program.py"), "resvg_py", "png"),
        (("share", "program.py", "--gif", "out.gif"), "PIL", "share"),
        (("record", "program.py", "-o", "out.png"), "resvg_py", "png"),
    ],
)
@pytest.mark.usefixtures("pixels")
@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_is_not_installed_is_said_before_the_program_runs(
    run: Run, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], module: str, extra: str, language: str
) -> None:
    from inplacelab_widgets import sharing  # noqa: PLC0415

    sharing.can_draw.cache_clear()
    monkeypatch.setitem(sys.modules, module, None)
    done = run(*words, "--lang", language)
    assert (done.status, done.out) == (1, "")
    assert command(requirement(extra)) in done.err
    assert ("安装" in done.err) == (language == "zh")


# --- suffixes, for every command that writes a file ---------------------------------------------------------------------


@pytest.mark.usefixtures("pixels")
def test_a_file_named_png_is_a_picture(run: Run) -> None:
    run("record", "program.py", "-o", "saved.json")
    assert run("show", "saved.json", "-o", "picture.png").status == 0
    assert run("record", "program.py", "-o", "again.PNG").status == 0
    assert size_of(Path("picture.png").read_bytes()) == size_of(Path("again.PNG").read_bytes())


@pytest.mark.parametrize("name", ["picture.pdf", "page.jpeg", "page.v2"])
def test_a_suffix_without_a_format_is_refused(run: Run, name: str) -> None:
    done = run("record", "program.py", "-o", name)
    assert (done.status, done.out) == (2, "")
    assert re.search(rf"suffix of {re.escape(name)} .* html\|svg\|png\|md\|txt\|json", done.err)
    assert not Path(name).exists()
    assert run("record", "program.py", "-o", name, "--format", "json").status == 0


@pytest.mark.parametrize("words", [("record", "program.py", "--format", "html", "-o", "picture.png")])
def test_a_suffix_of_another_format_is_refused(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert (done.status, done.out) == (2, "")
    assert "the format is html, but the suffix of picture.png" in done.err


@pytest.mark.parametrize("name", ["page.htm", "page.HTML", "page"])
def test_a_page_may_be_named_as_people_name_pages(run: Run, name: str) -> None:
    assert run("record", "program.py", "-o", name).status == 0
    assert Path(name).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_help_of_share_is_in_both_languages(run: Run) -> None:
    assert "--card PNG" in run("share", "--help").out
    with speak("zh"):
        assert "动图" in run("share", "--help").out
