"""Recordings that come with a lesson: programs for which not every learner has the framework."""

from __future__ import annotations

from pathlib import Path

from inplacelab.recording import Recording, load

FOLDER = Path(__file__).parent / "recordings"


def recorded(name: str) -> Recording:
    """Returns a recording that comes with the lessons.

    Args:
        name: its name: "torch-loop".

    Raises:
        LookupError: if there is none of that name; the message lists those that there are.

    >>> recorded("torch-loop").framework
    'torch'
    """
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        known = ", ".join(sorted(each.stem for each in FOLDER.glob("*.json")))
        raise LookupError(f"no lesson has a recording named {name!r}; there are: {known}")
    return load(path)
