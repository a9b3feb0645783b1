"""`inplacelab record`: the script runs as with `python`, and what it did is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from inplacelab.cli import main
from inplacelab.language import speak
from inplacelab.recording import codec
from inplacelab_widgets.page import payload_of

ROOT = Path(__file__).parents[2]

DOUBLED = """\
import inplacelab as paddle

x = paddle.ones([2])
x.scale_(2.)
print(x.tolist())
"""
STALE = """\
import inplacelab as paddle
import helper

a = paddle.ones([2]); a.stop_gradient = False
b = a * 2.
c = b * b
b.scale_(3.)
helper.go_back(c)
"""
HELPER = """\
def go_back(tensor):
    tensor.sum().backward()
"""


class Done(NamedTuple):
    status: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Carries out a command in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def carry_out(*words: str) -> Done:
        try:
            status = main(words)
        except SystemExit as leaving:  # argparse's own way out
            status = int(leaving.code or 0)
        for neighbor in ("helper", "neighbor"):  # a process of its own would end here
            sys.modules.pop(neighbor, None)
        return Done(status, *capsys.readouterr())

    return carry_out


def script(text: str, name: str = "script.py") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_a_page_is_written_and_the_program_prints_what_it_prints(run: Run) -> None:
    done = run("record", script(DOUBLED), "-o", "page.html")
    assert done == Done(0, "[2.0, 2.0]\n", "wrote page.html: 3 steps\n")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "<title>script.py</title>" in page
    assert "x.scale_(2.)" in payload_of(page)["source"]


@pytest.mark.parametrize(
    ("form", "begins"), [("svg", "<svg"), ("md", "**script.py"), ("txt", "script.py: step"), ("json", "{")]
)
def test_every_format_is_written(run: Run, form: str, begins: str) -> None:
    by_option = run("record", script(DOUBLED), "--format", form)
    by_suffix = run("record", "script.py", "-o", f"other.{form}")
    assert (by_option.status, by_suffix.status) == (0, 0)
    written = Path(f"script.{form}").read_text(encoding="utf-8")
    assert written.startswith(begins)
    assert written == Path(f"other.{form}").read_text(encoding="utf-8")


def test_a_script_that_uses_numpy_alone(run: Run) -> None:
    text = "import numpy as np\nx = np.zeros(3)\nv = x[1:]\nv += 2\n"
    assert run("record", script(text), "-o", "page.txt").status == 0
    assert "+= changed slots 1-2 of S0 through v" in Path("page.txt").read_text(encoding="utf-8")
    assert run("record", "script.py", "--framework", "inplacelab", "-o", "page.json").status == 0
    assert {step["op"] for step in json.loads(Path("page.json").read_text(encoding="utf-8"))["steps"]} == {None}
    unknown = run("record", "script.py", "--framework", "jax")
    assert (
        unknown.status,
        "choose from 'inplacelab.torch', 'inplacelab', 'torch', 'paddle', 'numpy'" in unknown.err,
    ) == (2, True)


def test_nothing_written_tells_where_it_was_made(run: Run, tmp_path: Path) -> None:
    script(HELPER, "helper.py")
    for form in ("html", "svg", "md", "txt", "json"):
        run("record", str(tmp_path / script(STALE)), "--format", form)
        written = Path(f"script.{form}").read_text(encoding="utf-8")
        assert str(tmp_path) not in written
        assert form != "html" or str(tmp_path) not in json.dumps(payload_of(written))


def test_a_recording_that_was_saved_makes_the_same_page(run: Run) -> None:
    run("record", script(DOUBLED), "-o", "direct.html")
    run("record", "script.py", "-o", "saved.json")
    assert run("show", "saved.json").status == 0
    assert Path("saved.html").read_text(encoding="utf-8") == Path("direct.html").read_text(encoding="utf-8")
    assert run("show", "saved.json", "--format", "txt", "-o", "-").out.startswith("script.py: step")


def test_a_page_can_ask_before_it_shows(run: Run) -> None:
    assert run("record", script(DOUBLED), "--predict", "-o", "asks.html").status == 0
    run("record", "script.py", "-o", "saved.json")
    assert run("show", "saved.json", "--predict", "-o", "saved.html").status == 0
    assert '"predict": true' in Path("asks.html").read_text(encoding="utf-8")
    assert Path("saved.html").read_text(encoding="utf-8") == Path("asks.html").read_text(encoding="utf-8")
    run("record", "script.py", "-o", "shows.html")
    assert '"predict": false' in Path("shows.html").read_text(encoding="utf-8")


def test_what_cannot_ask_is_refused_before_the_script_runs(run: Run) -> None:
    done = run("record", script(DOUBLED), "--predict", "-o", "still.svg")
    refused = "inplacelab record: --predict works only in a page (--format html), not in svg\n"
    assert done == Done(2, "", refused)
    assert not Path("still.svg").exists()


def test_a_script_runs_as_the_main_program_with_its_arguments_and_its_neighbors(run: Run) -> None:
    os.mkdir("inner")
    script("name = 'the neighbor'\n", "inner/neighbor.py")
    program = "import sys, neighbor\nprint(__name__, sys.argv, neighbor.name, sys.modules['__main__'].__file__)\n"
    before = sys.argv, list(sys.path), sys.modules["__main__"]
    done = run("record", script(program, "inner/main.py"), "--format", "json", "--", "-o", "--lang", "7")
    assert (
        done.out == f"__main__ ['inner/main.py', '-o', '--lang', '7'] the neighbor {os.path.abspath('inner/main.py')}\n"
    )
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before


def test_a_script_s_own_future_is_its_own(run: Run) -> None:
    """This package postpones annotations; a script that does not must find them evaluated."""
    run("record", script("def f(x: int) -> str: ...\nprint(f.__annotations__)\n"))
    program = "from __future__ import annotations\ndef f(x: int) -> str: ...\nprint(f.__annotations__)\n"
    assert run("record", script(program)).out == "{'x': 'int', 'return': 'str'}\n"
    assert run("record", script(program.split("\n", 1)[1])).out == "{'x': <class 'int'>, 'return': <class 'str'>}\n"


def test_a_script_that_raises_leaves_a_page_that_ends_with_the_error(run: Run) -> None:
    script(HELPER, "helper.py")
    done = run("record", script(STALE), "-o", "page.json")
    assert done.status == 1
    places = [line.strip() for line in done.err.splitlines() if line.startswith("  File")]
    assert places == [
        'File "script.py", line 8, in <module>',
        f'File "{Path("helper.py").resolve()}", line 2, in go_back',
    ]
    assert "RuntimeError: (PermissionDenied)" in done.err
    last = codec.load("page.json").steps[-1]
    assert last.error is not None
    assert last.place is not None
    assert ([each.line for each in last.place.calls], last.error.type, last.error.storage) == (
        [2, 8],
        "RuntimeError",
        1,
    )


@pytest.mark.parametrize("command", ["record", "explain"])
def test_an_unknown_keyword_in_a_script_is_explained(run: Run, command: str) -> None:
    done = run(command, script("import inplacelab as paddle\nx = paddle.ones([2])\nx.scale_(scal=2.0)\n"))
    assert done.status == 1
    assert "\n  Why: there is no parameter `scal`.\n  Instead: did you mean `scale`?\n" in done.err


SHADOWED = """\
import inplacelab as paddle
h = paddle.to_tensor([0.5, -1.0, 2.0], stop_gradient=False)
a = h * 2.0
y = a.exp()
loss = (y * a).sum()
a.clip_(0.)
loss.backward()
"""
REPORT = """\
Backward needed a value that was overwritten:

  script.py
    5 | loss = (y * a).sum()
      |         ^^^^^ kept: `MultiplyGradNode` keeps `a`, its second operand (float32 [3]) at version 0
    6 | a.clip_(0.)
      | ~~~~~~~~~~~ overwritten by `clip_`: version 0 → 1
    7 | loss.backward()
      | ^^^^^^^^^^^^^^^ needed here: it finds version 1

To fix it, one of these (checked: it runs, and the loss and the gradients are right, on other data, too):
  - call `loss.backward()` before line 6
  - in line 6 write `a = a.clip(0.)`, which makes a new tensor (12 bytes more)
"""
REPORT_IN_CHINESE = """\
反向传播需要的值已被覆盖：

  script.py
    5 | loss = (y * a).sum()
      |         ^^^^^ 保存：`MultiplyGradNode` 保存了 `a`，即它的第二个操作数（float32 [3]），版本 0
    6 | a.clip_(0.)
      | ~~~~~~~~~~~ 被 `clip_` 覆盖：版本 0 → 1
    7 | loss.backward()
      | ^^^^^^^^^^^^^^^ 在此需要：已是版本 1

改法（任选其一；已检验：能够运行，损失和梯度正确，换用其他数据也正确）：
  - 把 `loss.backward()` 移到第 6 行之前
  - 把第 6 行改写为 `a = a.clip(0.)`，它产生一个新张量（多占 12 字节）
"""


@pytest.mark.parametrize(("language", "report"), [("en", REPORT), ("zh", REPORT_IN_CHINESE)])
def test_a_refusal_is_explained_by_the_lines_that_led_to_it(run: Run, language: str, report: str) -> None:
    done = run("record", script(SHADOWED), "--format", "json", "--lang", language)
    head, _, rest = done.err.partition("\n\n")
    assert "\nRuntimeError: (PermissionDenied) Tensor '' used in gradient computation" in head
    assert rest.startswith(report)
    assert f"```output\n{report}```" in (ROOT / "docs" / language / "pages_and_pictures.md").read_text(encoding="utf-8")


def test_the_marks_stand_below_what_they_mean_though_characters_are_wide(run: Run) -> None:
    program = SHADOWED.replace("loss", "损失")
    lines = run("record", script(program), "--format", "json").err.splitlines()
    at = lines.index("    5 | 损失 = (y * a).sum()")
    assert lines[at + 1].startswith("      |         ^^^^^ kept")


def test_a_write_that_repeats_is_reported_once(run: Run) -> None:
    program = SHADOWED.replace("a.clip_(0.)", "for k in range(3): a[0] = k")
    err = run("record", script(program), "--format", "json").err
    assert "~~~~~~~~ overwritten by `[...] = ...`: version 0 → 3; 3 times in all\n" in err


def test_a_leaf_write_is_explained_with_the_reason(run: Run) -> None:
    err = run("record", script(SHADOWED.replace("a.clip_(0.)", "h.relu_()")), "--format", "json").err
    assert "\n\nWhy: `relu_` would overwrite a leaf that requires a gradient." in err
    assert "    6 | h.relu_()\n      | ^^^^^^^^^ refused\n" in err
    assert (
        "  - to compute with the changed values, give them a name of their own: `h_new = h.relu()` in line 6\n" in err
    )
    assert "inplacelab.no_grad()" not in err
    assert "  - to change `h` itself, put line 6 inside `with paddle.no_grad()`: the write is then not recorded" in err


def test_an_ordinary_mistake_is_shown_as_python_shows_it(run: Run) -> None:
    done = run("record", script("import inplacelab as paddle\nx = paddle.ones([1])\n1 / 0\n"), "--format", "json")
    assert done.status == 1
    plain = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, check=False)
    assert done.err == plain.stderr.replace(str(Path.cwd()) + os.sep, "") + "wrote script.json: 2 steps\n"


@pytest.mark.parametrize(
    ("leaves", "status", "says"), [("0", 0, ""), ("", 0, ""), ("3", 3, ""), ("'no data'", 1, "no data\n")]
)
def test_a_script_may_leave_with_a_status(run: Run, leaves: str, status: int, says: str) -> None:
    done = run(
        "record", script(f"import sys, inplacelab\nx = inplacelab.ones([1])\nsys.exit({leaves})\n"), "-o", "p.json"
    )
    assert done.status == status
    assert done.err == f"{says}wrote p.json: 2 steps\n"
    assert all(step.error is None for step in codec.load("p.json").steps)


def test_a_long_recording_says_what_was_left_out(run: Run) -> None:
    loop = "import inplacelab\nx = inplacelab.ones([1])\nfor k in range(9):\n    x.scale_(2.)\n"
    done = run("record", script(loop), "--limit", "4", "-o", "page.json")
    recording = codec.load("page.json")
    assert len(recording) == 4
    assert done.err == (
        "wrote page.json: 4 steps; there the recording ended, and how many steps followed is not known "
        "(--limit keeps more, and --from-step 5 goes on there)\n"
    )
    assert not run("record", "script.py", "--from-step", "5", "-o", "page.json").status
    assert codec.load("page.json").steps[0].line == recording.steps[-1].line


def test_what_other_threads_did_is_said_to_be_left_out(run: Run) -> None:
    program = (
        "import inplacelab, threading\nx = inplacelab.ones([1])\nt = threading.Thread(target=lambda: inplacelab.ones([2]).exp_())\n"
        "t.start()\nt.join()\nx.scale_(2.)\n"
    )
    done = run("record", script(program), "-o", "page.json")
    (note,) = codec.load("page.json").notes
    assert note.en in done.err
    assert [step.op for step in codec.load("page.json").steps if step.kind == "operation"] == ["ones", "scale_"]


def test_the_title_and_the_language_can_be_chosen(run: Run) -> None:
    done = run("record", script(DOUBLED), "-o", "page.html", "--title", "twice <b>", "--lang", "zh")
    assert done.err == "已写入 page.html：共 3 步\n"
    page = Path("page.html").read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in page
    assert "<title>twice &lt;b&gt;</title>" in page


@pytest.mark.parametrize(
    ("text", "status", "says"),
    [
        (None, 2, "cannot read script.py: No such file or directory"),
        ("x = (\n", 1, "script.py is not a Python program:\n"),
        ("return 3\n", 1, "SyntaxError: 'return' outside function"),
        ("x = '\ud800'\n", 1, "is not a Python program"),
        ("'only words'\n", 1, "there is nothing to show"),
    ],
)
def test_what_cannot_be_recorded_is_refused_with_a_reason(run: Run, text: str | None, status: int, says: str) -> None:
    if text is not None:
        Path("script.py").write_bytes(text.encode("utf-8", "surrogatepass"))
    done = run("record", "script.py")
    assert done.status == status
    assert done.err.startswith("inplacelab record: ")
    assert says in done.err
    assert "Traceback" not in done.err
    assert not Path("script.html").exists()


def test_a_recording_that_cannot_be_read_is_refused(run: Run) -> None:
    assert "cannot read none.json" in run("show", "none.json").err
    Path("empty.json").write_text(json.dumps({"schema": 0}), encoding="utf-8")
    done = run("show", "empty.json", "--lang", "zh")
    assert (done.status, "无法读取 empty.json" in done.err) == (1, True)


def test_a_file_that_cannot_be_written_is_refused(run: Run) -> None:
    done = run("record", script(DOUBLED), "-o", "none/page.html")
    assert done.status == 2
    assert "cannot write none/page.html: No such file or directory" in done.err


def test_without_the_drawing_package_the_recording_itself_can_be_had(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inplacelab_widgets", None)
    done = run("record", script(DOUBLED))
    assert done.status == 2
    assert "--format json" in done.err
    assert run("record", "script.py", "--format", "json").status == 0


def test_pages_need_no_jupyter(run: Run) -> None:
    program = (
        "import sys; from inplacelab.cli import main; main(['record', 'script.py']);"
        "print(*{'anywidget', 'traitlets', 'IPython', 'ipywidgets'} & sys.modules.keys())"
    )
    script(DOUBLED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=environment)
    assert done.stdout == "[2.0, 2.0]\n\n"


def test_the_module_is_the_command(run: Run) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "inplacelab", "show", "none.json"]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (2, "inplacelab show: cannot read none.json: No such file or directory\n")


@pytest.mark.parametrize(
    ("language", "heading", "colon"), [("en", "usage: inplacelab record", ":"), ("zh", "用法：inplacelab record", "：")]
)
def test_help_speaks_the_current_language(run: Run, language: str, heading: str, colon: str) -> None:
    with speak(language):
        done = run("record", "--help")
    assert done.status == 0
    assert done.out.startswith(heading)
    assert ("运行脚本" in done.out) == (language == "zh")
    headings = [line for line in done.out.splitlines() if line.endswith((":", "：")) and not line.startswith(" ")]
    assert [line[-1] for line in headings] == [colon, colon]


@pytest.mark.parametrize("words", [("record", "script.py", "--limit", "0"), ("record",), ("play",), ()])
def test_words_that_are_no_command_are_refused(run: Run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.status == 2
    assert done.err.startswith("usage: inplacelab")


@pytest.mark.parametrize(
    ("words", "en", "zh"),
    [
        (
            ("record", "--lr", "script.py"),
            "not an option of this command: --lr (an argument for the script goes after",
            "没有这样的选项：--lr（",
        ),
        (("show", "--lr", "a.json"), "not an option of this command: --lr\n", "没有这样的选项：--lr\n"),
        (
            ("lab", "--lr"),
            "not an option of this command: --lr (put arguments for JupyterLab after --)",
            "传给 JupyterLab",
        ),
        (("show", "a.json", "--", "3"), "this command runs nothing that could be given 3\n", "此命令不运行程序"),
        (("record",), "missing: script (or -m MODULE)\n", "缺少：script（或 -m MODULE）\n"),
        (("explain",), "missing: script (or -m MODULE)\n", "缺少：script（或 -m MODULE）\n"),
        (("compare", "script.py"), "missing: right (or -m MODULE)\n", "缺少：right（或 -m MODULE）\n"),
        (("record", "-m"), "-m needs a value", "-m 后面要有一个值"),
        (("record", "script.py", "-o"), "-o/--output needs a value", "-o/--output 后面要有一个值"),
        (("record", "script.py", "--limit", "0"), "--limit: 0 is not above 0", "--limit：0 不是正数"),
        (("record", "script.py", "--limit", "x"), "--limit cannot be 'x'", "--limit 不能是 'x'"),
        (("record", "script.py", "--format", "pdf"), "--format cannot be 'pdf'; choose from", "不能是 'pdf'；可选的有"),
    ],
)
def test_what_is_wrong_with_a_command_is_said_in_the_current_language(
    run: Run, words: tuple[str, ...], en: str, zh: str
) -> None:
    for language, said, usage in (("en", en, "usage: "), ("zh", zh, "用法：")):
        with speak(language):
            done = run(*words)
        asked = run(words[0], "--lang", language, *words[1:])
        assert done.status == asked.status == 2
        assert said in done.err
        assert done.err.startswith(f"{usage}inplacelab {words[0]} ")
        assert asked.err == done.err
