"""Writes programs as learners do, with everything that can confuse a recorder: aliases, views of views, rebound names, functions, loops,
exceptions, backward passes. The same draws, the same program.

The author runs what it writes, so it knows which names lead to tensors. What is refused stays in now and then, in a `try`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from random import Random
from textwrap import indent
from typing import Any, TypeVar

import inplacelab as paddle
from inplacelab import Tensor

from .statements import KINDS, NUMBERS, leaf

T = TypeVar("T")
HEAD = "import inplacelab as paddle\n"
LARGEST = 5000
"""Elements of a tensor. A recording keeps storages of more than 4096 as a summary."""


class Author:
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.text = ""
        self.names: dict[str, Any] = {}
        self._made = 0

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self.random.random() < probability

    def some(self, choices: Sequence[T]) -> T:
        """One of them."""
        return choices[self.random.randrange(len(choices))]

    def tensors(self, test: Callable[[Tensor], bool] = lambda _: True) -> list[str]:
        """The names of tensors."""
        return [name for name, value in self.names.items() if isinstance(value, Tensor) and test(value)]

    def tensor(self) -> str:
        """A name of a tensor, rather a late one."""
        found = self.tensors()
        return found[-1 - int(len(found) * self.random.random() ** 1.5)]

    def new(self) -> str:
        """A name for a result: a new one, or one that leads elsewhere now."""
        if self.chance(0.25):
            return self.tensor()
        self._made += 1
        return f"t{self._made}"

    def serial(self) -> int:
        """A number that nothing has yet."""
        self._made += 1
        return self._made

    def add(self, text: str) -> bool:
        """Append a statement if it runs. One that is refused stays now and then, in a `try`."""
        text = text if text.endswith("\n") else text + "\n"
        return self._runs(text) or (self.chance(0.3) and self._runs(self._in_try(text)))

    def _runs(self, text: str) -> bool:
        try:
            self._execute(text)
            fits = all(self.names[name].size <= LARGEST for name in self.tensors())
        except Exception:  # noqa: BLE001  # a random statement may raise anything
            fits = False
        if fits:
            self.text += text
        else:  # it may have done part of its work
            self.begin()
            self._execute(self.text)
        return fits

    def begin(self) -> None:
        """A new session."""
        self.names = {}
        paddle.set_grad_enabled(True)
        paddle.seed(7)

    def _execute(self, text: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, "<draft>", "exec"), self.names)

    def _in_try(self, text: str) -> str:
        kind = self.some(("Exception as error", "Exception", "ValueError", "(RuntimeError, ValueError) as error"))
        says = self.some(
            ("note = 1", "note = str(error)" if "as error" in kind else "pass", f"{self.new()} = {self.tensor()} * 2")
        )
        last = self.some(("", "", "else:\n    note = 2\n", f"finally:\n    {self.tensor()}\n"))
        return f"try:\n{indent(text, '    ')}except {kind}:\n    {says}\n{last}"


def write(random: Random, statements: int = 16) -> str:
    """A random program: the same numbers from `random`, the same program."""
    author = Author(random)
    try:
        author.begin()
        author.add(HEAD)
        for name in ("a", "b"):
            author.add(leaf(author, name))
        author.add(f"x = a * {author.some(NUMBERS)}")
        for _ in range(statements):
            author.add(author.some(KINDS)(author))
    finally:
        paddle.set_grad_enabled(True)
    return author.text
