"""`torch.cuda` of a machine without a GPU: programs ask here whether there is one."""

from __future__ import annotations

from typing import Any

from inplacelab.torch.refusals import missing

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed", "manual_seed_all", "synchronize"]


def is_available() -> bool:
    """Returns False: under these names programs run on the CPU."""
    return False


def device_count() -> int:
    """Returns 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Does nothing, as in PyTorch without a GPU."""


def manual_seed_all(seed: int) -> None:
    """Does nothing, as in PyTorch without a GPU."""


def empty_cache() -> None:
    """Does nothing, as in PyTorch without a GPU."""


def synchronize(device: Any = None) -> None:
    """Does nothing: every operation has ended when it returns."""


def __getattr__(name: str) -> Any:
    raise missing("torch.cuda", name, __all__)
