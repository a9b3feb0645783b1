"""Reads an answer that a learner writes as names."""

from __future__ import annotations

import re
from typing import Any

from inplacelab.language import Text
from inplacelab.lessons.exercise import Step


def as_names(given: Any) -> set[str]:
    """Returns the names in an answer, in small letters: of a list, a set, or a text such as "swap, again"."""
    texts = [given] if isinstance(given, str) else [str(each) for each in given]
    return {name for text in texts for name in re.findall(r"\w+", text.casefold())}


def are_known(names: set[str], known: set[str]) -> Step:
    """The step of a check that lists the names that the exercise does not have."""
    unknown = ", ".join(sorted(names - known))
    return not unknown, Text(f"The exercise does not list `{unknown}`.", f"题目里没有 `{unknown}`。")
