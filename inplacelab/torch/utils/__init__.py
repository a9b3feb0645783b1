"""`torch.utils`, of which only `data` is here."""

from __future__ import annotations

from typing import Any

from inplacelab.torch.refusals import missing
from inplacelab.torch.utils import data

__all__ = ["data"]


def __getattr__(name: str) -> Any:
    raise missing("torch.utils", name, __all__)
