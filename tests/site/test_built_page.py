"""Checks the playground's sources without a browser: its words, its policy, its examples, and the runner. Needs no download."""

from __future__ import annotations

import re
import string
import sys
from pathlib import Path

import pytest

import front_page
import playground
import words
from documentation import gallery
from examples import LESSONS, examples, of_gallery, runner
from inplacelab.lessons.delivery import without_outputs
from inplacelab_widgets.page import unpacked
from settings import PYODIDE, ROOT, Settings

APP = ROOT / "website" / "app"
SOURCES = {path.name: path.read_text(encoding="utf-8") for path in sorted(APP.iterdir()) if path.is_file()}
MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextualFragment|\beval\(|new Function"
)


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_no_source_makes_markup_of_a_text(name: str) -> None:
    assert not MARKUP.search(SOURCES[name])


def test_every_word_exists_and_is_used() -> None:
    page = SOURCES["index.html"]
    used = {*re.findall(r'data-(?:word|title|label)="(\w+)"', page)}
    for name, text in SOURCES.items():
        if name.endswith(".js"):
            used |= {*re.findall(r'(?:word|say|says|tellNotice|open|ready|isReady\(\) \? )\("?(\w+)"', text)}
            used |= {*re.findall(r'"(\w+)"', text)} & {*words.PLAYGROUND}
    used |= {"link_long", "link_damaged"}  # made of `link_` and the reason
    assert used & {*words.PLAYGROUND} == {*words.PLAYGROUND}
    assert {*re.findall(r'data-(?:word|title|label)="(\w+)"', page)} <= {*words.PLAYGROUND}
    for said in words.PLAYGROUND.values():
        fields = [{field for _, field, _, _ in string.Formatter().parse(text) if field} for text in (said.en, said.zh)]
        assert fields[0] == fields[1]


def test_the_policy_names_no_host_but_pyodides() -> None:
    host = PYODIDE.split("/")[2]
    assert {*re.findall(r"https?://([^/\s;]+)", playground.policy(PYODIDE))} == {host}
    assert "://" not in playground.policy("../pyodide/")
    assert "'unsafe-eval'" not in playground.policy(PYODIDE)


def test_an_address_of_pyodide_ends_with_a_slash() -> None:
    with pytest.raises(ValueError, match="must end with '/'"):
        Settings.of(Path(), "https://example.org/pyodide")


def test_examples_are_whole_programs_with_their_pictures() -> None:
    found = {each.id: each for each in examples(sorted(LESSONS.glob("07_*.md")))}
    refused = found["07-refused"]
    assert refused.names == "paddle"
    assert refused.code.startswith("import inplacelab as paddle\n")
    assert refused.lesson.zh.startswith("7　")
    assert '"refused"' in unpacked(refused.payload)
    assert all("exercise" not in each for each in found)


def test_the_programs_of_the_gallery_are_examples_where_the_documentation_links_to_them() -> None:
    found = {each.id: each for each in of_gallery()}
    assert len(found) == 20
    for entry in gallery.entries():
        example = found[gallery.playground(entry, "en").partition("#example=")[2].partition("&")[0]]
        assert example.code == entry.file.read_text(encoding="utf-8")
    assert {each.names for each in found.values()} == {"paddle", "torch"}


def test_the_first_examples_exist() -> None:
    for names, start in playground.STARTS.items():
        number = start.split("-")[0]
        found = {each.id: each for each in examples(sorted(LESSONS.glob(f"{number}_*.md")))}
        assert found[start].names == names


def _ran(source: str, language: str = "en") -> tuple[str, list[tuple[str, int]], dict[str, object]]:
    said: list[str] = []
    shown: list[tuple[str, int]] = []
    result = runner().run(source, language, said.append, lambda payload, step: shown.append((payload, step)))
    return "".join(said), shown, result


def test_a_program_prints_and_is_shown() -> None:
    said, shown, result = _ran("import inplacelab as paddle\nx = paddle.ones([2])\nx.scale_(2.)\nprint(x.tolist())\n")
    assert said == "[2.0, 2.0]\n"
    assert len(shown) == 1
    assert result == {"steps": 3, "line": 0, "needs": ""}  # the last line is a step too
    assert runner().picture(1, "en").startswith("<svg")
    assert runner().picture(99, "en") == ""


def test_a_long_recording_is_shown_in_two_parts() -> None:
    _, shown, result = _ran(
        "import inplacelab as paddle\nx = paddle.ones([2])\nfor _ in range(60):\n    x.scale_(2.)\n"
    )
    assert len(shown) == 2
    assert '"only"' in unpacked(shown[0][0])
    assert result["steps"] == 61


def test_output_is_cut() -> None:
    said, _, _ = _ran("for _ in range(10_000):\n    print('x' * 1000)\n")
    assert len(said) < 50_200
    assert said.rstrip().endswith("characters are shown at most.")


def test_a_refusal_says_how_to_fix_it_in_both_languages() -> None:
    program = "import inplacelab as paddle\na = paddle.ones([1])\na.stop_gradient = False\nb = a * 2.\nc = b * b\nb.zero_()\nc.backward()\n"
    assert "To fix it" in _ran(program)[0]
    assert "改法" in _ran(program, "zh")[0]
    _ran("x = 1", "en")


@pytest.mark.parametrize("source", ["x = (1\n", "return 1\n", "x = 1\0", "(" * 5000])
def test_what_is_no_program_is_refused_with_its_line(source: str) -> None:
    said, shown, result = _ran(source)
    assert said
    assert not shown
    assert result["steps"] == 0


def test_torch_and_paddle_are_ours_and_only_while_the_program_runs() -> None:
    before = {name: sys.modules.get(name) for name in ("torch", "paddle")}
    said, _, _ = _ran("import torch\nprint(torch.__name__)\n")
    assert said == "inplacelab.torch\n"
    assert {name: sys.modules.get(name) for name in ("torch", "paddle")} == before


def test_lessons_say_what_a_browser_cannot_do() -> None:
    nbformat = pytest.importorskip("nbformat")
    course = pytest.importorskip("course", exc_type=ImportError)
    path = ROOT / "notebooks" / "zh" / "14_what_a_gpu_does.ipynb"
    notebook = nbformat.reads(without_outputs(path.read_bytes()).decode(), as_version=4)
    at = next(k for k, cell in enumerate(notebook.cells) if "kernels.run" in cell.source and cell.cell_type == "code")
    course.for_browser(notebook, "zh", [at])
    changed = notebook.cells[at + 1]  # behind the cell that installs
    assert changed.source.startswith(f"%%raises\n# {words.COURSE['no_compiler'].zh}")
    assert course.RAISES in changed.metadata["tags"]
    on_a_gpu = [cell.source for cell in notebook.cells if 'set_device("gpu"' in cell.source]
    assert on_a_gpu
    assert all(words.COURSE["no_gpu"].zh in source for source in on_a_gpu)
    assert any(cell.source.startswith(course.INSTALL) for cell in notebook.cells)
    nbformat.validate(notebook)


def test_a_cell_that_is_meant_to_raise_shows_its_error_and_raises_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    testing = pytest.importorskip("IPython.core.interactiveshell")
    shell = testing.InteractiveShell()
    shell.extension_manager.load_extension("inplacelab")
    ran = shell.run_cell("%%raises\nx = 1\nraise ValueError('on purpose')\n")
    assert ran.success
    assert shell.user_ns["x"] == 1
    assert "on purpose" in capsys.readouterr().out


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_page_shows_what_one_write_changed(language: str, tmp_path: Path) -> None:
    (tmp_path / "playground").mkdir()
    front_page.write(Settings.of(tmp_path))
    folder = tmp_path / ("zh" if language == "zh" else "")
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert f"playground/?lang={language}#example=gallery-one_write&amp;step=1" in page
    assert "/course/" not in page  # which is not built here
    picture = (folder / re.findall(r'<img src="([^"]+)"', page)[0]).read_text(encoding="utf-8")
    assert {"en": "changed m and t too", "zh": "同时改变了"}[language] in re.sub(r"<[^>]+>", "", picture)
