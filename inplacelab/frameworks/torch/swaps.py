"""Records `torch.utils.swap_tensors`, by which two tensors become each other.

PyTorch calls no mode for it, and refuses tensors that have weak references. So the recorder has none to these two while it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inplacelab.frameworks.torch.calls import tensors_in
from inplacelab.frameworks.torch.objects import TorchObjects
from inplacelab.frameworks.torch.readings import Unseen
from inplacelab.recorders import events
from inplacelab.recorders.guard import Guard
from inplacelab.recorders.log import StepLimit
from inplacelab.recorders.names_and_lines import NamesAndLines
from inplacelab.recorders.program import call_from


class Swaps:
    """Swaps tensors for the program.

    Args:
        objects: the known tensors.
        where: where the program is.
        emit: receives the events.
        limit: the limit of the recording.
        guard: protects the program.
        is_off: whether what runs now is left out.
    """

    def __init__(
        self, objects: TorchObjects, where: NamesAndLines, emit: Callable[[events.Event], None], limit: StepLimit,
        guard: Guard, is_off: Callable[[], bool],
    ) -> None:  # fmt: skip
        self._objects, self._where, self._emit, self._limit = objects, where, emit, limit
        self._is_off, self._is_here = is_off, guard.is_here
        self._begins, self._failed, self._ended = (
            guard.protect(each, anywhere=True) for each in (self._swap_begins, self._swap_failed, self._swap_ended)
        )

    def called(self, swap_tensors: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """Calls `swap_tensors` for the program."""
        tensors = tensors_in(args, kwargs)
        self._begins(tensors)
        try:
            call_from(sys._getframe(2), swap_tensors, args, kwargs)
        except BaseException:
            self._failed(tensors)
            raise
        self._ended(tensors)

    def _is_left_out(self) -> bool:
        """Whether what runs now is not recorded."""
        return self._is_off() or not self._is_here()

    def _swap_begins(self, tensors: Sequence[Any]) -> None:
        with Unseen():
            for tensor in tensors:
                if not (self._limit.exceeded or self._is_left_out()):
                    self._objects.tensor(tensor)
                self._objects.drop_reference(tensor)
                self._where.drop_reference(tensor)

    def _swap_failed(self, tensors: Sequence[Any]) -> None:
        for tensor in tensors:
            self._objects.hold(tensor)

    def _swap_ended(self, tensors: Sequence[Any]) -> None:
        self._swap_failed(tensors)
        one, other = (self._objects.tensors.find(each) for each in tensors)
        if one is None or other is None:
            for tensor in tensors:  # one of them may be a tensor that cannot be recorded
                self._objects.tensors.forget(tensor)
        elif one is not other:
            with Unseen():
                inputs = one.operand, other.operand
                self._objects.swapped(one, other)
                if self._is_left_out():
                    self._emit(events.Handed())
                elif not self._limit.reached():
                    line, account = self._where.line(sys._getframe(3)), self._objects.storages.account()
                    self._emit(events.OperationDone(
                        "swap_tensors", "reallocated", inputs, one.operand, {}, one.node, line, *account,
                    ))  # fmt: skip
