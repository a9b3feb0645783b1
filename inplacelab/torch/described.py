"""The metadata and the values of a tensor, as methods and properties under PyTorch's names."""

from __future__ import annotations

from typing import Any

import numpy as np

from inplacelab.torch import dtypes
from inplacelab.torch.calls import Shown, outward
from inplacelab.torch.handles import Size, device
from inplacelab.torch.printing import repr_of
from inplacelab.torch.refusals import refuse


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
