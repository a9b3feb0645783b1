"""In which language a run executes a notebook. Both run the same code, so in the tier `standard` each is asked for one thing:
half of the notebooks are compared in English and worked through in Chinese, the others the other way round.

That what is not executed shows the same as what is, `test_built.py` tests.
"""

from __future__ import annotations

from lesson_source import LANGUAGES
from tests.tiers import TIER, Tier


def compared(lesson: str, *, tier: Tier = TIER) -> tuple[str, ...]:
    """In which languages the outputs of a notebook are computed again, and compared with what is committed."""
    turn = int(lesson[:2]) if lesson[:2].isdigit() else 0
    return LANGUAGES if tier is Tier.LONG else (LANGUAGES[turn % 2],)


def worked_through(lesson: str, *, tier: Tier = TIER) -> tuple[str, ...]:
    """In which languages its exercises are solved, and its claims inverted."""
    return (
        LANGUAGES if tier is Tier.LONG else tuple(each for each in LANGUAGES if each not in compared(lesson, tier=tier))
    )
