"""Tests the order of rows that storages share."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from inplacelab_widgets.scene.storages_panel import order_of_rows
from inplacelab_widgets.scene.svg import AISLE, GAP
from inplacelab_widgets.scene.timeline import shared_rows

LAYOUT = Path(__file__).parents[2] / "widgets/inplacelab_widgets/player/layout.js"
LIVES = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).map(lambda span: (min(span), max(span))), min_size=1)


def blank(lives: list[tuple[int, int]], rows: list[int], order: list[int]) -> int:
    """Returns the number of steps in which a row is empty directly above a row with a live storage, over all such pairs."""
    alive = {
        row: {k for span, its in zip(lives, rows, strict=True) if its == row for k in range(span[0], span[1] + 1)}
        for row in order
    }
    return sum(len(alive[lower] - alive[upper]) for upper, lower in pairwise(order))


def test_rows_without_gaps_stay_in_the_order_of_their_storages() -> None:
    assert order_of_rows([(0, 9), (1, 9), (2, 9)], [0, 1, 2], {0: 80, 1: 80, 2: 80}) == [0, 1, 2]


def test_what_a_loop_frees_for_good_stands_below_what_lives_on() -> None:
    # A temporary, then a lasting storage: without reordering, the first would leave a gap above the second.
    assert order_of_rows([(0, 20), (1, 3), (2, 20)], [0, 1, 2], dict.fromkeys(range(3), 80)) == [0, 2, 1]


@given(LIVES)
def test_every_row_has_one_place_and_no_neighbors_would_be_better_the_other_way_round(
    unordered: list[tuple[int, int]],
) -> None:
    lives = sorted(unordered)
    rows = shared_rows(lives)
    order = order_of_rows(lives, rows, dict.fromkeys(rows, 1))
    assert sorted(order) == sorted(set(rows))
    for upper, lower in pairwise(order):
        assert blank(lives, rows, [upper, lower]) <= blank(lives, rows, [lower, upper])


def test_the_player_has_the_same_measures() -> None:
    constants = dict(
        re.findall(r"^(?:export )?const (\w+) = ([\d.]+);$", LAYOUT.read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert (float(constants["GAP"]), float(constants["AISLE"])) == (GAP, AISLE)
