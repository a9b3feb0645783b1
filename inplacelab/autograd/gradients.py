"""`autograd.backward` and `grad`: gradients that are asked for, added to `.grad` or returned."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from inplacelab import errors, modes
from inplacelab.autograd import engine, operations
from inplacelab.autograd.history import edge
from inplacelab.autograd.nodes import Node
from inplacelab.language import Text
from inplacelab.tensor import Tensor


def backward(
    tensors: Tensor | Sequence[Tensor],
    grad_tensors: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool = False,
) -> None:
    """Adds gradients to the `.grad` of every leaf that the tensors depend on. Shared parts of the graph run once.

    Args:
        tensors: the tensors to start from: one or several different ones, with history.
        grad_tensors: the gradients to start with, one for each tensor and of its shape; ones where None.
        retain_graph: keep what the nodes saved, so that backward can go through the graph again.

    Raises:
        ArgumentError: if the numbers of gradients and tensors differ, or a tensor is given twice.
        NoGradientError: if a tensor has no history.
        StaleSavedTensorError: if a saved tensor that a derivative needs has been overwritten.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor([1., 2.], stop_gradient=False)
    >>> y = x * x
    >>> paddle.autograd.backward([y, y * 3.], [None, paddle.to_tensor([0., 1.])])
    >>> x.grad.tolist()
    [2.0, 16.0]

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/autograd/backward_en.html
    """
    starts = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    seeds = _seeds(grad_tensors, len(starts))
    for position, each in enumerate(starts):
        if not isinstance(each, Tensor):
            raise errors.not_a_tensor("backward", "tensors", position, each)
    if len({id(each) for each in starts}) != len(starts):
        raise errors.bad_argument(
            op="backward",
            argument="tensors",
            value="a tensor twice",
            possible=Text("different tensors", "互不相同的张量"),
        )
    engine.backward(starts, seeds, retain_graph=retain_graph)


def _seeds(given: Tensor | Sequence[Tensor | None] | None, count: int) -> list[Tensor | None]:
    """A gradient, or None, for each of `count` tensors."""
    if given is None:
        return [None] * count
    seeds: list[Tensor | None] = [given] if isinstance(given, Tensor) else list(given)
    if len(seeds) != count:
        raise errors.bad_argument(
            op="backward",
            argument="grad_tensors",
            value=len(seeds),
            possible=Text(f"a list of {count}", f"{count} 个梯度的列表"),
        )
    return seeds


def grad(  # noqa: PLR0913, PLR0917  # Paddle's signature
    outputs: Tensor | Sequence[Tensor],
    inputs: Tensor | Sequence[Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Tensor | Sequence[Tensor] | AbstractSet[Tensor] | None = None,
) -> list[Tensor | None]:
    """Returns the gradients of the sum of `outputs` with respect to `inputs`, without changing any `.grad`.

    Args:
        outputs: tensors with history.
        inputs: tensors they were computed from: leaves or intermediate results.
        grad_outputs: the gradients to start with, one for each output and of its shape; ones where None.
        retain_graph: keep the saved tensors for another pass; the value of `create_graph` if None.
        create_graph: make the gradients differentiable.
        only_inputs: must be True, as in Paddle.
        allow_unused: return None for an input that the outputs do not depend on, instead of raising.
        no_grad_vars: tensors that count as constants in this pass: no gradient goes through them.

    Returns:
        One gradient for each input, with the input's shape and dtype.

    Raises:
        NoGradientError: if an output has no history, or an input is unused and `allow_unused` is False.

    >>> import inplacelab as paddle
    >>> x = paddle.to_tensor(3., stop_gradient=False)
    >>> (first,) = paddle.grad(x * x * x, x, create_graph=True)
    >>> (second,) = paddle.grad(first, x)
    >>> float(first), float(second)
    (27.0, 18.0)

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/grad_en.html
    """
    results, wanted = _tensors("outputs", outputs), _tensors("inputs", inputs)
    seeds = (
        [None] * len(results)
        if grad_outputs is None
        else [grad_outputs]
        if isinstance(grad_outputs, Tensor)
        else list(grad_outputs)
    )
    if not only_inputs:
        raise errors.bad_argument(op="grad", argument="only_inputs", value=only_inputs, possible=Text("True", "True"))
    if len(seeds) != len(results):
        raise errors.bad_argument(
            op="grad",
            argument="grad_outputs",
            value=len(seeds),
            possible=Text(f"a list of {len(results)}", f"{len(results)} 个梯度的列表"),
        )
    constants = [] if no_grad_vars is None else _tensors("no_grad_vars", no_grad_vars)
    targets, blocked = [edge(x) for x in wanted], [edge(x) for x in constants]
    roots = [engine.root_of(t, _as_number(s, t)) for t, s in zip(results, seeds, strict=True)]
    walk = engine.BackwardPass(
        create_graph=create_graph,
        retain_graph=create_graph if retain_graph is None else retain_graph,
        capture=targets,
        blocked=blocked,
    )
    return gradients_of(walk, roots, targets, allow_unused)


def gradients_of(
    walk: engine.BackwardPass, roots: Sequence[tuple[Node, Tensor]], targets: Sequence[Node | None], allow_unused: bool
) -> list[Tensor | None]:
    """Runs a pass that captures gradients, and returns them.

    Args:
        walk: the pass, with `capture=targets`.
        roots: the nodes that it starts from, with the gradients that arrive there.
        targets: the nodes whose incoming gradients are returned.
        allow_unused: whether None stands for a target that the roots do not lead to.

    Raises:
        NoGradientError: if a target is unused and `allow_unused` is False.
    """
    walk.run(roots)
    found = [_captured(walk, target, k, allow_unused) for k, target in enumerate(targets)]
    for each in modes.current().listeners:
        each.tensors_returned([gradient for gradient in found if gradient is not None])
    return found


def _captured(walk: engine.BackwardPass, target: Node | None, position: int, allow_unused: bool) -> Tensor | None:
    found = None if target is None else walk.captured.get(target)
    if found is None and not allow_unused:
        raise errors.unused_input(position=position)
    return found


def _tensors(argument: str, given: Tensor | Sequence[Tensor] | AbstractSet[Tensor]) -> list[Tensor]:
    """One tensor or several, as a list."""
    tensors: list[Any] = list(given) if isinstance(given, list | tuple | AbstractSet) else [given]
    for each in tensors:
        if not isinstance(each, Tensor):
            raise errors.differentiated_no_tensor(argument=argument, given=each)
    return tensors


def _as_number(seed: Tensor | None, of: Tensor) -> Tensor | None:
    """A seed of one element for a tensor of one element: Paddle accepts it in any shape."""
    if isinstance(seed, Tensor) and seed.size == 1 and of.size == 1 and seed.array.shape != of.array.shape:
        return operations.ops.reshape(seed, of.array.shape)
    return seed
