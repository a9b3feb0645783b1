"""`DataParallel`: every rank trains a replica of a layer on its part of the batch; the gradients are averaged."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from inplacelab import errors
from inplacelab.autograd.grad_mode import no_grad
from inplacelab.distributed.collectives import all_reduce, broadcast
from inplacelab.distributed.environment import check_group, world_for
from inplacelab.distributed.forms import check_same_tensors
from inplacelab.distributed.transfers import ReduceOp
from inplacelab.nn.layer import Layer
from inplacelab.tensor import Tensor


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
