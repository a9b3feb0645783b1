"""Replays a program while it runs, and compares its gradients (see the package)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from contextvars import Context
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from inplacelab.autograd import copy_saved_before_write
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.explicit_views import as_strided
from inplacelab.recorders.call_recorder import among
from inplacelab.recorders.guard import described
from inplacelab.recorders.judging.comparing import HOOK, Passes
from inplacelab.recorders.judging.judgment import Corrects, Engine, Gap, Judgment, Operand, Replayed
from inplacelab.recorders.judging.twins import (
    DIFFERENTIABLE,
    DTYPES,
    filled_in,
    is_close,
    overwrite,
    replaced,
    same,
    size_of,
    tensors_in,
    values_of,
)
from inplacelab.supported import frameworks
from inplacelab.tensor import Tensor

if TYPE_CHECKING:
    from inplacelab.place import Place
    from inplacelab.recorders.call_recorder import Call, CallRecorder
    from inplacelab.recorders.known_objects import KnownTensor

ROOM = 1 << 27
"""A program is replayed until its operations have computed so many elements."""
CALL = 1 << 14
"""An operation counts as so many elements more: with these limits the replay of a small training takes about 20 seconds."""
Pair = tuple["KnownTensor", Any]
"""What is known of a tensor, and the tensor."""


class Judge:
    """Replays a program (see the module).

    Args:
        recorder: the recorder of the program.
        engine: how its calls are made on the engine.
        corrects: see `Corrects`; None if the framework's gradients stay as they are.
        seconds: how long the replay may take, in processor time, which other programs do not change.

    Attributes:
        judgment: what the comparison has shown.
    """

    def __init__(
        self, recorder: CallRecorder[Any], engine: Engine, corrects: Corrects | None = None, seconds: float = math.inf
    ) -> None:
        self._recorder, self._engine, self._left = recorder, engine, seconds
        self._context = Context()
        self._context.run(copy_saved_before_write().__enter__)
        with np.errstate():  # before version 2, NumPy keeps for the thread what it ignores, and then for the context
            self._context.run(partial(np.seterr, all="ignore"))
        self._room = ROOM
        self._loses_history = frameworks()[recorder.framework].loses_history
        self._passes = Passes(recorder, engine, self._context, self._update, corrects)
        self.judgment: Judgment = self._passes.judgment
        self.pass_begins, self.pass_ended, self.pass_failed = (
            self._passes.begins,
            self._passes.ended,
            self._passes.failed,
        )
        self.pass_inside = self._passes.inside

    def told(self, what: str, *given: Any) -> None:
        """Calls a method. If that fails, the replay ends: the program goes on."""
        begun = time.thread_time()
        try:
            with np.errstate(all="ignore"):  # the program may have every warning shown, and has none of ours to see
                getattr(self, what)(*given)
        except Exception as error:  # noqa: BLE001  # whatever it is
            self.judgment.failure = described(error)
            self._end()
        self._left -= time.thread_time() - begun
        if self._left < 0 and not self.judgment.ended:
            self._end()

    # ---- calls -----------------------------------------------------------------------------------------------------------

    def call_begins(self, call: Call) -> None:
        """Called before an operation, when its operands are known: gives the twins the values that they have now."""
        if self.judgment.ended:
            return
        for known, tensor in zip(call.known, call.tensors, strict=True):
            self._update(known, tensor)
        if self._is_tracked(call):
            call.values = [None if each.twin is None else each.twin.array.copy() for each in call.known]
            call.state = self._engine.state_before(call)

    def call_ended(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]) -> None:
        """Called after an operation, when its results are known."""
        if self.judgment.ended:
            return
        name = call.kind.name
        if call.known and self._sets_hook(name):
            self._passes.hooked(call.known[0], args[1] if len(args) > 1 else None)
        elif name in _SETS_FLAG and call.known and call.known[0].twin is not None:
            self._set_flag(call.known[0], call.tensors[0])
        elif self._is_tracked(call):
            self._goes_on(call, args, kwargs, results)
        elif self._engine.tracks() and not call.unknown and all(each.twin is not None for each in call.known):
            self._keep_constants(call, results)

    def _goes_on(self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]) -> None:
        """Has the history of a call's operands go on with it, while there is room."""
        name = call.kind.name
        found = [(self._recorder.objects.tensors.find(each), each) for each in results]
        made = [(known, each) for known, each in found if known is not None and not among(known, call.known)]
        self._room -= CALL + sum(size_of(known) for known in (*call.known, *(known for known, _ in made)))
        if self._room < 0:
            self._end()
        elif name == "detach_":
            self._leave_gap(call.known[0], call.tensors[0], name, call.place, None)
        elif name not in _CUTS_HISTORY:
            self._follow(call, args, kwargs, [known for known, _ in found if known is not None], made)

    def _sets_hook(self, name: str) -> bool:
        """Whether a call sets a hook of its tensor, or may do so: a node is read for that."""
        return name in _HOOKS or (name == "grad_fn" and ".register_" in self._recorder.program.text)

    def _keep_constants(self, call: Call, results: Sequence[Any]) -> None:
        """Gives results that depend on nothing that needs a gradient twins without a history, though the framework gives them one. A view
        shares the storage of its base: what is written to it later may need a gradient.
        """
        for tensor in results:
            known = self._recorder.objects.tensors.find(tensor)
            if known is None or known.twin is not None:
                continue
            shows = call.kind.name not in _CUTS_HISTORY and self._show(known, call.known)
            if not shows and self._engine.has_history(tensor):
                values = values_of(known)
                known.twin = None if values is None else to_tensor(values.copy())

    def _follow(
        self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[KnownTensor], made: Sequence[Pair]
    ) -> None:  # fmt: skip
        """Gives the results of an operation twins with a history."""
        behind = self._operands(call)
        if self._engine.is_custom(call):
            self._follow_custom(call, behind, results, made)
        elif not made or not all(self._show(known, call.known) for known, _ in made):
            replayed = self._replayed(call, args, kwargs, [each for _, each in made] or call.tensors)
            found = self._ran(replayed, behind) if replayed is not None and behind is not None else None
            for position, (known, tensor) in enumerate(made):
                twin = found[position] if found is not None and position < len(found) else None
                if known.twin is None and not self._take(known, twin, call.known):
                    self._leave_gap(known, tensor, call.kind.name, call.place, behind)
                elif replayed is not None and known.twin is not None and known.twin.node is not None:
                    self._passes.calls[known.twin.node] = replayed, position
            self._follow_writes(call, behind, None if found is None else replayed)

    def _follow_custom(
        self, call: Call, behind: tuple[Tensor, ...] | None, results: Sequence[KnownTensor], made: Sequence[Pair]
    ) -> None:
        """Gives the results of one of the program's own functions twins, whose history goes on as its `backward` says in the pass."""
        version_of = self._recorder.read.version_of
        states = zip(call.known, call.tensors, call.versions, strict=True)
        written = [known for known, tensor, before in states if version_of(tensor) != before]
        values = [values_of(known) for known, _ in made]
        whole = behind is not None and len(behind) == len(call.known) and len(made) == len(results)
        if not whole or written or any(each is None for each in values):
            for known in (*results, *written):
                for each in list(known.storage.tensors.values()):
                    self._leave_gap(each, each.alive(), call.kind.name, call.place, behind, is_gap=True)
            return
        twins = self._passes.custom(call.backward, Gap(call.kind.name, call.place, behind), values)
        for (known, _), twin in zip(made, twins, strict=True):
            # A result that is an operand has lost its flag with `mark_not_inplace`. Others the program has marked as constants.
            is_constant = not known.needs and not any(each.storage is known.storage for each in call.known)
            known.twin = twin.detach() if is_constant else twin

    def _is_tracked(self, call: Call) -> bool:
        """Whether the history of a call's operands goes on with it."""
        needs = any(each.needs if each.twin is None else not each.twin.stop_gradient for each in call.known)
        return needs and self._engine.tracks()

    def _operands(self, call: Call) -> tuple[Tensor, ...] | None:
        """Returns the twins of a call's operands; None if one that has none needs a gradient."""
        if call.unknown or any(each.twin is None and each.needs for each in call.known):
            return None
        return tuple(each.twin for each in call.known if each.twin is not None)

    def _replayed(
        self, call: Call, args: Sequence[Any], kwargs: Mapping[str, Any], results: Sequence[Any]
    ) -> Replayed | None:
        if call.unknown or any(each.twin is None for each in call.known):
            return None
        function = self._engine.function_for(call, results)
        if function is None:
            return None
        operands = {id(each): Operand(k) for k, each in enumerate(call.tensors)}
        return Replayed(
            call.kind.name, call.place, call.function, function, replaced(args, operands), replaced(kwargs, operands),
            call.values, [not each.twin.stop_gradient for each in call.known], [each.names for each in call.known],
        )  # fmt: skip

    def _ran(self, call: Replayed, twins: Sequence[Tensor]) -> list[Tensor] | None:
        """Runs a call on twins. Returns its results; None if the engine refuses it."""
        args, kwargs = filled_in(call.args, twins), filled_in(call.kwargs, twins)
        try:
            result = self._context.run(call.engine, *args, **kwargs)
        except Exception:  # noqa: BLE001  # whatever the engine says, it does not compute this
            return None
        return list(tensors_in(result))

    def _show(self, known: KnownTensor, given: Sequence[KnownTensor]) -> bool:
        """Makes the twin of a view, on the storage of the twin of its base. Returns whether it could."""
        for base in given:
            if base.storage is not known.storage or base.twin is None or base.operand.dtype != known.operand.dtype:
                continue
            if base.operand.layout.shape != tuple(base.twin.shape) or base.operand.layout != base.twin.layout:
                continue
            layout, item = known.operand.layout, base.twin.element_size()
            try:
                twin = self._context.run(
                    as_strided, base.twin, list(layout.shape), list(layout.strides), layout.offset * item
                )
            except Exception:  # noqa: BLE001  # the engine has no such view
                continue
            if same(twin.array, values_of(known)):
                known.twin = twin
                return True
        return False

    def _take(self, known: KnownTensor, twin: Tensor | None, given: Sequence[KnownTensor]) -> bool:
        """Takes a result of the engine as the twin of a tensor. Returns whether it is the same, within rounding."""
        values = values_of(known)
        if (
            twin is None
            or values is None
            or not is_close(
                twin.array,
                values,
                [each.twin.array for each in given if each.twin is not None and each.twin.array.dtype.kind == "f"],
            )
        ):
            return False
        if any(each.twin is not None and each.twin.storage is twin.storage for each in given):
            twin = self._context.run(twin.clone)  # a copy in the framework
        twin.array[...] = values
        known.twin = twin
        vars(twin)["number"] = known.number
        return True

    def written_unseen(self, known: KnownTensor) -> None:
        """Called when a tensor was written by an operation that was not recorded, such as one of another thread."""
        if self.judgment.ended:
            return
        for each in list(known.storage.tensors.values()):
            tensor = each.alive()
            if each.twin is not None and tensor is not None and self._engine.has_history(tensor):
                self._leave_gap(each, tensor, "", None, None)

    def written_outside(self, place: Place) -> None:
        """Called when other code has written memory of tensors without an operation."""
        self._passes.outside.append(place)

    def _follow_writes(self, call: Call, behind: tuple[Tensor, ...] | None, ran: Replayed | None) -> None:
        """Looks whether the engine has written what the framework has. Equal values do not tell: to add zeros changes none."""
        version_of = self._recorder.read.version_of
        for known, tensor, before in zip(call.known, call.tensors, call.versions, strict=True):
            if version_of(tensor) == before:
                continue
            written, values = known.twin, values_of(known)
            if written is not None and values is not None and is_close(written.array, values):
                written.array[...] = values
                if ran is not None and written.node is not None:
                    self._passes.calls[written.node] = ran, 0
            for other in list(known.storage.tensors.values()):
                if other.twin is None:
                    continue
                apart = (
                    written is None
                    or ran is None
                    or (
                        other.twin.storage is not written.storage
                        and not (other.twin.stop_gradient and written.stop_gradient)
                    )
                )
                if apart or not same(other.twin.array, values_of(other)):
                    further = None if behind is None else (*behind, other.twin)
                    self._leave_gap(other, other.alive(), call.kind.name, call.place, further)

    # ---- twins -----------------------------------------------------------------------------------------------------------

    def _update(self, known: KnownTensor, tensor: Any) -> None:
        """Gives a twin the values that its tensor has now, or makes it."""
        values, twin = values_of(known), known.twin
        if values is None:
            known.twin = None
        elif twin is None or self._has_other_history(known, tensor):
            self._leave_gap(known, tensor, "", None, None)
        elif twin.array.shape != values.shape:
            self._leave_gap(known, tensor, "", None, (twin,), is_gap=not twin.stop_gradient)
        elif not same(
            twin.array, values
        ):  # written without an operation that the engine has replayed: the history does not know of it
            self._context.run(overwrite, twin, values)
        if known.twin is not None and known.twin.node is None and "gap" not in vars(known.twin):
            self._set_flag(known, tensor)

    def _leave_gap(
        self, known: KnownTensor, tensor: Any, name: str, place: Place | None, behind: tuple[Tensor, ...] | None, *,
        is_gap: bool = False,
    ) -> None:  # fmt: skip
        """Gives a tensor a twin without a history; with a gap if it has one, or if that is said."""
        values = values_of(known)
        if values is None:
            known.twin = None
            return
        has_history = known.needs if tensor is None else self._engine.has_history(tensor)
        if self._loses_history and not known.needs and known.operand.dtype in DIFFERENTIABLE:
            is_gap = is_gap or any(not each.stop_gradient for each in behind or ())
        twin = to_tensor(values.copy())
        lacks = known.needs and known.operand.dtype in _LACKING
        if has_history or is_gap or lacks:
            twin.stop_gradient = False
            vars(twin)["gap"] = Gap(name, place, behind if has_history or is_gap else (twin,))
        elif known.operand.dtype in DTYPES:
            twin.stop_gradient = not (known.needs and self._engine.is_leaf(tensor))
        vars(twin)["number"] = known.number
        known.twin = twin

    def _has_other_history(self, known: KnownTensor, tensor: Any) -> bool:
        """Whether a tensor has got or lost its history without an operation that was replayed."""
        twin = known.twin
        if self._loses_history:  # such a framework also gives constants one
            return False
        if twin.node is not None or "gap" in vars(twin):
            return not known.needs
        return bool(twin.stop_gradient and known.needs and self._engine.has_history(tensor))

    def _set_flag(self, known: KnownTensor, tensor: Any) -> None:
        needs = known.needs and self._engine.is_leaf(tensor)
        if needs and known.operand.dtype in _LACKING:
            self._leave_gap(known, tensor, "", None, None)
        vars(known.twin)["number"] = known.number
        if known.operand.dtype in DTYPES and known.twin.stop_gradient == needs:
            self._context.run(setattr, known.twin, "stop_gradient", not needs)

    def _end(self) -> None:
        """Ends the replay: the program computes too much."""
        self.judgment.ended = True
        for _, known in self._recorder.objects.tensors.living():
            known.twin = None


_LACKING = DIFFERENTIABLE - DTYPES
"""Dtypes to which the engine gives no gradients."""
_HOOKS = frozenset({HOOK, "register_post_accumulate_grad_hook"})
_SETS_FLAG = frozenset({"stop_gradient", "requires_grad_", "requires_grad"})
_CUTS_HISTORY = frozenset({"detach", "data", "detach_", "grad"})
