"""`torch.optim.lr_scheduler`: learning rates that change from epoch to epoch. `step()` comes after that of the optimizer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, inf, pi
from typing import Any

from inplacelab.torch.missing import missing
from inplacelab.torch.optim import Optimizer

__all__ = [
    "CosineAnnealingLR", "ExponentialLR", "LRScheduler", "LambdaLR", "LinearLR", "MultiStepLR", "ReduceLROnPlateau", "StepLR",
]  # fmt: skip


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


class MultiStepLR(LRScheduler):
    """Multiplies the rates by `gamma` at each epoch in `milestones`."""

    def __init__(
        self, optimizer: Optimizer, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch."""
        return self._times(self.gamma ** self.milestones.count(self.last_epoch))


class ExponentialLR(LRScheduler):
    """Multiplies the rates by `gamma` at each epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch."""
        return self._times(self.gamma if self.last_epoch else 1.0)


class LinearLR(LRScheduler):
    """Brings the rates from a part of the first ones to another part, in equal steps: a warm-up."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch."""
        part = min(self.last_epoch, self.total_iters) / self.total_iters
        factor = self.start_factor + (self.end_factor - self.start_factor) * part
        return [base * factor for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """Brings the rates from the first ones to `eta_min` along half a cosine of `T_max` epochs."""

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:  # noqa: N803  # PyTorch's name
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch."""
        part = (1 + cos(pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """Multiplies the first rates by what a function says of the epoch.

    Args:
        optimizer: whose rates are set.
        lr_lambda: called with the number of the epoch; or a list with a function for each group.
        last_epoch: the number of the epoch before the first one.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Returns the rate of each group in this epoch."""
        return [base * factor(self.last_epoch) for base, factor in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Returns everything but the optimizer and functions."""
        return {name: value for name, value in super().state_dict().items() if name != "lr_lambdas"}


class ReduceLROnPlateau:
    """Multiplies the rates by `factor` when a measure has not become better for more than `patience` epochs.

    Args:
        optimizer: whose rates are set.
        mode: "min" if a smaller measure is better, or "max".
        factor: what the rates are multiplied by.
        patience: the epochs without a better measure that are waited for.
        threshold: how much better counts: relative to the best so far.
        min_lr: the rates never become smaller than that.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        min_lr: float = 0.0,
    ) -> None:
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.min_lr = threshold, min_lr
        self.best, self.num_bad_epochs = inf if mode == "min" else -inf, 0

    def step(self, metrics: Any) -> None:
        """Tells the measure of an epoch, such as the loss of validation."""
        now = float(metrics)
        limit = 1 - self.threshold if self.mode == "min" else 1 + self.threshold
        if now < self.best * limit if self.mode == "min" else now > self.best * limit:
            self.best, self.num_bad_epochs = now, 0
        else:
            self.num_bad_epochs += 1
        if self.num_bad_epochs > self.patience:
            self.num_bad_epochs = 0
            for group in self.optimizer.param_groups:
                group["lr"] = max(group["lr"] * self.factor, self.min_lr)

    def get_last_lr(self) -> list[float]:
        """Returns the rate of each group as it is now."""
        return [group["lr"] for group in self.optimizer.param_groups]


def __getattr__(name: str) -> Any:
    raise missing("torch.optim.lr_scheduler", name, __all__)
