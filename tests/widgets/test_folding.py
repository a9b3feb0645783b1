"""Tests folding of large graphs: every node is in exactly one box, and repetitions are found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inplacelab_widgets.scene.graph_layout import LONGEST, Fold, depth, folds, layout


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[str, int]], set[tuple[int, int]], set[int]]:
    """Draws nodes in the order in which they were made, edges from newer to older ones, and leaves, without edges."""
    count = draw(st.integers(1, 24))
    leaves = draw(st.sets(st.integers(0, count - 1), max_size=count // 3))
    labels = [(draw(st.sampled_from("ab")), draw(st.integers(1, 2))) for _ in range(count)]
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = {(a, b) for a, b in draw(st.lists(pairs, max_size=3 * count)) if a > b and a not in leaves}
    return labels, edges, leaves


@given(graphs(), st.integers(1, 12))
def test_every_node_is_in_exactly_one_box(
    graph: tuple[list[tuple[str, int]], set[tuple[int, int]], set[int]], most: int
) -> None:
    labels, edges, leaves = graph
    found = folds(labels, edges, leaves, most=most)
    assert sorted(node for fold in found for node in fold.members) == list(range(len(labels)))
    assert all(fold.members for fold in found)


@given(graphs(), st.integers(1, 12))
def test_edges_are_kept_up_to_folding_and_no_cycle_is_made(
    graph: tuple[list[tuple[str, int]], set[tuple[int, int]], set[int]], most: int
) -> None:
    labels, edges, leaves = graph
    found = folds(labels, edges, leaves, most=most)
    home = {node: k for k, fold in enumerate(found) for node in fold.members}
    between = {(home[a], home[b]) for a, b in edges if home[a] != home[b]}
    # The layout drops edges that would close a cycle: here there are none.
    assert set(layout(len(found), between).edges) == between


def test_a_graph_that_can_be_read_is_not_folded() -> None:
    edges = [(k + 1, k) for k in range(19)]
    assert folds([("Scale", 1)] * 20, edges, []) == [Fold((k,)) for k in range(20)]


def test_layers_become_one_box_each_with_the_leaves_that_they_fill() -> None:
    labels, edges, leaves = layers(30)
    found = folds(labels, edges, leaves)
    assert [fold.members for fold in found if fold.turn is not None][:2] == [(0, 2, 4, 1, 3), (5, 7, 9, 6, 8)]
    assert [(fold.turn, fold.turns) for fold in found if fold.turn is not None] == [(k + 1, 30) for k in range(30)]


def test_more_layers_than_boxes_become_one_box() -> None:
    labels, edges, leaves = layers(100)
    found = folds(labels, edges, leaves)
    assert len(found) == 1
    assert found[0].turns == 100


def test_a_deep_graph_is_folded_even_if_it_has_few_nodes() -> None:
    labels, edges, leaves = layers(10)
    assert len(labels) < 60 < 2 * depth(len(labels), edges)
    assert len(folds(labels, edges, leaves)) == 10


def test_what_repeats_only_in_kind_is_found_as_well() -> None:
    labels = [(kind, line) for line, kind in enumerate(["Matmul", "Relu"] * 40)]
    edges = [(k + 1, k) for k in range(79)]
    assert [fold.turn for fold in folds(labels, edges, [])] == list(range(1, 41))


def test_a_leaf_that_many_boxes_feed_stays_by_itself() -> None:
    labels = [("Accumulation", 0), *[(kind, 1) for _ in range(30) for kind in ("Matmul", "Tanh", "Add")]]
    edges = [(k + 1, k) for k in range(1, 90)] + [(k, 0) for k in range(1, 91, 3)]
    found = folds(labels, edges, [0])
    assert Fold((0,)) in found
    assert len(found) == 31


def test_a_straight_chain_without_repeats_is_folded_at_last() -> None:
    labels = [(f"Op{k}", k) for k in range(70)]
    found = folds(labels, [(k + 1, k) for k in range(69)], [])
    assert [len(fold.members) for fold in found] == [70]


def layers(count: int) -> tuple[list[tuple[str, int]], set[tuple[int, int]], set[int]]:
    """Linear layers with their leaves: five nodes in each, made in the order in which a program makes them."""
    labels: list[tuple[str, int]] = []
    edges: set[tuple[int, int]] = set()
    leaves: set[int] = set()
    for k in range(count):
        matmul, weight, add, bias, relu = range(5 * k, 5 * k + 5)
        labels += [("Matmul", 8), ("Accumulation", 0), ("Add", 8), ("Accumulation", 0), ("Relu", 8)]
        edges |= {(matmul, weight), (add, matmul), (add, bias), (relu, add)} | ({(matmul, matmul - 1)} if k else set())
        leaves |= {weight, bias}
    return labels, edges, leaves


def loop(turns: int) -> tuple[list[tuple[str, int]], set[tuple[int, int]]]:
    """A loop that passes a hidden state on: two products, two sums and a tanh in each iteration."""
    labels = [(kind, 9) for _ in range(turns) for kind in ("Matmul", "Matmul", "Add", "Add", "Tanh")]
    edges = {(5 * k + a, 5 * k + b) for k in range(turns) for a, b in ((2, 0), (2, 1), (3, 2), (4, 3))}
    return labels, edges | {(5 * k, 5 * k - 1) for k in range(1, turns)}


def test_a_long_chain_of_turns_is_one_box_and_a_short_one_a_box_for_each() -> None:
    labels, edges = loop(20)
    assert [fold.turns for fold in folds(labels, edges, [], longest=LONGEST)] == [20]
    assert len(folds(labels, edges, [])) == 20
    labels, edges = loop(4)
    assert [fold.turn for fold in folds(labels, edges, [], longest=LONGEST)] == [1, 2, 3, 4]
    assert len(folds(labels, edges, [])) == 20
