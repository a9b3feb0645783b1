"""One call, of a row of the table or of a composite operation, interrupted before each of its bytecodes in turn.

Whatever the position of the interrupt: the target is untouched, or its version was raised. Then every gradient that flows through
it is refused, or it is the right one: that of the target as it was, if its bytes are the same; that of the complete operation,
if the bytes are those of the complete operation. What was saved before and is overwritten is refused.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

import inplacelab as paddle
from inplacelab import Tensor, backends
from inplacelab.autograd import copy_saved_before_write
from inplacelab.errors import Refusal
from inplacelab.storage import Storage
from tests.oracle.outcome import weights
from tests.row_cases.case import Array, Case

from .composites import Composite
from .faults import BytecodeFault, Fault
from .state import broken_modes, repair_modes, thawed

Call = Case | Composite

# ---- the places of the operands --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operands:
    """The operands of a call, and what gradients are asked for.

    Attributes:
        tensors: the arguments. The first is the target of an operation in place.
        roots: the tensors whose gradients are asked for: the target, and its base if it is a view.
        leaves: the tensors with respect to which they are.
        square: a product that saved the target; None if that needs no gradient.
    """

    tensors: list[Tensor]
    roots: list[Tensor]
    leaves: list[Tensor]
    square: Tensor | None


def derived(case: Call) -> Operands:
    """Each operand is computed from a leaf."""
    leaves = [_leaf(array) for array in case.arrays()]
    tensors = [leaf.clone() for leaf in leaves]
    return _operands(tensors, [tensors[0]], leaves)


def constant_target(case: Call) -> Operands:
    """The target needs no gradient, the others do."""
    first, *others = case.arrays()
    leaves = [_leaf(array) for array in others]
    tensors = [paddle.to_tensor(first), *(leaf.clone() for leaf in leaves)]
    return _operands(tensors, [tensors[0]], leaves)


def views(case: Call) -> Operands:
    """The target is a view, and there is another view of the same slots."""
    first, *others = case.arrays()
    leaves = [_leaf(np.stack([first, first])), *map(_leaf, others)]
    base, *rest = (leaf.clone() for leaf in leaves)
    return _operands([base[1], *rest], [base[1], base], leaves)


def overlapping(case: Call) -> Operands:
    """All operands show parts of one storage, each beginning one row later than the one before."""
    first, *others = case.arrays()
    count = len(others) + 1
    leaf = _leaf(np.concatenate([first, *(first[:1] for _ in others)]))
    base = leaf.clone()
    rows = len(first)
    tensors = [base[count - 1 - k : count - 1 - k + rows] for k in range(count)]
    return _operands(tensors, [tensors[0], base], [leaf])


def repeated(case: Call) -> Operands:
    """All operands are the same tensor."""
    leaf = _leaf(case.arrays()[0])
    x = leaf.clone()
    return _operands([x for _ in case.shapes], [x], [leaf])


PLACES: dict[str, Callable[[Call], Operands]] = {
    each.__name__: each for each in (derived, constant_target, views, overlapping, repeated)
}


def fits(place: str, case: Call) -> bool:
    """Whether the operands of a case can be put there."""
    alike = len({array.shape for array in case.arrays()}) == 1 and len(case.shapes) > 1
    same_kind = len({array.dtype for array in case.arrays()}) == 1
    if place == "views":
        return bool(case.arrays()[0].size)
    if place in ("overlapping", "repeated"):
        return alike and same_kind and case.arrays()[0].ndim > 0
    return place != "constant_target" or len(case.shapes) > 1


def _leaf(array: Array) -> Tensor:
    return paddle.to_tensor(array, stop_gradient=array.dtype.kind not in "fc")


def _operands(tensors: list[Tensor], roots: list[Tensor], leaves: list[Tensor]) -> Operands:
    target = tensors[0]
    square = None if target.stop_gradient else target * target
    return Operands(tensors, roots, [leaf for leaf in leaves if not leaf.stop_gradient], square)


# ---- one trial -------------------------------------------------------------------------------------------------------------

Answer = list[Array] | None
"""The gradients of a tensor with respect to each leaf; None if they are refused."""


@dataclass(frozen=True)
class Outcome:
    """The state after a call, and the gradients.

    Attributes:
        data: of each root: its storage's bytes, its window, and whether it is still on the storage that it was on before.
        versions: the versions of the storages that were there before.
        answers: the gradients of each root; zeros if it needs none.
        saved: the gradients of a product that saved the target before.
    """

    data: list[tuple[Any, ...]]
    versions: list[int]
    answers: list[Answer]
    saved: Answer


MODES = ("recorded", "under no_grad", "copying")
"""The modes of a call: recorded in the history, outside it, and with copies of saved tensors before they are overwritten."""


@dataclass(frozen=True)
class Trial:
    """One call of one variant of a row, with its operands in one place, in one mode."""

    case: Call
    variant: str
    place: str
    mode: str

    def outcome(self, fault: Fault | None, *, call: bool = True) -> Outcome:
        """Runs the call, with a fault or without, and asks for the gradients."""
        paddle.seed(0)
        with copy_saved_before_write() if self.mode == "copying" else nullcontext():
            operands = PLACES[self.place](self.case)
            storages = [root.storage for root in operands.roots]
            if call:
                with paddle.no_grad() if self.mode == "under no_grad" else nullcontext():
                    _attempt(lambda: self.case.call(self.variant, operands.tensors), fault)
            versions = [storage.version for storage in storages]
            data = [_data(root, storage) for root, storage in zip(operands.roots, storages, strict=True)]
            answers = [_answer(root, operands.leaves) for root in operands.roots]
            return Outcome(data, versions, answers, _answer(operands.square, operands.leaves))

    def failures(self, positions: Iterable[int]) -> Iterator[str]:
        """Interrupts the call before the bytecodes at these positions, and says what does not hold."""
        before = self.outcome(None, call=False)
        try:
            done = self.outcome(None)
        except Refusal:
            return  # the operands cannot be put there
        for position in positions:
            fault, live = BytecodeFault(position, KeyboardInterrupt), backends.CPU.ledger.live
            found = self.outcome(fault)
            if not fault.fired:
                return
            for broken in (*self._wrong(before, done, found), *left_behind(live)):
                yield f"interrupted before bytecode {position}: {broken}"

    def _wrong(self, before: Outcome, done: Outcome, found: Outcome) -> Iterator[str]:
        raised, unchanged = found.versions != before.versions, found.data == before.data
        if not raised and any(a[0] != b[0] and a[-1] and b[-1] for a, b in zip(found.data, before.data, strict=True)):
            yield "the data changed, and the version did not"
        if found.saved is not None and not _same(found.saved, before.saved):
            yield "the gradient of what was saved before is wrong"
        if self.mode == "under no_grad":
            return  # outside the history: which gradient is right afterwards is for the program to say
        if self.variant in ("ordinary", "view") and not _all_same(found, before):
            yield "nothing was written, and the gradients differ"
            return
        right = [before] * unchanged + [done] * (found.data == done.data)
        if right and not any(_agrees(found, [each]) for each in right):
            yield "a gradient is wrong"
        if not right and not _agrees(found, [before, done]):
            yield "a gradient of what was partly written is not refused"


def left_behind(live: int) -> Iterator[str]:
    """What does not hold although all tensors are gone; and puts it right for the next trial."""
    ledger = backends.CPU.ledger
    if ledger.live != live:
        gc.collect(0)  # what was made since
    if ledger.live != live:
        gc.collect()
    if ledger.live != live or ledger.lent:
        yield f"the ledger: {ledger.live - live:+} live bytes, {ledger.lent} lent"
        ledger.lent = 0
    if thawed():
        gc.freeze()
    broken = list(broken_modes())
    if broken:
        repair_modes()
    yield from broken


def _attempt(call: Callable[[], Any], fault: Fault | None) -> None:
    if fault is None:
        call()
        return
    with suppress(KeyboardInterrupt), fault.armed():
        call()


def _data(root: Tensor, before: Storage) -> tuple[Any, ...]:
    array = root.array
    window = array.shape, array.strides, array.dtype.str, root.storage.device.offset(array, root.storage.buffer)
    return np.asarray(root.storage.buffer).tobytes(), window, root.storage is before


def _answer(root: Tensor | None, leaves: Sequence[Tensor]) -> Answer:
    """The derivatives of a weighted sum of a tensor; None if they are refused."""
    try:
        if root is None or root.stop_gradient or not leaves:
            return [np.zeros(leaf.shape) for leaf in leaves]
        seed = paddle.to_tensor(np.asarray(weights(tuple(root.shape)), root.array.dtype))
        found = paddle.grad(root, list(leaves), seed, retain_graph=True, allow_unused=True)
    except Refusal:
        return None
    return [np.zeros(x.shape) if g is None else g.numpy() for x, g in zip(leaves, found, strict=True)]


def _same(a: Answer, b: Answer) -> bool:
    if a is None or b is None:
        return a is b
    return all(np.allclose(x, y, rtol=1e-9, atol=1e-9, equal_nan=True) for x, y in zip(a, b, strict=True))


def _all_same(a: Outcome, b: Outcome) -> bool:
    pairs = zip([*a.answers, a.saved], [*b.answers, b.saved], strict=True)
    return all(_same(x, y) for x, y in pairs)


def _agrees(found: Outcome, right: Sequence[Outcome]) -> bool:
    """Whether each gradient is refused, or that of every one of the right outcomes."""
    return all(
        answer is None or all(_same(answer, each.answers[k]) for each in right)
        for k, answer in enumerate(found.answers)
    )
