"""What the comparison of gradients has shown, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from inplacelab.tensor import Tensor

if TYPE_CHECKING:
    from inplacelab.place import Place


@dataclass(frozen=True, eq=False)
class Gap:
    """A place where the engine does not know how a value was computed.

    Attributes:
        name: the operation.
        place: where it ran.
        behind: the twins that the value was computed from; None if that is not known.
        nodes: nodes of the engine whose gradients are not known, if that is so.
        never_ran: whether it is a function of the program that backward should have called, and has not.
    """

    name: str
    place: Place | None
    behind: tuple[Tensor, ...] | None
    nodes: tuple[Any, ...] = ()
    never_ran: bool = False


@dataclass(frozen=True)
class Replayed:
    """A call that was replayed, with all that it takes to make it again.

    Attributes:
        name: the operation.
        place: where it ran.
        function: the framework's function.
        engine: the engine's.
        args, kwargs: its arguments, in which an `Operand` stands for each tensor.
        values: the values of the tensors before the call.
        needs: which of them needed a gradient.
        names: the program's names for them.
    """

    name: str
    place: Place | None
    function: Callable[..., Any]
    engine: Callable[..., Any]
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    values: Sequence[Any]
    needs: Sequence[bool]
    names: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Operand:
    """Stands for a tensor among the arguments of a call."""

    number: int


@dataclass(frozen=True)
class Cause:
    """The operation whose own gradient is wrong.

    Attributes:
        name: the operation.
        place: where it ran.
        operand: the names of the operand that gets a wrong gradient.
        dtype: its dtype.
        found, expected: the gradients that the framework and the engine give it.
        how: what is wrong: its gradient, or that its `backward`, a function of the program, was not called.
    """

    name: str
    place: Place | None
    operand: tuple[str, ...]
    dtype: str
    found: Any
    expected: Any
    how: Literal["gradient", "not called"] = "gradient"


@dataclass(frozen=True)
class Difference:
    """A gradient that differs from that of the replayed operations.

    Attributes:
        names: the names of the leaf, or of the input of a pass that returns gradients.
        found: the framework's gradient, as an array; None if it gave none.
        expected: the engine's; None if it cannot be known, since a function of the program was not called.
        place: where the pass began.
        number: the number of the pass, from 1 on.
        cause: the operation whose own gradient is wrong; None if each one's is right, so that the history is.
        writes: where the history passes writes, the last one first.
        outside: if there are none, where other code has written memory of tensors without an operation, the last one first.
    """

    names: tuple[str, ...]
    found: Any
    expected: Any
    place: Place | None
    number: int
    cause: Cause | None = None
    writes: tuple[Place, ...] = ()
    outside: tuple[Place, ...] = ()


@dataclass
class Judgment:
    """What the comparison has shown.

    Attributes:
        compared: how many gradients were equal.
        equal: the names of these gradients, and where their passes began.
        differences: those that were not, once for each leaf and place.
        left_out: names of gradients that were not compared, with the gap that is to blame.
        left_wrong: how many gradients were wrong and not corrected.
        passes: how many passes were compared.
        skipped: how many were not.
        ended: whether the replay ended early, since the program computes too much, or the replay failed.
        failure: the error with which it failed.
    """

    compared: int = 0
    equal: set[tuple[tuple[str, ...], Place | None]] = field(default_factory=set)
    differences: list[Difference] = field(default_factory=list)
    left_out: dict[tuple[str, ...], Gap | None] = field(default_factory=dict)
    left_wrong: int = 0
    passes: int = 0
    skipped: int = 0
    ended: bool = False
    failure: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether all gradients of all passes were compared."""
        return bool(self.passes) and not (self.skipped or self.left_out or self.ended)


class Corrects(Protocol):
    """Puts the engine's gradients into the places of those that the framework gets wrong."""

    def __call__(self, tensor: Any, meant: Any, *, is_returned: bool) -> bool:
        """Corrects a gradient of the pass that has just ended. Returns whether it could be corrected.

        Args:
            tensor: the gradient, if the pass has returned it; else the leaf that has it.
            meant: the engine's gradient, as an array.
            is_returned: which of them.
        """


class Engine(Protocol):
    """How calls of a framework are made on the engine."""

    def state_before(self, call: Any) -> Any:
        """Returns what has to be known before a call so that it can be made again, if it draws random numbers; otherwise None."""

    def function_for(self, call: Any, results: Sequence[Any]) -> Callable[..., Any] | None:
        """Returns the engine's function for a call; it gets the arguments of the call, with twins. None if there is none.

        Args:
            call: the call, which has ended.
            results: its results: of some functions the engine has to know what they have drawn or chosen.
        """

    def is_custom(self, call: Any) -> bool:
        """Whether a call is one of the program's own functions, with a `backward` of its own."""

    def array_of(self, tensor: Any) -> Any:
        """Returns the values of a tensor as a new array; None for what is no tensor."""

    def has_history(self, tensor: Any) -> bool:
        """Whether a tensor was computed from others that need a gradient."""

    def is_leaf(self, tensor: Any) -> bool:
        """Whether gradients of a tensor without a history are kept: it needs one."""

    def tracks(self) -> bool:
        """Whether operations keep history now."""

    def gradients(
        self, function: Callable[..., Any], filled: Callable[[Sequence[Any]], tuple[Sequence[Any], Mapping[str, Any]]],
        values: Sequence[Any], needs: Sequence[bool], position: int, gradient: Any,
    ) -> Sequence[Any]:  # fmt: skip
        """Makes a call on new tensors in the framework. Returns the gradients of those that need one, as arrays or None."""
