"""Which of several ranks this process is: a launcher such as `torchrun` starts the same command several times."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

__all__ = ["fixed", "marked", "of_rank", "world"]

_environment: Mapping[str, str] = os.environ


@contextmanager
def fixed() -> Iterator[None]:
    """Keeps inside a `with` block to what the launcher has set: a program may set the same variables."""
    global _environment
    before, _environment = _environment, dict(os.environ)
    try:
        yield
    finally:
        _environment = before


def world() -> int:
    """Returns how many ranks a launcher has started; 0 if none has started this process."""
    size = _environment.get("WORLD_SIZE", "")
    return int(size) if size.isdecimal() and _rank() else 0


def marked(message: str) -> str:
    """Returns a message of which each line says the rank, as PyTorch marks what a rank prints; unchanged if there is one only."""
    if world() <= 1:
        return message
    return "\n".join(f"[rank{_rank()}]: {line}" for line in message.split("\n"))


def of_rank(path: Path) -> Path:
    """Returns the path of this rank's own file: page-rank1.html; unchanged if there is one rank only."""
    return path if world() <= 1 else path.with_name(f"{path.stem}-rank{_rank()}{path.suffix}")


def _rank() -> str:
    found = _environment.get("RANK") or _environment.get("LOCAL_RANK") or ""
    return found if found.isdecimal() else ""
