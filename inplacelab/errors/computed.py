"""Refusals whose entry, or whose fields, must be worked out from the values first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from inplacelab.errors.classes import Refusal, worded
from inplacelab.language import Text, enumerated

if TYPE_CHECKING:
    from inplacelab.errors.catalogue import Entry

_CHECKED_IN_PYTHON = frozenset(("hypot", "ldexp", "norm", "sinc"))
"""The operations whose operands PaddlePaddle looks at in Python: what is no tensor is a TypeError there. Those of the others
are read in C++, which says ValueError.
"""


def _entry(name: str) -> Entry:
    from inplacelab.errors.catalogue import entries

    return entries()[name]


def not_a_tensor(op: str, argument: str, position: int, value: Any) -> Refusal:
    """The refusal of an operand that is no tensor, as Paddle raises it for this operation."""
    if is_foreign(value):
        return foreign_tensor(op, value)
    shown = repr(value) if isinstance(value, int | float | complex) else "..."
    if op.rstrip("_") in _CHECKED_IN_PYTHON:
        return _entry("not_a_tensor_in_python")(argument=argument, value=value, shown=shown)
    return _entry("not_a_tensor_in_call")(op=op, argument=argument, position=position, value=value, shown=shown)


def is_foreign(value: Any) -> bool:
    """Whether something that is no tensor here is one of another package."""
    return any(each.__name__ == "Tensor" for each in type(value).__mro__)


def package_of(value: Any) -> str:
    """The package of such a tensor."""
    kind = next(each for each in type(value).__mro__ if each.__name__ == "Tensor")
    return kind.__module__.removesuffix(".tensor")


def foreign_tensor(op: str, value: Any) -> Refusal:
    """The refusal of a tensor of another package."""
    return _entry("tensor_of_another_package")(op=op, package=package_of(value))


def cannot_multiply(x: Sequence[int], y: Sequence[int]) -> Refusal:
    """The refusal to multiply matrices of these shapes: it names the axes whose sizes differ."""
    return _entry("matrix_sizes_differ")(left=max(len(x) - 1, 0), right=max(len(y) - 2, 0), x=x, y=y)


def kernel_not_registered(op: str, dtype: str, accepts: str = "f") -> Refusal:
    """The refusal of a dtype that an operation is not defined for. (The kernel of `sin_` is that of `sin`.) A complex number is not advised to lose its imaginary part.

    Args:
        op: the operation.
        dtype: the name of the dtype.
        accepts: the kinds of dtype that it is defined for, as NumPy's letters.
    """
    kernel = op.rstrip("_")
    if dtype.startswith("complex"):
        return _entry("no_kernel_for_complex")(op=op, kernel=kernel, dtype=dtype)
    wanted = next(name for kind, name in _TO_CAST_TO.items() if kind in accepts)
    return _entry("no_kernel_for_dtype")(op=op, kernel=kernel, dtype=dtype, wanted=wanted)


_TO_CAST_TO = {"f": "float32", "i": "int64", "c": "complex64", "b": "bool"}
"""By the kind of dtype that an operation accepts, the one that is proposed."""


def bad_window_offset(offset: int, itemsize: int) -> Refusal:
    """The refusal of an offset in bytes at which no element begins."""
    name = "negative_window_offset" if offset < 0 else "unaligned_window_offset"
    return _entry(name)(offset=offset, itemsize=itemsize)


def not_there(holder: str, name: str, names: Iterable[str] | type, homes: Sequence[str] = ()) -> AttributeError:
    """What to raise for a name that a module, or "Tensor", does not have: it names the nearest.

    No operation was refused, so this is a plain exception, and it is not reported to recorders.

    Args:
        holder: the module, or "Tensor".
        name: the name that it does not have.
        names: the names that it has, or the class that has them.
        homes: modules inside `holder` where such a name may be found instead.
    """
    return AttributeError(MissingName(holder, name, names, _NOT_ALL, _ELSEWHERE, homes, _TORCH_WORDS), name=name)


def is_missing_name(error: BaseException) -> bool:
    """Whether an error was made by `not_there`."""
    return any(isinstance(each, MissingName) for each in error.args)


_GRAPHS = frozenset({"compile", "inference", "jit", "onnx", "static"})
"""Modules and functions that build, change or export graphs before they run."""

_NOT_HERE = frozenset({
    "Model", "amp", "audio", "callbacks", "classes", "common_ops_import", "compat", "core", "cuda", "cuda_env", "dataset", "decomposition",
    "distribution", "export", "fft", "flops", "framework", "func", "fx", "geometric", "hapi", "hub", "incubate", "library", "metric", "pir", "pir_utils",
    "profiler", "quantization", "random", "reader", "signal", "sparse", "special", "summary", "sysconfig", "text", "utils", "vision", "vmap",
})  # fmt: skip
"""Other modules of Paddle's and PyTorch's that do not exist here, and functions of their high-level interfaces: not mistaken for other names."""

_RUNS_AT_ONCE = Text(
    "it belongs to graphs that are built before they run; here every operation runs immediately, so that it can be watched.",
    "它属于先构建、后运行的计算图；而这里每个操作都立即执行，以便逐步观察。",
)
_CALL_IT = Text(
    "leave it out, and call the function or layer itself: the results are the same.",
    "去掉它，直接调用该函数或层：结果相同。",
)


class MissingName:
    """The words of `not_there`. They are found when somebody reads them: `hasattr`, notebooks that look for `__path__` and the
    like, and Python, which asks for a module before it imports it, do not.
    """

    def __init__(
        self,
        holder: str,
        name: str,
        names: Iterable[str] | type,
        why: Text,
        elsewhere: Text,
        homes: Sequence[str] = (),
        words: Mapping[str, Text | str] = {},  # never written
    ) -> None:
        self._words = words
        self._name, self._names, self._why, self._elsewhere = name, names, why, elsewhere
        self._holder, self._homes = holder, homes
        of = "'Tensor' object" if holder == "Tensor" else f"module '{holder}'"
        self._headline = f"{of} has no attribute '{name}'"

    def __str__(self) -> str:
        return self._headline if self._name.startswith("_") else worded(self._headline, *self._why_and_fix())

    def _why_and_fix(self) -> tuple[Text, Text]:
        if self._name in self._words:
            return _ANOTHER_NAME, _told(self._words[self._name])
        if self._name in _GRAPHS:
            return _RUNS_AT_ONCE, _CALL_IT
        known = {} if self._name in _NOT_HERE else self._known()
        if self._name in known:
            return _IN_ANOTHER_MODULE, _told(known[self._name])
        ordinary = known.get(self._name.removesuffix("_"))
        if ordinary is not None:
            return _NOT_IN_PLACE.format(ordinary), _NEW_TENSOR.format(ordinary)
        return self._why, nearest(self._name, known, self._elsewhere, least=0.7)

    def _known(self) -> dict[str, str]:
        """Returns the public names, and how a program writes them."""
        kind = self._names
        names = _attributes(kind) if isinstance(kind, type) else kind
        known = {each: each for each in names if not each.startswith("_")}
        package = "inplacelab" if self._holder == "Tensor" else self._holder
        for home in self._homes:
            inside = dir(import_module(f"{package}.{home}"))
            known = {each: f"{home}.{each}" for each in inside if not each.startswith("_")} | known
        return known

    def __repr__(self) -> str:
        return repr(str(self))


def _attributes(kind: type) -> list[str]:
    return [each for each in dir(kind) if not isinstance(getattr(kind, each, None), Misspelled)]


class Misspelled:
    """An attribute that programs set by mistake. As in Paddle and PyTorch it is then there and changes nothing; here, a warning says so."""

    def __init__(self, name: str, meant: str) -> None:
        self._name, self._meant = name, meant

    def __get__(self, tensor: Any, kind: type | None = None) -> Any:
        if tensor is None:
            return self
        if self._name in vars(tensor):
            return vars(tensor)[self._name]
        raise AttributeError(self._name)  # Python then asks `__getattr__`

    def __set__(self, tensor: Any, value: Any) -> None:
        warn(str(_SETS_NOTHING.format(self._name, self._meant)), stacklevel=2)
        vars(tensor)[self._name] = value


def nearest(name: str, names: Mapping[str, str] | Sequence[str], otherwise: Text, *, least: float = 0.6) -> Text:
    """Suggests the names most like a mistaken one, as a program writes them. Where none is, says what `otherwise` says.

    Args:
        name: the mistaken name.
        names: those that there are, or how each is written.
        otherwise: what to say if none is like it.
        least: how much a name must be like it, between 0 and 1.
    """
    from difflib import SequenceMatcher, get_close_matches

    near = get_close_matches(name, names, n=3, cutoff=least)
    alike = [SequenceMatcher(None, each, name).ratio() for each in near]
    shown = [each for each, ratio in zip(near, alike, strict=True) if ratio > alike[0] - 0.1]
    if not shown:
        return otherwise
    return _NEAREST.format(enumerated(f"`{names[each] if isinstance(names, Mapping) else each}`" for each in shown))


def _told(name: Text | str) -> Text:
    return name if isinstance(name, Text) else _WRITE.format(f"`{name}`")


_NOT_ALL = Text(
    "there is no such name here. (inplacelab has only part of PaddlePaddle: its in-place operations, and what programs that use them need.)",
    "这里没有这个名称。（inplacelab 只有 PaddlePaddle 的一部分：原地操作，以及使用它们的程序所需的内容。）",
)
_IN_ANOTHER_MODULE = Text("the name is in another module.", "这个名称在另一个模块中。")
_SETS_NOTHING = Text(
    "tensors have no attribute `{0}`: setting it changes nothing. Did you mean `{1}`?",
    "张量没有属性 `{0}`，给它赋值不起任何作用。要设置的可能是 `{1}`。",
)
_ANOTHER_NAME = Text("this is the name of another framework.", "这是另一个框架里的名称。")
_NOT_IN_PLACE = Text("`{0}` has no in-place form here.", "`{0}` 在这里没有原地形式。")
_NEW_TENSOR = Text("use `{0}`, which makes a new tensor.", "请用 `{0}`，它产生一个新张量。")
_WRITE = Text("write {0}.", "请写 {0}。")
_NEAREST = Text("did you mean {0}?", "相近的名称有 {0}。")
_TORCH_WORDS: dict[str, Text | str] = {
    "arctan2": "atan2", "as_tensor": "to_tensor", "concatenate": "concat", "device": "place", "from_numpy": "to_tensor",
    "movedim": "moveaxis", "nelement": "numel", "optim": "optimizer", "retain_grad": "retain_grads", "storage_offset": "offset",
    "true_divide": "divide", "zero_grad": "clear_grad",
}  # fmt: skip
"""PyTorch's names for what has another name in Paddle."""
_ELSEWHERE = Text(
    "write this with the operations that exist here (`dir()` lists them), or run the program with PaddlePaddle itself: "
    "`inplacelab record script.py` records such a program, too.",
    "用这里已有的操作来写（`dir()` 可列出），或用 PaddlePaddle 本身运行程序：`inplacelab record script.py` 也能记录这样的程序。",
)
