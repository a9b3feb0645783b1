"""Saved tensors, which a grad node keeps for backward.

A saved tensor is not a copy: it holds the storage, the window, and *the version at which it was saved*. If the storage
has another version when backward unpacks it, the value is stale and backward refuses: a gradient computed from it would be
silently wrong.

Where an operation overwrites a value that its own derivative needs, a copy is saved instead ("the overwritten input is
kept only when backward needs it", Paddle 2.6). The copy has a separate storage and counter, so it cannot become stale. It
keeps the link to the original's history, so second derivatives go through it.

Inside `copy_saved_before_write()` the engine keeps track
of saved tensors: *before* a storage is written, those that show one of the slots get a copy; the others on that storage
keep their values, and their version is raised with the storage's. So a copy is made only if a value is really overwritten,
only of the windows concerned, and once for all saved tensors with the same window.

MyGrad copies the base at every write, and is correct in all such programs. PyTorch has the experimental
`allow_mutation_on_saved_tensors`, which also copies on demand, but is silently wrong where the saved tensor is a view that
begins after the base's first element.

Inside `saved_tensors_hooks(pack, unpack)` a node saves what `pack(tensor)` returns, and backward gets `unpack(packed)`. The
engine then holds neither the storage nor its version. If `pack` returns a tensor on the same storage, as the identity does,
its version is still compared: an overwritten value is refused as without hooks.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ContextDecorator
from functools import lru_cache
from typing import Any, NamedTuple, cast
from weakref import WeakKeyDictionary, WeakSet

import numpy as np

from inplacelab import errors, modes
from inplacelab.autograd.grad_mode import without_history
from inplacelab.form import Form, form_of
from inplacelab.language import Text
from inplacelab.layout import Layout, Shape, extent, index, is_packed, moved, whole
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor, over


class Saved:
    """One saved tensor.

    Attributes:
        name: the name of the derivative's parameter: "x", "y" or "out".
        array: the window on the storage; None if a program's hook has packed it.
        storage: the storage, kept alive; or what `saved_tensors_hooks` keeps instead.
        version: the version at which it was saved.
        edge: the node that receives the gradient of this value, for second derivatives; None if it needs none.
        is_copy: True if it is a copy, made before an overwrite.
    """

    __slots__ = ("__weakref__", "array", "edge", "is_copy", "name", "storage", "version")

    name: str
    array: Any
    storage: Storage
    version: int
    edge: Any
    is_copy: bool

    @property
    def stale(self) -> bool:
        """True if the storage was written after this was saved."""
        return self.storage.version != self.version

    def move(self, copy: Storage) -> None:
        """Moves to a copy of the value, before its storage is overwritten."""
        self.array, self.storage, self.version, self.is_copy = copy.buffer, copy, copy.version, True

    def unpack(self, node: Any) -> Tensor:
        """Returns the saved tensor, with its place in the history, so that it can be differentiated again.

        Raises:
            StaleSavedTensorError: if its storage has been written since.
        """
        for each in modes.current().listeners:
            each.unpacks(node, self)
        if self.storage.version != self.version:
            raise errors.stale_saved_tensor(
                node_name=node.name,
                what=_called(self.name, node),
                kept_at=self.version,
                found_at=self.storage.version,
                node=node,
                saved=self,
            )
        tensor = over(self.array, self.storage) if self.array is not None else self.storage.unpacked()  # type: ignore[attr-defined]
        tensor.node = node if self.edge is OUTPUT else self.edge
        tensor._stop = tensor.node is None
        return tensor


_new = object.__new__


def save(name: str, array: Any, storage: Storage, edge: Any, is_copy: bool = False) -> Saved:
    """Saves a tensor at its current version. The parameters are attributes of `Saved`."""
    saved = _new(Saved)
    saved.name, saved.array, saved.storage, saved.edge = name, array, storage, edge
    saved.version, saved.is_copy = storage.version, is_copy
    keeper = modes.current().keeper
    if keeper is not None:
        keeper.register(saved)
    return saved


_RESULT = Text("its result", "它的结果")
_INPUT = Text("its input", "它的输入")
_OPERANDS = {"x": Text("its first operand", "它的第一个操作数"), "y": Text("its second operand", "它的第二个操作数")}
_OPERAND = Text("its operand `{name}`", "它的操作数 `{name}` ")
_SAVED_BY_PROGRAM = Text("`{name}`", " `{name}` ")  # `saved_tensor()[0]`


def _called(name: str, node: Any) -> Text:
    """Says which tensor of the operation was saved, so that a derivative's name cannot be mistaken for a name of the program."""
    if name == "out":
        return _RESULT
    if name in _OPERANDS:
        return _OPERANDS[name] if len(node.edges) > 1 else _INPUT
    return (_OPERAND if name.isidentifier() else _SAVED_BY_PROGRAM).format(name=name)


class _Output:
    """A marker for "the node itself", the edge of a saved output: a reference to the node would be a cycle."""


OUTPUT = _Output()


def save_copy(name: str, array: Any, storage: Storage, edge: Any) -> Saved:
    """Saves a copy of a value before it is overwritten. Backward makes a tensor of it when it unpacks it."""
    device = storage.device
    copy = Storage(device.from_host(array), device)
    return save(name, copy.buffer, copy, edge, True)


# ---- metadata that is kept instead of bytes ---------------------------------------------------------------------------------


class Meta(NamedTuple):
    """A tensor's layout and data type: the parameter `x_meta` of a derivative."""

    layout: Layout
    dtype: np.dtype[Any]

    @property
    def shape(self) -> Shape:
        return self.layout.shape

    @property
    def meta(self) -> Meta:
        """Itself: so that `Selected` can stand for it."""
        return self

    def within(self, base: Meta) -> Layout:
        """Returns the layout of this view in a storage that begins where `base` does. Slots are counted in elements of the
        view, whose size may differ from the base's: a complex number has two slots of real numbers.
        """
        start = base.layout.offset if base.packed else extent(base.layout)[0]
        return self.layout if start == 0 else moved(self.layout, -(start * base.dtype.itemsize // self.dtype.itemsize))

    @property
    def packed(self) -> bool:
        """True if the elements are in row-major order with no gaps. A tensor that fills its storage has a layout from `whole`."""
        return self.layout is whole(self.layout.shape) or is_packed(self.layout)


@lru_cache(1000)
def packed_meta(form: Form) -> Meta:
    """Returns the metadata of a tensor that fills its storage in row-major order."""
    return Meta(whole(form.shape), form.dtype)


class Selected(NamedTuple):
    """The metadata of `x[key]`, for basic keys: computed in backward, since most writes of a part never get there.

    Attributes:
        whole: the metadata of `x`.
        key: the key, in plain numbers.
    """

    whole: Meta
    key: Any

    @property
    def meta(self) -> Meta:
        """The metadata."""
        return Meta(index(self.whole.layout, self.key), self.whole.dtype)

    def of(self, array: Any) -> Any:
        """Returns this part of an array of the shape of `x`, also if it is one element."""
        keys = self.key if type(self.key) is tuple else (self.key,)
        return array[keys if ... in keys else (*keys, ...)]


# ---- copies before a write --------------------------------------------------------------------------------------------------


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


# ---- saved in a form of the program's own -----------------------------------------------------------------------------------


class Packed:
    """Replaces the storage of a packed saved tensor.

    Attributes:
        value: what `pack` returned.
        form: the shape and dtype of the tensor.
        watched: the storage whose version is compared: that of `value`, if it is a tensor.
        version: that version, as it is now.
    """

    def __init__(self, value: Any, form: Form, unpack: Callable[[Any], Any]) -> None:
        self.value, self.form, self._unpack = value, form, unpack
        self.watched: Storage | None = value.storage if isinstance(value, Tensor) else None

    @property
    def version(self) -> int:
        return 0 if self.watched is None else self.watched.version

    def unpacked(self) -> Tensor:
        """Calls `unpack`, outside the history.

        Raises:
            HookError: if it returns no tensor, or one of another shape or dtype.
        """
        tensor = without_history(self._unpack, self.value)
        if not isinstance(tensor, Tensor):
            raise errors.unpacked_no_tensor(given=tensor)
        found = form_of(tensor.array)
        if (found.shape, found.dtype) != (self.form.shape, self.form.dtype):
            raise errors.unpacked_differs(
                shape=list(self.form.shape),
                dtype=self.form.dtype.name,
                new_shape=list(found.shape),
                new_dtype=found.dtype.name,
            )
        result = over(tensor.array, tensor.storage)
        result.overlaps = tensor.overlaps
        return result


class _Packing:
    """The keeper inside the block: packs what is saved. Only copies of attributes of a `PyLayer`'s context are left to `outer`."""

    def __init__(self, block: saved_tensors_hooks, outer: modes.Keeper | None) -> None:
        self._block, self._outer = block, outer

    def register(self, saved: Saved) -> None:
        if saved.name.startswith("ctx."):  # an attribute is the tensor itself, as in Paddle
            if self._outer is not None:
                self._outer.register(saved)
            return
        value = modes.run_inside(
            _WithoutHooks(), without_history, self._block.pack_hook, over(saved.array, saved.storage)
        )
        packed = Packed(value, form_of(saved.array), self._block.unpack_hook)
        saved.storage, saved.array = packed, None  # type: ignore[assignment]  # `Saved.unpack` knows
        saved.version, saved.is_copy = packed.version, False

    def before_write(self, target: Tensor) -> None:
        if self._outer is not None:
            self._outer.before_write(target)

    def after_write(self, storage: Storage) -> None:
        if self._outer is not None:
            self._outer.after_write(storage)


class _WithoutHooks(modes.Block):
    """While a hook runs, what its own operations save is not packed."""

    def change(self, modes: modes.Modes) -> None:
        modes.keeper = None


class saved_tensors_hooks(modes.Block):  # noqa: N801  # Paddle's name, used like a function
    """Packs the tensors that nodes save inside the block, and unpacks them in backward.

    Args:
        pack_hook: is called with each saved tensor, outside the history, and returns anything.
        unpack_hook: is called in backward with what `pack_hook` returned, and returns a tensor of the same shape and dtype.

    Blocks may be nested: the innermost one packs. Tensors that a `PyLayer` sets as attributes on its context are not packed.

    Raises:
        ArgumentKindError: if a hook is not callable.
        HookError: in backward, if what `unpack_hook` returns cannot stand for the saved tensor.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> with paddle.autograd.saved_tensors_hooks(lambda t: t.numpy(), lambda a: paddle.to_tensor(a)):
    ...     y = x * x
    >>> y.sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/autograd/saved_tensors_hooks_en.html
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        for hook in (pack_hook, unpack_hook):
            if not callable(hook):
                raise errors.hook_not_callable(hook=hook)
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def change(self, modes: modes.Modes) -> None:
        modes.keeper = _Packing(self, modes.keeper)
