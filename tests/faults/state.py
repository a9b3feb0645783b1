"""What must hold after every fault: an exact ledger, the modes as they were, no listener left."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from weakref import WeakSet

from inplacelab import backends, modes
from inplacelab.autograd.engine import _changing_gradients
from inplacelab.backends import Device
from inplacelab.errors import classes
from inplacelab.memory import _changing_episodes
from inplacelab.storage import Storage

LEDGERS = (backends.CPU, backends.SIMULATED_GPU)
LOCKS = (_changing_gradients, _changing_episodes)


def thawed() -> bool:
    """Whether the collector looks at all objects, because a ledger has counted again. With other frameworks loaded, that takes a
    second each time; and so does `gc.get_freeze_count()` where they are frozen.
    """
    return len(gc.get_objects(generation=2)) > 50_000


class Baseline:
    """The storages that were there before. The collector does not look at them any more."""

    def __init__(self) -> None:
        gc.unfreeze()
        self._freeze()

    def _freeze(self) -> None:
        gc.collect()
        self._frozen = WeakSet(_storages())
        gc.freeze()

    def broken(self) -> list[str]:
        """What does not hold: one sentence each. The program's tensors and exceptions may still be alive."""
        gc.collect()
        found = [*broken_modes(), *(each for device in LEDGERS for each in self._broken_ledger(device))]
        if thawed():
            self._freeze()
        return found

    def _broken_ledger(self, device: Device) -> Iterator[str]:
        ledger = device.ledger
        found = {
            id(each): each for each in (*self._frozen, *_storages())
        }  # (counting again lets the collector look at all)
        owned = sum(each.nbytes for each in found.values() if each.device is device)
        if ledger.live != owned:
            yield f"ledger: {ledger.live - owned:+} live bytes"
        if ledger.lent:
            yield "ledger: lent"
        if ledger.peak < ledger.live:
            yield "ledger: the peak is below what is live"
        if ledger.episodes:
            yield "ledger: an episode is open"

    def repair(self) -> None:
        """Puts everything back, so that one program's defect does not spoil the next one's verdict."""
        for device in LEDGERS:
            ledger = device.ledger
            ledger.lent, ledger.episodes = 0, ()
            ledger._count_again()
            ledger.reset_peak()
        repair_modes()


def _storages() -> list[Storage]:
    """The live storages that are in an account, as far as the collector looks. (`isinstance` would run code of foreign objects.)"""
    return [each for each in gc.get_objects() if type(each) is Storage]


def broken_modes() -> Iterator[str]:
    """Which modes are not those of a new process."""
    mode = modes.current()
    if not mode.recording_history:
        yield "mode: gradients are off"
    if mode.keeper is not None:
        yield "mode: saved tensors are copied"
    if backends.current() is not backends.CPU:
        yield "mode: the device"
    if mode.listeners or mode.launch_listeners or classes.watchers:
        yield "mode: a listener is left"
    if mode.blocks and mode.recording_history:
        yield "mode: a block has not ended"
    for each in LOCKS:
        if each.abandon():
            yield "a lock is closed: other threads would wait for ever"


def repair_modes() -> None:
    """Puts the modes back to those of a new process."""
    modes.set_blocks(())
    modes.set_device(None)
    classes.watchers.clear()
