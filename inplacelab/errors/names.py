"""A name that a module does not have. No operation was refused, so this is a plain exception, and no recorder hears of it."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from inplacelab.errors.kinds import worded
from inplacelab.language import Text


def not_there(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """What to raise for `module.name`, when the module has other `names`: it names the nearest."""
    headline = f"module '{module}' has no attribute '{name}'"
    if name.startswith("_"):  # Python and notebooks look for `__path__` and the like, and nobody reads the answer
        return AttributeError(headline, name=name)
    why = Text(
        "inplacelab has those operations of PaddlePaddle that work in place and what programs around them need, not all of it.",
        "inplacelab 有 PaddlePaddle 的原地操作，以及这类程序所需的部分，而不是全部。",
    )
    near = get_close_matches(name, names, n=3, cutoff=0.7)
    if near:
        fix = Text("did you mean {near}?", "是否想写 {near}？").format(near=", ".join(f"`{each}`" for each in near))
    else:
        fix = Text(
            "write it with the operations that are here (`dir()` lists them), or use PaddlePaddle itself for this part.",
            "用这里已有的操作来写（`dir()` 可列出），或在这一部分使用 PaddlePaddle 本身。",
        )
    return AttributeError(worded(headline, why, fix), name=name)
