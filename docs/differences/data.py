"""Reads the table of programs, and writes the data of the lessons: the programs with the recorded answers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons import differences
from inplacelab.lessons.differences import DTYPES, FRAMEWORKS, Answer, Answers, Chapter, Difference, Kind

FILE = Path(differences.__file__).with_name("data.json")
"""Where the lessons find the data. The recorded answers are kept only here."""
TABLE = Path(__file__).with_name("table.toml")


def chapters() -> tuple[Chapter, ...]:
    """Returns the table, in the order in which it is shown."""
    table = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return tuple(
        Chapter(each["key"], Text(**each["title"]), Text(**each["why"]), tuple(map(_difference, each["differences"])))
        for each in table["chapters"]
    )


def _difference(row: dict[str, Any]) -> Difference:
    texts = {"kind": Kind[row["kind"]], "title": Text(**row["title"]), "why": Text(**row["why"])}
    torch = row.get("torch", row["program"])
    dtypes = tuple(row.get("dtypes", DTYPES))
    return Difference(**row | texts | {"torch": torch or None, "fixed": row.get("fixed"), "dtypes": dtypes})


def as_text(versions: Mapping[str, str], chapters: Sequence[Chapter], answers: Mapping[str, Answers]) -> str:
    """What the file holds: the versions of the frameworks that answered, the chapters, and an answer a line.

    Raises:
        KeyError: if an entry has no answer.
    """
    keys = [each.key for chapter in chapters for each in chapter.differences]
    lines = [f"{_json(key)}: {_json(_answers(answers[key]))}" for key in keys]
    return (
        f'{{"versions": {_json(versions)},\n'
        f'"chapters": {json.dumps([_fields(each) for each in chapters], ensure_ascii=False, indent=1, default=_fields)},\n'
        '"answers": {\n' + ",\n".join(lines) + "\n}}\n"
    )


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _fields(each: Any) -> Any:
    """A chapter, an entry, or what one of their fields holds, as JSON has it."""
    match each:
        case Text():
            return [each.en, each.zh]
        case Kind():
            return each.name
        case Chapter() | Difference():
            return {field.name: getattr(each, field.name) for field in fields(each)}
    raise TypeError(f"no JSON form is known for {each!r}")


def _answers(answers: Answers) -> dict[str, Any]:
    found = {name: None if (answer := answers.of(name)) is None else _answer(answer) for name in FRAMEWORKS}
    return found | {"finite_difference": answers.finite_difference}


def _answer(answer: Answer) -> dict[str, Any]:
    """Only what is there."""
    if answer.endless:
        return {"endless": True}
    if answer.refused is not None:
        return {"refused": answer.refused}
    return {"gradient": answer.gradient} if answer.value is None else {"value": answer.value}
