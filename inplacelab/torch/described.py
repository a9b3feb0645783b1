"""What tensors tell programs, under PyTorch's names: shapes, devices, grad nodes, handles of hooks; metadata and values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np

from inplacelab.torch import dtypes
from inplacelab.torch.calls import Shown, Sizes, outward
from inplacelab.torch.grad_nodes import node_name
from inplacelab.torch.printing import repr_of
from inplacelab.torch.refusals import refuse


class Size(Sizes):
    """A shape: a tuple that prints as `torch.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        """Returns the number of elements of a tensor of this shape."""
        return int(np.prod(self, dtype=int))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


class device:  # PyTorch's name
    """Where a tensor is: `device(type='cpu')`. Programs with these names run on the CPU.

    Args:
        name: "cpu".
    """

    def __init__(self, name: Any = "cpu", index: int | None = None) -> None:
        self.type: str = str(name).partition(":")[0]
        self.index = index
        if self.type != "cpu":
            raise refuse("no_such_device", device=self.type)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"

    def __str__(self) -> str:
        return self.type


def check_device(given: Any) -> None:
    """Refuses what a program gives as `device=` if it is another one than the CPU."""
    if given is not None:
        device(given)


class GradNode:
    """A grad node as `x.grad_fn` gives it."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    def name(self) -> str:
        """Returns PyTorch's name of the node: "MulBackward0"."""
        return node_name(self.node)

    @property
    def next_functions(self) -> tuple[tuple[GradNode | None, int], ...]:
        """The nodes that receive the gradients of the inputs, each with the number of its output."""
        return tuple((None if each is None else GradNode(each), 0) for each in self.node.edges)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GradNode) and self.node is other.node

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"<{self.name()} object>"


class RemovableHandle:
    """Removes a hook."""

    def __init__(self, remove: Callable[[], object]) -> None:
        self.remove = remove

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Described(Shown):
    """The part of `Tensor` that tells what a tensor is and holds."""

    __slots__ = ()

    # ---- metadata ------------------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes of the axes."""
        return Size(self._tensor.array.shape)

    def size(self, dim: int | None = None) -> Any:
        """Returns the sizes of the axes, or of one."""
        return self.shape if dim is None else self.shape[dim]

    def stride(self, dim: int | None = None) -> Any:
        """Returns the step along each axis from one element to the next, in elements."""
        strides = tuple(self._tensor.strides)
        return strides if dim is None else strides[dim]

    def storage_offset(self) -> int:
        """Returns the position of the first element in the storage, in elements."""
        return self._tensor.layout.offset

    @property
    def dtype(self) -> dtypes.dtype:
        """The type of the elements: `torch.float32`, ..."""
        return dtypes.shown(self._tensor.dtype)

    @property
    def device(self) -> device:
        """Where it is: `device(type='cpu')`."""
        return device()

    is_cuda = False
    is_sparse = False

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self._tensor.array.ndim)

    def dim(self) -> int:
        """Returns the number of axes."""
        return self.ndim

    def element_size(self) -> int:
        """Returns the bytes of one element."""
        return self._tensor.element_size()

    @property
    def itemsize(self) -> int:
        """Bytes for one element."""
        return self._tensor.element_size()

    @property
    def nbytes(self) -> int:
        """The bytes of the elements."""
        return self._tensor.nbytes

    def nelement(self) -> int:
        """Returns the number of elements."""
        return self._tensor.size

    def is_contiguous(self) -> bool:
        """Returns True if the elements are in row-major order with no gaps."""
        return self._tensor.is_contiguous()

    def data_ptr(self) -> int:
        """Returns the address of the first element."""
        return self._tensor.data_ptr()

    def is_floating_point(self) -> bool:
        """Returns True for float16, float32 and float64."""
        return self.dtype.is_floating_point

    def is_complex(self) -> bool:
        """Returns True for complex64 and complex128."""
        return self.dtype.is_complex

    @property
    def _version(self) -> int:
        """The version counter: the number of in-place writes, shared by views and by `detach()`."""
        return self._tensor.inplace_version

    @property
    def _base(self) -> Any:
        """The tensor that this one is a view of, or None."""
        return outward(self._tensor.base)

    def _is_view(self) -> bool:
        return self._tensor.base is not None

    # ---- values ---------------------------------------------------------------------------------------------------------------

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """Returns the values as an array of NumPy on the same memory.

        Raises:
            RuntimeError: if the tensor needs a gradient and `force` is False.
        """
        if not self._tensor.stop_gradient and not force:
            raise refuse("numpy_of_gradient", tensor=self._tensor)
        view: np.ndarray[Any, Any] = self._tensor.array.view()
        return view

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        values = self.numpy()
        return values if dtype is None else values.astype(dtype)

    def tolist(self) -> Any:
        """Returns the values as nested lists."""
        return self._tensor.tolist()

    def item(self) -> Any:
        """Returns the only element as a number.

        Raises:
            RuntimeError: if there are several.
        """
        return self._only()

    def _only(self) -> Any:
        if self._tensor.size != 1:
            raise refuse("not_one_element", size=self._tensor.size)
        return self._tensor.item()

    def __bool__(self) -> bool:
        if self._tensor.size != 1:
            raise refuse("ambiguous_condition" if self._tensor.size else "empty_condition")
        return bool(self._only())

    def __int__(self) -> int:
        return int(self._only())

    def __float__(self) -> float:
        return float(self._only())

    def __complex__(self) -> complex:
        return complex(self._only())

    def __index__(self) -> int:
        if self._tensor.size != 1 or self._tensor.array.dtype.kind not in "iub":
            raise refuse("not_an_index")
        return int(self._only())

    def __len__(self) -> int:
        if not self.ndim:
            raise refuse("length_of_scalar")
        return int(self._tensor.array.shape[0])

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return repr_of(self)

    def __format__(self, spec: str) -> str:
        if not self.ndim:
            return format(self._only(), spec)
        return repr(self) if not spec else object.__format__(self, spec)
