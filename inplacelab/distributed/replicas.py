"""Replicas of a layer. `DataParallel`: every rank trains one on its part of the batch; the gradients are averaged. `check_replicas`: finds
out whether they have drifted apart, and which lines did it.

To find that, ranks compare digests, not tensors. Only of a tensor that differs do they exchange what their recordings say of its storage.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.distributed.collectives import all_reduce, broadcast
from inplacelab.distributed.environment import check_group, world_for
from inplacelab.distributed.world import ReduceOp, World
from inplacelab.nn.layer import Layer
from inplacelab.recording.facts import TensorFacts
from inplacelab.recording.ranks import Replicas, Write, digest, drift_of, history_of, in_order
from inplacelab.recording.recording import Recording
from inplacelab.tensor import Tensor


def check_same_tensors(world: World, name: str, tensors: Sequence[tuple[str, Tensor]]) -> None:
    """Refuses, on all ranks, tensors that have other names, shapes or dtypes on some rank.

    Args:
        world: the ranks.
        name: what needs them: "DataParallel".
        tensors: the tensors of this rank with their names.
    """
    world.meet(world.announcement(name, forms(tensors)))


def forms(tensors: Sequence[tuple[str, Tensor]]) -> tuple[str, ...]:
    """Returns names, dtypes and shapes as ranks compare them."""
    return tuple(f"{name}: {each.array.dtype.name}{list(each.array.shape)}" for name, each in tensors)


class DataParallel(Layer):
    """Makes a layer one of several replicas, one on each rank.

    At the start the parameters and buffers of rank 0 are written into those of all other ranks, in place. In backward, each
    parameter's gradient is averaged over the ranks, in place, when it is complete, and then added to `.grad`. So all replicas make
    the same step, as long as every rank applies the same in-place operations to them; `check_replicas` checks this.

    The result is that of training on the whole batch, if the loss is a mean and all parts of the batch have the same size. The average is
    computed as ((g0 + g1) + g2 + ...) / n, in the order of the ranks. It has the same bits on all ranks, and the same bits as in one process
    that goes through the parts in this order, adds up their gradients in `.grad`, and divides by n. A process that computes the joined batch
    at once may add up the same numbers in another order, and round the last digits differently.

    Args:
        layers: the layer, which must have the same parameters and buffers on all ranks.
        strategy: accepted for compatibility with Paddle; ignored.
        comm_buffer_size: ignored: each gradient is averaged by itself.
        last_comm_buffer_size: ignored.
        find_unused_parameters: False; every rank must use the same parameters.
        group: None for all ranks; no other group is supported.

    Raises:
        CommunicationError: on all ranks, if the layers differ, or a rank is missing.

    Source: https://www.paddlepaddle.org.cn/documentation/docs/en/api/paddle/DataParallel_en.html
    """

    def __init__(
        self,
        layers: Layer,
        strategy: Any = None,
        comm_buffer_size: int = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Any = None,
    ) -> None:
        super().__init__()
        check_group("DataParallel", group)
        if find_unused_parameters:
            raise errors.unused_parameters_unsupported(option="find_unused_parameters=True")
        if not isinstance(layers, Layer):
            raise errors.not_a_layer(given=layers)
        self._layers = layers
        self._averaging = True
        self._not_averaged: set[int] = set()  # parameters whose `.grad` holds gradients of this rank only
        world = world_for("DataParallel")
        tensors = [*layers.named_parameters(), *layers.named_buffers()]
        check_same_tensors(world, "DataParallel", tensors)
        with no_grad():
            for _, tensor in tensors:
                broadcast(tensor, 0)
        for parameter in layers.parameters():
            if not parameter.stop_gradient:
                parameter.register_hook(self._hook(parameter))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Computes what the layer computes."""
        return self._layers(*inputs, **kwargs)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """While it lasts, gradients are not averaged: they add up on each rank, and are averaged by the first backward after it."""
        before, self._averaging = self._averaging, False
        try:
            yield
        finally:
            self._averaging = before

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Returns the loss as it is, as in Paddle: gradients are averaged, not added."""
        return loss

    def apply_collective_grads(self) -> None:
        """Does nothing, as in Paddle: backward has averaged the gradients."""

    def state_dict(self) -> OrderedDict[str, Tensor]:
        """Returns the state of the layer, without the wrapper's name in front, as Paddle does."""
        return self._layers.state_dict()

    def set_state_dict(self, state_dict: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """Loads the state of the layer, on this rank only."""
        return self._layers.set_state_dict(state_dict)

    set_dict = load_dict = set_state_dict

    def _hook(self, parameter: Tensor) -> Callable[[Tensor], None]:
        def average_gradient(gradient: Tensor) -> None:
            if not self._averaging:
                self._not_averaged.add(id(parameter))
                return
            with no_grad():
                if id(parameter) in self._not_averaged and parameter.grad is not None:
                    all_reduce(parameter.grad, ReduceOp.AVG)
                self._not_averaged.discard(id(parameter))
                all_reduce(gradient, ReduceOp.AVG)

        return average_gradient


def check_replicas(model: Layer, recording: Recording | None = None) -> Replicas:
    """Compares the parameters and buffers of a layer across all ranks: values by digests, and versions.

    Every rank calls it, as a collective. With the ranks' recordings it names, for each tensor that differs, the first write that is not the same on
    all ranks, and the line on each rank that made it.

    Args:
        model: the layer; a `DataParallel`, or what it wraps.
        recording: what this rank has recorded, from `paddle.record()`.

    Returns:
        What differs; true if nothing does. The same on all ranks.

    Raises:
        CommunicationError: on all ranks, if their layers have other parameters, or a rank is missing.
    """
    world = world_for("check_replicas")
    tensors = list(model.state_dict().items())
    here = [(digest(each.numpy().tobytes()), each.storage.version) for _, each in tensors]
    everywhere = _exchanged(world, forms(tensors), here)
    differing = [k for k, ranks in enumerate(zip(*everywhere, strict=True)) if len(set(ranks)) > 1]
    if not differing:
        return Replicas(world.size, len(tensors), ())
    known = {} if recording is None else _recorded(recording, tensors)
    histories = _exchanged(world, (), [known.get(tensors[k][0], ()) for k in differing])
    drifts = [
        drift_of(tensors[k][0], [rank[k] for rank in everywhere], [rank[place] for rank in histories])
        for place, k in enumerate(differing)
    ]
    return Replicas(world.size, len(tensors), in_order(drifts))


_T = TypeVar("_T")


def _exchanged(world: World, agreed: Sequence[str], told: _T) -> list[_T]:
    """Tells all ranks something, and returns what each of them told."""
    return [each.told for each in world.meet(world.announcement("check_replicas", agreed, told=told))]


# ---- what a rank's recording says -------------------------------------------------------------------------------------------


def _recorded(recording: Recording, tensors: Sequence[tuple[str, Tensor]]) -> Mapping[str, tuple[Write, ...]]:
    """Returns the writes to the storages of these tensors."""
    if not recording.steps:
        return {}
    found = _found(list(recording.state().tensors.values()), tensors)
    return {name: history_of(recording, facts.storage) for name, facts in found.items()}


def _found(facts: Sequence[TensorFacts], tensors: Sequence[tuple[str, Tensor]]) -> Mapping[str, TensorFacts]:
    """Finds the tensors of a layer by their names in the program: `model.fc.weight` is `fc.weight` of the layer `model`.

    A program may have several layers. The one that has most of these tensors is meant.
    """
    layers: dict[str, dict[str, TensorFacts]] = {}
    for name, tensor in tensors:
        for each in facts:
            for called in each.names:
                alike = (each.shape, each.dtype) == (tensor.array.shape, tensor.array.dtype.name)
                if alike and f".{called}".endswith(f".{name}"):
                    layers.setdefault(called[: -len(name)], {})[name] = each
    return max(layers.values(), key=len, default={})
