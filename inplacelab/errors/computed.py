"""Refusals whose entry, or whose fields, must be worked out from the values first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from inplacelab.errors.classes import Refusal, worded
from inplacelab.language import Text

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
    shown = repr(value) if isinstance(value, int | float | complex) else "..."
    if op.rstrip("_") in _CHECKED_IN_PYTHON:
        return _entry("not_a_tensor_in_python")(argument=argument, value=value, shown=shown)
    return _entry("not_a_tensor_in_call")(op=op, argument=argument, position=position, value=value, shown=shown)


def cannot_multiply(x: Sequence[int], y: Sequence[int]) -> Refusal:
    """The refusal to multiply matrices of these shapes: it names the axes whose sizes differ."""
    return _entry("matrix_sizes_differ")(left=max(len(x) - 1, 0), right=max(len(y) - 2, 0), x=x, y=y)


def kernel_not_registered(op: str, dtype: str, accepts: str = "f") -> Refusal:
    """The refusal of a dtype that an operation is not defined for. A complex number is not advised to lose its imaginary part.

    Args:
        op: the operation.
        dtype: the name of the dtype.
        accepts: the kinds of dtype that it is defined for, as NumPy's letters.
    """
    if dtype.startswith("complex"):
        return _entry("no_kernel_for_complex")(op=op, dtype=dtype)
    wanted = next(name for kind, name in _TO_CAST_TO.items() if kind in accepts)
    return _entry("no_kernel_for_dtype")(op=op, dtype=dtype, wanted=wanted)


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
    return AttributeError(MissingName(holder, name, names, _NOT_ALL, _ELSEWHERE, homes), name=name)


def is_missing_name(error: BaseException) -> bool:
    """Whether an error was made by `not_there`."""
    return any(isinstance(each, MissingName) for each in error.args)


_GRAPHS = frozenset({"inference", "jit", "onnx", "static"})
"""Modules of Paddle that build, change or export graphs before they run."""

_ONLY_IN_PADDLE = frozenset({
    "Model", "amp", "audio", "callbacks", "classes", "common_ops_import", "compat", "core", "cuda", "cuda_env", "dataset", "decomposition",
    "distribution", "fft", "flops", "framework", "geometric", "hapi", "hub", "incubate", "library", "metric", "pir", "pir_utils",
    "profiler", "quantization", "random", "reader", "signal", "sparse", "special", "summary", "sysconfig", "text", "utils", "vision",
})  # fmt: skip
"""Paddle's other modules that do not exist here, and functions of its high-level interface: not mistaken for other names."""

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
    ) -> None:
        self._name, self._names, self._why, self._elsewhere = name, names, why, elsewhere
        self._holder, self._homes = holder, homes
        of = "'Tensor' object" if holder == "Tensor" else f"module '{holder}'"
        self._headline = f"{of} has no attribute '{name}'"

    def __str__(self) -> str:
        if self._name.startswith("_"):
            return self._headline
        if self._name in _GRAPHS:
            return worded(self._headline, _RUNS_AT_ONCE, _CALL_IT)
        if self._name in _ONLY_IN_PADDLE:
            return worded(self._headline, self._why, self._elsewhere)
        found = [
            f"`{home}.{self._name}`"
            for home in self._homes
            if self._name in dir(import_module(f"{self._holder}.{home}"))
        ]
        if found:
            return worded(self._headline, _IN_ANOTHER_MODULE, _WRITE.format(name=found[0]))
        names = dir(self._names) if isinstance(self._names, type) else self._names
        public = [each for each in names if not each.startswith("_")]
        return worded(self._headline, self._why, nearest(self._name, public, self._elsewhere))

    def __repr__(self) -> str:
        return repr(str(self))


def nearest(name: str, names: Iterable[str], otherwise: Text) -> Text:
    """Suggests the names most like a mistaken one. Where none is, says what `otherwise` says."""
    from difflib import get_close_matches

    near = get_close_matches(name, list(names), n=3, cutoff=0.6)
    return _NEAREST.format(near=", ".join(f"`{each}`" for each in near)) if near else otherwise


_NOT_ALL = Text(
    "inplacelab has only part of PaddlePaddle: its in-place operations, and what programs that use them need.",
    "inplacelab 只有 PaddlePaddle 的一部分：原地操作，以及使用它们的程序所需的内容。",
)
_IN_ANOTHER_MODULE = Text("the name is in another module.", "这个名称在另一个模块中。")
_WRITE = Text("write {name}.", "请写 {name}。")
_NEAREST = Text("did you mean {near}?", "是否想写 {near}？")
_ELSEWHERE = Text(
    "write this with the operations that exist here (`dir()` lists them), or run the program with PaddlePaddle itself: "
    "`inplacelab record script.py` records such a program, too.",
    "用这里已有的操作来写（`dir()` 可列出），或用 PaddlePaddle 本身运行程序：`inplacelab record script.py` 也能记录这样的程序。",
)
