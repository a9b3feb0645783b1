"""Tests the layout of graphs: later layers for later nodes, no two nodes in one place, straight edges where possible."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from inplacelab_widgets.scene.graph_layout import layout
from inplacelab_widgets.scene.timeline import shared_rows

GRAPHS = st.integers(1, 14).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=2 * n))
)


# Two neighbors at 1.5625 and 2.5625: rounded one by one, they stood 0.999 apart.
CLOSE = [(6, 9), (3, 1), (8, 9), (4, 6), (10, 5), (10, 0), (10, 7), (8, 5), (7, 2), (6, 0), (7, 10)]


@given(GRAPHS)
@example((11, CLOSE))
def test_any_graph_is_laid_out_without_two_nodes_in_one_place(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, edges = graph
    plan = layout(count, edges)
    assert len(plan.nodes) == count
    for a in range(count):
        for b in range(a):
            same_layer = plan.nodes[a][0] == plan.nodes[b][0]
            assert not same_layer or abs(plan.nodes[a][1] - plan.nodes[b][1]) >= 1 - 1e-9
    assert all(0 <= layer < plan.layers and -1e-9 <= y <= plan.height - 1 + 1e-9 for layer, y in plan.nodes)


@given(GRAPHS)
def test_edges_lead_from_layer_to_layer(graph: tuple[int, list[tuple[int, int]]]) -> None:
    count, edges = graph
    plan = layout(count, edges)
    assert set(plan.edges) <= set(edges)
    for (a, b), points in plan.edges.items():
        assert points[0] == plan.nodes[a]
        assert points[-1] == plan.nodes[b]
        assert all(after[0] == before[0] + 1 for before, after in pairwise(points))


def test_every_edge_of_a_graph_without_cycles_is_kept() -> None:
    edges = {(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)}
    assert set(layout(4, edges).edges) == edges


def test_a_chain_is_a_straight_line() -> None:
    plan = layout(5, [(k, k + 1) for k in range(4)])
    assert [layer for layer, _ in plan.nodes] == [0, 1, 2, 3, 4]
    assert {y for _, y in plan.nodes} == {0.0}


def test_crossings_that_can_be_avoided_are_avoided() -> None:
    plan = layout(6, [(0, 5), (1, 4), (2, 3)])
    order = sorted(range(3), key=lambda v: plan.nodes[v][1])
    assert [plan.nodes[5 - v][1] for v in order] == sorted(plan.nodes[5 - v][1] for v in order)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 10)), max_size=20))
def test_spans_that_meet_never_share_a_row(raw: list[tuple[int, int]]) -> None:
    spans = sorted((first, first + length) for first, length in raw)
    rows = shared_rows(spans)
    for i, (first, last) in enumerate(spans):
        for j in range(i):
            meet = spans[j][0] <= last and first <= spans[j][1]
            assert not (meet and rows[i] == rows[j])
