"""Runs the printed code on inplacelab, PaddlePaddle and PyTorch, line by line, and returns the outcome.

A line that raises is noted and the program goes on: so every refusal is also a test that nothing changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from .jets import Array
from .outcome import Gradient, Outcome, Probe, Refusal, quietly, weights
from .program import Program, Statement
from .wording import NotExpressibleError, paddle_line, torch_line


@dataclass(frozen=True)
class Framework:
    """The differences between frameworks that run a program.

    Attributes:
        module: the name of the package.
        prefix: its name in the code.
        line: the code of a statement.
        refusal: the exception that is a refusal; anything else is an accident.
        counts: its version counters are meant to be the reference's.
    """

    module: str
    prefix: str
    line: Callable[[Statement], str]
    refusal: Callable[[], type[BaseException]]
    counts: bool = False

    @property
    def installed(self) -> bool:
        """True if the package can be imported."""
        return find_spec(self.module) is not None

    def run(self, program: Program, *, second: bool = False) -> Outcome:
        """Runs a program, and returns the outcome."""
        with quietly():
            session = Session(self, second)
            for position, statement in enumerate(program):
                session.execute(position, statement)
            return session.outcome()


class Session:
    """One run of one program."""

    def __init__(self, framework: Framework, second: bool) -> None:
        self._framework, self._second = framework, second
        self._module: Any = import_module(framework.module)
        self._names: dict[str, Any] = {}
        self._space: dict[str, Any] = {
            framework.prefix: self._module, "relayout_": _relayout_torch, "tripled_": _tripled(framework.prefix, self._module),
        }  # fmt: skip
        self._leaves: dict[str, Any] = {}
        self._retained: dict[str, Any] = {}
        self._outcome = Outcome()

    def execute(self, position: int, statement: Statement) -> None:
        """Run one line; note it if it is refused."""
        if self._outcome.lost is not None:
            return
        if any(name not in self._names for name in statement.reads):
            self._outcome.refusals[position] = Refusal("unbound", "")
            return
        try:
            exec(self._framework.line(statement), self._space, self._names)
        except NotExpressibleError:
            self._outcome.lost = position
        except Exception as error:  # noqa: BLE001  # the frameworks raise what they like
            self._outcome.refusals[position] = self._refusal(error)
        else:
            self._note(statement)

    def _note(self, statement: Statement) -> None:
        if statement.op == "leaf":
            self._leaves[statement.out] = self._names[statement.out]
        if statement.op == "retain":
            self._retained[statement.inputs[0]] = self._names[statement.inputs[0]]

    def _refusal(self, error: Exception) -> Refusal:
        accident = not isinstance(error, self._framework.refusal())
        return Refusal(_class_name(type(error)), str(error).strip(), crash=accident)

    def outcome(self) -> Outcome:
        """Look at every named tensor, and at the `.grad`s."""
        outcome = self._outcome
        if outcome.lost is not None:
            return outcome
        for name, tensor in self._names.items():
            outcome.values[name] = _array(tensor)
            outcome.strides[name] = _strides(tensor)
            outcome.stopped[name] = _stopped(tensor)
            if self._framework.counts:
                outcome.versions[name] = tensor.inplace_version
        for name, tensor in (self._retained | self._leaves).items():
            outcome.grads[name] = None if tensor.grad is None else _array(tensor.grad)
        for name, stopped in outcome.stopped.items():
            if not stopped:
                outcome.probes[name] = self._probe(self._names[name])
        return outcome

    # ---- gradients ---------------------------------------------------------------------------------------------------

    def _probe(self, tensor: Any) -> Probe:
        try:
            total = (tensor * self._weights(tensor)).sum()
            first = self._gradients(total, create_graph=self._second)
            return (
                self._with_second(first)
                if self._second
                else {n: Gradient(_or_zeros(g, self._leaves[n]), None) for n, g in first.items()}
            )
        except Exception as error:  # noqa: BLE001
            return self._refusal(error)

    def _with_second(self, first: dict[str, Any]) -> Probe:
        total = None
        for gradient in first.values():
            if gradient is not None and not _stopped(gradient):
                part = (gradient * self._weights(gradient, second=True)).sum()
                total = part if total is None else total + part
        second = dict.fromkeys(first) if total is None else self._gradients(total, create_graph=False)
        return {
            n: Gradient(_or_zeros(g, self._leaves[n]), _or_zeros(second.get(n), self._leaves[n]))
            for n, g in first.items()
        }

    def _gradients(self, total: Any, *, create_graph: bool) -> dict[str, Any]:
        leaves = {name: leaf for name, leaf in self._leaves.items() if not _stopped(leaf)}
        grad = self._module.grad if hasattr(self._module, "grad") else self._module.autograd.grad
        found = grad(total, list(leaves.values()), retain_graph=True, create_graph=create_graph, allow_unused=True)
        return dict(zip(leaves, found, strict=True))

    def _weights(self, like: Any, *, second: bool = False) -> Any:
        array = weights(tuple(like.shape), second=second).astype(_array(like).dtype)
        return self._module.tensor(array) if self._framework.prefix == "torch" else self._module.to_tensor(array)


def _stopped(tensor: Any) -> bool:
    return bool(tensor.stop_gradient) if hasattr(tensor, "stop_gradient") else not tensor.requires_grad


def _strides(tensor: Any) -> tuple[int, ...]:
    """The strides; None for an axis of one element or none."""
    strides = tensor.strides if hasattr(tensor, "strides") else tensor.stride()
    return tuple(s for n, s in zip(tensor.shape, strides, strict=True) if n > 1 and 0 not in tensor.shape)


def _array(tensor: Any) -> Array:
    return np.array(tensor.detach().numpy())


def _or_zeros(gradient: Any, leaf: Any) -> Array:
    return np.zeros(tuple(leaf.shape)) if gradient is None else _array(gradient)


def _class_name(kind: type) -> str:
    """The name in the source: inplacelab's refusals call themselves what Paddle raises, `ValueError` and so on."""
    return next(
        (name for name, each in vars(import_module("inplacelab.errors")).items() if each is kind), kind.__name__
    )


def _relayout_torch(x: Any, shown: Any) -> Any:
    """Give `x` the layout of `shown`: PyTorch has `t_` and `squeeze_`, but no `reshape_`, `flatten_`, or `permute_`."""
    if shown.untyped_storage().data_ptr() != x.untyped_storage().data_ptr():
        raise NotExpressibleError("a change of layout that needs a copy")
    return x.as_strided_(shown.shape, shown.stride(), shown.storage_offset())


def _tripled(prefix: str, module: Any) -> Callable[[Any], Any]:
    """A custom operation that writes its input."""
    base = module.autograd.Function if prefix == "torch" else module.autograd.PyLayer

    def forward(context: Any, x: Any) -> Any:
        if prefix == "torch":
            context.mark_dirty(x)
            return x.mul_(3.0)
        return x.scale_(3.0)

    def backward(_context: Any, g: Any) -> Any:
        return g * 3.0

    return type("Tripled", (base,), {"forward": staticmethod(forward), "backward": staticmethod(backward)}).apply  # type: ignore[attr-defined]


def _our_refusals() -> type[BaseException]:
    refusal: type[BaseException] = import_module("inplacelab.errors").Refusal
    return refusal


OURS = Framework("inplacelab", "paddle", paddle_line, _our_refusals, counts=True)
PADDLE = Framework("paddle", "paddle", paddle_line, lambda: Exception)
TORCH = Framework("torch", "torch", torch_line, lambda: Exception)
