"""A pause of the garbage collector, for code that makes many objects and no garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pauses the garbage collector while a recording is built or a picture is drawn. It would free nothing and take up to a third of the time.

    When the pause ends, everything that was made is young, and the next collection would go through all of it, which takes a twelfth of
    the time. So it is moved to the oldest generation first, by way of the permanent one. A program that keeps objects of its own there
    is left alone, since they would come back, too.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
