"""Runs a script once for a trial, in a process of its own: `python -m inplacelab.diagnosis.trial_run REQUEST`.

The request is a file with JSON: the script, its arguments, whether this is the reference, and where the outcome goes. The reference is the
original program, in which every grad node saves a copy: nothing can be overwritten, so its gradients are those that were meant.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from inplacelab.diagnosis.failures import trail_of
from inplacelab.diagnosis.torch_watch import TorchWatch
from inplacelab.recorders.run import main_module
from inplacelab.recorders.static import message_of
from inplacelab.recorders.torch_backward import Asked, root_node
from inplacelab.recorders.torch_objects import LEAF_NODE
from inplacelab.recorders.torch_overrides import EnginePatch

MOST = 1 << 22
"""So many elements of gradients are kept. The gradients of later passes are not compared."""


class Gradients:
    """Collects the gradients that each backward pass gives, in the order in which leaves are reached from its roots."""

    def __init__(self) -> None:
        self.passes: list[list[Any]] = []
        self._room = MOST
        self.patch = EnginePatch(self)

    def called(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a function of PyTorch; see `torch_overrides.Caller`."""
        return function(*args, **kwargs)

    def run_pass(self, run: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Runs a backward pass, and collects what it gives."""
        asks = Asked.of(args, kwargs)
        leaves = list(_leaves([root_node(each) for each in asks.roots]))
        result = run(*args, **kwargs)
        found = [each.grad for each in leaves] if asks.fills else list(result)
        size = sum(each.numel() for each in found if each is not None)
        if size <= self._room:
            self._room -= size
            self.passes.append([None if each is None else each.detach().clone().cpu() for each in found])
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


def main(request: Path) -> None:
    """Runs a request."""
    asked = json.loads(request.read_text(encoding="utf-8"))
    script, reference = Path(asked["script"]), asked["reference"]
    random.seed(0)
    torch.manual_seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    gradients, copies, watch = Gradients(), Copies(), TorchWatch()
    error = ""
    watch.begin()
    gradients.patch.begin()
    try:
        code = compile(script.read_bytes(), str(script), "exec", dont_inherit=True)
        with main_module(script, asked["arguments"]) as module, copies.block if reference else nullcontext():
            exec(code, vars(module))
    except SystemExit as ended:
        error = "" if ended.code in (None, 0) else f"SystemExit: {ended.code}"
    except Exception as raised:  # noqa: BLE001  # whatever the program raises is an outcome
        error = f"{type(raised).__name__}: {message_of(raised)}"
    finally:
        gradients.patch.end()
        watch.end()
    torch.save(gradients.passes, asked["gradients"])
    trails = [trail_of(each).to_data() for each in watch.failures]
    outcome = {"error": error, "trails": trails, "copies": copies.bytes}
    Path(asked["outcome"]).write_text(json.dumps(outcome), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
