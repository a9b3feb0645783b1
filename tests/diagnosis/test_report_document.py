"""`inplacelab explain --format json`: what is written obeys its schema, and says what the report says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator

from inplacelab.diagnosis.document import SCHEMA, SCHEMA_FILE, Names, to_json
from inplacelab.diagnosis.findings import Finding, Report
from inplacelab.language import LANGUAGES
from inplacelab.recording.facts import FailureKind

SCHEMA_TEXT = SCHEMA_FILE.read_text(encoding="utf-8")
PROMISED = {
    "Report": "schema inplacelab language framework script exit_status raised watched failures remarks trials",
    "Error": "type message",
    "Failure": "kind error ended message wrong_gradients places remarks advice fixes",
    "Place": "role value file line end_line column end_column function text message tensor version operation node dtype shape certain",
    "Fix": "message diff edits checked checked_message differs finite_differences written reason price",
    "Edit": "file line column end_line end_column text",
}
"""The keys of schema 1. More may be added to these; none may go."""

STALE = """\
import inplacelab as paddle
a = paddle.to_tensor([1.0, 2.0, 3.0], stop_gradient=False)
h = paddle.exp(a)
row = h[:2]
row.scale_(2.0)
h.sum().backward()
"""


def schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """The schemas of objects in a schema, themselves included."""
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict) and "required" in schema:
            yield schema
        schema = [*schema.values()]
    for each in schema if isinstance(schema, list) else ():
        yield from schemas(each)


def strict() -> Draft202012Validator:
    """The schema, without room for keys that it does not describe."""
    closed = json.loads(SCHEMA_TEXT)
    for each in schemas(closed):
        each["additionalProperties"] = False
    return Draft202012Validator(closed)


def run(script: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "inplacelab", "explain", *options, script.name]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=script.parent, encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
    )  # fmt: skip


def document_of(folder: Path, text: str, *options: str) -> dict[str, Any]:
    """What is said of a program, checked against the schema."""
    script = folder / "train.py"
    script.write_text(text, encoding="utf-8")
    ran = run(script, "--format", "json", *options)
    document: dict[str, Any] = json.loads(ran.stdout)
    strict().validate(document)
    assert document["exit_status"] == ran.returncode
    return document


def check_document(framework: str, found: Finding, report: str) -> None:
    """Checks that the document of a failure obeys the schema, and says of each line what the report says."""
    made = Report(Path("train.py"), 1, framework, raised=found.error, findings=[found])
    document = json.loads(to_json(made, Names(Path.cwd(), Path.cwd())))
    strict().validate(document)
    (failure,) = document["failures"]
    shown = [each for each in failure["places"] if each["role"] != "made"]
    assert {"kept", "needed"} <= {each["role"] for each in shown}
    assert [each for each in shown if each["message"] not in report or each["text"].strip() not in report] == []


def places(failure: dict[str, Any]) -> list[tuple[str, int, str]]:
    """The role, the line and the part of the line that is meant."""
    return [
        (each["role"], each["line"], each["text"][each["column"] : each["end_column"]]) for each in failure["places"]
    ]


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    lines = text.splitlines(keepends=True)
    for each in sorted(edits, key=lambda each: (-each["line"], -each["column"])):
        first, last = each["line"] - 1, each["end_line"] - 1
        rest = lines[last][each["end_column"] :] if last < len(lines) else ""
        start = lines[first][: each["column"]] if first < len(lines) else ""
        lines[first : last + 1] = [start + each["text"] + rest]
    return "".join(lines)


def test_the_schema_is_one_and_describes_everything() -> None:
    schema = json.loads(SCHEMA_TEXT)
    Draft202012Validator.check_schema(schema)
    assert schema["properties"]["schema"]["const"] == SCHEMA
    described = [*schemas(schema), *(facts for each in schemas(schema) for facts in each["properties"].values())]
    assert [each for each in described if "$ref" not in each and not each.get("description", "").endswith(".")] == []
    assert schema["$defs"]["Failure"]["properties"]["kind"]["examples"] == [*get_args(FailureKind)]


def test_no_key_goes() -> None:
    schema = json.loads(SCHEMA_TEXT)
    there = {"Report": schema, **schema["$defs"]}
    assert SCHEMA == 1
    assert {name: [*there[name]["required"]] for name in PROMISED} == {
        name: keys.split() for name, keys in PROMISED.items()
    }


def test_a_stale_value(tmp_path: Path) -> None:
    document = document_of(tmp_path, STALE)
    assert (document["schema"], document["script"], document["framework"]["name"]) == (1, "train.py", "inplacelab")
    assert document["watched"]["operations"] == 5
    (failure,) = document["failures"]
    assert (failure["kind"], failure["ended"], failure["error"]) == ("stale", True, document["raised"])
    assert places(failure) == [
        ("kept", 3, "paddle.exp(a)"),
        ("made", 4, "h[:2]"),
        ("overwritten", 5, "row.scale_(2.0)"),
        ("needed", 6, "h.sum().backward()"),
    ]
    kept, _, overwritten, needed = failure["places"]
    assert (kept["tensor"], kept["node"], kept["dtype"], kept["shape"]) == (["h"], "ExpGradNode", "float32", [3])
    assert (overwritten["tensor"], overwritten["operation"]) == (["row"], "scale_")
    versions = [
        {key: value for key, value in each["version"].items() if value is not None}
        for each in (kept, overwritten, needed)
    ]
    assert versions == [{"kept": 0}, {"before": 0, "after": 1}, {"found": 1}]


def test_each_fix_is_said_as_edits_and_as_a_diff(tmp_path: Path) -> None:
    (failure,) = document_of(tmp_path, STALE)["failures"]
    assert {each["checked"] for each in failure["fixes"]} == {"gradients"}
    for fix in failure["fixes"]:
        text = applied(STALE, fix["edits"])
        assert [line[1:] for line in fix["diff"].splitlines() if line.startswith("+") and "+++" not in line] == [
            line for line in text.splitlines() if line not in STALE.splitlines()
        ]
        (tmp_path / "fixed.py").write_text(text)
        assert run(tmp_path / "fixed.py").returncode == 0


def test_a_fix_that_is_written_says_so(tmp_path: Path) -> None:
    (failure,) = document_of(tmp_path, STALE, "--fix")["failures"]
    (written,) = [each for each in failure["fixes"] if each["written"]]
    assert (tmp_path / "train.py").read_text() == applied(STALE, written["edits"])


@pytest.mark.parametrize(
    ("program", "kind", "error", "marked"),
    [
        ("a.exp_()", "leaf", "ValueError", [("refused", 4)]),
        (
            "b = a.exp()\nb.sum().backward()\nb.sum().backward()",
            "again",
            "SystemError",
            [("kept", 4), ("released", 5), ("needed", 6)],
        ),
        ("paddle.reshape(a, [7])", "refused", "ValueError", [("refused", 4)]),
    ],
)
def test_refusals_of_other_kinds(
    tmp_path: Path, program: str, kind: str, error: str, marked: list[tuple[str, int]]
) -> None:
    head = "import inplacelab as paddle\na = paddle.ones([3])\na.stop_gradient = False\n"
    (failure,) = document_of(tmp_path, head + program)["failures"]
    assert (failure["kind"], failure["error"]["type"]) == (kind, error)
    assert [(each["role"], each["line"]) for each in failure["places"]] == marked
    assert failure["message"]
    assert failure["advice"].startswith("To fix it: ")


@pytest.mark.parametrize(
    ("program", "status", "raised"),
    [
        ("paddle.ones([2])", 0, None),
        ("raise KeyError('k')", 1, {"type": "KeyError", "message": "'k'"}),
        ("raise SystemExit(3)", 3, None),
        ("raise SystemExit('no data')", 1, None),
    ],
)
def test_no_failure(tmp_path: Path, program: str, status: int, raised: dict[str, str] | None) -> None:
    document = document_of(tmp_path, f"import inplacelab as paddle\n{program}\n", "--try")
    assert (document["failures"], document["exit_status"], document["raised"]) == ([], status, raised)


def test_what_the_program_prints_goes_to_the_standard_error(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    prints = (
        "import atexit, os, subprocess, sys, threading, time\natexit.register(print, 'at its end')\nprint('itself')\n"
        "os.write(1, b'by number\\n')\nsubprocess.run([sys.executable, '-c', 'print(\"a child\")'])\nprint('in no line', end='')\n"
        "threading.Thread(target=lambda: (time.sleep(0.3), print('a thread'))).start()\n"
    )
    script.write_text(prints + STALE)
    ran = run(script, "--format", "json")
    assert [each["kind"] for each in json.loads(ran.stdout)["failures"]] == ["stale"]
    for each in ("itself\n", "by number\n", "a child\n", "in no line", "a thread\n", "at its end\n", "RuntimeError: "):
        assert each in ran.stderr
    assert "Backward needed a value" not in ran.stderr


def test_a_child_that_the_program_forks_writes_no_document(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import os\nif os.fork():\n    os.wait()\n" + STALE)
    assert json.loads(run(script, "--format", "json").stdout)["script"] == "train.py"


def test_the_document_in_a_file_stands_beside_the_report(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("print('itself')\n" + STALE)
    ran = run(script, "-o", "found.json")
    assert (ran.stdout, "kept: " in ran.stderr) == ("itself\n", True)
    assert ran.stderr.endswith("wrote found.json\n")
    in_file = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert in_file == json.loads(run(script, "--format", "json").stdout)


def test_a_page_and_the_document(tmp_path: Path) -> None:
    document = document_of(tmp_path, STALE, "-o", "page.html")
    assert document["failures"]
    assert "<html" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_files_are_named_from_where_the_script_was_started(tmp_path: Path) -> None:
    moved = "import os, tempfile\nos.chdir(tempfile.gettempdir())\n" + STALE
    (failure,) = document_of(tmp_path, moved)["failures"]
    assert {each["file"] for each in failure["places"]} == {"train.py"}
    assert {edit["file"] for each in failure["fixes"] for edit in each["edits"]} == {"train.py"}
    assert all(each["diff"].startswith("--- train.py\n") for each in failure["fixes"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_are_those_of_the_report_in_its_language(tmp_path: Path, language: str) -> None:
    (failure,) = document_of(tmp_path, STALE, "--lang", language)["failures"]
    report = run(tmp_path / "train.py", "--lang", language).stderr
    said = [each["message"] for key in ("places", "fixes") for each in failure[key] if each.get("role") != "made"]
    assert [each for each in said if each not in report] == []
    assert ("覆盖" in failure["message"]) == (language == "zh")


def test_a_message_that_utf_8_cannot_express(tmp_path: Path) -> None:
    document = document_of(tmp_path, "import inplacelab\nraise ValueError('half \\udc80')\n")
    assert document["raised"]["message"].startswith("half ")


@pytest.mark.parametrize(
    ("program", "status", "says"),
    [
        (None, 2, "No such file"),
        ("x = (", 1, "SyntaxError"),
        ("import os, inplacelab\nos._exit(3)", 3, "os._exit(3)"),
        ("import os, torch\nos._exit(3)", 3, "os._exit(3)"),
    ],
)
def test_a_script_that_cannot_be_run_or_leaves_at_once(
    tmp_path: Path, program: str | None, status: int, says: str
) -> None:
    if program is not None:
        (tmp_path / "train.py").write_text(program)
    ran = run(tmp_path / "train.py", "--format", "json")
    document = json.loads(ran.stdout)
    assert (ran.returncode, document["exit_status"], document["failures"]) == (status, status, [])
    assert says in document["not_run"]
    assert ran.stderr.count(document["not_run"].splitlines()[0]) == 1


def test_a_page_that_is_the_script_is_refused(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STALE)
    ran = run(tmp_path / "train.py", "-o", "train.py")
    assert (ran.returncode, (tmp_path / "train.py").read_text()) == (2, STALE)


# ---- PyTorch, whose programs are watched --------------------------------------------------------------------------------

WATCHED = """\
import torch
def shift(t):
    t.add_(
        1
    )
a = torch.ones(3, requires_grad=True)
h = torch.exp(a)
shift(h[:2])
h.sum().backward()
"""
SIMPLE = "import torch\na = torch.ones(3, requires_grad=True)\nh = torch.exp(a)\nh.add_(1)\nh.sum().backward()\n"


@pytest.fixture
def _torch() -> None:
    pytest.importorskip("torch", reason="needs PyTorch: python -m pip install --group oracle")


@pytest.mark.oracle
@pytest.mark.usefixtures("_torch")
def test_a_watched_program(tmp_path: Path) -> None:
    document = document_of(tmp_path, WATCHED)
    assert document["framework"]["name"] == "torch"
    assert document["framework"]["version"][0].isdigit()
    assert document["trials"] is None
    (failure,) = document["failures"]
    assert (failure["kind"], failure["error"], failure["ended"]) == ("stale", document["raised"], True)
    kept, made, overwritten, needed = failure["places"]
    assert [each["role"] for each in failure["places"]] == ["kept", "made", "overwritten", "needed"]
    assert (kept["line"], kept["tensor"], kept["node"], kept["version"]["kept"]) == (7, ["h"], "ExpBackward0", 0)
    assert (kept["operation"], kept["dtype"], kept["shape"]) == ("exp", "float32", [3])
    assert (made["line"], made["text"][made["column"] : made["end_column"]]) == (8, "h[:2]")
    assert (overwritten["function"], overwritten["line"], overwritten["end_line"], overwritten["column"]) == (
        "shift",
        3,
        5,
        None,
    )
    assert (overwritten["version"]["before"], overwritten["version"]["after"]) == (0, 1)
    assert (needed["line"], needed["version"]["found"], needed["node"]) == (9, 1, "ExpBackward0")
    assert all(each["certain"] for each in failure["places"])


@pytest.mark.oracle
@pytest.mark.usefixtures("_torch")
def test_fixes_that_were_tried(tmp_path: Path) -> None:
    document = document_of(tmp_path, SIMPLE, "--try")
    (fix,) = document["failures"][0]["fixes"]
    assert (fix["checked"], fix["written"]) == ("gradients", False)
    assert document["trials"]["count"] >= 1
    assert document["trials"]["message"] is None
    (tmp_path / "train.py").write_text(applied(SIMPLE, fix["edits"]))
    assert run(tmp_path / "train.py").returncode == 0


@pytest.mark.oracle
@pytest.mark.usefixtures("_torch")
def test_if_no_fix_is_found_the_trials_say_so(tmp_path: Path) -> None:
    fails_later = SIMPLE + "raise ValueError\n"
    document = document_of(tmp_path, fails_later, "--try")
    assert [each["checked"] for each in document["failures"][0]["fixes"]] == [None]
    assert document["trials"]["message"].startswith("No fix was tried: ")


def test_an_error_that_a_program_of_the_engine_has_handled_is_a_failure(tmp_path: Path) -> None:
    handles = STALE.replace(
        "h.sum().backward()",
        "for _ in range(2):\n    try:\n        h.sum().backward()\n    except RuntimeError:\n        pass",
    )
    assert handles != STALE
    for end in ("", "1 / 0\n"):
        (failure,) = document_of(tmp_path, handles + end)["failures"]
        assert (failure["kind"], failure["ended"]) == ("stale", False)
        assert [each["line"] for each in failure["places"] if each["role"] != "made"] == [3, 5, 8]
    (tmp_path / "train.py").write_text(handles)
    said = run(tmp_path / "train.py").stderr
    assert said.startswith("\nBackward needed a value that was overwritten:\n")
    assert "5 | row.scale_(2.0)" in said


@pytest.mark.oracle
@pytest.mark.usefixtures("_torch")
def test_no_fix_is_tried_for_an_error_that_the_program_has_handled(tmp_path: Path) -> None:
    handles = SIMPLE.replace("h.sum().backward()", "try:\n    h.sum().backward()\nexcept RuntimeError:\n    pass")
    assert handles != SIMPLE
    document = document_of(tmp_path, handles, "--fix")
    assert [each["ended"] for each in document["failures"]] == [False]
    said = "No fix was tried: fixes are tried only for an error that ends the program."
    assert document["trials"] == {"count": 0, "message": said}
    assert (tmp_path / "train.py").read_text() == handles


@pytest.mark.oracle
@pytest.mark.usefixtures("_torch")
def test_all_that_was_found_in_a_program_that_goes_on(tmp_path: Path) -> None:
    head = "import torch\na = torch.ones(3, requires_grad=True)\n"
    silent = "h = torch.exp(a)\nh.data.mul_(2)\nh.sum().backward()\n"
    handled = "for _ in range(3):\n    try:\n        h = torch.exp(a); h.add_(1); h.sum().backward()\n    except RuntimeError:\n        pass\n"
    again = "loss = torch.exp(a).sum()\nloss.backward()\nloss.backward()\n"
    found = document_of(tmp_path, head + silent + handled + again)["failures"]
    assert [(each["kind"], each["ended"]) for each in found] == [("silent", False), ("stale", False), ("again", True)]
    assert (found[0]["error"], found[0]["wrong_gradients"]) == (None, ["a"])
    assert found[1]["error"]["type"] == "RuntimeError"
    assert [(each["role"], each["line"]) for each in found[2]["places"]] == [
        ("kept", 11),
        ("released", 12),
        ("needed", 13),
    ]


# ---- PaddlePaddle, whose programs are recorded --------------------------------------------------------------------------


@pytest.fixture
def _paddle() -> None:
    pytest.importorskip("paddle", reason="needs PaddlePaddle: python -m pip install --group oracle")


@pytest.mark.oracle
@pytest.mark.usefixtures("_paddle")
def test_a_recorded_program(tmp_path: Path) -> None:
    document = document_of(tmp_path, STALE.replace("inplacelab as paddle", "paddle").replace("row.", "h."), "--try")
    (failure,) = document["failures"]
    assert (document["framework"]["name"], failure["kind"], failure["error"]) == ("paddle", "stale", document["raised"])
    certain = {each["role"]: each["certain"] for each in failure["places"]}
    assert certain == {"kept": False, "overwritten": True, "needed": True}  # what Paddle's nodes save is inferred
    assert [(each["role"], each["line"]) for each in failure["places"]] == [
        ("kept", 3),
        ("overwritten", 5),
        ("needed", 6),
    ]
    (fix,) = failure["fixes"]
    assert fix["checked"] == "gradients"
    assert document["trials"]["count"] >= 1


@pytest.mark.oracle
@pytest.mark.usefixtures("_paddle")
def test_a_write_that_paddle_does_not_notice(tmp_path: Path) -> None:
    head = "import paddle\na = paddle.ones([3])\na.stop_gradient = False\nb = a * 2\n"
    document = document_of(tmp_path, head + "v = b[0]\nv.scale_(3.0)\nb.sum().backward()\n")
    (failure,) = document["failures"]
    assert (failure["kind"], failure["error"], failure["wrong_gradients"]) == ("silent", None, ["a"])
    assert [(each["role"], each["line"], each["tensor"]) for each in failure["places"]] == [
        ("made", 5, ["v"]), ("overwritten", 6, ["v"]), ("read", 7, ["b"]), ("needed", 7, [])
    ]  # fmt: skip
    assert document["exit_status"] == 0
