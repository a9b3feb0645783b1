"""Tests folding of large graphs: every node is in exactly one box, boxes open down to the nodes, and repetitions are found."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from inplacelab_widgets.scene.graph_layout import MOST, Fold, Path, fitting, folds, gathered, layout, with_leaves

Graph = tuple[list[Path], list[str], set[tuple[int, int]], set[int]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Draws nodes in the order in which they were made, edges from newer to older ones, and leaves, without edges."""
    count = draw(st.integers(1, 24))
    leaves = draw(st.sets(st.integers(1, count), max_size=count // 3)) & set(range(count))
    modules = st.sampled_from([(), ("net",), ("net", "net.0"), ("net", "net.1"), ("walk()",)])
    paths = [(*draw(modules), draw(st.integers(1, 2))) for _ in range(count)]
    kinds = [draw(st.sampled_from("ab")) for _ in range(count)]
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    edges = {(a, b) for a, b in draw(st.lists(pairs, max_size=3 * count)) if a > b and a not in leaves}
    return paths, kinds, edges, leaves


def in_boxes(graph: Graph, most: int) -> list[Fold]:
    paths, kinds, edges, leaves = graph
    found = fitting(folds(paths, kinds, leaves), lambda some: len(some) <= most)
    return with_leaves(found, edges, dict.fromkeys(leaves, "net"))


def opened(fold: Fold) -> Iterator[Fold]:
    yield fold
    for each in gathered(fold.inside):
        yield from opened(each)


@given(graphs(), st.integers(1, 12))
def test_every_node_is_in_exactly_one_box(graph: Graph, most: int) -> None:
    found = in_boxes(graph, most)
    assert sorted(node for fold in found for node in fold.members) == list(range(len(graph[0])))
    assert all(fold.members for fold in found)


@given(graphs(), st.integers(1, 12))
def test_a_box_opens_into_boxes_of_its_nodes_down_to_single_ones(graph: Graph, most: int) -> None:
    leaves = graph[3]
    for box in (each for fold in in_boxes(graph, most) for each in opened(fold)):
        own = sorted(set(box.members) - leaves)
        inside = sorted(node for each in box.inside for node in each.members)
        assert inside == own if box.inside else len(own) <= 1


@given(graphs(), st.integers(3, 12))
def test_edges_are_kept_up_to_folding_and_no_cycle_is_made(graph: Graph, most: int) -> None:
    found = in_boxes(graph, most)
    if any(fold.turns > 1 for fold in found):
        return  # the parts of a turn may lead to those of the next one
    home = {node: k for k, fold in enumerate(found) for node in fold.members}
    between = {(home[a], home[b]) for a, b in graph[2] if home[a] != home[b]}
    # The layout drops edges that would close a cycle: here there are none.
    assert set(layout(len(found), between).edges) == between


def test_modules_share_boxes_by_their_names() -> None:
    paths: list[Path] = [("net", "net.0", 3), ("net", "net.0", 3), ("net", 4), ("net", "net.1", 5), (9,), (9,)]
    net, loss = folds(paths, "abcdee")
    assert (net.label, net.members) == ("net", (0, 1, 2, 3))
    assert [(each.label, each.members) for each in net.inside] == [("net.0", (0, 1)), (4, (2,)), ("net.1", (3,))]
    assert (loss.label, loss.members) == (9, (4, 5))


def test_what_repeats_shares_one_box_that_opens_into_its_turns() -> None:
    paths, kinds = layers(12)
    (blocks,) = folds(paths, kinds)
    assert blocks.is_repeated
    assert (blocks.label, blocks.turns) == ("net.0", 12)
    assert [each.label for each in blocks.inside] == [f"net.{k}" for k in range(12)]
    assert [each.turn for each in blocks.inside] == [*range(1, 13)]


def test_a_loop_without_modules_repeats_by_its_lines() -> None:
    paths: list[Path] = [(line,) for _ in range(20) for line in (4, 4, 5)]
    (turns,) = folds(paths, ["Matmul", "Tanh", "Sum"] * 20)
    assert (turns.turns, len(turns.inside)) == (20, 20)
    assert turns.inside[6].members == (18, 19, 20)


def test_calls_of_a_function_are_its_turns() -> None:
    (calls,) = folds([("block()", 3)] * 12, ["Matmul", "Tanh"] * 6)
    assert (calls.label, calls.turns, calls.inside[0].members) == ("block()", 6, (0, 1))


def test_what_does_not_fit_is_joined_with_its_neighbor() -> None:
    paths: list[Path] = [(line,) for line in range(12)]
    found = fitting(folds(paths, "abcdefghijkl"), lambda some: len(some) <= 5)
    assert len(found) == 5
    assert [node for fold in found for node in fold.members] == list(range(12))


def test_a_large_box_opens_while_there_is_room_but_not_down_to_single_nodes() -> None:
    paths: list[Path] = [("net", f"net.{k}", k) for k in range(4) for _ in range(3)] + [(90,), (91,)]
    kinds = [f"{k}" for k in range(14)]
    assert [fold.label for fold in fitting(folds(paths, kinds), lambda some: len(some) <= 20)] == [
        "net.0", "net.1", "net.2", "net.3", 90, 91,
    ]  # fmt: skip


def test_all_turns_together_show_the_parts_of_one() -> None:
    paths, kinds = layers(12)
    found = fitting(folds(paths, kinds), lambda some: len(some) <= 6)
    assert [(fold.label, fold.turns, len(fold.members)) for fold in found] == [
        ("net.0.attn", 12, 24),
        ("net.0.mlp", 12, 24),
    ]


def test_a_leaf_is_in_the_box_that_leads_to_it() -> None:
    parts = [Fold((0, 1), "net.0", inside=(Fold((0,)), Fold((1,)))), Fold((2,), "net.1")]
    edges = {(0, 3), (0, 4), (1, 4), (2, 4), (2, 5)}
    found = with_leaves(parts, edges, {3: "net.0", 4: "shared", 5: "net.1"})
    assert [(fold.label, fold.members) for fold in found] == [("net.0", (0, 1, 3)), ("net.1", (2, 5)), ("shared", (4,))]
    assert found[1].inside == (parts[1],), "it opens"
    hosted = with_leaves(parts, edges, {3: "net.0", 4: "shared", 5: "net.1"}, is_hosted=True)
    assert [fold.members for fold in hosted] == [(0, 1, 3, 4), (2, 5)]


def test_more_boxes_than_can_be_taken_in_share_boxes() -> None:
    many = [Fold((node,)) for node in range(10 * MOST)]
    found = gathered(many)
    assert len(found) <= MOST
    assert [each for box in found for each in box.inside] == many
    assert gathered(many[:MOST]) == many[:MOST]


def layers(count: int) -> tuple[list[Path], list[str]]:
    """Blocks of a network, of two modules with two nodes each."""
    names = [
        ("net", f"net.{k}", f"net.{k}.{part}", line) for k in range(count) for line, part in ((3, "attn"), (4, "mlp"))
    ]
    return [path for path in names for _ in range(2)], ["Matmul", "Add", "Matmul", "Relu"] * count
