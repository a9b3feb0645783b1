"""What is not here: refused with the nearest names that are."""

from __future__ import annotations

from collections.abc import Iterable

from inplacelab.errors.classes import worded
from inplacelab.language import Text


def missing(holder: str, name: str, known: Iterable[str]) -> AttributeError:
    """Returns what to raise for a name of PyTorch's that is not here.

    Args:
        holder: the module or class that was asked.
        name: the name.
        known: the names that it has.
    """
    return AttributeError(_Missing(holder, name, tuple(known)), name=name)


class _Missing:
    """The words, which are found when somebody reads them: `hasattr` does not."""

    def __init__(self, holder: str, name: str, known: tuple[str, ...]) -> None:
        self._holder, self._name, self._known = holder, name, known

    def __str__(self) -> str:
        from difflib import get_close_matches  # noqa: PLC0415

        of = "'Tensor' object" if self._holder == "Tensor" else f"module '{self._holder}'"
        headline = f"{of} has no attribute '{self._name}'"
        if self._name.startswith("_"):
            return headline
        near = get_close_matches(
            self._name, [each for each in self._known if not each.startswith("_")], n=3, cutoff=0.6
        )
        fix = _NEAREST.format(near=", ".join(f"`{each}`" for each in near)) if near else _ELSEWHERE
        return worded(headline, _NOT_ALL, fix)

    def __repr__(self) -> str:
        return repr(str(self))


_NOT_ALL = Text(
    "inplacelab.torch has the part of PyTorch that programs with in-place operations need: `python -m inplacelab.torch` lists it.",
    "inplacelab.torch 只有原地操作程序所需的那部分 PyTorch：`python -m inplacelab.torch` 可列出。",
)
_NEAREST = Text("did you mean {near}?", "是否想写 {near}？")
_ELSEWHERE = Text(
    "write it with the functions that are here, or run the program with PyTorch itself: it is recorded as it is.",
    "用这里已有的函数来写；或用 PyTorch 本身运行：程序会照原样被记录。",
)
