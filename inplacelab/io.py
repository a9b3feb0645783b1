"""Batches for a training loop: `for x, y in paddle.io.DataLoader(dataset, batch_size=32, shuffle=True)`.

A batch is made of copies, so an in-place operation on it does not change the data set. Everything is read in the program's
process, one batch at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol

import numpy as np

from inplacelab import errors, observe
from inplacelab.autograd.grad_mode import without_history
from inplacelab.ops.creation import to_tensor
from inplacelab.ops.results.random_stream import generator
from inplacelab.tensor import Tensor


class Examples(Protocol):
    """The source of batches: a `Dataset`, or a list."""

    def __len__(self) -> int: ...

    def __getitem__(self, idx: int, /) -> Any: ...


class Dataset:
    """The base of every data set: define `__getitem__`, which returns one example, and `__len__`.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/io/Dataset_en.html
    """

    def __getitem__(self, idx: int) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__} does not define __getitem__(idx), which returns example `idx`"
        )

    def __len__(self) -> int:
        raise NotImplementedError(
            f"{type(self).__name__} does not define __len__(), which returns the number of examples"
        )


class TensorDataset(Dataset):
    """Tensors whose first axis counts the examples; an example is a tuple of one row of each tensor.

    Args:
        tensors: the tensors, all of the same length along axis 0.

    Raises:
        AssertedArgumentError: if the first axes are of different lengths.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/io/TensorDataset_en.html
    """

    def __init__(self, tensors: Sequence[Tensor]) -> None:
        if len({tensor.shape[0] for tensor in tensors}) > 1:
            raise errors.example_counts_differ(lengths=[tensor.shape[0] for tensor in tensors])
        self.tensors = tensors

    def __getitem__(self, idx: int) -> tuple[Tensor, ...]:
        return tuple(tensor[idx] for tensor in self.tensors)

    def __len__(self) -> int:
        return int(self.tensors[0].shape[0])


class DataLoader:
    """Iterates over the examples of a data set in batches.

    Args:
        dataset: has a length and returns an example for each index: numbers, arrays, tensors, or lists, tuples and dictionaries of
            them.
        return_list: accepted for compatibility with Paddle; ignored (batches are always lists where examples are tuples, as with
            Paddle's dynamic graphs).
        batch_size: the number of examples in a batch.
        shuffle: whether each epoch has a new random order; `paddle.seed` makes it reproducible.
        drop_last: whether to leave out a last batch that is smaller than the others.
        collate_fn: makes a batch of a list of examples. If None, each field becomes a tensor with the examples along its first axis.
        num_workers: accepted for compatibility with Paddle; ignored (one process reads everything).

    Raises:
        AssertedArgumentError: if `batch_size` is not a positive integer.

    >>> import inplacelab as paddle
    >>> dataset = paddle.io.TensorDataset([paddle.arange(6.).reshape([3, 2]), paddle.arange(3)])
    >>> for x, y in paddle.io.DataLoader(dataset, batch_size=2):
    ...     print(x.tolist(), y.tolist())
    [[0.0, 1.0], [2.0, 3.0]] [0, 1]
    [[4.0, 5.0]] [2]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/io/DataLoader_en.html
    """

    def __init__(
        self,
        dataset: Examples,
        *,
        return_list: bool = True,
        batch_size: int = 1,
        shuffle: bool = False,
        drop_last: bool = False,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        num_workers: int = 0,
    ) -> None:
        if type(batch_size) is not int or batch_size < 1:
            raise errors.bad_batch_size(given=batch_size)
        self.dataset, self.batch_size, self.shuffle, self.drop_last = dataset, batch_size, shuffle, drop_last
        self.collate_fn, self.num_workers, self.return_list = collate_fn or _collated, num_workers, return_list

    def __len__(self) -> int:
        """The number of batches."""
        whole, rest = divmod(len(self.dataset), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Any]:
        count = len(self.dataset)
        order = iter(generator().permutation(count).tolist() if self.shuffle else range(count))
        for _ in range(len(self)):
            chosen = list(islice(order, self.batch_size))
            yield self.collate_fn(without_history(self._examples, chosen))

    def __call__(self) -> Iterator[Any]:
        """The same as `iter(loader)`, for programs that write `for batch in loader():`."""
        return iter(self)

    def _examples(self, chosen: Sequence[int]) -> list[Any]:
        return observe.silently(lambda: [self.dataset[k] for k in chosen])


def _collated(examples: list[Any]) -> Any:
    """A batch of several examples: a tensor of numbers, arrays or tensors; lists and dictionaries field by field."""
    first = examples[0]
    if isinstance(first, Mapping):
        return {name: _collated([each[name] for each in examples]) for name in first}
    if isinstance(first, list | tuple):
        return [_collated(list(field)) for field in zip(*examples, strict=True)]
    if isinstance(first, str | bytes):
        return examples
    arrays = [each.numpy() if isinstance(each, Tensor) else np.asarray(each) for each in examples]
    shapes = [each.shape for each in arrays]
    if len(set(shapes)) > 1:
        raise errors.example_shapes_differ(shapes=sorted(set(shapes)))
    return to_tensor(np.stack(arrays))


__all__ = ["DataLoader", "Dataset", "TensorDataset"]


def __getattr__(name: str) -> Any:
    raise errors.not_there(__name__, name, __all__)
