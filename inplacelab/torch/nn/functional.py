"""`torch.nn.functional`: the functions of the table, made on first use."""

from __future__ import annotations

from typing import Any

from inplacelab.torch.generate import LINES_OF_FUNCTIONAL, made
from inplacelab.torch.refusals import missing


def __getattr__(name: str) -> Any:
    line = LINES_OF_FUNCTIONAL.get(name)
    if line is None:
        raise missing("torch.nn.functional", name, __dir__())
    value = globals()[name] = made(line)
    return value


def __dir__() -> list[str]:
    return sorted(LINES_OF_FUNCTIONAL)
