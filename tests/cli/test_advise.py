"""`inplacelab advise`: what it says, writes and refuses; its JSON obeys the schema."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from inplacelab.cli import main
from inplacelab.diagnosis.advice_document import SCHEMA, SCHEMA_FILE
from inplacelab.diagnosis.advise import MOST_RUNS

SCHEMA_TEXT = SCHEMA_FILE.read_text(encoding="utf-8")
PROMISED = {
    "Advice": "schema inplacelab language framework script not_run tried operations in_place bytes diff edits written",
    "Operation": "file line column operation text runs verdict bytes obstacle message",
    "InPlace": "file line column operation text runs copy message",
    "Edit": "file line column end_line end_column text",
}
"""The keys of schema 1. More may be added to these; none may go."""
PROGRAM = """\
import inplacelab as paddle
from parts import act

w = paddle.ones([64])
w.stop_gradient = False
for _ in range(2):
    h = act(w * 2.0)
    h = (h * 3.0).exp_()
    h.sum().backward()
"""
PARTS = """\
def act(x):
    y = x + 1.0
    return y.sigmoid()
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(PROGRAM, encoding="utf-8")
    Path("parts.py").write_text(PARTS, encoding="utf-8")


def strict() -> Draft202012Validator:
    """The schema, without room for keys that it does not describe."""
    closed = json.loads(SCHEMA_TEXT)
    for each in objects(closed):
        each["additionalProperties"] = False
    return Draft202012Validator(closed)


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict) and "required" in schema:
            yield schema
        schema = [*schema.values()]
    for each in schema if isinstance(schema, list) else ():
        yield from objects(each)


def test_the_schema_is_one_and_no_key_goes() -> None:
    schema = json.loads(SCHEMA_TEXT)
    Draft202012Validator.check_schema(schema)
    assert SCHEMA == schema["properties"]["schema"]["const"] == 1
    described = [*objects(schema), *(facts for each in objects(schema) for facts in each["properties"].values())]
    assert [each for each in described if "$ref" not in each and not each.get("description", "").endswith(".")] == []
    there = {"Advice": schema, **schema["$defs"]}
    assert {name: " ".join(there[name]["required"]) for name in PROMISED} == PROMISED


def test_it_says_what_it_found_and_writes_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", "train.py", "--fix", "-o", "found.json"]) == 0
    said, beside = capsys.readouterr()
    assert f"train.py is run again and again, at most {MOST_RUNS} times" in beside
    assert "Written." in beside
    assert "line 2 of `parts.py` `x + 1.0`: 256 bytes; " in said
    assert "  line 7 `w * 2.0`: `w` is a leaf that needs a gradient\n" in said
    assert "-    y = x + 1.0\n" in said
    assert Path("train.py").read_text(encoding="utf-8") == PROGRAM
    changed = Path("parts.py").read_text(encoding="utf-8")
    assert changed.startswith("def act(x):\n    y = x.scale_(")

    document = json.loads(Path("found.json").read_text(encoding="utf-8"))
    strict().validate(document)
    assert (document["not_run"], document["written"], document["framework"]["name"]) == (None, True, "inplacelab")
    assert document["tried"]["data_sets"] == 3
    verdicts = {(each["file"], each["line"]): (each["verdict"], each["obstacle"]) for each in document["operations"]}
    assert verdicts["parts.py", 2] == ("offered", None)
    assert verdicts["train.py", 7] == ("forbidden", "leaf")
    assert {each["file"] for each in document["edits"]} == {"parts.py"}
    assert document["diff"] in said
    assert [(each["text"], each["copy"]) for each in document["in_place"]] == [("(h * 3.0).exp_()", 0)]


def test_a_file_that_changed_meanwhile_is_not_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from inplacelab.cli import advise  # noqa: PLC0415

    later = PARTS + "# later\n"
    whole = advise._advised

    def slow(options: Any) -> Any:
        found = whole(options)
        Path("parts.py").write_text(later, encoding="utf-8")
        return found

    monkeypatch.setattr(advise, "_advised", slow)
    assert main(["advise", "--fix", "train.py"]) == 1
    assert "parts.py has changed since this was tried, so it was not written." in capsys.readouterr().err
    assert Path("parts.py").read_text(encoding="utf-8") == later


REFUSED = {
    "random": ("import os\nimport inplacelab\nx = inplacelab.to_tensor([*map(float, os.urandom(3))])\ny = x + 1.0\n", 1, "does not give the same results"),
    "fails": ("import inplacelab\n1 / 0\n", 1, "the program fails: ZeroDivisionError"),
    "never ends": ("import inplacelab\nwhile True: pass\n", 1, "was ended after 2 seconds"),
    "no program": ("import", 1, "is not a Python program"),
    "no gradients": ("import numpy\nx = numpy.ones(3) + 1\n", 2, "NumPy"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_it_cannot_do(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, status, why = REFUSED[name]
    Path("train.py").write_text(text, encoding="utf-8")
    assert (
        main(["advise", "train.py", "--seconds", "2" if name == "never ends" else "60", "--format", "json"]) == status
    )
    said, beside = capsys.readouterr()
    document = json.loads(said)
    strict().validate(document)
    assert why in document["not_run"]
    assert f"inplacelab advise: {document['not_run']}" in beside


def test_bad_words(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for words, why in (
        (["missing.py"], "cannot read missing.py"),
        (["train.py", "-o", "a.png"], "it writes .json, .svg"),
        (["train.py", "-o", "no/where.json"], "cannot write"),
    ):
        assert main(["advise", *words]) == 2
        assert why in capsys.readouterr().err
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "0")
    assert main(["advise", "train.py"]) == 2
    assert "start one rank" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_it_can_be_interrupted() -> None:
    Path("train.py").write_text("import inplacelab\nopen('began', 'w')\nwhile True: pass\n", encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
    command = [sys.executable, "-m", "inplacelab", "advise", "train.py"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        assert "again and again" in running.stderr.readline()
        time.sleep(1)
        running.send_signal(signal.SIGINT)
        assert (running.wait(30), running.stderr.read()) == (130, "")
