"""`torch.optim.lr_scheduler`: learning rates that change from epoch to epoch. `step()` comes after that of the optimizer."""

from __future__ import annotations

from math import cos, pi
from typing import Any

from inplacelab.torch.optim import Optimizer
from inplacelab.torch.refusals import missing

__all__ = ["CosineAnnealingLR", "LRScheduler", "StepLR"]


class LRScheduler:
    """The base of every scheduler: a subclass defines `get_lr`, which returns the next rate of each group.

    Args:
        optimizer: whose `param_groups` get the rates.
        last_epoch: the number of the epoch before the first one.

    Attributes:
        base_lrs: the rates that the optimizer began with.
        last_epoch: the number of this epoch, from 0.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs: list[float] = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch. Each scheduler defines it."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """Returns the rate of each group as it is now."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Goes on to the next epoch, and sets its rates."""
        self.last_epoch += 1
        for group, rate in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = rate

    def state_dict(self) -> dict[str, Any]:
        """Returns everything but the optimizer and functions."""
        return {name: value for name, value in vars(self).items() if name != "optimizer" and not callable(value)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores a state that `state_dict` returned."""
        vars(self).update(state_dict)

    def _times(self, factor: float) -> list[float]:
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class StepLR(LRScheduler):
    """Multiplies the rates by `gamma` every `step_size` epochs.

    >>> import inplacelab.torch as torch
    >>> sgd = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    >>> scheduler = torch.optim.lr_scheduler.StepLR(sgd, step_size=2, gamma=0.5)
    >>> for _ in range(4):
    ...     sgd.step()
    ...     scheduler.step()
    >>> scheduler.get_last_lr()
    [0.25]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch."""
        return self._times(self.gamma if self.last_epoch and self.last_epoch % self.step_size == 0 else 1.0)


class CosineAnnealingLR(LRScheduler):
    """Brings the rates from the first ones to `eta_min` along half a cosine of `T_max` epochs."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803  # PyTorch's name
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch."""
        part = (1 + cos(pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]


def __getattr__(name: str) -> Any:
    raise missing("torch.optim.lr_scheduler", name, __all__)
