"""Tensors: metadata that point into a storage, and a place in the gradient history. No mathematics.

    tensor = storage (bytes, version counter)        shared by views and `detach()`
           + layout  (shape, strides, offset) and dtype
           + history (the grad node that made its value; the tensor it is a view of)

The operations are rows of the table in `ops/`; each row becomes a function and a method here. What belongs to the history
(`backward`, `grad_fn`, `stop_gradient`, ...) comes from `autograd/tensor_methods.py`.
"""

from __future__ import annotations

import sys
from itertools import count
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from inplacelab import backends, dtypes, errors, modes, printing
from inplacelab.dtypes import Form, form_of
from inplacelab.layout import Layout, is_packed, may_overlap_itself, whole
from inplacelab.storage import Storage

if TYPE_CHECKING:
    from inplacelab.backends import Device, Place

_serial = count()


class Size(list[int]):
    """A shape, as in Paddle 3.3: a list that prints as `paddle.Size([2, 3])`."""

    def __repr__(self) -> str:
        return f"paddle.Size({list(self)})"

    def numel(self) -> int:
        """The number of elements of a tensor of this shape."""
        return int(np.prod(self, dtype=int))


class Tensor:
    """A multi-dimensional array with a version counter and a gradient history. Made by `to_tensor`, `zeros`, `rand`, ...

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([[1., 2.], [3., 4.]])
    >>> row = x[0]                       # a view: other metadata, the same storage
    >>> _ = row.scale_(10.)              # in place: writes the shared storage
    >>> x
    Tensor(shape=[2, 2], dtype=float32, place=Place(cpu), stop_gradient=True,
           [[10., 20.],
            [3. , 4. ]])
    >>> x.inplace_version, row.inplace_version      # one counter for one storage
    (1, 1)
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_accumulator",  # a leaf's accumulation node, held weakly: the node holds the leaf
        "_grad",
        "_hooks",
        "_name",
        "_seen",  # for a view: the storage's version at which `_node` was right
        "_stop",  # stop_gradient, as it was when the history was last brought up to date
        "_views",  # its views, held weakly: they need an update when it leaves its storage
        "array",  # the window on the storage: it *is* shape, strides, offset and dtype
        "base",  # the tensor this one is a view of: never itself a view
        "form",  # shape and dtype of `array`; None until an operation needs it
        "node",
        "overlaps",  # True if two of its elements share a slot: then writes are refused
        "storage",
        "untracked",  # why this view is not in the history of its base: "" (it is), "no_grad" (made under it), "stopped" (taken
        # out), "leaf" (declared one after that), "bits" (of another dtype), "left" (the base left the history; the view did not)
    )

    array: Any
    storage: Storage
    base: Tensor | None
    form: Form | None
    node: Any
    overlaps: bool
    untracked: str

    def __init__(self, *_data: object, **_options: object) -> None:
        raise errors.tensor_takes_no_data()

    # ---- metadata --------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> Size:
        """The sizes of the axes."""
        return Size(self.array.shape)

    @property
    def strides(self) -> list[int]:
        """The step along each axis from one element to the next, in elements (not bytes)."""
        return list(self.layout.strides)

    @property
    def offset(self) -> int:
        """The position of the first element in the storage, in bytes (as in Paddle)."""
        return self.layout.offset * int(self.array.itemsize)

    @property
    def layout(self) -> Layout:
        """Shape, strides and offset together, all in elements."""
        array, storage = self.array, self.storage
        if array is storage.buffer:
            return whole(array.shape)
        step = array.itemsize
        first = storage.device.offset(array, storage.buffer)
        return Layout(array.shape, tuple([s // step for s in array.strides]), first)

    @property
    def dtype(self) -> dtypes.DType:
        """The type of the elements: `paddle.float32`, ..."""
        return dtypes.named(self.array.dtype)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return int(self.array.ndim)

    def dim(self) -> int:
        """The number of axes, as a method."""
        return int(self.array.ndim)

    ndimension = dim

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(self.array.size)

    @property
    def nbytes(self) -> int:
        """The bytes of the elements (those of the storage may be more: see `storage.nbytes`)."""
        return self.size * int(self.array.itemsize)

    def element_size(self) -> int:
        """Bytes for one element."""
        return int(self.array.itemsize)

    @property
    def place(self) -> Place:
        """The device of the storage: `Place(cpu)`."""
        return self.storage.device.place

    @property
    def inplace_version(self) -> int:
        """The version counter of the storage: the number of writes, shared by every view and by `detach()`.

        Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/Tensor_en.html
        """
        return self.storage.version

    def is_contiguous(self) -> bool:
        """Returns True if the elements are in row-major order with no gaps."""
        return is_packed(self.layout)

    def data_ptr(self) -> int:
        """Returns the address of the first element in the device's memory."""
        return self.storage.device.address(self.array)

    @property
    def name(self) -> str:
        """A name for messages: the program's, or one that is generated on first use."""
        if not self._name:
            self._name = f"generated_tensor_{next(_serial)}"
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name = name

    @property
    def given_name(self) -> str:
        """The name that the program set, or "". Error messages show it, as in `Leaf Var ()`."""
        return self._name or ""

    # ---- values ----------------------------------------------------------------------------------------------------

    def numpy(self, zero_copy: bool = False) -> np.ndarray[Any, Any]:  # noqa: ARG002
        """Returns a NumPy array with a copy of the values, also if Paddle's `zero_copy` is True: no write escapes the version."""
        return self.storage.device.to_host(self.array)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        values = self.numpy()
        return values if dtype is None else values.astype(dtype)

    def tolist(self) -> Any:
        """Returns the values as nested Python lists; a plain number for a tensor without axes."""
        return self.numpy().tolist()

    def item(self, *index: int) -> Any:
        """Returns one element as a Python number.

        Args:
            index: one integer for each axis, or one position in row-major order. Not needed if there is only one element.

        Raises:
            ArgumentError: if there are several elements and no index.
        """
        if not index and self.size != 1:
            raise errors.item_not_one_element(size=self.size)
        return self.numpy().item(*index)

    def __bool__(self) -> bool:
        return bool(self._only("bool"))

    def __int__(self) -> int:
        return int(self._only("int"))

    def __float__(self) -> float:
        return float(self._only("float"))

    def __complex__(self) -> complex:
        return complex(self._only("complex"))

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iu":
            raise errors.bad_index(index=self.array.dtype.name)
        return int(self._only("index"))

    def _only(self, what: str) -> Any:
        if self.size != 1:
            raise _not_one_element(what, self.size)
        return self.numpy().item()

    def __reduce__(self) -> tuple[Any, ...]:
        """How `pickle` and `copy.deepcopy` make a copy: the values in a new storage, without history and hooks.

        So a copy of a result is a leaf, and no gradient goes from it to what the result was computed from: as in PaddlePaddle
        (PyTorch refuses to deepcopy it, and pickles it). `clone()` makes a copy with history.
        """
        return _rebuilt, (type(self), self.numpy(), self.place, self.stop_gradient, self._name)

    def __len__(self) -> int:
        if not self.array.ndim:
            raise errors.length_of_scalar()
        return int(self.array.shape[0])

    def __getattr__(self, name: str) -> Any:
        """Called for a name that is not there, and says which are near."""
        raise errors.not_there("Tensor", name, type(self), homes=("nn.functional",))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return printing.format_tensor(
            self.numpy(),
            shape=list(self.shape),
            dtype_name=self.array.dtype.name,
            place=repr(self.place),
            stop_gradient=self.stop_gradient,
        )

    def __format__(self, spec: str) -> str:
        if self.array.ndim == 0:
            return format(self.item(), spec)
        if spec:
            raise TypeError("unsupported format string passed to Tensor.__format__")
        return repr(self)


for _name, _meant in {
    "require_grad": "requires_grad",
    "required_grad": "requires_grad",
    "stop_grad": "stop_gradient",
    "stop_gradients": "stop_gradient",
}.items():
    setattr(Tensor, _name, errors.Misspelled(_name, _meant))


class TopKRetType(NamedTuple):
    """The result of `topk`."""

    values: Tensor
    indices: Tensor


def _not_one_element(what: str, size: int) -> Exception:
    match what:
        case "bool":
            return errors.condition_not_one_element(size=size)
        case "index":
            return errors.index_not_one_element(size=size)
    return errors.not_one_element(kind=what, size=size)


class Parameter(Tensor):
    """A tensor that a layer trains: `stop_gradient` is False, and it has a name."""

    __slots__ = ()

    @property
    def trainable(self) -> bool:
        return not self.stop_gradient

    @trainable.setter
    def trainable(self, trainable: bool) -> None:
        self.stop_gradient = not trainable

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


_new = object.__new__


def over(array: Any, storage: Storage, form: Form | None = None) -> Tensor:
    """Returns a tensor on `storage` with the window `array`: no history, not (yet) a view of another tensor."""
    tensor = _new(Tensor)
    tensor.array, tensor.storage, tensor.form = array, storage, form
    tensor.base = tensor.node = tensor._grad = tensor._name = tensor._accumulator = tensor._hooks = tensor._views = None
    tensor._stop, tensor._seen, tensor.overlaps, tensor.untracked = True, 0, False, ""
    return tensor


def fresh(array: Any, device: Device, form: Form | None = None) -> Tensor:
    """Returns a tensor with a new storage. `array` owns its bytes and is packed."""
    storage = _new(Storage)
    storage.__init__(array, device)  # type: ignore[misc]  # calling the class takes twice as long
    return over(array, storage, form)


def known_form(tensor: Tensor) -> Form:
    """Returns the form of a tensor, which remembers it."""
    array = tensor.array
    form = tensor.form = form_of(array)
    if tensor.array is not array:  # another thread has changed it meanwhile
        tensor.form = None
    return form


def show(tensor: Tensor, array: Any, overlaps: bool) -> None:
    """Gives a tensor another window on its storage.

    The form is removed before the window changes, in case of an interrupt, and after it, in case another thread uses the tensor.
    """
    tensor.form = None
    tensor.array, tensor.overlaps = array, overlaps
    tensor.form = None


def look(source: Tensor, layout: Layout, dtype: np.dtype[Any] | None = None) -> Tensor:
    """Returns a tensor with `layout` on the storage of `source`. The caller sets its history."""
    storage = source.storage
    tensor = over(storage.device.window(storage.buffer, layout, dtype or source.array.dtype), storage)
    tensor.overlaps = may_overlap_itself(layout)
    return tensor


def adopt(target: Tensor, source: Tensor) -> None:
    """Gives `target` the storage, metadata and history of `source`. Other tensors on its old storage keep that."""
    show(target, source.array, source.overlaps)
    target.storage = source.storage
    target.base, target.node, target._seen = source.base, source.node, source._seen
    target._stop, target.untracked, target._accumulator = source._stop, source.untracked, None
    target._views = None


def _rebuilt(
    kind: type[Tensor], values: np.ndarray[Any, Any], place: Place, stop_gradient: bool, name: str | None
) -> Tensor:
    _to_tensor()
    device = backends.find(place)
    tensor = _new(kind)
    tensor._grad = tensor._hooks = None
    adopt(tensor, fresh(device.from_host(values), device))
    tensor._stop, tensor._name = stop_gradient, name
    for each in modes.current().listeners:
        each.tensors_returned([tensor])
    return tensor


def _to_tensor() -> Any:
    """The public function, which a program may not have asked for yet: with it come the operations, and all methods of tensors."""
    return sys.modules[__package__].to_tensor  # type: ignore[attr-defined]


class _TensorModule(ModuleType):
    """`inplacelab.tensor` is a module, and can be called like PyTorch's `torch.tensor`: as in Paddle."""

    def __call__(self, data: Any, dtype: Any = None, device: Any = None, requires_grad: object = False) -> Tensor:
        made: Tensor = _to_tensor()(data, dtype, device, not requires_grad)
        return made


sys.modules[__name__].__class__ = _TensorModule
