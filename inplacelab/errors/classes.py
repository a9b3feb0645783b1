"""The classes of refusals: each is one of ours and, at the same time, the built-in exception that Paddle raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab.language import Text

watchers: list[Callable[[Refusal], None]] = []
"""Called with every refusal, also those that the program catches. A recorder listens here."""


class Refusal(Exception):
    """The common part of all refusals.

    Attributes:
        headline: Paddle's first line.
        why: why this cannot be done.
        fix: what to write instead.
        hint: Paddle's second line, where programs look for it: the comparison that failed.
        reading: the headline in Chinese.
        facts: the objects concerned (a tensor, a node, a saved tensor), for a recorder.
        entry: its name in the catalogue.
    """

    def __init_subclass__(cls, *, named_as_builtin: bool = True) -> None:
        """Have it print, and call itself, what Paddle raises: `ValueError: (InvalidArgument) Leaf Var () ...`.

        It stays a class of its own, so `except errors.LeafWriteError` is possible too.
        """
        if named_as_builtin:
            cls.__name__ = cls.__qualname__ = cls.__bases__[1].__name__
            cls.__module__ = "builtins"

    def __init__(
        self, headline: str, why: Text, fix: Text, *, hint: str = "", reading: str = "", entry: str = "", **facts: Any
    ) -> None:
        super().__init__(worded(headline, why, fix, hint, reading))
        self.entry = entry
        self.headline, self.why, self.fix, self.hint, self.reading, self.facts = (
            headline,
            why,
            fix,
            hint,
            reading,
            facts,
        )
        for watch in tuple(watchers):
            watch(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).__mro__[2], self.args  # pickled as the built-in exception that it shows itself as


_WHY = Text("Why: ", "原因：")
_FIX = Text("Instead: ", "改法：")


_READING = Text("", "  译文：{0}\n")
"""What stands below a headline: nothing for those who read English."""


def worded(headline: str, why: Text, fix: Text, hint: str = "", reading: str = "") -> str:
    """A refusal as it is read: what happened, why, and what to do."""
    second = f"  [Hint: {hint}]\n" if hint else ""
    third = _READING.format(reading) if reading else ""
    return f"{headline}\n{second}{third}  {_WHY}{why}\n  {_FIX}{fix}"


class TorchError(Refusal, RuntimeError):
    """A refusal in PyTorch's words, where PyTorch raises a RuntimeError: nearly everywhere."""


class LeafWriteError(Refusal, ValueError):
    """A leaf that needs a gradient, or a view of one, was about to be written."""


class StaleSavedTensorError(Refusal, RuntimeError):
    """Backward needs a value that was overwritten after it was kept."""


class FreedGraphError(Refusal, SystemError):
    """Backward went through a part of the graph whose saved tensors are gone."""


class UnfinishedWriteError(Refusal, RuntimeError):
    """A value is unknown, because an error or an interrupt ended the operation that wrote it."""


class WriteConflictError(Refusal, RuntimeError):
    """One slot would be written twice, or read after it was written, by the same operation."""


class AmbiguousViewError(Refusal, RuntimeError):
    """A view that was made as a constant was used after its storage was written."""


class ShapeError(Refusal, ValueError):
    """Shapes do not fit."""


class AxisError(Refusal, ValueError):
    """An axis does not exist, or is named twice."""


class AxisNameError(Refusal, AssertionError):
    """An axis or a part of one does not exist, where PaddlePaddle checks it by `assert`."""


class IndexRangeError(Refusal, IndexError):
    """An index lies outside its axis."""


class IndexKindError(Refusal, TypeError):
    """Something that cannot be an index was used as one."""


class ConstructionError(Refusal, TypeError):
    """A tensor was to be made by calling its class."""


class DTypeError(Refusal, TypeError):
    """An operation is not defined for these dtypes."""


class KernelError(Refusal, RuntimeError):
    """An operation has no kernel for this dtype."""


class OperandError(Refusal, ValueError):
    """An argument is of the wrong kind."""


class ArgumentError(Refusal, ValueError):
    """An argument has a value that makes no sense here."""


class ArgumentKindError(Refusal, TypeError):
    """An argument is of another kind than the number that is needed."""


class KeywordError(Refusal, TypeError, ValueError):
    """A call does not fit the function's parameters. PaddlePaddle says TypeError or ValueError, depending on where it looks."""


class RowError(Refusal, TypeError):
    """A row of the table contradicts itself."""


class AssertedArgumentError(Refusal, AssertionError):
    """An argument makes no sense here, where PaddlePaddle checks it by `assert`."""


class KernelTextError(Refusal, RuntimeError):
    """The text of a kernel does not compile."""


class KernelFaultError(Refusal, RuntimeError):
    """A kernel left the memory that it was given, or not all of its threads reached a barrier."""


class MissingLibraryError(Refusal, ImportError):
    """An optional library is needed and not installed."""


class DivisionError(Refusal, ZeroDivisionError):
    """An integer was to be divided by zero."""


class DeviceError(Refusal, ValueError):
    """A device is unknown, missing, or not the one that the other tensor is on."""


class NoGradientError(Refusal, ValueError):
    """A gradient was asked for where there is none."""


class HookError(Refusal, RuntimeError):
    """A hook was to be put where no gradient comes by."""


class GpuError(Refusal, NotImplementedError):
    """An operation that does not run on a GPU yet."""


class UnsupportedError(Refusal, NotImplementedError):
    """PaddlePaddle does not have this form of an operation, and neither has this package."""


class StaticGraphError(Refusal, NotImplementedError):
    """A static graph was asked for."""


class ConversionError(Refusal, AssertionError):
    """A tensor with several elements was used as if it were one number."""


class TakenNameError(Refusal, KeyError):
    """A name in a layer is used already."""

    def __str__(self) -> str:  # a KeyError would show its words in quotation marks, with the ends of lines as \\n
        return str(self.args[0])


class MissingParametersError(Refusal, AttributeError):
    """An optimizer was made without parameters."""


class OptionError(Refusal, TypeError):
    """An optimizer was given an option of a kind that it cannot use."""


class ScheduleError(Refusal, RuntimeError):
    """A learning rate was set although a scheduler controls it, or a scheduler's state does not fit."""


class CommunicationError(Refusal, RuntimeError):
    """A collective is not possible: a rank is missing, or makes another one."""


class GradcheckError(Refusal, RuntimeError, named_as_builtin=False):
    """A derivative is wrong, or cannot be checked."""
