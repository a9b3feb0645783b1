"""Special functions: gamma, error and Bessel functions, computed by SciPy.

SciPy is optional. It is imported on first use.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from inplacelab import errors


@cache
def of_numpy_arrays() -> Any:
    """Returns the module `scipy.special`.

    Raises:
        MissingLibraryError: if SciPy is not installed; the message has the command that installs it.

    Source: https://docs.scipy.org/doc/scipy/reference/special.html
    """
    try:
        return import_module("scipy.special")
    except ImportError:
        raise errors.scipy_missing() from None
