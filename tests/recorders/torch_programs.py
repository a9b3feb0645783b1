"""Random PyTorch programs with views, writes and backward passes."""

from __future__ import annotations

import random
import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import torch

STARTS = (
    ("a = torch.tensor([[0.5, 1.5, -1.0], [2.0, 0.25, 1.0]], requires_grad=True)", "b = torch.arange(6.0).reshape(2, 3) + 1", "x = a * 1.0"),
    ("a = torch.tensor([[1.0, -2.0], [3.0, 4.0]], requires_grad=True)", "b = torch.tensor([0.5, 1.5, -2.5], requires_grad=True)"),
)  # fmt: skip
VIEWS = (
    "{x}[0]", "{x}[0] if {x}.dim() else {x}.view(1)", "{x}[:1]", "{x}[..., 1:]", "{x}[..., :1] if {x}.dim() else {x}.view(1)",
    "{x}.t()", "{x}.T", "{x}.T if {x}.dim() == 2 else {x}.unsqueeze(0)", "{x}.view(-1)", "{x}.view(-1) if {x}.is_contiguous() else {x}",
    "{x}.reshape(-1)", "{x}.flatten()", "{x}.unsqueeze(0)", "{x}.squeeze()", "{x}.narrow(0, 0, 1)", "{x}.diagonal()",
    "{x}.unbind()[0]", "{x}.chunk(2)[0]", "{x}.view_as({x})", "{x}.detach()", "{x}.data",
)  # fmt: skip
VALUES = (
    "{x} * 2", "{x} * 2.0", "{x} / 3", "{x} * {x}", "{x} + {y}", "{x} * {y}", "{x} + {y}.mean()", "{x} * {y}.sum()", "{x} - {y}.detach().mean()",
    "{x} @ {x}.T if {x}.dim() == 2 else {x} - 1", "{x}.exp()", "torch.exp({x})", "{x}.sin()", "{x}.sigmoid()", "{x}.tanh()", "{x}.pow(2)",
    "torch.relu({x})", "torch.softmax({x}, -1)", "torch.where({x} > 0, {x}, {x} * 2)", "{x}.sum()", "{x}.clone()", "{x}[[0]]",
    "torch.cat([{x}, {x}])", "torch.cat([{x}.reshape(-1), {y}.reshape(-1)])", "torch.stack([{x}, {x}])", "torch.zeros_like({x})",
    "torch.ones(2, 3)",
)  # fmt: skip
WRITES = (
    "{x}.add_(1)", "{x}.add_(1.0)", "{x}.mul_(2)", "{x}.mul_({x})", "{x}.mul_({y})", "{x} += 1", "{x} += {y}", "{x} *= {y}.mean()",
    "{x}.zero_()", "{x}.fill_(0.5)", "{x}.relu_()", "{x}.sigmoid_()", "{x}.tanh_()", "{x}.clamp_(-1.0, 1.0)", "{x}.clamp_(-1, 1)",
    "{x}.copy_({y})", "{x}.copy_({y}.sum())", "{x}.addcmul_({x}.detach(), {y}.mean())", "{x}[0].add_(1)",
    "{x}[0] = 2", "{x}[..., 0] = 5.0", "{x}[..., :1] = {y}.mean()", "{x}[[0]] = 3.0", "{x}[{x} > 1] = 0.5",
    "{x}.masked_fill_({x} > 0, 0.25)", "{x}.index_fill_(0, torch.tensor([0]), 1.5)", "{x}.t_()", "{x}.unsqueeze_(0)",
    "torch.add({x}, 1.0, out={x})", "torch.mul({y}.detach(), 2, out={z})", "torch.nn.functional.relu({x}, inplace=True)",
    "torch._foreach_add_([{x}], 1.0)", "{x}.data.add_(1)", "{x}.detach().mul_(2)",
)  # fmt: skip
OTHERS = (
    "del {x}", "{x} = {y}", "{x}.shape", "{x}.requires_grad_()", "{x}.requires_grad = True", "{x}.retain_grad()", "{x}.grad = None",
    "{x}.detach_()", "{x}.data = {y}.detach().clone()",
)  # fmt: skip
PASSES = (
    "{x}.sum().backward()", "{x}.sum().backward(retain_graph=True)", "{x}.backward(torch.ones_like({x}))",
    "torch.autograd.backward([{x}.sum(), {y}.sum()])", "{x}.mean().backward(inputs=[{y}])",
    "{new} = torch.autograd.grad({x}.sum(), {y}, allow_unused=True)[0]", "{new} = torch.autograd.grad({x}.sum(), a, allow_unused=True)[0]",
)  # fmt: skip
KINDS = {
    tuple(f"{{new}} = {each}" for each in VIEWS): 4, tuple(f"{{new}} = {each}" for each in VALUES): 5.5, WRITES: 6, OTHERS: 1, PASSES: 1.5,
}  # fmt: skip
"""The forms of statements, and how often each kind is drawn."""
WIDE = """\
import _thread, threading
from torch.utils.checkpoint import checkpoint
class Keeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x
        ctx.save_for_backward(x, y)
        return y
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return 2 * g * x + 0 * y
class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(3)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 3
class DirtyKeeps(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]
class Marks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
def in_thread(do):
    done, failed = [], []
    def run():
        try:
            done.append(do())
        except BaseException as error:
            failed.append(error)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]
def unseen(do):
    lock = _thread.allocate_lock()
    lock.acquire()
    def run():
        try:
            do()
        except RuntimeError:
            pass
        finally:
            lock.release()
    _thread.start_new_thread(run, ())
    lock.acquire()
def block(x):
    h = x.sin()
    return h.exp() * h
def spoiled(x):
    h = x.sigmoid()
    h.add_(1)
    return h * 2
def scale(x):
    x.mul_(2)
"""
"""What programs begin with that use threads, functions of their own and `checkpoint`. It takes so many lines."""
WIDE_VALUES = (
    "Keeps.apply({x})", "Dirty.apply({x})", "DirtyKeeps.apply({x})", "Marks.apply({x})", "checkpoint(block, {x}, use_reentrant=True)",
    "checkpoint(block, {x}, use_reentrant=False)", "checkpoint(spoiled, {x}, use_reentrant=True)", "in_thread(lambda: {x}.exp())",
    "in_thread(lambda: {x} * {y})", "in_thread(lambda: block({x}))", "block({x})",
)  # fmt: skip
WIDE_WRITES = (
    "in_thread(lambda: {x}.add_(1))", "in_thread(lambda: {x}.detach().mul_(2))", "unseen(lambda: {x}.detach().add_(1))", "Dirty.apply({x})",
    "Marks.apply({x}[0])", "DirtyKeeps.apply({x}[:1])", "torch._foreach_mul_([{x}, {x}[:1]], 2.0)", "scale({x})", "{x}.data = {x}.data.clone()",
    "{x}.set_({x}.detach().clone())",
)  # fmt: skip
WIDE_KINDS = {**KINDS, tuple(f"{{new}} = {each}" for each in WIDE_VALUES): 3, WIDE_WRITES: 4}
MORE_STARTS = (
    (*STARTS[0], "c = (a * 1.0).to(torch.complex64)", "some = [a, x]", "known = {}"),
    (*STARTS[1], "x = a * 2", "c = torch.view_as_complex(x.reshape(2, 1, 2))", "some = [b]", "known = {'x': x}"),
)  # fmt: skip
MORE_VIEWS = (
    "torch.view_as_real({x})", "{x}.real", "{x}.imag", "{x}.conj()", "{x}.unfold(0, 1, 1)", "{x}.as_strided((2,), (1,))", "torch._neg_view({x})",
    "{x}.movedim(0, -1)", "{x}.view({x}.dtype)", "{x}.mH", "torch.view_as_complex({x}.reshape(-1, 2))", "{x}.tensor_split(2)[0]",
)  # fmt: skip
MORE_NAMES = (
    "{new} = {x}.grad", "some = [{x}, {y}.grad]", "known['k'] = {x}.grad", "{new} = some[0]", "some.append({x})", "known['x'] = {y}", "{x}.grad = None",
    "some.pop()", "{new} = known.get('x')", "{x} = some[-1]", "{new} = {x}.data", "known = {{}}", "del {x}",
)  # fmt: skip
MORE_PASSES = (
    "{x}.retain_grad()", "{x}.retain_grad()", "{x}.retain_grad()", "{x}.abs().sum().backward()", "{x}.abs().sum().backward()",
    "{x}.square().abs().sum().backward()", "{x}.abs().mean().backward(retain_graph=True)",
)  # fmt: skip
MORE_KINDS = {
    tuple(f"{{new}} = {each}" for each in MORE_VIEWS): 3, tuple(f"{{new}} = {each}" for each in VIEWS): 1, WRITES[:8]: 3,
    tuple(f"{{new}} = {each}" for each in VALUES[:14]): 3, MORE_NAMES: 3, MORE_PASSES: 3,
}  # fmt: skip
"""Views of complex numbers, further names, and gradients that are kept, also of passes that fail."""
TOTAL = (
    "total = sum(each.sum() for _, each in sorted(globals().items()) if isinstance(each, torch.Tensor) and each.requires_grad)",
    "total.backward()",
)
"""A pass through all that was done."""


def program(seed: int, *, wide: bool = False) -> str:
    """Returns a program that runs to its end, or whose last line fails: in backward as a rule, because a value that it needs is stale.

    Args:
        seed: its number.
        wide: whether it uses threads, functions of its own and `checkpoint`.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of `.grad` of a tensor that is no leaf
        if wide:
            return "\n".join(_lines(random.Random(seed), kinds=WIDE_KINDS, before=WIDE))
        return "\n".join(_lines(random.Random(seed)))


def further_program(seed: int) -> str:
    """Returns a program with more kinds of views and names, and with gradients that are kept."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return "\n".join(_lines(random.Random(seed), MORE_STARTS, MORE_KINDS, MORE_PASSES, failing=0.6))


def _lines(
    chance: random.Random,
    starts: Sequence[tuple[str, ...]] = STARTS,
    kinds: Mapping[tuple[str, ...], float] = MappingProxyType(KINDS),
    passes: tuple[str, ...] = PASSES,
    *,
    before: str = "",
    failing: float = 0.12,
) -> list[str]:
    lines = [*before.splitlines(), *chance.choice(starts)]
    space: dict[str, Any] = {"torch": torch}
    exec("\n".join(lines), space)
    body, end = chance.randint(4, 14), chance.choice(("passes", "passes", "total", "total", ""))
    for number in range(body + 3 * (end == "passes")):
        names = [name for name, each in space.items() if isinstance(each, torch.Tensor)]
        if number >= body:
            names = [name for name in names if space[name].requires_grad]
        if not names:
            break
        forms = passes if number >= body else chance.choices([*kinds], [*kinds.values()])[0]
        x, y, z = (chance.choice(names) for _ in "xyz")
        line = chance.choice(forms).format(x=x, y=y, z=z, new=f"v{number}")
        if chance.random() < 0.12:
            line = f"with torch.no_grad(): {line}"
        try:
            exec(line, space)
        except Exception as error:  # noqa: BLE001  # whatever PyTorch refuses
            if chance.random() < _ends(error, failing if forms is passes else 0.04):
                return [*lines, line]
        else:
            lines.append(line)
    return [*lines, *TOTAL] if end == "total" else lines


def _ends(error: Exception, usually: float) -> float:
    """How often a program ends with an error; otherwise it goes on without the line."""
    return 1 if "modified by an inplace" in str(error) else usually
