"""Copies saved tensors before they are overwritten, on request: such programs then run correctly, at the cost of copies.

By default backward refuses a stale saved tensor (see `saved.py`). Inside `copy_saved_before_write()` the engine keeps track
of saved tensors: *before* a storage is written, those that show one of the slots get a copy; the others on that storage
keep their values, and their version is raised with the storage's. So a copy is made only if a value is really overwritten,
only of the windows concerned, and once for all saved tensors with the same window.

MyGrad copies the base at every write, and is correct in all such programs. PyTorch has the experimental
`allow_mutation_on_saved_tensors`, which also copies on demand, but is silently wrong where the saved tensor is a view that
begins after the base's first element.
"""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any, cast
from weakref import WeakKeyDictionary, WeakSet

from inplacelab import modes
from inplacelab.autograd.saved import Saved
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


class Keeper:
    """Copies the saved tensors of one `with copy_saved_before_write()` block before they are overwritten.

    Attributes:
        copies: the number of copies made.
        nbytes: their bytes when they were made.
    """

    def __init__(self) -> None:
        self.copies = self.nbytes = 0
        self._kept: WeakKeyDictionary[Storage, WeakSet[Saved]] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"copies={self.copies}, nbytes={self.nbytes}"

    def register(self, saved: Saved) -> None:
        """Copies this saved tensor, too, from now on."""
        self._kept.setdefault(saved.storage, WeakSet()).add(saved)

    def before_write(self, target: Tensor) -> None:
        """Called before a write to `target`: copies the saved tensors that show its slots."""
        here = self._kept.get(target.storage)
        if here is None:
            return
        share_a_slot = target.storage.device.share_a_slot
        copies: dict[Any, Storage] = {}
        for saved in list(here):
            if saved.stale:
                here.discard(saved)  # written outside the block: backward refuses it, as without the block
            elif share_a_slot(saved.array, target.array):
                here.discard(saved)
                saved.move(self._copied(copies, saved))

    def after_write(self, storage: Storage) -> None:
        """Called after a write to the storage: raises the version of the saved tensors on it, which were not touched."""
        for saved in self._kept.get(storage, ()):
            if saved.version == storage.version - 1:
                saved.version = storage.version

    def _copied(self, copies: dict[Any, Storage], saved: Saved) -> Storage:
        """A copy of the saved value; the same one for all saved tensors with the same window."""
        window = saved.array.__array_interface__
        key = (window["data"][0], window["strides"], saved.array.shape, saved.array.dtype)
        if key not in copies:
            device = saved.storage.device
            copies[key] = Storage(device.from_host(saved.array), device)
            self.copies, self.nbytes = self.copies + 1, self.nbytes + saved.array.nbytes
        return copies[key]


class copy_saved_before_write(modes.Block, ContextDecorator):  # noqa: N801  # used like a function
    """Copies saved tensors before they are overwritten, so that backward need not refuse them.

    It applies to tensors that are saved and overwritten inside the block; backward may run inside or after it. Writes to leaves
    that need a gradient, and to tensors whose slots overlap, are still refused. Blocks may be nested: the outermost one copies.

    As a context manager it gives a `Keeper`, whose `copies` and `nbytes` are the cost.

    >>> import inplacelab as paddle
    >>> from inplacelab import autograd
    >>> x = paddle.to_tensor([1., 2., 3.], stop_gradient=False)
    >>> with autograd.copy_saved_before_write() as kept:
    ...     y = x * 2.
    ...     z = y * y                    # backward will need y
    ...     _ = y[0].zero_()             # overwritten, through a view: y is copied first
    >>> z.sum().backward()
    >>> x.grad.tolist(), kept
    ([8.0, 16.0, 24.0], copies=1, nbytes=12)

    Source: the idea is that of `torch.autograd.graph.allow_mutation_on_saved_tensors`.
    """

    def __init__(self) -> None:
        self._keeper = Keeper()

    def change(self, modes: modes.Modes) -> None:
        if modes.keeper is None:
            modes.keeper = self._keeper

    def given(self, modes: modes.Modes) -> Keeper:
        return cast(Keeper, modes.keeper)
