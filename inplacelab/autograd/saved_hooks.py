"""Saved tensors that a program keeps in a form of its own: in half precision, on a disk, or not at all.

Inside `saved_tensors_hooks(pack, unpack)` a node saves what `pack(tensor)` returns, and backward gets `unpack(packed)`. The
engine then holds neither the storage nor its version. If `pack` returns a tensor on the same storage, as the identity does,
its version is still compared: an overwritten value is refused as without hooks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab import errors, modes
from inplacelab.autograd.grad_mode import without_history
from inplacelab.autograd.saved import Saved
from inplacelab.dtypes import Form, form_of
from inplacelab.storage import Storage
from inplacelab.tensor import Tensor, over


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
