"""The modes that every operation reads: whether history is recorded, who copies saved tensors, the device, the observers.

They belong to a thread or a coroutine, not to the process. So a thread that evaluates a model under `no_grad` does not disturb
one that trains it; a new thread begins with the defaults, and an asyncio task with the modes of the code that made it. All of
them are in one immutable object, so an operation looks them up once.

A mode changes in a *block*: an object that is entered and left, usually by `with`. Blocks may end in any order, which happens
when generators or coroutines take turns. The modes are the defaults, changed by each block that has not ended, in the order in
which they began.

This module imports no other one, since all of them may need it: devices, observers and tensors are `Any` here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any, Protocol, TypeVar

_R = TypeVar("_R")
_new = object.__new__


class Keeper(Protocol):
    """Copies saved tensors before they are overwritten."""

    def register(self, saved: Any) -> None:
        """Copies this saved tensor, too, from now on."""

    def before_write(self, target: Any) -> None:
        """Called before a write to `target`: copies the saved tensors that show its slots."""

    def after_write(self, storage: Any) -> None:
        """Called when a write has raised the storage's version by one."""


class Block:
    """Changes modes from when it is entered until it is left, for the thread or coroutine that does so.

    The same object may be entered several times, also by several threads.

    Attributes:
        open_ended: True if it is not a `with` block. Then it ends with the block around it.
    """

    open_ended = False

    def change(self, modes: Modes) -> None:
        """Changes `modes`, which no other code has seen yet."""
        raise NotImplementedError

    def given(self, modes: Modes) -> Any:  # noqa: ARG002
        """Returns what a `with` statement gets from this block, given the modes inside it."""
        return self

    def __enter__(self) -> Any:
        before = current()
        try:
            after = before.inside(self)
            given = self.given(after)
            _in_force.set(after)
            return given  # an interrupt may arrive even here
        except BaseException:
            _in_force.set(before)
            raise

    def __exit__(self, *_: object, after: Modes | None = None) -> None:
        try:
            after = current().outside(self)
            _in_force.set(after)
        except BaseException:  # an interrupt: the block ends nevertheless, and only once
            if after is None or current() is not after:
                leave(self)
            raise


class Modes:
    """The modes that are in force. Immutable: a change makes another object.

    Attributes:
        recording_history: whether operations are recorded in the gradient history.
        keeper: copies saved tensors before they are overwritten; None: no copies, and backward refuses.
        device: the device of new tensors; None for the CPU.
        device_option: the device that a running creation function got as `device=`; None if it got none.
        listeners: the observers of operations.
        launch_listeners: the observers of kernel launches.
        notify: reports an operation to all listeners. With one, the usual case, this *is* its `operation` method, which saves
            a call for each recorded operation.
        blocks: the blocks that have begun and not ended, in that order.
        outer: the modes before the last block, if they are known: leaving it returns to them.
    """

    __slots__ = (
        "blocks",
        "device",
        "device_option",
        "keeper",
        "launch_listeners",
        "listeners",
        "notify",
        "outer",
        "recording_history",
    )

    blocks: tuple[Block, ...]
    device: Any
    device_option: Any
    keeper: Keeper | None
    launch_listeners: tuple[Any, ...]
    listeners: tuple[Any, ...]
    notify: Callable[..., None]
    outer: Modes | None
    recording_history: bool

    def __init__(self, device: Any = None, blocks: Sequence[Block] = ()) -> None:
        self.recording_history, self.keeper, self.device, self.device_option = True, None, device, None
        self.listeners, self.launch_listeners, self.notify = (), (), _notify_none
        self.blocks, self.outer = tuple(blocks), None
        for each in self.blocks:
            each.change(self)

    def inside(self, block: Block) -> Modes:
        """Returns these modes as `block` changes them."""
        modes = _new(Modes)
        modes.recording_history, modes.keeper = self.recording_history, self.keeper
        modes.device, modes.device_option = self.device, self.device_option
        modes.listeners, modes.launch_listeners, modes.notify = self.listeners, self.launch_listeners, self.notify
        modes.blocks, modes.outer = (*self.blocks, block), self
        block.change(modes)
        return modes

    def outside(self, block: Block) -> Modes:
        """Returns the modes without the last occurrence of `block`, and without the open-ended blocks inside it."""
        outer = self.outer
        if outer is not None and self.blocks[-1] is block and outer.device is self.device:
            return outer
        blocks = list(self.blocks)
        for k in reversed(range(len(blocks))):
            if blocks[k] is block:
                end = k + 1
                while end < len(blocks) and blocks[end].open_ended:
                    end += 1
                return Modes(self.device, blocks[:k] + blocks[end:])
        return self

    def listen(self, listeners: tuple[Any, ...]) -> None:
        """Sets the observers of operations; for `Block.change`."""
        self.listeners = listeners
        self.notify = listeners[0].operation if len(listeners) == 1 else partial(_notify_all, listeners)


def _notify_none(*_: Any, **__: Any) -> None:
    """Reports to nobody."""


def _notify_all(listeners: Sequence[Any], *report: Any, **details: Any) -> None:
    for each in listeners:
        each.operation(*report, **details)


_DEFAULTS = Modes()
_in_force: ContextVar[Modes] = ContextVar("inplacelab modes", default=_DEFAULTS)

current: Callable[[], Modes] = _in_force.get
"""Returns the modes of this thread or coroutine."""


def leave(block: Block) -> None:
    """Ends a block; nothing happens if this thread or coroutine is not in it."""
    _in_force.set(current().outside(block))


def set_blocks(blocks: Sequence[Block]) -> None:
    """Sets the blocks that this thread or coroutine is in."""
    _in_force.set(Modes(current().device, blocks))


def set_device(device: Any) -> None:
    """Sets the device of new tensors, in this thread or coroutine; no block ends it."""
    _in_force.set(Modes(device, current().blocks))


def run_inside(block: Block, function: Callable[..., _R], *args: Any, **kwargs: Any) -> _R:
    """Calls a function inside a block. The block ends whenever an interrupt arrives; a `with` statement has a gap between the
    last line of its body and the first of `__exit__`.

    Args:
        block: a block that no other code enters.
        function: the function.
        *args: its arguments.
        **kwargs: its keyword arguments.

    Returns:
        Its result.
    """
    try:
        _in_force.set(current().inside(block))
        result = function(*args, **kwargs)
        leave(block)
        return result
    except BaseException:
        leave(block)
        raise
