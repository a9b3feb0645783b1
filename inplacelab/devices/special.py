"""Special functions: gamma, error and Bessel functions, computed by SciPy.

SciPy is optional. It is imported when a program first uses one of these functions.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from inplacelab import errors


@cache
def scipy_special() -> Any:
    """Returns the module `scipy.special`, whose functions are ufuncs.

    Raises:
        MissingLibraryError: if SciPy is not installed; the message has the command that installs it.

    Source: https://docs.scipy.org/doc/scipy/reference/special.html
    """
    try:
        return import_module("scipy.special")
    except ImportError:
        raise errors.scipy_missing() from None
