"""Takes the place of one function of PyTorch while a recording runs.

Recordings may overlap, and need not end in the order in which they began. So each takes away what is its own and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from inspect import getattr_static
from types import ClassMethodDescriptorType
from typing import Any

Call = Callable[[Callable[..., Any], Sequence[Any], Mapping[str, Any]], Any]
"""Calls a function for the program, with these arguments."""


class Patch:
    """Takes the place of a function.

    Args:
        owner: the module or the class that has it.
        name: its name there.
        call: is called instead, with the function and its arguments.
        unless: tells, at each call, whether the function is called as if there were no patch.
    """

    def __init__(self, owner: Any, name: str, call: Call, *, unless: Callable[[], bool] = lambda: False) -> None:
        self._owner, self._name, self._call, self._unless = owner, name, call, unless
        self._before: Any = None
        self._now: Any = None
        self._inherited = False
        self._ended = False

    def begin(self) -> None:
        """Takes its place.

        Raises:
            AttributeError: if there is no such function in this version.
        """
        before, call, unless = getattr_static(self._owner, self._name), self._call, self._unless
        now: Any

        if isinstance(before, classmethod | ClassMethodDescriptorType):

            @classmethod  # type: ignore[misc]
            def now(cls: type, *args: Any, **kwargs: Any) -> Any:
                bound = before.__get__(None, cls)
                return bound(*args, **kwargs) if unless() else call(bound, args, kwargs)

        else:

            @wraps(before)
            def now(*args: Any, **kwargs: Any) -> Any:
                return before(*args, **kwargs) if unless() else call(before, args, kwargs)

        now.patch = self
        self._before, self._now, self._inherited = before, now, self._name not in vars(self._owner)
        setattr(self._owner, self._name, now)

    def end(self) -> None:
        """Puts the function back. If another patch has taken its place meanwhile, that does so when it ends."""
        self._ended = True
        if self._now is not None and vars(self._owner).get(self._name) is self._now:
            last = self._last_ended()
            if last._inherited:
                delattr(self._owner, self._name)
            else:
                setattr(self._owner, self._name, last._before)

    def _last_ended(self) -> Patch:
        """Returns the lowest of the patches below this one that have all ended."""
        below = getattr(self._before, "patch", None)
        return below._last_ended() if isinstance(below, Patch) and below._ended else self
