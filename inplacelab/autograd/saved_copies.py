"""Copy on request: programs that overwrite what backward needs, run and are right, at the price of the copies they need.

By default the engine refuses at backward (see `saved.py`). Inside `copy_saved_before_write()` it looks after what is saved
there: *before* a storage is written, those saved tensors that show a slot about to be written are given a copy of their own;
the others on that storage show what they have always shown, and their version moves along with the storage's. So a copy is
made only if something is really overwritten, only of the windows concerned, and one for all that kept the same window.

MyGrad copies the base at every write, and is right in all such programs; PyTorch has the experimental
`allow_mutation_on_saved_tensors`, which copies on demand, too, but is silently wrong where the saved tensor is a view that begins
behind the base's first element.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

from inplacelab.autograd import modes
from inplacelab.autograd.saved import Saved
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor


class Keeper:
    """Looks after the saved tensors of one `with copy_saved_before_write()` block.

    Attributes:
        copies: how many copies were made.
        nbytes: how many bytes they took when they were made.
    """

    def __init__(self) -> None:
        self.copies = self.nbytes = 0
        self._kept: WeakKeyDictionary[Storage, WeakSet[Saved]] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"copies={self.copies}, nbytes={self.nbytes}"

    def register(self, saved: Saved) -> None:
        """Look after a saved tensor from now on."""
        self._kept.setdefault(saved.storage, WeakSet()).add(saved)

    def before_write(self, target: Tensor) -> None:
        """`target` is about to be written: copy what is saved of its slots."""
        here = self._kept.get(target.storage)
        if here is None:
            return
        share_a_slot = target.storage.device.share_a_slot
        copies: dict[Any, Storage] = {}
        for saved in list(here):
            if saved.stale:
                here.discard(saved)  # written outside the block: refused at backward, as always
            elif share_a_slot(saved.array, target.array):
                here.discard(saved)
                saved.move(self._copied(copies, saved))

    def after_write(self, storage: Storage) -> None:
        """The storage was written, and its version raised by one: what is still saved of it was not touched."""
        for saved in self._kept.get(storage, ()):
            if saved.version == storage.version - 1:
                saved.version = storage.version

    def _copied(self, copies: dict[Any, Storage], saved: Saved) -> Storage:
        """A copy of what was saved; the same one for all that saved the same window."""
        window = saved.array.__array_interface__
        key = (window["data"][0], window["strides"], saved.array.shape, saved.array.dtype)
        if key not in copies:
            device = saved.storage.device
            copies[key] = Storage(device.from_host(saved.array), device)
            self.copies, self.nbytes = self.copies + 1, self.nbytes + saved.array.nbytes
        return copies[key]


@contextmanager
def copy_saved_before_write() -> Iterator[Keeper]:
    """Have values that backward needs copied before they are overwritten, instead of having backward refuse.

    It holds for what is saved inside the block and overwritten inside it; backward may run inside or after. Leaves that need
    a gradient may still not be written, nor tensors whose slots overlap. Blocks may be nested: the outermost looks after all.

    Yields:
        The keeper, whose `copies` and `nbytes` say what it cost.

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
    outer = modes.keeper
    modes.keeper = keeper = outer if isinstance(outer, Keeper) else Keeper()
    try:
        yield keeper
    finally:
        modes.keeper = outer
