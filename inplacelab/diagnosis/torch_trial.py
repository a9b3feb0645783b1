"""Runs a PyTorch program for a trial (see `trial_run.py`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from inplacelab.diagnosis.failures import trail_of
from inplacelab.diagnosis.torch_watch import TorchWatch
from inplacelab.diagnosis.trial_run import Ran, named
from inplacelab.recorders.torch.names import WATCHED
from inplacelab.recorders.torch.pass_order import Asked, root_node
from inplacelab.recorders.torch.patch import Patch
from inplacelab.recorders.torch.readings import LEAF_NODE

MOST = 1 << 22
"""So many elements of gradients are kept. The gradients of later passes are not compared."""

KEEPS = 2
"""The position of the argument of PyTorch's engine that says whether a pass keeps what nodes have saved."""


class Gradients:
    """Collects the gradients that each backward pass gives, in the order in which leaves are reached from its roots.

    Args:
        keeps_graphs: whether every pass keeps what nodes have saved, so that a second one does not fail.
    """

    def __init__(self, *, keeps_graphs: bool) -> None:
        self._keeps_graphs = keeps_graphs
        self.passes: list[dict[str, Any]] = []
        self._room = MOST
        self.patch = Patch(torch.autograd, "_engine_run_backward", self.run_pass)

    def run_pass(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass, and collects what it gives."""
        asks = Asked.of(args, kwargs)
        leaves = list(_leaves([root_node(each) for each in asks.roots]))
        if self._keeps_graphs:
            args = [*args[:KEEPS], True, *args[KEEPS + 1 :]]
        result = run(*args, **kwargs)
        found = [each.grad for each in leaves] if asks.fills else list(result)
        size = sum(each.numel() for each in found if each is not None)
        if size <= self._room:
            self._room -= size
            self.passes.append({str(k): None if each is None else _array(each) for k, each in enumerate(found)})
        return result


def _leaves(roots: Sequence[Any]) -> Iterator[Any]:
    seen = set()
    waiting = [each for each in reversed(roots) if each is not None]
    while waiting:
        node = waiting.pop()
        if node in seen:
            continue
        seen.add(node)
        if node.name() == LEAF_NODE:
            yield node.variable
        waiting += [following for following, _ in reversed(node.next_functions) if following is not None]


class Copies:
    """Has every grad node save a copy, and counts their bytes."""

    def __init__(self) -> None:
        self.bytes = 0
        self.block = torch.autograd.graph.saved_tensors_hooks(self._pack, lambda packed: packed)

    def _pack(self, saved: Any) -> Any:
        copy = saved.detach().clone()
        self.bytes += copy.numel() * copy.element_size()
        return copy


def _array(tensor: Any) -> Any:
    """Returns a copy of the values as a NumPy array, which has no `bfloat16`."""
    values = tensor.detach().cpu().resolve_conj().resolve_neg()
    return (values.float() if values.dtype == torch.bfloat16 else values.clone()).numpy()


def run(script: Path, text: str, names: dict[str, Any], *, reference: bool) -> Ran:
    """Runs a script; see `trial_run.Run`."""
    torch.manual_seed(0)
    gradients, copies, watch = Gradients(keeps_graphs=reference), Copies(), TorchWatch()
    raised: BaseException | None = None
    watch.begin()
    gradients.patch.begin()
    try:
        with copies.block if reference else nullcontext():
            exec(compile(text, str(script), "exec", dont_inherit=True), names)
    except BaseException as error:  # noqa: BLE001  # whatever the program raises is an outcome
        raised = error
    finally:
        gradients.patch.end()
        watch.end()
    trails = tuple(map(trail_of, watch.failures[-1:]))
    return Ran(raised, gradients.passes, trails, copies.bytes, named(names, text, WATCHED, _array))
