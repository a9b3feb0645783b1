"""Runs many cases of one idea in one test, which fails with a list of the failed cases.

A separate test costs pytest milliseconds to collect, in every process, and milliseconds to run; most cases take less than one.
So a thousand cases are one test, or one for each chapter of the table, which the processes share.

    @for_each("number", [2, 3, 5])
    def test_it_is_prime(number: int) -> None:
        assert all(number % k for k in range(2, number))
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]
Named = tuple[str, Mapping[str, Any]]
"""What a case is called, and what the test is given for it."""

LISTED = 20
"""So many of the cases that failed are named in the first line; more than that have one cause."""


def try_all(test: Test, cases: Iterable[Named], **fixtures: Any) -> None:
    """Runs each case; raises a `BaseExceptionGroup` of the failures, each with the case's name at the end of its traceback.

    A case that skips also skips the cases after it.
    """
    tried, failed = 0, []
    for name, given in cases:
        tried += 1
        try:
            test(**given, **fixtures)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001  # reported below
            error.add_note(f"The case: {name}")
            failed.append((name, error))
    assert tried, "a test without a case cannot fail"
    if failed:
        names = "; ".join(name for name, _ in failed[:LISTED]) + "; ..." * (len(failed) > LISTED)
        raise BaseExceptionGroup(f"{len(failed)} of {tried} cases failed: {names}", [error for _, error in failed])


def takes(test: Test, given: Iterable[str], *, more: Sequence[str] = ()) -> Callable[[Test], Test]:
    """Gives a function the signature of `test` for pytest: all parameters but `given`, and `more`."""
    signature, known = inspect.signature(test), set(given)
    assert known <= set(signature.parameters), f"the test takes no {known - set(signature.parameters)}"
    own = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY) for name in more]
    rest = [p.replace(kind=p.KEYWORD_ONLY) for name, p in signature.parameters.items() if name not in known]

    def dressed(function: Test) -> Test:
        made: Any = wraps(test)(function)
        made.__signature__ = signature.replace(parameters=[*own, *rest])
        result: Test = made
        return result

    return dressed


def for_each(
    names: str | tuple[str, ...], values: Iterable[Any], *, ids: Callable[[Any], str] | None = None
) -> Callable[[Test], Test]:
    """Works like `pytest.mark.parametrize`, but runs all values in one test.

    `names` is the parameter, or a tuple of parameters for tuples of values; `ids` returns the name of a value (or of a tuple).
    """
    every = list(values)
    keys = (names,) if isinstance(names, str) else names

    def named(value: Any) -> Named:
        given = (value,) if isinstance(names, str) else value
        called = ids(value) if ids else ", ".join(map(str, given))
        return called, dict(zip(keys, given, strict=True))

    def tried(test: Test) -> Test:
        @takes(test, keys)
        def tries_all(**fixtures: Any) -> None:
            try_all(test, map(named, every), **fixtures)

        return tries_all

    return tried
