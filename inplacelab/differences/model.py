"""What an entry of the page of differences is: a program, its twin in PyTorch, and what it is there to show."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from textwrap import dedent

from inplacelab.language import Text

SAME = "the same text"
"""Stands for a twin in PyTorch that reads exactly as the program itself."""


OPENING = """\
paddle.set_default_dtype("float64")
a = paddle.to_tensor([[1., 2.], [3., 4.]], stop_gradient=False)
"""
OPENING_IN_TORCH = """\
torch.set_default_dtype(torch.float64)
a = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
"""


class Kind(Enum):
    """What an entry shows. The tests hold every entry's kind against the answers that were recorded for it."""

    RIGHT = "right"
    REFUSED = "refused"
    ACCEPTED = "accepted"
    STRICTER = "stricter"
    ESCAPE = "escape"
    DESIGN = "design"
    FOLLOWS = "follows"

    @property
    def says(self) -> Text:
        """The kind in words."""
        return _SAYS[self]


_SAYS = {
    Kind.RIGHT: Text(
        "inplacelab is right, Paddle is silently wrong",
        "inplacelab 正确，Paddle 悄悄给出错误结果",
    ),
    Kind.REFUSED: Text(
        "inplacelab refuses, Paddle is silently wrong",
        "inplacelab 拒绝执行，Paddle 悄悄给出错误结果",
    ),
    Kind.ACCEPTED: Text(
        "inplacelab is right, Paddle or PyTorch refuses",
        "inplacelab 正确，Paddle 或 PyTorch 拒绝执行",
    ),
    Kind.STRICTER: Text(
        "inplacelab refuses, PyTorch or Paddle is right",
        "inplacelab 拒绝执行，PyTorch 或 Paddle 正确",
    ),
    Kind.ESCAPE: Text(
        "the program itself leaves the history: no gradient of the whole is meant",
        "程序主动脱离了历史：并不要求整个程序的梯度",
    ),
    Kind.DESIGN: Text("unlike Paddle, on purpose", "有意与 Paddle 不同"),
    Kind.FOLLOWS: Text("as in Paddle, unlike PyTorch", "与 Paddle 相同，与 PyTorch 不同"),
}


@dataclass(frozen=True, kw_only=True)
class Difference:
    """One program, and why the three frameworks do not agree on it.

    The program finds the leaf `a` (see `OPENING`) and leaves either `loss`, whose gradient with respect to `a` is
    then asked for, or `answer`, a plain value.

    Attributes:
        key: a name that stays the same, in words with hyphens.
        kind: what the entry shows.
        title: what the program does.
        program: its text for inplacelab and Paddle: it runs unchanged in both, under the name `paddle`.
        torch: its twin for PyTorch; `SAME`; or None if there is none, for the reason that `why` then gives.
        why: why they differ.
        fixed: for what is refused: a program of the same meaning that is not.
        endless: True if the program does not come back in Paddle; it is not run there again.
        unsteady: True if Paddle's answer differs from run to run: then only the verdict is the same.
    """

    key: str
    kind: Kind
    title: Text
    program: str
    torch: str | None = SAME
    why: Text
    fixed: str | None = None
    endless: bool = False
    unsteady: bool = False

    @property
    def text(self) -> str:
        """The program as it is run and shown."""
        return plain(self.program)

    @property
    def asks_gradient(self) -> bool:
        """True if the gradient of `loss` is asked for, False if the program has a plain `answer`."""
        return any(line.startswith("loss =") for line in self.text.splitlines())

    @property
    def twin(self) -> str | None:
        """The program as it is run in PyTorch; None if there is no way to write it there."""
        if self.torch is None:
            return None
        return self.text if self.torch == SAME else plain(self.torch)


@dataclass(frozen=True)
class Chapter:
    """Differences that have one cause.

    Attributes:
        key: a name that stays the same.
        title: what they have in common.
        why: the cause.
        differences: the entries, in the order in which they are shown.
    """

    key: str
    title: Text
    why: Text
    differences: tuple[Difference, ...]


def plain(program: str) -> str:
    """A program without the indentation that it has in our source."""
    return dedent(program).strip() + "\n"
