"""One test for many cases of one idea: it tries them all, and fails once, saying which of them failed and why.

A case as a test of its own costs pytest milliseconds to collect, in every process, and milliseconds to run; most cases take
less than one. So a thousand cases are one test, or one for each chapter of the table, which the processes share.

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
    """Try each case; fail with all that failed (`BaseExceptionGroup`: the traceback of each ends with the case's name).

    A case that skips, skips what follows: whether there is a case to try has to be known before.
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
    """Makes a function look like `test` to pytest, which reads in its signature what to hand it: all but `given`, and `more`."""
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
    """Like `pytest.mark.parametrize`, but all values are tried in one test.

    `names` is the parameter, or a tuple of parameters for as many values; `ids` says what to call a value (or a tuple of them).
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
