"""Says more of a call with an unknown keyword than Python does: why it failed, and what to write instead.

Python refuses such a call before the function runs. So the function is found in the program: on the line that failed.
"""

from __future__ import annotations

import ast
import linecache
import re
from contextlib import suppress
from inspect import signature
from traceback import extract_tb, walk_tb
from types import TracebackType
from typing import Any

from inplacelab.errors import nearest, worded
from inplacelab.installing import NAME
from inplacelab.language import Text, enumerated


def add_note_on_keyword(error: TypeError, trace: TracebackType) -> None:
    """Adds the note to the error, if a function of this package was called with a keyword that it does not have."""
    found = _UNKNOWN.search(str(error))
    function = None if found is None else _called(trace)
    if found is None or function is None:
        return
    word, known = found[1], [name for name in signature(function).parameters if name not in ("self", "name")]
    all_of_them = _KEYWORDS.format(enumerated([f"`{name}`" for name in known])) if known else _NO_KEYWORDS
    fix = _OTHER_WORD.get(word) or nearest(word, known, all_of_them)
    error.add_note(worded("", _NO_PARAMETER.format(word), fix).lstrip("\n"))


def _called(trace: TracebackType) -> Any:
    """The function of this package that the last frame was about to call, if its line names it (`paddle.sum(...)`, `x.add_(...)`)."""
    *_, (frame, _) = walk_tb(trace)
    place = extract_tb(trace)[-1]
    if place.line is None or place.lineno != place.end_lineno:
        return None
    words = linecache.getline(place.filename, place.lineno or 0).encode()[place.colno : place.end_colno].decode()
    with suppress(SyntaxError, AttributeError, KeyError):
        call = ast.parse(words, mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        first, *rest = ast.unparse(call.func).split(".")
        found = {**frame.f_globals, **frame.f_locals}[first]
        for name in rest:
            found = getattr(found, name)
        return found if getattr(found, "__module__", "").startswith(NAME) else None
    return None


_UNKNOWN = re.compile(r"\(\) got an unexpected keyword argument '(\w+)'")
_NO_PARAMETER = Text("there is no parameter `{0}`.", "没有名为 `{0}` 的参数。")
_NO_KEYWORDS = Text("it has no parameters.", "它没有参数。")
_KEYWORDS = Text("its parameters are {0}.", "它的参数有 {0}。")
_OTHER_WORD = {
    "requires_grad": Text(
        "PaddlePaddle's flag is the opposite: `stop_gradient=False`. (`inplacelab.torch` has PyTorch's names.)",
        "PaddlePaddle 的说法相反：`stop_gradient=False`。（`inplacelab.torch` 提供 PyTorch 的名称。）",
    ),
    "lr": Text(
        "PaddlePaddle calls it `learning_rate`. (`inplacelab.torch` has PyTorch's names.)",
        "PaddlePaddle 写作 `learning_rate`。（`inplacelab.torch` 提供 PyTorch 的名称。）",
    ),
    "bias": Text(
        "PaddlePaddle writes `bias_attr`: False for a layer without a bias. (`inplacelab.torch` has PyTorch's names.)",
        "PaddlePaddle 写作 `bias_attr`：没有偏置的层写 False。（`inplacelab.torch` 提供 PyTorch 的名称。）",
    ),
    "stop_gradient": Text(
        "PyTorch's flag is the opposite: `requires_grad=True`.", "PyTorch 的说法相反：`requires_grad=True`。"
    ),
    "learning_rate": Text("PyTorch calls it `lr`.", "PyTorch 写作 `lr`。"),
    "bias_attr": Text("PyTorch writes `bias=False`.", "PyTorch 写作 `bias=False`。"),
}
"""The keywords of PyTorch's and Paddle's that people write most often, and the other's."""
