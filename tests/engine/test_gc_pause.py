"""Tests that the garbage collector is restored after drawing."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from inplacelab.gc_pause import gc_paused


@pytest.fixture
def nothing_kept_out() -> Iterator[None]:
    """The tests keep what they loaded out of collections; here a collection looks at everything, as in a notebook."""
    gc.unfreeze()
    yield
    gc.freeze()


def test_the_collector_waits_and_goes_on_also_after_an_error() -> None:
    assert gc.isenabled()
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="in between"), gc_paused():
        raise ValueError("in between")
    assert gc.isenabled()


@pytest.mark.usefixtures("nothing_kept_out")
def test_what_was_made_in_the_pause_is_not_gone_through_at_its_end() -> None:
    with gc_paused():
        made = [[each] for each in range(5000)]
    assert any(each is made[0] for each in gc.get_objects(generation=2))
    assert gc.get_count()[0] < gc.get_threshold()[0]


@pytest.mark.usefixtures("nothing_kept_out")
def test_garbage_of_the_pause_is_collected() -> None:
    class Node:
        itself: object

    with gc_paused():
        node = Node()
        node.itself = node
        gone = weakref.ref(node)
        del node
    assert gone()
    gc.collect()
    assert gone() is None


def test_what_a_program_keeps_out_of_collections_stays_there() -> None:
    kept_out: list[object] = []
    gc.freeze()
    with gc_paused():
        collected: list[object] = []
    # The count of frozen objects is no measure: it falls whenever another thread frees one.
    in_collections = {id(each) for each in gc.get_objects()}
    assert id(collected) in in_collections
    assert id(kept_out) not in in_collections


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with gc_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
