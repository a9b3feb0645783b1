"""`register_full_backward_hook`: a module is called between two functions that change nothing and see the gradients that pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inplacelab.autograd.grad_mode import is_grad_enabled
from inplacelab.torch.autograd import Function
from inplacelab.torch.tensor import Tensor

Gradients = tuple[Any, ...]


class BackwardHookFunction(Function):
    """Returns its tensors as they are. Backward calls `passing` with their gradients, which it may replace."""

    @staticmethod
    def forward(ctx: Any, passing: Callable[[Gradients], Gradients], *tensors: Any) -> Any:
        """Returns the tensors."""
        ctx.set_materialize_grads(False)
        ctx.passing = passing
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Returns what `passing` makes of the gradients."""
        return (None, *ctx.passing(gradients))


class Watched:
    """One call of a module with such hooks.

    Args:
        hooks: called with the module, the gradients of its inputs, and those of its outputs.
        module: the module.
    """

    def __init__(self, hooks: tuple[Any, ...], module: Any) -> None:
        self._hooks, self._module = hooks, module
        self._of_outputs: Gradients = ()
        self._places: list[int] = []
        self._count = 0

    def enter(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the inputs as the module gets them."""
        self._count = len(inputs)
        self._places = [k for k, each in enumerate(inputs) if isinstance(each, Tensor)]
        if not is_grad_enabled() or not any(inputs[k].requires_grad for k in self._places):
            self._places = []
            return inputs
        passed = dict(zip(self._places, _passed(self._leave_inputs, [inputs[k] for k in self._places]), strict=True))
        return tuple(passed.get(k, each) for k, each in enumerate(inputs))

    def leave(self, outputs: Any) -> Any:
        """Returns the outputs as the program gets them."""
        given = outputs if isinstance(outputs, tuple) else (outputs,)
        tensors = [each for each in given if isinstance(each, Tensor)]
        if not any(each.requires_grad for each in tensors):
            return outputs
        passed = iter(_passed(self._leave_outputs, tensors))
        results = tuple(next(passed) if isinstance(each, Tensor) else each for each in given)
        return results if isinstance(outputs, tuple) else results[0]

    def _leave_outputs(self, gradients: Gradients) -> Gradients:
        self._of_outputs = gradients
        if not self._places:
            self._called((None,) * self._count)
        return gradients

    def _leave_inputs(self, gradients: Gradients) -> Gradients:
        of_inputs = dict(zip(self._places, gradients, strict=True))
        found = self._called(tuple(of_inputs.get(k) for k in range(self._count)))
        return tuple(found[k] for k in self._places)

    def _called(self, of_inputs: Gradients) -> Gradients:
        for hook in self._hooks:
            changed = hook(self._module, of_inputs, self._of_outputs)
            if changed is not None:
                of_inputs = changed if isinstance(changed, tuple) else (changed,)
        return of_inputs


def _passed(passing: Callable[[Gradients], Gradients], tensors: list[Any]) -> tuple[Any, ...]:
    found = BackwardHookFunction.apply(passing, *tensors)
    return found if isinstance(found, tuple) else (found,)
