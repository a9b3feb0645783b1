"""Tests that the garbage collector is restored after drawing."""

from __future__ import annotations

import gc

import pytest

from inplacelab_widgets.gc_paused import gc_paused


def test_the_collector_waits_and_goes_on_also_after_an_error() -> None:
    assert gc.isenabled()
    with gc_paused():
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="in between"), gc_paused():
        raise ValueError("in between")
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with gc_paused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
