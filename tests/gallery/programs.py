"""The programs of the gallery, read: which of their lines are marked, and their text when it is repaired. README.md has the format."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
FRAMEWORKS = ("torch", "paddle")
KINDS = ("modified", "leaf", "one of several views", "expanded", "second backward")
"""What the error of a program is about. `# fails` alone means the first."""

OTHER_GRADIENTS = "The fix changes what is computed."
MARKS = ("kept", "overwritten", "fails", "fix")


class MarkError(ValueError):
    """A program whose marks cannot be read."""


@dataclass(frozen=True)
class Program:
    """A program of the gallery. Lines count from 1."""

    path: Path
    text: str
    kept: int | None
    """The line whose operation saved the value that backward finds changed."""
    overwritten: tuple[int, ...]
    """The lines that write to its storage, from then to the failing backward."""
    fails: int
    kind: str
    fixed: str
    """The program repaired: as many lines as before."""
    same_gradients: bool
    """Whether the repaired program has the gradients that the program would have if every kept value were a copy."""

    @property
    def framework(self) -> str:
        return self.path.parent.name

    @property
    def name(self) -> str:
        return f"{self.framework}/{self.path.stem}"

    def __str__(self) -> str:
        return self.name  # without the path, on which a sample of programs would depend

    def line(self, number: int) -> str:
        """A line as its author wrote it: without marks."""
        return _bare(self.text.splitlines()[number - 1])


def read(path: Path) -> Program:
    """Reads a program and its marks."""
    text = path.read_text(encoding="utf-8")
    marks = _marks(path, text)
    lines = text.splitlines()
    for number, said in marks.items():
        if "fix" in said:
            indent = lines[number - 1][: len(lines[number - 1]) - len(lines[number - 1].lstrip())]
            lines[number - 1] = (indent + said["fix"]).rstrip()
    kept, fails = _lines(marks, "kept"), _lines(marks, "fails")
    if len(fails) != 1 or len(kept) > 1:
        raise MarkError(f"{path.name}: one line fails, and at most one is marked as the one that kept the value")
    kind = marks[fails[0]]["fails"] or KINDS[0]
    if kind not in KINDS:
        raise MarkError(f"{path.name}: no error is of the kind {kind!r}")
    overwritten = _lines(marks, "overwritten")
    if bool(overwritten) != (kind == "modified") or bool(kept) != (kind in {"modified", "second backward"}):
        raise MarkError(f"{path.name}: the marks are not those of the kind {kind!r}")
    return Program(
        path=path,
        text=text,
        kept=kept[0] if kept else None,
        overwritten=tuple(overwritten),
        fails=fails[0],
        kind=kind,
        fixed="\n".join(lines) + "\n",
        same_gradients=OTHER_GRADIENTS not in " ".join(text.split()),
    )


def _marks(path: Path, text: str) -> dict[int, dict[str, str]]:
    found: dict[int, dict[str, str]] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.COMMENT:
            continue
        said: dict[str, str] = {}
        for part in re.split(r"\s+#\s+", token.string.removeprefix("#").strip()):
            name, _, rest = part.partition(":")
            if name not in MARKS:
                continue  # an ordinary comment
            if name in said or token.line.lstrip().startswith("#"):
                raise MarkError(f"{path.name}, line {token.start[0]}: each mark stands once, behind a statement")
            said[name] = rest.strip()
        if said:
            found[token.start[0]] = said
    return found


def _lines(marks: dict[int, dict[str, str]], name: str) -> list[int]:
    return [number for number, said in sorted(marks.items()) if name in said]


def _bare(line: str) -> str:
    return re.sub(rf"\s*#\s+(?:{'|'.join(MARKS)})\b.*$", "", line).strip()


GALLERY = tuple(read(path) for framework in FRAMEWORKS for path in sorted((FOLDER / framework).glob("*.py")))
"""Every program of the gallery."""
