"""The entries of the catalogue: read from the chapters (`*.toml` beside this file), filled in, and made into refusals.

A text shows a field as a reader expects it, and this is decided here, for all entries: a shape as a list (`[2, 3]`), a list of
names with the commas of its language, a `Text` in its reader's language. Besides `{x!r}` and `{x:f}` a text may say

- `{x!t}` and `{x!T}`: the name of its type (`int`), and the type as Python prints it (`<class 'int'>`);
- `{x!q}`: each name between backticks;
- `{x!s}`: as `str` gives it;
- `{-x}`: the number with the other sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from inplacelab.errors import classes
from inplacelab.installing import spelled
from inplacelab.language import Language, Text, enumerated

CHAPTERS = Path(__file__).parent
"""The folder with the chapters."""

SPEAKER: ContextVar[Callable[[Entry, dict[str, Any], Mapping[str, Any]], classes.Refusal] | None] = ContextVar(
    "speaker", default=None
)
"""Makes the refusals of programs in another framework's words (see `inplacelab.torch.refusals`); None for Paddle's."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One refusal, before its fields are filled in.

    Attributes:
        kind: the class that is raised.
        headline: Paddle's first line.
        why: why this cannot be done.
        fix: what to write instead.
        hint: Paddle's second line, if there is one.
        name: its name in the catalogue.
        reading: the headline in Chinese. The headline itself stays as Paddle has it, so that a search for it finds the same pages.
    """

    kind: type[classes.Refusal]
    headline: str
    why: Text
    fix: Text
    hint: str = ""
    name: str = ""
    reading: str = ""

    def __call__(self, *, node: Any = None, saved: Any = None, tensor: Any = None, **fields: Any) -> classes.Refusal:
        """The refusal to raise: `raise errors.bad_unfold_step(step=0)`.

        Args:
            node: the grad node concerned, for a recorder.
            saved: the saved tensor concerned, for a recorder.
            tensor: the tensor concerned, for a recorder.
            **fields: what the texts are filled in with.

        Raises:
            TypeError: if a field is missing, or one is given that no text has.
        """
        if fields.keys() != self.fields():
            raise TypeError(f"the fields of {self.headline!r} are {sorted(self.fields())}, not {sorted(fields)}")
        facts = {"node": node, "saved": saved, "tensor": tensor}
        speaker = SPEAKER.get()
        return self.filled(fields, facts) if speaker is None else speaker(self, fields, facts)

    def filled(self, fields: dict[str, Any], facts: Mapping[str, Any]) -> classes.Refusal:
        """The refusal, with its texts filled in. `facts` are for a recorder."""
        told = fields | {"op": _AS_WRITTEN.get(fields["op"], fields["op"])} if "op" in fields else fields
        why, fix = (Text(_filled(text.en, "en", told), _filled(text.zh, "zh", told)) for text in (self.why, self.fix))
        return self.kind(
            _filled(self.headline, "en", fields),
            why,
            spelled(fix),
            hint=_filled(self.hint, "en", fields),
            reading=_filled(self.reading, "zh", fields),
            entry=self.name,
            **facts,
        )

    def fields(self) -> frozenset[str]:
        """The names of the fields in its texts."""
        return frozenset().union(*map(fields_of, (self.headline, self.hint, self.why.en, self.fix.en)))


@cache
def entries() -> dict[str, Entry]:
    """All entries by their names. The chapters are read when the first refusal is raised."""
    return read(sorted(CHAPTERS.glob("*.toml")))


def read(chapters: Iterable[Path]) -> dict[str, Entry]:
    """The entries of some chapters by their names."""
    import tomllib

    tables: dict[str, Any] = {}
    for chapter in chapters:
        tables |= tomllib.loads(chapter.read_text(encoding="utf-8"))
    return {name: _entry(name, _complete(tables, name)) for name in tables}


def _complete(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A table of a chapter, with what it has in common with the entry that it is `like`."""
    table = tables[name]
    return {**_complete(tables, table["like"]), **table} if "like" in table else table


def _entry(name: str, table: Mapping[str, Any]) -> Entry:
    kind = getattr(classes, table["class"])
    return Entry(
        kind,
        table["headline"],
        Text(**table["why"]),
        Text(**table["fix"]),
        table.get("hint", ""),
        name,
        table["reading"]["zh"],
    )


_AS_WRITTEN = {"setitem": "x[...] = ...", "getitem": "x[...]"}
"""How a program writes the operations that have no name in it."""


@cache
def fields_of(text: str) -> frozenset[str]:
    """The names of the fields in one text."""
    return frozenset(name.removeprefix("-") for _, name, _, _ in Formatter().parse(text) if name)


def _filled(text: str, language: Language, fields: Mapping[str, Any]) -> str:
    return _Words(language).vformat(text, (), fields)


class _Words(Formatter):
    """Shows the fields of a text, as the description of this module says."""

    def __init__(self, language: Language) -> None:
        self.language = language

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        value, first = super().get_field(field_name.removeprefix("-"), args, kwargs)
        return (-value if field_name.startswith("-") else value), first

    def convert_field(self, value: Any, conversion: Any) -> Any:
        match conversion:
            case "t":
                return type(value).__name__
            case "T":
                return str(type(value))
            case "q":
                return enumerated([f"`{each}`" for each in value]).in_language(self.language)
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> Any:
        if isinstance(value, Text):
            return value.in_language(self.language)
        if isinstance(value, list | tuple):
            names = value and all(isinstance(each, str) for each in value)
            return enumerated(value).in_language(self.language) if names else str(list(value))
        return super().format_field(value, format_spec)
