"""`torch.utils.data`: data sets, and batches of their elements, in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

import inplacelab.torch as torch
from inplacelab.torch.refusals import missing
from inplacelab.torch.tensor import Tensor

__all__ = ["DataLoader", "Dataset", "TensorDataset", "default_collate"]


class Dataset:
    """Elements by number: a subclass defines `__getitem__` and `__len__`."""

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")


class TensorDataset(Dataset):
    """The rows of several tensors, side by side."""

    def __init__(self, *tensors: Any) -> None:
        self.tensors = tensors
        if any(len(each) != len(tensors[0]) for each in tensors):
            raise AssertionError("Size mismatch between tensors")

    def __getitem__(self, index: Any) -> tuple[Any, ...]:
        return tuple(each[index] for each in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


def default_collate(batch: Sequence[Any]) -> Any:
    """Returns the elements of a batch in one: numbers and tensors as tensors, tuples and dictionaries part by part."""
    first = batch[0]
    if isinstance(first, Tensor):
        return torch.stack(list(batch))
    if isinstance(first, np.ndarray | np.generic):
        return torch.as_tensor(np.stack(list(batch)))
    if isinstance(first, int | float):
        return torch.tensor(batch, dtype=torch.float64 if isinstance(first, float) else None)
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, tuple | list):
        return [default_collate(part) for part in zip(*batch, strict=True)]
    return list(batch)


class DataLoader:
    """Yields the batches of a data set.

    Args:
        dataset: has `__getitem__` and `__len__`.
        batch_size: the elements of a batch.
        shuffle: whether to draw a new order for each pass.
        drop_last: whether to leave out a last batch that is not full.
        collate_fn: makes a batch of a list of elements.
        num_workers: ignored: the elements are read in this process.
        pin_memory: ignored.

    >>> from inplacelab.torch.utils.data import DataLoader
    >>> [batch.tolist() for batch in DataLoader(range(5), batch_size=2)]
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self,
        dataset: Any,
        batch_size: int = 1,
        shuffle: bool = False,
        *,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] = default_collate,
        num_workers: int = 0,
        pin_memory: bool = False,
    ) -> None:
        self.dataset, self.batch_size, self.drop_last, self.collate_fn = dataset, batch_size, drop_last, collate_fn
        self.num_workers, self.pin_memory, self._shuffle = num_workers, pin_memory, shuffle

    def __iter__(self) -> Iterator[Any]:
        order = torch.randperm(len(self.dataset)).tolist() if self._shuffle else range(len(self.dataset))
        for batch in range(len(self)):
            numbers = order[batch * self.batch_size : (batch + 1) * self.batch_size]
            yield self.collate_fn([self.dataset[k] for k in numbers])

    def __len__(self) -> int:
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + bool(rest and not self.drop_last)


def __getattr__(name: str) -> Any:
    raise missing("torch.utils.data", name, __all__)
