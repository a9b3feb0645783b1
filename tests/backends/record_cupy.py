"""Writes `cupy_names.json`, the functions of an installed CuPy. It needs no GPU: nothing is computed.

    python -m tests.backends.record_cupy

The stand-in of these tests (`stand_in.py`) allows only these functions; a test compares the list with the installed CuPy.
"""

from __future__ import annotations

import inspect
import json
import re
from importlib import import_module
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).with_name("cupy_names.json")
METHODS = ("reduce", "accumulate")


def _signature(function: Any) -> str | None:
    """The signature, or the first line of the documentation (compiled functions have no other)."""
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        said = re.match(r"[\w.]+(\(.*\))", function.__doc__ or "")
        return said[1] if said else None


def _pretended(cupy: Any) -> Any:
    """An array in memory that does not exist, to find what is refused before a computation."""
    memory = cupy.cuda.UnownedMemory(1 << 16, 1 << 16, None, device_id=0)
    return cupy.ndarray((2, 2), "float32", memptr=cupy.cuda.MemoryPointer(memory, 0))


def _has(ufunc: Any, method: str, array: Any, no_driver: type[Exception]) -> bool:
    try:
        getattr(ufunc, method)(array)
    except no_driver:
        return True
    except Exception:  # noqa: BLE001  # any exception: the question is whether the call reaches the driver
        return False
    return True


def _ufunc(ufunc: Any, array: Any, no_driver: type[Exception]) -> dict[str, Any]:
    return {
        "types": list(ufunc.types),
        "at": ufunc._scatter_op is not None,
        **{method: _has(ufunc, method, array, no_driver) for method in METHODS},
    }


def ask() -> dict[str, Any]:
    """The functions of the installed CuPy."""
    cupy, special = import_module("cupy"), import_module("cupyx.scipy.special")
    kind, array, no_driver = cupy.ufunc, _pretended(cupy), cupy.cuda.runtime.CUDARuntimeError
    public = {name: getattr(cupy, name) for name in dir(cupy) if not name.startswith("_")}
    functions = {n: f for n, f in public.items() if callable(f) and not isinstance(f, type | kind)}
    return {
        "version": cupy.__version__,
        "ufuncs": {n: _ufunc(f, array, no_driver) for n, f in sorted(public.items()) if isinstance(f, kind)},
        "functions": {n: said for n, f in sorted(functions.items()) if (said := _signature(f)) is not None},
        "array": [name for name in dir(cupy.ndarray) if not name.startswith("_")],
        "special": {
            n: list(f.types) if isinstance(f, kind) else _signature(f)
            for n in dir(special)
            if not n.startswith("_") and callable(f := getattr(special, n))
        },
        "generator": {n: _signature(f) for n, f in inspect.getmembers(cupy.random.Generator, callable) if n[0] != "_"},
    }


if __name__ == "__main__":
    lines = json.dumps(ask(), indent=1, sort_keys=True)
    RECORDED.write_text(re.sub(r"\[\s+([^\[\]]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", lines) + "\n")
