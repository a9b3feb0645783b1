"""Tells whether two existing tensors share a storage, whatever framework they belong to."""

from __future__ import annotations

from typing import Any

from inplacelab.language import Text
from inplacelab.recorders.detection import framework_of_object, recorder_of
from inplacelab.recorders.recorder import Memory
from inplacelab.recorders.static import class_name

__all__ = ["memory_of", "shares_storage"]

_NO_TENSOR = Text(
    "`shares_storage` compares two tensors or NumPy arrays, and one of the two is of type {0}: pass the tensors themselves.",
    "`shares_storage` 比较两个张量或 NumPy 数组，而其中一个的类型是 {0}：请直接传入张量。",
)


def memory_of(tensor: Any) -> Memory:
    """Returns where the storage of a tensor is.

    Raises:
        TypeError: if it is no tensor of a known framework.
        NoStorageError: if it is one without a storage of its own.
    """
    framework = framework_of_object(tensor)
    recorder = None if framework is None else recorder_of(framework)
    if recorder is None or not issubclass(type(tensor), recorder.watched.tensors):
        raise TypeError(str(_NO_TENSOR.format(class_name(type(tensor)))))
    return recorder.memory_of(recorder.watched.tensor_of(tensor))


def shares_storage(x: Any, y: Any) -> bool:
    """Whether two tensors are on one storage, even if they have no element in common.

    It answers for existing tensors what `inplacelab.recording.queries.shares_storage` answers for tensors of a recording. Tensors of
    two frameworks, such as a PyTorch tensor and its `.numpy()`, share a storage if their storages have memory in common. Nothing is
    read of a tensor but where its storage is.

    Args:
        x: a tensor of this package, of PyTorch or PaddlePaddle, or a NumPy array.
        y: another one.

    Raises:
        TypeError: if one of them is no tensor.
        ValueError: if one of them has no storage of its own, such as a sparse tensor; the message says what to compare instead.

    >>> import inplacelab as paddle
    >>> x = paddle.zeros([4])
    >>> paddle.shares_storage(x[:2], x[2:]), paddle.shares_storage(x, x.clone())
    (True, False)
    """
    one, other = memory_of(x), memory_of(y)
    return x is y or one.is_shared_with(other)
